//! `tgw trust`: a file that a workspace brings is not obeyed until the person says so.

use crate::harness::{Space, outcomes};

const LIST: &[&str] = &[r#"{"id":"c1","name":"list_directory"}"#];

const UNTRUSTED: &str = "warning: `[SPACE]/work/policy.yaml` is not trusted and was not used\n\
                         hint: read it, then run `tgw trust [SPACE]/work/policy.yaml`\n";

/// A workspace that brings a policy which denies everything, and says which.
fn brought() -> Space {
    let space = Space::new();
    space.write("policy.yaml", "version: 1\ndefault_verdict: deny\n");
    space
}

#[test]
fn a_file_of_the_workspace_is_passed_over_until_it_is_trusted() {
    let space = brought();
    let answers = space.tgw(["run"]).lines_in(LIST).stderr(UNTRUSTED).answers();
    assert_eq!(outcomes(&answers), [("c1", "succeeded")]);

    space
        .tgw(["trust", "--yes"])
        .stdout("[SPACE]/work/policy.yaml: trusted with its present content\n")
        .holds();
    let answers = space.tgw(["run"]).lines_in(LIST).answers();
    assert_eq!(outcomes(&answers), [("c1", "denied")]);
}

#[test]
fn a_manifest_of_the_workspace_brings_no_tools_before_it_is_trusted() {
    let space = Space::new();
    space.write(
        "tools.yaml",
        "version: 1\ntools:\n  - name: evil\n    description: Evil.\n    risk: read_only\n    execution_mode: exclusive\n    \
         input_schema: {type: object, additionalProperties: false, properties: {}}\n    \
         run: {command: [touch, pwned]}\n    result: {trust: untrusted}\n",
    );
    let answers = space
        .tgw(["run"])
        .lines_in(&[r#"{"id":"c1","name":"evil"}"#])
        .stderr(
            "warning: `[SPACE]/work/tools.yaml` is not trusted and was not used\n\
             hint: read it, then run `tgw trust [SPACE]/work/tools.yaml`\n",
        )
        .answers();
    assert_eq!(answers[0]["error"]["code"], "UNKNOWN_TOOL");
    assert_eq!(space.read("pwned"), None);
}

#[test]
fn changed_content_stops_the_run_until_it_is_trusted_again() {
    let space = brought();
    space.tgw(["trust", "--yes"]).text();
    space.write("policy.yaml", "version: 1\ndefault_verdict: deny\n# changed\n");
    space
        .tgw(["run"])
        .lines_in(LIST)
        .stderr(
            "error: `policy.yaml` has changed since you trusted it\n\
             hint: look at what changed, then run `tgw trust`, or `tgw trust --revoke` to do without it\n",
        )
        .status(2)
        .holds();
    let list = space.tgw(["trust", "--list"]).text();
    assert!(list.contains("changed since: not obeyed"), "{list}");
    space.tgw(["trust", "--yes"]).text();
    let answers = space.tgw(["run"]).lines_in(LIST).answers();
    assert_eq!(outcomes(&answers), [("c1", "denied")]);
}

#[test]
fn trust_can_be_taken_back() {
    let space = brought();
    space.tgw(["trust", "--yes"]).text();
    let list = space.tgw(["trust", "--list"]).text();
    assert!(list.contains("obeyed"), "{list}");
    space.tgw(["trust", "--revoke"]).stdout("[SPACE]/work/policy.yaml: no longer trusted\n").holds();
    space.tgw(["trust", "--revoke"]).stdout("[SPACE]/work/policy.yaml: was not trusted\n").holds();
    space.tgw(["run"]).lines_in(LIST).stderr(UNTRUSTED).answers();
}

#[test]
fn without_a_terminal_nobody_can_have_read_it() {
    brought()
        .tgw(["trust"])
        .stderr(
            "error: no terminal to ask about `[SPACE]/work/policy.yaml`\nhint: read the file, then run `tgw trust --yes`\n",
        )
        .status(2)
        .holds();
}

#[test]
fn there_must_be_something_to_trust() {
    Space::new()
        .tgw(["trust", "--yes"])
        .stderr(
            "error: `[SPACE]/work` has neither tools.yaml nor policy.yaml\nhint: `tgw init` writes both\n",
        )
        .status(2)
        .holds();
}

#[test]
fn a_file_that_others_can_write_is_not_trusted() {
    use std::os::unix::fs::PermissionsExt;
    let space = brought();
    std::fs::set_permissions(space.path("policy.yaml"), std::fs::Permissions::from_mode(0o666)).unwrap();
    space
        .tgw(["trust", "--yes"])
        .stderr(
            "error: `[SPACE]/work/policy.yaml` is not obeyed: every user can write it\n\
             hint: take it over and close it: chown it to you, chmod go-w\n",
        )
        .status(2)
        .holds();
}

#[test]
fn a_copy_of_the_shipped_file_needs_no_word() {
    let space = Space::new();
    space.write("policy.yaml", include_str!("../../../policy.yaml"));
    let answers = space.tgw(["run"]).lines_in(LIST).answers();
    assert_eq!(outcomes(&answers), [("c1", "succeeded")]);
}
