//! Looking at a repository before git does: what in it could run a program or lead elsewhere.

use std::path::PathBuf;

use crate::code::{CallError, ErrorCode};
use crate::workspace::{FileKind, GitDirectory, Workspace};

use super::config::{ConfigEntry, parse};
use super::waiting;

const MAX_CONFIG_BYTES: usize = 1 << 20;
/// Most settings that are overridden for one repository.
const MAX_OVERRIDES: usize = 500;
/// The files that git reads as this repository's configuration.
const CONFIG_FILES: [&str; 2] = ["config", "config.worktree"];
/// Where a link would lead git to objects of another repository.
const LINK_FREE: [&str; 3] = ["objects", "objects/info", "objects/pack"];
/// The file that leads to objects of another repository.
const ALTERNATES: &str = "objects/info/alternates";

/// The empty tree, by object format.
const EMPTY_TREE_SHA1: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const EMPTY_TREE_SHA256: &str = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

/// What has to be said to git so that it runs nothing of this repository's.
pub(super) struct Repository {
    /// Settings by their full names.
    pub(super) overrides: Vec<(String, &'static str)>,
    /// The tree to read attributes from.
    pub(super) empty_tree: &'static str,
    /// Only of a linked worktree.
    pub(super) linked: Option<Linked>,
}

/// Where a linked worktree has its repository, as real paths.
pub(super) struct Linked {
    /// The worktree's own git directory.
    pub(super) own: PathBuf,
    /// The one that it shares.
    pub(super) common: PathBuf,
}

/// Looks at the repository at the workspace root.
///
/// # Errors
/// `FILE_NOT_FOUND` where there is none; `PERMISSION_DENIED`, saying why, where it leads elsewhere or its configuration
/// cannot be made safe.
pub(super) fn inspect(workspace: &Workspace) -> Result<Repository, CallError> {
    let directories = workspace.git_directories()?;
    let linked =
        directories.linked().map(|(own, common)| Linked { own: own.to_owned(), common: common.to_owned() });
    let mut repository = Repository { overrides: Vec::new(), empty_tree: EMPTY_TREE_SHA1, linked };
    for directory in directories.each() {
        refuse_elsewhere(directory)?;
        waiting::refuse_in_repository(directory)?;
        for name in CONFIG_FILES {
            let Some(bytes) = directory.read(name, MAX_CONFIG_BYTES)? else { continue };
            let entries = parse(&bytes).map_err(|line| {
                refused(&format!(
                    "its configuration has a form that is not read, in line {line} of {}",
                    directory.shown(name)
                ))
            })?;
            for entry in &entries {
                repository.take(entry)?;
            }
        }
    }
    repository.overrides.sort_unstable();
    repository.overrides.dedup();
    if repository.overrides.len() > MAX_OVERRIDES {
        return Err(refused("its configuration names too many programs"));
    }
    Ok(repository)
}

impl Repository {
    fn take(&mut self, entry: &ConfigEntry) -> Result<(), CallError> {
        let has_subsection = !entry.subsection.is_empty();
        let neutral: &[(&str, &'static str)] = match entry.section.as_str() {
            "include" | "includeif" => return Err(refused("its configuration includes other files")),
            "filter" if has_subsection => {
                &[("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")]
            }
            "diff" if has_subsection => &[("command", ""), ("textconv", "")],
            "merge" if has_subsection => &[("driver", "")],
            "hook" if has_subsection => &[("command", ""), ("enabled", "false")],
            "remote" if has_subsection => &[("promisor", "false"), ("vcs", "")],
            "extensions" if entry.key == "objectformat" && entry.value.eq_ignore_ascii_case("sha256") => {
                self.empty_tree = EMPTY_TREE_SHA256;
                &[]
            }
            _ => &[],
        };
        self.overrides.extend(neutral.iter().map(|(key, value)| (entry.beside(key), *value)));
        Ok(())
    }
}

/// Refuses a repository whose objects or configuration lie in another directory.
fn refuse_elsewhere(directory: &GitDirectory<'_>) -> Result<(), CallError> {
    let links = directory.entries(".")?.into_iter().filter(|entry| entry.kind == FileKind::Link);
    let mut links: Vec<String> = links.map(|entry| entry.shown()).collect();
    for name in LINK_FREE {
        let below = directory.entries(name)?.into_iter().filter(|entry| entry.kind == FileKind::Link);
        links.extend(below.map(|entry| format!("{name}/{}", entry.shown())));
    }
    if let Some(link) = links.first() {
        return Err(refused(&format!("{} is a symbolic link", directory.shown(link))));
    }
    // Which directory a linked worktree shares was proved before, and git is told.
    let leading: &[&str] =
        if directory.is_own_of_worktree() { &[ALTERNATES] } else { &[ALTERNATES, "commondir"] };
    for name in leading {
        if directory.read(name, MAX_CONFIG_BYTES)?.is_some_and(|content| !content.trim_ascii().is_empty()) {
            return Err(refused(&format!("{} leads to another git directory", directory.shown(name))));
        }
    }
    Ok(())
}

pub(super) fn refused(reason: &str) -> CallError {
    CallError::new(ErrorCode::PermissionDenied, format!("git is not run on this repository: {reason}"))
        .with_hint("a person can look at the repository and remove what is named")
}
