//! The database in a schema of a PostgreSQL server, which several machines share.

mod database;
mod problem;
mod schema;
mod server;
mod session;
mod tls;
mod worker;

pub(super) use database::Postgres;
pub use server::{InvalidServer, Server};
