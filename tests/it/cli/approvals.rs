//! `tgw approvals`

use serde_json::Value;

use crate::harness::{Space, outcomes};

/// A space in which one question waits, and its id.
fn asked() -> (Space, String) {
    let space = Space::new();
    let answers = space
        .tgw(["run", "--user", "ann"])
        .lines_in(&[r#"{"id":"w1","name":"write_file","arguments":{"path":"g.txt","content":"the end"}}"#])
        .answers();
    assert_eq!(outcomes(&answers), [("w1", "input_required")]);
    let hint = answers[0]["error"]["hint"].as_str().unwrap();
    let id = hint.split('`').nth(1).and_then(|command| command.rsplit(' ').next()).unwrap().to_owned();
    (space, id)
}

#[test]
fn a_question_without_a_terminal_waits_and_is_listed() {
    let (space, id) = asked();
    let list: Vec<Value> = serde_json::from_str(&space.tgw(["approvals", "list", "--json"]).text()).unwrap();
    assert_eq!(list.len(), 1);
    assert_eq!(list[0]["id"], id.as_str());
    assert_eq!(list[0]["what"], "question");
    assert_eq!(list[0]["tool"], "write_file");
    assert_eq!(list[0]["state"], "pending");
    assert_eq!(list[0]["principal"]["user"], "ann");
    let text = space.tgw(["approvals", "list"]).text();
    assert!(text.contains(&id) && text.contains("pending"), "{text}");
}

#[test]
fn a_question_is_shown_as_it_would_be_asked() {
    let (space, id) = asked();
    let text = space.tgw(["approvals", "show", &id]).text();
    for part in [
        "write_file",
        "g.txt",
        "the end",
        "ask-before-writing",
        "it changes files in the workspace",
        "state: pending",
    ] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}

#[test]
fn asking_is_on_record() {
    let (space, id) = asked();
    let records = space.records();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0]["record"]["kind"], "approval");
    assert_eq!(records[0]["record"]["approval"]["id"], id.as_str());
    assert_eq!(space.intact(), 1);
}

#[test]
fn the_audit_tells_the_story_of_a_question() {
    let (space, id) = asked();
    let story = space.tgw(["audit", "show", &id]).text();
    assert!(story.contains("write_file") && story.contains(&id), "{story}");
}

#[test]
fn an_unknown_id_is_said_to_be_unknown() {
    let space = Space::new();
    for command in ["show", "revoke"] {
        space
            .tgw(["approvals", command, "a_nope"])
            .stderr(
                "error: there is no question and no remembered answer `a_nope`\nhint: `tgw approvals list` shows them\n",
            )
            .status(1)
            .holds();
    }
}
