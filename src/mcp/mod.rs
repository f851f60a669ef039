//! The Model Context Protocol as a client speaks it: messages as raw JSON, one line each. Nothing here starts a program.
//!
//! What a server sends passes on as the bytes that it sent: a type of ours for a result would drop what it does not know.

mod client;
mod framing;
mod greeting;
mod listing;
mod message;
mod outbox;
mod protocol;

pub use client::{Call, Client, Lost, Sending};
pub use greeting::{Greeting, Refused, greet, initialize};
pub use listing::{ListError, ListLimits, list_tools};
pub use message::{Answer, Progress};
pub use protocol::Protocol;
