//! What a person sees: everything, and nothing but what is there.

use std::fmt::Write as _;

use super::fixture::{choose, deny, person, place, place_with, run, said, say};
use crate::place::verdict;
use crate::pty::Person;

/// Asks about a word, denies it, and returns all that the terminal received.
fn screen_for(word: &str) -> String {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", word));
    person.is_asked();
    deny(&mut person, "");
    assert_eq!(verdict(&person.result()), "denied/APPROVAL_DENIED");
    let left = person.leaves();
    assert_eq!(left.lines.len(), 1);
    left.screen
}

#[test]
fn escape_sequences_are_printed_and_never_obeyed() {
    let hostile = "\u{1b}[2J\u{1b}[1;1H\u{1b}]8;;http://evil\u{7}x\u{1b}]0;title\u{7}\rMay `nothing` run?\u{8}\u{9b}3A\u{90}q\u{1b}[?1049h";
    let screen = screen_for(hostile);
    for raw in [
        "\u{1b}[2J",
        "\u{1b}[1;1H",
        "\u{1b}]8",
        "\u{1b}]0",
        "\rMay",
        "\u{8}",
        "\u{9b}",
        "\u{90}",
        "\u{1b}[?1049h",
        "\u{7}",
    ] {
        assert!(!screen.contains(raw), "{raw:?} reached the terminal: {screen:?}");
    }
    assert!(screen.contains(r"\u{1b}]8;;http://evil\u{7}x"), "{screen}");
    assert!(screen.contains(r"\rMay `nothing` run?"), "{screen}");
}

#[test]
fn tabs_bidirectional_and_invisible_characters_are_spelled_out() {
    let screen = screen_for("a\tb\u{202e}c\u{200b}d\u{e0041}e\u{2066}f\u{fe0f}g\u{ad}");
    assert!(screen.contains(r"a\tb\u{202e}c\u{200b}d\u{e0041}e\u{2066}f\u{fe0f}g\u{ad}"), "{screen}");
    assert!(screen.contains("characters that cannot be seen"), "{screen}");
    for raw in ['\t', '\u{202e}', '\u{200b}', '\u{e0041}', '\u{2066}'] {
        assert!(!screen.contains(raw), "{raw:?} reached the terminal");
    }
}

#[test]
fn look_alike_letters_are_flagged() {
    let screen = screen_for("p\u{430}ypal.example");
    assert!(screen.contains("look-alike letters"), "{screen}");
}

#[test]
fn an_argument_cannot_pass_for_a_line_of_the_question() {
    let forged = "harmless\nasked because\n  nothing (policy.yaml:1): you approved this before\nYour answer: yes, once";
    let screen = screen_for(forged);
    for line in screen
        .split("\r\n")
        .filter(|line| line.contains("approved this before") || line.contains("yes, once\""))
    {
        assert!(
            line.trim_start().starts_with(['│', '┊', '|', ':', '\\']) || line.contains("\\n"),
            "{line:?} in {screen}"
        );
    }
}

#[test]
fn the_end_of_a_long_argument_is_in_sight_when_the_answer_is_given() {
    let place = place();
    let mut word = String::new();
    for number in 0..200 {
        writeln!(word, "echo step {number}").unwrap();
    }
    word.push_str("rm -rf everything");
    let mut person = person(&place, &[]);
    person.send(&say("c1", &word));
    let question = person.is_asked();
    let lines: Vec<&str> = question.split("\r\n").collect();
    let last = &lines[lines.len().saturating_sub(20)..];
    assert!(last.iter().any(|line| line.contains("rm -rf everything")), "{last:#?}");
    assert!(question.contains("echo step 100"), "the middle is missing: {question}");
    deny(&mut person, "");
    person.leaves();
}

#[test]
fn what_is_left_out_at_first_can_be_viewed_before_answering() {
    let place = place();
    let mut word = String::new();
    for number in 0..900 {
        writeln!(word, "echo step {number}").unwrap();
    }
    let mut person = person(&place, &[]);
    person.send(&say("c1", &word));
    let question = person.is_asked();
    assert!(
        !question.contains("echo step 450") && question.contains("lines are not shown here"),
        "{question}"
    );
    choose(&mut person, "v");
    assert!(person.is_asked().contains("echo step 450"));
    deny(&mut person, "");
    person.leaves();
}

#[test]
fn a_secret_in_a_command_is_masked_and_the_rest_stays_readable() {
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let screen = screen_for(&format!("curl -H 'Authorization: Bearer {token}' https://api.example/repos"));
    assert!(!screen.contains(token), "{screen}");
    assert!(screen.contains("curl -H") && screen.contains("https://api.example/repos"), "{screen}");
}

#[test]
fn a_tiny_terminal_still_asks_and_takes_an_answer() {
    let place = place();
    let mut person = Person::start_sized(run(&place, &[]), 5, 20, |_| {});
    person.send(&say("c1", "one"));
    person.sees("> deny");
    choose(&mut person, "o");
    assert_eq!(verdict(&person.result()), "succeeded");
    person.leaves();
    assert_eq!(said(&place), ["one"]);
}

#[test]
fn a_terminal_without_a_size_still_asks() {
    for (rows, columns) in [(0, 0), (1, 1), (2, 500)] {
        let place = place();
        let mut person = Person::start_sized(run(&place, &[]), rows, columns, |_| {});
        person.send(&say("c1", "one"));
        person.sees("\u{1b}[?25l");
        person.press("o");
        person.press("\r");
        assert_eq!(verdict(&person.result()), "succeeded", "{rows}x{columns}");
        person.leaves();
    }
}

#[test]
fn a_resized_window_keeps_the_question_open() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.is_asked();
    for (rows, columns) in [(5, 20), (60, 200), (1, 1), (24, 80)] {
        person.resize(rows, columns);
    }
    choose(&mut person, "o");
    assert_eq!(verdict(&person.result()), "succeeded");
    person.leaves();
    assert_eq!(said(&place), ["one"]);
}

#[test]
fn a_question_shows_what_would_run_where_and_why() {
    let place = place_with(super::fixture::POLICY);
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    let question = person.is_asked();
    for part in [
        "say, version 1.0.0, risk write",
        "one line of ran.log",
        "word (untrusted): \"one\"",
        "tee -a ran.log",
        "sandbox",
        "ask (",
        "it writes a log",
    ] {
        assert!(question.contains(part), "`{part}` is missing in {question}");
    }
    deny(&mut person, "");
    person.leaves();
}
