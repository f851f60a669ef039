//! What is checked about a call before anything is decided.

use serde_json::json;

use crate::harness::{ALLOW, Space, call, code, message, outcomes};

const TOOLS: &str = r#"version: 1
tools:
  - name: list_things
    description: Lists things.
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: {argv: [cat, things.json], output: json}}
    result: {trust: trusted}
  - name: show_thing
    description: Shows a thing.
    risk: read_only
    execution_mode: parallel
    input_schema:
      type: object
      additionalProperties: false
      required: [id]
      properties:
        id: {type: string, x-tgw-known: {tool: list_things, path: '$.items[*].id'}}
        detail: {enum: [short, long], type: string, default: short}
    run: {command: [echo, "{{arguments.id}}/{{arguments.detail}}"]}
    result: {trust: trusted}
  - name: change_thing
    description: Changes a thing.
    risk: write
    execution_mode: exclusive
    idempotency: none
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [echo, changed]}
    result: {trust: trusted}
"#;

fn space() -> Space {
    let space = Space::with(TOOLS, ALLOW);
    space.write("things.json", r#"{"items":[{"id":"t-1"},{"id":"t-2"}]}"#);
    space
}

#[test]
fn a_value_that_must_be_known_is_known_after_the_tool_returned_it() {
    let space = space();
    space.write_beside("task.yaml", "version: 1\nid: t1\n");
    let task = space.beside("task.yaml").display().to_string();
    let show = |id: &str| call("s", "show_thing", &json!({"id": id}));
    let unknown = space.stream(&[&show("t-1")]).and(&["--task", &task]).answers();
    assert_eq!(code(&unknown[0]), "INVALID_ARGUMENTS");
    assert!(unknown[0]["error"].to_string().contains("list_things"), "{}", unknown[0]);

    let answers = space
        .stream(&[&call("l", "list_things", &json!({})), &show("t-1")])
        .and(&["--task", &task])
        .answers();
    assert_eq!(outcomes(&answers), [("l", "succeeded"), ("s", "succeeded")]);
    assert_eq!(answers[1]["content"], "t-1/short\n");
    // Another run of the same task knows it too; a value that was never returned stays unknown.
    let answers = space.stream(&[&show("t-2")]).and(&["--task", &task]).answers();
    assert_eq!(outcomes(&answers), [("s", "succeeded")]);
    let answers = space.stream(&[&show("t-3")]).and(&["--task", &task]).answers();
    assert_eq!(code(&answers[0]), "INVALID_ARGUMENTS");
    // And so it is for another tenant.
    let answers = space.stream(&[&show("t-2")]).and(&["--task", &task, "--tenant", "other"]).answers();
    assert_eq!(code(&answers[0]), "INVALID_ARGUMENTS");
}

#[test]
fn the_data_of_the_task_makes_a_value_known() {
    let space = space();
    space.write_beside("task.yaml", "version: 1\nid: t1\ndata: {chosen: t-9}\n");
    let task = space.beside("task.yaml").display().to_string();
    let answers =
        space.stream(&[&call("s", "show_thing", &json!({"id": "t-9"}))]).and(&["--task", &task]).answers();
    assert_eq!(outcomes(&answers), [("s", "succeeded")]);
}

#[test]
fn defaults_are_applied_and_recorded() {
    let space = Space::new();
    space.write("f", "a\n");
    space.tgw(["run"]).lines_in(&[&call("c", "read_file", &json!({"path": "f"}))]).answers();
    assert_eq!(space.records()[0]["detail"]["arguments"], json!({"path": "f", "offset": 1, "limit": 200}));
}

#[test]
fn every_violation_is_told_with_its_place_and_the_nearest_name() {
    let space = Space::new();
    space.write("f", "a\n");
    let answers = space
        .tgw(["run"])
        .lines_in(&[&call("c", "read_file", &json!({"path": "f", "limit": 0, "offest": 3, "zzz": 1}))])
        .answers();
    assert_eq!(code(&answers[0]), "INVALID_ARGUMENTS");
    let violations = answers[0]["error"]["violations"].as_array().unwrap();
    let at = |pointer: &str| violations.iter().find(|violation| violation["pointer"] == pointer).unwrap();
    assert_eq!((&at("/limit")["expected"], &at("/limit")["found"]), (&json!("at least 1"), &json!("0")));
    assert!(at("/offest")["hint"].as_str().unwrap().contains("`offset`"), "{violations:?}");
    assert_eq!(violations.len(), 3, "{violations:?}");
}

#[test]
fn what_must_exist_must_exist_and_be_of_its_kind() {
    let space = Space::new();
    space.write("f", "a\n").write("folder/g", "");
    let answer = |name: &str, arguments: serde_json::Value| {
        let answers = space.tgw(["run"]).lines_in(&[&call("c", name, &arguments)]).answers();
        code(&answers[0]).to_owned()
    };
    assert_eq!(answer("read_file", json!({"path": "nope"})), "FILE_NOT_FOUND");
    assert_eq!(answer("read_file", json!({"path": "folder"})), "FILE_NOT_FOUND");
    assert_eq!(answer("list_directory", json!({"path": "f"})), "FILE_NOT_FOUND");
    assert_eq!(answer("move_path", json!({"from": "nope", "to": "x"})), "FILE_NOT_FOUND");
    assert_eq!(answer("move_path", json!({"from": "f", "to": "folder/g"})), "INVALID_ARGUMENTS");
    assert_eq!(answer("write_file", json!({"path": "folder", "content": ""})), "FILE_NOT_FOUND");
}

#[test]
fn an_expectation_can_only_tighten() {
    let space = space();
    let line = |name: &str, risk: &str| {
        format!(r#"{{"id":"{name}-{risk}","name":"{name}","arguments":{{}},"expects":{{"risk":"{risk}"}}}}"#)
    };
    let answers = space.answers(&[
        &line("change_thing", "read_only"),
        &line("change_thing", "write"),
        &line("change_thing", "destructive"),
        &line("list_things", "read_only"),
    ]);
    assert_eq!(code(&answers[0]), "EXPECTATION_MISMATCH");
    assert_eq!(message(&answers[0]), "`change_thing` is `write`, and the call expects at most `read_only`");
    assert!(answers[1..].iter().all(|answer| answer["status"] == "succeeded"), "{answers:#?}");
}

#[test]
fn an_unknown_tool_is_told_with_the_nearest_visible_one() {
    let space = space();
    let answer = space.answer(&call("c", "list_thing", &json!({})));
    assert_eq!(code(&answer), "UNKNOWN_TOOL");
    assert_eq!(answer["error"]["hint"], "did you mean `list_things`?");
}
