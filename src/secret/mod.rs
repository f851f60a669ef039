//! Credentials resolved at the moment of execution, and redaction of everything that could carry one out.

mod cache;
mod credential;
mod encoding;
mod identity;
mod mark;
mod pass;
mod personal;
mod redact;
mod search;
mod shape;
mod source;
mod stream;
mod view;

pub use cache::CredentialCache;
pub use credential::{CredentialUse, Credentials, Secret};
pub use pass::{Minted, PassSubject, arguments_digest, mint, plain_json};
pub use redact::{LEAST_SECRET, Redactor};
pub use source::{
    CommandFailure, CommandLimits, CommandSource, NO_PASS_FOR_SERVERS, Sources, file_problem, resolve,
};
pub use stream::StreamRedactor;
