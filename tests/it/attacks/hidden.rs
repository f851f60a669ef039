//! Contents of files that the policy denies by path, through tools that take no such path.

use serde_json::{Value, json};

use super::fixture::SHIPPED;
use crate::place::{Place, has_program, helper, skipped, verdict};

const SECRET: &str = "hunter2-but-longer";

/// The default policy, which denies credential files by path, and a workspace that holds some.
fn place() -> Place {
    let place = Place::new();
    place.configure(SHIPPED, include_str!("../../../policy.yaml"));
    for path in
        [".env", "deploy/.env.production", "deploy/credentials.json", "keys/server.pem", "a/.ssh/id_rsa"]
    {
        place.file(path, &format!("word {SECRET}\n"));
    }
    place.file("plain.txt", "word\n");
    place
}

#[test]
fn a_credential_file_is_not_read_by_its_path() {
    let place = place();
    for path in [
        ".env",
        "./.env",
        "deploy/../.env",
        "deploy/.env.production",
        "deploy/credentials.json",
        "keys/server.pem",
        "a/.ssh/id_rsa",
    ] {
        let result = place.call("read_file", json!({ "path": path }));
        assert_eq!(verdict(&result), "denied/PERMISSION_DENIED", "{path}: {result}");
    }
}

fn content(result: &Value) -> String {
    result["content"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_search_does_not_show_what_the_policy_denies_to_read() {
    let place = place();
    for arguments in [
        json!({ "pattern": "word" }),
        json!({ "pattern": "word", "path": "deploy" }),
        json!({ "pattern": "word", "glob": "**/*.pem" }),
        json!({ "pattern": "word", "path": "deploy/credentials.json" }),
    ] {
        let result = place.call("search_text", arguments.clone());
        assert!(!content(&result).contains(SECRET), "{arguments}: {result}");
    }
    assert!(content(&place.call("search_text", json!({ "pattern": "word" }))).contains("plain.txt"));
}

#[test]
fn a_diff_does_not_show_what_the_policy_denies_to_read() {
    if skipped(has_program("git"), "git") {
        return;
    }
    let place = place();
    helper(&place, "git", &["init", "-q", "-b", "main", "."]);
    helper(&place, "git", &["add", "-f", "."]);
    let result = place.call("git_diff", json!({ "staged": true }));
    assert_eq!(verdict(&result), "succeeded", "{result}");
    assert!(!result.to_string().contains(SECRET) && !result.to_string().contains("server.pem"), "{result}");
    assert!(content(&result).contains("+++ b/plain.txt"), "{result}");
    assert_eq!(result["warnings"][0], "left out 5 paths, which the policy denies");
    let result = place.call("git_diff", json!({ "staged": true, "path": "deploy" }));
    assert_eq!(content(&result), "no differences that can be shown\n", "{result}");
}

#[test]
fn a_diff_shows_neither_end_of_a_denied_file_that_was_renamed() {
    if skipped(has_program("git"), "git") {
        return;
    }
    let place = place();
    helper(&place, "git", &["init", "-q", "-b", "main", "."]);
    helper(&place, "git", &["add", "-f", "."]);
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
    helper(&place, "git", &[&identity[..], &["commit", "-q", "-m", "first"]].concat());
    helper(&place, "git", &["mv", "keys/server.pem", "server.txt"]);
    place.file("plain.txt", "another word\n");
    helper(&place, "git", &["add", "-f", "."]);
    let result = place.call("git_diff", json!({ "staged": true }));
    assert!(!result.to_string().contains("server"), "{result}");
    assert!(content(&result).contains("+another word"), "{result}");
}

#[test]
fn a_listing_does_not_name_what_the_policy_denies_to_that_tool() {
    let place = place();
    for (tool, arguments) in [
        ("list_directory", json!({ "path": "deploy" })),
        ("list_directory", json!({ "path": "keys" })),
        ("find_files", json!({ "pattern": "**/*.pem" })),
        ("find_files", json!({ "pattern": "credentials*", "path": "deploy" })),
    ] {
        let result = place.call(tool, arguments);
        assert_eq!(verdict(&result), "succeeded", "{result}");
        assert_eq!(content(&result), "", "{result}");
        assert!(result["warnings"].to_string().contains(", which the policy denies"), "{result}");
    }
}

/// The default policy with its questions answered by yes: what it denies is denied all the same.
fn unasked() -> Place {
    let place = place();
    let policy = include_str!("../../../policy.yaml")
        .replace("verdict: require_approval", "verdict: allow")
        .replace("approval: {remember: [[/path], [/from, /to]]}", "");
    place.configure(SHIPPED, &policy);
    place
}

fn exists(place: &Place, path: &str) -> bool {
    place.workspace().join(path).exists()
}

#[test]
fn a_denied_file_is_not_carried_to_a_name_that_is_allowed() {
    for place in [place(), unasked()] {
        for (from, to) in [("a", "b"), ("deploy", "notes"), (".env", "env.txt"), ("plain.txt", "a.pem")] {
            let result = place.call("move_path", json!({ "from": from, "to": to }));
            assert_eq!(verdict(&result), "denied/PERMISSION_DENIED", "{from}: {result}");
        }
        assert!(!exists(&place, "b") && !exists(&place, "notes"));
    }
}

#[test]
fn a_folder_is_not_moved_to_where_its_files_are_denied() {
    let place = unasked();
    place.file("tame/.keep", "");
    place.file("tame/instructions/x.md", "do evil");
    place.file("tame/prompts/y.md", "do evil");
    let result = place.call("move_path", json!({ "from": "tame", "to": ".github" }));
    // Its own new name is free; what lies in it would become an instruction.
    assert_eq!(verdict(&result), "denied/PERMISSION_DENIED", "{result}");
    assert!(exists(&place, "tame/.keep"));
}

#[test]
fn a_denied_file_is_not_deleted_with_its_folder_and_not_named() {
    for place in [place(), unasked()] {
        for path in ["a", "deploy", "keys"] {
            let result = place.call("delete_path", json!({ "path": path, "recursive": true }));
            assert_eq!(verdict(&result), "denied/PERMISSION_DENIED", "{path}: {result}");
            assert!(!result.to_string().contains("id_rsa") && !result.to_string().contains("server.pem"));
        }
        assert!(exists(&place, "a/.ssh/id_rsa") && exists(&place, "keys/server.pem"));
    }
}

#[test]
fn what_a_person_must_be_asked_about_does_not_go_along_unasked() {
    let place = Place::new();
    let policy = r#"
version: 1
default_verdict: allow
rules:
  - id: ask-about-records
    verdict: require_approval
    when: '["path", "from", "to"].exists(n, n in arguments && path(arguments[n]).matches_glob("**/records.txt"))'
    reason: records are the person's
"#;
    place.configure(SHIPPED, policy);
    place.file("d/records.txt", &format!("word {SECRET}\n"));
    for (tool, arguments) in [
        ("move_path", json!({ "from": "d", "to": "e" })),
        ("delete_path", json!({ "path": "d", "recursive": true })),
    ] {
        let result = place.call(tool, arguments);
        assert_eq!(verdict(&result), "denied/PERMISSION_DENIED", "{result}");
    }
    let result = place.call("search_text", json!({ "pattern": "word" }));
    assert!(!result.to_string().contains(SECRET), "{result}");
    assert!(exists(&place, "d/records.txt"));
}

#[test]
fn whether_a_denied_file_is_there_is_not_told() {
    let place = unasked();
    place.file("here/.env", SECRET);
    place.file("none/.keep", "");
    std::os::unix::fs::symlink(".env", place.workspace().join("here/link")).unwrap();
    std::os::unix::fs::symlink(".env", place.workspace().join("none/link")).unwrap();
    for name in [".env", "link"] {
        let answers = ["here", "none"].map(|folder| {
            let path = format!("{folder}/{name}");
            [
                ("read_file", json!({ "path": path })),
                ("list_directory", json!({ "path": path })),
                ("find_files", json!({ "path": path, "pattern": "*" })),
                ("search_text", json!({ "path": path, "pattern": "x" })),
                ("write_file", json!({ "path": path, "content": "x", "mode": "new" })),
                ("replace_in_file", json!({ "path": path, "old": "x", "new": "y" })),
                ("move_path", json!({ "from": path, "to": "free" })),
                ("move_path", json!({ "from": "plain.txt", "to": path })),
                ("delete_path", json!({ "path": path })),
                ("git_diff", json!({ "path": path })),
                ("git_log", json!({ "path": path })),
            ]
            .map(|(tool, arguments)| {
                let result = place.call(tool, arguments);
                (verdict(&result), result["error"]["message"].clone())
            })
        });
        let [here, none] = &answers;
        assert_eq!(here, none, "{name}");
        for (verdict, message) in here {
            assert_eq!(verdict, "denied/PERMISSION_DENIED", "{name}: {message}");
        }
    }
}

#[test]
fn a_check_says_what_a_run_would_say_about_a_folder() {
    let place = place();
    let call = json!({ "name": "move_path", "arguments": { "from": "a", "to": "b" } });
    let shown = place.aside("call.jsonl", &format!("{call}\n"));
    let line = place.ask(&["check", shown.to_str().unwrap()]).line();
    assert_eq!((&line["verdict"], &line["code"]), (&json!("deny"), &json!("PERMISSION_DENIED")), "{line}");
}

#[test]
fn nobody_is_asked_about_a_file_that_is_not_there() {
    let place = place();
    for (tool, arguments) in [
        ("replace_in_file", json!({ "path": "nope", "old": "x", "new": "y" })),
        ("move_path", json!({ "from": "nope", "to": "x" })),
        ("delete_path", json!({ "path": "nope" })),
    ] {
        let result = place.call(tool, arguments);
        assert_eq!(verdict(&result), "failed/FILE_NOT_FOUND", "{result}");
    }
}
