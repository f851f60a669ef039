//! The store over a database that speaks SQL: what is kept, when a change is refused, and what is sealed.
//!
//! Everything that decides is here, once, for every database; a [`Database`] runs statements and holds transactions. The
//! SQL is what SQLite and PostgreSQL both understand, with parameters written `?1`.

mod answers;
mod append;
mod change;
mod charges;
mod database;
mod effects;
mod erase;
mod layout;
mod open;
mod purge;
mod pursuits;
mod queries;
mod rows;
mod tasks;
#[cfg(test)]
mod tests;

use database::values;
pub(in crate::state) use database::{Beginning, Database, Row, Size, ToValue, Value};
pub use open::SqlStore;
