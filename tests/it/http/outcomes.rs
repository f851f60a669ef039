//! What an answer, or none, says of the call: failed only where that is proven.

use std::io::Write;

use serde_json::{Value, json};

use super::service::{Answer, Service};
use super::{ask, once, space, tool};
use crate::harness::{code, message, status};

fn answering(status: u16, headers: &'static str) -> Service {
    Service::new(move |_, _| Answer::with(status, headers, "the backend's own words"))
}

fn told(answer: &Value) -> (&str, &str, &str, &str) {
    let effect = answer["effect"].as_str().unwrap();
    (status(answer), effect, code(answer), answer["error"]["retry"].as_str().unwrap())
}

#[test]
fn a_read_that_is_answered_otherwise_failed_for_a_reason_of_its_own() {
    for (answered, headers, expected) in [
        (400, "", ("failed", "none", "EXECUTION_FAILED", "changed_call")),
        (401, "", ("denied", "none", "BACKEND_DENIED", "never")),
        (403, "", ("denied", "none", "BACKEND_DENIED", "never")),
        (404, "", ("failed", "none", "EXECUTION_FAILED", "changed_call")),
        (409, "", ("failed", "none", "PRECONDITION_FAILED", "changed_call")),
        (412, "", ("failed", "none", "PRECONDITION_FAILED", "changed_call")),
        (429, "retry-after: 30\r\n", ("failed", "none", "BACKEND_UNAVAILABLE", "later")),
        (500, "", ("failed", "none", "EXECUTION_FAILED", "later")),
        (503, "retry-after: 30\r\n", ("failed", "none", "BACKEND_UNAVAILABLE", "later")),
        (302, "location: /b\r\n", ("failed", "none", "EXECUTION_FAILED", "never")),
    ] {
        let answer = once(&answering(answered, headers), "read_only", &json!({}), &json!({}));
        assert_eq!(told(&answer), expected, "{answered} {answer}");
        assert!(!answer.to_string().contains("own words"), "{answer}");
        if headers.contains("retry-after") {
            assert!(answer["error"]["hint"].as_str().unwrap().contains("30 s"), "{answer}");
        }
    }
}

#[test]
fn an_effect_failed_where_the_status_says_that_nothing_was_done_and_is_unknown_elsewhere() {
    let denied = ("denied", "none", "BACKEND_DENIED", "never");
    let unknown = ("unknown", "possible", "OUTCOME_UNKNOWN", "never");
    for (answered, headers, expected) in [
        (400, "", ("failed", "none", "EXECUTION_FAILED", "changed_call")),
        (401, "", denied),
        (403, "", denied),
        (404, "", ("failed", "none", "EXECUTION_FAILED", "changed_call")),
        (408, "", unknown),
        (409, "", ("failed", "none", "PRECONDITION_FAILED", "changed_call")),
        (412, "", ("failed", "none", "PRECONDITION_FAILED", "changed_call")),
        (422, "", ("failed", "none", "EXECUTION_FAILED", "changed_call")),
        (429, "", ("failed", "none", "BACKEND_UNAVAILABLE", "later")),
        (302, "location: /b\r\n", unknown),
        (500, "", unknown),
        (502, "", unknown),
        (503, "", unknown),
        (503, "retry-after: 5\r\n", ("failed", "none", "BACKEND_UNAVAILABLE", "later")),
        (504, "", unknown),
    ] {
        let service = answering(answered, headers);
        let answer = once(&service, "external", &json!({"method": "POST"}), &json!({}));
        assert_eq!(told(&answer), expected, "{answered} {answer}");
        assert_eq!(service.asked().len(), 1);
    }
}

#[test]
fn the_contract_says_what_proves_that_nothing_happened_in_place_of_the_statuses() {
    let http = json!({"method": "POST", "no_effect": "http.status == 500 && http.headers[?'x-stage'].orValue('') == 'before'"});
    let answer = once(&answering(500, "x-stage: before\r\n"), "external", &http, &json!({}));
    assert_eq!((status(&answer), answer["effect"].as_str()), ("failed", Some("none")), "{answer}");
    for (answered, headers) in
        [(500, "x-stage: after\r\n"), (500, ""), (400, "x-stage: before\r\n"), (403, "")]
    {
        let answer = once(&answering(answered, headers), "external", &http, &json!({}));
        assert_eq!(told(&answer), ("unknown", "possible", "OUTCOME_UNKNOWN", "never"), "{answer}");
    }
}

#[test]
fn success_is_what_the_contract_says_over_status_headers_and_value() {
    let http = json!({"success": "http.status == 200 && !has(value.error)"});
    let with = |text: &'static str| Service::new(move |_, _| Answer::json(200, text));
    assert_eq!(status(&once(&with("{}"), "read_only", &http, &json!({}))), "succeeded");
    let answer = once(&with(r#"{"error":"no"}"#), "read_only", &http, &json!({}));
    assert_eq!(told(&answer), ("failed", "none", "EXECUTION_FAILED", "changed_call"), "{answer}");
    let mut post = http.clone();
    super::extend(&mut post, &json!({"method": "POST"}));
    let answer = once(&with(r#"{"error":"no"}"#), "external", &post, &json!({}));
    assert_eq!(told(&answer), ("unknown", "possible", "OUTCOME_UNKNOWN", "never"), "{answer}");
    let answer =
        once(&answering(404, ""), "read_only", &json!({"success": "http.status in [200, 404]"}), &json!({}));
    assert_eq!(status(&answer), "succeeded", "{answer}");
}

#[test]
fn a_contract_names_failures_by_status_headers_and_value() {
    let service = Service::new(|_, _| Answer::json(422, r#"{"reason":"blocked"}"#));
    let http = json!({"method": "POST", "url": service.at()});
    let errors = json!({"errors": [
        {"code": "OTHER", "when": "http.status == 422 && value.reason == 'else'", "message": "no"},
        {"code": "SUPPLIER_BLOCKED", "when": "http.status == 422 && value.reason == 'blocked'", "message": "the supplier is blocked",
         "hint": "choose another", "retry": "changed_call"},
    ]});
    let answer = ask(&space(&[tool("external", &http, &errors)]), &json!({}));
    assert_eq!(told(&answer), ("failed", "none", "SUPPLIER_BLOCKED", "changed_call"), "{answer}");
    assert_eq!(message(&answer), "the supplier is blocked");
}

#[test]
fn what_never_left_had_no_effect_and_what_was_lost_is_unknown() {
    // Nothing listens there any more.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{gone}/");
    let answer =
        ask(&space(&[tool("external", &json!({"method": "POST", "url": url}), &json!({}))]), &json!({}));
    assert_eq!(told(&answer), ("failed", "none", "BACKEND_UNAVAILABLE", "later"), "{answer}");
    for bytes in ["", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc", "nonsense\r\n\r\n"] {
        let service = Service::new(move |_, _| Answer::raw(bytes));
        let answer = once(&service, "external", &json!({"method": "POST"}), &json!({}));
        assert_eq!(told(&answer), ("unknown", "possible", "OUTCOME_UNKNOWN", "never"), "{bytes:?} {answer}");
        assert_eq!(service.asked().len(), 1, "sent once");
        let answer = once(&service, "read_only", &json!({}), &json!({}));
        assert_eq!(told(&answer), ("failed", "none", "BACKEND_UNAVAILABLE", "later"), "{bytes:?} {answer}");
    }
}

#[test]
fn deadlines_end_a_request_whatever_the_service_does() {
    for bytes in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"] {
        for (risk, expected) in [
            ("read_only", ("failed", "none", "TIMEOUT", "same_call")),
            ("external", ("unknown", "possible", "OUTCOME_UNKNOWN", "never")),
        ] {
            let service = Service::new(move |_, _| Answer::silence(bytes));
            let http =
                json!({"method": if risk == "external" { "POST" } else { "GET" }, "url": service.at()});
            let answer = ask(&space(&[tool(risk, &http, &json!({"timeout": "200ms"}))]), &json!({}));
            assert_eq!(told(&answer), expected, "{bytes:?} {answer}");
        }
        let service = Service::new(move |_, _| Answer::silence(bytes));
        let answer = once(&service, "read_only", &json!({"read_timeout": "100ms"}), &json!({}));
        assert_eq!(told(&answer), ("failed", "none", "BACKEND_UNAVAILABLE", "later"), "{answer}");
        assert!(message(&answer).contains("silent"), "{answer}");
    }
    // A listener whose queue nobody empties takes the connection and never speaks TLS.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://127.0.0.1:{}/", listener.local_addr().unwrap().port());
    let http = json!({"method": "POST", "url": url, "connect_timeout": "100ms", "tls": {"roots": "roots"}});
    let answer = ask(&space(&[tool("external", &http, &json!({}))]), &json!({}));
    assert_eq!(told(&answer), ("failed", "none", "BACKEND_UNAVAILABLE", "later"), "{answer}");
    let http = json!({"method": "POST", "url": url, "tls": {"roots": "roots"}});
    let answer = ask(&space(&[tool("external", &http, &json!({"timeout": "100ms"}))]), &json!({}));
    assert_eq!(told(&answer), ("failed", "none", "TIMEOUT", "same_call"), "{answer}");
}

#[test]
fn an_answer_is_bounded_while_it_is_read() {
    let service = Service::new(|_, _| Answer::with(200, "content-type: text/plain\r\n", &"x".repeat(5000)));
    let answer = once(&service, "read_only", &json!({"max_response_bytes": 100}), &json!({}));
    assert_eq!((status(&answer), answer["truncated"].as_bool()), ("succeeded", Some(true)), "{answer}");
    let answer =
        once(&service, "read_only", &json!({"max_response_bytes": 100, "on_overflow": "fail"}), &json!({}));
    assert_eq!(code(&answer), "RESULT_TOO_LARGE", "{answer}");
    // An endless one is not waited for.
    let endless = || {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
        Answer::silence(format!("{head}{}", "400\r\n".to_owned() + &"1".repeat(1024) + "\r\n"))
    };
    let service = Service::new(move |_, _| endless());
    let answer = once(&service, "read_only", &json!({"max_response_bytes": 1000}), &json!({}));
    assert_eq!(code(&answer), "RESULT_TOO_LARGE", "{answer}");
    // An effect that is told of at too much length happened all the same.
    let answer =
        once(&service, "external", &json!({"method": "POST", "max_response_bytes": 1000}), &json!({}));
    assert_eq!((status(&answer), answer["effect"].as_str()), ("succeeded", Some("happened")), "{answer}");
    let huge = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(200_000));
    let service = Service::new(move |_, _| Answer::raw(huge.clone()));
    assert_eq!(code(&once(&service, "read_only", &json!({}), &json!({}))), "BACKEND_UNAVAILABLE");
}

#[test]
fn a_value_is_what_the_content_type_says_unless_the_contract_does() {
    let with = |kind: &'static str, body: &'static str| {
        Service::new(move |_, _| Answer::with(200, &format!("content-type: {kind}\r\n"), body))
    };
    let answer = once(&with("text/html", "{}"), "read_only", &json!({}), &json!({}));
    assert_eq!(answer["content"], "{}");
    let answer = once(&with("text/html", "<p>"), "read_only", &json!({"output": "json"}), &json!({}));
    assert_eq!(code(&answer), "INVALID_RESULT", "{answer}");
    let answer =
        once(&with("application/problem+json", r#"{"a":1,"a":2}"#), "read_only", &json!({}), &json!({}));
    assert_eq!(code(&answer), "INVALID_RESULT", "{answer}");
    let answer = once(
        &Service::new(|_, _| Answer::with(204, "", "")),
        "external",
        &json!({"method": "DELETE"}),
        &json!({}),
    );
    assert_eq!(status(&answer), "succeeded", "{answer}");
}

#[test]
fn an_answer_that_comes_packed_without_being_asked_for_is_no_value() {
    let service = Service::new(|asked, _| {
        assert_eq!(asked.header("accept-encoding"), Some("identity"));
        Answer::with(200, "content-encoding: gzip\r\n", "\u{1f}packed")
    });
    assert_eq!(code(&once(&service, "read_only", &json!({}), &json!({}))), "INVALID_RESULT");
}

#[test]
fn a_cancel_ends_a_request_that_is_under_way_and_says_what_is_known() {
    for (risk, method, expected) in
        [("read_only", "GET", ("cancelled", "none")), ("external", "POST", ("unknown", "possible"))]
    {
        let (heard, hears) = std::sync::mpsc::sync_channel(1);
        let service = Service::new(move |_, _| {
            heard.send(()).unwrap();
            Answer::silence("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab")
        });
        let http = json!({"method": method, "url": service.at()});
        let space = space(&[tool(risk, &http, &json!({"timeout": "10m"}))]);
        let mut child = space.tgw(["run"]).with_files().start();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "{}", crate::harness::call("c", "t", &json!({}))).unwrap();
        hears.recv().unwrap();
        writeln!(input, "{{\"cancel\":\"c\"}}").unwrap();
        drop(input);
        let output = child.wait_with_output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((status(&answer), answer["effect"].as_str().unwrap()), expected, "{answer}");
    }
}

#[test]
fn a_gateway_that_is_killed_while_a_request_is_under_way_leaves_it_unknown_and_sends_it_once() {
    let (heard, hears) = std::sync::mpsc::sync_channel(1);
    let service = Service::new(move |_, _| {
        heard.send(()).unwrap();
        Answer::silence("")
    });
    let keyed = json!({"timeout": "10m", "idempotency": {"key": "{{arguments.ref}}", "send_as": {"header": "Idempotency-Key"}}});
    let space = space(&[tool("external", &json!({"method": "POST", "url": service.at()}), &keyed)]);
    let mut child = space.tgw(["run"]).with_files().start();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{}", crate::harness::call("c", "t", &json!({"ref": "R-1"}))).unwrap();
    hears.recv().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let answer = ask(&space, &json!({"ref": "R-1"}));
    assert_eq!(told(&answer), ("unknown", "possible", "OUTCOME_UNKNOWN", "never"), "{answer}");
    assert_eq!(service.asked().len(), 1);
    space.intact();
}

#[test]
fn what_a_service_says_of_a_failure_is_kept_for_the_record_and_redacted() {
    let service = Service::new(|_, _| Answer::with(500, "", "stack trace of hunter2-hunter2"));
    let http = json!({"url": service.at(), "auth": {"bearer": "key"}});
    let space = space(&[tool("read_only", &http, &json!({}))]);
    let answer = ask(&space, &json!({}));
    assert!(!answer.to_string().contains("stack trace"), "{answer}");
    let told = space.tgw(["audit", "show", "c", "--json"]).text();
    assert!(told.contains("stack trace of [secret:key]"), "{told}");
}

#[test]
fn a_lost_request_is_sent_again_only_where_that_changes_nothing_more_and_is_counted() {
    let flaky = || {
        Service::new(|_, before| if before == 0 { Answer::raw("") } else { Answer::json(200, r#"{"ok":1}"#) })
    };
    let service = flaky();
    let answer = once(&service, "read_only", &json!({"retries": 2}), &json!({}));
    assert_eq!((status(&answer), service.asked().len()), ("succeeded", 2), "{answer}");
    assert!(answer["warnings"].to_string().contains("sent 2 times"), "{answer}");
    let keyed = json!({"idempotency": {"key": "{{arguments.ref}}", "send_as": {"header": "Idempotency-Key"}, "retry": "safe"}});
    let service = flaky();
    let http = json!({"method": "POST", "url": service.at(), "retries": 2});
    let answer = ask(&space(&[tool("external", &http, &keyed)]), &json!({"ref": "R-1"}));
    assert_eq!((status(&answer), service.asked().len()), ("succeeded", 2), "{answer}");
    for asked in service.asked() {
        assert_eq!(asked.header("idempotency-key"), Some("R-1"));
    }
    // What refuses the second request proves nothing of the first.
    let service =
        Service::new(|_, before| if before == 0 { Answer::raw("") } else { Answer::json(422, "{}") });
    let http = json!({"method": "POST", "url": service.at(), "retries": 2});
    let answer = ask(&space(&[tool("external", &http, &keyed)]), &json!({"ref": "R-1"}));
    assert_eq!((status(&answer), answer["effect"].as_str()), ("unknown", Some("possible")), "{answer}");
}

#[test]
fn a_second_call_under_a_key_that_is_refused_proves_nothing_of_the_first() {
    let keyed = json!({"idempotency": {"key": "{{arguments.ref}}", "send_as": {"header": "Idempotency-Key"}, "retry": "safe"}});
    let service =
        Service::new(|_, before| if before == 0 { Answer::raw("") } else { Answer::json(403, "{}") });
    let space = space(&[tool("external", &json!({"method": "POST", "url": service.at()}), &keyed)]);
    let first = ask(&space, &json!({"ref": "R-1"}));
    assert_eq!((status(&first), first["error"]["retry"].as_str()), ("unknown", Some("same_call")), "{first}");
    let second = ask(&space, &json!({"ref": "R-1"}));
    assert_eq!((status(&second), service.asked().len()), ("unknown", 2), "{second}");
}

#[test]
fn a_conflict_about_a_key_that_was_sent_may_be_about_an_earlier_request() {
    let keyed =
        json!({"idempotency": {"key": "{{arguments.ref}}", "send_as": {"header": "Idempotency-Key"}}});
    let service = answering(409, "");
    let space = space(&[tool("external", &json!({"method": "POST", "url": service.at()}), &keyed)]);
    assert_eq!(status(&ask(&space, &json!({"ref": "R-1"}))), "unknown");
}
