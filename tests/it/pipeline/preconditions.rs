//! Preconditions: what must hold in the system of record before a call, asked in the right order and never instead of it.

use serde_json::{Value, json};

use crate::harness::{ALLOW, Space, call, code, message, status};

const ASK: &str = "version: 1\ndefault_verdict: require_approval\n";
const DENY: &str = "version: 1\ndefault_verdict: deny\n";

/// Buying takes from a budget that `m/budget` holds; looking at it is counted.
fn tools(risk: &str) -> String {
    json!({"version": 1, "tools": [
        {
            "name": "buy", "description": "Buys.", "risk": risk, "execution_mode": "exclusive",
            "result": {"trust": "trusted"}, "sandbox": {"level": "none", "write": ["m"]},
            "input_schema": {"type": "object", "additionalProperties": false, "required": ["amount"], "properties": {"amount": {"type": "integer"}}},
            "preconditions": [{
                "tool": "get_budget", "arguments": {"of": {"users": ["{{user}}", "x"]}}, "expect": "value.left >= arguments.amount",
                "message": "the remaining budget is smaller than the amount",
            }],
            "run": {"command": ["sh", "-c", "echo bought >> m/bought; [ -e m/next ] && mv m/next m/budget; true"]},
        },
        {
            "name": "get_budget", "description": "Sees.", "risk": "read_only", "execution_mode": "parallel", "internal": true,
            "result": {"trust": "trusted"}, "sandbox": {"level": "none"},
            "input_schema": {"type": "object", "additionalProperties": false, "required": ["of"], "properties": {
                "of": {"type": "object", "required": ["users"], "properties": {"users": {"type": "array", "items": {"type": "string"}}}},
            }},
            "run": {"command": {"argv": ["sh", "-c", "echo \"$1\" >> m/looks; cat m/budget", "sh", "{{arguments.of.users[0]}}"], "output": "json"}},
        },
    ]})
    .to_string()
}

fn place(policy: &str) -> Space {
    let space = Space::with(&tools("write"), policy);
    space.write("m/budget", r#"{"left": 10}"#).write("m/looks", "").write("m/bought", "");
    space
}

fn buy(space: &Space, amount: i64) -> Value {
    space.answer(&call("c", "buy", &json!({ "amount": amount })))
}

fn lines(space: &Space, name: &str) -> usize {
    space.read(name).unwrap().lines().count()
}

#[test]
fn a_call_runs_where_its_preconditions_hold_and_is_refused_in_the_contracts_words_where_not() {
    let space = place(ALLOW);
    assert_eq!(status(&buy(&space, 10)), "succeeded");
    let answer = buy(&space, 11);
    assert_eq!((status(&answer), answer["effect"].as_str()), ("failed", Some("none")));
    assert_eq!(
        (code(&answer), answer["error"]["retry"].as_str()),
        ("PRECONDITION_FAILED", Some("changed_call"))
    );
    assert_eq!(message(&answer), "the remaining budget is smaller than the amount");
    assert_eq!((lines(&space, "m/bought"), lines(&space, "m/looks")), (1, 2));
    // The look has the user that the arguments named, deep inside.
    assert!(!space.read("m/looks").unwrap().contains("{{"));
}

#[test]
fn every_look_is_on_record_with_the_call_that_it_is_for_and_the_refusal_too() {
    let space = place(ALLOW);
    buy(&space, 11);
    let records = space.records();
    let kinds: Vec<_> = records
        .iter()
        .map(|record| {
            let record = &record["record"];
            (record["kind"].as_str().unwrap(), record["tool"].as_str().unwrap(), record["parent"].as_str())
        })
        .collect();
    assert_eq!(kinds, [("outcome", "get_budget", Some("c")), ("refused", "buy", None)]);
    assert_eq!(records[1]["record"]["code"], "PRECONDITION_FAILED");
    space.intact();
}

#[test]
fn a_look_that_fails_or_has_no_answer_lets_nothing_through() {
    for budget in ["", "nothing", r#"{"other": 1}"#, r#"{"left": "ten"}"#, "null"] {
        let space = place(ALLOW);
        space.write("m/budget", budget);
        let answer = buy(&space, 1);
        assert_eq!(
            (code(&answer), answer["error"]["retry"].as_str()),
            ("PRECONDITION_FAILED", Some("later")),
            "{budget}"
        );
        assert_eq!(lines(&space, "m/bought"), 0);
    }
}

#[test]
fn a_denied_call_learns_nothing_of_the_system_of_record() {
    let space = place(DENY);
    assert_eq!(code(&buy(&space, 11)), "PERMISSION_DENIED");
    assert_eq!(lines(&space, "m/looks"), 0);
    let hidden =
        Space::with(&tools("write"), "version: 1\ndefault_verdict: allow\nagents: {other: {tools: [buy]}}\n");
    hidden.write("m/budget", r#"{"left": 10}"#).write("m/looks", "");
    assert_eq!(code(&buy(&hidden, 11)), "PERMISSION_DENIED");
    assert_eq!(lines(&hidden, "m/looks"), 0);
}

#[test]
fn nobody_is_asked_about_what_cannot_go_ahead() {
    let space = place(ASK);
    assert_eq!(code(&buy(&space, 11)), "PRECONDITION_FAILED");
    assert_eq!(space.tgw(["approvals", "list", "--json"]).text().trim(), "[]");
}

#[test]
fn who_approves_sees_what_was_looked_up_and_it_is_looked_up_again_when_the_call_runs() {
    let space = place(ASK);
    let asked = buy(&space, 7);
    assert_eq!(code(&asked), "APPROVAL_REQUIRED");
    let hint = asked["error"]["hint"].as_str().unwrap();
    let id = hint.split('`').find_map(|part| part.strip_prefix("tgw approvals show ")).unwrap();
    let shown = space.tgw(["approvals", "show", id]).text();
    for part in ["looked up before", "value.left >= arguments.amount, by get_budget: holds", r#"{"left":10}"#]
    {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    let digest = shown.lines().find_map(|line| line.strip_prefix("question digest: ")).unwrap();
    space.tgw(["approvals", "approve", id, "--digest", digest]).text();
    // What held when the person looked does not hold any more.
    space.write("m/budget", r#"{"left": 6}"#);
    assert_eq!(code(&buy(&space, 7)), "PRECONDITION_FAILED");
    assert_eq!(lines(&space, "m/bought"), 0);
    // The yes was not used up.
    space.write("m/budget", r#"{"left": 7}"#);
    assert_eq!(status(&buy(&space, 7)), "succeeded");
    assert_eq!(lines(&space, "m/bought"), 1);
}

#[test]
fn a_call_that_is_answered_from_the_ledger_needs_nothing_to_hold() {
    let space = place(ALLOW);
    space.write_beside("files/task.yaml", "version: 1\nid: t1\n");
    let task = space.beside("files/task.yaml").display().to_string();
    let line = call("c", "buy", &json!({"amount": 10}));
    space.stream(&[&line]).and(&["--task", &task]).answers();
    space.write("m/budget", r#"{"left": 0}"#);
    let again = space.stream(&[&line]).and(&["--task", &task]).answers().remove(0);
    assert_eq!((status(&again), again["replayed"].as_bool()), ("succeeded", Some(true)));
}

#[test]
fn each_call_of_a_stream_is_measured_against_what_the_ones_before_it_left() {
    let space = place(ALLOW);
    space.write("m/next", r#"{"left": 1}"#);
    let first = call("a", "buy", &json!({"amount": 9}));
    let second = call("b", "buy", &json!({"amount": 9}));
    let answers = space.answers(&[&first, &second]);
    assert_eq!((status(&answers[0]), code(&answers[1])), ("succeeded", "PRECONDITION_FAILED"));
}

#[test]
fn a_read_can_have_preconditions_too() {
    let space = Space::with(&tools("read_only"), ALLOW);
    space.write("m/budget", r#"{"left": 10}"#).write("m/looks", "");
    assert_eq!(code(&buy(&space, 11)), "PRECONDITION_FAILED");
    assert_eq!(status(&buy(&space, 1)), "succeeded");
}
