//! One tool that leaves a trace, for whoever asks about it.

use serde_json::{Value, json};

use crate::place::Place;

/// `say` appends its word to `ran.log`: what is in there ran.
pub(crate) const TOOLS: &str = r#"
version: 1
tools:
  - name: say
    version: 1.0.0
    description: Writes a word into a log.
    risk: write
    changes: one line of ran.log
    execution_mode: exclusive
    egress: false
    input_schema: {type: object, additionalProperties: false, required: [word], properties: {word: {type: string}, note: {type: string, default: none}}}
    run: {command: {argv: [tee, -a, ran.log], stdin: "{{arguments.word}}\n"}}
    result: {trust: trusted}
"#;

pub(crate) fn place_with(policy: &str) -> Place {
    let place = Place::new();
    place.configure(TOOLS, policy);
    place
}

pub(crate) fn say(id: &str, word: &str) -> Value {
    json!({ "id": id, "name": "say", "arguments": { "word": word } })
}

/// The words that were really said.
pub(crate) fn said(place: &Place) -> Vec<String> {
    let log = std::fs::read_to_string(place.workspace().join("ran.log")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}
