//! Keys that are no answers.

use super::fixture::{choose, deny, person, place, run, said, say};
use crate::place::verdict;
use crate::pty::{ENTER, Person};

#[test]
fn keys_typed_before_the_process_started_are_no_answer() {
    use std::io::Write;
    let place = place();
    let mut person =
        Person::start_sized(run(&place, &[]), 24, 80, |master| master.write_all(b"o\ro\r\r1\r").unwrap());
    person.send(&say("c1", "one"));
    person.is_asked();
    deny(&mut person, "");
    assert_eq!(verdict(&person.result()), "denied/APPROVAL_DENIED");
    person.leaves();
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn keys_typed_between_two_questions_are_no_answer_to_the_second() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.is_asked();
    choose(&mut person, "o");
    assert_eq!(verdict(&person.result()), "succeeded");
    // Nothing asks now: these wait in the terminal.
    person.press("o\ro\r");
    person.send(&say("c2", "two"));
    person.is_asked();
    deny(&mut person, "");
    assert_eq!(verdict(&person.result()), "denied/APPROVAL_DENIED");
    person.leaves();
    assert_eq!(said(&place), ["one"]);
}

#[test]
fn keys_typed_ahead_behind_an_answer_do_not_answer_the_next_question() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&serde_json::json!([say("c1", "one"), say("c2", "two")]));
    person.is_asked();
    choose(&mut person, "o\ro\ro\r");
    person.is_asked();
    deny(&mut person, "");
    assert_eq!(
        [person.result(), person.result()].map(|line| verdict(&line)),
        ["succeeded", "denied/APPROVAL_DENIED"]
    );
    person.leaves();
    assert_eq!(said(&place), ["one"]);
}

#[test]
fn a_paste_cannot_say_yes() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.is_asked();
    // The paste moves nothing and confirms nothing; the key after it confirms what was selected all along.
    person.press("\u{1b}[200~o\r1\rsay yes\r\u{1b}[201~");
    choose(&mut person, "");
    person.sees("(enter for nothing)");
    person.press(ENTER);
    assert_eq!(verdict(&person.result()), "denied/APPROVAL_DENIED");
    person.leaves();
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn garbage_and_lone_escapes_are_no_answer() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.is_asked();
    person.press("yY\u{7f}\u{15}\t\t\u{1b}[15~\u{1b}o\u{1b}[A\u{1b}[Aqé漢d");
    choose(&mut person, "");
    person.sees("(enter for nothing)");
    person.press(ENTER);
    assert_eq!(verdict(&person.result()), "denied/APPROVAL_DENIED");
    person.leaves();
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn a_terminal_that_is_closed_under_the_question_is_no_yes() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.is_asked();
    person.press("o");
    let _ = person.hangs_up();
    assert_eq!(said(&place), [""; 0]);
    assert_eq!(place.ask(&["audit", "verify"]).code, Some(0));
}
