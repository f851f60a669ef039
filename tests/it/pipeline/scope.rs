//! Who sees what, and which policy counts.

use serde_json::{Value, json};

use crate::harness::{ALLOW, Space, call, code, message, outcomes};

const TOOLS: &str = "version: 1
tools:
  - name: look
    description: Looks.
    risk: read_only
    execution_mode: parallel
    permissions: [shop.read]
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [echo, seen]}
    result: {trust: trusted}
  - name: order
    description: Orders.
    risk: write
    execution_mode: exclusive
    idempotency: none
    permissions: [shop.write]
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [echo, ordered]}
    result: {trust: trusted}
  - name: probe
    description: For the gateway.
    internal: true
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [echo, probed]}
    result: {trust: trusted}
";

const POLICY: &str = "version: 1
default_verdict: allow
roles: {reader: {permissions: [shop.read]}, buyer: {permissions: [shop.read, shop.write]}}
users: {ann: {roles: [buyer]}, bo: {roles: [reader]}}
agents:
  buyer: {tools: ['*']}
  viewer: {tools: [look]}
initial_step: browse
steps:
  browse: {tools: [look]}
  buy: {tools: [look, order]}
";

const CALLS: [&str; 2] = [r#"{"id":"l","name":"look"}"#, r#"{"id":"o","name":"order"}"#];

/// The statuses of looking and ordering, for these flags; the list of tools must say the same.
fn seen(flags: &[&str]) -> [String; 2] {
    let space = Space::with(TOOLS, POLICY);
    let answers = space.stream(&CALLS).and(flags).answers();
    let listed: Vec<Value> =
        serde_json::from_str(&space.tgw(["tools", "--json"]).with_files().and(flags).text()).unwrap();
    for answer in &answers {
        let is_listed = listed.iter().any(|tool| tool["name"] == answer["tool"]);
        assert_eq!(is_listed, answer["status"] == "succeeded", "{flags:?}: {answer}");
    }
    [answers[0].to_owned(), answers[1].to_owned()].map(|answer| answer["status"].as_str().unwrap().to_owned())
}

#[test]
fn visible_is_what_every_scope_shows() {
    assert_eq!(seen(&["--user", "ann", "--agent", "buyer", "--step", "buy"]), ["succeeded", "succeeded"]);
    assert_eq!(seen(&["--user", "ann", "--agent", "buyer"]), ["succeeded", "denied"], "the first step");
    assert_eq!(
        seen(&["--user", "ann", "--agent", "viewer", "--step", "buy"]),
        ["succeeded", "denied"],
        "the agent"
    );
    assert_eq!(
        seen(&["--user", "bo", "--agent", "buyer", "--step", "buy"]),
        ["succeeded", "denied"],
        "the user"
    );
    assert_eq!(
        seen(&["--user", "cy", "--agent", "buyer", "--step", "buy"]),
        ["denied", "denied"],
        "an unlisted user"
    );
    assert_eq!(
        seen(&["--user", "ann", "--agent", "other", "--step", "buy"]),
        ["denied", "denied"],
        "an unlisted agent"
    );
}

#[test]
fn a_denial_names_the_scope_and_is_on_record() {
    let space = Space::with(TOOLS, POLICY);
    let answers = space.stream(&CALLS).and(&["--user", "ann", "--agent", "buyer"]).answers();
    assert_eq!(code(&answers[1]), "PERMISSION_DENIED");
    assert!(message(&answers[1]).contains("step `browse`"), "{}", message(&answers[1]));
    let records = space.records();
    assert_eq!(records[1]["record"]["code"], "PERMISSION_DENIED");
    assert_eq!(records[1]["record"]["status"], "denied");
}

#[test]
fn a_task_narrows_the_tools() {
    let space = Space::with(TOOLS, ALLOW);
    space.write_beside("task.yaml", "version: 1\nid: job-7\ntools: [look]\n");
    let task = space.beside("task.yaml").display().to_string();
    let answers = space.stream(&CALLS).and(&["--task", &task]).answers();
    assert_eq!(outcomes(&answers), [("l", "succeeded"), ("o", "denied")]);
    assert!(message(&answers[1]).contains("job-7"), "{}", message(&answers[1]));
    assert_eq!(space.records()[0]["record"]["task"], "job-7");
}

#[test]
fn a_tool_for_probes_cannot_be_called_and_is_not_offered() {
    let space = Space::with(TOOLS, ALLOW);
    let answer = space.answer(r#"{"id":"p","name":"probe"}"#);
    assert_ne!(answer["status"], "succeeded");
    let listed = space.tgw(["tools"]).with_files().text();
    assert!(!listed.contains("probe"), "{listed}");
}

#[test]
fn of_two_policies_the_strictest_wins_in_either_order() {
    let space = Space::with(TOOLS, ALLOW);
    space.write_beside(
        "strict.yaml",
        "version: 1\ndefault_verdict: allow\nrules:\n  - {id: no-orders, verdict: deny, tools: [order], reason: not today}\n",
    );
    let (tools, allow, strict) = (
        space.beside("files/tools.yaml").display().to_string(),
        space.beside("files/policy.yaml").display().to_string(),
        space.beside("strict.yaml").display().to_string(),
    );
    for pair in [[&allow, &strict], [&strict, &allow]] {
        let answers = space
            .tgw(["run", "--tools", &tools, "--policy", pair[0], "--policy", pair[1]])
            .lines_in(&CALLS)
            .answers();
        assert_eq!(outcomes(&answers), [("l", "succeeded"), ("o", "denied")]);
        assert_eq!(message(&answers[1]), "`order` is denied: rule `no-orders`: not today");
    }
}

#[test]
fn the_users_own_policy_always_counts() {
    let space = Space::with(TOOLS, ALLOW);
    space.write_beside(
        "config/tgw/policy.yaml",
        "version: 1\ndefault_verdict: allow\nrules:\n  - {id: mine, verdict: deny, risks: [write], reason: I said so}\n",
    );
    let answers = space.answers(&CALLS);
    assert_eq!(outcomes(&answers), [("l", "succeeded"), ("o", "denied")]);
    assert_eq!(message(&answers[1]), "`order` is denied: rule `mine`: I said so");
}

#[test]
fn silence_is_not_permission() {
    let space = Space::with(TOOLS, "version: 1\nrules: []\n");
    let answers = space.answers(&CALLS);
    assert_eq!(outcomes(&answers), [("l", "denied"), ("o", "denied")]);
}

#[test]
fn a_search_of_the_tools_shows_what_is_visible_only() {
    let space = Space::with(TOOLS, POLICY);
    let search = call("s", "tgw__search_tools", &json!({"query": "orders look probe"}));
    let answers =
        space.stream(&[&search]).and(&["--user", "ann", "--agent", "viewer", "--step", "buy"]).answers();
    let text = answers[0]["content"].as_str().unwrap();
    assert!(text.contains("look") && !text.contains("\"order\"") && !text.contains("probe"), "{text}");
}
