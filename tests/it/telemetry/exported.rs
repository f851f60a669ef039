//! What a collector is sent, and what it is never sent.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::{Run, Space, call, checkout, code, outcomes};
use crate::pipeline::verified::{KEY, ONCE, shop};
use crate::place::verdict;
use crate::pty::{Person, deny};
use crate::say::{place_with, say};

use super::collector::{Collector, attribute, attributes};
use super::{PARENT, PARENT_SPAN, POLICY, TOOLS, TRACE};

/// A run whose environment names this collector, in JSON.
fn exporting<'s>(run: Run<'s>, collector: &Collector) -> Run<'s> {
    run.variable("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint)
        .variable("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The span of the call with this id.
fn span_of<'v>(spans: &'v [Value], id: &str) -> &'v Value {
    let is = |span: &&Value| attribute(span, "gen_ai.tool.call.id").as_deref() == Some(id);
    spans.iter().find(is).unwrap_or_else(|| panic!("no span of {id}: {spans:#?}"))
}

#[test]
fn each_call_is_one_span_with_its_stages_below_it() {
    let space = Space::with(TOOLS, POLICY);
    let collector = Collector::new();
    let lines = [
        call("c1", "place", &json!({})),
        call("c2", "fails", &json!({})),
        call("c3", "drop_table", &json!({})),
        call("c4", "ask_first", &json!({})),
        call("c5", "place", &json!({ "wrong": 1 })),
        r#"{"jsonrpc":"2.0","id":"m1","method":"tools/call","params":{"name":"place"}}"#.to_owned(),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let run = exporting(space.stream(&lines), &collector).variable("TRACEPARENT", PARENT);
    assert_eq!(run.text().lines().count(), 6);

    let spans = collector.spans();
    let own = |id: &str| span_of(&spans, id);
    assert_eq!(spans.iter().filter(|span| span["parentSpanId"] == PARENT_SPAN).count(), 6);
    assert!(spans.iter().all(|span| span["traceId"] == TRACE && span["kind"] == 1), "{spans:#?}");
    let ids: BTreeSet<&str> = spans.iter().map(|span| span["spanId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), spans.len());

    assert_eq!(own("c1")["name"], "execute_tool place");
    assert_eq!(own("c1").get("status"), None);
    assert_eq!(
        attributes(own("c1")),
        pairs(&[
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.call.id", "c1"),
            ("gen_ai.tool.name", "place"),
            ("gen_ai.tool.type", "function"),
            ("tgw.effect", "none"),
            ("tgw.status", "succeeded"),
            ("tgw.tool.risk", "read_only"),
            ("tgw.verdict", "allow"),
        ])
    );
    let failures = [("c2", "EXECUTION_FAILED"), ("c3", "PERMISSION_DENIED"), ("c5", "INVALID_ARGUMENTS")];
    for (id, code) in failures {
        assert_eq!(attribute(own(id), "error.type").as_deref(), Some(code));
        assert_eq!(own(id)["status"], json!({ "code": 2 }));
    }
    // A question that waits is no failure.
    assert_eq!(own("c4").get("status"), None);
    assert_eq!(attribute(own("c4"), "error.type"), None);
    assert_eq!(attribute(own("c4"), "tgw.verdict").as_deref(), Some("require_approval"));
    assert_eq!(attribute(own("m1"), "mcp.method.name").as_deref(), Some("tools/call"));
    assert_eq!(attribute(own("m1"), "jsonrpc.request.id").as_deref(), Some("m1"));

    let time = |span: &Value, name: &str| span[name].as_str().unwrap().parse::<u64>().unwrap();
    for (id, expected) in [("c1", vec!["tgw.decide", "tgw.run"]), ("c3", vec!["tgw.decide"])] {
        let below: Vec<&Value> =
            spans.iter().filter(|span| span["parentSpanId"] == own(id)["spanId"]).collect();
        assert_eq!(below.iter().map(|span| span["name"].as_str().unwrap()).collect::<Vec<_>>(), expected);
        for stage in below {
            assert!(time(own(id), "startTimeUnixNano") <= time(stage, "startTimeUnixNano"));
            assert!(time(stage, "startTimeUnixNano") <= time(stage, "endTimeUnixNano"));
            assert!(time(stage, "endTimeUnixNano") <= time(own(id), "endTimeUnixNano"));
        }
    }
}

/// The names of the spans below the call with this id.
fn stages<'v>(spans: &'v [Value], id: &str) -> Vec<&'v str> {
    let own = &span_of(spans, id)["spanId"];
    let below = spans.iter().filter(|span| span["parentSpanId"] == *own);
    below.map(|span| span["name"].as_str().unwrap()).collect()
}

#[test]
fn a_look_at_the_system_of_record_is_a_stage_and_an_answer_told_again_says_so() {
    let space = shop(KEY, ONCE, "");
    let collector = Collector::new();
    let lines = ["c1", "c2"].map(|id| call(id, "order", &json!({ "ref": "R-1" })));
    exporting(space.stream(&[&lines[0], &lines[1]]), &collector).text();
    let spans = collector.spans();
    assert_eq!(stages(&spans, "c1"), ["tgw.decide", "tgw.run", "tgw.verify"]);
    assert_eq!(attribute(span_of(&spans, "c1"), "tgw.replayed"), None);
    assert_eq!(attribute(span_of(&spans, "c1"), "tgw.effect").as_deref(), Some("happened"));
    assert_eq!(stages(&spans, "c2"), ["tgw.decide"]);
    assert_eq!(attribute(span_of(&spans, "c2"), "tgw.replayed").as_deref(), Some("true"));
}

#[test]
fn the_time_that_a_person_takes_is_a_stage_of_its_own() {
    let place = place_with("version: 1\ndefault_verdict: require_approval\nrules: []\n");
    let collector = Collector::new();
    let mut command = place.tgw(&["run"]);
    command
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint)
        .env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json");
    let mut person = Person::start(command);
    person.send(&say("c1", "told-in-an-argument"));
    person.is_asked();
    deny(&mut person, "told-in-the-answer");
    assert_eq!(verdict(&person.result()), "denied/APPROVAL_DENIED");
    person.leaves();
    let spans = collector.spans();
    assert_eq!(stages(&spans, "c1"), ["tgw.decide", "tgw.await_approval"]);
    assert_eq!(attribute(span_of(&spans, "c1"), "error.type").as_deref(), Some("APPROVAL_DENIED"));
    assert!(!collector.all_text().contains("told-in"), "{}", collector.all_text());
}

#[test]
fn without_a_place_in_a_trace_each_call_begins_one() {
    let space = Space::with(TOOLS, POLICY);
    let collector = Collector::new();
    let lines = [call("c1", "place", &json!({})), call("c2", "place", &json!({}))];
    exporting(space.stream(&[&lines[0], &lines[1]]), &collector).text();
    let spans = collector.spans();
    let (first, second) = (span_of(&spans, "c1"), span_of(&spans, "c2"));
    assert_eq!((first.get("parentSpanId"), second.get("parentSpanId")), (None, None));
    assert_ne!(first["traceId"], second["traceId"]);
}

#[test]
fn a_run_that_its_harness_does_not_record_exports_no_spans_and_a_call_cannot_leave_itself_out() {
    let space = Space::with(TOOLS, POLICY);
    let collector = Collector::new();
    let unrecorded = PARENT.replace("-01", "-00");
    let hiding =
        json!({ "id": "c2", "name": "fails", "arguments": {}, "traceparent": unrecorded }).to_string();
    let lines = [call("c1", "place", &json!({})), hiding];
    exporting(space.stream(&[&lines[0], &lines[1]]), &collector).variable("TRACEPARENT", &unrecorded).text();
    let spans = collector.spans();
    assert_eq!(attribute(span_of(&spans, "c2"), "tgw.status").as_deref(), Some("failed"));
    assert!(spans.iter().all(|span| attribute(span, "gen_ai.tool.call.id").as_deref() != Some("c1")));
    let points = collector.metric("tgw.calls").unwrap()["sum"]["dataPoints"].as_array().unwrap().len();
    assert_eq!(points, 2);
}

#[test]
fn calls_are_counted_and_their_durations_are_put_in_buckets() {
    let space = Space::with(TOOLS, POLICY);
    let collector = Collector::new();
    let lines = [
        call("c1", "place", &json!({})),
        call("c2", "place", &json!({})),
        call("c3", "drop_table", &json!({})),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    exporting(space.stream(&lines), &collector).text();

    let calls = collector.metric("tgw.calls").unwrap();
    assert_eq!((&calls["unit"], &calls["sum"]["isMonotonic"]), (&json!("{call}"), &json!(true)));
    assert_eq!(calls["sum"]["aggregationTemporality"], 2);
    let counted = |tool: &str| {
        let points = calls["sum"]["dataPoints"].as_array().unwrap();
        points.iter().find(|point| attribute(point, "gen_ai.tool.name").as_deref() == Some(tool)).unwrap()
    };
    assert_eq!(counted("place")["asInt"], "2");
    assert_eq!(counted("drop_table")["asInt"], "1");
    assert_eq!(
        attributes(counted("drop_table")),
        pairs(&[
            ("error.type", "PERMISSION_DENIED"),
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "drop_table"),
            ("tgw.status", "denied"),
            ("tgw.verdict", "deny"),
        ])
    );

    let durations = collector.metric("gen_ai.execute_tool.duration").unwrap();
    let points = durations["histogram"]["dataPoints"].as_array().unwrap();
    // What was denied did not run.
    let [point] = points.as_slice() else { panic!("{points:#?}") };
    assert_eq!((&durations["unit"], &point["count"]), (&json!("s"), &json!("2")));
    let buckets = point["bucketCounts"].as_array().unwrap();
    assert_eq!(buckets.len(), point["explicitBounds"].as_array().unwrap().len() + 1);
    assert_eq!(buckets.iter().map(|count| count.as_str().unwrap().parse::<u64>().unwrap()).sum::<u64>(), 2);
}

#[test]
fn the_resource_and_the_headers_are_those_of_the_environment() {
    let space = Space::with(TOOLS, POLICY);
    let collector = Collector::new();
    exporting(space.stream(&[&call("c1", "place", &json!({}))]), &collector)
        .variable("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=one%2Ctwo")
        .variable("OTEL_SERVICE_NAME", "agents")
        .variable("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
        .text();
    let taken = collector.taken();
    assert_eq!(
        taken.iter().map(|request| request.path.as_str()).collect::<Vec<_>>(),
        ["/v1/traces", "/v1/metrics"]
    );
    for request in &taken {
        assert_eq!(request.header("x-tenant"), Some("one,two"));
        assert_eq!(request.header("content-type"), Some("application/json"));
    }
    let resource = collector.json("/v1/traces")[0]["resourceSpans"][0]["resource"].clone();
    let expected = [("deployment.environment.name", "test"), ("service.name", "agents")];
    assert_eq!(attributes(&resource), pairs(&expected));
}

#[test]
fn protobuf_is_written_where_nothing_else_is_asked_for() {
    let space = Space::with(TOOLS, POLICY);
    let collector = Collector::new();
    space
        .stream(&[&call("c1", "place", &json!({}))])
        .variable("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint)
        .variable("TRACEPARENT", PARENT)
        .text();
    let taken = collector.taken();
    assert!(taken.iter().all(|request| request.header("content-type") == Some("application/x-protobuf")));
    let body = &taken[0].body;
    // Where the first span begins: its trace id, its own id, and the id that it stands below.
    let trace: Vec<u8> =
        (0..16).map(|at| u8::from_str_radix(&TRACE[2 * at..2 * at + 2], 16).unwrap()).collect();
    let at = body.windows(18).position(|window| window == [&[0x0a, 16], trace.as_slice()].concat()).unwrap();
    assert_eq!(body[at + 18..at + 20], [0x12, 8]);
    assert_eq!(body[at + 28..at + 32], [0x22, 8, 0xb7, 0xad]);
    assert!(body.windows(18).any(|window| window == b"execute_tool place"));
}

#[test]
fn a_signal_with_no_endpoint_is_not_exported() {
    let space = Space::with(TOOLS, POLICY);
    let collector = Collector::new();
    let only = |name: &str, value: &str| {
        space
            .stream(&[&call("c1", "place", &json!({}))])
            .variable("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
            .variable(name, value)
            .text();
        collector.taken().into_iter().map(|request| request.path).collect::<Vec<_>>()
    };
    assert_eq!(only("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", &format!("{}/own", collector.endpoint)), ["/own"]);
    assert_eq!(
        only("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &format!("{}/t", collector.endpoint)),
        ["/own", "/t"]
    );
}

#[test]
fn one_call_of_the_command_line_is_told_too_and_a_disabled_kit_tells_nothing() {
    let space = Space::with(TOOLS, POLICY);
    let collector = Collector::new();
    let one = || exporting(space.tgw(["call", "place"]).with_files(), &collector);
    one().variable("OTEL_SDK_DISABLED", "true").text();
    assert!(collector.taken().is_empty());
    one().text();
    assert_eq!(collector.spans().first().unwrap()["name"], "execute_tool place");
}

#[test]
fn nothing_that_a_call_carries_or_brings_back_is_told() {
    let space = Space::with(TOOLS, POLICY);
    let collector = Collector::new();
    let (secret, token) = ("Zq7Lm9kRx2vTd5Yh3Jc6", concat!("gh", "p_0123456789abcdefghijABCDEFGHIJ012345"));
    space.write("notes.md", "told-in-a-file\n");
    let lines = [
        call("c1", "secretive", &json!({ "note": "told-in-an-argument" })),
        call(&format!("c2-{secret}"), "secretive", &json!({})),
        call(token, "place", &json!({})),
        call("c3 told-in an id", "place", &json!({})),
        call("c4", "fails", &json!({ "note": "told-in-an-argument" })),
        call("c5", "place", &json!({ "told-in-a-key": "told-in-an-argument" })),
        call("c6", "told-in-a-name", &json!({})),
        call("c7", token, &json!({})),
        call("c8", "drop_table", &json!({ "note": "told-in-an-argument" })),
        r#"{"id":"told-twice","name":"place","told-in-a-field":1}"#.to_owned(),
        json!({"jsonrpc":"2.0","id":format!("m-{secret}"),"method":"tools/call","params":{"name":"secretive"}})
            .to_string(),
        "told-in-a-line".to_owned(),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let answers = exporting(space.stream(&lines), &collector).variable("THE_TOKEN", secret).text();
    assert_eq!(answers.lines().count(), lines.len());
    let told = collector.all_text();
    assert!(!collector.spans().is_empty());
    for hidden in ["told-in", "told-on", secret, token, "/tmp", "not here", "notes.md", "argv"] {
        assert!(!told.contains(hidden), "{hidden} is told: {told}");
    }
}

#[test]
fn names_that_a_model_makes_up_are_one_name() {
    let space = Space::with(TOOLS, POLICY);
    let collector = Collector::new();
    let lines: Vec<String> =
        (0..50).map(|number| call(&format!("c{number}"), &format!("made_up_{number}"), &json!({}))).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let answers = exporting(space.stream(&lines), &collector).answers();
    assert!(answers.iter().all(|answer| code(answer) == "UNKNOWN_TOOL"), "{:?}", outcomes(&answers));
    let points = collector.metric("tgw.calls").unwrap()["sum"]["dataPoints"].as_array().unwrap().clone();
    let [point] = points.as_slice() else { panic!("{points:#?}") };
    assert_eq!(attribute(point, "gen_ai.tool.name").as_deref(), Some("_OTHER"));
    assert_eq!(point["asInt"], "50");
    let names: BTreeSet<String> = collector
        .spans()
        .iter()
        .filter(|span| span.get("parentSpanId").is_none())
        .map(|span| span["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, BTreeSet::from(["execute_tool _OTHER".to_owned()]));
    assert!(!collector.all_text().contains("made_up"));
}

#[test]
fn the_page_names_everything_that_is_told() {
    let names = std::fs::read_to_string(checkout().join("src/telemetry/names.rs")).unwrap();
    let page = std::fs::read_to_string(checkout().join("docs/telemetry.md")).unwrap();
    for line in names.lines().filter(|line| line.starts_with("pub(super) const ")) {
        let name = line.split('"').nth(1).unwrap();
        assert!(page.contains(&format!("`{name}`")), "docs/telemetry.md does not name `{name}`");
    }
}
