//! Commands that make settings of agent hosts, configuration of the gateway, or repositories where there were none.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::fixture::{script, scripts};
use crate::place::{Place, has_sandbox, skipped, verdict};

const LEVELS: [&str; 3] = ["isolated", "confined", "none"];

/// What no command may make, at the root and below `sub`, which is there.
const PLANTED: [&str; 22] = [
    ".mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks/run.sh",
    ".vscode/tasks.json",
    ".github/hooks/run.json",
    ".github/copilot/settings.json",
    ".codex/config.toml",
    ".cursor/mcp.json",
    ".cursor/hooks.json",
    ".gemini/settings.json",
    ".opencode/x",
    "opencode.jsonc",
    ".windsurf/hooks.json",
    ".clinerules/hooks/x",
    ".git/config",
    ".MCP.JSON",
    "tgw.lock",
    "tools.yaml",
    "policy.yaml",
    "tgw-lint.yaml",
    "sub/deep/.mcp.json",
];

fn places(write: &str) -> impl Iterator<Item = (&'static str, Place)> {
    let write = write.to_owned();
    LEVELS.into_iter().filter(|level| !skipped(has_sandbox(level), &format!("sandbox level `{level}`"))).map(
        move |level| {
            let place = scripts(&format!("{{level: {level}, network: none{write}}}"));
            place.file("sub/kept.txt", "kept\n");
            // Folders of hosts that are there and hold no settings yet.
            place.file(".claude/agents/a.md", "kept\n");
            place.file(".github/workflows/ci.yml", "kept\n");
            (level, place)
        },
    )
}

fn exists(place: &Place, path: impl AsRef<Path>) -> bool {
    place.workspace().join(path).symlink_metadata().is_ok()
}

fn warnings(result: &Value) -> String {
    result["warnings"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect::<Vec<_>>()
        .join("\n")
}

/// What was set aside, anywhere below the workspace.
fn aside(place: &Place) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![place.workspace()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.file_name().to_string_lossy().starts_with(".tgw-undone-") {
                found.push(entry.path());
            } else if entry.file_type().unwrap().is_dir() {
                left.push(entry.path());
            }
        }
    }
    found
}

#[test]
fn no_command_leaves_settings_configuration_or_a_repository_that_was_not_there() {
    for (level, place) in places("") {
        let make: String = PLANTED
            .iter()
            .map(|path| format!("mkdir -p $(dirname {path}) && echo planted > {path}; "))
            .collect();
        let result = script(&place, &format!("({make}) 2>/dev/null; echo done"));
        assert_eq!(verdict(&result), "succeeded", "{level}: {result}");
        for path in PLANTED {
            assert!(!exists(&place, path), "{level}: {path}");
        }
        assert_eq!(fs::read_to_string(place.workspace().join(".claude/agents/a.md")).unwrap(), "kept\n");
        // All that could be made is accounted for.
        let said = warnings(&result);
        let named = said.lines().filter(|line| line.contains("renamed")).count();
        assert!(named > 0, "{level}: {result}");
        assert_eq!(aside(&place).len(), named + more(&said), "{level}: {result}");
    }
}

/// How many are counted and not named.
fn more(said: &str) -> usize {
    let line = said.lines().find(|line| line.contains("more protected names"));
    line.and_then(|line| line.split(' ').next()).map_or(0, |count| count.parse().unwrap())
}

#[test]
fn a_folder_or_link_that_is_moved_into_place_is_undone() {
    for (level, place) in places("") {
        let script_text = "cd sub && mkdir x && echo planted > x/settings.json && mv x .gemini; \
            mkdir y && echo planted > y/tasks.json && ln -s y .vscode; ln -s /etc/passwd .mcp.json; \
            mkdir g && echo planted > g/config && mv g .git; echo 'gitdir: ../g' > .GIT; echo done";
        let result = script(&place, script_text);
        assert_eq!(verdict(&result), "succeeded", "{level}: {result}");
        for path in [".gemini/settings.json", ".vscode", ".mcp.json", ".git", ".GIT"] {
            assert!(!exists(&place, Path::new("sub").join(path)), "{level}: {path}: {result}");
        }
        assert_eq!(fs::read_to_string(place.workspace().join("sub/y/tasks.json")).unwrap(), "planted\n");
        assert!(fs::read_to_string("/etc/passwd").unwrap().contains("root"));
    }
}

#[test]
fn a_narrow_place_is_looked_through_as_well() {
    for (level, place) in places(", write: [target]") {
        let result =
            script(&place, "mkdir -p target/a/.cursor; echo planted > target/a/.cursor/mcp.json; echo done");
        assert_eq!(verdict(&result), "succeeded", "{level}: {result}");
        assert!(!exists(&place, "target/a/.cursor/mcp.json"), "{level}: {result}");
        let expected = "`target/a/.cursor/mcp.json` appeared while the command ran and is protected";
        assert!(warnings(&result).contains(expected), "{level}: {result}");
        let outcome = place.audit().into_iter().find(|record| record["record"]["kind"] == "outcome").unwrap();
        assert!(outcome.to_string().contains(expected), "{level}: {outcome}");
    }
}

#[test]
fn what_a_command_leaves_running_plants_nothing_later() {
    for (level, place) in places("") {
        let result = script(
            &place,
            "(setsid sh -c 'while :; do mkdir -p sub; echo planted > sub/.mcp.json; done' >/dev/null 2>&1 &); \
             until test -e sub/.mcp.json; do :; done; echo done",
        );
        assert_eq!(verdict(&result), "succeeded", "{level}: {result}");
        assert!(!exists(&place, "sub/.mcp.json"), "{level}: {result}");
    }
}

#[test]
fn a_command_that_fails_or_is_ended_is_cleaned_up_after_too() {
    for (level, place) in places("") {
        let result = script(&place, "echo planted > sub/.mcp.json; kill -9 $$");
        assert!(!exists(&place, "sub/.mcp.json"), "{level}: {result}");
        assert!(warnings(&result).contains("sub/.mcp.json"), "{level}: {result}");
    }
}

#[test]
fn settings_that_were_there_stay_and_nothing_is_said() {
    for (level, place) in places("") {
        place.file("sub/.mcp.json", "mine\n");
        place.file("sub/.git/config", "mine\n");
        place.file(".claude/settings.json", "mine\n");
        place.file("open/kept.txt", "kept\n");
        let result = script(&place, "echo x > open/made.txt; echo done");
        assert_eq!(verdict(&result), "succeeded", "{level}: {result}");
        for path in ["sub/.mcp.json", "sub/.git/config", ".claude/settings.json"] {
            assert_eq!(
                fs::read_to_string(place.workspace().join(path)).unwrap(),
                "mine\n",
                "{level}: {path}"
            );
        }
        assert_eq!(warnings(&result), "", "{level}: {result}");
        assert!(exists(&place, "open/made.txt"), "{level}: {result}");
    }
}
