//! Lines of calls in, lines of results out: strict JSON and the shapes of the model APIs.

mod decode;
mod fields;
mod json;
mod message;
mod number;
mod provider;
mod register;
mod reply;
mod request;
mod salvage;
mod schemas;

pub use decode::{decode_line, long_line};
pub use json::{JsonError, JsonLimits, parse_strict};
pub use register::IdRegister;
pub use reply::{ReplyView, encode_reply, encode_resolved};
pub use request::{CallRequest, Expectation, Incoming, Line, Shape};
pub use schemas::{CALL_SCHEMA, EVENT_SCHEMA, RESULT_SCHEMA};

pub(crate) use json::escape_token;
