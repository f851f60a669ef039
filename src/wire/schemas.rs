//! The kinds of line as JSON Schemas, for harnesses that check before they send.

/// JSON Schema (2020-12) of a line of calls, in every shape.
pub const CALL_SCHEMA: &str = include_str!("call.schema.json");

/// JSON Schema (2020-12) of a native result line.
pub const RESULT_SCHEMA: &str = include_str!("result.schema.json");

/// JSON Schema (2020-12) of an event line of `tgw run --wait-approvals`.
pub const EVENT_SCHEMA: &str = include_str!("event.schema.json");

#[cfg(test)]
mod tests;
