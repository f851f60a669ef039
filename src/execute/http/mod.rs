//! Requests to services: our own connections over checked addresses, with hyper for the wire.

mod answer;
mod connect;
mod deliver;
mod form;
mod guard;
mod pool;
mod redirect;
mod request;
mod resolve;
mod run;
mod tls;
mod tunnel;

pub(super) use form::preview;
pub use pool::Connections;
pub(super) use run::{HttpContext, run_http};

#[cfg(test)]
mod tests;
