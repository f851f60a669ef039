//! Upstream servers: started when first needed, shared by all calls, and ended with everything that they started.

mod calling;
mod command;
mod live;
mod log;
mod servers;
mod starting;

pub use servers::{Listed, ServerContext, Servers};
