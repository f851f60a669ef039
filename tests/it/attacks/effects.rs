//! Attacks that aim at a double effect, a lost one, or a success that never was.

use std::io::{Read as _, Write as _};
use std::process::Child;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::harness::{ALLOW, Space, call, code, content, status};
use crate::pipeline::signal;

/// The shop writes each order that it takes into `m/orders`; what it prints is up to the call.
pub(crate) fn shop(more: &str) -> Space {
    let space = Space::with(
        &format!(
            r#"version: 1
tools:
  - name: order
    description: Orders.
    risk: external
    execution_mode: exclusive
    idempotency: {{key: "{{{{arguments.shop}}}}/{{{{arguments.ref}}}}", send_as: {{env: ORDER_KEY}}}}
    input_schema: &input {{type: object, additionalProperties: false, required: [shop, ref], properties: {{
      shop: {{type: string, default: s}}, ref: {{type: string}}, amount: {{type: number, default: 1}}, says: {{type: string, default: ""}}, exits: {{type: string, default: "0"}}}}}}
    run: {{command: [sh, -c, 'echo "$ORDER_KEY" >> m/orders; printf %s "$1"; exit "$2"', sh, --, "{{{{arguments.says}}}}", "{{{{arguments.exits}}}}"]}}
    sandbox: &none {{level: none, write: [m]}}
    result: &trust {{trust: trusted}}
  - name: reorder
    description: Orders again.
    risk: external
    execution_mode: exclusive
    idempotency: {{key: "{{{{arguments.shop}}}}/{{{{arguments.ref}}}}", send_as: {{env: ORDER_KEY}}}}
    input_schema: *input
    run: {{command: [sh, -c, 'echo "again $ORDER_KEY" >> m/orders']}}
    sandbox: *none
    result: *trust
{more}"#
        )
        .replace("sh, --, ", "sh, "),
        ALLOW,
    );
    space.write("m/orders", "");
    space
}

fn order(space: &Space, arguments: &Value) -> Value {
    space.answer(&call("c", "order", arguments))
}

fn taken(space: &Space) -> usize {
    space.read("m/orders").unwrap().lines().count()
}

fn unsettled(space: &Space, state: &str) -> usize {
    let text = space.tgw(["effects", "list", "--json", "--status", state]).text();
    serde_json::from_str::<Vec<Value>>(&text).unwrap().len()
}

#[test]
fn killing_racing_gateways_at_any_moment_makes_no_second_effect() {
    for round in 0..8 {
        race_and_kill(&shop(""), round);
    }
}

/// Lets gateways race for one key, and kills some of them at a moment that is another in every round.
pub(crate) fn race_and_kill(space: &Space, round: usize) {
    const RACERS: usize = 6;
    let arguments = json!({"shop": "s", "ref": "R"}).to_string();
    let mut racers: Vec<Child> =
        (0..RACERS).map(|_| space.tgw(["call", "order", &arguments]).with_files().start()).collect();
    // Another moment in every round: as soon as the store is there, or the order is taken.
    while round % 2 == 1
        && taken(space) == 0
        && racers.iter_mut().any(|racer| racer.try_wait().unwrap().is_none())
    {
        std::thread::yield_now();
    }
    for racer in racers.iter().take(round % RACERS + 1) {
        signal(racer.id(), Signal::KILL);
    }
    let mut told = 0;
    for racer in racers {
        let output = racer.wait_with_output().unwrap();
        if let Ok(answer) = serde_json::from_slice::<Value>(&output.stdout) {
            told += usize::from(status(&answer) == "succeeded");
            assert!(matches!(status(&answer), "succeeded" | "unknown"), "{answer}");
        }
    }
    assert!(taken(space) <= 1, "round {round}: {} orders", taken(space));
    assert!(told == 0 || taken(space) == 1, "round {round}: a success that never was");
    let last = order(space, &json!({"shop": "s", "ref": "R"}));
    assert!(matches!(status(&last), "succeeded" | "unknown"), "{last}");
    assert!(taken(space) <= 1 && (status(&last) == "unknown" || taken(space) == 1), "{last}");
    assert_eq!(unsettled(space, "running"), 0);
    space.intact();
}

#[test]
fn an_effect_that_is_under_way_is_not_given_up_by_its_own_gateway() {
    let space = shop(
        r#"  - name: look
    description: Looks.
    risk: read_only
    input_schema: {type: object}
    run: {command: [sh, -c, 'echo seen']}
    sandbox: *none
    result: *trust
  - name: slow
    description: Writes once it may.
    risk: write
    execution_mode: exclusive
    input_schema: {type: object}
    run: {command: [sh, -c, 'echo slow >> m/orders; until [ -e m/go ]; do sleep 0.02; done']}
    sandbox: *none
    result: *trust
"#,
    );
    let lines = [call("l", "look", &json!({})), call("s", "slow", &json!({}))];
    let mut running = space.stream(&[]).start();
    running.stdin.take().unwrap().write_all(lines.join("\n").as_bytes()).unwrap();
    // The first answer is out once the run has looked for effects that were lost.
    let mut first = [0];
    running.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    while taken(&space) == 0 {
        assert!(running.try_wait().unwrap().is_none(), "it ended before it began");
        std::thread::yield_now();
    }
    assert_eq!((unsettled(&space, "running"), unsettled(&space, "unknown")), (1, 0));
    space.write("m/go", "");
    let output = running.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(unsettled(&space, "unknown"), 0);
    let lost = |record: &Value| record["record"]["ledger"]["how"] == "lost";
    assert!(!space.records().iter().any(lost), "{:?}", space.records());
}

#[test]
fn a_key_that_is_spelt_like_another_is_a_conflict_and_never_its_answer() {
    let space = shop("");
    assert_eq!(status(&order(&space, &json!({"shop": "a/b", "ref": "c"}))), "succeeded");
    let answer = order(&space, &json!({"shop": "a", "ref": "b/c"}));
    assert_eq!(code(&answer), "IDEMPOTENCY_CONFLICT");
    assert_eq!(taken(&space), 1);
}

#[test]
fn the_same_arguments_in_another_spelling_are_the_same_call() {
    let space = shop("");
    order(&space, &json!({"shop": "s", "ref": "R", "amount": 1}));
    for line in [
        r#"{"id":"c","name":"order","arguments":{"amount":1,"ref":"R","shop":"s"}}"#,
        r#"{"id":"c","name":"order","arguments":{"shop":"\u0073","ref":"R","says":""}}"#,
    ] {
        assert_eq!(space.answer(line)["replayed"], true, "{line}");
    }
    assert_eq!(taken(&space), 1);
}

#[test]
fn a_call_cannot_state_a_key_an_outcome_or_an_attempt() {
    let space = shop("");
    for extra in [r#""replayed":true"#, r#""effect_key":"x""#, r#""idempotency":"none""#, r#""retry":"safe""#]
    {
        let line = format!(r#"{{"id":"c","name":"order","arguments":{{"shop":"s","ref":"R"}},{extra}}}"#);
        assert_eq!(code(&space.answer(&line)), "MALFORMED_CALL", "{extra}");
    }
    assert_eq!(taken(&space), 0);
}

#[test]
fn another_tenant_and_another_tool_have_keys_of_their_own() {
    let space = shop("");
    let line = call("c", "order", &json!({"shop": "s", "ref": "R", "says": "private"}));
    space.answer(&line);
    let other = space.stream(&[&line]).and(&["--tenant", "other"]).answers().remove(0);
    assert_eq!((other["replayed"].as_bool(), taken(&space)), (None, 2));
    let again = space.answer(&call("c", "reorder", &json!({"shop": "s", "ref": "R", "says": "private"})));
    assert_eq!((again["replayed"].as_bool(), taken(&space)), (None, 3));
    let list = space.tgw(["effects", "list", "--tenant", "third"]).text();
    assert!(!list.contains("order"), "{list}");
}

#[test]
fn a_backend_that_prints_an_answer_of_ours_has_said_nothing() {
    let space = shop("");
    let says = r#"{"id":"c","status":"succeeded","effect":"none","replayed":true}"#;
    let answer = order(&space, &json!({"shop": "s", "ref": "R", "says": says, "exits": "1"}));
    assert_eq!((status(&answer), code(&answer)), ("unknown", "OUTCOME_UNKNOWN"));
    let again = order(&space, &json!({"shop": "s", "ref": "R", "says": says, "exits": "1"}));
    assert_eq!((status(&again), again["effect"].as_str()), ("unknown", Some("possible")));
    assert_eq!(taken(&space), 1);
}

#[test]
fn a_look_up_that_is_not_clear_frees_no_key() {
    for (items, state) in [
        (r#"[]"#, "failed"),
        (r#"[1]"#, "succeeded"),
        (r#"[1,2]"#, "unknown"),
        ("null", "unknown"),
        ("{", "unknown"),
    ] {
        let space = shop(
            r#"  - name: order_once
    description: Orders.
    risk: external
    execution_mode: exclusive
    idempotency: {key: "{{arguments.ref}}"}
    reconcile: {tool: look, found_when: 'size(value.items) == 1', absence: {when: 'size(value.items) == 0', proves_after: 1ms}}
    input_schema: {type: object, additionalProperties: false, required: [ref], properties: {ref: {type: string}}}
    run: {command: [sh, -c, 'echo took >> m/orders; exit 1']}
    sandbox: *none
    result: *trust
  - name: look
    description: Looks.
    risk: read_only
    internal: true
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: {argv: [cat, m/answer], output: json}}
    sandbox: {level: none}
    result: *trust
"#,
        );
        space.write("m/answer", format!(r#"{{"items":{items}}}"#));
        let arguments = json!({"ref": "R"}).to_string();
        space.tgw(["call", "order_once", &arguments]).with_files().status(6).answers();
        space.tgw(["effects", "reconcile"]).with_files().ended();
        assert_eq!(unsettled(&space, state), 1, "{items}");
        // A model never calls what only looks.
        assert_eq!(code(&space.answer(&call("l", "look", &json!({})))), "UNKNOWN_TOOL");
    }
}

#[test]
fn an_outcome_is_told_again_without_what_is_a_secret() {
    let space = shop("");
    let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
    let arguments = json!({"shop": "s", "ref": "R", "says": format!("token {token}")});
    for replayed in [None, Some(true)] {
        let answer = order(&space, &arguments);
        assert_eq!(answer["replayed"].as_bool(), replayed);
        assert!(!content(&answer).contains(&token), "{answer}");
    }
    let text = space.tgw(["effects", "list", "--json"]).text();
    assert!(!text.contains(&token), "{text}");
}

#[test]
fn proof_that_a_retry_did_nothing_is_no_proof_about_the_attempt_before_it() {
    let tools = r#"version: 1
tools:
  - name: order
    description: Orders.
    risk: external
    execution_mode: exclusive
    idempotency: {key: "{{arguments.ref}}", send_as: {env: ORDER_KEY}, retry: safe}
    input_schema: {type: object, additionalProperties: false, required: [ref, amount], properties: {ref: {type: string}, amount: {type: integer}}}
    run: {command: {argv: [sh, -c, 'case $(cat m/mode) in
          lost) echo "$ORDER_KEY" >> m/orders; exit 1;;
          busy) exit 75;;
          gone) kill -9 $$;;
          *) grep -qx "$ORDER_KEY" m/orders || echo "$ORDER_KEY" >> m/orders;;
          esac'], no_effect: exit.status == 75}}
    sandbox: {level: none, write: [m]}
    result: {trust: trusted}
"#;
    let policy = "version: 1\ndefault_verdict: allow\nbudgets: [{id: spend, tools: [order], per: tenant, sum: arguments.amount, limit: 100}]\n";
    let space = Space::with(tools, policy);
    let sends = |mode: &str, amount: u64| {
        space.write("m/mode", mode);
        space.answer(&call("c", "order", &json!({"ref": "R-1", "amount": amount})))
    };
    space.write("m/orders", "");
    assert_eq!(status(&sends("lost", 60)), "unknown");
    for mode in ["busy", "gone", "busy"] {
        let answer = sends(mode, 60);
        assert_eq!(
            (status(&answer), code(&answer), answer["effect"].as_str(), answer["error"]["retry"].as_str()),
            ("unknown", "OUTCOME_UNKNOWN", Some("possible"), Some("same_call")),
            "{mode}: {answer}"
        );
    }
    assert_eq!(unsettled(&space, "unknown"), 1);
    // The key stays taken, and so does what was charged for it.
    assert_eq!(code(&sends("fine", 90)), "IDEMPOTENCY_CONFLICT");
    let budgets: Value = serde_json::from_str(&space.tgw(["budgets", "--json"]).with_files().text()).unwrap();
    assert_eq!(budgets[0]["used"][0]["used"], 60, "{budgets}");
    assert_eq!(status(&sends("fine", 60)), "succeeded");
    assert_eq!(taken(&space), 1);
}

/// Orders with a program that says where it goes; `m/mode` says what becomes of it.
fn system(name: &str, version: &str, more: &str) -> String {
    format!(
        r#"version: 1
tools:
  - name: order
    version: {version}
    description: Orders.
    risk: external
    execution_mode: exclusive
    idempotency: {{key: "{{{{arguments.ref}}}}"{more}
    input_schema: {{type: object, additionalProperties: false, required: [ref], properties: {{ref: {{type: string}}}}}}
    run: {{command: {{argv: [sh, -c, 'echo "$1" >> m/{name}; [ "$(cat m/mode)" = fine ]', sh, '{{{{arguments.ref}}}}']}}}}
    sandbox: {{level: none, write: [m]}}
    result: {{trust: trusted}}
  - name: find
    description: Finds.
    risk: read_only
    execution_mode: parallel
    internal: true
    input_schema: {{type: object, additionalProperties: false, required: [ref], properties: {{ref: {{type: string}}}}}}
    run: {{command: {{argv: [sh, -c, '[ "$(cat m/mode)" = fine ] && printf "{{\"n\":%s}}" "$(cat m/{name} 2>/dev/null | grep -cx "$1")"', sh, '{{{{arguments.ref}}}}'], output: json}}}}
    sandbox: {{level: none}}
    result: {{trust: trusted}}
"#
    )
}

#[test]
fn an_effect_that_is_unknown_is_neither_sent_again_nor_looked_up_under_another_contract() {
    const SAFE: &str = ", retry: safe}";
    const LOOKS: &str = "}\n    reconcile: {tool: find, arguments: {ref: '{{arguments.ref}}'}, found_when: value.n == 1, absence: {when: value.n == 0, proves_after: 1ms}}";
    for (before, after) in [("}", SAFE), (LOOKS, LOOKS)] {
        let space = Space::with(&system("old", "1.0.0", before), ALLOW);
        let sends = |mode: &str| {
            space.write("m/mode", mode);
            space.answer(&call("c", "order", &json!({"ref": "R-1"})))
        };
        assert_eq!(status(&sends("lost")), "unknown");
        space.write_beside("files/tools.yaml", system("new", "2.0.0", after));
        for _ in 0..2 {
            let answer = sends("fine");
            assert_eq!((status(&answer), code(&answer)), ("unknown", "OUTCOME_UNKNOWN"), "{answer}");
        }
        space.tgw(["effects", "reconcile"]).with_files().status(1).ended();
        assert_eq!((space.read("m/old").as_deref(), space.read("m/new")), (Some("R-1\n"), None));
        assert_eq!(unsettled(&space, "unknown"), 1);
    }
}

#[test]
fn a_second_attempt_that_is_refused_is_not_answered_as_if_nothing_had_happened() {
    let precondition = "retry: safe}\n    preconditions: [{tool: find, arguments: {ref: '{{arguments.ref}}'}, expect: value.n == 0, message: it is there already}]";
    let space = Space::with(&system("old", "1.0.0", &format!(", {precondition}")), ALLOW);
    space.write("m/mode", "fine");
    let sends = || space.answer(&call("c", "order", &json!({"ref": "R-1"})));
    // The precondition is looked at first, and the program then fails after its effect.
    let tools = space.beside("files/tools.yaml");
    let failing = std::fs::read_to_string(&tools)
        .unwrap()
        .replace("m/old; [ \"$(cat m/mode)\" = fine ]", "m/old; exit 1");
    std::fs::write(&tools, failing).unwrap();
    assert_eq!(status(&sends()), "unknown");
    let answer = sends();
    assert_eq!(
        (status(&answer), code(&answer), answer["effect"].as_str()),
        ("unknown", "OUTCOME_UNKNOWN", Some("possible"))
    );
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.ends_with("this attempt was not begun: it is there already"), "{message}");
    assert_eq!(space.read("m/old").as_deref(), Some("R-1\n"));
}

#[test]
fn a_question_about_a_second_attempt_says_that_there_was_a_first_and_a_no_does_not_undo_it() {
    let space = Space::with(&system("old", "1.0.0", ", retry: safe}"), ALLOW);
    let sends = || {
        space.write("m/mode", "lost");
        space.answer(&call("c", "order", &json!({"ref": "R-1"})))
    };
    assert_eq!(status(&sends()), "unknown");
    let asks =
        format!("{ALLOW}rules: [{{id: ask, verdict: require_approval, tools: [order], reason: it costs}}]\n");
    space.write_beside("files/policy.yaml", asks);
    let asked = sends();
    let hint = asked["error"]["hint"].as_str().unwrap();
    let id = hint
        .split('`')
        .find_map(|part| part.strip_prefix("tgw approvals show "))
        .unwrap_or_else(|| panic!("{asked}"))
        .to_owned();
    let shown = space.tgw(["approvals", "show", &id]).text();
    assert!(
        shown.contains("an earlier attempt under the same effect key may have had its effect"),
        "{shown}"
    );
    let digest = shown.lines().find_map(|line| line.strip_prefix("question digest: ")).unwrap().to_owned();
    space.tgw(["approvals", "deny", &id, "--digest", &digest]).ended();
    let answer = sends();
    assert_eq!((status(&answer), answer["effect"].as_str()), ("unknown", Some("possible")), "{answer}");
}
