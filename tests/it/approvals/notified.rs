//! `notify`: a program of the person's that is told of each question.

use serde_json::{Value, json};

use super::fixture::*;
use crate::place::{Place, verdict};

const ASKED: &str = "input_required/APPROVAL_REQUIRED";

/// A policy that tells this shell script.
fn telling(policy: &str, script: &str) -> String {
    format!("{policy}notify: [sh, -c, {}]\n", json!(script))
}

fn told(place: &Place) -> Vec<Value> {
    let text = std::fs::read_to_string(place.home().join("told")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const TELL: &str = "cat >> $HOME/told; echo >> $HOME/told";

#[test]
fn a_program_is_told_of_each_question_once_and_not_of_the_arguments() {
    let place = place_with(&telling(TWO, TELL));
    let id = approval_id(&send(&place, &["--user", "dan"], "c1", "pay-me"));
    let notices = told(&place);
    let [notice] = notices.as_slice() else { panic!("{notices:?}") };
    assert_eq!(
        (&notice["event"], &notice["id"], &notice["tool"]),
        (&json!("approval_asked"), &json!(id), &json!("say"))
    );
    assert_eq!(notice["principal"], json!({"user": "dan", "agent": "default", "tenant": "local"}));
    assert_eq!((&notice["rules"], &notice["needs"][0]["count"]), (&json!(["money"]), &json!(2)));
    assert_eq!(notice["question_digest"], shown_digest(&place, &id));
    assert!(notice["expires"].is_string() && !notice.to_string().contains("pay-me"), "{notice}");
    send(&place, &["--user", "dan"], "c1", "pay-me");
    assert_eq!(told(&place).len(), 1, "the question waits already");
    send(&place, &["--user", "dan"], "c2", "other");
    assert_eq!(told(&place).len(), 2);
}

#[test]
fn a_program_that_fails_changes_nothing_about_the_call() {
    for script in ["exit 3", "kill -9 $$", "no-such-program"] {
        let place = place_with(&telling(POLICY, script));
        let ended = place.run(&["-v"], format!("{}\n", say("c1", "hello")));
        assert_eq!((verdict(&ended.line()).as_str(), ended.code), (ASKED, Some(0)), "{script}");
        assert!(ended.stderr.contains("a notice of a question was not delivered"), "{ended:?}");
    }
}

#[test]
fn what_is_allowed_or_denied_is_no_question() {
    for verdict in ["allow", "deny"] {
        let place = place_with(&telling(&POLICY.replace("require_approval", verdict), TELL));
        send(&place, &[], "c1", "hello");
        assert!(told(&place).is_empty());
    }
}

#[test]
fn a_workspace_that_is_not_trusted_brings_no_program() {
    let place = Place::new();
    place.file("tools.yaml", TOOLS);
    place.file("policy.yaml", &telling(POLICY, TELL));
    let call = json!({ "id": "c1", "name": "write_file", "arguments": { "path": "a", "content": "b" } });
    let ended = place.run(&["--no-prompt"], format!("{call}\n"));
    assert_eq!(verdict(&ended.line()), ASKED, "{ended:?}");
    assert!(told(&place).is_empty());
}
