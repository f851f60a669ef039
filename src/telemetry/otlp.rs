//! The messages of the OpenTelemetry protocol: what is exported, with the protocol's own field numbers and names.

use super::message::{Message, Part};
use super::metrics::{BOUNDS, Metrics, Totals};
use super::names;
use super::span::{Attribute, AttributeValue, Span, SpanStatus};

/// A span of work inside the process.
const INTERNAL: u32 = 1;
/// The status of a span that failed.
const STATUS_ERROR: u32 = 2;
/// Totals count from the beginning of the run.
const CUMULATIVE: u32 = 2;

/// The request that exports spans.
pub(super) fn spans(resource: &[(String, String)], spans: &[Span]) -> Message {
    let scoped = Message::default().message(1, "scope", scope()).messages(
        2,
        "spans",
        spans.iter().map(span).collect(),
    );
    let of_resource = resource_message(resource).messages(2, "scopeSpans", vec![scoped]);
    Message::default().messages(1, "resourceSpans", vec![of_resource])
}

/// The request that exports metrics, counted from `start` to `now` in nanoseconds; `None` where nothing was counted.
pub(super) fn metrics(
    resource: &[(String, String)],
    metrics: &Metrics,
    start: u64,
    now: u64,
) -> Option<Message> {
    let timed = |attributes: Vec<Attribute>, number: u32| {
        Message::default()
            .messages(number, "attributes", attributes.into_iter().map(attribute).collect())
            .with(2, "startTimeUnixNano", Part::Fixed64(start))
            .with(3, "timeUnixNano", Part::Fixed64(now))
    };
    let counts: Vec<Message> = metrics
        .all()
        .map(|(attributes, totals)| timed(attributes, 7).with(6, "asInt", Part::Fixed64(totals.calls)))
        .collect();
    let durations: Vec<Message> = metrics
        .all()
        .filter(|(_, totals)| ran(totals) > 0)
        .map(|(attributes, totals)| {
            timed(attributes, 9)
                .with(4, "count", Part::Fixed64(ran(totals)))
                .with(5, "sum", Part::Double(totals.seconds))
                .with(6, "bucketCounts", Part::Fixed64s(totals.buckets.to_vec()))
                .with(7, "explicitBounds", Part::Doubles(BOUNDS.to_vec()))
        })
        .collect();
    if counts.is_empty() {
        return None;
    }
    let sum = Message::default()
        .messages(1, "dataPoints", counts)
        .with(2, "aggregationTemporality", Part::Enum(CUMULATIVE))
        .with(3, "isMonotonic", Part::Bool(true));
    let mut found =
        vec![metric(names::CALLS, "How many calls were answered.", "{call}").message(7, "sum", sum)];
    if !durations.is_empty() {
        let histogram = Message::default().messages(1, "dataPoints", durations).with(
            2,
            "aggregationTemporality",
            Part::Enum(CUMULATIVE),
        );
        let named = metric(names::DURATION, "How long tools ran.", "s");
        found.push(named.message(9, "histogram", histogram));
    }
    let scoped = Message::default().message(1, "scope", scope()).messages(2, "metrics", found);
    let of_resource = resource_message(resource).messages(2, "scopeMetrics", vec![scoped]);
    Some(Message::default().messages(1, "resourceMetrics", vec![of_resource]))
}

fn ran(totals: &Totals) -> u64 {
    totals.buckets.iter().sum()
}

fn metric(name: &str, description: &str, unit: &str) -> Message {
    Message::default().text(1, "name", name).text(2, "description", description).text(3, "unit", unit)
}

fn span(span: &Span) -> Message {
    let mut message = Message::default().with(1, "traceId", Part::Id(span.own.trace().to_vec())).with(
        2,
        "spanId",
        Part::Id(span.own.span().to_vec()),
    );
    if let Some(parent) = span.parent {
        message = message.with(4, "parentSpanId", Part::Id(parent.to_vec()));
    }
    message = message
        .text(5, "name", span.name.as_str())
        .with(6, "kind", Part::Enum(INTERNAL))
        .with(7, "startTimeUnixNano", Part::Fixed64(span.start))
        .with(8, "endTimeUnixNano", Part::Fixed64(span.end))
        .messages(9, "attributes", span.attributes.iter().cloned().map(attribute).collect());
    if span.status == SpanStatus::Error {
        message = message.message(15, "status", Message::default().with(3, "code", Part::Enum(STATUS_ERROR)));
    }
    message.with(16, "flags", Part::Fixed32(u32::from(span.own.is_sampled())))
}

fn attribute((name, value): Attribute) -> Message {
    let value = match value {
        AttributeValue::Text(text) => Message::default().text(1, "stringValue", text),
        AttributeValue::Bool(value) => Message::default().with(2, "boolValue", Part::Bool(value)),
    };
    Message::default().text(1, "key", name).message(2, "value", value)
}

fn scope() -> Message {
    Message::default().text(1, "name", names::TGW).text(2, "version", env!("CARGO_PKG_VERSION"))
}

fn resource_message(resource: &[(String, String)]) -> Message {
    let attributes = resource
        .iter()
        .map(|(name, value)| {
            let value = Message::default().text(1, "stringValue", value.as_str());
            Message::default().text(1, "key", name.as_str()).message(2, "value", value)
        })
        .collect();
    let resource = Message::default().messages(1, "attributes", attributes);
    Message::default().message(1, "resource", resource)
}
