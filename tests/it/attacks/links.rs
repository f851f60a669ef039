//! A symbolic link inside the workspace gives a file a second spelling. What a rule says of a file holds for each.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::fixture::{SHIPPED, free};
use crate::harness::{Space, call, code};
use crate::place::{Place, verdict};

#[test]
fn a_denied_file_is_not_read_through_a_link() {
    let space = Space::new();
    space.write(".env", "password: swordfish\n").write("log/.keep", "");
    symlink("../.env", space.path("log/today.txt")).unwrap();
    for path in [".env", "log/today.txt"] {
        let line = call("c", "read_file", &json!({ "path": path }));
        let answers = space.tgw(["run"]).lines_in(&[&line]).answers();
        assert_eq!(code(&answers[0]), "PERMISSION_DENIED", "{path}");
    }
}

#[test]
fn a_denied_file_is_not_written_through_a_link() {
    let space = Space::new();
    space.write("AGENTS.md", "old\n");
    symlink("AGENTS.md", space.path("notes.md")).unwrap();
    let line = call("c", "write_file", &json!({"path": "notes.md", "content": "new"}));
    let answers = space.tgw(["run"]).lines_in(&[&line]).answers();
    assert_eq!(code(&answers[0]), "PERMISSION_DENIED");
    assert_eq!(space.read("AGENTS.md").as_deref(), Some("old\n"));
}

#[test]
fn a_denied_file_is_not_searched_through_a_linked_folder() {
    let space = Space::new();
    space.write(".aws/config", "password: swordfish\n");
    symlink(".aws", space.path("cloud")).unwrap();
    let line = call("c", "search_text", &json!({"pattern": "swordfish", "path": "cloud"}));
    let answers = space.tgw(["run"]).lines_in(&[&line]).answers();
    assert_eq!(code(&answers[0]), "PERMISSION_DENIED");
}

/// A place with links of every kind: to a file, a folder, nothing, a protected place, themselves, and out.
fn linked(place: Place) -> Place {
    place.file("kept/file.txt", "kept\n");
    place.file(".git/config", "");
    place.aside("secret.txt", "outside\n");
    let root = place.workspace();
    for (target, name) in [
        ("kept/file.txt", "to-file"),
        ("kept", "to-folder"),
        ("nowhere/at/all", "dangling"),
        (".git", "to-git"),
        ("round", "round"),
        ("../aside", "out"),
        ("/etc", "absolute"),
    ] {
        symlink(target, root.join(name)).unwrap();
    }
    place
}

const LINKS: [&str; 7] = ["to-file", "to-folder", "dangling", "to-git", "round", "out", "absolute"];

#[test]
fn a_deleted_link_goes_itself_and_what_it_leads_to_stays() {
    let place = linked(free());
    for link in LINKS {
        let result = place.call("delete_path", json!({ "path": link, "recursive": true }));
        assert_eq!(verdict(&result), "succeeded", "{link}: {result}");
        assert!(place.workspace().join(link).symlink_metadata().is_err(), "{link}");
    }
    assert!(place.workspace().join("kept/file.txt").exists());
    assert!(place.workspace().join(".git/config").exists());
    assert!(place.workspace().parent().unwrap().join("aside/secret.txt").exists());
}

#[test]
fn a_moved_link_moves_itself_and_nothing_is_moved_onto_one() {
    let place = linked(free());
    let root = place.workspace();
    for link in LINKS {
        let result = place.call("move_path", json!({ "from": "kept/file.txt", "to": link }));
        assert_eq!(verdict(&result), "failed/INVALID_ARGUMENTS", "{link}: {result}");
        let result = place.call("move_path", json!({ "from": link, "to": format!("moved-{link}") }));
        assert_eq!(verdict(&result), "succeeded", "{link}: {result}");
        assert!(root.join(format!("moved-{link}")).is_symlink() && !root.join(link).is_symlink(), "{link}");
    }
    // Below a link, names are those of the folder that it leads to.
    let result = place.call("delete_path", json!({ "path": "moved-to-folder/file.txt" }));
    assert_eq!(verdict(&result), "succeeded", "{result}");
    assert!(!root.join("kept/file.txt").exists());
    for path in ["moved-out/secret.txt", "moved-absolute/passwd"] {
        let result = place.call("delete_path", json!({ "path": path }));
        assert_eq!(verdict(&result), "failed/PATH_OUTSIDE_WORKSPACE", "{result}");
    }
}

#[test]
fn a_rule_about_a_place_holds_for_the_links_to_it() {
    let policy = r#"
version: 1
default_verdict: allow
rules:
  - {id: keep, verdict: deny, when: '["path", "from"].exists(n, n in arguments && path(arguments[n]).under("kept"))', reason: it is kept}
  - {id: links, verdict: deny, when: '["path", "from"].exists(n, n in arguments && arguments[n].endsWith("dangling"))', reason: its name is kept}
"#;
    let place = Place::new();
    place.configure(SHIPPED, policy);
    let place = linked(place);
    for link in ["to-file", "to-folder", "dangling"] {
        for (tool, arguments) in [
            ("delete_path", json!({ "path": link, "recursive": true })),
            ("move_path", json!({ "from": link, "to": "moved" })),
        ] {
            let result = place.call(tool, arguments);
            assert_eq!(verdict(&result), "denied/PERMISSION_DENIED", "{link}: {result}");
        }
        assert!(place.workspace().join(link).is_symlink());
    }
}

#[test]
fn a_fifo_that_is_in_the_way_can_be_deleted() {
    let place = free();
    crate::place::helper(&place, "mkfifo", &["pipe"]);
    assert_eq!(verdict(&place.call("delete_path", json!({ "path": "pipe" }))), "succeeded");
}

#[test]
fn a_check_explains_the_rule_that_counts_for_the_place_of_a_link() {
    let place = Place::new();
    place.configure(SHIPPED, include_str!("../../../policy.yaml"));
    place.file(".env", "password: swordfish\n");
    symlink(".env", place.workspace().join("notes.txt")).unwrap();
    for call in [
        json!({ "name": "read_file", "arguments": { "path": "notes.txt" } }),
        json!({ "name": "delete_path", "arguments": { "path": "notes.txt" } }),
    ] {
        let shown = place.aside("call.jsonl", &format!("{call}\n"));
        let explained = place.ask(&["check", "--explain", shown.to_str().unwrap()]).stdout;
        assert!(
            explained
                .lines()
                .any(|line| line.contains("deny no-credential-files") && line.ends_with(": counted")),
            "{explained}"
        );
    }
}
