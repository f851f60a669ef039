//! `tgw check`: deciding without running.

use serde_json::json;

use crate::harness::Space;

#[test]
fn a_check_decides_with_rules_arguments_and_what_would_run() {
    let space = Space::new();
    let checks = space
        .tgw(["check"])
        .lines_in(&[r#"{"id":"w1","name":"write_file","arguments":{"path":"g.txt","content":"x"}}"#])
        .answers();
    let check = &checks[0];
    assert_eq!(check["id"], "w1");
    assert_eq!(check["verdict"], "require_approval");
    assert_eq!(check["code"], "APPROVAL_REQUIRED");
    assert_eq!(check["rules"][0]["id"], "ask-before-writing");
    assert_eq!(check["reason"], "rule `ask-before-writing`: it changes files in the workspace");
    assert_eq!(check["arguments"], json!({"path": "g.txt", "content": "x", "mode": "new_or_replace"}));
    assert_eq!(check["would_run"]["builtin"]["name"], "write_file");
    assert_eq!(check["preconditions"], "not_evaluated");
    assert_eq!(space.read("g.txt"), None);
}

#[test]
fn a_check_leaves_no_trace() {
    let space = Space::new();
    space.tgw(["check"]).lines_in(&[r#"{"id":"c1","name":"list_directory"}"#]).answers();
    space.tgw(["audit", "list"]).stdout(" RECORD  AT  KIND  CALL  TOOL  VERDICT  STATUS  CODE\n").holds();
    assert_eq!(std::fs::read_dir(space.beside("state")).unwrap().count(), 0);
}

#[test]
fn each_line_of_a_stream_is_checked() {
    let checks = Space::new()
        .tgw(["check"])
        .lines_in(&[
            r#"{"id":"a","name":"read_file","arguments":{"path":"../x"}}"#,
            r#"{"id":"b","name":"nope"}"#,
            r#"{"id":"c","name":"list_directory"}"#,
            "{",
        ])
        .answers();
    let verdicts: Vec<(&str, Option<&str>)> =
        checks.iter().map(|check| (check["verdict"].as_str().unwrap(), check["code"].as_str())).collect();
    assert_eq!(
        verdicts,
        [
            ("deny", Some("PATH_OUTSIDE_WORKSPACE")),
            ("deny", Some("UNKNOWN_TOOL")),
            ("allow", None),
            ("deny", Some("MALFORMED_CALL")),
        ]
    );
}

#[test]
fn explain_shows_each_rule_with_its_place_and_values() {
    let space = Space::with(
        include_str!("../../../tools.yaml"),
        "version: 1
rules:
  - id: small
    verdict: allow
    tools: [write_file]
    when: 'size(arguments.content) < 3'
  - id: never
    verdict: deny
    tools: [write_file]
    when: 'arguments.path == \"x\"'
    reason: x is not ours
",
    );
    space
        .tgw(["check", "--explain"])
        .with_files()
        .lines_in(&[r#"{"id":"c1","name":"write_file","arguments":{"path":"x","content":"ab"}}"#])
        .stdout(
            r#"c1 write_file
  verdict    deny: rule `never`: x is not ours
  tool       visible, write, [SPACE]/files/tools.yaml:169:11
  arguments  {"path":"x","content":"ab","mode":"new_or_replace"}
  would run  {"builtin":{"name":"write_file","timeout":"10s"}}
  where      in the gateway
  rule       allow small ([SPACE]/files/policy.yaml:3:9): counted
             when size(arguments.content) < 3
             arguments.content = "ab"
  rule       deny never ([SPACE]/files/policy.yaml:7:9): counted
             when arguments.path == "x"
             arguments.path = "x"

"#,
        )
        .holds();
}
