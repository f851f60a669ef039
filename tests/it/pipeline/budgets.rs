//! Budgets: what several calls may do together, whoever makes them.

use std::fs;
use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::harness::{Space, call, code, message, status};

/// The shop writes each order that it takes into `m/orders`; `fault` says how it ends. `look` changes nothing.
const TOOLS: &str = r#"version: 1
tools:
  - name: order
    description: Orders.
    risk: external
    execution_mode: exclusive
    idempotency: {key: "{{arguments.ref}}", send_as: {env: ORDER_KEY}, retry: safe}
    input_schema: {type: object, additionalProperties: false, required: [ref], properties: {
      ref: {type: string}, minor: {type: integer, default: 1}, currency: {enum: [EUR, USD], default: EUR}, fault: {type: string, default: none}}}
    run: {command: {argv: [sh, -c, 'case $1 in refuses) exit 9;; breaks) exit 3;; esac; echo "$ORDER_KEY" >> m/orders', sh, "{{arguments.fault}}"], no_effect: 'exit.status == 9'}}
    sandbox: {level: none, write: [m]}
    result: {trust: trusted}
  - name: look
    description: Looks.
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false, properties: {fails: {type: boolean, default: false}}}
    run: {command: [sh, -c, 'exit $1', sh, "{{arguments.fails ? '1' : '0'}}"]}
    sandbox: {level: none}
    result: {trust: trusted}
"#;

fn shop(budgets: &str) -> Space {
    let space = Space::with(TOOLS, &format!("version: 1\ndefault_verdict: allow\nbudgets:\n{budgets}\n"));
    space.write("m/orders", "");
    for task in ["t-1", "t-2"] {
        space.write_beside(&format!("files/{task}.yaml"), format!("version: 1\nid: {task}\n"));
    }
    space
}

fn order(space: &Space, arguments: &Value) -> Value {
    order_with(space, &[], arguments)
}

fn order_with(space: &Space, more: &[&str], arguments: &Value) -> Value {
    space.stream(&[&call("c", "order", arguments)]).and(more).answers().remove(0)
}

/// The store of the space, once there is one.
fn store(space: &Space) -> Option<PathBuf> {
    let folders = fs::read_dir(space.beside("state/tgw")).ok()?;
    folders.map(|entry| entry.unwrap().path().join("state.db")).find(|path| path.exists())
}

fn taken(space: &Space) -> usize {
    space.read("m/orders").unwrap().lines().count()
}

fn used(space: &Space, more: &[&str]) -> Value {
    let text = space.tgw(["budgets", "--json"]).with_files().and(more).text();
    serde_json::from_str::<Value>(&text).unwrap()[0]["used"].clone()
}

#[test]
fn a_call_that_would_go_over_is_denied_and_told_what_is_used() {
    let space = shop("  - {id: orders, tools: [order], per: tenant, count: 2, reason: two a day are plenty}");
    for name in ["A", "B"] {
        assert_eq!(status(&order(&space, &json!({"ref": name}))), "succeeded");
    }
    let third = order(&space, &json!({"ref": "C"}));
    assert_eq!(
        (status(&third), code(&third), &third["effect"]),
        ("denied", "BUDGET_EXCEEDED", &json!("none"))
    );
    assert_eq!(
        message(&third),
        "the budget `orders` of this tenant would be exceeded: 2 of 2 used, and this call takes 1 (two a day are plenty)"
    );
    assert_eq!(third["error"]["retry"], "never");
    assert_eq!(taken(&space), 2);
    space.tgw(["call", "order", r#"{"ref":"D"}"#]).with_files().status(3).answers();
    space.intact();
}

#[test]
fn each_task_agent_user_and_tenant_has_its_own() {
    let one = |per: &str, mine: &[&str], other: &[&str]| {
        let space = shop(&format!("  - {{id: b, tools: [order], per: {per}, count: 1}}"));
        let file = |more: &[&str]| -> Vec<String> {
            more.iter()
                .map(|word| match word.strip_prefix('@') {
                    Some(task) => space.beside(&format!("files/{task}.yaml")).display().to_string(),
                    None => (*word).to_owned(),
                })
                .collect()
        };
        let (mine, other) = (file(mine), file(other));
        let mine: Vec<&str> = mine.iter().map(String::as_str).collect();
        let other: Vec<&str> = other.iter().map(String::as_str).collect();
        assert_eq!(status(&order_with(&space, &mine, &json!({"ref": "A"}))), "succeeded", "{per}");
        assert_eq!(code(&order_with(&space, &mine, &json!({"ref": "B"}))), "BUDGET_EXCEEDED", "{per}");
        assert_eq!(status(&order_with(&space, &other, &json!({"ref": "C"}))), "succeeded", "{per}");
    };
    one("task", &["--task", "@t-1"], &["--task", "@t-2"]);
    one("agent", &["--agent", "a@1"], &["--agent", "b@1"]);
    one("user", &["--user", "ann"], &["--user", "bo"]);
    one("tenant", &["--tenant", "a", "--user", "x"], &["--tenant", "b", "--user", "x"]);
}

#[test]
fn a_sum_is_exact_and_each_group_has_its_own() {
    const MOST: u64 = 1_000_000_000_000_000;
    let space = shop(&format!(
        "  - {{id: spend, tools: [order], per: tenant, sum: arguments.minor, group: arguments.currency, limit: {MOST}}}"
    ));
    assert_eq!(status(&order(&space, &json!({"ref": "A", "minor": MOST - 1}))), "succeeded");
    let two = order(&space, &json!({"ref": "B", "minor": 2}));
    assert_eq!(code(&two), "BUDGET_EXCEEDED");
    assert_eq!(two["error"]["hint"], "a call that takes at most 1 still fits");
    assert_eq!(two["error"]["retry"], "changed_call");
    assert_eq!(status(&order(&space, &json!({"ref": "C", "minor": 1}))), "succeeded");
    assert_eq!(code(&order(&space, &json!({"ref": "D", "minor": 1}))), "BUDGET_EXCEEDED");
    assert_eq!(status(&order(&space, &json!({"ref": "E", "minor": 0}))), "succeeded");
    assert_eq!(status(&order(&space, &json!({"ref": "F", "minor": 5, "currency": "USD"}))), "succeeded");
    let groups = used(&space, &[]);
    let sums: Vec<(&Value, &Value)> =
        groups.as_array().unwrap().iter().map(|one| (&one["group"], &one["used"])).collect();
    assert_eq!(sums.len(), 2);
    assert!(sums.contains(&(&json!("EUR"), &json!(MOST))) && sums.contains(&(&json!("USD"), &json!(5))));
}

#[test]
fn what_provably_did_not_happen_is_given_back_and_what_is_unknown_is_not() {
    let space = shop("  - {id: orders, tools: [order], per: tenant, count: 1}");
    assert_eq!(status(&order(&space, &json!({"ref": "A", "fault": "refuses"}))), "failed");
    assert_eq!(status(&order(&space, &json!({"ref": "B", "fault": "breaks"}))), "unknown");
    assert_eq!(code(&order(&space, &json!({"ref": "C"}))), "BUDGET_EXCEEDED");
    let listed: Value =
        serde_json::from_str(&space.tgw(["effects", "list", "--status", "unknown", "--json"]).text())
            .unwrap();
    let id = listed[0]["id"].as_str().unwrap();
    space.tgw(["effects", "resolve", id, "--as", "failed", "--evidence", "not in the shop"]).text();
    assert_eq!(status(&order(&space, &json!({"ref": "D"}))), "succeeded");
    assert_eq!(code(&order(&space, &json!({"ref": "E"}))), "BUDGET_EXCEEDED");
}

#[test]
fn another_attempt_at_the_same_effect_takes_nothing_more() {
    let space = shop("  - {id: orders, tools: [order], per: tenant, count: 1}");
    assert_eq!(status(&order(&space, &json!({"ref": "A", "fault": "breaks"}))), "unknown");
    // Its contract says that a retry is safe, and the unit is its own.
    let again = order(&space, &json!({"ref": "A", "fault": "breaks"}));
    assert_eq!(status(&again), "unknown");
    assert_eq!(used(&space, &[])[0]["used"], 1);
}

#[test]
fn a_call_whose_effect_is_known_is_answered_though_nothing_is_left() {
    let space = shop("  - {id: orders, tools: [order], per: tenant, count: 1}");
    order(&space, &json!({"ref": "A"}));
    let again = order(&space, &json!({"ref": "A"}));
    assert_eq!((status(&again), &again["replayed"]), ("succeeded", &json!(true)));
    assert_eq!((taken(&space), &used(&space, &[])[0]["used"]), (1, &json!(1)));
}

#[test]
fn reads_count_once_they_began_and_refused_calls_do_not() {
    let space = shop("  - {id: looks, tools: [look], per: tenant, count: 2}");
    let lines = [
        call("a", "look", &json!({"fails": true})),
        call("b", "look", &json!({"fails": 1})),
        call("c", "look", &json!({})),
        call("d", "look", &json!({})),
    ];
    let answers = space.answers(&lines.each_ref().map(String::as_str));
    let codes: Vec<&Value> = answers.iter().map(|answer| &answer["error"]["code"]).collect();
    assert_eq!(
        codes,
        [&json!("EXECUTION_FAILED"), &json!("INVALID_ARGUMENTS"), &Value::Null, &json!("BUDGET_EXCEEDED")]
    );
}

#[test]
fn a_window_slides() {
    let space = shop("  - {id: orders, tools: [order], per: tenant, count: 2, window: 1h}");
    order(&space, &json!({"ref": "A"}));
    order(&space, &json!({"ref": "B"}));
    let denied = order(&space, &json!({"ref": "C"}));
    let hint = denied["error"]["hint"].as_str().unwrap();
    assert!(
        hint.starts_with("enough of it frees at 2") && hint.ends_with("; 0 is left until then"),
        "{hint}"
    );
    assert_eq!(denied["error"]["retry"], "later");
    let oldest = Connection::open(store(&space).unwrap()).unwrap();
    oldest
        .execute_batch("UPDATE charge SET at = at - 3600000 WHERE at = (SELECT MIN(at) FROM charge)")
        .unwrap();
    assert_eq!(status(&order(&space, &json!({"ref": "C"}))), "succeeded");
    assert_eq!(code(&order(&space, &json!({"ref": "D"}))), "BUDGET_EXCEEDED");
}

#[test]
fn a_person_can_let_one_call_go_over() {
    let space = shop(
        "  - {id: spend, tools: [order], per: tenant, sum: arguments.minor, limit: 10, over: require_approval, approval: {expires: 1h}}",
    );
    order(&space, &json!({"ref": "A", "minor": 8}));
    let line = call("c", "order", &json!({"ref": "B", "minor": 5}));
    let asked = space.answer(&line);
    assert_eq!((status(&asked), code(&asked)), ("input_required", "APPROVAL_REQUIRED"));
    let id = asked["error"]["hint"]
        .as_str()
        .unwrap()
        .split('`')
        .find_map(|part| part.strip_prefix("tgw approvals show "));
    let id = id.unwrap().to_owned();
    let shown = space.tgw(["approvals", "show", &id]).text();
    assert!(
        shown.contains(
            "the budget `spend` of this tenant would be exceeded: 8 of 10 used, and this call takes 5"
        ),
        "{shown}"
    );
    let digest = shown.lines().find_map(|line| line.strip_prefix("question digest: ")).unwrap().to_owned();
    space.tgw(["approvals", "approve", &id, "--digest", &digest]).ended();
    let answer = space.answer(&line);
    assert_eq!(status(&answer), "succeeded");
    assert_eq!((taken(&space), &used(&space, &[])[0]["used"]), (2, &json!(13)));
    // The yes was to that call.
    assert_eq!(status(&order(&space, &json!({"ref": "C", "minor": 0}))), "input_required");
    assert_eq!(taken(&space), 2);
    let story = space.tgw(["audit", "show", answer["receipt"].as_str().unwrap()]).text();
    let chain = story.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(chain.contains("spend: 5, beyond the limit with a person's yes"), "{chain}");
}

#[test]
fn check_shows_what_a_call_would_take_and_takes_nothing() {
    let space = shop("  - {id: spend, tools: [order], per: user, sum: arguments.minor, limit: 10}");
    let line = call("c", "order", &json!({"ref": "A", "minor": 4}));
    let check = |space: &Space| {
        let text =
            space.tgw(["check"]).with_files().and(&["--user", "ann"]).stdin(format!("{line}\n")).text();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let before = json!([{"id": "spend", "per": "user", "limit": 10, "used": 0, "takes": 4, "over": false}]);
    for _ in 0..3 {
        assert_eq!(check(&space)["budgets"], before);
    }
    assert!(store(&space).is_none(), "a look makes no store");
    order_with(&space, &["--user", "ann"], &json!({"ref": "B", "minor": 7}));
    let full = check(&space);
    assert_eq!((&full["verdict"], &full["code"]), (&json!("deny"), &json!("BUDGET_EXCEEDED")));
    assert_eq!(full["budgets"][0]["over"], true);
    let text = space
        .tgw(["check", "--explain"])
        .with_files()
        .and(&["--user", "ann"])
        .stdin(format!("{line}\n"))
        .text();
    assert!(
        text.contains("budget     the budget `spend` of this user: 7 of 10 used, and this call takes 4"),
        "{text}"
    );
}

#[test]
fn a_look_at_budgets_shows_each_purse_of_this_tenant() {
    let space =
        shop("  - {id: spend, tools: [order], per: user, sum: arguments.minor, limit: 10, window: 24h}");
    assert_eq!(
        space.tgw(["budgets"]).with_files().text(),
        " ID     PER   WHOSE  GROUP  USED  LIMIT  WINDOW  FREES FROM\n spend  user                0     10     24h\n"
    );
    assert!(store(&space).is_none());
    order_with(&space, &["--user", "ann"], &json!({"ref": "A", "minor": 7}));
    order_with(&space, &["--user", "ann", "--tenant", "other"], &json!({"ref": "B", "minor": 1}));
    let purses = used(&space, &[]);
    assert_eq!(purses.as_array().unwrap().len(), 1, "{purses}");
    assert_eq!(
        (&purses[0]["whose"], &purses[0]["used"], &purses[0]["left"]),
        (&json!("ann"), &json!(7), &json!(3))
    );
}
