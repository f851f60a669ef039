//! Stopping: Ctrl-C, a cancel line. Every call that was read still gets its one result.

use std::io::{BufRead, BufReader, Write};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::harness::{ALLOW, Space, call, outcomes};

const TOOLS: &str = "version: 1
tools:
  - name: hang
    description: Waits for what never comes.
    risk: read_only
    execution_mode: parallel
    timeout: 10m
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [sleep, infinity]}
    result: {trust: trusted}
  - name: hang_and_write
    description: Waits for what never comes.
    risk: write
    execution_mode: exclusive
    idempotency: none
    timeout: 10m
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [sleep, infinity]}
    result: {trust: trusted}
  - name: quick
    description: Is done at once.
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [echo, quick]}
    result: {trust: trusted}
";

/// Sends a signal to one process.
pub(crate) fn signal(id: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(id).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// Waits until a process has a descendant that runs `program`.
pub(crate) fn wait_for_child(id: u32, program: &str) {
    while !descendants(id).iter().any(|descendant| name(*descendant).is_some_and(|found| found == program)) {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let ended = stat.is_empty() || stat.contains(") Z");
        assert!(!ended, "{id} ended before it started `{program}`");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

fn name(id: u32) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/{id}/comm")).ok()?;
    Some(text.trim_end().to_owned())
}

/// Every descendant of a process.
pub(crate) fn descendants(id: u32) -> Vec<u32> {
    let children = |id: u32| -> Vec<u32> {
        let tasks = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
        tasks
            .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
            .flat_map(|text| text.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>())
            .collect()
    };
    let mut found = children(id);
    let mut at = 0;
    while let Some(next) = found.get(at).copied() {
        found.extend(children(next));
        at += 1;
    }
    found
}

fn parsed(output: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn after_an_interrupt_every_call_that_was_read_has_its_one_result() {
    let space = Space::with(TOOLS, ALLOW);
    let mut child = space.tgw(["run"]).with_files().start();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    writeln!(input, "{}", call("a", "quick", &json!({}))).unwrap();
    let first = output.next().unwrap().unwrap();
    for line in [
        call("b", "hang", &json!({})),
        call("c", "hang_and_write", &json!({})),
        call("d", "quick", &json!({})),
    ] {
        writeln!(input, "{line}").unwrap();
    }
    wait_for_child(child.id(), "sleep");
    signal(child.id(), Signal::INT);
    let answers: Vec<Value> = std::iter::once(first)
        .chain(output.map(Result::unwrap))
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(
        outcomes(&answers),
        [("a", "succeeded"), ("b", "cancelled"), ("c", "cancelled"), ("d", "cancelled")]
    );
    assert_eq!(space.intact(), 4);
}

#[test]
fn an_effect_that_had_begun_when_it_was_stopped_is_unknown() {
    let space = Space::with(TOOLS, ALLOW);
    let mut child = space.tgw(["run"]).with_files().start();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{}", call("w", "hang_and_write", &json!({}))).unwrap();
    wait_for_child(child.id(), "sleep");
    signal(child.id(), Signal::TERM);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let answers = parsed(&output.stdout);
    assert_eq!(outcomes(&answers), [("w", "unknown")]);
    assert_eq!(answers[0]["effect"], "possible");
}

#[test]
fn a_cancel_line_stops_its_call_and_no_other() {
    let space = Space::with(TOOLS, ALLOW);
    let mut child = space.tgw(["run"]).with_files().start();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    writeln!(input, "{}\n{}", call("a", "hang", &json!({})), call("b", "quick", &json!({}))).unwrap();
    wait_for_child(child.id(), "sleep");
    writeln!(input, "{{\"cancel\":\"a\"}}").unwrap();
    writeln!(input, "{}", call("c", "quick", &json!({}))).unwrap();
    drop(input);
    let answers: Vec<Value> =
        output.by_ref().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    assert_eq!(outcomes(&answers), [("a", "cancelled"), ("b", "succeeded"), ("c", "succeeded")]);
    assert_eq!(answers[0]["error"]["code"], "CANCELLED");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn cancelling_what_is_not_there_is_no_answer() {
    let space = Space::with(TOOLS, ALLOW);
    let answers = space.answers(&[r#"{"cancel":"nobody"}"#, &call("a", "quick", &json!({}))]);
    assert_eq!(outcomes(&answers), [("a", "succeeded")]);
}

#[test]
fn nothing_that_a_stopped_call_started_is_left() {
    let space = Space::with(TOOLS, ALLOW);
    let mut child = space.tgw(["run"]).with_files().start();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{}", call("a", "hang", &json!({}))).unwrap();
    wait_for_child(child.id(), "sleep");
    let started = descendants(child.id());
    signal(child.id(), Signal::INT);
    child.wait().unwrap();
    for id in started {
        let state = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let alive = state.contains("(sleep)") && !state.contains(") Z");
        assert!(!alive, "{id} is left: {state}");
    }
}
