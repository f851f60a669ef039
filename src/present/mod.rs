//! Turns captured bytes into a bounded, redacted result, and lays it out for people.
//!
//! This is the only module that may read [`Captured`].

mod bound;
mod captured;
mod claim;
mod content;
mod decode;
mod display;
mod expose;
mod http;
mod http_status;
mod interpret;
mod judge;
mod look_up;
mod mcp;
mod operation;
mod outcome;
mod page;
mod pointer;
mod query;
mod query_pattern;
mod recorded;
mod repeated;
mod schema;
mod verified;

pub use captured::{
    BuiltinOutput, Captured, CommandCapture, CommandEnd, DisplayBody, HttpAnswer, HttpBreak, HttpCapture,
    HttpEnd, McpCapture, McpEnd,
};
pub use claim::{Claim, rests_on_hidden};
pub use content::{Presented, Stored};
pub use display::{
    CallLine, DisplayOptions, LongLines, Totals, operation_line, progress_line, render_body, render_call,
    render_event, subject, summary,
};
pub(crate) use display::{Line, Tone, body_lines, lay_out};
pub use expose::{PresentLimits, present, redacted_body, refuse};
pub use interpret::interpret;
pub use outcome::Outcome;
pub use page::{Page, PageRequest, page};
pub use pointer::hide_fields;

#[cfg(test)]
mod tests;
