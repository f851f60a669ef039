//! Questions whose time runs out.

use serde_json::json;

use super::fixture::{choose, deny, person, place_with, said, say};
use crate::place::verdict;

const SHORT: &str = r#"
version: 1
default_verdict: allow
rules:
  - {id: ask, verdict: require_approval, tools: [say], when: 'arguments.word == "slow"', reason: it takes a while, approval: {expires: 5s, remember: [[/word]]}}
  - {id: ask-longer, verdict: require_approval, tools: [say], when: 'arguments.word == "two"', reason: it writes a log}
"#;

#[test]
fn silence_is_expired_and_the_audit_blames_nobody() {
    // `default_verdict: allow` elsewhere changes nothing: silence never becomes a yes.
    let place = place_with(SHORT);
    let mut person = person(&place, &[]);
    person.send(&say("c1", "slow"));
    person.is_asked();
    let result = person.result();
    assert_eq!(verdict(&result), "denied/APPROVAL_EXPIRED");
    let left = person.leaves();
    assert_eq!(left.ended.code, Some(0));
    assert_eq!(said(&place), [""; 0]);
    let records = place.audit();
    let answers: Vec<_> =
        records.iter().filter_map(|record| record["record"]["approval"]["answer"].as_str()).collect();
    assert_eq!(answers, ["expired"], "{records:#?}");
    assert_eq!(records[0]["record"]["code"], "APPROVAL_EXPIRED");
}

#[test]
fn an_answer_that_comes_late_is_not_used_for_anything() {
    let place = place_with(SHORT);
    let mut person = person(&place, &[]);
    person.send(&say("c1", "slow"));
    person.is_asked();
    person.press("o");
    person.sees("> [o]");
    assert_eq!(verdict(&person.result()), "denied/APPROVAL_EXPIRED");
    person.press("\ro\r1\r");
    person.send(&say("c2", "two"));
    person.is_asked();
    deny(&mut person, "");
    assert_eq!(verdict(&person.result()), "denied/APPROVAL_DENIED");
    person.leaves();
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn a_question_that_expired_is_a_new_question_when_it_is_sent_again() {
    let place = place_with(&SHORT.replace("5s", "5m"));
    let mut person = person(&place, &[]);
    person.send(&say("c1", "slow"));
    person.is_asked();
    choose(&mut person, "o");
    assert_eq!(verdict(&person.result()), "succeeded");
    person.send(&say("c2", "slow"));
    person.is_asked();
    deny(&mut person, "");
    person.leaves();
    assert_eq!(said(&place), ["slow"]);
}

#[test]
fn expiry_while_feedback_is_typed_is_expiry() {
    let place = place_with(SHORT);
    let mut person = person(&place, &[]);
    person.send(&say("c1", "slow"));
    person.is_asked();
    person.press("d\rsome words");
    assert_eq!(verdict(&person.result()), "denied/APPROVAL_EXPIRED");
    person.leaves();
}

#[test]
fn a_stored_question_that_expired_is_listed_so() {
    let place = place_with(SHORT);
    place.run(&[], format!("{}\n", say("c1", "slow")));
    // The store says it from the clock alone; waiting for a state that must come is no sleep.
    let mut state = json!(null);
    for _ in 0..10_000 {
        let listed = place.ask(&["approvals", "list", "--json"]).stdout;
        let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
        state = listed[0]["state"].clone();
        if state == "expired" {
            break;
        }
    }
    assert_eq!(state, "expired");
}
