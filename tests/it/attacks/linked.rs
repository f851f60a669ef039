//! Links at protected names: what they lead to is protected as they are, and nothing is made to lead there.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::fixture::{ASK, SHIPPED, free, script, scripts};
use crate::place::{Place, has_sandbox, skipped, verdict};
use crate::pty::{Person, deny};

/// Links that a repository brings: the name, what it leads to, a path by the name, and the same by the place.
const BROUGHT: [[&str; 4]; 9] = [
    [".gemini", "notes", ".gemini/settings.json", "notes/settings.json"],
    [".mcp.json", "notes/h.json", ".mcp.json", "notes/h.json"],
    [".claude/settings.json", "../notes/s.json", ".claude/settings.json", "notes/s.json"],
    [".vscode", "./sub/../notes", ".VSCODE/tasks.json", "notes/Tasks.json"],
    ["sub/.cursor", "../notes", "sub/.cursor/hooks/x", "notes/hooks/x"],
    [".codex", "notes", ".codex/config.toml", "notes/config.toml"],
    [".git", "notes", ".git/config", "notes/config"],
    ["sub/policy.yaml", "../notes/p.yaml", "sub/policy.yaml", "notes/p.yaml"],
    [".windsurf", "hop", "hop/mcp.json", "notes/mcp.json"],
];

fn brought(place: &Place, link: &str, target: &str) {
    place.file("notes/agents/a.md", "kept\n");
    place.file("sub/kept.txt", "kept\n");
    place.file("other/settings.json", "other\n");
    let root = place.workspace();
    fs::create_dir_all(root.join(link).parent().unwrap()).unwrap();
    symlink("notes", root.join("hop")).unwrap();
    symlink("other", root.join("lnk")).unwrap();
    symlink(target, root.join(link)).unwrap();
}

fn denied(place: &Place, tool: &str, arguments: Value) {
    let result = place.call(tool, arguments.clone());
    assert_eq!(result["error"]["code"], "PERMISSION_DENIED", "{tool} {arguments}: {result}");
}

#[test]
fn nothing_is_written_through_a_link_at_a_protected_name() {
    for [link, target, by_name, by_place] in BROUGHT {
        let place = free();
        brought(&place, link, target);
        for path in [by_name, by_place] {
            denied(&place, "write_file", json!({ "path": path, "content": "{}" }));
            let result = place.call("move_path", json!({ "from": "sub/kept.txt", "to": path }));
            assert_ne!(result["status"], "succeeded", "{path}: {result}");
        }
        assert!(!place.workspace().join(by_place).exists(), "{link}");
    }
}

#[test]
fn what_a_link_at_a_protected_name_leads_to_is_neither_read_nor_changed() {
    for [link, target, by_name, by_place] in BROUGHT {
        let place = free();
        brought(&place, link, target);
        place.file(&by_place.to_lowercase(), "hidden\n");
        let readable = link.ends_with("policy.yaml");
        for path in [by_name.to_lowercase(), by_place.to_lowercase()] {
            denied(&place, "replace_in_file", json!({ "path": path, "old": "hidden", "new": "x" }));
            denied(&place, "delete_path", json!({ "path": path, "recursive": true }));
            denied(&place, "move_path", json!({ "from": path, "to": "taken" }));
            if !readable {
                denied(&place, "read_file", json!({ "path": path }));
            }
        }
        let found = place.call("search_text", json!({ "pattern": "hidden" }));
        assert_eq!(found["content"].to_string().contains("hidden"), readable, "{link}: {found}");
        denied(&place, "move_path", json!({ "from": link, "to": "taken" }));
        denied(&place, "delete_path", json!({ "path": link }));
        if !readable {
            denied(&place, "move_path", json!({ "from": "notes", "to": "taken" }));
            denied(&place, "delete_path", json!({ "path": "notes", "recursive": true }));
        }
        let text = fs::read_to_string(place.workspace().join(by_place.to_lowercase())).unwrap();
        assert_eq!(text, "hidden\n", "{link}");
    }
}

#[test]
fn what_else_lies_in_a_folder_that_a_host_reads_is_free() {
    let place = free();
    brought(&place, ".claude", "notes");
    for (tool, arguments) in [
        ("read_file", json!({ "path": ".claude/agents/a.md" })),
        ("write_file", json!({ "path": "notes/agents/b.md", "content": "x" })),
        ("write_file", json!({ "path": ".claude/agents/c.md", "content": "x" })),
        ("list_directory", json!({ "path": ".claude" })),
        ("move_path", json!({ "from": "notes/agents", "to": "notes/people" })),
    ] {
        let result = place.call(tool, arguments);
        assert_eq!(verdict(&result), "succeeded", "{tool}: {result}");
    }
}

#[test]
fn nothing_is_moved_to_where_a_host_looks() {
    let place = free();
    brought(&place, ".claude", "gone/notes");
    place.file("gathered/notes/settings.json", "{}");
    place.file("plain/notes/agents/a.md", "x");
    symlink("other", place.workspace().join("plain/notes/hooks")).unwrap();
    symlink("other/settings.json", place.workspace().join("file-link")).unwrap();
    for (from, to) in [
        ("lnk", ".vscode"),
        ("lnk", ".gemini"),
        ("lnk", "sub/.Claude"),
        ("lnk", ".github/copilot"),
        ("lnk", ".git"),
        ("other", ".vscode"),
        ("sub", ".gemini"),
        ("file-link", ".mcp.json"),
        ("sub/kept.txt", ".cursor"),
        // What a link that is there already leads to, or would.
        ("lnk", "gone"),
        ("gathered", "gone"),
        ("plain", "gone"),
    ] {
        fs::create_dir_all(place.workspace().join(".github")).unwrap();
        denied(&place, "move_path", json!({ "from": from, "to": to }));
        assert!(place.workspace().join(to).symlink_metadata().is_err(), "{to}");
    }
}

#[test]
fn a_link_on_the_way_from_a_protected_name_stays() {
    let place = free();
    brought(&place, ".gemini", "first");
    place.file("d/keep", "");
    symlink("d/second", place.workspace().join("first")).unwrap();
    symlink("../notes", place.workspace().join("d/second")).unwrap();
    for link in ["first", "d/second", "d"] {
        denied(&place, "move_path", json!({ "from": link, "to": "taken" }));
        denied(&place, "delete_path", json!({ "path": link, "recursive": true }));
    }
    denied(&place, "write_file", json!({ "path": "notes/settings.json", "content": "{}" }));
}

const LEVELS: [&str; 3] = ["isolated", "confined", "none"];

fn confined(write: &str) -> impl Iterator<Item = (&'static str, Place)> {
    let there = |level: &&str| !skipped(has_sandbox(level), &format!("sandbox level `{level}`"));
    LEVELS
        .into_iter()
        .filter(there)
        .map(move |level| (level, scripts(&format!("{{level: {level}, network: none, write: [{write}]}}"))))
}

#[test]
fn no_command_leaves_settings_where_a_link_leads() {
    for write in [".", "notes"] {
        for [link, target, by_name, by_place] in BROUGHT {
            // What lies inside a place that is protected as a whole was there before.
            if matches!(link, ".codex" | ".git") {
                continue;
            }
            for (level, place) in confined(write) {
                brought(&place, link, target);
                let text = format!("mkdir -p $(dirname {by_place}); echo x > {by_name}; echo x > {by_place}");
                let result = script(&place, &text);
                assert!(!place.workspace().join(by_place).exists(), "{level} {link}: {result}");
                assert!(!place.workspace().join(by_name).exists(), "{level} {link}: {result}");
            }
        }
    }
}

#[test]
fn a_sandbox_keeps_what_a_link_leads_to() {
    for (level, place) in confined(".").filter(|(level, _)| *level != "none") {
        brought(&place, ".gemini", "notes");
        symlink("sub/h.json", place.workspace().join(".mcp.json")).unwrap();
        place.file("notes/settings.json", "hidden\n");
        place.file("sub/h.json", "hidden\n");
        let text = "for f in .gemini/settings.json notes/settings.json .mcp.json sub/h.json; do cat $f; echo x > $f; done; \
            rm -f notes/settings.json sub/h.json; mv notes n; mv sub s; echo done";
        let result = script(&place, text);
        assert!(!result["content"].to_string().contains("hidden"), "{level}: {result}");
        for path in ["notes/settings.json", "sub/h.json"] {
            assert_eq!(fs::read_to_string(place.workspace().join(path)).unwrap(), "hidden\n", "{level}");
        }
    }
}

#[test]
fn a_link_that_a_command_makes_lead_elsewhere_is_undone() {
    for (level, place) in confined(".") {
        brought(&place, "sub/.claude", "../first");
        symlink("notes", place.workspace().join("first")).unwrap();
        let text = "ln -sfn ../other sub/.claude; rm -f first; ln -s other first; ln -sfn ../other sub/.vscode; echo done";
        let result = script(&place, text);
        let root = place.workspace();
        assert!(!root.join("sub/.claude/settings.json").exists(), "{level}: {result}");
        assert!(root.join("sub/.vscode").symlink_metadata().is_err(), "{level}: {result}");
        assert!(root.join("other/settings.json").exists(), "{level}");
    }
}

#[test]
fn a_folder_does_not_take_along_a_link_to_what_the_policy_denies() {
    let policy = r#"
version: 1
default_verdict: allow
rules:
  - {id: keys, verdict: deny, when: '["path", "from"].exists(n, n in arguments && path(arguments[n]).matches_glob("**/*.pem"))', reason: keys}
"#;
    let place = Place::new();
    place.configure(SHIPPED, policy);
    place.file("e/s.pem", "key");
    place.file("d/deep/plain.txt", "x");
    place.file("free/plain.txt", "x");
    let root = place.workspace();
    symlink("../../e/s.pem", root.join("d/deep/l")).unwrap();
    symlink("plain.txt", root.join("free/l")).unwrap();
    for (tool, arguments) in [
        ("delete_path", json!({ "path": "d/deep/l" })),
        ("delete_path", json!({ "path": "d", "recursive": true })),
        ("move_path", json!({ "from": "d/deep/l", "to": "l" })),
        ("move_path", json!({ "from": "d", "to": "moved" })),
    ] {
        let result = place.call(tool, arguments.clone());
        assert_eq!(verdict(&result), "denied/PERMISSION_DENIED", "{arguments}: {result}");
        assert!(!result.to_string().contains("pem"), "{result}");
    }
    assert!(root.join("d/deep/l").is_symlink() && root.join("d/deep/plain.txt").exists());
    for (tool, arguments) in [
        ("move_path", json!({ "from": "free", "to": "moved" })),
        ("delete_path", json!({ "path": "moved", "recursive": true })),
    ] {
        assert_eq!(verdict(&place.call(tool, arguments)), "succeeded", "{tool}");
    }
}

#[test]
fn a_question_says_that_a_link_is_one_and_where_it_leads() {
    let place = Place::new();
    place.configure(SHIPPED, &ASK.replace(", approval: {remember: [[/word]]}", ""));
    place.file("notes/plain.txt", "x");
    symlink("notes/plain.txt", place.workspace().join("harmless")).unwrap();
    symlink("plain.txt", place.workspace().join("notes/inside")).unwrap();
    let mut person = Person::start(place.tgw(&["run"]));
    for (tool, arguments, said) in [
        (
            "move_path",
            json!({ "from": "harmless", "to": "other" }),
            "symbolic link that points to `notes/plain.txt`",
        ),
        ("delete_path", json!({ "path": "harmless" }), "symbolic link that points to `notes/plain.txt`"),
        ("delete_path", json!({ "path": "notes", "recursive": true }), "notes/inside -> plain.txt"),
    ] {
        person.send(&json!({ "name": tool, "arguments": arguments }));
        let question = person.is_asked();
        assert!(question.contains(said), "{tool}: {question}");
        deny(&mut person, "");
        person.result();
    }
    person.leaves();
}
