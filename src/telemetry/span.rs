//! One finished piece of work of a trace.

use super::traceparent::TraceParent;

/// An attribute's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AttributeValue {
    Text(String),
    Bool(bool),
}

/// A name and what it says.
pub(super) type Attribute = (&'static str, AttributeValue);

/// An attribute that is a text.
pub(super) fn text(name: &'static str, value: impl Into<String>) -> Attribute {
    (name, AttributeValue::Text(value.into()))
}

/// Whether what a span is about went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanStatus {
    /// Nothing is claimed.
    Unset,
    /// It did not.
    Error,
}

/// A span, with nanoseconds since the Unix epoch.
#[derive(Debug)]
pub(super) struct Span {
    pub(super) own: TraceParent,
    pub(super) parent: Option<[u8; 8]>,
    pub(super) name: String,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) attributes: Vec<Attribute>,
    pub(super) status: SpanStatus,
}
