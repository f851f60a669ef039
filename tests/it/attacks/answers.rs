//! Faking, moving or replaying an answer to a stored question.

use serde_json::json;

use crate::approvals::fixture::*;
use crate::place::{Place, verdict};

const ASKED: &str = "input_required/APPROVAL_REQUIRED";

fn approved(word: &str) -> (Place, String) {
    let (place, id) = asked(word);
    approve(&place, &id);
    (place, id)
}

fn run(place: &Place, id: &str) -> String {
    let ended = place.ask(&["approvals", "run", id]);
    if ended.stdout.is_empty() { format!("{:?}", ended.code) } else { verdict(&ended.line()) }
}

#[test]
fn a_yes_that_was_written_into_the_store_is_worth_nothing_by_any_way() {
    for change in [
        "UPDATE approval SET state = 'approved', answered = created, answered_by = 'root'",
        "UPDATE approval SET state = 'approved', answered = created, answered_by = 'root', seal = NULL",
        "UPDATE approval SET state = 'approved', answered = created, answered_by = 'root', seal = zeroblob(32)",
    ] {
        let (place, id) = asked("hello");
        alter(&place, change);
        assert_eq!(run(&place, &id), "Some(1)", "{change}");
        assert_eq!(verdict(&send(&place, &[], "c1", "hello")), ASKED, "{change}");
        let answered = place.ask(&["approvals", "approve", &id, "--digest", "sha256:00"]);
        assert!(answered.stderr.contains("is not believed"), "{answered:?}");
        assert!(place.audit().iter().any(|one| one["record"]["approval"]["answer"] == "not_believed"));
        assert!(said(&place).is_empty(), "{change}");
    }
}

#[test]
fn a_spent_yes_that_was_made_fresh_in_the_store_is_worth_nothing() {
    let (place, id) = approved("hello");
    assert_eq!(run(&place, &id), "succeeded");
    alter(&place, "UPDATE approval SET spent = NULL");
    assert_eq!(run(&place, &id), "Some(1)");
    assert_eq!(verdict(&send(&place, &[], "c1", "hello")), ASKED);
    assert_eq!(said(&place), ["hello"]);
}

#[test]
fn a_yes_that_was_copied_under_another_id_is_worth_nothing() {
    let (place, id) = approved("hello");
    let columns = "tenant, user, agent, agent_version, task, step, tool, call, binding, question, created, expires, state, answered, answered_by, feedback, spent, likeness, seal";
    alter(
        &place,
        &format!("INSERT INTO approval (id, {columns}) SELECT 'a_aaaaaaaaaaaaaaaa', {columns} FROM approval"),
    );
    assert_eq!(run(&place, "a_aaaaaaaaaaaaaaaa"), "Some(1)");
    assert_eq!(run(&place, &id), "succeeded");
    assert_eq!(run(&place, "a_aaaaaaaaaaaaaaaa"), "Some(1)");
    assert_eq!(said(&place), ["hello"]);
}

#[test]
fn the_call_under_a_yes_cannot_be_exchanged() {
    let (place, id) = approved("harmless");
    let other = approval_id(&send(&place, &[], "c2", "harmful"));
    for column in ["call", "binding", "question"] {
        alter(
            &place,
            &format!(
                "UPDATE approval SET {column} = (SELECT {column} FROM approval WHERE id = '{other}') WHERE id = '{id}'"
            ),
        );
        assert_eq!(run(&place, &id), "Some(1)", "{column}");
        assert_eq!(verdict(&send(&place, &[], "c9", "harmful")), ASKED, "{column}");
    }
    assert!(said(&place).is_empty());
}

#[test]
fn a_yes_to_one_call_is_none_to_any_other() {
    let (place, id) = approved("hello");
    for arguments in
        [json!({"word": "hello "}), json!({"word": "hello", "note": "x"}), json!({"word": "Hello"})]
    {
        assert_eq!(verdict(&place.call("say", arguments.clone())), ASKED, "{arguments}");
    }
    assert!(said(&place).is_empty());
    assert_eq!(run(&place, &id), "succeeded");
}

#[test]
fn a_contract_or_a_policy_that_changed_since_the_yes_makes_it_worthless() {
    let (place, id) = approved("hello");
    let policies = [
        (POLICY.replace("id: ask,", "id: ask-again,"), ASKED),
        (POLICY.replace("require_approval", "deny"), "denied/PERMISSION_DENIED"),
        (POLICY.replace("reason: it writes a log", "approval: {count: 2}"), ASKED),
        (POLICY.replace("rules: [", "rules: [{id: too, verdict: require_approval, tools: [say]}, "), ASKED),
    ];
    for (policy, expected) in policies {
        place.configure(TOOLS, &policy);
        assert_eq!(run(&place, &id), expected, "{policy}");
        assert_ne!(verdict(&send(&place, &[], "c1", "hello")), "succeeded", "{policy}");
    }
    for tools in [
        TOOLS.replace("[tee, -a, ran.log]", "[tee, -a, other.log]"),
        TOOLS.replace("a word into a log", "a word into the log"),
        TOOLS.replace("default: none", "default: some"),
    ] {
        place.configure(&tools, POLICY);
        let ran = place.ask(&["approvals", "run", &id]).line();
        assert_eq!(ran["error"]["code"], "CONTRACT_CHANGED", "{tools}");
        assert_ne!(verdict(&send(&place, &[], "c1", "hello")), "succeeded", "{tools}");
    }
    place.configure(TOOLS, POLICY);
    assert_eq!(run(&place, &id), "succeeded");
    assert_eq!(said(&place), ["hello"]);
    assert!(!place.workspace().join("other.log").exists());
}

#[test]
fn a_file_that_changed_since_its_preview_was_approved_is_not_overwritten() {
    let place = Place::new();
    place.configure(super::fixture::SHIPPED, super::fixture::ASK.replace("[[/word]]", "[[/path]]").as_str());
    place.file("a.txt", "one\n");
    let call = json!({ "id": "c1", "name": "write_file", "arguments": { "path": "a.txt", "content": "two\n", "mode": "replace" } });
    let id = approval_id(&place.run(&[], format!("{call}\n")).line());
    approve(&place, &id);
    place.file("a.txt", "changed by someone\n");
    assert_ne!(run(&place, &id), "succeeded");
    assert_eq!(std::fs::read_to_string(place.workspace().join("a.txt")).unwrap(), "changed by someone\n");
}

#[test]
fn an_answer_to_what_was_shown_before_is_none_to_what_is_there_now() {
    let (place, id) = asked("hello");
    let old = shown_digest(&place, &id);
    let other = approval_id(&send(&place, &[], "c2", "harmful"));
    let late = place.ask(&["approvals", "approve", &other, "--digest", &old]);
    assert_eq!(late.code, Some(1), "{late:?}");
    assert_eq!(state_of(&place, &other), "pending");
}

#[test]
fn an_expired_question_is_final_for_every_way_there_is() {
    let policy = POLICY.replace("reason: it writes a log", "approval: {expires: 1ms}");
    let place = place_with(&policy);
    let task = place.aside("t.yaml", "version: 1\nid: tidy\n").to_str().unwrap().to_owned();
    let first = send(&place, &["--task", &task], "c1", "hello");
    assert_eq!(verdict(&first), ASKED);
    let id = approval_id(&first);
    let late = place.ask(&["approvals", "approve", &id, "--digest", &shown_digest(&place, &id)]);
    assert!(late.code == Some(1) && late.stderr.contains("expired at"), "{late:?}");
    let ran = place.ask(&["approvals", "run", &id]);
    assert_eq!((&ran.line()["error"]["code"], ran.code), (&json!("APPROVAL_EXPIRED"), Some(3)));
    for call in ["c1", "c2"] {
        assert_eq!(verdict(&send(&place, &["--task", &task], call, "hello")), "denied/APPROVAL_EXPIRED");
    }
    assert_eq!(state_of(&place, &id), "expired");
    let ends = place.audit().iter().filter(|one| one["record"]["approval"]["answer"] == "expired").count();
    assert_eq!(ends, 1);
    assert!(said(&place).is_empty());
}
