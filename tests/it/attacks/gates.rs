//! Getting a task through the gate of a step without the answers that it takes.

use serde_json::{Value, json};

use super::fixture::{script, shell};
use super::signers::{answers, forge};
use crate::approvals::fixture::*;
use crate::approvals::gates::{GATED, Gate, asked_at};

/// Puts answers into the store as if the question had been approved with them, and seals it as tgw would.
fn approve_with(gate: &Gate, id: &str, answers: &[Value]) {
    let text = json!(answers).to_string().replace('\'', "''");
    forge(
        &gate.place,
        &format!(
            "UPDATE approval SET state = 'approved', answered = created, answered_by = 'ann, bo', answers = '{text}'
             WHERE id = '{id}'"
        ),
    );
}

/// The task does not enter by any way.
fn stays_out(gate: &Gate, task: &str, step: &str, what: &str) {
    let before = gate.step_of(task);
    let refused = gate.enters(task, step);
    assert!(matches!(refused.code, Some(3 | 4)), "{what}: {refused:?}");
    assert_eq!(gate.step_of(task), before, "{what}");
}

#[test]
fn an_answer_that_was_written_into_the_store_lets_nobody_in() {
    let gate = Gate::new();
    let id = gate.ask();
    alter(&gate.place, "UPDATE approval SET state = 'approved', answered = created, answered_by = 'ann, bo'");
    stays_out(&gate, "T-1", "act", "without a seal");
    let gate = Gate::new();
    let id = (gate.ask(), id).0;
    forge(&gate.place, "UPDATE approval SET state = 'approved', answered = created, answered_by = 'ann, bo'");
    assert_eq!(state_of(&gate.place, &id), "approved", "the seal fits");
    stays_out(&gate, "T-1", "act", "with a seal and no answers");
    let doubts = gate.place.audit();
    assert!(doubts.iter().any(|one| one["record"]["approval"]["answer"] == "not_believed"), "{doubts:?}");
    gate.place.ask(&["approvals", "revoke", &id]);
    let id = gate.ask();
    gate.yes(&id, "ann");
    let real = answers(&gate.place, &id);
    let mut renamed = real[0].clone();
    renamed["approver"] = json!("bo");
    let mut unsigned = renamed.clone();
    unsigned["signature"] = json!("");
    for forged in [renamed, unsigned, real[0].clone()] {
        approve_with(&gate, &id, &[real[0].clone(), forged.clone()]);
        stays_out(&gate, "T-1", "act", &forged.to_string());
        assert_ne!(gate.place.ask(&["approvals", "run", &id]).code, Some(0), "{forged}");
    }
    assert_eq!(gate.step_of("T-1"), "look");
}

#[test]
fn a_question_that_says_it_takes_anybodys_yes_lets_nobody_in_where_the_gate_takes_signed_ones() {
    let gate = Gate::new();
    let id = gate.ask();
    forge(&gate.place, "UPDATE approval SET call = replace(call, '\"signed\":true', '\"signed\":false')");
    let told = answer(&gate.place, "approve", &id, &[]);
    assert_eq!(told.code, Some(0), "{told:?}");
    stays_out(&gate, "T-1", "act", "an unsigned yes");
}

#[test]
fn an_answer_is_worth_nothing_for_another_task_step_data_policy_or_requester() {
    let gate = Gate::new();
    gate.start("T-2");
    let id = gate.ask();
    gate.yes(&id, "ann");
    gate.yes(&id, "bo");
    stays_out(&gate, "T-2", "act", "another task");
    stays_out(&gate, "T-1", "other", "another step");
    let other = |more: &[&str]| {
        let ended = gate.place.ask(&[&["task", "step", "T-1", "act"], more].concat());
        assert_eq!(ended.code, Some(4), "{more:?}: {ended:?}");
    };
    other(&["--user", "dan", "--data", r#"{"chosen":"S-2"}"#]);
    other(&["--user", "eve"]);
    other(&["--user", "dan", "--agent", "other"]);
    other(&["--user", "dan", "--facts", r#"{"weekend":true}"#]);
    gate.place.configure(TOOLS, &format!("{GATED}# changed\n"));
    other(&["--user", "dan"]);
    gate.place.configure(TOOLS, GATED);
    assert_eq!(gate.step_of("T-1"), "look");
    assert_eq!(gate.enters("T-1", "act").code, Some(0), "as it was asked, it holds");
}

#[test]
fn answers_that_are_moved_to_another_question_count_for_nothing() {
    let gate = Gate::new();
    gate.start("T-2");
    let (wanted, signed) = (gate.ask(), asked_at(&gate.enters("T-2", "act")));
    gate.yes(&signed, "ann");
    gate.yes(&signed, "bo");
    approve_with(&gate, &wanted, &answers(&gate.place, &signed));
    stays_out(&gate, "T-1", "act", "replayed");
    for column in ["binding", "question", "call"] {
        forge(
            &gate.place,
            &format!(
                "UPDATE approval SET {column} = (SELECT {column} FROM approval WHERE id = '{signed}') WHERE id = '{wanted}'"
            ),
        );
        stays_out(&gate, "T-1", "act", column);
    }
}

#[test]
fn what_approvers_signed_under_another_text_lets_nobody_in() {
    let gate = Gate::new();
    gate.start("T-2");
    let (wanted, harmless) = (gate.ask(), asked_at(&gate.enters("T-2", "act")));
    // Before anyone signs: the harmless text over the binding of the other entrance.
    forge(
        &gate.place,
        &format!(
            "UPDATE approval SET binding = (SELECT binding FROM approval WHERE id = '{wanted}'),
               likeness = (SELECT likeness FROM approval WHERE id = '{wanted}') WHERE id = '{harmless}';
             DELETE FROM approval WHERE id = '{wanted}'"
        ),
    );
    gate.yes(&harmless, "ann");
    gate.yes(&harmless, "bo");
    assert_eq!(state_of(&gate.place, &harmless), "approved");
    stays_out(&gate, "T-1", "act", "another text");
    assert_ne!(gate.place.ask(&["approvals", "run", &harmless]).code, Some(0));
    assert_eq!((gate.step_of("T-1"), gate.step_of("T-2")), (json!("look"), json!("look")));
}

#[test]
fn who_asks_does_not_let_themselves_in_nor_one_person_twice() {
    let gate = Gate::new();
    let id = gate.ask();
    for name in ["dan", "Dan"] {
        let key = join(&gate.place, name);
        let own = sign(&gate.place, "approve", &id, name, &key);
        assert!(own.code == Some(1) && own.stderr.contains("may not answer"), "{own:?}");
    }
    gate.yes(&id, "ann");
    let again = sign(&gate.place, "approve", &id, "ann", gate.key("ann"));
    assert!(again.code == Some(1) && again.stderr.contains("has answered"), "{again:?}");
    stays_out(&gate, "T-1", "act", "one of two");
    let any = GATED.replace("by: [finance], count: 2", "count: 2");
    let gate = Gate::under(&any);
    let id = gate.ask();
    gate.yes(&id, "ann");
    let upper = join(&gate.place, "ANN");
    let told = sign(&gate.place, "approve", &id, "ANN", &upper);
    assert!(!told.stdout.starts_with(&format!("{id}: approved\n")), "{told:?}");
    stays_out(&gate, "T-1", "act", "one person under two spellings");
}

#[test]
fn an_answer_is_used_once_and_an_expired_one_never() {
    let gate = Gate::new();
    let id = gate.ask();
    gate.yes(&id, "ann");
    gate.yes(&id, "bo");
    assert_eq!(gate.enters("T-1", "act").code, Some(0));
    assert_eq!(gate.enters("T-1", "look").code, Some(0));
    let again = asked_at(&gate.enters("T-1", "act"));
    assert_ne!(again, id, "it is asked anew");
    gate.yes(&again, "ann");
    forge(&gate.place, &format!("UPDATE approval SET created = 1, expires = 2 WHERE id = '{again}'"));
    let digest = shown_digest(&gate.place, &again);
    let late = gate.place.ask(&[
        "approvals",
        "approve",
        &again,
        "--as",
        "bo",
        "--key",
        gate.key("bo"),
        "--digest",
        &digest,
    ]);
    assert!(late.code == Some(1) && late.stderr.contains("expired at"), "{late:?}");
    let refused = gate.enters("T-1", "act");
    assert!(refused.code == Some(3) && refused.stderr.contains("has expired"), "{refused:?}");
    // A whole yes whose time is over is worth nothing either.
    let gate = Gate::new();
    let id = gate.ask();
    gate.yes(&id, "ann");
    gate.yes(&id, "bo");
    forge(&gate.place, "UPDATE approval SET expires = answered + 1");
    stays_out(&gate, "T-1", "act", "an old yes");
}

#[test]
fn an_approver_who_was_removed_has_let_nobody_in() {
    let gate = Gate::new();
    let id = gate.ask();
    gate.yes(&id, "ann");
    gate.yes(&id, "bo");
    assert_eq!(gate.place.ask(&["approvers", "remove", "ann"]).code, Some(0));
    stays_out(&gate, "T-1", "act", "removed");
}

#[test]
fn a_call_cannot_enter_with_answers_that_are_there() {
    let gate = Gate::new();
    let id = gate.ask();
    gate.yes(&id, "ann");
    gate.yes(&id, "bo");
    gate.place.configure(&shell("{level: none}"), GATED);
    let tgw = crate::harness::BINARY;
    let home = gate.place.state().parent().unwrap().display().to_string();
    let aside = gate.place.aside("none", "").parent().unwrap().display().to_string();
    let files = format!("--tools {aside}/tools.yaml --policy {aside}/policy.yaml");
    for words in [format!("task step T-1 act --user dan {files}"), format!("approvals run {id} {files}")] {
        for prefix in ["", "setsid -w ", "env -i "] {
            let text = format!("{prefix}env XDG_STATE_HOME={home} {tgw} {words} 2>&1; echo done $?");
            let told = script(&gate.place, &text);
            let said = told["content"].as_str().unwrap_or_default();
            assert!(
                said.contains("a command that a call runs cannot") && said.contains("done 3"),
                "{text}: {told}"
            );
        }
    }
    assert_eq!(gate.step_of("T-1"), "look");
}
