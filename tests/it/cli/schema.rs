//! `tgw schema`: the schemas themselves; that every line of these tests satisfies them is the harness's business.

use serde_json::{Value, json};

use crate::harness::{Space, line_schema};

#[test]
fn all_schemas_are_valid_schemas() {
    let space = Space::new();
    for line in ["call", "result", "event"] {
        let schema: Value = serde_json::from_str(&space.tgw(["schema", line]).text()).unwrap();
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{line}");
    }
}

#[test]
fn a_call_with_a_key_of_no_shape_breaks_the_schema() {
    let call = line_schema("call");
    assert!(call.is_valid(&json!({"id": "c", "name": "read_file", "arguments": {}})));
    assert!(!call.is_valid(&json!({"id": "c", "name": "read_file", "arguments": {}, "policy": "allow"})));
    assert!(!call.is_valid(&json!({"id": "c", "name": "read_file", "arguments": []})));
    assert!(!call.is_valid(&json!([])));
}

#[test]
fn a_result_without_a_status_breaks_the_schema() {
    let result = line_schema("result");
    assert!(result.is_valid(&json!({"id": "c", "status": "succeeded", "effect": "none"})));
    assert!(!result.is_valid(&json!({"id": "c", "effect": "none"})));
    assert!(!result.is_valid(&json!({"id": "c", "status": "done", "effect": "none"})));
}

#[test]
fn an_event_is_a_result_with_its_kind() {
    let schema =
        |line| -> Value { serde_json::from_str(&Space::new().tgw(["schema", line]).text()).unwrap() };
    let (result, mut event) = (schema("result"), schema("event"));
    let properties = event["properties"].as_object_mut().unwrap();
    assert_eq!(properties.remove("event"), Some(json!({"const": "resolved"})));
    assert_eq!(result["properties"], event["properties"]);
    assert_eq!(event["required"], json!(["event", "id", "status", "effect"]));
}
