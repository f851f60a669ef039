//! A collector that is away, broken or slow, and an environment that cannot be obeyed.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::{Ended, Run, Space, call};

use super::collector::Collector;
use super::{POLICY, TOOLS};

fn lines(count: usize) -> Vec<String> {
    (0..count).map(|number| call(&format!("c{number}"), "made_up", &json!({}))).collect()
}

/// Runs so many calls with this endpoint, in little time.
fn ended(space: &Space, endpoint: &str, count: usize, more: &[(&str, &str)]) -> Ended {
    let lines = lines(count);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let run: Run<'_> =
        space.stream(&lines).variable("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint).variable("TGW_LOG", "warn");
    more.iter().fold(run, |run, (name, value)| run.variable(name, value)).ended()
}

/// Every call was answered, the collector is said to be away once, and what was lost is said.
fn answered_with_two_warnings(ended: &Ended, count: usize, why: &str) {
    assert_eq!((ended.status, ended.stdout.lines().count()), (Some(0), count), "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("the telemetry collector took nothing").count(), 1, "{}", ended.stderr);
    assert!(ended.stderr.contains(why), "{}", ended.stderr);
    assert!(ended.stderr.contains("spans were not exported"), "{}", ended.stderr);
}

#[test]
fn a_collector_that_is_away_is_said_once_and_changes_no_answer() {
    let space = Space::with(TOOLS, POLICY);
    // A port that nobody listens at any more.
    let (listener, endpoint) = Collector::silent();
    drop(listener);
    let often = [("OTEL_BSP_SCHEDULE_DELAY", "1"), ("OTEL_METRIC_EXPORT_INTERVAL", "1")];
    answered_with_two_warnings(&ended(&space, &endpoint, 1_000, &often), 1_000, "nothing listens");
    space.intact();
}

#[test]
fn a_collector_that_refuses_is_said_once() {
    let space = Space::with(TOOLS, POLICY);
    let collector = Collector::answering("503 Service Unavailable");
    answered_with_two_warnings(&ended(&space, &collector.endpoint, 2, &[]), 2, "it answered 503");
}

#[test]
fn a_collector_that_points_elsewhere_is_not_followed() {
    let space = Space::with(TOOLS, POLICY);
    let collector = Collector::answering("307 Temporary Redirect\r\nLocation: /elsewhere");
    answered_with_two_warnings(&ended(&space, &collector.endpoint, 2, &[]), 2, "it answered 307");
    assert!(collector.taken().iter().all(|request| request.path != "/elsewhere"));
}

#[test]
fn no_proxy_of_the_environment_is_asked() {
    let space = Space::with(TOOLS, POLICY);
    let (collector, proxy) = (Collector::new(), Collector::new());
    let through = ["http_proxy", "HTTP_PROXY", "ALL_PROXY"].map(|name| (name, proxy.endpoint.as_str()));
    assert_eq!(ended(&space, &collector.endpoint, 1, &through).stderr, "");
    assert_eq!((collector.taken().len(), proxy.taken().len()), (2, 0));
}

#[test]
fn a_collector_that_never_answers_holds_up_no_call_and_the_end_for_a_bounded_time() {
    let space = Space::with(TOOLS, POLICY);
    let (_listener, endpoint) = Collector::silent();
    let began = Instant::now();
    // More spans than the queue takes while the first request waits.
    let ended = ended(&space, &endpoint, 4_000, &[("OTEL_EXPORTER_OTLP_TIMEOUT", "60000")]);
    let took = began.elapsed();
    assert_eq!((ended.status, ended.stdout.lines().count()), (Some(0), 4_000), "{}", ended.stderr);
    // A span for each call and one for its decision.
    assert!(ended.stderr.contains("spans were not exported lost=8000 of=8000"), "{}", ended.stderr);
    // Far less than the minute that a request may take.
    assert!(took < Duration::from_secs(40), "{took:?}");
}

#[test]
fn an_environment_that_cannot_be_obeyed_is_an_error_at_the_start() {
    let space = Space::with(TOOLS, POLICY);
    let line = call("c1", "place", &json!({}));
    for (name, value, stderr) in [
        (
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "https://collector.example:4318",
            "error: `OTEL_EXPORTER_OTLP_ENDPOINT` is an https address, and tgw exports in clear text only\n\
             hint: send to a collector on this machine, such as `http://localhost:4318`, and let that one forward over TLS\n",
        ),
        (
            "OTEL_EXPORTER_OTLP_PROTOCOL",
            "grpc",
            "error: `OTEL_EXPORTER_OTLP_PROTOCOL` names a protocol that tgw does not speak\n\
             hint: write `http/protobuf` or `http/json`; a collector listens for both, on port 4318 by custom\n",
        ),
    ] {
        let run = space
            .stream(&[&line])
            .variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://localhost:1")
            .variable(name, value);
        run.stderr(stderr).status(2).holds();
    }
}
