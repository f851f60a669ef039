//! A question that waits in the store, and the same call answered in a terminal.

use serde_json::{Value, json};

use super::fixture::{choose, deny, place, run, said, say};
use crate::place::{Place, verdict};
use crate::pty::Person;

/// The stored questions: tool, state and who answered.
fn waiting(place: &Place) -> Vec<String> {
    let listed: Vec<Value> =
        serde_json::from_str(&place.ask(&["approvals", "list", "--json"]).stdout).unwrap();
    let questions = listed.iter().filter(|entry| entry["what"] == "question");
    questions.map(|question| question["state"].as_str().unwrap().to_owned()).collect()
}

/// A place in which the word `one` was asked about without a terminal.
fn asked(arguments: &[&str]) -> Place {
    let place = place();
    assert_eq!(place.run(arguments, format!("{}\n", say("c1", "one"))).line()["status"], "input_required");
    assert_eq!(waiting(&place), ["pending"]);
    place
}

#[test]
fn a_yes_in_the_terminal_closes_the_stored_question_too() {
    let place = asked(&[]);
    let mut person = Person::start(run(&place, &[]));
    person.send(&say("again", "one"));
    person.is_asked();
    choose(&mut person, "o");
    assert_eq!(verdict(&person.result()), "succeeded");
    person.leaves();
    assert_eq!(waiting(&place), ["used"]);
    assert_eq!(said(&place), ["one"]);
}

#[test]
fn a_no_closes_it_as_well_and_stopping_does_not() {
    let place = asked(&[]);
    let mut person = Person::start(run(&place, &[]));
    person.send(&say("again", "one"));
    person.is_asked();
    choose(&mut person, "s");
    person.leaves();
    assert_eq!(waiting(&place), ["pending"]);
    let mut person = Person::start(run(&place, &[]));
    person.send(&say("again", "one"));
    person.is_asked();
    deny(&mut person, "");
    person.leaves();
    assert_eq!(waiting(&place), ["denied"]);
}

#[test]
fn a_single_call_closes_it_too_and_another_call_does_not() {
    let place = asked(&[]);
    for (word, state) in [("two", "pending"), ("one", "used")] {
        let arguments = json!({ "word": word }).to_string();
        let mut person = Person::start(place.tgw(&["call", "say", &arguments]));
        person.is_asked();
        choose(&mut person, "o");
        assert_eq!(verdict(&person.result()), "succeeded");
        person.leaves();
        assert_eq!(waiting(&place), [state]);
    }
}

#[test]
fn a_question_of_another_stated_task_or_principal_stays_open() {
    let place = place();
    let task = place.aside("task.yaml", "version: 1\nid: tidy\n").to_str().unwrap().to_owned();
    let call = format!("{}\n", say("c1", "one"));
    place.run(&["--task", &task], &call);
    place.run(&["--agent", "other"], &call);
    let mut person = Person::start(run(&place, &[]));
    person.send(&say("again", "one"));
    person.is_asked();
    choose(&mut person, "o");
    person.result();
    person.leaves();
    assert_eq!(waiting(&place), ["pending", "pending"]);
}

#[test]
fn a_call_without_a_task_offers_no_yes_for_the_task_and_says_why() {
    let place = place();
    let task = place.aside("task.yaml", "version: 1\nid: tidy\n").to_str().unwrap().to_owned();
    let call = ["call", "say", r#"{"word":"one"}"#];
    let mut person = Person::start(place.tgw(&call));
    let question = person.is_asked();
    assert!(!question.contains("a yes for this task, where it is offered, would also cover"), "{question}");
    assert!(question.contains("a yes cannot be remembered here"), "{question}");
    // The key of the missing item chooses nothing.
    choose(&mut person, "1");
    person.sees("(enter for nothing)");
    person.press(crate::pty::ENTER);
    assert_eq!(verdict(&person.result()), "denied/APPROVAL_DENIED");
    person.leaves();
    let mut person = Person::start(place.tgw(&[&call[..], &["--task", &task]].concat()));
    assert!(person.is_asked().contains("a yes for this task, where it is offered, would also cover"));
    choose(&mut person, "1");
    assert_eq!(verdict(&person.result()), "succeeded");
    person.leaves();
}

#[test]
fn the_end_of_a_question_that_nobody_answered_is_recorded_once_and_as_nobodys() {
    let place = asked(&[]);
    let store = rusqlite::Connection::open(place.store()).unwrap();
    store.execute("UPDATE approval SET expires = 1", []).unwrap();
    for _ in 0..2 {
        place.run(&[], "{\"id\":\"x\",\"name\":\"no_such_tool\",\"arguments\":{}}\n");
    }
    let records = place.audit();
    let ends: Vec<&Value> =
        records.iter().filter(|record| record["record"]["approval"]["answer"] == "expired").collect();
    assert_eq!(ends.len(), 1, "{records:?}");
    assert!(ends[0]["record"]["approval"].get("by").is_none(), "{ends:?}");
    // It ended more than a week ago, so it is gone now.
    assert!(waiting(&place).is_empty());
    assert_eq!(said(&place), [""; 0]);
}
