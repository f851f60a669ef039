//! Configuration below the root, by which a folder of the workspace would become the workspace of the next session.

use std::fs;

use serde_json::json;

use super::fixture::{FREE, SAY, SHIPPED, free, line, script, scripts};
use crate::place::{Place, finish, has_sandbox, skipped, verdict};

#[test]
fn configuration_is_written_at_no_depth() {
    let place = free();
    place.file("inner/policy.yaml", "version: 1\n");
    place.file("inner/plain.txt", "version: 1\n");
    for name in ["tools.yaml", "policy.yaml", "tgw-lint.yaml", "tgw.lock", "Policy.YAML", "tools.yaml/x"] {
        for folder in ["new", "inner", "inner/deep"] {
            let path = format!("{folder}/{name}");
            for (tool, arguments) in [
                ("write_file", json!({ "path": path, "content": "version: 1" })),
                ("move_path", json!({ "from": "inner/plain.txt", "to": path })),
            ] {
                let result = place.call(tool, arguments);
                assert_ne!(result["status"], "succeeded", "{tool} {path}: {result}");
            }
        }
    }
    for (tool, arguments) in [
        ("replace_in_file", json!({ "path": "inner/policy.yaml", "old": "1", "new": "2" })),
        ("move_path", json!({ "from": "inner/policy.yaml", "to": "inner/p.txt" })),
        ("delete_path", json!({ "path": "inner/policy.yaml" })),
    ] {
        let result = place.call(tool, arguments);
        assert_eq!(result["error"]["code"], "PERMISSION_DENIED", "{tool}: {result}");
    }
    assert_eq!(fs::read_to_string(place.workspace().join("inner/policy.yaml")).unwrap(), "version: 1\n");
    assert!(!place.workspace().join("new").exists());
}

#[test]
fn nested_configuration_is_read_listed_and_goes_along_with_its_folder() {
    let place = free();
    place.file("examples/first/policy.yaml", "version: 1\n");
    for (tool, arguments) in [
        ("read_file", json!({ "path": "examples/first/policy.yaml" })),
        ("list_directory", json!({ "path": "examples/first" })),
        ("search_text", json!({ "pattern": "version" })),
        ("write_file", json!({ "path": "examples/first/notes.md", "content": "x" })),
        ("move_path", json!({ "from": "examples", "to": "samples" })),
        ("delete_path", json!({ "path": "samples", "recursive": true })),
    ] {
        let result = place.call(tool, arguments);
        assert_eq!(verdict(&result), "succeeded", "{tool}: {result}");
    }
    assert!(!place.workspace().join("samples").exists());
}

#[test]
fn a_command_makes_no_configuration_below_the_root() {
    for level in ["isolated", "confined", "none"] {
        if skipped(has_sandbox(level), &format!("sandbox level `{level}`")) {
            continue;
        }
        let place = scripts(&format!("{{level: {level}, network: none}}"));
        place.file("sub/kept.txt", "kept\n");
        let result =
            script(&place, "mkdir sub/inner; echo x > sub/inner/policy.yaml; echo x > sub/Tools.yaml");
        for path in ["sub/inner/policy.yaml", "sub/Tools.yaml"] {
            assert!(!place.workspace().join(path).exists(), "{level}: {path}: {result}");
        }
        assert!(result["warnings"].to_string().contains("sub/inner/policy.yaml"), "{level}: {result}");
    }
}

/// A workspace whose own files are trusted, with files that are not in `inner`.
fn nested() -> Place {
    let place = Place::new();
    place.file("tools.yaml", SAY);
    place.file("policy.yaml", FREE);
    assert_eq!(place.ask(&["trust", "--yes"]).code, Some(0));
    place.file("inner/tools.yaml", SHIPPED);
    place.file("inner/policy.yaml", FREE);
    fs::create_dir_all(place.workspace().join("inner/deep")).unwrap();
    place
}

fn said_in(place: &Place, folder: &str, arguments: &[&str]) -> (String, String) {
    let mut command = place.tgw(&[&["run"], arguments].concat());
    command.current_dir(place.workspace().join(folder));
    let ended = finish(&mut command, line("say", &json!({ "word": "x" })).as_bytes());
    (verdict(&ended.line()), ended.stderr)
}

#[test]
fn untrusted_configuration_does_not_leave_the_trusted_one_above() {
    let place = nested();
    for folder in ["inner", "inner/deep"] {
        let (verdict, stderr) = said_in(&place, folder, &[]);
        assert_eq!(verdict, "succeeded", "{folder}: {stderr}");
        assert!(stderr.contains("note: the workspace is"), "{folder}: {stderr}");
    }
    assert_eq!(super::fixture::said(&place), "x\nx\n");
}

#[test]
fn a_nested_workspace_is_one_of_its_own_when_it_is_named_or_trusted() {
    let place = nested();
    let inner = place.workspace().join("inner");
    let (verdict, stderr) = said_in(&place, "inner", &["--workspace", inner.to_str().unwrap()]);
    assert_eq!(verdict, "failed/UNKNOWN_TOOL", "{stderr}");
    let policy = inner.join("policy.yaml");
    assert_eq!(place.ask(&["trust", "--yes", policy.to_str().unwrap()]).code, Some(0));
    let (verdict, stderr) = said_in(&place, "inner/deep", &[]);
    assert_eq!(verdict, "failed/UNKNOWN_TOOL", "{stderr}");
    assert!(!stderr.contains("note:"), "{stderr}");
}

#[test]
fn where_nothing_above_is_trusted_the_nearest_folder_counts() {
    let place = Place::new();
    place.file("tools.yaml", SAY);
    place.file("inner/policy.yaml", FREE);
    let (_, stderr) = said_in(&place, "inner", &[]);
    assert!(stderr.contains("inner/policy.yaml` is not trusted") && !stderr.contains("note:"), "{stderr}");
}
