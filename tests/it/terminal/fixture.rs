//! One tool that leaves a trace, and policies that ask about it.

use std::process::Command;

use serde_json::{Value, json};

use crate::place::Place;
use crate::pty::Person;
pub(super) use crate::pty::{choose, deny};

/// `say` appends its word to `ran.log`: what is in there ran.
pub(super) const TOOLS: &str = r#"
version: 1
tools:
  - name: say
    version: 1.0.0
    description: Writes a word into a log.
    risk: write
    changes: one line of ran.log
    execution_mode: exclusive
    egress: false
    input_schema: {type: object, additionalProperties: false, required: [word], properties: {word: {type: string}, note: {type: string}}}
    run: {command: {argv: [tee, -a, ran.log], stdin: "{{arguments.word}}\n"}}
    result: {trust: trusted}
"#;

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

pub(super) fn place_with(policy: &str) -> Place {
    let place = Place::new();
    place.configure(TOOLS, policy);
    place
}

/// A stream with a person at the terminal.
pub(super) fn person(place: &Place, arguments: &[&str]) -> Person {
    Person::start(run(place, arguments))
}

pub(super) fn run(place: &Place, arguments: &[&str]) -> Command {
    place.tgw(&[&["run"], arguments].concat())
}

pub(super) fn say(id: &str, word: &str) -> Value {
    json!({ "id": id, "name": "say", "arguments": { "word": word } })
}

/// The words that were really said.
pub(super) fn said(place: &Place) -> Vec<String> {
    let log = std::fs::read_to_string(place.workspace().join("ran.log")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}
