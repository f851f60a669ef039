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

/// What the menu says after an edit that was refused.
const AGAIN: &str = "edit the arguments again";

#[test]
fn another_rule_that_now_applies_counts_and_the_person_hears_of_it_first() {
    let place = place();
    let mut person = person(&place, &[], r#"{"word": "drop"}"#);
    person.send(&say("c1", "one"));
    person.is_asked();
    choose(&mut person, "e");
    let told = person.is_asked();
    assert!(told.contains("PERMISSION_DENIED") && told.contains("that word is taken"), "{told}");
    person.sees(AGAIN);
    deny(&mut person, "use another word");
    let result = person.result();
    assert_eq!(verdict(&result), "denied/APPROVAL_DENIED");
    assert_eq!(result["error"]["message"], "a person denied the call: use another word");
    assert!(!result.to_string().contains("taken"), "{result}");
    person.leaves();
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn an_edited_call_is_validated_like_any_other_and_can_be_edited_again() {
    let place = place();
    // The first edit adds what the schema does not know, the second takes it out.
    let script = "#!/bin/sh\nif grep -q extra \"$1\"; then echo '{\"word\": \"better\"}' > \"$1\"\n\
                  else echo '{\"word\": \"one\", \"extra\": 1}' > \"$1\"; fi\n";
    let editor = place.aside("editor.sh", script);
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = run(&place, &[]);
    command.env("EDITOR", &editor);
    let mut person = Person::start(command);
    person.send(&say("c1", "one"));
    person.is_asked();
    choose(&mut person, "e");
    let told = person.is_asked();
    assert!(told.contains("INVALID_ARGUMENTS") && told.contains("/extra"), "{told}");
    choose(&mut person, "e");
    assert!(person.is_asked().contains("\"better\""));
    choose(&mut person, "o");
    let result = person.result();
    assert_eq!(verdict(&result), "succeeded");
    assert!(result["warnings"].to_string().contains("a person changed the arguments"), "{result}");
    person.leaves();
    assert_eq!(said(&place), ["better"]);
}

#[test]
fn after_a_refused_edit_there_is_no_yes_and_stop_still_stops() {
    let place = place();
    let mut person = person(&place, &[], r#"{"word": "drop"}"#);
    person.send(&say("c1", "one"));
    person.send(&say("c2", "two"));
    person.is_asked();
    choose(&mut person, "e");
    person.is_asked();
    // `o` and `1` were a yes to the question before; here they choose nothing.
    let screen = person.sees(AGAIN);
    assert!(!screen.contains("yes, once"), "{screen}");
    person.press("s");
    person.press(ENTER);
    let left = person.leaves();
    assert_eq!(left.lines.iter().map(verdict).collect::<Vec<_>>(), ["cancelled/CANCELLED"; 2]);
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn a_refused_edit_of_a_batch_is_told_at_once_and_its_siblings_run() {
    let place = place();
    let mut person = person(&place, &[], r#"{"word": "drop"}"#);
    person.send(&serde_json::json!([say("c1", "one"), say("c2", "two")]));
    assert!(person.is_asked().contains("\"one\""));
    choose(&mut person, "e");
    assert!(person.is_asked().contains("that word is taken"));
    deny(&mut person, "");
    assert!(person.is_asked().contains("\"two\""));
    choose(&mut person, "o");
    let left = person.leaves();
    assert_eq!(left.lines.iter().map(verdict).collect::<Vec<_>>(), ["denied/APPROVAL_DENIED", "succeeded"]);
    assert_eq!(said(&place), ["two"]);
}

#[test]
fn an_edited_call_of_a_batch_is_asked_about_before_any_runs_and_is_marked() {
    let place = place();
    let mut person = person(&place, &[], r#"{"word": "better"}"#);
    person.send(&serde_json::json!([say("c1", "one"), say("c2", "two")]));
    person.is_asked();
    choose(&mut person, "e");
    assert!(person.is_asked().contains("\"better\""));
    choose(&mut person, "o");
    assert!(person.is_asked().contains("\"two\""));
    assert_eq!(said(&place), [""; 0]);
    choose(&mut person, "o");
    let left = person.leaves();
    assert_eq!(left.lines.iter().map(verdict).collect::<Vec<_>>(), ["succeeded"; 2]);
    assert!(left.lines[0]["warnings"].to_string().contains("a person changed"), "{left:?}");
    assert!(left.lines[1].get("warnings").is_none(), "{left:?}");
    assert_eq!(said(&place), ["better", "two"]);
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
    let mut person = person(&place, &[], r#"{"word": "one", "note": "none"}"#);
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
