//! What git would open and wait at for ever: a named pipe or device in the place of a file.

use crate::catalog::BuiltinName;
use crate::code::CallError;
use crate::execute::builtin::BuiltinContext;
use crate::workspace::{Entry, FileKind, GitDirectory, OpenedDirectory, WorkspacePath};

use super::repository::refused;

/// Most entries looked at, of a git directory and of a worktree each, nearest first. Beyond them the deadline counts.
const MAX_ENTRIES: usize = 20_000;

/// The directories of a repository whose files git reads when it shows something.
const READ: [&str; 7] = ["refs", "info", "objects", "worktrees", "rebase-merge", "rebase-apply", "sequencer"];

/// The rules that git reads in every directory of a worktree, without following links, to find what is untracked.
const IGNORE: &str = ".gitignore";
/// What git reads at the root alone.
const MODULES: &str = ".gitmodules";

/// Refuses a git directory in which a file is none. A link may lead to such a file, wherever that is.
///
/// # Errors
/// `PERMISSION_DENIED`, saying what it is.
pub(super) fn refuse_in_repository(directory: &GitDirectory<'_>) -> Result<(), CallError> {
    for entry in directory.entries(".")? {
        if waits(entry.kind) {
            return Err(no_file(&directory.shown(&entry.shown())));
        }
    }
    let mut left = MAX_ENTRIES;
    let mut level: Vec<String> = READ.map(str::to_owned).to_vec();
    while !level.is_empty() {
        let mut below = Vec::new();
        for folder in level {
            for entry in directory.entries(&folder)? {
                let Some(rest) = left.checked_sub(1) else { return Ok(()) };
                left = rest;
                let path = format!("{folder}/{}", entry.shown());
                match (entry.kind, entry.name()) {
                    (FileKind::Directory, Some(_)) => below.push(path),
                    (FileKind::Link, _) => {
                        return Err(refused(&format!("{} is a symbolic link", directory.shown(&path))));
                    }
                    (kind, _) if waits(kind) => return Err(no_file(&directory.shown(&path))),
                    _ => {}
                }
            }
        }
        level = below;
    }
    Ok(())
}

/// Refuses a worktree in which something that the tool makes git read is no file.
///
/// # Errors
/// `PERMISSION_DENIED`, saying what it is; when the call is cancelled meanwhile.
pub(super) fn refuse_in_worktree(name: BuiltinName, context: &BuiltinContext<'_>) -> Result<(), CallError> {
    let mut left = MAX_ENTRIES;
    let mut level = vec![WorkspacePath::root()];
    while !level.is_empty() {
        let mut below = Vec::new();
        for path in &level {
            context.cancel.check()?;
            // What cannot be listed git does not list either, and what is protected is not its to look into.
            let Ok(folder) = context.workspace.open_directory(path) else { continue };
            let Ok((entries, _)) = folder.entries(left) else { continue };
            left -= entries.len();
            refuse_rules(&folder, &entries)?;
            if name != BuiltinName::GitStatus {
                return Ok(());
            }
            let directories = entries.iter().filter(|entry| entry.kind == FileKind::Directory);
            below.extend(directories.filter_map(|entry| Some(path.child(entry.name()?))));
        }
        level = below;
    }
    Ok(())
}

fn refuse_rules(folder: &OpenedDirectory<'_>, entries: &[Entry]) -> Result<(), CallError> {
    let rules = [IGNORE, MODULES];
    let odd = entries
        .iter()
        .find(|entry| waits(entry.kind) && entry.name().is_some_and(|name| rules.contains(&name)));
    odd.map_or(Ok(()), |entry| Err(no_file(&format!("`{}`", folder.path().child(&entry.shown()).as_str()))))
}

/// Whether opening it may take for ever. A socket cannot be opened, and git keeps one of its own.
fn waits(kind: FileKind) -> bool {
    matches!(kind, FileKind::Fifo | FileKind::Device | FileKind::Unknown)
}

fn no_file(shown: &str) -> CallError {
    refused(&format!("{shown} is a named pipe or a device"))
}
