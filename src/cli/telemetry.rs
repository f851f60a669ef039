//! Telemetry as this process's environment says.

use crate::clock::Clock;
use crate::execute::ParentEnvironment;
use crate::telemetry::{Telemetry, TraceParent, settings};

use super::exit::Failure;

/// Starts what the environment asks for; by itself nothing.
///
/// # Errors
/// A variable that cannot be obeyed.
pub(super) fn start(environment: &ParentEnvironment, clock: Clock) -> Result<Telemetry, Failure> {
    let variable = |name: &str| environment.get(name).map(|value| value.to_string_lossy().into_owned());
    let settings = settings(&variable)
        .map_err(|error| Failure::configuration(error.to_string()).with_hint(error.hint()))?;
    Ok(Telemetry::new(place(environment), settings, clock.now()))
}

/// What a command tells that answers no calls: nothing. What it starts still learns its place in a trace.
pub(super) fn passing(environment: &ParentEnvironment, clock: Clock) -> Telemetry {
    Telemetry::new(place(environment), None, clock.now())
}

/// Where the harness says that this process stands in a trace.
fn place(environment: &ParentEnvironment) -> Option<TraceParent> {
    let written = environment.get("TRACEPARENT")?;
    let read = written.to_str().and_then(TraceParent::parse);
    if read.is_none() {
        tracing::warn!("`TRACEPARENT` is not a W3C traceparent, and is ignored");
    }
    read
}
