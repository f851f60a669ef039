//! What is no call is answered, and the stream goes on.

use serde_json::json;

use crate::harness::{Space, call, code, message, outcomes};

fn space() -> Space {
    let space = Space::new();
    space.write("f", "a\n");
    space
}

fn good(id: &str) -> String {
    call(id, "read_file", &json!({"path": "f"}))
}

/// Runs a line between two good ones, and returns the code and the message of its answer.
fn between(line: &[u8]) -> (String, String) {
    let space = space();
    let mut input = format!("{}\n", good("before")).into_bytes();
    input.extend_from_slice(line);
    input.extend_from_slice(format!("\n{}\n", good("after")).as_bytes());
    let answers = space.tgw(["run"]).stdin(input).answers();
    assert_eq!(answers.len(), 3, "{answers:#?}");
    assert_eq!(
        (answers[0]["status"].as_str(), answers[2]["status"].as_str()),
        (Some("succeeded"), Some("succeeded"))
    );
    assert_eq!(space.intact(), 3);
    (code(&answers[1]).to_owned(), message(&answers[1]).to_owned())
}

fn malformed(line: impl AsRef<[u8]>, says: &str) {
    let (code, message) = between(line.as_ref());
    assert_eq!(code, "MALFORMED_CALL");
    assert!(message.contains(says), "`{says}` is not in `{message}`");
}

#[test]
fn a_line_that_is_no_json_is_malformed() {
    malformed("{", "not valid JSON");
    malformed("{}{}", "not valid JSON");
    malformed("\"text\"", "one JSON object");
    malformed("17", "one JSON object");
    malformed("[]", "");
}

#[test]
fn invalid_utf_8_is_malformed() {
    malformed(b"{\"id\":\"x\",\"name\":\"read_file\",\"arguments\":{\"path\":\"\xff\"}}", "UTF-8");
}

#[test]
fn a_key_that_occurs_twice_is_malformed_at_any_depth() {
    malformed(r#"{"id":"x","name":"read_file","name":"write_file","arguments":{}}"#, "twice");
    malformed(
        r#"{"id":"x","name":"read_file","arguments":{"path":{"a":[{"b":1,"\u0062":2}]}}}"#,
        "/arguments/path/a/0/b",
    );
}

#[test]
fn deep_nesting_is_malformed() {
    let deep = format!(
        "{{\"id\":\"x\",\"name\":\"read_file\",\"arguments\":{{\"path\":{}{}}}}}",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    malformed(deep, "deep");
}

#[test]
fn a_line_too_long_is_malformed_and_not_kept() {
    let long = format!(
        "{{\"id\":\"x\",\"name\":\"read_file\",\"arguments\":{{\"path\":\"{}\"}}}}",
        "a".repeat(9 << 20)
    );
    malformed(long, "longer than");
}

#[test]
fn a_native_line_with_an_unknown_key_is_malformed() {
    for key in ["policy", "principal", "task", "step", "approval", "approved", "user"] {
        malformed(format!(r#"{{"id":"x","name":"read_file","arguments":{{"path":"f"}},"{key}":"y"}}"#), key);
    }
}

#[test]
fn an_id_used_before_is_refused_and_the_first_stands() {
    let space = space();
    let answers = space.tgw(["run"]).lines_in(&[&good("c1"), &good("c1"), &good("c2")]).answers();
    assert_eq!(outcomes(&answers), [("c1", "succeeded"), ("c1", "failed"), ("c2", "succeeded")]);
    assert_eq!(code(&answers[1]), "MALFORMED_CALL");
    assert_eq!(message(&answers[1]), "the id `c1` was used before in this run");
}

#[test]
fn empty_lines_are_no_lines_and_the_last_needs_no_line_feed() {
    let space = space();
    let answers = space.tgw(["run"]).stdin(format!("\n  \r\n{}\r\n\n{}", good("c1"), good("c2"))).answers();
    assert_eq!(outcomes(&answers), [("c1", "succeeded"), ("c2", "succeeded")]);
}

#[test]
fn an_empty_stream_is_answered_by_nothing() {
    space().tgw(["run"]).holds();
}

#[test]
fn a_missing_id_is_assigned_and_differs_from_every_other() {
    let space = space();
    let line = r#"{"name":"read_file","arguments":{"path":"f"}}"#;
    let answers = space.tgw(["run"]).lines_in(&[line, line]).answers();
    assert_ne!(answers[0]["id"], answers[1]["id"]);
}

#[test]
fn a_stream_can_come_from_a_file() {
    let space = space();
    space.write("calls.jsonl", format!("{}\n", good("c1")));
    let answers = space.tgw(["run", "calls.jsonl"]).answers();
    assert_eq!(outcomes(&answers), [("c1", "succeeded")]);
}

#[test]
fn the_first_example_runs() {
    let space = space();
    let answers = space.tgw(["run"]).stdin(include_str!("../../../examples/first/calls.jsonl")).answers();
    assert_eq!(answers.len(), 4);
    assert_eq!(answers[2]["status"], "input_required");
}
