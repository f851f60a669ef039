//! A person is asked about a server's tool as about any other, and their time is not the tool's.

use serde_json::{Value, json};

use super::{READS, peer};
use crate::harness::{Space, call, content, status};

const ASKS: &str = "version: 1\ndefault_verdict: allow\nrules: [{id: ask, verdict: require_approval, servers: [peer], reason: it is a stranger}]\n";

/// The id of the question that an answer names.
fn approval(answer: &Value) -> String {
    let hint = answer["error"]["hint"].as_str().unwrap_or_else(|| panic!("{answer}"));
    hint.split("approvals show ").nth(1).unwrap().split('`').next().unwrap().to_owned()
}

/// Says yes as someone who looked.
fn approve(space: &Space, answer: &Value) -> String {
    let id = approval(answer);
    let shown = space.tgw(["approvals", "show", &id]).text();
    let digest = shown.lines().find_map(|line| line.strip_prefix("question digest: ")).unwrap();
    space.tgw(["approvals", "approve", &id, "--digest", digest]).text();
    id
}

#[test]
fn the_question_names_the_server_its_tool_and_what_is_started() {
    let space = peer(&["--describe", "x"], &format!("tools: {{{READS}}}"), ASKS);
    let answer = space.answer(&call("c", "p__echo", &json!({"word": "hello"})));
    assert_eq!(status(&answer), "input_required");
    let id = &approval(&answer);
    let shown = space.tgw(["approvals", "show", id]).text();
    for line in [
        "server    peer, its tool echo",
        "__peer --describe x",
        "sandbox   isolated, no network",
        "it is a stranger",
    ] {
        assert!(shown.contains(line), "{line}:\n{shown}");
    }
}

#[test]
fn mc_16_a_late_yes_runs_the_call_under_a_deadline_of_its_own() {
    let space = peer(&[], &format!("tools: {{{READS}}}"), ASKS);
    let answer = space.answer(&call("c", "p__echo", &json!({"word": "hello"})));
    let id = approve(&space, &answer);
    let ran = space.tgw(["approvals", "run", &id]).with_files().ended();
    let ran: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    assert_eq!(content(&ran), "hello");
}

#[test]
fn a_yes_for_one_server_is_none_for_another_program() {
    let space = peer(&[], &format!("tools: {{{READS}}}"), ASKS);
    let answer = space.answer(&call("c", "p__echo", &json!({"word": "hello"})));
    approve(&space, &answer);
    let tools = std::fs::read_to_string(space.beside("files/tools.yaml")).unwrap();
    space.write_beside("files/tools.yaml", tools.replace("\"__peer\"", "\"__peer\",\"--other\""));
    let again = space.answer(&call("c", "p__echo", &json!({"word": "hello"})));
    assert_eq!(status(&again), "input_required");
}
