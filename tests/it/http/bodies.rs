//! What is sent: JSON, text, forms, files of the workspace.

use serde_json::json;

use super::service::{Answer, Service};
use super::{ask, once, space, tool};
use crate::harness::{code, status};

fn echo() -> Service {
    Service::new(|_, _| Answer::json(200, "{}"))
}

#[test]
fn json_keeps_its_types_and_no_text_of_a_call_becomes_structure() {
    let service = echo();
    let http = json!({"method": "POST", "body": {
        "whole": "{{arguments}}", "n": "{{arguments.n}}", "t": "x {{arguments.t}}", "list": ["{{arguments.t}}", 1], "fixed": true,
    }});
    let arguments = json!({"n": 18_446_744_073_709_551_615_u64, "t": "\"}],\"admin\":true"});
    let answer = once(&service, "external", &http, &arguments);
    assert_eq!((status(&answer), answer["effect"].as_str()), ("succeeded", Some("happened")), "{answer}");
    let asked = service.only();
    assert_eq!(asked.line, "POST /a HTTP/1.1");
    assert_eq!(asked.header("content-type"), Some("application/json"));
    let sent: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
    let text = arguments["t"].as_str().unwrap();
    assert_eq!(
        sent,
        json!({"whole": arguments, "n": arguments["n"], "t": format!("x {text}"), "list": [text, 1], "fixed": true})
    );
}

#[test]
fn a_field_of_a_form_stays_one_field() {
    let service = echo();
    let http = json!({"method": "POST", "form": {
        "a": "{{arguments.a}}", "l": {"each": "arguments.list", "value": "{{item}}"}, "b&c": "d",
    }});
    once(&service, "external", &http, &json!({"a": "x&admin=1", "list": ["1", "2=3"]}));
    let asked = service.only();
    assert_eq!(asked.header("content-type"), Some("application/x-www-form-urlencoded"));
    assert_eq!(asked.body, "a=x%26admin%3D1&l=1&l=2%3D3&b%26c=d");
}

#[test]
fn text_is_sent_as_it_is_under_the_stated_type() {
    let service = echo();
    let http = json!({"method": "PUT", "headers": {"Content-Type": "application/xml"}, "text": "<a>{{arguments.a}}</a>"});
    once(&service, "write", &http, &json!({"a": "b"}));
    let asked = service.only();
    assert_eq!((asked.header("content-type"), asked.body.as_str()), (Some("application/xml"), "<a>b</a>"));
}

#[test]
fn a_file_of_the_workspace_is_sent_as_one_part() {
    let service = echo();
    let http = json!({"method": "POST", "url": service.at(), "multipart": {
        "note": "{{arguments.note}}",
        "f": {"file": "{{arguments.path}}", "content_type": "text/csv"},
    }});
    let space = space(&[tool("external", &http, &json!({}))]);
    space.write("data/a\"b.csv", "1,2\r\n--x\r\n");
    let answer = ask(&space, &json!({"note": "n\r\nX: y", "path": "data/a\"b.csv"}));
    assert_eq!(status(&answer), "succeeded", "{answer}");
    let asked = service.only();
    let kind = asked.header("content-type").unwrap();
    let boundary = kind.strip_prefix("multipart/form-data; boundary=").unwrap();
    assert_eq!(
        asked.body,
        format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nn\r\nX: y\r\n\
             --{boundary}\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a%22b.csv\"\r\nContent-Type: text/csv\r\n\r\n\
             1,2\r\n--x\r\n\r\n--{boundary}--\r\n"
        )
    );
}

#[test]
fn no_file_is_sent_that_a_tool_may_not_read() {
    let service = echo();
    let http =
        json!({"method": "POST", "url": service.at(), "multipart": {"f": {"file": "{{arguments.path}}"}}});
    let space = space(&[tool("external", &http, &json!({}))]);
    space.write(".git/config", "x").write("folder/x", "x");
    std::os::unix::fs::symlink(space.beside("files/tools.yaml"), space.path("link")).unwrap();
    for (path, expected) in [
        (".git/config", "PERMISSION_DENIED"),
        ("../files/tools.yaml", "PATH_OUTSIDE_WORKSPACE"),
        ("link", "PATH_OUTSIDE_WORKSPACE"),
        ("folder", "FILE_NOT_FOUND"),
        ("nothing", "FILE_NOT_FOUND"),
    ] {
        let answer = ask(&space, &json!({ "path": path }));
        assert_eq!(code(&answer), expected, "{answer}");
    }
    assert!(service.asked().is_empty());
}

#[test]
fn a_yes_to_send_a_file_is_for_what_the_file_held() {
    let service = echo();
    let http =
        json!({"method": "POST", "url": service.at(), "multipart": {"f": {"file": "{{arguments.path}}"}}});
    let space = space(&[tool("external", &http, &json!({}))]);
    let asking = "version: 1\ndefault_verdict: allow\nrules: [{id: ask, verdict: require_approval, reason: it leaves}]\n";
    space.write_beside("files/policy.yaml", asking).write("report.txt", "harmless");
    let arguments = json!({"path": "report.txt"});
    let approve = || {
        assert_eq!(code(&ask(&space, &arguments)), "APPROVAL_REQUIRED");
        let list = space.tgw(["approvals", "list"]).text();
        let id = list.split_whitespace().find(|word| word.starts_with("a_")).unwrap().to_owned();
        let shown = space.tgw(["approvals", "show", &id]).text();
        assert!(shown.contains("files as they are now") && shown.contains("report.txt"), "{shown}");
        let digest = shown.split_whitespace().rfind(|word| word.starts_with("sha256:")).unwrap().to_owned();
        space.tgw(["approvals", "approve", &id, "--digest", &digest]).ended();
    };
    approve();
    space.write("report.txt", "stolen!!");
    assert_eq!(code(&ask(&space, &arguments)), "APPROVAL_REQUIRED", "another file is another question");
    assert!(service.asked().is_empty());
    space.write("report.txt", "harmless");
    assert_eq!(status(&ask(&space, &arguments)), "succeeded");
    assert!(service.only().body.contains("harmless"));
}
