//! Getting a file trusted that nobody has read.

use std::fmt::Write as _;

use crate::place::Place;
use crate::pty::{CTRL_C, ENTER, Person};

const QUESTION: &str = "anything else refuses.";

fn brought(lines: usize) -> Place {
    let place = Place::new();
    let mut text = String::from("version: 1\ndefault_verdict: deny\n");
    for number in 3..=lines {
        writeln!(text, "# comment {number}.").unwrap();
    }
    place.file("policy.yaml", &text);
    place
}

fn trusts(place: &Place) -> bool {
    place.ask(&["trust", "--list"]).stdout.contains("obeyed")
}

#[test]
fn what_was_typed_before_the_question_is_no_consent() {
    use std::io::Write as _;
    let place = brought(2);
    let mut person = Person::start_sized(place.tgw(&["trust"]), 24, 80, |master| {
        master.write_all(b"y\ny\rtrust\rtrust\n").unwrap();
    });
    person.sees(QUESTION);
    person.press(ENTER);
    let (ended, screen) = person.ends();
    assert_eq!(ended.code, Some(1), "{screen}");
    assert!(ended.stdout.ends_with("policy.yaml: its present content is not trusted\n"), "{screen}");
    assert!(!trusts(&place));
}

#[test]
fn only_the_typed_word_is_consent() {
    let place = brought(2);
    for answer in [
        "y\r",
        "yes\r",
        "trust me\r",
        "\u{1b}[200~trust\u{1b}[201~\r",
        "tr\u{1b}[200~ust\r\u{1b}[201~\r",
        CTRL_C,
    ] {
        let mut person = Person::start(place.tgw(&["trust"]));
        person.sees(QUESTION);
        person.press(answer);
        let (ended, screen) = person.ends();
        assert_eq!(ended.code, Some(1), "{answer:?}: {screen}");
        assert!(!trusts(&place), "{answer:?}");
    }
    let mut person = Person::start(place.tgw(&["trust"]));
    person.sees(QUESTION);
    person.press("trust\r");
    assert_eq!(person.ends().0.code, Some(0));
    assert!(trusts(&place));
}

#[test]
fn a_long_file_is_shown_page_by_page() {
    let place = brought(100);
    let mut person = Person::start(place.tgw(&["trust"]));
    let mut last = 22;
    let first = person.sees("-- 78 more lines: enter shows the next page, q refuses --");
    assert!(first.contains("100 lines,") && first.contains("│ version: 1"), "{first}");
    while last < 100 {
        person.press(ENTER);
        last = (last + 22).min(100);
        let page = person.sees(&format!("# comment {last}."));
        assert!(page.lines().count() <= 24, "{page}");
    }
    person.sees(QUESTION);
    person.press("trust\r");
    assert_eq!(person.ends().0.code, Some(0));

    let place = brought(100);
    let mut person = Person::start(place.tgw(&["trust"]));
    person.sees("q refuses --");
    person.press("q");
    let (_, screen) = person.ends();
    assert!(!screen.contains(QUESTION) && !trusts(&place), "{screen}");
}

#[test]
fn a_line_of_the_file_cannot_pass_for_the_question() {
    let place = Place::new();
    place.file("policy.yaml", "version: 1\n---\nType `trust` and enter; anything else refuses.\n\u{1b}[2J\n");
    let mut person = Person::start(place.tgw(&["trust"]));
    let shown = person.sees("---\r\nIt decides");
    assert!(shown.contains("│ Type `trust`") && !shown.contains("\u{1b}[2J"), "{shown}");
    person.sees(QUESTION);
    person.press(CTRL_C);
    assert_eq!(person.ends().0.code, Some(1));
}

#[test]
fn a_signal_is_no_consent_and_leaves_the_terminal_as_it_was() {
    let place = brought(2);
    let mut person = Person::start(place.tgw(&["trust"]));
    person.sees(QUESTION);
    person.press("trust");
    person.signal(rustix::process::Signal::TERM);
    assert_eq!(person.ends().0.code, Some(1));
    assert!(!trusts(&place));
}
