//! The terminal's settings are put back, however it ends. `Person::leaves` compares them.

use rustix::process::Signal;

use super::fixture::{choose, deny, person, place, said, say};
use crate::place::verdict;

#[test]
fn a_signal_under_a_question_restores_the_terminal_and_answers_the_call() {
    for signal in [Signal::INT, Signal::TERM] {
        let place = place();
        let mut person = person(&place, &[]);
        person.send(&say("c1", "one"));
        person.is_asked();
        person.press("o");
        person.signal(signal);
        assert_eq!(verdict(&person.result()), "cancelled/CANCELLED");
        let left = person.leaves();
        assert_eq!(left.ended.code, Some(130), "{left:?}");
        // The menu may have been drawn once more; what counts is how pasting and the cursor are left.
        for (restored, changed) in [("\u{1b}[?2004l", "\u{1b}[?2004h"), ("\u{1b}[?25h", "\u{1b}[?25l")] {
            assert!(left.screen.rfind(restored) > left.screen.rfind(changed), "{:?}", left.screen);
        }
        assert_eq!(said(&place), [""; 0]);
    }
}

#[test]
fn a_signal_to_a_single_call_restores_the_terminal_too() {
    for signal in [Signal::INT, Signal::TERM] {
        let place = place();
        let mut person = crate::pty::Person::start(place.tgw(&["call", "say", r#"{"word":"one"}"#]));
        person.is_asked();
        person.press("o");
        person.signal(signal);
        let left = person.leaves();
        assert_eq!(
            left.lines.iter().map(verdict).collect::<Vec<_>>(),
            ["cancelled/CANCELLED"],
            "{signal:?}: {left:?}"
        );
        assert_eq!(left.ended.code, Some(8), "{left:?}");
        assert_eq!(said(&place), [""; 0]);
    }
}

#[test]
fn the_prompt_never_reaches_stdout_or_the_results() {
    let place = place();
    let mut person = person(&place, &[]);
    for (index, word) in ["one", "two", "three"].into_iter().enumerate() {
        person.send(&say(&format!("c{index}"), word));
        person.is_asked();
        if index == 1 {
            deny(&mut person, "no")
        } else {
            choose(&mut person, "o")
        }
        person.result();
    }
    let left = person.leaves();
    assert_eq!(left.lines.len(), 3);
    assert!(
        !left.ended.stdout.contains("May `") && !left.ended.stdout.contains('\u{1b}'),
        "{}",
        left.ended.stdout
    );
    assert!(!left.ended.stderr.contains("May `"), "{}", left.ended.stderr);
}

#[test]
fn a_hangup_while_a_question_stands_gives_every_call_its_one_result() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.send(&say("c2", "two"));
    person.is_asked();
    person.press("o");
    person.signal(Signal::HUP);
    let left = person.leaves();
    assert_eq!(left.lines.iter().map(verdict).collect::<Vec<_>>(), ["cancelled/CANCELLED"; 2], "{left:?}");
    assert_eq!(left.ended.code, Some(130), "{left:?}");
    assert_eq!(said(&place), [""; 0]);
    assert_eq!(place.audit().len(), 2);
}
