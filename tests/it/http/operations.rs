//! Work that a service accepts, probes over http, and the pace that a service asks for.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::service::{Answer, Service};
use super::{ask, extend, space, tool};
use crate::harness::{Space, code, status};

fn look(name: &str, url: &str) -> Value {
    json!({
        "name": name, "description": "Looks.", "risk": "read_only", "execution_mode": "exclusive", "internal": true,
        "input_schema": {"type": "object", "additionalProperties": false, "required": ["id"], "properties": {"id": {"type": "string"}}},
        "run": {"http": {"url": url, "networks": ["loopback"]}}, "result": {"trust": "trusted"},
    })
}

/// A shop that takes orders and works on them for three looks.
fn shop(pace: &'static str) -> Service {
    let looks = AtomicUsize::new(0);
    Service::new(move |asked, _| match asked.line.split(' ').nth(1).unwrap() {
        "/orders" => {
            Answer::with(202, &format!("content-type: application/json\r\n{pace}"), r#"{"job":"j-1"}"#)
        }
        "/jobs/j-1" => match looks.fetch_add(1, Ordering::SeqCst) {
            0 => Answer::json(200, r#"{"state":"queued"}"#),
            1 => Answer::json(500, "{}"),
            _ => Answer::json(200, r#"{"state":"done","order":{"id":"o-1","amount":5}}"#),
        },
        _ => Answer::json(200, r#"{"amount":5}"#),
    })
}

fn operation() -> Value {
    json!({
        "accepted_when": "http.status == 202", "id": "/job", "interval": "20ms", "timeout": "1m",
        "poll": {"tool": "get_job", "arguments": {"id": "{{operation.id}}"}},
        "state": {"pointer": "/state", "map": {"queued": "accepted", "done": "succeeded", "error": "failed"}}, "value": "/order",
    })
}

fn ordering(service: &Service, contract: &Value) -> Space {
    let mut more = json!({
        "idempotency": {"key": "{{arguments.ref}}", "send_as": {"header": "Idempotency-Key"}},
        "operation": operation(),
        "verify": {"tool": "get_order", "arguments": {"id": "{{value.id}}"}, "expect": "value.amount == result.amount"},
    });
    extend(&mut more, contract);
    let http = json!({"method": "POST", "url": format!("{}/orders", service.at()), "body": "{{arguments}}"});
    space(&[
        tool("external", &http, &more),
        look("get_job", &format!("{}/jobs/{{{{arguments.id}}}}", service.at())),
        look("get_order", &format!("{}/orders/{{{{arguments.id}}}}", service.at())),
    ])
}

fn due(space: &Space) -> i64 {
    let text = space.tgw(["effects", "list", "--json"]).text();
    let effects: Value = serde_json::from_str(&text).unwrap();
    let seconds = |name: &str| {
        let text = effects[0].pointer(name).and_then(Value::as_str).unwrap_or_else(|| panic!("{effects}"));
        let clock = text.split('T').nth(1).unwrap();
        let part = |range: std::ops::Range<usize>| clock[range].parse::<i64>().unwrap();
        part(0..2) * 3600 + part(3..5) * 60 + part(6..8)
    };
    (seconds("/operation/due") - seconds("/changed")).rem_euclid(86_400)
}

#[test]
fn what_a_service_accepts_is_followed_over_http_to_a_verified_end() {
    let service = shop("");
    let space = ordering(&service, &json!({}));
    let answer = ask(&space, &json!({"ref": "R-1"}));
    assert_eq!((status(&answer), answer["effect"].as_str()), ("accepted", Some("possible")), "{answer}");
    assert_eq!(answer["operation"]["id"], "j-1");
    assert_eq!(service.only().header("idempotency-key"), Some("R-1"));
    let id = answer["operation"]["effect"].as_str().unwrap();
    let text = space.tgw(["effects", "wait", id]).with_files().text();
    let event: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(event["status"], "succeeded", "{event}");
    assert_eq!(event["verification"], "verified", "{event}");
    let paths: Vec<String> = service.asked().iter().map(|asked| asked.line.clone()).collect();
    assert_eq!(paths.iter().filter(|line| line.contains("/jobs/j-1")).count(), 3, "{paths:?}");
    assert_eq!(paths.iter().filter(|line| line.contains("POST")).count(), 1, "{paths:?}");
}

#[test]
fn a_service_says_when_it_wants_to_be_asked_again() {
    let service = shop("retry-after: 600\r\n");
    // Where its time is over before that, it is looked at then.
    for (timeout, range) in [("30m", 600..=661), ("2m", 120..=133)] {
        let mut contract = json!({"operation": operation()});
        contract["operation"]["timeout"] = json!(timeout);
        let space = ordering(&service, &contract);
        assert_eq!(status(&ask(&space, &json!({"ref": "R-1"}))), "accepted");
        let due = due(&space);
        assert!(range.contains(&due), "{timeout} {due}");
    }
}

#[test]
fn a_precondition_is_looked_up_over_http() {
    let service = shop("");
    let precondition = |expect: &str| {
        json!({"preconditions": [
            {"tool": "get_order", "arguments": {"id": "x"}, "expect": expect, "message": "the amount is another"},
        ]})
    };
    let space = ordering(&service, &precondition("value.amount == 6"));
    let answer = ask(&space, &json!({"ref": "R-1"}));
    assert_eq!(code(&answer), "PRECONDITION_FAILED", "{answer}");
    assert!(service.asked().iter().all(|asked| asked.line.starts_with("GET")));
    let space = ordering(&service, &precondition("value.amount == 5"));
    assert_eq!(status(&ask(&space, &json!({"ref": "R-1"}))), "accepted");
}

#[test]
fn what_was_lost_is_found_over_http() {
    let service = Service::new(|asked, _| {
        if asked.line.starts_with("POST") {
            Answer::raw("")
        } else {
            Answer::json(200, r#"{"items":[{"id":"o-1"}]}"#)
        }
    });
    let contract = json!({
        "idempotency": {"key": "{{arguments.ref}}", "send_as": {"header": "Idempotency-Key"}},
        "reconcile": {"tool": "find", "arguments": {"id": "{{arguments.ref}}"}, "found_when": "size(value.items) == 1", "value": "/items/0"},
    });
    let http = json!({"method": "POST", "url": service.at()});
    let space = space(&[
        tool("external", &http, &contract),
        look("find", &format!("{}/orders/{{{{arguments.id}}}}", service.at())),
    ]);
    assert_eq!(status(&ask(&space, &json!({"ref": "R-1"}))), "unknown");
    let again = ask(&space, &json!({"ref": "R-1"}));
    assert_eq!((status(&again), again["replayed"].as_bool()), ("succeeded", Some(true)), "{again}");
    assert_eq!(service.asked().iter().filter(|asked| asked.line.starts_with("POST")).count(), 1);
}
