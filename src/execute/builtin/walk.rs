//! Going through the workspace below a directory, by handles, as ignore files allow.

use std::ops::ControlFlow;

use crate::code::CallError;
use crate::workspace::{Access, Entry, FileKind, OpenedDirectory, WorkspacePath};

use super::BuiltinContext;
use super::ignored::{self, Rules};
use super::text::counted;

/// Most entries looked at in one walk.
const MAX_ENTRIES: usize = 500_000;
/// Most levels of directories below the start; each holds one handle.
const MAX_DEPTH: usize = 64;

/// What a walk could not see.
#[derive(Debug, Default)]
pub(super) struct Unseen {
    /// Directories that could not be read.
    pub(super) directories: u64,
    /// Whether the walk ended at its bound of entries or depth.
    pub(super) bounded: bool,
    /// Ignore files that were not obeyed: what they name is among what was looked at.
    pub(super) ignore_files: u64,
}

impl Unseen {
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.directories > 0 {
            warnings
                .push(format!("{} could not be read", counted(self.directories, "directory", "directories")));
        }
        if self.bounded {
            warnings.push(format!("not all was looked at: over {MAX_ENTRIES} entries or {MAX_DEPTH} levels"));
        }
        if self.ignore_files > 0 {
            let files = counted(self.ignore_files, "ignore file was", "ignore files were");
            warnings.push(format!("{files} not obeyed: {}", ignored::BOUNDS));
        }
        warnings
    }
}

/// A file or link that a walk came to.
pub(super) struct Visit<'v, 'w> {
    pub(super) directory: &'v OpenedDirectory<'w>,
    pub(super) entry: &'v Entry,
    pub(super) path: WorkspacePath,
}

/// Calls `visit` for every file and link below `start`, in order of their paths, until it breaks off.
///
/// Hidden files are visited, protected ones never; links are not followed. `.gitignore` and `.ignore` files from the
/// workspace root down are respected within bounds, beyond which [`Unseen`] says so; rules outside the workspace and inside `.git` are not read. Names that are not
/// UTF-8 are passed over, since no call could name them.
pub(super) fn walk<'a>(
    context: &BuiltinContext<'a>,
    start: OpenedDirectory<'a>,
    visit: &mut dyn FnMut(Visit<'_, 'a>) -> Result<ControlFlow<()>, CallError>,
) -> Result<Unseen, CallError> {
    let mut unseen = Unseen::default();
    let mut seen = 0;
    let mut rules = Rules::above(context, start.path())?;
    let Some(level) = Level::enter(context, start, &mut rules, &mut seen, &mut unseen)? else {
        return Ok(unseen);
    };
    let mut levels = vec![level];
    while let Some(level) = levels.last_mut() {
        context.cancel.check()?;
        let Some(entry) = level.entries.pop() else {
            levels.pop();
            rules.leave();
            continue;
        };
        let Some(name) = entry.name() else { continue };
        let path = level.directory.path().child(name);
        let is_directory = entry.kind == FileKind::Directory;
        if context.workspace.protection(&path, Access::Read).is_some() || rules.ignore(&path, is_directory) {
            continue;
        }
        match entry.kind {
            FileKind::Directory => match level.directory.directory(&entry) {
                Ok(below) if levels.len() < MAX_DEPTH => {
                    levels.extend(Level::enter(context, below, &mut rules, &mut seen, &mut unseen)?);
                }
                Ok(_) => unseen.bounded = true,
                Err(_) => unseen.directories += 1,
            },
            FileKind::File | FileKind::Link => {
                let flow = visit(Visit { directory: &level.directory, entry: &entry, path })?;
                if flow.is_break() {
                    break;
                }
            }
            FileKind::Fifo | FileKind::Socket | FileKind::Device | FileKind::Unknown => {}
        }
    }
    Ok(unseen)
}

/// A directory that is being gone through, its entries still to come in reverse order.
struct Level<'w> {
    directory: OpenedDirectory<'w>,
    entries: Vec<Entry>,
}

impl<'w> Level<'w> {
    /// Reads a directory and adds its rules; `None`, and no rules, where it cannot be read.
    ///
    /// # Errors
    /// When the call is cancelled or its deadline passes meanwhile.
    fn enter(
        context: &BuiltinContext<'_>,
        directory: OpenedDirectory<'w>,
        rules: &mut Rules,
        seen: &mut usize,
        unseen: &mut Unseen,
    ) -> Result<Option<Self>, CallError> {
        let most = MAX_ENTRIES.saturating_sub(*seen);
        let read = directory.entries_while(most, &|| context.cancel.check());
        context.cancel.check()?;
        let Ok((mut entries, more)) = read else {
            unseen.directories += 1;
            return Ok(None);
        };
        *seen += entries.len();
        unseen.bounded |= more;
        rules.enter(context, &directory, &entries)?;
        unseen.ignore_files = rules.not_obeyed;
        entries.reverse();
        Ok(Some(Self { directory, entries }))
    }
}
