//! The store in one SQLite file, in write-ahead mode.

mod answers;
mod append;
mod change;
mod charges;
mod effects;
mod erase;
mod open;
mod purge;
mod pursuits;
mod queries;
mod rows;
mod schema;
mod tasks;
#[cfg(test)]
mod tests;

pub use open::SqliteStore;
