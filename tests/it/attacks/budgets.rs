//! Attacks on budgets: one unit more than there is, or another's.

use std::process::Child;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::harness::{Space, call, code, message, status};
use crate::pipeline::{signal, wait_for_child};

fn shop(budget: &str) -> Space {
    let space = Space::with(
        r#"version: 1
tools:
  - name: order
    description: Orders.
    risk: external
    execution_mode: exclusive
    idempotency: none
    input_schema: {type: object, additionalProperties: false, required: [ref], properties: {
      ref: {type: string}, minor: {type: integer, default: 1}, group: {type: string, default: g}, any: {}, hangs: {type: boolean, default: false}}}
    run: {command: [sh, -c, 'echo "$1" >> m/orders; [ "$2" = true ] && exec sleep 60; true', sh, "{{arguments.ref}}", "{{arguments.hangs}}"]}
    sandbox: {level: none, write: [m]}
    result: {trust: trusted}
"#,
        &format!(
            "version: 1\ndefault_verdict: allow\nbudgets:\n  - {{id: b, tools: [order], per: tenant, {budget}}}\n"
        ),
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

#[test]
fn ten_processes_that_race_for_the_last_unit_make_one_effect() {
    let space = shop("count: 3");
    order(&space, &json!({"ref": "A"}));
    order(&space, &json!({"ref": "B"}));
    let racers: Vec<Child> = (0..10)
        .map(|at| {
            space.tgw(["call", "order", &json!({"ref": format!("R{at}")}).to_string()]).with_files().start()
        })
        .collect();
    let answers: Vec<Value> = racers
        .into_iter()
        .map(|racer| serde_json::from_slice(&racer.wait_with_output().unwrap().stdout).unwrap())
        .collect();
    let won = answers.iter().filter(|answer| status(answer) == "succeeded").count();
    let lost = answers.iter().filter(|answer| answer["error"]["code"] == "BUDGET_EXCEEDED").count();
    assert_eq!((won, lost, taken(&space)), (1, 9, 3), "{answers:#?}");
    space.intact();
}

#[test]
fn racing_sums_never_come_to_more_than_the_limit() {
    let space = shop("sum: arguments.minor, limit: 10");
    let racers: Vec<Child> = (0..8)
        .map(|at| {
            let arguments = json!({"ref": format!("R{at}"), "minor": 3}).to_string();
            space.tgw(["call", "order", &arguments]).with_files().start()
        })
        .collect();
    for racer in racers {
        racer.wait_with_output().unwrap();
    }
    assert_eq!(taken(&space), 3);
    assert_eq!(status(&order(&space, &json!({"ref": "last", "minor": 1}))), "succeeded");
    assert_eq!(code(&order(&space, &json!({"ref": "none", "minor": 1}))), "BUDGET_EXCEEDED");
}

#[test]
fn killing_the_gateway_gives_nothing_back() {
    let space = shop("count: 1");
    let killed = space.tgw(["call", "order", r#"{"ref":"A","hangs":true}"#]).with_files().start();
    wait_for_child(killed.id(), "sleep");
    while taken(&space) == 0 {
        std::thread::yield_now();
    }
    signal(killed.id(), Signal::KILL);
    killed.wait_with_output().unwrap();
    assert_eq!(code(&order(&space, &json!({"ref": "B"}))), "BUDGET_EXCEEDED");
    assert_eq!(taken(&space), 1);
}

#[test]
fn a_negative_an_enormous_or_a_crooked_amount_makes_no_room() {
    let space = shop("sum: int(arguments.?any.orValue(0)), group: arguments.group, limit: 10");
    order(&space, &json!({"ref": "A", "any": 9}));
    for any in [
        json!(-5),
        json!(i64::MIN),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(1e300),
        json!("x"),
        json!([1]),
        json!(null),
    ] {
        let answer = order(&space, &json!({"ref": "B", "any": any}));
        assert_eq!(code(&answer), "BUDGET_EXCEEDED", "{any}");
        assert!(message(&answer).starts_with("the budget `b`"), "{answer}");
    }
    let long = order(&space, &json!({"ref": "B", "group": "g".repeat(300)}));
    assert_eq!(code(&long), "BUDGET_EXCEEDED");
    assert_eq!(taken(&space), 1);
    assert_eq!(status(&order(&space, &json!({"ref": "B", "any": 1}))), "succeeded");
    assert_eq!(code(&order(&space, &json!({"ref": "C", "any": 1}))), "BUDGET_EXCEEDED");
}

#[test]
fn another_tenant_learns_nothing_of_what_was_used() {
    let space = shop("count: 2");
    order(&space, &json!({"ref": "A"}));
    order(&space, &json!({"ref": "B"}));
    let line = call("c", "order", &json!({"ref": "C"}));
    let check =
        space.tgw(["check"]).with_files().and(&["--tenant", "other"]).stdin(format!("{line}\n")).text();
    assert!(check.contains(r#""used":0"#), "{check}");
    let look = space.tgw(["budgets", "--json"]).with_files().and(&["--tenant", "other"]).text();
    assert_eq!(serde_json::from_str::<Value>(&look).unwrap()[0]["used"], json!([]));
    let other = space.stream(&[&line]).and(&["--tenant", "other"]).answers().remove(0);
    assert_eq!(status(&other), "succeeded");
}

#[test]
fn whom_a_rule_denies_hears_nothing_of_budgets() {
    let space = shop("count: 1");
    order(&space, &json!({"ref": "A"}));
    space.write_beside(
        "files/policy.yaml",
        "version: 1\ndefault_verdict: allow\nrules: [{id: nobody, verdict: deny, tools: [order]}]\nbudgets: [{id: b, tools: [order], per: tenant, count: 1}]\n",
    );
    let answer = order(&space, &json!({"ref": "B"}));
    assert_eq!(code(&answer), "PERMISSION_DENIED");
    assert!(!answer.to_string().contains("budget"), "{answer}");
}

#[test]
fn a_batch_takes_no_more_than_is_there() {
    let space = shop("count: 2");
    let calls: Vec<Value> = (0..5)
        .map(|at| json!({"id": format!("c{at}"), "name": "order", "arguments": {"ref": format!("R{at}")}}))
        .collect();
    let answers = space.answers(&[&Value::Array(calls).to_string()]);
    let statuses: Vec<&str> = answers.iter().map(status).collect();
    assert_eq!(statuses, ["succeeded", "succeeded", "denied", "denied", "denied"]);
    assert_eq!(taken(&space), 2);
}
