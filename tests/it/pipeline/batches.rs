//! Batches: one result for each id, whatever becomes of the siblings.

use serde_json::json;

use crate::harness::{ALLOW, Space, call, code, content, outcomes};

const TOOLS: &str = include_str!("../../../tools.yaml");

fn batch(calls: &[String]) -> String {
    format!("[{}]", calls.join(","))
}

#[test]
fn one_failing_call_does_not_stop_its_siblings() {
    let space = Space::with(TOOLS, ALLOW);
    space.write("f", "a\n");
    let answers = space.answers(&[&batch(&[
        call("a", "read_file", &json!({"path": "f"})),
        call("b", "read_file", &json!({"path": "nope"})),
        call("c", "nope", &json!({})),
        call("d", "read_file", &json!({"path": "f", "limit": 0})),
        call("e", "list_directory", &json!({})),
    ])]);
    assert_eq!(
        outcomes(&answers),
        [("a", "succeeded"), ("b", "failed"), ("c", "failed"), ("d", "failed"), ("e", "succeeded")]
    );
}

#[test]
fn what_is_no_call_in_a_batch_is_answered_in_its_place() {
    let space = Space::with(TOOLS, ALLOW);
    let answers = space.answers(&[
        r#"[{"id":"a","name":"list_directory"},7,{"id":"b","nome":"x"},{"id":"c","name":"list_directory"}]"#,
    ]);
    let statuses: Vec<_> = answers.iter().map(|answer| answer["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["succeeded", "failed", "failed", "succeeded"]);
    assert_eq!((code(&answers[1]), code(&answers[2])), ("MALFORMED_CALL", "MALFORMED_CALL"));
}

#[test]
fn a_write_and_a_read_of_the_same_new_file_work_in_one_batch() {
    let space = Space::with(TOOLS, ALLOW);
    let answers = space.answers(&[&batch(&[
        call("w", "write_file", &json!({"path": "new.txt", "content": "fresh\n"})),
        call("r", "read_file", &json!({"path": "new.txt"})),
        call("d", "delete_path", &json!({"path": "new.txt"})),
        call("g", "read_file", &json!({"path": "new.txt"})),
    ])]);
    assert_eq!(
        outcomes(&answers),
        [("w", "succeeded"), ("r", "succeeded"), ("d", "succeeded"), ("g", "failed")]
    );
    assert_eq!(content(&answers[1]), "1\tfresh\n");
    assert_eq!(code(&answers[3]), "FILE_NOT_FOUND");
}

#[test]
fn a_question_in_a_batch_holds_nobody_else_back() {
    let space = Space::new();
    space.write("f", "a\n");
    let answers = space
        .tgw(["run"])
        .lines_in(&[&batch(&[
            call("w", "write_file", &json!({"path": "g", "content": ""})),
            call("r", "read_file", &json!({"path": "f"})),
            call("d", "delete_path", &json!({"path": "f"})),
        ])])
        .answers();
    assert_eq!(outcomes(&answers), [("w", "input_required"), ("r", "succeeded"), ("d", "input_required")]);
    assert_eq!(space.read("f").as_deref(), Some("a\n"));
}

#[test]
fn an_id_used_twice_in_a_batch_is_refused_the_second_time() {
    let space = Space::with(TOOLS, ALLOW);
    let one = call("a", "list_directory", &json!({}));
    let answers = space.answers(&[&batch(&[one.clone(), one])]);
    assert_eq!(outcomes(&answers), [("a", "succeeded"), ("a", "failed")]);
}

#[test]
fn a_batch_too_large_is_one_malformed_line() {
    let space = Space::with(TOOLS, ALLOW);
    let calls: Vec<String> =
        (0..1025).map(|number| call(&number.to_string(), "list_directory", &json!({}))).collect();
    let answers = space.answers(&[&batch(&calls)]);
    assert_eq!(answers.len(), 1);
    assert_eq!(code(&answers[0]), "MALFORMED_CALL");
}
