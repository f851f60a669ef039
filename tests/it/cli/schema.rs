//! `tgw schema`: the schemas themselves; that every line of these tests satisfies them is the harness's business.

use serde_json::{Value, json};

use crate::harness::{Space, line_schema};

#[test]
fn both_schemas_are_valid_schemas() {
    let space = Space::new();
    for line in ["call", "result"] {
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
