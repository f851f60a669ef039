//! Files that no tool and no command may touch, whatever the policy says.

use std::path::PathBuf;

use super::WorkspacePath;
use super::fold::fold;

/// The protected places: fixed names inside any workspace, and the absolute paths of what is in use.
#[derive(Debug, Clone, Default)]
pub struct Protected {
    /// Absolute real paths of configuration, policy, task and lock files in use, and of the state folder.
    pub in_use: Vec<PathBuf>,
}

/// What a tool wants to do with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read it.
    Read,
    /// Create, change, move or delete it.
    Write,
}

/// A run of names, folded, that is protected wherever it occurs in a path, with everything below it.
/// One `*` in a name stands for any characters.
struct Place {
    names: &'static [&'static str],
    what: &'static str,
}

const GIT: &str = "the internals of a git repository";
const HOST: &str = "the settings or hooks of an agent host";
const LOCK: &str = "the lock file of the gateway";
const CONFIGURATION: &str = "a place where the gateway looks for its configuration";
pub(super) const IN_USE: &str = "configuration or state of the gateway that is in use";

/// Protected from every access, at any depth.
const PLACES: &[Place] = &[
    Place { names: &[".git"], what: GIT },
    // The short name that NTFS and FAT give to `.git`.
    Place { names: &["git~1"], what: GIT },
    Place { names: &[".claude", "settings*.json"], what: HOST },
    Place { names: &[".claude", "hooks"], what: HOST },
    Place { names: &[".mcp.json"], what: HOST },
    Place { names: &[".codex"], what: HOST },
    Place { names: &[".cursor", "mcp.json"], what: HOST },
    Place { names: &[".cursor", "cli.json"], what: HOST },
    Place { names: &[".cursor", "settings.json"], what: HOST },
    Place { names: &[".cursor", "hooks*"], what: HOST },
    Place { names: &[".gemini", "settings.json"], what: HOST },
    Place { names: &[".gemini", "hooks"], what: HOST },
    Place { names: &[".vscode", "settings.json"], what: HOST },
    Place { names: &[".vscode", "tasks.json"], what: HOST },
    Place { names: &[".vscode", "mcp.json"], what: HOST },
    Place { names: &[".github", "hooks"], what: HOST },
    Place { names: &[".github", "copilot", "settings*.json"], what: HOST },
    Place { names: &[".opencode"], what: HOST },
    Place { names: &["opencode.json*"], what: HOST },
    Place { names: &[".windsurf", "hooks*"], what: HOST },
    Place { names: &[".windsurf", "mcp*.json"], what: HOST },
    Place { names: &[".clinerules", "hooks"], what: HOST },
    Place { names: &["tgw.lock"], what: LOCK },
];

/// Protected from writing, at the root only: whatever is written there could become the gateway's configuration.
const ROOT_CONFIGURATION: &[&str] = &["tools.yaml", "policy.yaml"];

impl Protected {
    /// What protects this path by its name alone, or `None`.
    ///
    /// Names are compared as the most lenient file system would, so that a case-insensitive one opens no hole.
    #[must_use]
    pub fn by_name(path: &WorkspacePath, access: Access) -> Option<&'static str> {
        let parts: Vec<String> = path.parts().map(fold).collect();
        by_folded_name(&parts, access)
    }

    /// Whether commands may read it although it is protected: `.git` itself.
    pub(super) fn is_readable_by_commands(path: &WorkspacePath) -> bool {
        path.file_name().is_some_and(|name| fold(name) == ".git")
    }
}

/// As [`Protected::by_name`], for parts that are folded already.
pub(super) fn by_folded_name(parts: &[String], access: Access) -> Option<&'static str> {
    let fixed = PLACES.iter().find(|place| {
        parts
            .windows(place.names.len())
            .any(|run| run.iter().zip(place.names).all(|(part, name)| matches(name, part)))
    });
    if let Some(place) = fixed {
        return Some(place.what);
    }
    let at_root = parts.first().is_some_and(|first| ROOT_CONFIGURATION.contains(&first.as_str()));
    (access == Access::Write && at_root).then_some(CONFIGURATION)
}

/// The places as globs over paths from the root.
pub(super) fn place_globs() -> impl Iterator<Item = String> {
    PLACES.iter().map(|place| format!("**/{}", place.names.join("/")))
}

/// Whether `text` is `pattern`, in which one `*` stands for any characters.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, after)) => {
            text.len() >= before.len() + after.len() && text.starts_with(before) && text.ends_with(after)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str, access: Access) -> Option<&'static str> {
        Protected::by_name(&WorkspacePath::parse(path).unwrap(), access)
    }

    #[test]
    fn protected_names_are_denied_in_any_spelling_and_at_any_depth() {
        for path in [
            ".git",
            ".git/config",
            "a/b/.git/hooks/x",
            ".GIT/config",
            ".g\u{200c}it/config",
            "git~1/config",
            "GIT~1",
            ".git./x",
            ".git /x",
            "sub/.git",
            ".claude/settings.json",
            ".claude/settings.local.json",
            ".claude/hooks/a.sh",
            ".Cursor/MCP.json",
            ".cursor/hooks.json",
            ".codex/config.toml",
            ".gemini/settings.json",
            ".vscode/tasks.json",
            ".VSCODE/Settings.JSON",
            ".vſcode/ſettings.json",
            "x/.mcp.json",
            "tgw.lock",
            "TGW.LOCK",
            ".mcp.json::$DATA",
        ] {
            assert!(name(path, Access::Read).is_some(), "{path}");
            assert!(name(path, Access::Write).is_some(), "{path}");
        }
    }

    #[test]
    fn neighbours_of_protected_names_are_not_protected() {
        for path in [
            ".github/workflows/ci.yml",
            ".gitignore",
            ".gitattributes",
            ".claude/agents/a.md",
            ".cursor/rules/a.mdc",
            ".vscode/launch.json",
            "src/settings.json",
            "AGENTS.md",
            "a/tools.yaml",
            "tgw.lock.md",
            "hooks/x",
        ] {
            assert_eq!(name(path, Access::Write), None, "{path}");
        }
    }

    #[test]
    fn configuration_at_the_root_is_readable_and_never_written() {
        for path in ["tools.yaml", "policy.yaml", "Policy.YAML"] {
            assert_eq!(name(path, Access::Read), None);
            assert_eq!(name(path, Access::Write), Some(CONFIGURATION));
        }
    }
}
