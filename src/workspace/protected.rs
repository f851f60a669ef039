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

pub(super) const GIT: &str = "the internals of a git repository";
const HOST: &str = "the settings or hooks of an agent host";
const LOCK: &str = "the lock file of the gateway";
pub(super) const HOST_FOLDER: &str = "a place where an agent host looks for its settings or hooks";
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

/// Most names in a place.
pub(super) const LONGEST_PLACE: usize = 3;

/// Protected from writing, at any depth: a session that starts in the folder of such a file would find it.
const CONFIGURATION_FILES: &[&str] = &["tools.yaml", "policy.yaml", "tgw-lint.yaml"];

impl Protected {
    /// What protects this path by its name alone, or `None`.
    ///
    /// Names are compared as the most lenient file system would, so that a case-insensitive one opens no hole.
    #[must_use]
    pub fn by_name(path: &WorkspacePath, access: Access) -> Option<&'static str> {
        let parts: Vec<String> = path.parts().map(fold).collect();
        by_folded_name(&parts, access)
    }

    /// Where commands find every kind of protected file that there can be at the root, relative to it: `*` stands for
    /// nothing. What is made there would be obeyed.
    pub(crate) fn root_places() -> impl Iterator<Item = String> {
        let fixed = PLACES.iter().map(|place| place.names.join("/").replace('*', ""));
        fixed.chain(CONFIGURATION_FILES.iter().map(|name| (*name).to_owned()))
    }
}

/// Whether these folded parts end in a place that is protected from writing; what is inside one does not count.
pub(super) fn ends_in_place(parts: &[String]) -> bool {
    let fixed = PLACES.iter().any(|place| ends_with(parts, place.names));
    fixed || parts.last().is_some_and(|part| is_configuration(part))
}

/// Whether these folded parts end where a protected place begins, as `.vscode` does: a link of that name would give
/// what it leads to a protected name that no path shows.
pub(super) fn leads_to_place(parts: &[String]) -> bool {
    PLACES.iter().any(|place| {
        (1..place.names.len())
            .any(|most| place.names.get(..most).is_some_and(|names| ends_with(parts, names)))
    })
}

fn ends_with(parts: &[String], names: &[&str]) -> bool {
    let last = parts.len().checked_sub(names.len()).and_then(|from| parts.get(from..));
    last.is_some_and(|last| last.iter().zip(names).all(|(part, name)| matches(name, part)))
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
    (access == Access::Write && parts.iter().any(|part| is_configuration(part))).then_some(CONFIGURATION)
}

fn is_configuration(part: &str) -> bool {
    CONFIGURATION_FILES.contains(&part)
}

/// The names, folded, that what lies in a folder called `parts` must not have, as globs below that folder.
pub(super) fn place_globs_below(parts: &[String]) -> impl Iterator<Item = String> {
    PLACES.iter().flat_map(move |place| {
        (1..place.names.len()).filter_map(move |most| {
            let (above, below) = place.names.split_at_checked(most)?;
            ends_with(parts, above).then(|| below.join("/"))
        })
    })
}

/// The places as globs over paths from the root.
pub(super) fn place_globs() -> impl Iterator<Item = String> {
    PLACES.iter().map(|place| format!("**/{}", place.names.join("/")))
}

/// Whether `text` is `pattern`, in which one `*` stands for any characters.
fn matches(pattern: &str, text: &str) -> bool {
    // Asked of every entry of a folder, of which most differ in the first byte.
    if !pattern.starts_with('*') && pattern.as_bytes().first() != text.as_bytes().first() {
        return false;
    }
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
    fn no_place_is_longer_than_the_longest() {
        assert_eq!(PLACES.iter().map(|place| place.names.len()).max(), Some(LONGEST_PLACE));
    }

    #[test]
    fn a_place_ends_where_its_last_name_does_and_begins_before_it() {
        let parts = |path: &str| path.split('/').map(fold).collect::<Vec<_>>();
        for path in [
            "a/.git",
            ".GIT",
            ".claude/settings.json",
            "x/.vscode/Tasks.json",
            "policy.yaml",
            "a/.codex",
            "a/Tools.yaml",
        ] {
            assert!(ends_in_place(&parts(path)), "{path}");
        }
        for path in [".git/config", "policy.yaml/a", ".claude", "settings.json", "vscode/tasks.json"] {
            assert!(!ends_in_place(&parts(path)), "{path}");
        }
        for path in [".claude", "a/.VSCode", ".github", ".github/copilot"] {
            assert!(leads_to_place(&parts(path)), "{path}");
        }
        for path in [".claude/settings.json", ".git", "copilot", "src"] {
            assert!(!leads_to_place(&parts(path)), "{path}");
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
            "a/tools.yaml.md",
            "tgw.lock.md",
            "hooks/x",
        ] {
            assert_eq!(name(path, Access::Write), None, "{path}");
        }
    }

    #[test]
    fn configuration_is_readable_and_never_written_at_any_depth() {
        for path in ["tools.yaml", "a/policy.yaml", "a/b/Policy.YAML", "tgw-lint.yaml", "a/tools.yaml/b"] {
            assert_eq!(name(path, Access::Read), None);
            assert_eq!(name(path, Access::Write), Some(CONFIGURATION));
        }
    }
}
