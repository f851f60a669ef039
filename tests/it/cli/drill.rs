//! `tgw drill`

use std::fs;

use serde_json::Value;

use crate::harness::{ALLOW, Space};

/// Tools whose programs, and whose credential's, leave a trace where they run.
fn tools(space: &Space) -> String {
    let ran = space.beside("outside/ran").display().to_string();
    format!(
        r#"version: 1
credentials:
  token: {{source: {{command: [sh, -c, 'echo credential >> {ran}; echo secret']}}}}
tools:
  - name: order
    description: Orders.
    risk: external
    execution_mode: exclusive
    idempotency: {{key: "{{{{arguments.ref}}}}"}}
    input_schema: {{type: object, additionalProperties: false, required: [ref], properties: {{ref: {{type: string}}}}}}
    run: {{command: {{argv: [sh, -c, 'echo order >> {ran}'], credentials: {{TOKEN: token}}}}}}
    sandbox: {{level: none}}
    reconcile: {{tool: find, arguments: {{}}, found_when: 'true'}}
    result: {{trust: trusted}}
  - name: find
    internal: true
    description: Finds.
    risk: read_only
    execution_mode: exclusive
    egress: false
    input_schema: {{type: object, additionalProperties: false, properties: {{}}}}
    run: {{command: {{argv: [sh, -c, 'echo find >> {ran}']}}}}
    sandbox: {{level: none}}
    result: {{trust: trusted}}
"#
    )
}

fn space(policy: &str) -> Space {
    let space = Space::new();
    space.write_beside("files/tools.yaml", tools(&space)).write_beside("files/policy.yaml", policy);
    space
}

/// Nothing ran, nothing was recorded in the person's own store, and nothing is left of the drill.
fn untouched(space: &Space) {
    assert!(!space.beside("outside/ran").exists(), "a program of the person's ran");
    for folder in ["state", "tmp", "work"] {
        let left: Vec<_> =
            fs::read_dir(space.beside(folder)).unwrap().flatten().map(|entry| entry.path()).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn every_law_is_tried_and_nothing_of_the_persons_is_touched() {
    for policy in [
        ALLOW,
        "version: 1\ndefault_verdict: deny\nrules: [{id: ask, verdict: require_approval, reason: money}]\n",
    ] {
        let space = space(policy);
        let text = space.tgw(["drill"]).with_files().text();
        for law in ["outcome", "time-out before", "duplicate call", "crash after run", "store down", "audit"]
        {
            let line = text.lines().find(|line| line.trim_start().starts_with(law)).unwrap();
            assert_eq!(line.split_whitespace().nth(law.split(' ').count()), Some("1"), "{text}");
        }
        assert!(!text.contains("broken: "), "{text}");
        untouched(&space);
    }
}

#[test]
fn the_findings_are_printed_as_json() {
    let space = space(ALLOW);
    let text = space.tgw(["drill", "--tool", "order", "--json"]).with_files().text();
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["laws"].as_array().unwrap().len(), 14);
    let late = &report["findings"][6];
    assert_eq!((&late["law"], &late["result"]), (&"late_approval".into(), &"not_drilled".into()), "{text}");
    assert_eq!(late["why"], "the policy asks nobody about it");
    assert_eq!((&report["findings"][3]["result"], &report["laws"][3]["held"]), (&"held".into(), &1.into()));
    untouched(&space);
}

#[test]
fn a_drill_that_could_try_nothing_does_not_pass() {
    let space = space("version: 1\ndefault_verdict: deny\n");
    let ended = space.tgw(["drill"]).with_files().ended();
    assert_eq!(ended.status, Some(2), "{}", ended.stderr);
    assert!(ended.stdout.contains("not drilled on order: ") && ended.stdout.contains("PERMISSION_DENIED"));
    assert!(ended.stderr.starts_with("error: no tool could be drilled\n"), "{}", ended.stderr);
    untouched(&space);
}

#[test]
fn a_tool_that_is_not_there_cannot_be_drilled() {
    space(ALLOW)
        .tgw(["drill", "--tool", "nope"])
        .with_files()
        .stderr("error: there is no tool `nope`\nhint: `tgw tools --all` lists them\n")
        .status(2)
        .holds();
}

#[test]
fn every_law_is_tried_on_the_worked_example() {
    let space = Space::new();
    let folder = crate::harness::checkout().join("examples/procurement");
    let files = ["tools.yaml", "policy.yaml"].map(|name| folder.join(name).display().to_string());
    let arguments = ["drill", "--tools", &files[0], "--policy", &files[1], "--user", "ann"];
    let text = space.tgw(arguments.into_iter().chain(["--json"])).text();
    let report: Value = serde_json::from_str(&text).unwrap();
    for law in report["laws"].as_array().unwrap() {
        assert!(law["held"].as_u64() > Some(0) && law["broken"] == 0, "{law}: {text}");
    }
    // What is not drilled is what a contract does not state, or a rule does not ask.
    for finding in report["findings"].as_array().unwrap() {
        let why = finding["why"].as_str().unwrap_or_default();
        let is_unstated =
            why.starts_with("its contract states no") || why == "the policy asks nobody about it";
        assert!(finding["result"] == "held" || is_unstated, "{finding}");
    }
    let table = space.tgw(arguments).text();
    assert!(
        table.contains("crash while pending")
            && table.contains("not drilled on save_supplier_comparison_draft"),
        "{table}"
    );
}
