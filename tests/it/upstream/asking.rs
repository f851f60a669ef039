//! A person is asked about a server's tool as about any other, and their time is not the tool's.

use serde_json::{Value, json};

use super::{READS, declared, peer};
use crate::harness::{ALLOW, BINARY, Space, call, content, process, status};
use crate::pty::{ENTER, Person};

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

/// `tgw lock` on a terminal.
fn locking(space: &Space) -> Person {
    let mut command = process(BINARY);
    let [tools, lock] =
        ["files/tools.yaml", "files/tgw.lock"].map(|name| space.beside(name).display().to_string());
    command
        .args(["lock", "--tools", &tools, "--lock", &lock])
        .current_dir(space.path(""))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("LANG", "C.UTF-8");
    for (name, folder) in
        [("HOME", "home"), ("XDG_STATE_HOME", "state"), ("XDG_CONFIG_HOME", "config"), ("TMPDIR", "tmp")]
    {
        command.env(name, space.beside(folder));
    }
    // High enough for all of it: a page at a time is for people.
    Person::start_sized(command, 2000, 100, |_| {})
}

#[test]
fn tools_are_accepted_on_the_terminal_by_the_whole_word_alone() {
    let space = declared(&["--describe", "says it"], &format!("tools: {{{READS}}}"), ALLOW);
    for (typed, accepted) in [("y", false), ("", false), ("accept", true)] {
        let mut person = locking(&space);
        let seen = person.sees("Type `accept`");
        assert!(seen.contains("description: says it"), "{seen}");
        person.press(typed);
        person.press(ENTER);
        let (ended, _) = person.ends();
        assert_eq!(ended.code, Some(i32::from(!accepted)), "{typed}: {ended:?}");
        assert_eq!(space.beside("files/tgw.lock").exists(), accepted, "{typed}");
    }
    let word = call("c", "p__echo", &json!({"word": "hello"}));
    assert_eq!(content(&space.answer(&word)), "hello");
    let records = space.records();
    assert!(records.iter().any(|record| record.to_string().contains("tgw.lock")), "{records:?}");
}
