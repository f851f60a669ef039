//! A batch: every question first, then each call decided again at its turn.

use serde_json::json;

use super::fixture::{choose, deny, person, place, place_with, said, say};
use crate::place::verdict;

#[test]
fn every_question_comes_before_any_call_of_the_batch_runs() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&json!([say("c1", "one"), say("c2", "drop"), say("c3", "three")]));
    assert!(person.is_asked().contains("\"one\""));
    choose(&mut person, "o");
    assert!(person.is_asked().contains("\"three\""));
    assert_eq!(said(&place), [""; 0], "a call ran before all questions were answered");
    choose(&mut person, "o");
    let left = person.leaves();
    assert_eq!(
        left.lines.iter().map(verdict).collect::<Vec<_>>(),
        ["succeeded", "denied/PERMISSION_DENIED", "succeeded"]
    );
    assert_eq!(
        left.lines.iter().map(|line| line["id"].as_str().unwrap()).collect::<Vec<_>>(),
        ["c1", "c2", "c3"]
    );
    assert_eq!(said(&place), ["one", "three"]);
}

#[test]
fn a_refusal_refuses_that_call_only_and_carries_its_feedback() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&json!([say("c1", "one"), say("c2", "two")]));
    person.is_asked();
    deny(&mut person, "not that one");
    person.is_asked();
    choose(&mut person, "o");
    let left = person.leaves();
    assert_eq!(left.lines.iter().map(verdict).collect::<Vec<_>>(), ["denied/APPROVAL_DENIED", "succeeded"]);
    assert_eq!(left.lines[0]["error"]["message"], "a person denied the call: not that one");
    assert_eq!(said(&place), ["two"]);
}

const FILES: &str = r#"
version: 1
default_verdict: deny
rules:
  - {id: ask, verdict: require_approval, reason: it writes}
"#;

#[test]
fn what_an_earlier_call_changes_counts_when_a_later_one_is_decided_again() {
    // The person said yes to writing over the old text. The first call of the batch changes it, so what the second
    // would overwrite is not what was shown: it is asked again.
    let place = place_with(FILES);
    let shipped = include_str!("../../../tools.yaml");
    place.aside("tools.yaml", shipped);
    place.file("a.txt", "old\n");
    let write = |id: &str, content: &str| json!({ "id": id, "name": "write_file", "arguments": { "path": "a.txt", "content": content } });
    let mut person = person(&place, &[]);
    person.send(&json!([write("c1", "first\n"), write("c2", "second\n")]));
    assert!(person.is_asked().contains("old"));
    choose(&mut person, "o");
    assert!(person.is_asked().contains("old"));
    choose(&mut person, "o");
    assert_eq!(verdict(&person.result()), "succeeded");
    let again = person.is_asked();
    assert!(again.contains("first"), "{again}");
    deny(&mut person, "");
    let left = person.leaves();
    assert_eq!(left.lines.iter().map(verdict).collect::<Vec<_>>(), ["succeeded", "denied/APPROVAL_DENIED"]);
    assert_eq!(std::fs::read_to_string(place.workspace().join("a.txt")).unwrap(), "first\n");
}
