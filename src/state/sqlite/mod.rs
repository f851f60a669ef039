//! The store in one SQLite file, in write-ahead mode.

mod answers;
mod append;
mod change;
mod effects;
mod erase;
mod open;
mod purge;
mod queries;
mod rows;
mod schema;
#[cfg(test)]
mod tests;

pub use open::SqliteStore;
