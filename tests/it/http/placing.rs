//! Each value in its place: a call can fill a part of a path, a parameter, a header, a field, and make none of them another.

use serde_json::json;

use super::service::{Answer, Service};
use super::{ask, once, space, tool};
use crate::harness::{code, content, message, status};

fn echo() -> Service {
    Service::new(|_, _| Answer::json(200, r#"{"ok":true}"#))
}

#[test]
fn a_read_brings_back_the_value_of_the_answer() {
    let service = echo();
    let answer = once(&service, "read_only", &json!({}), &json!({}));
    assert_eq!((status(&answer), answer["effect"].as_str()), ("succeeded", Some("none")), "{answer}");
    assert!(content(&answer).contains("\"ok\":true"), "{answer}");
    let asked = service.only();
    assert_eq!(asked.line, "GET /a HTTP/1.1");
    assert_eq!(asked.header("host"), Some(format!("127.0.0.1:{}", service.port()).as_str()));
    assert!(asked.header("user-agent").unwrap().starts_with("tgw/"));
}

#[test]
fn a_part_of_a_path_stays_one_part() {
    for (value, path) in [
        ("a b", "/items/a%20b/x"),
        ("a/b", "/items/a%2Fb/x"),
        ("?q=1#f", "/items/%3Fq%3D1%23f/x"),
        ("100%", "/items/100%25/x"),
        ("ä", "/items/%C3%A4/x"),
        ("a;b=c&d", "/items/a%3Bb%3Dc%26d/x"),
        ("@evil.example", "/items/%40evil.example/x"),
    ] {
        let service = echo();
        let url = format!("{}/items/{{{{arguments.id}}}}/x", service.at());
        let answer = once(&service, "read_only", &json!({ "url": url }), &json!({ "id": value }));
        assert_eq!(status(&answer), "succeeded", "{answer}");
        assert_eq!(service.only().line, format!("GET {path} HTTP/1.1"));
    }
}

#[test]
fn a_part_of_a_path_that_leads_elsewhere_is_refused_before_anything_is_sent() {
    for value in [
        "",
        ".",
        "..",
        "../admin",
        "a/../b",
        "..\\admin",
        "%2e%2e",
        "a/%2E./b",
        "..%2fadmin",
        "a\nb",
        "a\u{0}b",
    ] {
        let service = echo();
        let url = format!("{}/items/{{{{arguments.id}}}}", service.at());
        let answer = once(&service, "read_only", &json!({ "url": url }), &json!({ "id": value }));
        assert_eq!(code(&answer), "INVALID_ARGUMENTS", "{value:?} {answer}");
        assert!(service.asked().is_empty(), "{value:?}");
    }
    // Nor beside a text of the contract.
    let service = echo();
    let url = format!("{}/items/b{{{{arguments.id}}}}../x", service.at());
    let answer = once(&service, "read_only", &json!({ "url": url }), &json!({ "id": "/" }));
    assert_eq!((code(&answer), service.asked().len()), ("INVALID_ARGUMENTS", 0), "{answer}");
}

#[test]
fn a_parameter_stays_one_parameter_and_lists_are_for_those_that_say_so() {
    let service = echo();
    let http = json!({"query": {
        "q": "{{arguments.q}}", "n": "{{arguments.n}}", "tag": {"each": "arguments.list", "value": "{{item}}"},
        "none": {"when": "has(arguments.none)", "value": "1"}, "a&b": "c",
    }});
    let answer =
        once(&service, "read_only", &http, &json!({"q": "x&admin=true#y", "n": 5, "list": ["a b", "c&d"]}));
    assert_eq!(status(&answer), "succeeded", "{answer}");
    assert_eq!(service.only().line, "GET /a?q=x%26admin%3Dtrue%23y&n=5&tag=a%20b&tag=c%26d&a%26b=c HTTP/1.1");
    let answer =
        once(&service, "read_only", &json!({"query": {"q": "{{arguments.q}}"}}), &json!({"q": ["a"]}));
    assert_eq!(code(&answer), "INVALID_ARGUMENTS", "{answer}");
}

#[test]
fn a_header_ends_where_its_value_ends() {
    for value in ["a\r\nX-Admin: 1", "a\nb", "a\rb", "ä", "\u{7f}", " a", "a\u{0}"] {
        let service = echo();
        let answer = once(
            &service,
            "read_only",
            &json!({"headers": {"X-Ref": "{{arguments.v}}"}}),
            &json!({ "v": value }),
        );
        assert_eq!(code(&answer), "INVALID_ARGUMENTS", "{value:?} {answer}");
        assert!(service.asked().is_empty());
    }
    let service = echo();
    once(
        &service,
        "read_only",
        &json!({"headers": {"X-Ref": "r {{arguments.v}}; x"}}),
        &json!({"v": "a:b,c"}),
    );
    assert_eq!(service.only().header("x-ref"), Some("r a:b,c; x"));
}

#[test]
fn a_look_at_a_call_shows_the_request_and_makes_none() {
    let service = echo();
    let url = format!("{}/items/{{{{arguments.id}}}}", service.at());
    let http = json!({"method": "POST", "url": url, "query": {"q": "{{arguments.id}}"}, "auth": {"bearer": "key"},
        "body": {"id": "{{arguments.id}}", "n": "{{arguments.n}}"}});
    let space = space(&[tool("external", &http, &json!({}))]);
    let line = crate::harness::call("c", "t", &json!({"id": "a b", "n": 1}));
    let checked = space.tgw(["check"]).with_files().lines_in(&[&line]).answers().remove(0);
    let would = &checked["would_run"]["http"];
    assert_eq!(would["method"], "POST");
    assert_eq!(would["url"], format!("{}/items/a%20b?q=a%20b", service.at()));
    assert_eq!(would["body"], json!({"json": {"id": "a b", "n": 1}}));
    assert_eq!(would["auth"], json!({"bearer": "key"}));
    assert_eq!(would["networks"], json!(["loopback"]));
    assert!(service.asked().is_empty());
}

#[test]
fn credentials_are_sent_by_their_kind_and_said_nowhere() {
    let secret = "hunter2-hunter2";
    for (auth, header, value) in [
        (json!({"bearer": "key"}), "authorization", format!("Bearer {secret}")),
        (json!({"header": {"name": "X-Api-Key", "credential": "key"}}), "x-api-key", secret.to_owned()),
    ] {
        let service = Service::new(|asked, _| {
            let shown = asked.header("authorization").or(asked.header("x-api-key")).unwrap();
            Answer::json(200, &format!(r#"{{"echo":"{shown}"}}"#))
        });
        let http = json!({"url": service.at(), "auth": auth});
        let space = space(&[tool("read_only", &http, &json!({}))]);
        let answer = ask(&space, &json!({}));
        assert_eq!(status(&answer), "succeeded", "{answer}");
        assert!(
            !answer.to_string().contains(secret) && content(&answer).contains("[secret:key]"),
            "{answer}"
        );
        assert_eq!(service.only().header(header), Some(value.as_str()));
        let records = space.tgw(["audit", "list", "--json"]).text();
        assert!(!records.contains(secret) && records.contains("\"key\""), "{records}");
    }
    let service = echo();
    once(
        &service,
        "read_only",
        &json!({"auth": {"query": {"name": "k", "credential": "key"}}, "query": {"a": "1"}}),
        &json!({}),
    );
    assert_eq!(service.only().line, format!("GET /a?a=1&k={secret} HTTP/1.1"));
    // A value that no `user:password` is, is not sent as one.
    let answer = once(&echo(), "read_only", &json!({"auth": {"basic": "key"}}), &json!({}));
    assert_eq!(code(&answer), "CREDENTIAL_UNAVAILABLE", "{answer}");
    assert!(message(&answer).contains("user:password"), "{answer}");
}

#[test]
fn connections_are_used_again_for_what_may_be_sent_twice_and_only_for_that() {
    for (risk, method, connections) in [("read_only", "GET", 1), ("write", "POST", 3)] {
        let service = echo();
        let space = space(&[tool(risk, &json!({"method": method, "url": service.at()}), &json!({}))]);
        let lines: Vec<String> =
            (0..3).map(|n| crate::harness::call(&format!("c{n}"), "t", &json!({}))).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        for answer in space.answers(&lines) {
            assert_eq!(status(&answer), "succeeded", "{answer}");
        }
        let used: std::collections::BTreeSet<usize> =
            service.asked().iter().map(|asked| asked.connection).collect();
        assert_eq!((service.asked().len(), used.len()), (3, connections), "{risk}");
    }
}

#[test]
fn a_request_says_where_it_stands_in_its_trace_unless_the_contract_does() {
    let place = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for (headers, expected) in [(json!({"X-A": "1"}), place), (json!({"Traceparent": "mine"}), "mine")] {
        let service = echo();
        let http = json!({"url": service.at(), "headers": headers});
        let space = space(&[tool("read_only", &http, &json!({}))]);
        let line = json!({"id": "c", "name": "t", "arguments": {}, "traceparent": place}).to_string();
        assert_eq!(status(&space.answer(&line)), "succeeded");
        assert_eq!(service.only().header("traceparent"), Some(expected));
    }
}
