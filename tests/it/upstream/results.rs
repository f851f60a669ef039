//! What a server answers arrives as it was sent, bounded where a model reads it.

use serde_json::{Value, json};

use super::{READS, peer};
use crate::harness::{ALLOW, Space, call, code, content, status};

fn reading() -> Space {
    peer(&[], &format!("tools: {{{READS}}}"), ALLOW)
}

fn raw(space: &Space, result: &str) -> Value {
    space.answer(&call("c", "p__raw", &json!({ "result": result })))
}

fn kept(space: &Space, answer: &Value) -> String {
    space.tgw(["results", answer["result"].as_str().unwrap(), "--json"]).text()
}

#[test]
fn mc_01_a_result_with_unknown_content_meta_and_further_keys_arrives_unchanged() {
    let space = reading();
    let sent = r#"{"structuredContent":{"n":18446744073709551615,"f":1.5},"content":[{"type":"hologram","layers":[1,{"b":2,"a":1}]}],"_meta":{"z":1,"a":null},"tools":[7],"extra":true}"#;
    let answer = raw(&space, sent);
    assert_eq!(status(&answer), "succeeded");
    assert_eq!(kept(&space, &answer), format!("{sent}\n"));
    assert_eq!(
        content(&answer),
        "[hologram: 46 bytes of JSON, at /content/0]\n{\"n\":18446744073709551615,\"f\":1.5}"
    );
}

#[test]
fn an_integer_beyond_64_bits_is_given_as_text_rather_than_changed() {
    let answer = raw(&reading(), r#"{"content":[],"structuredContent":{"n":18446744073709551616}}"#);
    assert_eq!(content(&answer), r#"{"n":"18446744073709551616"}"#);
    assert_eq!(answer["warnings"], json!(["numbers beyond 64-bit precision are given as text"]));
}

#[test]
fn data_reaches_a_model_as_a_reference_with_type_and_size() {
    let sent = r#"{"content":[{"type":"text","text":"a chart:"},{"type":"image","mimeType":"image/png","data":"aGVsbG8="},
        {"type":"resource_link","uri":"file:///a","name":"a","mimeType":"text/plain"},{"type":"resource","resource":{"uri":"mem://b","text":"its text"}}]}"#
        .replace('\n', "");
    let answer = raw(&reading(), &sent);
    assert_eq!(
        content(&answer),
        "a chart:\n[image: image/png, 5 bytes, at /content/1/data]\n[link: a, file:///a, text/plain]\n[resource: mem://b]\nits text"
    );
}

#[test]
fn a_structured_part_that_its_text_repeats_is_shown_once() {
    let answer =
        raw(&reading(), r#"{"content":[{"type":"text","text":"{\"a\": 1}"}],"structuredContent":{"a":1}}"#);
    assert_eq!(content(&answer), r#"{"a":1}"#);
}

#[test]
fn mc_18_results_of_one_and_eight_megabytes_on_one_line_arrive() {
    let space = reading();
    for bytes in [1 << 20, 8 << 20] {
        let answer = space.answer(&call("c", "p__big", &json!({ "bytes": bytes })));
        assert_eq!((status(&answer), &answer["truncated"]), ("succeeded", &json!(true)), "{bytes}");
        assert!(content(&answer).len() <= 32 << 10);
    }
}

#[test]
fn a_long_text_can_be_paged_from_where_its_content_ends() {
    let space = reading();
    let answer = space.answer(&call("c", "p__big", &json!({ "bytes": 100_000 })));
    assert_eq!(answer["next"], json!({"offset": 9, "filter": "$.content[0].text"}));
}

#[test]
fn what_a_server_promises_of_its_result_is_held() {
    let space = reading();
    let typed = |result: &str| space.answer(&call("c", "p__typed", &json!({ "result": result })));
    assert_eq!(status(&typed(r#"{"content":[],"structuredContent":{"n":1}}"#)), "succeeded");
    assert_eq!(code(&typed(r#"{"content":[],"structuredContent":{"n":"one"}}"#)), "INVALID_RESULT");
    assert_eq!(code(&typed(r#"{"content":[]}"#)), "INVALID_RESULT");
}

#[test]
fn a_result_that_is_none_is_invalid() {
    let space = reading();
    for result in
        ["[]", "7", r#"{"resultType":"hologram"}"#, r#"{"isError":"no"}"#, r#"{"content":[],"content":[7]}"#]
    {
        assert_eq!(code(&raw(&space, result)), "INVALID_RESULT", "{result}");
    }
}

#[test]
fn hidden_fields_are_not_repeated_by_the_servers_text() {
    let rest = "tools: {raw: {risk: read_only, result: {redact: [/structuredContent/email]}}}";
    let space = peer(&[], rest, ALLOW);
    let answer = raw(
        &space,
        r#"{"content":[{"type":"text","text":"{\"email\":\"a@b.example\"}"}],"structuredContent":{"email":"a@b.example","id":1}}"#,
    );
    assert!(!answer.to_string().contains("a@b.example"), "{answer}");
    assert!(!kept(&space, &answer).contains("a@b.example"));
}

#[test]
fn mc_02_a_servers_schema_with_definitions_and_references_is_held() {
    let space = reading();
    assert_eq!(content(&space.answer(&call("c", "p__echo", &json!({"word": "hello"})))), "hello");
    for wrong in
        [json!({}), json!({"word": 7}), json!({"word": "x".repeat(101)}), json!({"word": "a", "b": 1})]
    {
        assert_eq!(code(&space.answer(&call("c", "p__echo", &wrong))), "INVALID_ARGUMENTS", "{wrong}");
    }
}

#[test]
fn mc_07_progress_only_rises_on_the_display_and_ends_with_the_result() {
    let space = reading();
    let run = space.stream(&[&call("c", "p__progress", &json!({}))]).and(&["--display", "json"]);
    let ended = run.ended();
    let events: Vec<Value> =
        ended.stderr.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let steps: Vec<f64> = events
        .iter()
        .filter(|event| event["event"] == "progress")
        .map(|event| event["done"].as_f64().unwrap())
        .collect();
    assert!(
        !steps.is_empty() && steps.is_sorted_by(|a, b| a < b) && *steps.last().unwrap() == 100.0,
        "{steps:?}"
    );
    let last = events.iter().rposition(|event| event["event"] == "progress").unwrap();
    let answered = events.iter().position(|event| event.get("status").is_some()).unwrap();
    assert!(last < answered, "{}", ended.stderr);
}

#[test]
fn a_server_that_asks_for_input_gets_none() {
    let space = reading();
    let answer = space.answer(&call("c", "p__ask", &json!({})));
    assert_eq!((status(&answer), &answer["effect"]), ("input_required", &json!("none")));
    assert!(
        answer["warnings"][0].as_str().unwrap().ends_with("nothing was sent to it: which account?"),
        "{answer}"
    );
}
