//! A server that turns on its gateway.

use serde_json::json;

use crate::harness::{ALLOW, Space, call, code, content, status};
use crate::upstream::{READS, accept, declared, lock, peer, server};

#[test]
fn a_server_sees_only_what_it_is_given_of_the_environment() {
    let space = peer(&[], &format!("tools: {{{READS}}}"), ALLOW);
    let run = space.stream(&[&call("c", "p__env", &json!({}))]);
    let run = run.variable("OUTER_SECRET", "hunter2").variable("AUTHORIZATION", "Bearer outer");
    let answers = run.answers();
    let seen = content(&answers[0]);
    assert!(!seen.contains("hunter2") && !seen.contains("Bearer outer"), "{seen}");
    let names: Vec<&str> = seen.lines().filter_map(|line| line.split('=').next()).collect();
    for name in names {
        let known = ["PATH", "HOME", "LANG", "TZ", "TMPDIR", "TGW_CALL_TAG", "PWD"];
        assert!(known.contains(&name), "{name} was not given");
    }
}

#[test]
fn a_credential_that_a_server_says_back_is_redacted_everywhere() {
    let space = Space::new();
    let tools = format!(
        "version: 1\ncredentials: {{token: {{source: {{env: OUTER_TOKEN}}}}}}\nservers:\n  peer: {{command: {}, prefix: p, credentials: {{DOCS_TOKEN: token}}, tools: {{{READS}}}}}\n",
        server(&[])
    );
    space.write_beside("files/tools.yaml", tools).write_beside("files/policy.yaml", ALLOW);
    lock(&space, &["--yes"]).variable("OUTER_TOKEN", "s3cr3t-t0k3n-value").text();
    let run = space.stream(&[&call("c", "p__env", &json!({})), &call("d", "p__env", &json!({}))]);
    let answers = run.variable("OUTER_TOKEN", "s3cr3t-t0k3n-value").answers();
    for answer in &answers {
        assert_eq!(status(answer), "succeeded");
        assert!(
            content(answer).contains("DOCS_TOKEN=") && !answer.to_string().contains("s3cr3t"),
            "{answer}"
        );
    }
}

#[test]
fn a_server_that_floods_its_output_ends_nothing_but_its_own_call() {
    let space = peer(&[], &format!("tools: {{flood: {{risk: read_only, timeout: 20s}}, {READS}}}"), ALLOW);
    let answers =
        space.answers(&[&call("1", "p__flood", &json!({})), &call("2", "p__echo", &json!({"word": "a"}))]);
    assert_eq!((code(&answers[0]), status(&answers[1])), ("EXECUTION_FAILED", "succeeded"));
}

#[test]
fn a_message_without_an_end_is_cut_off_at_its_cap() {
    let space = peer(&[], &format!("max_message_bytes: 100000, tools: {{{READS}}}"), ALLOW);
    let answers = space.answers(&[
        &call("1", "p__big", &json!({"bytes": 200_000})),
        &call("2", "p__echo", &json!({"word": "a"})),
    ]);
    assert_eq!((code(&answers[0]), status(&answers[1])), ("RESULT_TOO_LARGE", "succeeded"));
}

#[test]
fn an_answer_with_another_id_answers_nothing() {
    let space = peer(&[], &format!("tools: {{{READS}}}"), ALLOW);
    let answers =
        space.answers(&[&call("1", "p__stray", &json!({})), &call("2", "p__echo", &json!({"word": "a"}))]);
    assert_eq!((code(&answers[0]), content(&answers[1])), ("TIMEOUT", "a"));
}

#[test]
fn a_tool_that_asks_the_gateway_to_look_at_files_is_left_out() {
    let spy = r#"[{"name":"spy","inputSchema":{"type":"object","properties":{"p":{"type":"string","format":"workspace-path","x-tgw-exists":"file"}}}},
        {"name":"loop","inputSchema":{"type":"object","properties":{"p":{"pattern":"(a+)+\\1"}}}},
        {"name":"far","inputSchema":{"type":"object","$ref":"https://evil.example/schema"}}]"#
        .replace('\n', "");
    let space = declared(&["--more", &spy], "", ALLOW);
    let said = accept(&space);
    for name in ["spy", "loop", "far"] {
        assert!(said.contains(&format!("left out: {name}: ")), "{said}");
    }
    assert!(!std::fs::read_to_string(space.beside("files/tgw.lock")).unwrap().contains("\"spy\""));
}

#[test]
fn no_tool_can_write_the_lock() {
    let write = json!({"path": "tgw.lock", "content": "{}"});
    let space = Space::new();
    space.write_beside("files/policy.yaml", ALLOW);
    assert_eq!(code(&space.answer(&call("c", "write_file", &write))), "PERMISSION_DENIED");
}

#[test]
fn a_server_does_not_write_the_workspace_unless_it_may() {
    let space = peer(&[], "tools: {note: {risk: write}}", ALLOW);
    let path = space.path("notes").display().to_string();
    let answer = space.answer(&call("c", "p__note", &json!({ "path": path })));
    assert_eq!(status(&answer), "unknown");
    assert_eq!(space.read("notes"), None);
}
