//! The pool, the barrier, and results in call order.

use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};

use crate::harness::{ALLOW, Space, call, outcomes};

/// `meet` ends only when two of it run at once: each leaves its mark and waits for the other's.
const TOOLS: &str = r#"version: 1
tools:
  - name: meet
    description: Waits for its partner.
    risk: read_only
    execution_mode: parallel
    timeout: 60s
    input_schema: &pair {type: object, additionalProperties: false, required: [me, other], properties: {me: {type: string}, other: {type: string}}}
    run: &meet {command: {argv: [sh, -c, 'touch "$1"; until test -e "$2"; do sleep 0.01; done; echo "$1"', sh, "m/{{arguments.me}}", "m/{{arguments.other}}"]}}
    sandbox: &here {level: none, write: [m]}
    result: &trust {trust: trusted}
  - name: quick
    description: Is done at once.
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [echo, quick]}
    result: *trust
  - name: append
    description: Adds a line.
    risk: write
    execution_mode: exclusive
    idempotency: none
    input_schema: {type: object, additionalProperties: false, required: [line], properties: {line: {type: string}}}
    run: {command: {argv: [sh, -c, 'echo "$1" >> m/log; cat m/log', sh, "x{{arguments.line}}"]}}
    sandbox: *here
    result: *trust
  - name: alone
    description: Is alone.
    risk: read_only
    execution_mode: exclusive
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: {argv: [sh, -c, 'mkdir m/alone && sleep 0.05 && rmdir m/alone']}}
    sandbox: *here
    result: *trust
  - name: wait_for
    description: Waits for a file.
    risk: write
    execution_mode: exclusive
    idempotency: none
    timeout: 60s
    input_schema: {type: object, additionalProperties: false, required: [file], properties: {file: {type: string}}}
    run: {command: {argv: [sh, -c, 'until test -e "$1"; do sleep 0.01; done; echo there', sh, "m/{{arguments.file}}"]}}
    sandbox: *here
    result: *trust
"#;

fn space() -> Space {
    let space = Space::with(TOOLS, ALLOW);
    space.write("m/.keep", "");
    space
}

#[test]
fn parallel_reads_run_side_by_side_and_are_answered_in_call_order() {
    let space = space();
    let answers = space.answers(&[
        &call("first", "meet", &json!({"me": "a", "other": "b"})),
        &call("second", "quick", &json!({})),
        &call("third", "meet", &json!({"me": "b", "other": "a"})),
    ]);
    assert_eq!(outcomes(&answers), [("first", "succeeded"), ("second", "succeeded"), ("third", "succeeded")]);
}

#[test]
fn one_job_runs_one_call_at_a_time() {
    let space = space();
    let answers = space
        .stream(&[&call("a", "quick", &json!({})), &call("b", "quick", &json!({}))])
        .and(&["--jobs", "1"])
        .answers();
    assert_eq!(outcomes(&answers), [("a", "succeeded"), ("b", "succeeded")]);
}

#[test]
fn a_write_is_a_barrier_and_writes_happen_in_call_order() {
    let space = space();
    let calls: Vec<String> = (0..6)
        .flat_map(|number| {
            [
                call(&format!("w{number}"), "append", &json!({"line": number.to_string()})),
                call(&format!("q{number}"), "quick", &json!({})),
            ]
        })
        .collect();
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    let answers = space.answers(&calls);
    let contents: Vec<&str> = answers
        .iter()
        .filter(|answer| answer["tool"] == "append")
        .map(|answer| answer["content"].as_str().unwrap())
        .collect();
    let expected: Vec<String> =
        (0..6).map(|last| (0..=last).map(|number| format!("x{number}\n")).collect()).collect();
    assert_eq!(contents, expected);
}

#[test]
fn an_exclusive_read_never_overlaps() {
    let space = space();
    let calls: Vec<String> = (0..4).map(|number| call(&number.to_string(), "alone", &json!({}))).collect();
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    let answers = space.answers(&calls);
    assert!(answers.iter().all(|answer| answer["status"] == "succeeded"), "{answers:#?}");
}

#[test]
fn a_slow_call_does_not_hold_back_earlier_results() {
    let space = space();
    let mut child = space.tgw(["run"]).with_files().start();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let lines = [
        call("a", "quick", &json!({})),
        call("b", "wait_for", &json!({"file": "go"})),
        call("c", "quick", &json!({})),
    ];
    lines.iter().for_each(|line| writeln!(input, "{line}").unwrap());
    let id = |line: Option<std::io::Result<String>>| -> String {
        let answer: Value = serde_json::from_str(&line.unwrap().unwrap()).unwrap();
        answer["id"].as_str().unwrap().to_owned()
    };
    // Its answer is here before the one that it would otherwise wait for can end.
    assert_eq!(id(output.next()), "a");
    space.write("m/go", "");
    assert_eq!(id(output.next()), "b");
    drop(input);
    assert_eq!(id(output.next()), "c");
    assert!(output.next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn each_answer_is_flushed_before_the_next_line_is_needed() {
    let space = space();
    let mut child = space.tgw(["run"]).with_files().start();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    for number in 0..5 {
        let id = number.to_string();
        writeln!(input, "{}", call(&id, "quick", &json!({}))).unwrap();
        let answer: Value = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["id"], id.as_str());
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_reader_that_goes_away_ends_the_run_cleanly() {
    let space = space();
    let mut child = space.tgw(["run"]).with_files().start();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    writeln!(input, "{}", call("a", "quick", &json!({}))).unwrap();
    let mut first = String::new();
    output.read_line(&mut first).unwrap();
    assert!(first.contains("\"a\""), "{first}");
    drop(output);
    // More than any buffer holds: without an end the program would wait for a reader for ever.
    for number in 0..20_000 {
        if writeln!(input, "{}", call(&number.to_string(), "tgw__search_tools", &json!({"query": "quick"})))
            .is_err()
        {
            break;
        }
    }
    drop(input);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
    space.intact();
}

#[test]
fn a_slow_reader_holds_the_stream_back_and_loses_nothing() {
    let space = space();
    space.write_beside("files/tools.yaml", include_str!("../../../tools.yaml"));
    space.write("f", "x".repeat(2000));
    let mut child = space.tgw(["run"]).with_files().start();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for number in 0..600 {
            writeln!(input, "{}", call(&number.to_string(), "read_file", &json!({"path": "f"}))).unwrap();
        }
    });
    let mut seen = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let answer: Value = serde_json::from_str(&line.unwrap()).unwrap();
        assert_eq!(answer["id"], seen.to_string().as_str());
        seen += 1;
        if seen % 100 == 0 {
            std::thread::yield_now();
        }
    }
    writer.join().unwrap();
    assert_eq!((seen, child.wait().unwrap().code()), (600, Some(0)));
}
