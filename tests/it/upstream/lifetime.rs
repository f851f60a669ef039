//! A server lives as long as its gateway, with nothing left of either.

use std::io::{BufRead, BufReader, Write};
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use super::{READS, peer};
use crate::harness::{ALLOW, Space, call, content};

fn is_alive(pid: i32) -> bool {
    // A process that ended and that nobody collected yet is none.
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    test_kill_process(Pid::from_raw(pid).unwrap()).is_ok() && !status.contains("State:\tZ")
}

fn gone(pid: i32) {
    let began = std::time::Instant::now();
    while is_alive(pid) {
        assert!(began.elapsed().as_secs() < 10, "{pid} is still there");
        std::thread::yield_now();
    }
}

/// A running gateway whose server has started a process that left its session.
fn with_grandchild(space: &Space) -> (Child, i32) {
    let mut child = space.stream(&[]).start();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    writeln!(input, "{}", call("c", "p__spawn", &json!({}))).unwrap();
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    let answer: Value = serde_json::from_str(&line).unwrap();
    let pid: i32 = content(&answer).parse().unwrap();
    assert!(is_alive(pid));
    child.stdin = Some(input);
    child.stdout = Some(output.into_inner());
    (child, pid)
}

/// The same pids inside and outside: a namespace of its own would hide them.
fn visible() -> Space {
    peer(&[], &format!("sandbox: {{level: none}}, tools: {{{READS}}}"), ALLOW)
}

#[test]
fn mc_15_no_server_and_no_child_of_one_is_left_when_the_gateway_ends() {
    let space = visible();
    let (mut child, pid) = with_grandchild(&space);
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    gone(pid);
}

#[test]
fn mc_15_no_server_and_no_child_of_one_is_left_after_sigterm_or_sigkill() {
    for signal in [Signal::TERM, Signal::KILL] {
        let space = visible();
        let (mut child, pid) = with_grandchild(&space);
        kill_process(Pid::from_child(&child), signal).unwrap();
        child.wait().unwrap();
        gone(pid);
    }
}

#[test]
fn one_process_serves_all_calls_of_a_run() {
    let space = peer(&[], &format!("tools: {{{READS}}}"), ALLOW);
    let calls: Vec<String> = (0..50)
        .map(|number| call(&number.to_string(), "p__echo", &json!({"word": number.to_string()})))
        .collect();
    let answers = space.answers(&calls.iter().map(String::as_str).collect::<Vec<_>>());
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(content(answer), number.to_string());
    }
    let begun: usize = logs(&space).matches(" begins").count();
    // Once for the lock, and once for the run.
    assert_eq!(begun, 2);
}

/// What servers said on their standard error.
pub(crate) fn logs(space: &Space) -> String {
    let folders = std::fs::read_dir(space.beside("state/tgw")).unwrap().flatten();
    let texts = folders.filter_map(|folder| std::fs::read_to_string(folder.path().join("mcp/peer.log")).ok());
    texts.collect()
}

#[test]
fn a_server_that_cannot_be_started_is_a_failed_call_of_which_nothing_happened() {
    let space = peer(&[], "", ALLOW);
    let tools = std::fs::read_to_string(space.beside("files/tools.yaml")).unwrap();
    space.write_beside("files/tools.yaml", tools.replace("\"__peer\"", "\"--help\""));
    let answer = space.answer(&call("c", "p__echo", &json!({"word": "a"})));
    assert_eq!(answer["error"]["code"], "BACKEND_UNAVAILABLE");
    assert_eq!((&answer["status"], &answer["effect"]), (&json!("failed"), &json!("none")));
}

#[test]
fn a_server_that_logs_much_is_read_and_its_log_is_bounded() {
    let space = peer(&[], "tools: {shout: {risk: read_only, timeout: 60s}}", ALLOW);
    let answer = space.answer(&call("c", "p__shout", &json!({})));
    assert_eq!(content(&answer), "heard");
    let log = logs(&space);
    assert!(log.len() < (1 << 20) + 1000 && log.ends_with("… the rest is dropped\n"), "{} bytes", log.len());
}

#[test]
fn a_rule_that_demands_a_stricter_sandbox_gets_a_process_under_it() {
    let policy = "version: 1\ndefault_verdict: allow\nrules:\n  - {id: inside, verdict: allow, tools: [p__env], environment: {sandbox: isolated}}\n";
    let space = peer(&[], &format!("sandbox: {{level: none}}, tools: {{{READS}}}"), policy);
    let calls = [
        call("1", "p__echo", &json!({"word": "outside"})),
        call("2", "p__env", &json!({})),
        call("3", "p__echo", &json!({"word": "outside"})),
    ];
    let answers = space.answers(&calls.each_ref().map(String::as_str));
    assert!(answers.iter().all(|answer| answer["status"] == "succeeded"), "{answers:?}");
    let levels: Vec<Value> = space
        .records()
        .iter()
        .filter(|record| record["record"]["kind"] == "outcome")
        .map(|record| record["record"]["sandbox"].clone())
        .collect();
    assert_eq!(levels, [json!("none"), json!("isolated"), json!("none")]);
    // One for the lock, and one under each sandbox.
    assert_eq!(logs(&space).matches(" begins").count(), 3);
}

#[test]
fn credentials_are_resolved_when_a_server_is_started_and_not_for_each_call() {
    let space = Space::new();
    let asked = space.beside("files/asked").display().to_string();
    let script = json!(["sh", "-c", format!("echo x >> {asked}; echo secret-of-the-server")]);
    let tools = format!(
        "version: 1\ncredentials: {{token: {{source: {{command: {script}}}}}}}\nservers:\n  peer: {{command: {}, prefix: p, credentials: {{TOKEN: token}}, tools: {{echo: {{risk: read_only}}}}}}\n",
        super::server(&[])
    );
    space.write_beside("files/tools.yaml", tools).write_beside("files/policy.yaml", ALLOW);
    super::accept(&space);
    let echo = |id: &str| call(id, "p__echo", &json!({"word": "a"}));
    let answers = space.answers(&[&echo("1"), &echo("2"), &echo("3")]);
    assert!(answers.iter().all(|answer| answer["status"] == "succeeded"), "{answers:?}");
    // Once for the lock, and once for the run.
    assert_eq!(std::fs::read_to_string(asked).unwrap(), "x\nx\n");
}
