//! Texts and files that cost much to compare or to obey: the work stays within bounds, and what was left undone is said.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::exhaustion::bounded;
use super::fixture::{SHIPPED, free, line};
use crate::place::{Place, verdict};
use crate::pty::{ENTER, Person, deny};

/// Everything is asked.
const ASK: &str = "version: 1\ndefault_verdict: deny\nrules: [{id: ask, verdict: require_approval, reason: everything is asked}]\n";

/// Lines of one digit each, as if at random.
fn digits(count: u32, mut seed: u32) -> String {
    let mut text = String::new();
    for _ in 0..count {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        writeln!(text, "{}", (seed >> 24) % 10).unwrap();
    }
    text
}

/// What a person is shown of a call before they answer, and the answer's verdict.
fn asked(place: &Place, name: &str, arguments: &Value, answer: impl FnOnce(&mut Person)) -> (String, String) {
    let mut person = Person::start(place.tgw(&["run"]));
    person.send(&json!({ "name": name, "arguments": arguments }));
    let shown = person.is_asked() + &person.sees("[s] stop the run");
    answer(&mut person);
    let result = person.result();
    person.leaves();
    (shown, verdict(&result))
}

#[test]
fn texts_that_are_too_different_are_asked_about_by_their_ends() {
    let place = Place::new();
    place.configure(SHIPPED, ASK);
    let old = digits(500_000, 1);
    place.file("big.txt", &old);
    let one_line = "x".repeat(1_000_000);
    for (new, counts) in [
        (digits(500_000, 2), " lines; too different to compare"),
        (one_line.clone(), " 1 line; too different to compare"),
    ] {
        let arguments = json!({ "path": "big.txt", "content": new, "mode": "replace" });
        let (shown, verdict) = asked(&place, "write_file", &arguments, |person| deny(person, ""));
        assert!(shown.contains(counts), "{:.3000}", shown);
        assert!(shown.contains("[v] view everything"), "{:.3000}", shown);
        // The argument and the change, each with its two ends.
        assert!(shown.lines().count() < 2_000, "{} lines", shown.lines().count());
        assert_eq!(verdict, "denied/APPROVAL_DENIED");
    }
    place.file("line.txt", &format!("{one_line}needle{one_line}\n"));
    let arguments = json!({ "path": "line.txt", "old": "needle", "new": "pin" });
    let (shown, verdict) = asked(&place, "replace_in_file", &arguments, |person| {
        person.press("o");
        person.press(ENTER);
    });
    assert!(shown.contains("[v] view everything") && shown.lines().count() < 2_000, "{:.3000}", shown);
    assert_eq!(verdict, "succeeded");
}

#[test]
fn ignore_files_beyond_the_bounds_are_not_obeyed_and_that_is_said() {
    let place = free();
    let mut rules = String::new();
    for number in 0..36_923 {
        writeln!(rules, "**/x{number}*[a-z]y/**/*.z{number}").unwrap();
    }
    rules.push_str("*.txt\n");
    for folder in ["one", "one/two", "one/two/three"] {
        place.file(&format!("{folder}/.gitignore"), &rules);
        place.file(&format!("{folder}/.ignore"), &rules);
        place.file(&format!("{folder}/found.txt"), "needle\n");
    }
    let input = line("find_files", &json!({ "pattern": "*.txt" }))
        + &line("search_text", &json!({ "pattern": "needle" }))
        + &line("find_files", &json!({ "pattern": "*.txt", "path": "one/two/three" }));
    let ended = bounded(&place, &["run"], input.as_bytes());
    let lines = ended.lines();
    assert_eq!(lines.len(), 3, "{ended:?}");
    for (answer, found) in lines.iter().zip([3, 3, 1]) {
        assert_eq!(verdict(answer), "succeeded", "{answer}");
        assert_eq!(answer["content"].as_str().unwrap().matches("found.txt").count(), found, "{answer}");
        assert!(answer["warnings"].to_string().contains("6 ignore files were not obeyed"), "{answer}");
    }
}
