//! What of a workspace is kept from commands: found by looking, since a sandbox guards paths and not names.

use std::fs;
use std::path::PathBuf;

use crate::workspace::{Access, Workspace, WorkspacePath};

/// Most entries looked at. The nearest to the root come first; what lies beyond is guarded by its place alone.
const MAX_ENTRIES: usize = 2_000;

/// Folders that hold what a machine made, in great number: not looked into.
const MADE: &[&str] = &["target", "node_modules"];

/// Names at the root that no command may make, whether they exist or not.
const NEVER_MADE: &[&str] = &[".git", "tools.yaml", "policy.yaml", "tgw.lock"];

/// Absolute real paths that commands do not reach as they like.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Guarded {
    /// Neither read nor written: the gateway's state, its configuration outside the workspace, the hosts' settings.
    pub(super) hidden: Vec<PathBuf>,
    /// Read and not written: git repositories, and configuration that is part of the project, which a build may need.
    pub(super) unwritable: Vec<PathBuf>,
}

/// Finds what is guarded.
pub(super) fn guarded(workspace: &Workspace) -> Guarded {
    let root = workspace.root();
    let mut found = Guarded::default();
    for path in workspace.protected().in_use.iter().filter_map(|path| path.canonicalize().ok()) {
        let project = path.starts_with(root) && path.is_file();
        if project { found.unwritable.push(path) } else { found.hidden.push(path) }
    }
    found.unwritable.extend(NEVER_MADE.iter().map(|name| root.join(name)));
    look_through(workspace, &mut found);
    for list in [&mut found.hidden, &mut found.unwritable] {
        list.sort_unstable();
        list.dedup();
    }
    let settled = std::mem::take(&mut found.hidden);
    found.hidden = settled.into_iter().filter(|path| !found.unwritable.contains(path)).collect();
    found
}

fn look_through(workspace: &Workspace, found: &mut Guarded) {
    let mut left = MAX_ENTRIES;
    let mut level = vec![WorkspacePath::root()];
    while !level.is_empty() && left > 0 {
        let mut below = Vec::new();
        for folder in std::mem::take(&mut level) {
            let Ok(entries) = fs::read_dir(workspace.root().join(folder.as_str())) else { continue };
            for entry in entries.flatten().take(left) {
                left -= 1;
                let name = entry.file_name();
                let Some(name) = name.to_str() else { continue };
                let path = folder.child(name);
                if workspace.protection(&path, Access::Write).is_some() {
                    let readable = name == ".git" || workspace.protection(&path, Access::Read).is_none();
                    let list = if readable { &mut found.unwritable } else { &mut found.hidden };
                    list.push(entry.path());
                } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !MADE.contains(&name) {
                    below.push(path);
                }
            }
        }
        level = below;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Protected;

    #[test]
    fn repositories_are_readable_hosts_settings_are_not_and_what_was_made_is_not_looked_into() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for path in ["a/b/.git", ".claude", "node_modules/x/.git", "state"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        for path in [".claude/settings.json", "mine.yaml"] {
            fs::write(root.join(path), "").unwrap();
        }
        let in_use = vec![root.join("mine.yaml"), root.join("state"), "/etc/passwd".into()];
        let workspace = Workspace::open(&root, Protected { in_use }).unwrap();
        let absolute = |names: &[&str]| names.iter().map(|name| root.join(name)).collect::<Vec<_>>();
        let mut hidden = absolute(&[".claude/settings.json", "state"]);
        hidden.insert(0, "/etc/passwd".into());
        assert_eq!(
            guarded(&workspace),
            Guarded {
                hidden,
                unwritable: absolute(&[
                    ".git",
                    "a/b/.git",
                    "mine.yaml",
                    "policy.yaml",
                    "tgw.lock",
                    "tools.yaml"
                ]),
            }
        );
    }
}
