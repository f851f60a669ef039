use serde_json::{Value, json};

use super::*;

fn validator(schema: &str) -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(schema).unwrap();
    jsonschema::options().offline().build(&schema).unwrap()
}

#[test]
fn the_call_schema_takes_every_shape() {
    let schema = validator(CALL_SCHEMA);
    let chat = json!({"id": "1", "type": "function", "function": {"name": "t", "arguments": "{}"}});
    let responses = json!({"type": "function_call", "call_id": "1", "name": "t", "arguments": "{}"});
    let anthropic = json!({"type": "tool_use", "id": "1", "name": "t", "input": {}});
    let gemini = json!({"functionCall": {"name": "t", "args": {}}});
    let bedrock = json!({"toolUse": {"toolUseId": "1", "name": "t", "input": {}}});
    for line in [
        json!({"name": "t"}),
        json!({"id": "c1", "name": "t", "arguments": {"a": 1}, "expects": {"risk": "write"}}),
        json!([{"name": "t"}, anthropic]),
        json!({"cancel": "c1"}),
        chat.clone(),
        json!({"role": "assistant", "content": null, "tool_calls": [chat]}),
        json!({"choices": [{"message": {"tool_calls": [chat]}}]}),
        responses.clone(),
        json!({"output": [{"type": "message"}, responses]}),
        anthropic.clone(),
        json!({"role": "assistant", "content": [{"type": "text", "text": "x"}, anthropic]}),
        gemini.clone(),
        json!({"parts": [{"text": "x"}, gemini]}),
        json!({"candidates": [{"content": {"parts": [gemini]}}]}),
        bedrock.clone(),
        json!({"content": [bedrock]}),
        json!({"output": {"message": {"content": [bedrock]}}}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t"}}),
    ] {
        assert!(schema.is_valid(&line), "{line}");
    }
}

#[test]
fn the_call_schema_refuses_what_the_gateway_refuses() {
    let schema = validator(CALL_SCHEMA);
    for line in [
        json!({}),
        json!([]),
        json!(7),
        json!({"name": "t", "principal": {}}),
        json!({"name": "t", "arguments": []}),
        json!({"id": 7, "name": "t"}),
        json!({"name": "t", "expects": {"risk": "tiny"}}),
        json!({"cancel": "c1", "name": "t"}),
        json!({"role": "assistant", "content": "x"}),
        json!({"method": "tools/list", "params": {"name": "t"}}),
    ] {
        assert!(!schema.is_valid(&line), "{line}");
    }
}

#[test]
fn the_result_schema_describes_what_is_written() {
    use super::super::{ReplyView, Shape, encode_reply};
    use crate::code::{CallError, Effect, ErrorCode, Status, Violation};

    let schema = validator(RESULT_SCHEMA);
    let operation = json!({"id": "op-1", "effect": "e_1"});
    let (object, total, next) =
        (json!({"type": "file", "id": "a"}), json!({"lines": 4}), json!({"offset": 2}));
    let error =
        CallError::new(ErrorCode::InvalidArguments, "m").with_hint("h").with_violations(vec![Violation {
            pointer: "/a".to_owned(),
            expected: "e".to_owned(),
            found: "f".to_owned(),
            hint: Some("h".to_owned()),
        }]);
    let warnings = ["w".to_owned()];
    let full = ReplyView {
        id: "c1",
        tool: Some("t"),
        status: Status::Succeeded,
        effect: Effect::Happened,
        verification: Some("verified"),
        object: Some(&object),
        operation: Some(&operation),
        content: Some("x"),
        truncated: true,
        total: Some(&total),
        next: Some(&next),
        result: Some("r_1"),
        replayed: true,
        warnings: &warnings,
        error: Some(&error),
        receipt: Some("sha256:00"),
    };
    let bare = ReplyView {
        tool: None,
        verification: None,
        object: None,
        operation: None,
        content: None,
        truncated: false,
        total: None,
        next: None,
        result: None,
        replayed: false,
        warnings: &[],
        error: None,
        receipt: None,
        ..full.clone()
    };
    for reply in [full, bare] {
        let mut line = Vec::new();
        encode_reply(&reply, Shape::Native, None, &mut line);
        let line: Value = serde_json::from_slice(&line).unwrap();
        assert!(schema.is_valid(&line), "{line}");
    }
    assert!(!schema.is_valid(&json!({"id": "c1", "status": "done", "effect": "none"})));
}
