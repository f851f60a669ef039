//! What of a workspace is kept from commands: found by looking, since a sandbox guards paths and not names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace::{Access, Protected, Workspace, WorkspacePath};

/// Most entries looked at. The nearest to the root come first; what lies beyond is guarded by its place alone.
const MAX_ENTRIES: usize = 2_000;

/// Folders that hold what a machine made, in great number: not looked into.
const MADE: &[&str] = &["target", "node_modules"];

/// Absolute real paths that commands do not reach as they like.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Guarded {
    /// Neither read nor written: the gateway's state, its configuration outside the workspace, the hosts' settings.
    pub(super) hidden: Vec<PathBuf>,
    /// Read and not written: git repositories, and configuration that is part of the project, which a build may need.
    /// Also what is protected at the root and is not there, so that it cannot be made where a sandbox can keep it so.
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
    let linked = workspace.linked_places();
    look_through(workspace, &linked, &mut found);
    for path in linked {
        guard(workspace, path, &mut found);
    }
    for place in Protected::root_places() {
        let path = root.join(&place);
        let exists = path.symlink_metadata().is_ok();
        if exists && !workspace.commands_may_read(&WorkspacePath::root().child(&place)) {
            found.hidden.push(path);
        } else {
            found.unwritable.push(path);
        }
    }
    for list in [&mut found.hidden, &mut found.unwritable] {
        list.sort_unstable();
        list.dedup();
    }
    let settled = std::mem::take(&mut found.hidden);
    found.hidden = settled.into_iter().filter(|path| !found.unwritable.contains(path)).collect();
    found
}

/// Guards a path where it is protected.
fn guard(workspace: &Workspace, path: PathBuf, found: &mut Guarded) -> bool {
    let relative = path.strip_prefix(workspace.root()).ok().and_then(Path::to_str);
    let Some(relative) = relative.map(|text| WorkspacePath::root().child(text)) else { return false };
    let is_protected = workspace.protection(&relative, Access::Write).is_some();
    if is_protected {
        let readable = workspace.commands_may_read(&relative);
        let list = if readable { &mut found.unwritable } else { &mut found.hidden };
        list.push(path);
    }
    is_protected
}

/// Looks through the workspace, and through folders that links at protected names lead to before the others.
fn look_through(workspace: &Workspace, linked: &[PathBuf], found: &mut Guarded) {
    let mut left = MAX_ENTRIES;
    let below_root = linked.iter().filter_map(|path| path.strip_prefix(workspace.root()).ok()?.to_str());
    let mut level: Vec<WorkspacePath> = below_root.map(|path| WorkspacePath::root().child(path)).collect();
    level.push(WorkspacePath::root());
    while !level.is_empty() && left > 0 {
        let mut below = Vec::new();
        for folder in std::mem::take(&mut level) {
            let Ok(entries) = fs::read_dir(workspace.root().join(folder.as_str())) else { continue };
            for entry in entries.flatten().take(left) {
                left -= 1;
                let name = entry.file_name();
                let Some(name) = name.to_str() else { continue };
                let path = folder.child(name);
                if guard(workspace, entry.path(), found) {
                    continue;
                }
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !MADE.contains(&name) {
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
        let guarded = guarded(&workspace);
        assert_eq!(guarded.hidden, hidden);
        // What is not there yet is kept from being made.
        let unwritable =
            [".git", ".vscode/tasks.json", "a/b/.git", "mine.yaml", "policy.yaml", "tgw.lock", "tools.yaml"];
        for path in absolute(&unwritable) {
            assert!(guarded.unwritable.contains(&path), "{path:?}: {guarded:?}");
        }
    }
}
