//! Several gateways on one store, on a server.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::attacks::{race_and_kill, shop};
use crate::harness::{Space, call, code, status};
use crate::pipeline::signal;
use crate::server::Database;

const ORDER_ASKS: &str = "version: 1\nrules: [{id: ask, verdict: require_approval, tools: [order]}]\n";

fn order(reference: &str) -> String {
    call(reference, "order", &json!({"shop": "s", "ref": reference}))
}

fn taken(space: &Space) -> usize {
    space.read("m/orders").unwrap().lines().count()
}

#[test]
fn killing_racing_gateways_on_one_server_makes_no_second_effect() {
    for round in 0..6 {
        let Some(space) = shop("").on_server() else { return };
        race_and_kill(&space, round);
    }
}

#[test]
fn what_one_process_did_the_next_replays_from_the_server() {
    let Some(space) = shop("").on_server() else { return };
    assert_eq!(status(&space.answer(&order("R"))), "succeeded");
    let again = space.answer(&order("R"));
    assert_eq!((status(&again), &again["replayed"]), ("succeeded", &json!(true)));
    assert_eq!(taken(&space), 1);
    assert!(space.intact() > 0);
    let found: Vec<_> =
        fs::read_dir(space.beside("state/tgw")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!found.iter().any(|path| path.join("state.db").exists()), "{found:?}");
}

#[test]
fn a_store_on_a_server_wants_a_tenant_named() {
    let Some(database) = Database::new() else { return };
    let space = shop("");
    let address = database.address();
    let ended = space.tgw(["audit", "list", "--state", &address]).ended();
    assert_eq!(ended.status, Some(2));
    assert!(ended.stderr.contains("--tenant"), "{}", ended.stderr);
    assert_eq!(space.tgw(["audit", "list", "--state", &address, "--tenant", "acme"]).ended().status, Some(0));
}

#[test]
fn a_machine_with_another_key_runs_nothing_until_it_has_the_right_one() {
    let Some(space) = shop("").on_server() else { return };
    space.write_beside("files/policy.yaml", ORDER_ASKS);
    assert_eq!(status(&space.stream(&[&order("R")]).answers()[0]), "input_required");
    let waiting: Vec<Value> =
        serde_json::from_str(&space.tgw(["approvals", "list", "--json"]).text()).unwrap();
    let text = |name: &str| waiting[0][name].as_str().unwrap().to_owned();
    let (id, digest) = (text("id"), text("question_digest"));
    let other = space.beside("other");
    fs::create_dir_all(&other).unwrap();
    let elsewhere = |arguments: &[&str]| {
        space
            .tgw(arguments.iter().copied())
            .with_files()
            .variable("XDG_STATE_HOME", other.to_str().unwrap())
            .ended()
    };
    let refused = elsewhere(&["call", "order", r#"{"shop":"s","ref":"R2"}"#]);
    assert_eq!(refused.status, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("seal.key"), "{}", refused.stderr);
    fs::create_dir_all(other.join("tgw")).unwrap();
    fs::copy(space.beside("state/tgw/seal.key"), other.join("tgw/seal.key")).unwrap();
    fs::set_permissions(other.join("tgw"), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let other_home = other.to_str().unwrap();
    let said = space
        .tgw(["approvals", "approve", &id, "--digest", &digest])
        .variable("XDG_STATE_HOME", other_home)
        .ended();
    assert_eq!(said.status, Some(0), "{said:?}");
    let ran = elsewhere(&["approvals", "run", &id]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert_eq!(taken(&space), 1);
    // The yes is spent, for this machine too.
    let spent = space.tgw(["approvals", "run", &id]).with_files().status(4).text();
    let answer: Value = serde_json::from_str(&spent).unwrap();
    assert_eq!((code(&answer), taken(&space)), ("APPROVAL_REQUIRED", 1));
}

#[test]
fn while_the_server_is_away_nothing_runs_and_afterwards_calls_run_again() {
    let Some(space) = shop("").on_server() else { return };
    let mut running = space.stream(&[]).start();
    let mut input = running.stdin.take().unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    let mut answer = |line: String| -> Value {
        writeln!(input, "{line}").unwrap();
        serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()
    };
    assert_eq!(status(&answer(order("one"))), "succeeded");
    // Whoever is thrown out comes back.
    space.server().disconnect();
    let back = answer(order("two"));
    assert_eq!(status(&back), "succeeded", "{back}");
    space.server().let_in(false);
    let away = answer(order("three"));
    assert_eq!(code(&away), "AUDIT_UNAVAILABLE");
    assert_eq!(taken(&space), 2);
    space.server().let_in(true);
    assert_eq!(status(&answer(order("four"))), "succeeded");
    drop(input);
    assert!(running.wait().unwrap().success());
    assert_eq!(taken(&space), 3);
    space.intact();
}

#[test]
fn an_effect_whose_gateway_was_killed_is_unknown_to_every_other() {
    let Some(space) = shop(
        r#"  - name: slow
    description: Writes and never ends.
    risk: write
    idempotency: {key: "{{arguments.ref}}"}
    execution_mode: exclusive
    input_schema: {type: object, required: [ref], properties: {ref: {type: string}}}
    run: {command: [sh, -c, 'echo slow >> m/orders; exec sleep 60']}
    sandbox: *none
    result: *trust
"#,
    )
    .on_server() else {
        return;
    };
    let mut running = space.tgw(["call", "slow", r#"{"ref":"R"}"#]).with_files().start();
    while taken(&space) == 0 {
        assert!(running.try_wait().unwrap().is_none(), "it ended before it began");
        std::thread::yield_now();
    }
    signal(running.id(), Signal::KILL);
    running.wait().unwrap();
    let after = space.answer(&call("c", "slow", &json!({"ref": "R"})));
    assert_eq!((status(&after), taken(&space)), ("unknown", 1));
    space.intact();
}

#[test]
fn what_is_unknown_and_safe_to_send_again_goes_out_again() {
    let Some(space) = shop(
        r#"  - name: send
    description: Breaks once, and recognises its key.
    risk: external
    execution_mode: exclusive
    idempotency: {key: "{{arguments.ref}}", retry: safe}
    input_schema: {type: object, required: [ref], properties: {ref: {type: string}}}
    run: {command: [sh, -c, 'echo sent >> m/orders; [ "$(wc -l < m/orders)" = 2 ]']}
    sandbox: *none
    result: *trust
"#,
    )
    .on_server() else {
        return;
    };
    let send = || space.answer(&call("c", "send", &json!({"ref": "R"})));
    assert_eq!(status(&send()), "unknown");
    let again = send();
    assert_eq!((status(&again), taken(&space)), ("succeeded", 2), "{again}");
    assert_eq!((send()["replayed"].as_bool(), taken(&space)), (Some(true), 2));
}

#[test]
fn a_store_is_moved_to_a_server_with_all_that_it_knows() {
    let Some(database) = Database::new() else { return };
    let space = shop("");
    assert_eq!(status(&space.answer(&order("R"))), "succeeded");
    let records = space.intact();
    let address = database.address();
    let moved = space.tgw(["state", "migrate", &address]).ended();
    assert_eq!(moved.status, Some(0), "{moved:?}");
    let refused = space.tgw(["call", "order", r#"{"shop":"s","ref":"R2"}"#]).with_files().ended();
    assert_eq!(refused.status, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("moved to a server"), "{}", refused.stderr);
    let there = |arguments: &[&str]| {
        space
            .tgw(arguments.iter().copied())
            .with_files()
            .variable("TGW_STATE", &address)
            .variable("TGW_TENANT", "local")
            .ended()
    };
    let again: Value =
        serde_json::from_str(&there(&["call", "order", r#"{"shop":"s","ref":"R"}"#]).stdout).unwrap();
    assert_eq!((status(&again), &again["replayed"]), ("succeeded", &json!(true)));
    assert_eq!(taken(&space), 1);
    let verified = space.tgw(["audit", "verify", "--state", &address, "--tenant", "local"]).ended();
    assert!(verified.stdout.starts_with("intact: "), "{verified:?}");
    assert!(records > 0);
    assert_eq!(space.tgw(["state", "migrate", &address]).ended().status, Some(1));
}

#[test]
fn a_statement_that_another_hand_put_on_the_server_stops_every_call() {
    let Some(space) = shop("").on_server() else { return };
    assert_eq!(status(&space.answer(&order("one"))), "succeeded");
    space.server().run("CREATE RULE quiet AS ON INSERT TO tgw.record DO INSTEAD NOTHING");
    assert_eq!(code(&space.answer(&order("two"))), "AUDIT_UNAVAILABLE");
    assert_eq!(taken(&space), 1);
}
