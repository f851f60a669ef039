//! What a sandbox has to keep from commands.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::directory::FileKind;
use super::{Access, Protected, Workspace, WorkspacePath};

/// Most entries looked at for protected names below the root.
const MAX_ENTRIES: usize = 5_000;
/// Most levels looked at.
const MAX_DEPTH: usize = 8;

/// Protected paths that exist, absolute and real, for a sandbox to deny.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxPaths {
    /// Neither read nor written by commands: configuration and state in use, hosts' settings.
    pub hidden: Vec<PathBuf>,
    /// Read but not written by commands: `.git`, which many programs need to read.
    pub read_only: Vec<PathBuf>,
}

impl Protected {
    /// The protected paths that exist, of those in use and of those below the workspace `root`.
    ///
    /// The tree is looked through to a fixed depth and number of entries, nearest first, so that a large one does not
    /// slow every command down; what lies deeper is not listed, nor what is inside a protected directory. A root that
    /// cannot be opened is hidden as a whole.
    #[must_use]
    pub fn paths_for_sandbox(&self, root: &Path) -> SandboxPaths {
        let mut paths = SandboxPaths::default();
        paths.hidden.extend(self.in_use.iter().filter_map(|path| path.canonicalize().ok()));
        match Workspace::open(root, self.clone()) {
            Ok(workspace) => collect(&workspace, &mut paths),
            Err(_) => paths.hidden.push(root.to_owned()),
        }
        let unique: BTreeSet<PathBuf> = paths.hidden.drain(..).collect();
        paths.hidden.extend(unique);
        paths
    }
}

fn collect(workspace: &Workspace, paths: &mut SandboxPaths) {
    let Ok(top) = workspace.open_directory(&WorkspacePath::root()) else { return };
    let mut level = vec![top];
    let mut seen = 0;
    for _ in 0..MAX_DEPTH {
        let mut next = Vec::new();
        for directory in level {
            let Ok((entries, _)) = directory.entries(MAX_ENTRIES - seen) else { continue };
            seen += entries.len();
            for entry in entries {
                let Some(name) = entry.name() else { continue };
                let path = directory.path().child(name);
                let absolute = workspace.root().join(path.as_str());
                if Protected::is_readable_by_commands(&path) {
                    paths.read_only.push(absolute);
                } else if workspace.protection(&path, Access::Read).is_some() {
                    paths.hidden.push(absolute);
                } else if workspace.protection(&path, Access::Write).is_some() {
                    paths.read_only.push(absolute);
                } else if entry.kind == FileKind::Directory
                    && let Ok(below) = directory.directory(&entry)
                {
                    next.push(below);
                }
            }
            if seen >= MAX_ENTRIES {
                return;
            }
        }
        level = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_is_readable_by_commands_and_the_rest_is_hidden() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for path in ["a/.git", ".git/hooks", ".claude/hooks", "node_modules/x"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        for path in [".mcp.json", "policy.yaml", "mine.yaml", ".claude/settings.json"] {
            std::fs::write(root.join(path), "").unwrap();
        }
        let protected = Protected { in_use: vec![root.join("mine.yaml"), root.join("none.yaml")] };
        let paths = protected.paths_for_sandbox(&root);
        let absolute = |names: &[&str]| names.iter().map(|name| root.join(name)).collect::<Vec<_>>();
        assert_eq!(
            paths.hidden,
            absolute(&[".claude/hooks", ".claude/settings.json", ".mcp.json", "mine.yaml"])
        );
        assert_eq!(paths.read_only, absolute(&[".git", "policy.yaml", "a/.git"]));
    }
}
