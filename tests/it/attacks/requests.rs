//! A request that is led to another place: odd spellings of addresses, names of this machine, redirects, credentials that follow.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::harness::{ALLOW, Space, call, code, status};
use crate::http::service::{Answer, Service};
use crate::http::{ask, extend, space, tool};

/// The answer to a read of this address by a contract that names no network.
fn unnamed(url: &str) -> Value {
    let mut tool = tool("read_only", &json!({ "url": url }), &json!({}));
    tool["run"]["http"].as_object_mut().unwrap().remove("networks");
    ask(&space(&[tool]), &json!({}))
}

#[test]
fn no_spelling_of_a_private_address_is_reached_unless_the_contract_names_its_network() {
    let service = Service::new(|_, _| Answer::json(200, "{}"));
    let port = service.port();
    for host in [
        "127.0.0.1",
        "127.8.8.8",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "0.0.0.0",
        "[::]",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "[::ffff:169.254.169.254]",
        "[fd00:ec2::254]",
        "[fe80::1]",
        "[2002:7f00:1::]",
    ] {
        let answer = unnamed(&format!("http://{host}:{port}/"));
        assert_eq!((code(&answer), status(&answer)), ("PERMISSION_DENIED", "denied"), "{host} {answer}");
    }
    assert!(service.asked().is_empty());
}

#[test]
fn odd_notations_of_an_address_are_no_host_of_a_contract() {
    for host in [
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "127.0.0.01",
        "127.0.0.1%2f",
        "[::1%25lo]",
        "①②⑦.0.0.1",
        "localhost%00.example",
        "good.example@127.0.0.1",
        "good.example\\@127.0.0.1",
        "127.0.0.1#@good.example",
    ] {
        let manifest = json!({"version": 1, "tools": [tool("read_only", &json!({"url": format!("http://{host}/")}), &json!({}))]});
        let space = Space::with(&manifest.to_string(), ALLOW);
        let ended = space.tgw(["tools"]).with_files().ended();
        assert_eq!(ended.status, Some(2), "{host}: {}", ended.stderr);
    }
}

#[test]
fn a_redirect_leads_to_no_private_network_and_to_no_unnamed_host() {
    let inside = Arc::new(Service::new(|_, _| Answer::json(200, r#"{"secret":1}"#)));
    for host in ["127.0.0.1", "[::1]", "2130706433", "127.1", "[::ffff:127.0.0.1]", "localhost"] {
        let location = format!("http://{host}:{}/", inside.port());
        let service = Service::new(move |_, _| Answer::with(302, &format!("location: {location}\r\n"), ""));
        // Even a contract that names the loopback network follows to its own origin only.
        let http = json!({"url": service.at(), "redirects": 5});
        let answer = ask(&space(&[tool("read_only", &http, &json!({}))]), &json!({}));
        assert_eq!(code(&answer), "EXECUTION_FAILED", "{host} {answer}");
    }
    assert!(inside.asked().is_empty());
}

#[test]
fn a_credential_does_not_follow_a_redirect_to_another_host_nor_back() {
    let service = Arc::new(std::sync::OnceLock::<u16>::new());
    let known = Arc::clone(&service);
    let other = Service::new(move |_, _| {
        Answer::with(302, &format!("location: http://127.0.0.1:{}/back\r\n", known.get().unwrap()), "")
    });
    let there = other.port();
    let own = Service::new(move |asked, _| match asked.line.split(' ').nth(1).unwrap() {
        "/back" => Answer::json(200, "{}"),
        _ => Answer::with(302, &format!("location: http://127.0.0.1:{there}/away\r\n"), ""),
    });
    service.set(own.port()).unwrap();
    let http = json!({"url": own.at(), "redirects": {"max": 5, "hosts": ["127.0.0.1"]}, "auth": {"bearer": "key"},
        "headers": {"X-Internal": "for the service only"}});
    let answer = ask(&space(&[tool("read_only", &http, &json!({}))]), &json!({}));
    assert_eq!(status(&answer), "succeeded", "{answer}");
    let asked = own.asked();
    assert_eq!((asked.len(), other.asked().len()), (2, 1));
    assert!(asked[0].header("authorization").is_some() && asked[0].header("x-internal").is_some());
    for later in [&asked[1], &other.asked()[0]] {
        assert!(!later.head.contains("hunter2") && !later.head.contains("for the service"), "{}", later.head);
    }
}

#[test]
fn a_credential_in_clear_text_leaves_this_machine_for_nobody() {
    // The address is of a block for examples, where nobody is: it is refused before anyone is looked for.
    for auth in [json!({"bearer": "key"}), json!({"query": {"name": "k", "credential": "key"}})] {
        let http = json!({"url": "http://203.0.113.7/", "networks": ["203.0.113.0/24"], "auth": auth, "connect_timeout": "1s"});
        let answer = ask(&space(&[tool("read_only", &http, &json!({}))]), &json!({}));
        assert_eq!(code(&answer), "PERMISSION_DENIED", "{answer}");
        assert!(answer.to_string().contains("clear text"), "{answer}");
    }
}

#[test]
fn a_proxy_of_a_private_network_is_reached_only_where_that_is_named() {
    let proxy = Service::new(|_, _| Answer::raw("HTTP/1.1 200 X\r\n\r\n"));
    let mut tool =
        tool("read_only", &json!({"url": "https://198.51.100.7/", "proxy": proxy.at()}), &json!({}));
    tool["run"]["http"]["networks"] = json!(["198.51.100.0/24"]);
    let answer = ask(&space(&[tool.clone()]), &json!({}));
    assert_eq!((code(&answer), proxy.asked().len()), ("PERMISSION_DENIED", 0), "{answer}");
    // Nor does a proxy lead to a place that is not.
    tool["run"]["http"]["networks"] = json!(["loopback"]);
    let answer = ask(&space(&[tool]), &json!({}));
    assert_eq!((code(&answer), proxy.asked().len()), ("PERMISSION_DENIED", 0), "{answer}");
}

#[test]
fn a_write_is_never_repeated_by_a_redirect() {
    for status_code in [301, 302, 303, 307, 308] {
        let service = Service::new(move |_, _| Answer::with(status_code, "location: /again\r\n", ""));
        let http = json!({"method": "POST", "url": service.at(), "body": {}});
        let answer = ask(&space(&[tool("external", &http, &json!({}))]), &json!({}));
        assert_eq!((status(&answer), service.asked().len()), ("unknown", 1), "{answer}");
    }
}

#[test]
fn a_service_cannot_smuggle_a_second_answer_into_the_next_call() {
    // What follows the stated end of an answer belongs to nobody: the connection is given up.
    let service = Service::new(|asked, before| {
        let second = if before == 0 {
            "HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n{\"forged\":true}"
        } else {
            ""
        };
        assert!(asked.line.starts_with("GET"));
        let first = "HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
        Answer::silence(format!("{first}{second}"))
    });
    let space = space(&[tool("read_only", &json!({"url": service.at()}), &json!({"timeout": "2s"}))]);
    let lines = [call("a", "t", &json!({})), call("b", "t", &json!({}))];
    for answer in space.answers(&[&lines[0], &lines[1]]) {
        assert!(!answer.to_string().contains("forged"), "{answer}");
    }
}

#[test]
fn a_secret_that_a_service_sends_back_in_headers_or_errors_reaches_nobody() {
    let service = Service::new(|asked, _| {
        let shown = asked.header("authorization").unwrap().to_owned();
        Answer::with(403, &format!("x-echo: {shown}\r\nlocation: /{shown}\r\n"), &shown)
    });
    let mut http = json!({"url": service.at(), "auth": {"bearer": "key"}});
    extend(&mut http, &json!({"success": "http.headers[?'x-echo'].orValue('') == value"}));
    let space = space(&[tool("read_only", &http, &json!({}))]);
    let answer = ask(&space, &json!({}));
    assert!(!answer.to_string().contains("hunter2"), "{answer}");
    let told = space.tgw(["audit", "show", "c", "--json"]).text();
    assert!(!told.contains("hunter2"), "{told}");
}
