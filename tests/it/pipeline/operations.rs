//! Operations: what a backend accepts and finishes later, followed to its end by whichever process is there.

use std::io::Write;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::signal;
use crate::harness::{ALLOW, Space, call, code, line_schema, message, status};

/// What the backend says when it takes an order: `m/orders` is the truth.
const ORDER: &str = r#"echo "$1" >> m/orders
[ -e m/taken ] && { cat m/taken; exit; }
echo "{\"job\":\"op-$1\"}""#;

/// Says how far it is, and notes when it was asked.
const POLL: &str = r#"date +%s%N >> m/polls
[ -e m/down ] && exit 1
echo "{\"state\":$(cat m/state),\"of\":\"$1\",\"order\":{\"ref\":\"$1\",\"amount\":5} }""#;

const STOP: &str = r#"echo "$1" >> m/stops; echo '"stopped"' > m/state"#;

/// A shop with these keys besides in the contract of `order`, and these in its `operation`.
fn tools(contract: &Value, operation: &Value) -> String {
    let probe = |name: &str, risk: &str, script: &str| {
        json!({
            "name": name, "description": "Looks.", "risk": risk, "execution_mode": "exclusive", "internal": true,
            "result": {"trust": "trusted"}, "sandbox": {"level": "none", "write": ["m"]}, "idempotency": "none",
            "input_schema": {"type": "object", "additionalProperties": false, "required": ["id"], "properties": {"id": {"type": "string"}}},
            "run": {"command": {"argv": ["sh", "-c", script, "sh", "{{arguments.id}}"], "output": "json"}},
        })
    };
    let mut order = json!({
        "name": "order", "description": "Orders.", "risk": "external", "execution_mode": "exclusive",
        "result": {"trust": "trusted"}, "sandbox": {"level": "none", "write": ["m"]}, "object": {"type": "order", "id": "/ref"},
        "input_schema": {"type": "object", "additionalProperties": false, "required": ["ref"], "properties": {"ref": {"type": "string"}}},
        "idempotency": {"key": "{{arguments.ref}}"},
        "run": {"command": {"argv": ["sh", "-c", ORDER, "sh", "{{arguments.ref}}"], "output": "json"}},
        "operation": {
            "accepted_when": "has(value.job)", "id": "/job", "interval": "20ms", "timeout": "1m",
            "poll": {"tool": "get_job", "arguments": {"id": "{{operation.id}}"}},
            "cancel": {"tool": "stop_job", "arguments": {"id": "{{operation.id}}"}},
            "state": {"pointer": "/state", "map": {
                "queued": "accepted", "running": "working", "asks": "input_required", "done": "succeeded", "error": "failed",
                "stopped": "cancelled", "broken": "unknown", "7": "succeeded",
            }},
            "value": "/order",
        },
    });
    order.as_object_mut().unwrap().extend(contract.as_object().unwrap().clone());
    order["operation"].as_object_mut().unwrap().extend(operation.as_object().unwrap().clone());
    let mut poll = probe("get_job", "read_only", POLL);
    poll.as_object_mut().unwrap().remove("idempotency");
    json!({"version": 1, "tools": [order, poll, probe("stop_job", "external", STOP)]}).to_string()
}

pub(crate) fn shop(contract: &Value, operation: &Value) -> Space {
    let space = Space::with(&tools(contract, operation), ALLOW);
    space.write("m/orders", "").write("m/polls", "").write("m/stops", "").write("m/state", "\"queued\"");
    space
}

fn plain() -> Space {
    shop(&json!({}), &json!({}))
}

pub(crate) fn order(space: &Space) -> Value {
    space.answer(&call("c", "order", &json!({"ref": "R"})))
}

pub(crate) fn lines(space: &Space, name: &str) -> usize {
    space.read(name).unwrap().lines().count()
}

/// The one effect of the ledger.
pub(crate) fn only(space: &Space) -> Value {
    let text = space.tgw(["effects", "list", "--json"]).text();
    let mut effects: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(effects.len(), 1, "{effects:#?}");
    effects.remove(0)
}

fn id(space: &Space) -> String {
    only(space)["id"].as_str().unwrap().to_owned()
}

/// Waits for the end of the one effect, and returns the line about it.
pub(crate) fn wait(space: &Space, exit: i32) -> Value {
    let id = id(space);
    let text = space.tgw(["effects", "wait", &id]).with_files().status(exit).text();
    let line = serde_json::from_str(&text).unwrap();
    assert!(line_schema("event").is_valid(&line), "{line}");
    line
}

#[test]
fn what_a_backend_accepts_is_accepted_once_and_says_how_it_is_followed() {
    let space = plain();
    for replayed in [None, Some(true)] {
        let answer = order(&space);
        assert_eq!((status(&answer), answer["effect"].as_str()), ("accepted", Some("possible")));
        assert_eq!(answer["operation"], json!({"id": "op-R", "effect": id(&space)}));
        assert_eq!((answer["replayed"].as_bool(), answer.get("verification")), (replayed, None));
    }
    assert_eq!((lines(&space, "m/orders"), only(&space)["state"].as_str()), (1, Some("accepted")));
    let arguments = json!({"ref": "R"}).to_string();
    space.tgw(["call", "order", &arguments]).with_files().status(7).answers();
    let shown = space.tgw(["effects", "show", &id(&space)]).text();
    for part in ["operation op-R", "deadline", "tgw effects wait"] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
}

#[test]
fn an_operation_is_followed_through_the_backends_words_to_its_value() {
    let space = plain();
    order(&space);
    let id = id(&space);
    for (word, state) in [("\"queued\"", "accepted"), ("\"running\"", "working"), ("\"queued\"", "working")] {
        space.write("m/state", word);
        let before = lines(&space, "m/polls");
        while lines(&space, "m/polls") == before {
            space.tgw(["effects", "wait", &id, "--timeout", "30ms"]).with_files().status(7).text();
        }
        assert_eq!(only(&space)["state"], state, "{word}");
    }
    space.write("m/state", "\"done\"");
    let line = wait(&space, 0);
    assert_eq!(
        (line["event"].as_str(), line["id"].as_str(), status(&line)),
        (Some("resolved"), Some("c"), "succeeded")
    );
    assert_eq!(line["content"], r#"{"ref":"op-R","amount":5}"#);
    assert_eq!(
        (line["object"]["id"].as_str(), line["verification"].as_str()),
        (Some("op-R"), Some("unverified"))
    );
    // It is told to whoever asks again, and whoever waits again.
    let again = order(&space);
    assert_eq!(
        (status(&again), again["replayed"].as_bool(), &again["content"]),
        ("succeeded", Some(true), &line["content"])
    );
    assert_eq!(wait(&space, 0)["content"], line["content"]);
    assert_eq!((lines(&space, "m/orders"), only(&space)["how"].as_str()), (1, Some("followed")));
    space.intact();
}

#[test]
fn every_poll_is_a_call_of_its_own_on_record_and_each_change_is_too() {
    let space = plain();
    order(&space);
    space.write("m/state", "\"done\"");
    wait(&space, 0);
    let records = space.records();
    let told: Vec<_> = records
        .iter()
        .map(|record| {
            let record = &record["record"];
            (record["kind"].as_str().unwrap(), record["tool"].as_str().unwrap(), record["parent"].as_str())
        })
        .collect();
    let expected = [
        ("intent", "order", None),
        ("outcome", "order", None),
        ("outcome", "get_job", Some("c")),
        ("effect", "order", None),
    ];
    assert_eq!(told, expected);
    let states: Vec<_> =
        [0, 1, 3].iter().map(|at| records[*at]["record"]["ledger"]["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["running", "accepted", "succeeded"]);
}

#[test]
fn the_backends_own_words_are_told_from_ends_and_only_mapped_ones_are_any() {
    for (word, exit, state, told) in [
        ("\"error\"", 1, "failed", "EXECUTION_FAILED"),
        ("\"stopped\"", 8, "failed", "CANCELLED"),
        ("\"broken\"", 6, "unknown", "OUTCOME_UNKNOWN"),
    ] {
        let space = plain();
        order(&space);
        space.write("m/state", word);
        let line = wait(&space, exit);
        assert_eq!((code(&line), only(&space)["state"].as_str()), (told, Some(state)), "{word}");
        // What provably did nothing frees its key.
        space.write("m/state", "\"queued\"");
        assert_eq!(status(&order(&space)), if state == "failed" { "accepted" } else { "unknown" });
        assert_eq!(lines(&space, "m/orders"), if state == "failed" { 2 } else { 1 });
    }
    // A number is a word like any other.
    let space = plain();
    order(&space);
    space.write("m/state", "7");
    assert_eq!(status(&wait(&space, 0)), "succeeded");
}

#[test]
fn what_does_not_end_in_its_time_or_says_nothing_known_is_unknown_and_keeps_its_key() {
    for word in ["\"queued\"", "\"finished\"", "null", "[]", "{", "\"Done\""] {
        let space = shop(&json!({}), &json!({"timeout": "60ms"}));
        order(&space);
        space.write("m/state", word);
        let line = wait(&space, 6);
        assert_eq!((status(&line), code(&line)), ("unknown", "OUTCOME_UNKNOWN"), "{word}");
        assert!(message(&line).contains("in its time"), "{line}");
        assert_eq!((status(&order(&space)), lines(&space, "m/orders")), ("unknown", 1));
    }
    let space = shop(&json!({}), &json!({"timeout": "60ms"}));
    order(&space);
    space.write("m/down", "");
    assert_eq!(code(&wait(&space, 6)), "OUTCOME_UNKNOWN");
}

#[test]
fn a_backend_that_is_not_to_be_had_for_a_while_is_asked_again() {
    let space = plain();
    order(&space);
    space.write("m/down", "").write("m/state", "\"done\"");
    let id = id(&space);
    while lines(&space, "m/polls") < 2 {
        space.tgw(["effects", "wait", &id, "--timeout", "50ms"]).with_files().status(7).text();
    }
    let said = only(&space)["operation"]["said"].as_str().unwrap().to_owned();
    assert!(said.contains("could not be asked"), "{said}");
    std::fs::remove_file(space.path("m/down")).unwrap();
    assert_eq!(status(&wait(&space, 0)), "succeeded");
}

#[test]
fn a_stream_that_waits_says_in_an_event_what_became_of_each_call() {
    let space = plain();
    space.write("m/state", "\"done\"");
    let text = space.stream(&[&call("c", "order", &json!({"ref": "R"}))]).and(&["--wait-operations"]).text();
    let told: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((status(&told[0]), status(&told[1])), ("accepted", "succeeded"));
    assert_eq!((told[1]["event"].as_str(), told[1]["id"].as_str()), (Some("resolved"), Some("c")));
    assert!(line_schema("event").is_valid(&told[1]), "{}", told[1]);
    assert!(told[1]["receipt"].is_string());
}

#[test]
fn a_stream_that_does_not_wait_ends_and_a_later_one_takes_its_operation_over() {
    let space = plain();
    assert_eq!(status(&order(&space)), "accepted");
    space.write("m/state", "\"done\"");
    while only(&space)["state"] == "accepted" {
        // A run that has nothing to do still looks at what is due.
        space.stream(&[]).holds();
    }
    assert_eq!((only(&space)["state"].as_str(), lines(&space, "m/orders")), (Some("succeeded"), 1));
}

#[test]
fn an_operation_is_not_followed_or_stopped_by_the_rules_of_a_changed_contract() {
    // In the changed contract, what the backend says now is the end.
    for (timeout, ended) in [("10m", false), ("1ms", true)] {
        let changed = shop(&json!({}), &json!({"timeout": timeout, "value": "/of"}));
        let space = shop(&json!({}), &json!({"timeout": timeout}));
        order(&space);
        space.write("m/state", "\"done\"");
        let (id, file) = (id(&space), space.beside("files/tools.yaml"));
        let then = std::fs::read_to_string(&file).unwrap();
        std::fs::copy(changed.beside("files/tools.yaml"), &file).unwrap();
        let why = "its contract is not the one that it began under";
        let cancelled = space.tgw(["effects", "cancel", &id]).with_files().ended();
        assert!(cancelled.status == Some(1) && cancelled.stderr.contains(why), "{}", cancelled.stderr);
        space.stream(&[]).and(&["--wait-operations"]).holds();
        let waited = space.tgw(["effects", "wait", &id]).with_files().ended();
        assert_eq!((lines(&space, "m/polls"), lines(&space, "m/stops")), (0, 0));
        if ended {
            // Its time is over: it is for a person to settle.
            assert_eq!((waited.status, only(&space)["state"].as_str()), (Some(6), Some("unknown")));
            space.tgw(["effects", "resolve", &id, "--as", "succeeded", "--evidence", "seen"]).text();
        } else {
            assert!(waited.status == Some(1) && waited.stderr.contains(why), "{}", waited.stderr);
            assert!(waited.stderr.contains("tgw effects resolve"), "{}", waited.stderr);
            assert_eq!(only(&space)["state"], "accepted");
            // With the contract as it was it goes on.
            std::fs::write(&file, then).unwrap();
            assert_eq!(status(&wait(&space, 0)), "succeeded");
        }
        space.intact();
    }
}

#[test]
fn progress_is_shown_as_it_is_heard() {
    let space = plain();
    space.write("m/state", "\"done\"");
    let run = space.stream(&[&call("c", "order", &json!({"ref": "R"}))]).and(&[
        "--wait-operations",
        "--display",
        "json",
    ]);
    let ended = run.ended();
    let shown: Vec<Value> = ended.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let operation = shown.iter().find(|event| event["event"] == "operation").unwrap();
    assert_eq!((operation["id"].as_str(), operation["state"].as_str()), (Some("c"), Some("succeeded")));
}

#[test]
fn an_operation_is_stopped_as_its_contract_says_and_what_becomes_of_it_is_seen() {
    let space = plain();
    order(&space);
    let text = space.tgw(["effects", "cancel", &id(&space)]).with_files().text();
    assert!(text.contains("was asked to stop it"), "{text}");
    assert_eq!(space.read("m/stops").as_deref(), Some("op-R\n"));
    let line = wait(&space, 8);
    assert_eq!(
        (status(&line), line["effect"].as_str(), code(&line)),
        ("cancelled", Some("none"), "CANCELLED")
    );
    let records = space.records();
    let stop = records.iter().find(|record| record["record"]["tool"] == "stop_job").unwrap();
    assert_eq!(
        (stop["record"]["kind"].as_str(), stop["record"]["parent"].as_str()),
        (Some("intent"), Some("c"))
    );
    // What is over is not stopped.
    let ended = space.tgw(["effects", "cancel", &id(&space)]).with_files().ended();
    assert_eq!((ended.status, lines(&space, "m/stops")), (Some(1), 1));
    space.intact();
}

#[test]
fn a_cancel_line_stops_what_its_call_began() {
    let space = plain();
    let mut child = space.stream(&[]).and(&["--wait-operations"]).start();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{}", call("c", "order", &json!({"ref": "R"}))).unwrap();
    while lines(&space, "m/polls") == 0 {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    writeln!(input, r#"{{"cancel":"c"}}"#).unwrap();
    drop(input);
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let told: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((status(&told[0]), status(&told[1])), ("accepted", "cancelled"));
    assert_eq!(lines(&space, "m/stops"), 1);
}

#[test]
fn a_backend_that_waits_for_input_says_so_to_whoever_asks() {
    let space = plain();
    order(&space);
    space.write("m/state", "\"asks\"");
    let id = id(&space);
    while only(&space)["operation"]["needs_input"] != true {
        space.tgw(["effects", "wait", &id, "--timeout", "50ms"]).with_files().status(7).text();
    }
    let again = order(&space);
    assert_eq!((status(&again), again["replayed"].as_bool()), ("input_required", Some(true)));
    assert_eq!(again["operation"]["id"], "op-R");
    space.write("m/state", "\"done\"");
    assert_eq!(status(&wait(&space, 0)), "succeeded");
}

#[test]
fn the_end_of_an_operation_is_verified() {
    let verify = |expect: &str, within: &str| json!({"verify": {"tool": "get_job", "arguments": {"id": "{{value.ref}}"}, "expect": expect, "within": within, "every": "20ms"}});
    let space = shop(&verify("value.of == result.ref", "1s"), &json!({}));
    space.write("m/state", "\"done\"");
    order(&space);
    assert_eq!(wait(&space, 0)["verification"], "verified");
    let space = shop(&verify("value.of == 'another'", "60ms"), &json!({}));
    space.write("m/state", "\"done\"");
    order(&space);
    let line = wait(&space, 6);
    assert_eq!((status(&line), code(&line)), ("unknown", "VERIFICATION_FAILED"));
    let again = order(&space);
    assert_eq!((code(&again), lines(&space, "m/orders")), ("VERIFICATION_FAILED", 1));
    let last =
        space.records().into_iter().rfind(|record| record["record"]["verification"].is_object()).unwrap();
    assert_eq!(last["record"]["verification"]["result"], "disagrees");
}

#[test]
fn a_verification_that_outlasts_its_call_goes_on_in_whichever_process_is_there() {
    let verify = json!({"verify": {
        "tool": "get_job", "arguments": {"id": "{{value.job}}"}, "expect": "value.state == 'done'", "within": "15s", "every": "20ms",
    }, "timeout": "200ms"});
    let space = shop(&verify, &json!({"accepted_when": "false"}));
    let answer = order(&space);
    assert_eq!((status(&answer), answer["effect"].as_str()), ("working", Some("possible")));
    assert_eq!(only(&space)["operation"]["verifying"], true);
    assert_eq!((status(&order(&space)), lines(&space, "m/orders")), ("working", 1));
    space.write("m/state", "\"done\"");
    let line = wait(&space, 0);
    assert_eq!((status(&line), line["verification"].as_str()), ("succeeded", Some("verified")));
}

#[test]
fn a_process_that_is_killed_while_it_follows_leaves_the_operation_to_the_next() {
    let space = plain();
    let line = call("c", "order", &json!({"ref": "R"}));
    let mut child = space.stream(&[&line]).and(&["--wait-operations"]).start();
    writeln!(child.stdin.take().unwrap(), "{line}").unwrap();
    while lines(&space, "m/polls") < 2 {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    signal(child.id(), Signal::KILL);
    child.wait().unwrap();
    space.write("m/state", "\"done\"");
    assert_eq!((status(&wait(&space, 0)), lines(&space, "m/orders")), ("succeeded", 1));
    space.intact();
}

#[test]
fn watch_follows_all_that_goes_on_until_nothing_does() {
    let space = plain();
    for one in ["A", "B", "C"] {
        space.answer(&call(one, "order", &json!({"ref": one})));
    }
    space.write("m/state", "\"done\"");
    let text = space.tgw(["effects", "watch", "--json"]).with_files().text();
    let mut told: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned())
        .collect();
    told.sort();
    assert_eq!(told, ["A", "B", "C"]);
    space.tgw(["effects", "watch"]).with_files().holds();
}
