//! The person edits the arguments: another call, which goes through the whole pipeline.

use std::os::unix::fs::PermissionsExt;

use super::fixture::{choose, deny, place, place_with, run, said, say};
use crate::place::{Place, verdict};
use crate::pty::{ENTER, Person};

/// An editor that puts `text` in the place of the file.
fn editor(place: &Place, text: &str) -> String {
    let script = format!("#!/bin/sh\ncat > \"$1\" <<'END'\n{text}\nEND\n");
    let path = place.aside("editor.sh", &script);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn person(place: &Place, arguments: &[&str], text: &str) -> Person {
    let mut command = run(place, arguments);
    command.env("EDITOR", editor(place, text));
    Person::start(command)
}

#[test]
fn an_edited_call_is_asked_about_again_and_runs_as_edited() {
    let place = place();
    let mut person = person(&place, &[], r#"{"word": "better"}"#);
    person.send(&say("c1", "one"));
    person.is_asked();
    choose(&mut person, "e");
    assert!(person.is_asked().contains("\"better\""));
    choose(&mut person, "o");
    let result = person.result();
    assert_eq!((verdict(&result).as_str(), result["id"].as_str()), ("succeeded", Some("c1")));
    person.leaves();
    assert_eq!(said(&place), ["better"]);
}

#[test]
fn another_rule_that_now_applies_counts() {
    let place = place();
    let mut person = person(&place, &[], r#"{"word": "drop"}"#);
    person.send(&say("c1", "one"));
    person.is_asked();
    choose(&mut person, "e");
    let result = person.result();
    assert_eq!(verdict(&result), "denied/PERMISSION_DENIED");
    assert!(result["error"]["message"].as_str().unwrap().contains("that word is taken"), "{result}");
    person.leaves();
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn an_edited_call_is_validated_like_any_other() {
    let place = place();
    let mut person = person(&place, &[], r#"{"word": "one", "extra": 1}"#);
    person.send(&say("c1", "one"));
    person.is_asked();
    choose(&mut person, "e");
    assert_eq!(verdict(&person.result()), "failed/INVALID_ARGUMENTS");
    person.leaves();
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn what_is_no_json_object_is_refused_and_the_question_stands() {
    for text in ["[1]", "{\"word\": \"a\", \"word\": \"b\"}", "{\"word\": ", ""] {
        let place = place();
        let mut person = person(&place, &[], text);
        person.send(&say("c1", "one"));
        person.is_asked();
        choose(&mut person, "e");
        person.sees("Edit again?");
        person.press(ENTER);
        person.is_asked();
        deny(&mut person, "");
        assert_eq!(verdict(&person.result()), "denied/APPROVAL_DENIED", "{text}");
        person.leaves();
        assert_eq!(said(&place), [""; 0]);
    }
}

#[test]
fn an_editor_that_changes_nothing_is_no_yes() {
    let place = place();
    let mut person = person(&place, &[], r#"{"word": "one"}"#);
    person.send(&say("c1", "one"));
    person.is_asked();
    choose(&mut person, "e");
    assert!(person.is_asked().contains("Nothing was changed."));
    deny(&mut person, "");
    person.leaves();
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn an_editor_that_fails_or_is_not_there_is_no_yes() {
    for program in ["false", "/no/such/editor"] {
        let place = place();
        let mut command = run(&place, &[]);
        command.env("EDITOR", program);
        let mut person = Person::start(command);
        person.send(&say("c1", "one"));
        person.is_asked();
        choose(&mut person, "e");
        person.sees("Edit again?");
        person.press(ENTER);
        person.is_asked();
        deny(&mut person, "");
        assert_eq!(verdict(&person.result()), "denied/APPROVAL_DENIED");
        person.leaves();
        assert_eq!(said(&place), [""; 0]);
    }
}

#[test]
fn editing_works_with_a_store_elsewhere_and_leaves_no_file_behind() {
    let place = place_with(super::fixture::POLICY);
    let store = place.state().parent().unwrap().join("elsewhere");
    let mut person = person(&place, &["--state", store.to_str().unwrap()], r#"{"word": "better"}"#);
    person.send(&say("c1", "one"));
    person.is_asked();
    choose(&mut person, "e");
    assert!(person.is_asked().contains("\"better\""));
    choose(&mut person, "o");
    assert_eq!(verdict(&person.result()), "succeeded");
    person.leaves();
    let left: Vec<_> =
        std::fs::read_dir(place.state()).map(|entries| entries.flatten().collect()).unwrap_or_default();
    assert!(left.iter().all(|entry| !entry.file_name().to_string_lossy().starts_with("edit-")), "{left:?}");
}
