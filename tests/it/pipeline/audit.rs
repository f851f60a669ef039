//! No record, no execution.

use serde_json::json;

use crate::harness::{ALLOW, Space, call, code, outcomes};

const TOOLS: &str = include_str!("../../../tools.yaml");

fn write(id: &str) -> String {
    call(id, "write_file", &json!({"path": id, "content": "x"}))
}

#[test]
fn where_nothing_can_be_recorded_nothing_runs() {
    let space = Space::with(TOOLS, ALLOW);
    space.write("f", "a\n").write_beside("taken", "");
    // Root writes everywhere, so the store is put where nobody can have one: below a file.
    let state = space.beside("taken/below/state.db").display().to_string();
    let answers = space
        .stream(&[&write("w"), &call("r", "read_file", &json!({"path": "f"}))])
        .and(&["--state", &state])
        .answers();
    assert_eq!(outcomes(&answers), [("w", "failed"), ("r", "failed")]);
    for answer in &answers {
        assert_eq!(code(answer), "AUDIT_UNAVAILABLE");
        assert!(answer.get("receipt").is_none() && answer.get("content").is_none(), "{answer}");
    }
    assert_eq!(space.read("w"), None);
}

#[test]
fn a_place_that_can_hold_no_store_is_a_configuration_error() {
    let space = Space::with(TOOLS, ALLOW);
    std::fs::create_dir_all(space.beside("folder/state.db")).unwrap();
    let state = space.beside("folder/state.db").display().to_string();
    space
        .stream(&[&write("w")])
        .and(&["--state", &state])
        .stderr(
            "error: `[SPACE]/folder/state.db` is no safe place for state: it is not a regular file\n\
             hint: name another store with `--state`\n",
        )
        .status(2)
        .holds();
    assert_eq!(space.read("w"), None);
}

#[test]
fn a_damaged_store_is_not_written_to() {
    let space = Space::with(TOOLS, ALLOW);
    space.write_beside(
        "kept/state.db",
        "this is no database, and it is longer than a header of one".repeat(40),
    );
    let state = space.beside("kept/state.db").display().to_string();
    let answers = space.stream(&[&write("w")]).and(&["--state", &state]).answers();
    assert_eq!(code(&answers[0]), "AUDIT_UNAVAILABLE");
    assert_eq!(space.read("w"), None);
}

#[test]
fn processes_that_share_a_store_share_one_intact_chain() {
    let space = Space::with(TOOLS, ALLOW);
    space.write("f", "a\n");
    let input = |process: usize| -> String {
        (0..10)
            .flat_map(|number| {
                let read = call(&format!("r{number}"), "read_file", &json!({"path": "f"}));
                [write(&format!("w{process}-{number}")), read]
            })
            .map(|line| format!("{line}\n"))
            .collect()
    };
    let (space, input) = (&space, &input);
    let answered: usize = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..10)
            .map(|process| {
                scope.spawn(move || space.tgw(["run"]).with_files().stdin(input(process)).answers())
            })
            .collect();
        runs.into_iter()
            .map(|run| {
                let answers = run.join().unwrap();
                assert!(answers.iter().all(|answer| answer["status"] == "succeeded"), "{answers:#?}");
                answers.len()
            })
            .sum()
    });
    assert_eq!(answered, 200);
    // A write has an intent and an outcome, a read one record.
    assert_eq!(space.intact(), 300);
}

#[test]
fn every_receipt_is_in_the_chain() {
    let space = Space::with(TOOLS, ALLOW);
    let answers = space.answers(&[&write("a"), &write("b"), r#"{"id":"x","name":"nope"}"#, "{"]);
    let mut verify = space.tgw(["audit", "verify"]);
    for answer in &answers {
        verify = verify.and(&["--receipt", answer["receipt"].as_str().unwrap()]);
    }
    let text = verify.text();
    assert_eq!(text.matches("found: ").count(), 4, "{text}");
}

#[test]
fn tenants_have_chains_of_their_own() {
    let space = Space::with(TOOLS, ALLOW);
    space.stream(&[&write("a")]).and(&["--tenant", "one"]).answers();
    space.stream(&[&write("b")]).and(&["--tenant", "two"]).answers();
    for tenant in ["one", "two"] {
        let text = space.tgw(["audit", "verify", "--tenant", tenant]).text();
        assert!(text.starts_with(&format!("intact: 2 records of `{tenant}`")), "{text}");
    }
}
