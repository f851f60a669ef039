//! What is told of calls to an OpenTelemetry collector: names, times and outcomes, and nothing that a call carries.
//!
//! This module never sees arguments, results or messages: what it may tell is what [`Ended`] has fields for.

mod calls;
mod export;
mod json;
mod message;
mod metrics;
mod names;
mod otlp;
mod protobuf;
mod settings;
mod span;
mod traceparent;

pub use calls::{Ended, Phase, Telemetry};
pub use settings::{SettingsError, settings};
pub use traceparent::TraceParent;
