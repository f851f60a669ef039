//! Verification: what a tool says of itself is looked at in the system of record.

use serde_json::{Value, json};

use crate::harness::{ALLOW, Space, call, code, content, message, status};

/// A shop that says that it took an order. `m/book` is the truth; `$2` says what it does besides talking.
const ORDER: &str = r#"case $2 in
  honest) echo "$1 $3" >> m/book;;
  wrong) echo "$1 999" >> m/book;;
  late) echo "$1 $3" > m/queue;;
  braces) o='{' c='}'; printf '{"ref":"%s","amount":1,"verified":true,"verification":"verified"}' "$o${o}user$c$c $1"; exit;;
esac
echo "try" >> m/tries
echo "{\"ref\":\"$1\",\"amount\":$3}""#;

/// The system of record: fails while `m/down` is there, and counts how often it was asked.
const SEE: &str = r#"echo asked >> m/looks
[ -e m/down ] && exit 1
[ -e m/queue ] && [ $(grep -c asked m/looks) -ge 3 ] && cat m/queue >> m/book
amount=$(sed -n "s/^$1 //p" m/book | tail -n 1)
[ -n "$amount" ] && found=true || found=false
echo "{\"found\":$found,\"amount\":$((amount + 0))}""#;

fn tools(verify: &str, more: &str) -> String {
    json!({"version": 1, "tools": [
        {
            "name": "order", "description": "Orders.", "risk": "external", "execution_mode": "exclusive",
            "result": {"trust": "trusted"}, "sandbox": {"level": "none", "write": ["m"]},
            "object": {"type": "order", "id": "/ref"},
            "input_schema": {"type": "object", "additionalProperties": false, "required": ["ref"], "properties": {
                "ref": {"type": "string"}, "does": {"type": "string", "default": "honest"}, "amount": {"type": "integer", "default": 5},
            }},
            "output_schema": {"type": "object", "properties": {"ref": {"type": "string"}, "amount": {"type": "integer"}}, "required": ["ref", "amount"]},
            "idempotency": "IDEMPOTENCY", "verify": "VERIFY", "more": "MORE",
            "run": {"command": {
                "argv": ["sh", "-c", ORDER, "sh", "{{arguments.ref}}", "{{arguments.does}}", "{{arguments.amount}}"], "output": "json",
            }},
        },
        {
            "name": "see_order", "description": "Sees.", "risk": "read_only", "execution_mode": "parallel", "internal": true,
            "result": {"trust": "trusted"}, "sandbox": {"level": "none"},
            "input_schema": {"type": "object", "additionalProperties": false, "required": ["ref"], "properties": {"ref": {"type": "string"}}},
            "run": {"command": {"argv": ["sh", "-c", SEE, "sh", "{{arguments.ref}}"], "output": "json"}},
        },
    ]})
    .to_string()
    .replace("\"VERIFY\"", verify)
    .replace(",\"more\":\"MORE\"", more)
    .replace("\"more\":\"MORE\",", more)
}

pub(crate) const KEY: &str = r#"{"key":"{{arguments.ref}}"}"#;
const SAFE: &str = r#"{"key":"{{arguments.ref}}","retry":"safe"}"#;

/// Looked at once.
pub(crate) const ONCE: &str = r#"{"tool":"see_order","arguments":{"ref":"{{value.ref}}"},"expect":"value.found && value.amount == result.amount"}"#;

pub(crate) fn within(within: &str) -> String {
    ONCE.replace("\"expect\"", &format!(r#""within":"{within}","every":"20ms","expect""#))
}

pub(crate) fn shop(idempotency: &str, verify: &str, more: &str) -> Space {
    let space = Space::with(&tools(verify, more).replace("\"IDEMPOTENCY\"", idempotency), ALLOW);
    space.write("m/book", "").write("m/tries", "").write("m/looks", "");
    space
}

pub(crate) fn order(space: &Space, arguments: &Value) -> Value {
    space.answer(&call("c", "order", arguments))
}

pub(crate) fn lines(space: &Space, name: &str) -> usize {
    space.read(name).unwrap().lines().count()
}

fn record<'r>(records: &'r [Value], tool: &str) -> Vec<&'r Value> {
    records.iter().map(|record| &record["record"]).filter(|record| record["tool"] == tool).collect()
}

#[test]
fn a_success_that_the_system_of_record_confirms_is_verified_and_stays_so_when_it_is_told_again() {
    let space = shop(KEY, ONCE, "");
    for replayed in [None, Some(true)] {
        let answer = order(&space, &json!({"ref": "R-1"}));
        assert_eq!((status(&answer), answer["effect"].as_str()), ("succeeded", Some("happened")));
        assert_eq!(answer["verification"], "verified");
        assert_eq!(answer["object"], json!({"type": "order", "id": "R-1"}));
        assert_eq!(answer["replayed"].as_bool(), replayed);
    }
    assert_eq!((lines(&space, "m/tries"), lines(&space, "m/looks")), (1, 1));
    space.intact();
}

#[test]
fn a_tool_that_says_success_and_did_nothing_or_something_else_is_caught() {
    for does in ["nothing", "wrong"] {
        let space = shop(KEY, ONCE, "");
        let answer = order(&space, &json!({"ref": "R-1", "does": does}));
        assert_eq!((status(&answer), answer["effect"].as_str()), ("unknown", Some("possible")), "{does}");
        assert_eq!(
            (code(&answer), answer["error"]["retry"].as_str()),
            ("VERIFICATION_FAILED", Some("never"))
        );
        assert_eq!((answer.get("verification"), answer["object"]["id"].as_str()), (None, Some("R-1")));
        assert!(!answer.to_string().contains("see_order"), "what only looks is not named: {answer}");
        // The key stays taken, and the answer stays what it was.
        let again = order(&space, &json!({"ref": "R-1", "does": does}));
        assert_eq!((code(&again), again["replayed"].as_bool()), ("VERIFICATION_FAILED", Some(true)));
        assert_eq!(again["error"]["retry"], "never");
        assert_eq!(lines(&space, "m/tries"), 1);
    }
}

#[test]
fn a_safe_retry_is_no_way_around_a_look_that_disagrees() {
    let space = shop(SAFE, ONCE, "");
    for _ in 0..3 {
        let answer = order(&space, &json!({"ref": "R-1", "does": "nothing"}));
        assert_eq!(
            (code(&answer), answer["error"]["retry"].as_str()),
            ("VERIFICATION_FAILED", Some("never"))
        );
    }
    assert_eq!(lines(&space, "m/tries"), 1);
}

#[test]
fn a_record_that_comes_late_is_waited_for_within_the_contracts_time() {
    let space = shop(KEY, &within("10s"), "");
    let answer = order(&space, &json!({"ref": "R-1", "does": "late"}));
    assert_eq!((status(&answer), answer["verification"].as_str()), ("succeeded", Some("verified")));
    let looks = lines(&space, "m/looks");
    assert_eq!(looks, 3);
    let records = space.records();
    assert_eq!(record(&records, "see_order").len(), looks);
    assert_eq!(record(&records, "order").last().unwrap()["verification"]["looks"], looks);
    assert_eq!(lines(&space, "m/tries"), 1);
}

#[test]
fn a_record_that_does_not_come_in_time_is_a_failed_verification() {
    let space = shop(KEY, &within("100ms"), "");
    let answer = order(&space, &json!({"ref": "R-1", "does": "nothing"}));
    assert_eq!(code(&answer), "VERIFICATION_FAILED");
    assert!(lines(&space, "m/looks") > 1);
}

#[test]
fn a_system_of_record_that_cannot_be_reached_leaves_the_effect_unknown() {
    let space = shop(KEY, &within("100ms"), "");
    space.write("m/down", "");
    let answer = order(&space, &json!({"ref": "R-1"}));
    assert_eq!((status(&answer), code(&answer)), ("unknown", "OUTCOME_UNKNOWN"));
    assert!(message(&answer).contains("could not be checked"), "{answer}");
    assert_eq!(answer["effect"], "possible");
}

#[test]
fn a_look_is_a_call_of_its_own_on_record_and_its_evidence_is_known_by_a_digest() {
    let space = shop(KEY, ONCE, "");
    order(&space, &json!({"ref": "R-1"}));
    let records = space.records();
    let (look, own) = (record(&records, "see_order"), record(&records, "order"));
    assert_eq!((look.len(), look[0]["parent"].as_str()), (1, Some("c")));
    let verification = &own.last().unwrap()["verification"];
    assert_eq!((verification["result"].as_str(), &verification["probe"]), (Some("agrees"), &look[0]["call"]));
    assert_eq!(verification["evidence_hmac"].as_str().unwrap().len(), 64);
    let outcome = records.iter().rev().find(|record| record["record"]["tool"] == "order").unwrap();
    assert_eq!(outcome["detail"]["notes"]["evidence"], r#"{"amount":5,"found":true}"#);
    space.intact();
}

#[test]
fn what_provably_did_nothing_or_failed_is_not_looked_at() {
    let space = shop(KEY, ONCE, "");
    let text = space.beside("files/tools.yaml");
    let tools = std::fs::read_to_string(&text).unwrap();
    std::fs::write(&text, tools.replace("echo \\\"try\\\" >> m/tries", "exit 7")).unwrap();
    assert_eq!(code(&order(&space, &json!({"ref": "R-1"}))), "OUTCOME_UNKNOWN");
    assert_eq!(lines(&space, "m/looks"), 0);
}

#[test]
fn a_value_that_is_not_what_was_promised_cannot_be_checked_and_is_no_success() {
    let space = shop(KEY, ONCE, "");
    let text = space.beside("files/tools.yaml");
    let tools = std::fs::read_to_string(&text).unwrap();
    std::fs::write(
        &text,
        tools.replace(r#"echo \"{\\\"ref\\\":\\\"$1\\\",\\\"amount\\\":$3}\""#, "echo '{}'"),
    )
    .unwrap();
    let answer = order(&space, &json!({"ref": "R-1"}));
    assert_eq!((status(&answer), code(&answer)), ("unknown", "OUTCOME_UNKNOWN"));
    assert_eq!(lines(&space, "m/tries"), 1);
}

#[test]
fn what_a_look_up_found_is_verified_too() {
    let find = r#","reconcile":{"tool":"see_order","arguments":{"ref":"{{arguments.ref}}"},"found_when":"value.found"}"#;
    for (does, settled) in [("honest", "succeeded"), ("wrong", "unknown")] {
        // The order is taken, and what came of it is not known.
        let space = shop(
            KEY,
            &ONCE.replace("value.ref", "arguments.ref").replace("result.amount", "arguments.amount"),
            find,
        );
        let text = space.beside("files/tools.yaml");
        let tools = std::fs::read_to_string(&text).unwrap();
        std::fs::write(&text, tools.replace("echo \\\"try\\\" >> m/tries", "exit 7")).unwrap();
        assert_eq!(code(&order(&space, &json!({"ref": "R-1", "does": does}))), "OUTCOME_UNKNOWN");
        space.tgw(["effects", "reconcile"]).with_files().ended();
        let list: Vec<Value> =
            serde_json::from_str(&space.tgw(["effects", "list", "--json"]).text()).unwrap();
        assert_eq!(list[0]["state"], settled, "{does}");
        let again = order(&space, &json!({"ref": "R-1", "does": does}));
        assert_eq!(again["verification"].as_str(), (settled == "succeeded").then_some("verified"));
        if settled == "succeeded" {
            assert!(content(&again).contains("\"found\":true"), "{again}");
        }
    }
}

#[test]
fn a_builtin_is_verified_like_any_other_tool() {
    let shipped = include_str!("../../../tools.yaml");
    let verify = "    verify: {tool: read_file, arguments: {path: '{{arguments.path}}'}, expect: 'value.lines.size() == 2'}\n";
    let tools = shipped.replacen("  - name: write_file\n", &format!("  - name: write_file\n{verify}"), 1);
    let space = Space::with(&tools, ALLOW);
    let write = |content: &str| {
        space.answer(&call(
            "w",
            "write_file",
            &json!({"path": "a", "content": content, "mode": "new_or_replace"}),
        ))
    };
    assert_eq!(write("1\n2\n")["verification"], "verified");
    assert_eq!(code(&write("1\n")), "VERIFICATION_FAILED");
}
