//! A person at a terminal, and policies that ask.

use std::process::Command;

use crate::place::Place;
use crate::pty::Person;
pub(super) use crate::pty::{choose, deny};
pub(super) use crate::say::{TOOLS, place_with, said, say};

/// Everything is asked; `drop` is denied.
pub(super) const POLICY: &str = r#"
version: 1
default_verdict: deny
rules:
  - {id: ask, verdict: require_approval, tools: [say], reason: it writes a log, approval: {remember: [[/word]]}}
  - {id: no-drop, verdict: deny, tools: [say], when: 'arguments.word == "drop"', reason: that word is taken}
"#;

pub(super) fn place() -> Place {
    place_with(POLICY)
}

/// A stream with a person at the terminal.
pub(super) fn person(place: &Place, arguments: &[&str]) -> Person {
    Person::start(run(place, arguments))
}

pub(super) fn run(place: &Place, arguments: &[&str]) -> Command {
    place.tgw(&[&["run"], arguments].concat())
}
