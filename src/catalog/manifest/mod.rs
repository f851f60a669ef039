//! From the tree of a manifest to contracts: every problem is reported, and nothing in the file goes unread.

mod builtin;
mod command;
mod compile;
mod credential;
mod environment;
mod errors;
mod file;
mod http;
mod http_body;
mod http_connection;
mod idempotency;
mod looks;
mod operation;
mod preconditions;
mod probe;
mod reconcile;
mod result;
mod sandbox;
mod schemas;
mod server;
mod tool;
mod upstream;
mod verify;

pub(super) use file::{Loaded, Named, read};
