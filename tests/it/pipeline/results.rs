//! Results: bounded for the model, whole in the store, paged by reference.

use serde_json::json;

use crate::harness::{ALLOW, Space, call, code, content};

const TOOLS: &str = "version: 1
tools:
  - name: rows
    description: Lists many rows.
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: {argv: [cat, rows.json], output: json}}
    result: {trust: trusted, content: {select: '$.items[*]', max_rows: 5}}
  - name: text
    description: Prints a file.
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [cat, text.txt]}
    result: {trust: untrusted, content: {max_bytes: 1000}}
";

fn space() -> Space {
    let space = Space::with(TOOLS, ALLOW);
    let rows: Vec<_> = (0..50)
        .map(|number| json!({"id": number, "kind": if number % 2 == 0 { "even" } else { "odd" }}))
        .collect();
    space.write("rows.json", json!({"items": rows}).to_string());
    space
}

#[test]
fn a_long_result_is_cut_says_so_and_is_paged() {
    let space = space();
    space.write_beside("task.yaml", "version: 1\nid: t\n");
    let task = space.beside("task.yaml").display().to_string();
    let first = space.stream(&[&call("r", "rows", &json!({}))]).and(&["--task", &task]).answers().remove(0);
    assert_eq!((&first["truncated"], &first["total"]["rows"]), (&json!(true), &json!(50)));
    let reference = first["result"].as_str().unwrap();
    let read = |id: &str, arguments: serde_json::Value| call(id, "tgw__read_result", &arguments);
    let pages = space
        .stream(&[
            &read("a", json!({"reference": reference, "filter": "$.items[?@.kind=='odd'].id", "limit": 3})),
            &read("b", json!({"reference": reference, "filter": "$.items[?@.kind=='odd'].id", "offset": 4, "limit": 2})),
            &read("c", json!({"reference": "r_00000000000000000000000000"})),
            &read("d", json!({"reference": reference, "filter": "$["})),
        ])
        .and(&["--task", &task])
        .answers();
    assert_eq!(
        content(&pages[0])
            .split_whitespace()
            .collect::<String>()
            .replace(',', " ")
            .trim_matches(['[', ']'])
            .split_whitespace()
            .count(),
        3,
        "{}",
        pages[0]
    );
    assert!(content(&pages[1]).contains('7') && content(&pages[1]).contains('9'), "{}", pages[1]);
    assert_eq!(code(&pages[2]), "RESULT_EXPIRED");
    assert_eq!(code(&pages[3]), "INVALID_ARGUMENTS");
}

#[test]
fn a_result_is_not_readable_from_another_task() {
    let space = space();
    let first = space.answer(&call("r", "rows", &json!({})));
    let reference = first["result"].as_str().unwrap();
    let other = space.answer(&call("a", "tgw__read_result", &json!({"reference": reference})));
    assert_eq!(code(&other), "RESULT_EXPIRED");
}

#[test]
fn a_cut_keeps_utf_8_and_the_bound() {
    let space = space();
    space.write("text.txt", "漢字".repeat(20_000));
    let answer = space.answer(&call("t", "text", &json!({})));
    let text = content(&answer);
    assert!(text.len() <= 1000, "{}", text.len());
    assert!(text.starts_with("漢字"), "{text}");
    assert_eq!(answer["truncated"], true);
}

#[test]
fn control_characters_of_a_tool_stay_json() {
    let space = space();
    space.write("text.txt", b"a\x1b[2Jb\x00c\xffd");
    let answer = space.answer(&call("t", "text", &json!({})));
    assert!(content(&answer).contains('d'), "{answer}");
}

#[test]
fn what_a_person_sees_has_no_control_characters() {
    let space = space();
    space.write("text.txt", b"a\x1b[2Jb\r\x1b]8;;http://x\x07c\n");
    let ended = space.stream(&[&call("t", "text", &json!({}))]).and(&["--display", "text"]).ended();
    assert!(!ended.stderr.contains(['\x1b', '\r', '\x07']), "{:?}", ended.stderr);
}
