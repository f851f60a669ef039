//! The gate of a step that asks a person, at a real terminal.

use serde_json::Value;

use super::fixture::TOOLS;
use crate::place::Place;
use crate::pty::{CTRL_C, Person};

const QUESTION: &str = "Type `enter` and enter; anything else refuses.";

fn place() -> Place {
    let place = Place::new();
    place.configure(
        TOOLS,
        "version: 1\ndefault_verdict: allow\ninitial_step: look\nsteps: {look: {}, act: {enter: {approval: {expires: 1h}}}}\n",
    );
    assert_eq!(place.ask(&["task", "start", "--id", "T-1"]).code, Some(0));
    place
}

fn step(place: &Place) -> Value {
    let shown = place.ask(&["task", "show", "T-1", "--json"]);
    serde_json::from_str::<Value>(&shown.stdout).unwrap()["step"].clone()
}

#[test]
fn a_typed_word_lets_the_task_in_and_what_was_shown_is_on_record() {
    let place = place();
    let mut person =
        Person::start(place.tgw(&["task", "step", "T-1", "act", "--data", r#"{"chosen":"S-\u001b[2J1"}"#]));
    let shown = person.sees(QUESTION);
    for wanted in ["task T-1 asks to enter the step act", "from      look", "chosen", "policy.yaml:4:"] {
        assert!(shown.contains(wanted), "{wanted} is missing in {shown}");
    }
    assert!(!shown.contains("\u{1b}[2J1"), "{shown}");
    person.press("enter\r");
    assert_eq!(person.ends().0.code, Some(0));
    assert_eq!(step(&place), "act");
    let records = place.audit();
    let entered = &records.last().unwrap()["record"];
    assert_eq!((&entered["kind"], &entered["step"]), (&Value::from("task"), &Value::from("act")));
    assert_eq!(
        (&entered["approval"]["how"], &entered["approval"]["answer"]),
        (&Value::from("terminal"), &Value::from("entered"))
    );
}

#[test]
fn anything_else_keeps_it_out_and_that_is_on_record() {
    for answer in ["\r", "yes\r", "act\r", CTRL_C] {
        let place = place();
        let mut person = Person::start(place.tgw(&["task", "step", "T-1", "act"]));
        person.sees(QUESTION);
        person.press(answer);
        assert_eq!(person.ends().0.code, Some(3), "{answer:?}");
        assert_eq!(step(&place), "look", "{answer:?}");
        assert_eq!(place.audit().last().unwrap()["record"]["code"], "APPROVAL_DENIED");
    }
}

#[test]
fn a_task_that_moved_while_the_person_read_is_not_moved_by_their_yes() {
    let place = place();
    let mut person = Person::start(place.tgw(&["task", "step", "T-1", "act"]));
    person.sees(QUESTION);
    assert_eq!(place.ask(&["task", "step", "T-1", "look", "--data", r#"{"other":1}"#]).code, Some(0));
    person.press("enter\r");
    assert_eq!(person.ends().0.code, Some(1));
    assert_eq!(step(&place), "look");
}
