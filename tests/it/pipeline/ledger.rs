//! The ledger: an effect happens once under its key, and what is said of it is true.
//!
//! The backend is a script that keeps a file of its own, `m/orders`, as the truth: a line for each order it took.

use std::process::Output;

use serde_json::{Value, json};

use crate::harness::{ALLOW, Space, call, code, content, status};

/// What the script does: `$1` is the fault, `$ORDER_KEY` the key. With the sandbox off its parent is the gateway.
const ORDER: &str = r#"case $1 in
  refuses) exit 9;;
  kill_first) kill -9 $PPID; exec sleep 60;;
  slow) sleep 0.3;;
esac
echo "$ORDER_KEY" >> m/orders
case $1 in
  kill_last) kill -9 $PPID; exec sleep 60;;
  hangs) exec sleep 60;;
  fails) exit 3;;
  dies) kill -9 $$;;
esac
echo "took $ORDER_KEY""#;

/// The same order is recognised by its key: a second one with it changes nothing.
const ORDER_ONCE: &str = r#"grep -qx "$ORDER_KEY" m/orders && { echo "had $ORDER_KEY"; exit 0; }
echo "$ORDER_KEY" >> m/orders
[ "$1" = fails ] && exit 3
echo "took $ORDER_KEY""#;

fn tools(script: &str, idempotency: &str, reconcile: &str) -> String {
    json!({"version": 1, "tools": [
        {
            "name": "order", "description": "Orders.", "risk": "external", "execution_mode": "exclusive",
            "timeout": "60s", "result": {"trust": "trusted"}, "sandbox": {"level": "none", "write": ["m"]},
            "input_schema": {"type": "object", "additionalProperties": false, "required": ["ref"], "properties": {
                "ref": {"type": "string"}, "fault": {"type": "string", "default": "none"}, "amount": {"type": "integer", "default": 1},
            }},
            "idempotency": "IDEMPOTENCY", "reconcile": "RECONCILE",
            "run": {"command": {"argv": ["sh", "-c", script, "sh", "{{arguments.fault}}"], "no_effect": "exit.status == 9"}},
        },
        {
            "name": "find_order", "description": "Finds.", "risk": "read_only", "execution_mode": "parallel", "internal": true,
            "result": {"trust": "trusted"}, "sandbox": {"level": "none"},
            "input_schema": {"type": "object", "additionalProperties": false, "required": ["ref"], "properties": {"ref": {"type": "string"}}},
            "run": {"command": {"argv": ["sh", "-c", FIND, "sh", "{{arguments.ref}}"], "output": "json"}},
        },
    ]})
    .to_string()
    .replace("\"IDEMPOTENCY\"", idempotency)
    .replace("\"reconcile\":\"RECONCILE\",", reconcile)
}

const FIND: &str = r#"[ -e m/unreachable ] && exit 1
if grep -qx "$1" m/orders; then echo "{\"items\":[{\"ref\":\"$1\"}]}"; else echo '{"items":[]}'; fi"#;

const KEY: &str = r#"{"key":"{{arguments.ref}}","send_as":{"env":"ORDER_KEY"}}"#;
const SAFE: &str = r#"{"key":"{{arguments.ref}}","send_as":{"env":"ORDER_KEY"},"retry":"safe"}"#;

/// A look-up; `after` is when an absence proves something, and empty where it never does.
fn look_up(after: &str) -> String {
    let absence = match after {
        "" => String::new(),
        after => format!(r#","absence":{{"when":"size(value.items) == 0","proves_after":"{after}"}}"#),
    };
    format!(
        r#""reconcile":{{"tool":"find_order","arguments":{{"ref":"{{{{arguments.ref}}}}"}},"found_when":"size(value.items) == 1","value":"/items/0"{absence}}},"#
    )
}

fn shop(idempotency: &str, reconcile: &str) -> Space {
    let space = Space::with(&tools(ORDER, idempotency, reconcile), ALLOW);
    space.write("m/orders", "");
    space
}

fn order(space: &Space, exit: i32, arguments: &Value) -> Value {
    let arguments = arguments.to_string();
    let mut answers = space.tgw(["call", "order", &arguments]).with_files().status(exit).answers();
    answers.remove(0)
}

/// Sends an order during which the gateway is killed.
fn killed(space: &Space, arguments: &Value) {
    let output: Output =
        space.tgw(["call", "order", &arguments.to_string()]).with_files().start().wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (None, &b""[..]));
}

/// The orders that the backend took.
fn orders(space: &Space) -> Vec<String> {
    space.read("m/orders").unwrap().lines().map(str::to_owned).collect()
}

fn effects(space: &Space) -> Vec<Value> {
    serde_json::from_str(&space.tgw(["effects", "list", "--json"]).text()).unwrap()
}

/// The states of all effects, newest first.
fn states(space: &Space) -> Vec<String> {
    effects(space).iter().map(|effect| effect["state"].as_str().unwrap().to_owned()).collect()
}

fn only(space: &Space) -> Value {
    let mut effects = effects(space);
    assert_eq!(effects.len(), 1, "{effects:#?}");
    effects.remove(0)
}

fn kinds(space: &Space) -> Vec<String> {
    let kind = |record: &Value| record["record"]["kind"].as_str().unwrap().to_owned();
    space.records().iter().map(kind).collect()
}

#[test]
fn the_same_call_under_one_key_is_one_effect_and_the_second_answer_says_so() {
    let space = shop(KEY, "");
    let first = order(&space, 0, &json!({"ref": "R-1"}));
    let second = order(&space, 0, &json!({"ref": "R-1"}));
    assert_eq!((first["replayed"].as_bool(), content(&first)), (None, "took R-1\n"));
    assert_eq!((second["replayed"].as_bool(), content(&second)), (Some(true), "took R-1\n"));
    assert_eq!((status(&second), second["effect"].as_str()), ("succeeded", Some("happened")));
    assert_ne!(first["receipt"], second["receipt"]);
    assert_eq!(orders(&space), ["R-1"]);
    assert_eq!(kinds(&space), ["intent", "outcome", "replayed"]);
    let records = space.records();
    let of = |at: usize| records[at]["record"]["ledger"]["id"].clone();
    assert!(of(0).is_string() && of(0) == of(1) && of(1) == of(2));
    space.intact();
}

#[test]
fn a_stream_that_sends_an_order_twice_has_it_once() {
    let space = shop(KEY, "");
    let lines: Vec<String> =
        (0..6).map(|at| call(&format!("c{at}"), "order", &json!({"ref": "R-1"}))).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let answers = space.answers(&lines);
    let replayed: Vec<bool> = answers.iter().map(|answer| answer["replayed"] == true).collect();
    assert_eq!(replayed, [false, true, true, true, true, true]);
    assert_eq!(orders(&space), ["R-1"]);
}

#[test]
fn one_key_with_other_arguments_is_a_conflict_that_shows_the_difference() {
    let space = shop(KEY, "");
    order(&space, 0, &json!({"ref": "R-1", "amount": 5}));
    let answer = order(&space, 1, &json!({"ref": "R-1", "amount": 7}));
    assert_eq!(code(&answer), "IDEMPOTENCY_CONFLICT");
    assert_eq!(answer["error"]["violations"], json!([{"pointer": "/amount", "expected": "5", "found": "7"}]));
    assert_eq!(orders(&space), ["R-1"]);
    // What another user sent is not told.
    let arguments = json!({"ref": "R-1", "amount": 7}).to_string();
    let answers = space.tgw(["call", "order", &arguments, "--user", "eve"]).with_files().status(1).answers();
    assert_eq!(answers[0]["error"]["violations"][0]["expected"], "what was sent before");
}

#[test]
fn a_proven_failure_frees_its_key() {
    let space = shop(KEY, "");
    let refused = order(&space, 1, &json!({"ref": "R-1", "fault": "refuses"}));
    assert_eq!((status(&refused), refused["effect"].as_str()), ("failed", Some("none")));
    let taken = order(&space, 0, &json!({"ref": "R-1"}));
    assert_eq!((content(&taken), taken["replayed"].as_bool()), ("took R-1\n", None));
    assert_eq!(states(&space), ["succeeded", "failed"]);
}

#[test]
fn a_program_that_is_not_there_has_had_no_effect_and_frees_the_key() {
    let space = shop(KEY, "");
    let text = tools(ORDER, KEY, "").replacen("\"sh\"", "\"no-such-program\"", 1);
    space.write_beside("files/tools.yaml", text);
    assert_eq!(code(&order(&space, 1, &json!({"ref": "R-1"}))), "BACKEND_UNAVAILABLE");
    assert_eq!(only(&space)["state"], "failed");
    space.write_beside("files/tools.yaml", tools(ORDER, KEY, ""));
    order(&space, 0, &json!({"ref": "R-1"}));
    assert_eq!(orders(&space), ["R-1"]);
}

#[test]
fn ten_processes_with_one_key_make_one_effect_and_all_hear_of_it() {
    let space = shop(KEY, "");
    let arguments = json!({"ref": "R-1", "fault": "slow"}).to_string();
    let running: Vec<_> =
        (0..10).map(|_| space.tgw(["call", "order", &arguments]).with_files().start()).collect();
    let mut replayed = 0;
    for child in running {
        let output = child.wait_with_output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((status(&answer), content(&answer)), ("succeeded", "took R-1\n"), "{answer}");
        replayed += u32::from(answer["replayed"] == true);
    }
    assert_eq!((orders(&space).len(), replayed), (1, 9));
    space.intact();
}

#[test]
fn who_waits_longer_than_the_call_may_take_hears_that_it_is_under_way() {
    let space = shop(KEY, "");
    space.write_beside("files/slow.yaml", tools(ORDER, KEY, ""));
    space.write_beside("files/tools.yaml", tools(ORDER, KEY, "").replace("60s", "400ms"));
    let slow = space.beside("files/slow.yaml").display().to_string();
    let policy = space.beside("files/policy.yaml").display().to_string();
    let arguments = json!({"ref": "R-1", "fault": "hangs"}).to_string();
    let mut first = space.tgw(["call", "order", &arguments, "--tools", &slow, "--policy", &policy]).start();
    while orders(&space).is_empty() {
        std::thread::yield_now();
    }
    let answer = order(&space, 7, &json!({"ref": "R-1", "fault": "hangs"}));
    assert_eq!((status(&answer), answer["effect"].as_str()), ("working", Some("possible")));
    first.kill().unwrap();
    first.wait().unwrap();
    // Now nobody is there who could end it.
    let answer = order(&space, 6, &json!({"ref": "R-1", "fault": "hangs"}));
    assert_eq!((status(&answer), code(&answer)), ("unknown", "OUTCOME_UNKNOWN"));
    assert_eq!(orders(&space), ["R-1"]);
}

#[test]
fn an_effect_whose_end_is_not_known_keeps_its_key_whatever_ended_it() {
    for fault in ["hangs", "fails", "dies"] {
        let space = shop(KEY, "");
        if fault == "hangs" {
            space.write_beside("files/tools.yaml", tools(ORDER, KEY, "").replace("60s", "3s"));
        }
        let arguments = json!({"ref": "R-1", "fault": fault});
        for replayed in [None, Some(true)] {
            let answer = order(&space, 6, &arguments);
            assert_eq!(
                (status(&answer), answer["effect"].as_str()),
                ("unknown", Some("possible")),
                "{fault}"
            );
            assert_eq!(
                (code(&answer), answer["error"]["retry"].as_str()),
                ("OUTCOME_UNKNOWN", Some("never"))
            );
            assert_eq!(answer["replayed"].as_bool(), replayed);
            let look = format!("`tgw effects show {}`", only(&space)["id"].as_str().unwrap());
            let hint = answer["error"]["hint"].as_str().unwrap();
            assert!(hint.contains(&look), "{fault}: {hint}");
        }
        assert_eq!((orders(&space).len(), only(&space)["how"].as_str()), (1, Some("outcome")), "{fault}");
    }
}

#[test]
fn a_gateway_killed_around_an_effect_leaves_it_unknown_and_never_free() {
    for (fault, had) in [("kill_first", 0), ("kill_last", 1)] {
        let space = shop(KEY, "");
        let arguments = json!({"ref": "R-1", "fault": fault});
        killed(&space, &arguments);
        assert_eq!(only(&space)["state"], "running", "looking changes nothing");
        for _ in 0..2 {
            let answer = order(&space, 6, &arguments);
            assert_eq!((code(&answer), answer["replayed"].as_bool()), ("OUTCOME_UNKNOWN", Some(true)));
        }
        assert_eq!(orders(&space).len(), had, "{fault}");
        assert_eq!(
            (only(&space)["state"].as_str(), only(&space)["how"].as_str()),
            (Some("unknown"), Some("lost"))
        );
        assert_eq!(kinds(&space), ["intent", "effect", "replayed", "replayed"]);
        space.intact();
    }
}

#[test]
fn a_gateway_killed_before_it_reserved_leaves_nothing_behind() {
    let space = Space::new();
    let with = |source: &str| {
        let mut tools: Value = serde_json::from_str(&tools(ORDER, KEY, "")).unwrap();
        tools["credentials"] = json!({"shop": {"source": {"command": ["sh", "-c", source]}}});
        tools["tools"][0]["run"]["command"]["credentials"] = json!({"TOKEN": "shop"});
        space.write_beside("files/tools.yaml", tools.to_string());
    };
    space.write_beside("files/policy.yaml", ALLOW).write("m/orders", "");
    with("kill -9 $PPID; sleep 60");
    killed(&space, &json!({"ref": "R-1"}));
    with("echo secret-token");
    let answer = order(&space, 0, &json!({"ref": "R-1"}));
    assert_eq!((status(&answer), answer["replayed"].as_bool()), ("succeeded", None));
    assert_eq!(orders(&space), ["R-1"]);
}

#[test]
fn a_call_without_a_stated_key_is_recognised_by_its_id_within_a_stated_task() {
    let space = Space::with(include_str!("../../../tools.yaml"), ALLOW);
    space.write_beside("files/task.yaml", "version: 1\nid: t1\n");
    space.write_beside("files/other.yaml", "version: 1\nid: t2\n");
    let line = call("c1", "write_file", &json!({"path": "a", "content": "x", "mode": "new"}));
    let under = |task: &str, line: &str| {
        let task = space.beside(task).display().to_string();
        space.stream(&[line]).and(&["--task", &task]).answers().remove(0)
    };
    assert_eq!(under("files/task.yaml", &line)["replayed"].as_bool(), None);
    // The file is there now, which stands in nobody's way: the call was made.
    let again = under("files/task.yaml", &line);
    assert_eq!((status(&again), again["replayed"].as_bool()), ("succeeded", Some(true)));
    assert_eq!(code(&under("files/other.yaml", &line)), "PRECONDITION_FAILED");
    let changed = call("c1", "write_file", &json!({"path": "b", "content": "x", "mode": "new"}));
    assert_eq!(code(&under("files/task.yaml", &changed)), "IDEMPOTENCY_CONFLICT");
    // Without a task every run is another one.
    assert_eq!(code(&space.answer(&line)), "PRECONDITION_FAILED");
}

#[test]
fn a_contract_that_recognises_nothing_has_every_effect_in_the_ledger_and_replays_none() {
    let space = shop("\"none\"", "");
    for _ in 0..2 {
        let answer = order(&space, 0, &json!({"ref": "R-1"}));
        assert_eq!(answer["replayed"].as_bool(), None);
    }
    assert_eq!((orders(&space).len(), states(&space)), (2, vec!["succeeded".to_owned(); 2]));
}

#[test]
fn reads_have_no_entry() {
    let space = Space::with(include_str!("../../../tools.yaml"), ALLOW);
    space.write("a", "1\n");
    space.answer(&call("r", "read_file", &json!({"path": "a"})));
    assert_eq!(effects(&space), Vec::<Value>::new());
}

#[test]
fn a_replay_asks_nobody_and_passes_no_denial() {
    let space = shop(KEY, "");
    let arguments = json!({"ref": "R-1"});
    order(&space, 0, &arguments);
    space.write_beside("files/policy.yaml", "version: 1\ndefault_verdict: require_approval\n");
    assert_eq!(order(&space, 0, &arguments)["replayed"], true);
    assert_eq!(code(&order(&space, 1, &json!({"ref": "R-1", "amount": 2}))), "IDEMPOTENCY_CONFLICT");
    assert_eq!(code(&order(&space, 4, &json!({"ref": "R-2"}))), "APPROVAL_REQUIRED");
    space.write_beside("files/policy.yaml", "version: 1\ndefault_verdict: deny\n");
    assert_eq!(code(&order(&space, 3, &arguments)), "PERMISSION_DENIED");
}

#[test]
fn the_key_reaches_a_command_where_the_contract_says() {
    let space = Space::new();
    space.write_beside("files/policy.yaml", ALLOW);
    space.write_beside(
        "files/tools.yaml",
        r#"version: 1
tools:
  - name: order
    description: Orders.
    risk: external
    execution_mode: exclusive
    idempotency: {key: "{{tenant}}/{{arguments.ref}}", send_as: {env: IDEMPOTENCY}}
    input_schema: {type: object, additionalProperties: false, required: [ref], properties: {ref: {type: string}}}
    run: {command: {argv: [sh, -c, 'cat; echo " $IDEMPOTENCY $1"', sh, "--key={{effect.key}}"], stdin: "{{effect.key}}"}}
    sandbox: {level: none}
    result: {trust: trusted}
"#,
    );
    assert_eq!(content(&order(&space, 0, &json!({"ref": "R-1"}))), "local/R-1 local/R-1 --key=local/R-1\n");
    for bad in ["a\nb".to_owned(), "x".repeat(600)] {
        assert_eq!(code(&order(&space, 1, &json!({"ref": bad}))), "INVALID_ARGUMENTS");
    }
    let blank = shop(KEY, "");
    for bad in ["", "  "] {
        assert_eq!(code(&order(&blank, 1, &json!({"ref": bad}))), "INVALID_ARGUMENTS");
    }
    assert_eq!(orders(&blank), Vec::<String>::new());
}

#[test]
fn where_a_retry_is_safe_the_same_key_goes_out_again_and_only_by_another_call() {
    let space = Space::with(&tools(ORDER_ONCE, SAFE, ""), ALLOW);
    space.write("m/orders", "");
    let arguments = json!({"ref": "R-1", "fault": "fails"});
    let answer = order(&space, 6, &arguments);
    assert_eq!((code(&answer), answer["error"]["retry"].as_str()), ("OUTCOME_UNKNOWN", Some("same_call")));
    let answer = order(&space, 0, &arguments);
    assert_eq!((content(&answer), answer["replayed"].as_bool()), ("had R-1\n", None));
    assert_eq!((orders(&space).len(), only(&space)["attempt"].as_u64()), (1, Some(2)));
    assert_eq!(order(&space, 0, &arguments)["replayed"], true);
}

#[test]
fn a_look_up_that_finds_the_effect_settles_it_before_the_key_is_tried_again() {
    let space = shop(KEY, &look_up(""));
    let arguments = json!({"ref": "R-1", "fault": "kill_last"});
    killed(&space, &arguments);
    let answer = order(&space, 0, &arguments);
    assert_eq!((status(&answer), answer["replayed"].as_bool()), ("succeeded", Some(true)));
    assert_eq!(content(&answer), r#"{"ref":"R-1"}"#);
    assert_eq!(orders(&space), ["R-1"]);
    let records = space.records();
    let look = records.iter().find(|record| record["record"]["tool"] == "find_order").unwrap();
    let lost = records.iter().find(|record| record["record"]["kind"] == "effect").unwrap();
    assert_eq!(look["record"]["parent"], lost["record"]["call"]);
    assert_eq!((only(&space)["how"].as_str(), space.intact()), (Some("reconciled"), 5));
}

#[test]
fn a_look_up_that_finds_nothing_proves_nothing_unless_the_contract_says_so() {
    let cases = [("", "unknown"), ("24h", "unknown"), ("1ms", "failed")];
    for (absence, state) in cases {
        let space = shop(KEY, &look_up(absence));
        killed(&space, &json!({"ref": "R-1", "fault": "kill_first"}));
        let reconcile = |exit| space.tgw(["effects", "reconcile"]).with_files().status(exit).text();
        // The first finds that it was lost; from then on the delay counts.
        space.tgw(["effects", "reconcile"]).with_files().ended();
        reconcile(i32::from(state == "unknown"));
        assert_eq!(only(&space)["state"], state);
        if state == "failed" {
            order(&space, 0, &json!({"ref": "R-1"}));
        } else {
            let answer = order(&space, 6, &json!({"ref": "R-1", "fault": "kill_first"}));
            assert_eq!(code(&answer), "OUTCOME_UNKNOWN");
        }
        assert_eq!(orders(&space).len(), usize::from(state == "failed"));
    }
}

#[test]
fn a_look_up_that_cannot_be_made_leaves_the_effect_unknown() {
    let space = shop(KEY, &look_up("1ms"));
    let arguments = json!({"ref": "R-1", "fault": "kill_last"});
    killed(&space, &arguments);
    space.write("m/unreachable", "");
    let answer = order(&space, 6, &arguments);
    assert_eq!((code(&answer), only(&space)["state"].as_str()), ("OUTCOME_UNKNOWN", Some("unknown")));
    let text = space.tgw(["effects", "reconcile"]).with_files().status(1).text();
    assert!(text.contains("the look-up failed"), "{text}");
    std::fs::remove_file(space.path("m/unreachable")).unwrap();
    space.tgw(["effects", "reconcile"]).with_files().text();
    assert_eq!(only(&space)["state"], "succeeded");
}

#[test]
fn a_run_looks_up_what_earlier_ones_left_open_when_it_starts() {
    let space = shop(KEY, &look_up(""));
    killed(&space, &json!({"ref": "R-1", "fault": "kill_last"}));
    space.stream(&[]).holds();
    assert_eq!(
        (only(&space)["state"].as_str(), only(&space)["how"].as_str()),
        (Some("succeeded"), Some("reconciled"))
    );
}

#[test]
fn a_person_settles_what_is_unknown_once_and_it_is_on_record() {
    for (settled, exit, had) in [("failed", 0, 2), ("succeeded", 0, 1)] {
        let space = shop(KEY, "");
        let arguments = json!({"ref": "R-1", "fault": "fails"});
        order(&space, 6, &arguments);
        let id = only(&space)["id"].as_str().unwrap().to_owned();
        let resolve = |exit| {
            space
                .tgw(["effects", "resolve", &id, "--as", settled, "--evidence", "looked at the shop"])
                .status(exit)
        };
        let text = resolve(0).text();
        assert!(text.starts_with(&format!("{id}: {settled}\nreceipt: sha256:")), "{text}");
        let record = space.records().pop().unwrap();
        assert_eq!(record["record"]["kind"], "effect");
        assert_eq!(
            (record["record"]["ledger"]["how"].as_str(), record["record"]["ledger"]["state"].as_str()),
            (Some("resolved"), Some(settled))
        );
        assert!(record["record"]["ledger"]["by"].is_string());
        assert_eq!(record["detail"]["notes"]["evidence"], "looked at the shop");
        resolve(1)
            .stderr(&format!(
                "error: the effect `{id}` is {settled}, not unknown\nhint: what is settled stays so; what a person knows better \
                 is put right by another call\n"
            ))
            .holds();
        let again = order(&space, if settled == "failed" { 6 } else { exit }, &arguments);
        assert_eq!(again["replayed"].as_bool(), (settled == "succeeded").then_some(true));
        assert_eq!(orders(&space).len(), had);
    }
}

#[test]
fn what_is_under_way_cannot_be_settled_by_a_person() {
    let space = shop(KEY, "");
    killed(&space, &json!({"ref": "R-1", "fault": "kill_first"}));
    let id = only(&space)["id"].as_str().unwrap().to_owned();
    let ended = space.tgw(["effects", "resolve", &id, "--as", "failed", "--evidence", "x"]).ended();
    assert_eq!(ended.status, Some(1));
    assert!(ended.stderr.contains("is running, not unknown"), "{}", ended.stderr);
}
