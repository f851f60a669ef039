//! What is erased must be gone, and nothing else; and that it was erased must stay.

use serde_json::{Value, json};

use super::fixture::{files_below, holds};
use crate::harness::{ALLOW, Space, call, content};

/// `note` writes a line that only its arguments hold; with `exits` above 0 nobody knows whether it did.
const NOTES: &str = r#"version: 1
tools:
  - name: note
    description: Notes.
    risk: write
    execution_mode: exclusive
    idempotency: {key: "{{arguments.key}}"}
    input_schema: {type: object, additionalProperties: false, required: [key, text], properties: {
      key: {type: string}, text: {type: string}, exits: {type: string, default: "0"}}}
    run: {command: {argv: [sh, -c, 'printf "kept %s" "$1"; exit "$2"', sh, "{{arguments.text}}", "{{arguments.exits}}"]}}
    sandbox: {level: none}
    result: {trust: trusted}
"#;

fn note(space: &Space, id: &str, text: &str, exits: &str) -> Value {
    space.answer(&call(id, "note", &json!({"key": id, "text": text, "exits": exits})))
}

fn erase(space: &Space, which: &[&str]) -> String {
    space.tgw(["audit", "erase", "--yes"]).and(which).text()
}

/// Whether any file of the state holds a text.
fn kept(space: &Space, text: &str) -> bool {
    files_below(&space.beside("state")).iter().any(|(_, bytes)| holds(bytes, text))
}

#[test]
fn arguments_do_not_lie_in_clear_in_the_audit_and_are_readable_until_they_are_erased() {
    let space = Space::with(NOTES, "version: 1\ndefault_verdict: deny\nrules: []\n");
    assert_eq!(note(&space, "c1", "marzipan", "0")["status"], "denied");
    assert!(space.tgw(["audit", "show", "c1"]).text().contains("marzipan"));
    assert!(!kept(&space, "marzipan"), "the store holds the arguments in clear");
    let done = erase(&space, &["--call", "c1"]);
    assert!(done.starts_with("erased: the details of 1 record\nreceipt: sha256:"), "{done}");
    let story = space.tgw(["audit", "show", "c1"]).text();
    assert!(!story.contains("marzipan") && story.contains("details     erased\n"), "{story}");
    assert_eq!(space.intact(), 2);
    let erasure = &space.records()[1];
    assert_eq!(erasure["record"]["kind"], "erasure");
    assert_eq!(erasure["record"]["erased"]["records"], json!([[1, 1]]));
    assert_eq!(erasure["detail"]["notes"]["selection"], "call c1");
}

#[test]
fn nothing_of_an_erased_call_is_left_in_any_file_and_its_key_stays_taken() {
    let space = Space::with(NOTES, ALLOW);
    for (id, text) in [("c1", "marzipan"), ("c2", "nougat")] {
        assert_eq!(content(&note(&space, id, text, "0")), format!("kept {text}"));
    }
    assert!(kept(&space, "marzipan"), "the kept result and the ledger hold it");
    let done = erase(&space, &["--call", "c1", "--reason", "asked to"]);
    assert!(done.contains("the details of 1 record, 1 kept result, 1 effect\n"), "{done}");
    assert!(!kept(&space, "marzipan"), "something is left");
    let twice = erase(&space, &["--call", "c1"]);
    assert!(twice.starts_with("nothing to erase: "), "{twice}");
    assert!(kept(&space, "nougat"), "the other call is untouched");
    let again = note(&space, "c1", "marzipan", "0");
    assert_eq!(
        (again["status"].as_str(), again["replayed"].as_bool()),
        (Some("succeeded"), Some(true)),
        "{again}"
    );
    assert!(again.get("content").is_none(), "{again}");
    let other = note(&space, "c1", "truffle", "0");
    assert_eq!(other["error"]["code"], "IDEMPOTENCY_CONFLICT", "{other}");
    space.intact();
}

#[test]
fn what_is_not_settled_keeps_what_is_needed_to_settle_it() {
    let space = Space::with(NOTES, ALLOW);
    assert_eq!(note(&space, "c1", "marzipan", "7")["status"], "unknown");
    let done = erase(&space, &["--call", "c1"]);
    assert!(done.contains("left: the arguments of effect e_"), "{done}");
    assert!(kept(&space, "marzipan"));
    let effects: Value = serde_json::from_str(&space.tgw(["effects", "list", "--json"]).text()).unwrap();
    let id = effects[0]["id"].as_str().unwrap();
    space.tgw(["effects", "resolve", id, "--as", "failed", "--evidence", "looked"]).text();
    erase(&space, &["--call", "c1"]);
    assert!(!kept(&space, "marzipan"), "something is left");
    space.intact();
}

#[test]
fn each_way_to_name_records_names_those_and_no_others() {
    let three = || {
        let space = Space::with(NOTES, ALLOW);
        for (user, task, id) in [("ann", "t1", "c1"), ("ann", "t2", "c2"), ("bo", "t1", "c3")] {
            space.write_beside("task.yaml", format!("version: 1\nid: {task}\n"));
            let file = space.beside("task.yaml").display().to_string();
            let line = call(id, "note", &json!({"key": id, "text": "x"}));
            space.stream(&[&line]).and(&["--task", &file, "--user", user]).answers();
        }
        space
    };
    let erased = |which: &[&str]| -> Vec<u64> {
        let space = three();
        erase(&space, which);
        let records = space.records().into_iter().filter(|listed| listed["record"]["kind"] != "erasure");
        let gone = records.filter(|listed| listed["detail"].is_null());
        gone.map(|listed| listed["record"]["seq"].as_u64().unwrap()).collect()
    };
    let none: [u64; 0] = [];
    // Each call has an intent with its arguments and an outcome.
    let outcomes_without = erased(&["--record", "99"]);
    let all = |numbers: &[u64]| -> Vec<u64> {
        let mut all = [outcomes_without.as_slice(), numbers].concat();
        all.sort_unstable();
        all.dedup();
        all
    };
    assert_eq!(erased(&["--record", "1"]), all(&[1]));
    assert_eq!(erased(&["--record", "1", "--record", "5"]), all(&[1, 5]));
    assert_eq!(erased(&["--call", "c2"]), all(&[3]));
    assert_eq!(erased(&["--task", "t1"]), all(&[1, 5]));
    assert_eq!(erased(&["--user", "ann"]), all(&[1, 3]));
    assert_eq!(erased(&["--user", "ann", "--task", "t1"]), all(&[1]));
    assert_eq!(erased(&["--before", "2020-01-01"]), all(&none));
    assert_eq!(erased(&["--before", "9999-01-01"]), all(&[1, 3, 5]));
}

#[test]
fn without_a_terminal_or_the_persons_word_nothing_is_erased() {
    let space = Space::with(NOTES, ALLOW);
    note(&space, "c1", "marzipan", "0");
    space
        .tgw(["audit", "erase", "--call", "c1"])
        .stderr(
            "error: no terminal to ask about the details of 1 record, 1 kept result, 1 effect\n\
             hint: look at them with `tgw audit show`, then run it again with `--yes`\n",
        )
        .status(2)
        .holds();
    assert!(space.tgw(["audit", "show", "c1"]).text().contains("marzipan"));
    let refused = space.tgw(["audit", "erase", "--yes"]).ended();
    assert_eq!(refused.status, Some(2), "nothing names everything: {}", refused.stderr);
    let refused = space.tgw(["audit", "erase", "--yes", "--before", "tomorrow"]).ended();
    assert_eq!(refused.status, Some(2), "{}", refused.stderr);
}

#[test]
fn another_tenants_records_stay() {
    let space = Space::with(NOTES, ALLOW);
    for tenant in ["local", "other"] {
        let line = call("c1", "note", &json!({"key": "k", "text": format!("from {tenant}")}));
        space.stream(&[&line]).and(&["--tenant", tenant]).answers();
    }
    erase(&space, &["--before", "9999-01-01"]);
    assert!(!kept(&space, "from local") && kept(&space, "from other"));
    assert!(space.tgw(["audit", "show", "c1", "--tenant", "other"]).text().contains("from other"));
}
