//! Tools for adversaries.

use serde_json::{Value, json};

use crate::place::Place;

/// The tools that are shipped.
pub(super) const SHIPPED: &str = include_str!("../../../tools.yaml");

/// Whatever the floor lets through is allowed.
pub(super) const FREE: &str = "version: 1\ndefault_verdict: allow\nrules: []\n";

/// Everything is asked.
pub(super) const ASK: &str = r#"
version: 1
default_verdict: deny
rules: [{id: ask, verdict: require_approval, reason: everything is asked, approval: {remember: [[/word]]}}]
"#;

/// `say` appends its word to `ran.log`; `hidden` is for probes only.
pub(super) const SAY: &str = r#"
version: 1
tools:
  - name: say
    version: 1.0.0
    description: Writes a word into a log.
    risk: write
    changes: one line of ran.log
    execution_mode: exclusive
    egress: false
    input_schema: {type: object, additionalProperties: false, required: [word], properties: {word: {type: string}, description: {type: string}}}
    run: {command: {argv: [tee, -a, ran.log], stdin: "{{arguments.word}}\n"}}
    result: {trust: trusted}
  - name: hidden
    version: 1.0.0
    internal: true
    description: Only the gateway calls it.
    risk: read_only
    execution_mode: exclusive
    egress: false
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: {argv: [cat, ran.log]}}
    result: {trust: trusted}
"#;

/// A tool that runs a script of the adversary's; `sandbox` is what the contract asks for.
pub(super) fn shell(sandbox: &str) -> String {
    format!(
        r#"
version: 1
tools:
  - name: sh
    version: 1.0.0
    description: Runs a script.
    risk: write
    changes: anything in the workspace
    execution_mode: exclusive
    timeout: 60s
    egress: false
    input_schema: {{type: object, additionalProperties: false, required: [script], properties: {{script: {{type: string}}}}}}
    run: {{command: {{argv: [bash, -c, 'eval "$1"', sh, "{{{{arguments.script}}}}"], streams: merged, success: 'true'}}}}
    sandbox: {sandbox}
    result: {{trust: untrusted}}
"#
    )
}

/// A place where everything is allowed, with the shipped tools.
pub(super) fn free() -> Place {
    let place = Place::new();
    place.configure(SHIPPED, FREE);
    place
}

/// A place where a script may run.
pub(super) fn scripts(sandbox: &str) -> Place {
    let place = Place::new();
    place.configure(&shell(sandbox), FREE);
    place
}

/// Runs a script of the adversary's, and returns its result line.
pub(super) fn script(place: &Place, text: &str) -> Value {
    place.call("sh", json!({ "script": text }))
}

/// A call line.
pub(super) fn line(name: &str, arguments: &Value) -> String {
    format!("{}\n", json!({ "name": name, "arguments": arguments }))
}

/// What `say` said.
pub(super) fn said(place: &Place) -> String {
    std::fs::read_to_string(place.workspace().join("ran.log")).unwrap_or_default()
}

/// Every regular file below a folder, with its bytes.
pub(super) fn files_below(folder: &std::path::Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                left.push(entry.path());
            } else if kind.is_file() {
                found.push((entry.path(), std::fs::read(entry.path()).unwrap()));
            }
        }
    }
    found
}

/// Whether bytes hold a text.
pub(super) fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}
