//! Effects: what is said of them when things go wrong.

use serde_json::json;

use crate::harness::{ALLOW, Space, call, code};

const TOOLS: &str = include_str!("../../../tools.yaml");

const SLOW: &str = "version: 1
tools:
  - name: order
    description: Orders.
    risk: write
    execution_mode: exclusive
    idempotency: none
    timeout: 300ms
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [sh, -c, 'echo ordered > m/orders; exec sleep infinity']}
    sandbox: {level: none, write: [m]}
    result: {trust: trusted}
";

#[test]
fn an_effect_that_times_out_is_unknown_and_never_to_be_repeated() {
    let space = Space::with(SLOW, ALLOW);
    space.write("m/.keep", "");
    let answers = space.tgw(["call", "order"]).with_files().status(6).answers();
    assert_eq!((answers[0]["status"].as_str(), code(&answers[0])), (Some("unknown"), "OUTCOME_UNKNOWN"));
    assert_eq!(answers[0]["error"]["retry"], "never");
    assert_eq!(space.read("m/orders").as_deref(), Some("ordered\n"));
    // The intent came before, the outcome after.
    let kinds: Vec<String> =
        space.records().iter().map(|record| record["record"]["kind"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["intent", "outcome"]);
}

#[test]
fn an_effect_says_what_it_changed() {
    let space = Space::with(TOOLS, ALLOW);
    let answers = space.answers(&[
        &call("w", "write_file", &json!({"path": "a.txt", "content": "one\n", "mode": "new"})),
        &call("r", "replace_in_file", &json!({"path": "a.txt", "old": "one", "new": "two"})),
        &call("m", "move_path", &json!({"from": "a.txt", "to": "b.txt"})),
    ]);
    assert!(answers.iter().all(|answer| answer["effect"] == "happened"), "{answers:#?}");
    assert_eq!(answers[0]["object"]["type"], "file");
    assert_eq!(answers[0]["verification"], "unverified");
    assert_eq!(space.read("b.txt").as_deref(), Some("two\n"));
}

#[test]
fn a_write_that_cannot_be_made_changes_nothing_and_says_so() {
    let space = Space::with(TOOLS, ALLOW);
    space.write("a.txt", "one one\n");
    let answers = space.answers(&[
        &call("w", "write_file", &json!({"path": "a.txt", "content": "x", "mode": "new"})),
        &call("r", "replace_in_file", &json!({"path": "a.txt", "old": "one", "new": "two"})),
        &call("n", "replace_in_file", &json!({"path": "a.txt", "old": "three", "new": "two"})),
        &call("d", "delete_path", &json!({"path": "."})),
    ]);
    let codes: Vec<&str> = answers.iter().map(code).collect();
    assert_eq!(codes, ["PRECONDITION_FAILED", "INVALID_ARGUMENTS", "INVALID_ARGUMENTS", "INVALID_ARGUMENTS"]);
    assert!(answers.iter().all(|answer| answer["effect"] == "none"), "{answers:#?}");
    assert_eq!(space.read("a.txt").as_deref(), Some("one one\n"));
}

#[test]
fn protected_files_are_out_of_reach_whatever_the_policy_says() {
    let space = Space::with(TOOLS, ALLOW);
    space.write("policy.yaml", "version: 1\n").write(".git/config", "[core]\n").write("tgw.lock", "");
    let write = |id: &str, path: &str| call(id, "write_file", &json!({"path": path, "content": "x"}));
    let answers = space.answers(&[
        &write("a", "policy.yaml"),
        &write("b", "tools.yaml"),
        &write("c", ".git/hooks/pre-commit"),
        &write("d", "tgw.lock"),
        &call("e", "move_path", &json!({"from": "policy.yaml", "to": "p"})),
        &call("f", "delete_path", &json!({"path": ".git", "recursive": true})),
    ]);
    assert!(answers.iter().all(|answer| answer["status"] == "denied"), "{answers:#?}");
    assert_eq!(space.read("policy.yaml").as_deref(), Some("version: 1\n"));
    assert_eq!(space.read(".git/config").as_deref(), Some("[core]\n"));
}
