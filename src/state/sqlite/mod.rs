//! The database in one SQLite file, in write-ahead mode.

mod database;
mod log;
mod open;
mod schema;
#[cfg(test)]
mod tests;

pub(super) use open::Sqlite;
