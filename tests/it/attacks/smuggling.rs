//! A cloned repository brings its own configuration.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use super::fixture::{FREE, SAY, line, said};
use crate::place::{Ended, Place, has_program, helper, skipped, verdict};

/// A repository that brings a tool and a policy that allows everything.
fn cloned() -> Place {
    let place = Place::new();
    place.file("tools.yaml", SAY);
    place.file("policy.yaml", FREE);
    place
}

fn say(place: &Place) -> Ended {
    place.run(&[], line("say", &json!({ "word": "x" })))
}

fn assert_not_obeyed(place: &Place) {
    let ended = say(place);
    assert_eq!(verdict(&ended.line()), "failed/UNKNOWN_TOOL", "{ended:?}");
    let written = place.run(&[], line("write_file", &json!({ "path": "new.txt", "content": "x" })));
    assert_eq!(verdict(&written.line()), "input_required/APPROVAL_REQUIRED", "{written:?}");
    assert_eq!(said(place), "");
}

fn trust(place: &Place) {
    let ended = place.ask(&["trust", "--yes"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn what_a_repository_brings_is_not_obeyed_until_it_is_trusted() {
    let place = cloned();
    assert_not_obeyed(&place);
    let ended = say(&place);
    assert!(ended.stderr.contains("is not trusted and was not used"), "{ended:?}");
    trust(&place);
    assert_eq!(verdict(&say(&place).line()), "succeeded");
    assert_eq!(place.ask(&["trust", "--revoke"]).code, Some(0));
    fs::remove_file(place.workspace().join("ran.log")).unwrap();
    assert_not_obeyed(&place);
}

#[test]
fn trust_without_a_person_needs_the_flag() {
    let place = cloned();
    let ended = place.ask(&["trust"]);
    assert_ne!(ended.code, Some(0), "{ended:?}");
    assert_not_obeyed(&place);
}

#[test]
fn content_that_changed_after_trust_is_not_obeyed() {
    let place = cloned();
    trust(&place);
    place.file("tools.yaml", &format!("{SAY}# changed\n"));
    place.file("policy.yaml", &format!("{FREE}# changed\n"));
    // Neither the new content nor the embedded files in its place: a person has to look.
    let ended = say(&place);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{ended:?}");
    assert!(ended.stderr.contains("changed since you trusted it"), "{ended:?}");
    assert_eq!(said(&place), "");
}

#[test]
fn a_link_to_a_trusted_file_is_not_that_file() {
    let trusted = cloned();
    trust(&trusted);
    // Another repository of the same person, with the same record of trust.
    let other = trusted.workspace().parent().unwrap().join("other");
    fs::create_dir(&other).unwrap();
    for name in ["tools.yaml", "policy.yaml"] {
        symlink(trusted.workspace().join(name), other.join(name)).unwrap();
    }
    let mut command = trusted.tgw(&["run"]);
    command.current_dir(&other);
    let ended = crate::place::finish(&mut command, line("say", &json!({ "word": "x" })).as_bytes());
    assert_eq!(verdict(&ended.line()), "failed/UNKNOWN_TOOL", "{ended:?}");
}

#[test]
fn a_repository_nested_in_a_trusted_one_is_another_one() {
    let place = cloned();
    trust(&place);
    place.file("vendor/evil/.git/config", "");
    place.file("vendor/evil/tools.yaml", &SAY.replace("ran.log", "evil.log"));
    place.file("vendor/evil/policy.yaml", FREE);
    let mut command = place.tgw(&["run"]);
    command.current_dir(place.workspace().join("vendor/evil"));
    let ended = crate::place::finish(&mut command, line("say", &json!({ "word": "x" })).as_bytes());
    assert_eq!(verdict(&ended.line()), "failed/UNKNOWN_TOOL", "{ended:?}");
}

#[test]
fn a_workspace_named_by_a_variable_is_not_trusted_by_it() {
    let place = Place::new();
    place.file("evil/tools.yaml", SAY);
    place.file("evil/policy.yaml", FREE);
    let mut command = place.tgw(&["run"]);
    command.env("TGW_WORKSPACE", place.workspace().join("evil"));
    let ended = crate::place::finish(&mut command, line("say", &json!({ "word": "x" })).as_bytes());
    assert_eq!(verdict(&ended.line()), "failed/UNKNOWN_TOOL", "{ended:?}");
}

#[test]
fn no_file_of_the_repository_sets_variables() {
    let place = cloned();
    let evil = format!(
        "TGW_TOOLS={0}/tools.yaml\nTGW_POLICY={0}/policy.yaml\nTGW_AGENT=root\nTGW_STATE={0}\n",
        place.workspace().display()
    );
    for name in [
        ".env",
        ".envrc",
        ".tgw",
        "tgw.env",
        ".env.local",
        "tgw.yaml",
        ".tgw.d/tools.yaml",
        ".config/tgw/tools.yaml",
    ] {
        place.file(name, &evil);
    }
    assert_not_obeyed(&place);
}

#[test]
fn a_lock_file_of_the_repository_accepts_nothing() {
    let place = cloned();
    place.file(
        "tgw.lock",
        &format!("{{\"version\":1,\"trusted\":[\"tools.yaml\"],\"tools\":{}}}", json!(SAY)),
    );
    assert_not_obeyed(&place);
}

#[test]
fn a_file_that_others_can_write_is_not_obeyed_even_where_it_is_trusted() {
    let place = cloned();
    trust(&place);
    fs::set_permissions(place.workspace().join("tools.yaml"), fs::Permissions::from_mode(0o666)).unwrap();
    let ended = say(&place);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{ended:?}");
    let again = place.ask(&["trust", "--yes"]);
    assert_ne!(again.code, Some(0), "{again:?}");
    assert_eq!(said(&place), "");
}

#[test]
fn a_pipe_or_a_folder_in_the_place_of_a_manifest_does_not_hang_it() {
    if skipped(has_program("mkfifo"), "mkfifo") {
        return;
    }
    let place = Place::new();
    helper(&place, "mkfifo", &["tools.yaml"]);
    fs::create_dir(place.workspace().join("policy.yaml")).unwrap();
    let ended = say(&place);
    assert!(ended.code == Some(2) || verdict(&ended.line()) == "failed/UNKNOWN_TOOL", "{ended:?}");
}

#[test]
fn the_persons_own_policy_counts_beside_a_trusted_one() {
    let place = cloned();
    trust(&place);
    fs::create_dir_all(place.config()).unwrap();
    fs::write(place.config().join("policy.yaml"), "version: 1\ndefault_verdict: allow\nrules: [{id: mine, verdict: deny, risks: [write], reason: mine}]\n").unwrap();
    let ended = say(&place);
    assert_eq!(verdict(&ended.line()), "denied/PERMISSION_DENIED", "{ended:?}");
    assert_eq!(said(&place), "");
}

#[test]
fn a_program_of_the_repository_does_not_take_the_place_of_one_of_the_machine() {
    let place = Place::new();
    place.configure(SAY, FREE);
    for folder in ["", "bin/"] {
        let path = place.file(&format!("{folder}tee"), "#!/bin/sh\ntouch evil\n");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = place.tgw(&["run"]);
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!(".::{0}:{0}/bin:{path}", place.workspace().display()));
    let ended = crate::place::finish(&mut command, line("say", &json!({ "word": "x" })).as_bytes());
    assert_eq!(ended.lines().len(), 1);
    assert!(!place.workspace().join("evil").exists(), "{ended:?}");
}
