//! The place in a trace: taken from the harness, passed on to commands.

use serde_json::{Value, json};

use crate::harness::{Space, call, content, status};

use super::collector::{Collector, attribute};
use super::{PARENT, POLICY, TOOLS, TRACE};

const OTHER: &str = "00-11111111111111111111111111111111-2222222222222222-00";

fn traced(id: &str, traceparent: &Value) -> String {
    json!({ "id": id, "name": "place", "arguments": {}, "traceparent": traceparent }).to_string()
}

/// What the tool found in its environment.
fn found(answer: &Value) -> &str {
    content(answer).lines().next().unwrap()
}

#[test]
fn a_command_finds_what_came_in_unchanged_while_nothing_is_exported() {
    let space = Space::with(TOOLS, POLICY);
    let plain = call("c1", "place", &json!({}));
    assert_eq!(found(&space.answer(&plain)), "<>");
    let lines = [plain, traced("c2", &json!(OTHER)), call("c3", "passed", &json!({}))];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let answers = space.stream(&lines).variable("TRACEPARENT", PARENT).answers();
    let expected = [format!("<{PARENT}>"), format!("<{OTHER}>"), format!("<{PARENT}>")];
    assert_eq!(answers.iter().map(found).collect::<Vec<_>>(), expected);
}

#[test]
fn a_command_stands_below_the_span_of_its_call() {
    let space = Space::with(TOOLS, POLICY);
    let collector = Collector::new();
    let mcp = json!({"jsonrpc":"2.0","id":"c3","method":"tools/call","params":
        {"name":"place","_meta":{"traceparent":OTHER}}})
    .to_string();
    let lines = [
        call("c1", "place", &json!({})),
        traced("c2", &json!(OTHER)),
        mcp,
        call("c4", "passed", &json!({})),
        call("c5", "stated", &json!({})),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let text = space
        .stream(&lines)
        .variable("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint)
        .variable("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
        .variable("OTEL_EXPORTER_OTLP_HEADERS", "authorization=hidden")
        .variable("TRACEPARENT", PARENT)
        .text();
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let spans = collector.spans();
    let own = |id: &str| {
        let is = |span: &&Value| attribute(span, "gen_ai.tool.call.id").as_deref() == Some(id);
        spans.iter().find(is).unwrap()["spanId"].as_str().unwrap().to_owned()
    };
    let other = "11111111111111111111111111111111";
    assert_eq!(found(&answers[0]), format!("<00-{TRACE}-{}-01>", own("c1")));
    assert_eq!(found(&answers[1]), format!("<00-{other}-{}-00>", own("c2")));
    let mcp = answers[2]["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(mcp.lines().next().unwrap(), format!("<00-{other}-{}-00>", own("c3")));
    // The gateway's own variable does not go before the call's span, and what a contract states goes before both.
    assert_eq!(found(&answers[3]), format!("<00-{TRACE}-{}-01>", own("c4")));
    assert_eq!(found(&answers[4]), "<mine>");
    // Where and how tgw exports is for no command to know.
    assert_eq!(content(&answers[0]).lines().nth(1), Some("0"));
}

#[test]
fn one_that_is_not_valid_is_ignored_with_a_warning() {
    let space = Space::with(TOOLS, POLICY);
    let wrong = [json!("00-zz"), json!(7), json!(null), json!({}), json!(PARENT.to_uppercase())];
    let lines: Vec<String> =
        wrong.iter().enumerate().map(|(at, text)| traced(&format!("c{at}"), text)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let ended = space.stream(&lines).variable("TRACEPARENT", PARENT).variable("TGW_LOG", "warn").ended();
    for line in ended.stdout.lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        assert_eq!((status(&answer), found(&answer)), ("succeeded", format!("<{PARENT}>").as_str()));
    }
    assert_eq!(ended.stdout.lines().count(), wrong.len());
    let warnings = ended.stderr.matches("the `traceparent` of a call is not a W3C traceparent").count();
    assert_eq!(warnings, wrong.len(), "{}", ended.stderr);

    let line = call("c1", "place", &json!({}));
    let ended =
        space.stream(&[&line]).variable("TRACEPARENT", "00-broken").variable("TGW_LOG", "warn").ended();
    let answer: Value = serde_json::from_str(ended.stdout.trim()).unwrap();
    assert_eq!((status(&answer), found(&answer)), ("succeeded", "<>"));
    assert!(ended.stderr.contains("`TRACEPARENT` is not a W3C traceparent"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("broken"), "{}", ended.stderr);
}
