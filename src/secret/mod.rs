//! Credentials resolved at the moment of execution, and redaction of everything that could carry one out.

mod credential;
mod encoding;
mod identity;
mod mark;
mod personal;
mod redact;
mod search;
mod shape;
mod source;
mod stream;
mod view;

pub use credential::{Credentials, Secret};
pub use redact::{LEAST_SECRET, Redactor};
pub use source::{CommandFailure, CommandLimits, CommandSource, Sources, file_problem, resolve};
pub use stream::StreamRedactor;
