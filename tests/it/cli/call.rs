//! `tgw call`: the answer as the exit status.

use serde_json::{Value, json};

use crate::harness::{ALLOW, Space, code, status};

const TOOLS: &str = "version: 1
tools:
  - name: slow_read
    description: Waits for what never comes.
    risk: read_only
    execution_mode: parallel
    timeout: 300ms
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [sleep, infinity]}
    result: {trust: trusted}
  - name: slow_write
    description: Waits for what never comes.
    risk: write
    execution_mode: exclusive
    idempotency: none
    timeout: 300ms
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [sleep, infinity]}
    result: {trust: trusted}
  - name: fails
    description: Fails.
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [\"false\"]}
    result: {trust: trusted}
  - name: works
    description: Succeeds.
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [echo, done]}
    result: {trust: trusted}
";

/// The answer and the exit status must agree.
fn answer(space: &Space, arguments: &[&str], exit: i32) -> Value {
    let mut answers = space.tgw(["call"]).and(arguments).with_files().status(exit).answers();
    assert_eq!(answers.len(), 1);
    answers.remove(0)
}

#[test]
fn the_exit_status_tells_how_the_call_ended() {
    let space = Space::with(TOOLS, ALLOW);
    assert_eq!(status(&answer(&space, &["works"], 0)), "succeeded");
    assert_eq!(code(&answer(&space, &["fails"], 1)), "EXECUTION_FAILED");
    assert_eq!(code(&answer(&space, &["nope"], 1)), "UNKNOWN_TOOL");
    assert_eq!(code(&answer(&space, &["slow_read"], 5)), "TIMEOUT");
    let unknown = answer(&space, &["slow_write"], 6);
    assert_eq!((status(&unknown), code(&unknown)), ("unknown", "OUTCOME_UNKNOWN"));
    assert_eq!((&unknown["effect"], &unknown["error"]["retry"]), (&json!("possible"), &json!("never")));
}

#[test]
fn a_denial_is_3_and_a_question_is_4() {
    let space =
        Space::with(TOOLS, "version: 1\nrules:\n  - {id: ask, verdict: require_approval, tools: [works]}\n");
    assert_eq!(code(&answer(&space, &["fails"], 3)), "PERMISSION_DENIED");
    let asked = answer(&space, &["works"], 4);
    assert_eq!((status(&asked), code(&asked)), ("input_required", "APPROVAL_REQUIRED"));
    assert_eq!(asked["error"]["retry"], "after_approval");
}

#[test]
fn an_interrupt_is_8_where_nothing_began() {
    let space = Space::with(&TOOLS.replace("300ms", "10m"), ALLOW);
    let run = space.tgw(["call", "slow_read", "--display", "none"]).with_files();
    let child = run.start();
    crate::pipeline::wait_for_child(child.id(), "sleep");
    crate::pipeline::signal(child.id(), rustix::process::Signal::INT);
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((status(&answer), code(&answer)), ("cancelled", "CANCELLED"));
    assert_eq!(output.status.code(), Some(8));
}

#[test]
fn arguments_come_from_the_command_line_a_file_or_stdin() {
    let space = Space::new();
    space.write("f.txt", "a\n").write_beside("arguments.json", r#"{"path":"f.txt"}"#);
    let file = format!("@{}", space.beside("arguments.json").display());
    for arguments in [r#"{"path":"f.txt"}"#, &file, "-"] {
        let answers = space.tgw(["call", "read_file", arguments]).stdin(r#"{"path":"f.txt"}"#).answers();
        assert_eq!(answers[0]["content"], "1\ta\n");
    }
}

#[test]
fn arguments_that_are_no_object_are_malformed() {
    let space = Space::new();
    for arguments in ["[]", "{", "1", r#"{"a":1,"a":2}"#] {
        let answers = space.tgw(["call", "read_file", arguments]).status(1).answers();
        assert_eq!(code(&answers[0]), "MALFORMED_CALL", "{arguments}");
    }
}
