//! `tgw trust`: a file that a workspace brings is not obeyed until the person says so.

use std::fs;
use std::path::Path;

use crate::harness::{Space, outcomes, process};

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
            "error: `[SPACE]/work` has neither tools.yaml nor policy.yaml nor tgw.lock\nhint: `tgw init` writes the first two\n",
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

#[test]
fn trusting_and_no_longer_trusting_are_on_record() {
    let space = brought();
    space.tgw(["trust", "--yes"]).text();
    space.tgw(["trust", "--revoke"]).text();
    // What was not trusted is no act.
    space.tgw(["trust", "--revoke"]).text();
    let records = space.records();
    let said: Vec<_> = records
        .iter()
        .map(|record| {
            (
                record["record"]["kind"].as_str().unwrap(),
                record["record"]["approval"]["answer"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(said, [("trust", "trusted"), ("trust", "no longer trusted")]);
    assert!(records[0]["record"]["approval"]["id"].as_str().unwrap().starts_with("sha256:"), "{records:?}");
    assert!(records[0].to_string().contains("policy.yaml"), "{records:?}");
    assert_eq!(space.intact(), 2);
}

/// How a trusted file can stop being there to be obeyed, and what is said of it.
/// A way in which a file is lost, by name.
type Loss = (&'static str, fn(&Path));

const LOSSES: [Loss; 5] = [
    ("it is gone", |path| fs::remove_file(path).unwrap()),
    ("it is not a regular file", |path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    }),
    ("No such file or directory", |path| {
        fs::remove_file(path).unwrap();
        std::os::unix::fs::symlink("nowhere", path).unwrap();
    }),
    ("it is not a regular file", |path| {
        fs::remove_file(path).unwrap();
        assert!(process("mkfifo").arg(path).status().unwrap().success());
    }),
    ("has changed since", |path| fs::write(path, include_str!("../../../policy.yaml")).unwrap()),
];

#[test]
fn a_trusted_file_that_cannot_be_obeyed_stops_the_run_and_is_never_replaced_by_another() {
    for (says, lose) in LOSSES {
        let space = brought();
        space.write("below/deep.txt", "");
        space.tgw(["trust", "--yes"]).text();
        lose(&space.path("policy.yaml"));
        for folder in [space.path(""), space.path("below")] {
            let ended = space.tgw(["run"]).within(folder).lines_in(LIST).ended();
            assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""), "{says}: {}", ended.stderr);
            assert!(ended.stderr.contains(says), "{says}: {}", ended.stderr);
            assert!(ended.stderr.contains("tgw trust --revoke"), "{says}: {}", ended.stderr);
            assert!(!ended.stderr.contains("not trusted"), "{says}: {}", ended.stderr);
        }
        let file = space.path("policy.yaml").display().to_string();
        space.tgw(["trust", "--revoke", &file]).text();
        let ended = space.tgw(["tools"]).ended();
        assert_eq!(ended.status, Some(0), "{says}: {}", ended.stderr);
    }
}

#[test]
fn a_persons_own_policy_that_leads_nowhere_stops_the_run() {
    let space = Space::new();
    std::os::unix::fs::symlink("nowhere", space.beside("config/tgw/policy.yaml")).unwrap();
    let ended = space.tgw(["run"]).lines_in(LIST).ended();
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""), "{}", ended.stderr);
}

#[test]
fn a_broken_record_of_trust_is_named_and_stops_the_run() {
    let space = brought();
    space.tgw(["trust", "--yes"]).text();
    space.write_beside("state/tgw/trust.json", "{");
    for arguments in [&["run"][..], &["tools"], &["trust", "--list"], &["trust", "--yes"]] {
        let ended = space.tgw(arguments.iter().copied()).ended();
        assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("state/tgw/trust.json` cannot be used"), "{}", ended.stderr);
        assert!(ended.stderr.contains("\nhint: "), "{}", ended.stderr);
    }
}

#[test]
fn what_is_trusted_already_is_not_asked_about() {
    let space = brought();
    space.tgw(["trust", "--yes"]).text();
    space
        .tgw(["trust"])
        .stdout("[SPACE]/work/policy.yaml: already trusted with its present content\n")
        .holds();
    assert_eq!(space.intact(), 1);
}

#[test]
fn a_file_that_is_never_obeyed_is_not_trusted() {
    let space = Space::new();
    space.write("README.md", "hello\n");
    space
        .tgw(["trust", "--yes", "README.md"])
        .stderr(
            "error: `[SPACE]/work/README.md` is never obeyed by itself: only the tools.yaml, policy.yaml and tgw.lock of a workspace are\n\
             hint: name another file with `--tools`, `--policy` or `--lock`; that needs no trust\n",
        )
        .status(2)
        .holds();
}

#[test]
fn a_file_that_does_not_load_is_said_to_be_so() {
    let space = Space::new();
    space.write("policy.yaml", "version: 1\nrulez: []\n");
    let ended = space.tgw(["trust", "--yes"]).ended();
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("cannot be loaded as it is"), "{}", ended.stderr);
    assert!(ended.stderr.contains("rulez"), "{}", ended.stderr);
}

#[test]
fn the_record_says_how_the_person_spoke() {
    let space = brought();
    space.tgw(["trust", "--yes"]).text();
    space.tgw(["trust", "--revoke"]).text();
    let how: Vec<_> = space
        .records()
        .iter()
        .map(|record| record["record"]["approval"]["how"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(how, ["flag", "command"]);
}
