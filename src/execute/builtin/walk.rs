//! Going through the workspace below a directory, by handles, as ignore files allow.

use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::code::CallError;
use crate::workspace::{Access, Entry, FileKind, OpenedDirectory, WorkspacePath};

use super::BuiltinContext;

/// Most entries looked at in one walk.
const MAX_ENTRIES: usize = 500_000;
/// Most levels of directories below the start; each holds one handle.
const MAX_DEPTH: usize = 64;
/// Most bytes of an ignore file that are read.
const MAX_IGNORE_BYTES: u64 = 1 << 20;
/// The ignore files, the stronger first: a rule in any `.ignore` beats one in any `.gitignore`.
const IGNORE_FILES: [&str; 2] = [".ignore", ".gitignore"];

/// What a walk could not see.
#[derive(Debug, Default)]
pub(super) struct Unseen {
    /// Directories that could not be read.
    pub(super) directories: u64,
    /// Whether the walk ended at its bound of entries or depth.
    pub(super) bounded: bool,
}

impl Unseen {
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.directories > 0 {
            warnings.push(format!("{} directories could not be read", self.directories));
        }
        if self.bounded {
            warnings.push(format!("not all was looked at: over {MAX_ENTRIES} entries or {MAX_DEPTH} levels"));
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
/// workspace root down are respected; rules outside the workspace and inside `.git` are not read. Names that are not
/// UTF-8 are passed over, since no call could name them.
pub(super) fn walk<'a>(
    context: &BuiltinContext<'a>,
    start: OpenedDirectory<'a>,
    visit: &mut dyn FnMut(Visit<'_, 'a>) -> Result<ControlFlow<()>, CallError>,
) -> Result<Unseen, CallError> {
    let mut unseen = Unseen::default();
    let mut seen = 0;
    let mut rules = Rules::above(context, start.path());
    let Some(level) = Level::enter(start, &mut rules, &mut seen, &mut unseen) else { return Ok(unseen) };
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
                    levels.extend(Level::enter(below, &mut rules, &mut seen, &mut unseen));
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
    fn enter(
        directory: OpenedDirectory<'w>,
        rules: &mut Rules,
        seen: &mut usize,
        unseen: &mut Unseen,
    ) -> Option<Self> {
        let Ok((mut entries, more)) = directory.entries(MAX_ENTRIES.saturating_sub(*seen)) else {
            unseen.directories += 1;
            return None;
        };
        *seen += entries.len();
        unseen.bounded |= more;
        rules.enter(&directory, &entries);
        entries.reverse();
        Some(Self { directory, entries })
    }
}

/// The ignore rules of the directories from the root to where the walk is, outermost first.
struct Rules {
    levels: Vec<(WorkspacePath, [Option<Gitignore>; IGNORE_FILES.len()])>,
}

impl Rules {
    /// The rules of the directories above `start`.
    fn above(context: &BuiltinContext<'_>, start: &WorkspacePath) -> Self {
        let mut rules = Self { levels: Vec::new() };
        let mut path = WorkspacePath::root();
        for part in start.parts() {
            if let Ok(directory) = context.workspace.open_directory(&path) {
                let files = IGNORE_FILES.map(|name| {
                    let file = context.workspace.open_file(&path.child(name)).ok()?;
                    parse(file.file())
                });
                rules.levels.push((directory.path().clone(), files));
            }
            path = path.child(part);
        }
        rules
    }

    fn enter(&mut self, directory: &OpenedDirectory<'_>, entries: &[Entry]) {
        let files = IGNORE_FILES.map(|name| {
            let at = entries.binary_search_by(|entry| entry.name().unwrap_or_default().cmp(name)).ok();
            // Names that are not UTF-8 sort apart from the ones compared with, so a miss is checked the slow way.
            let entry = at
                .and_then(|at| entries.get(at))
                .or_else(|| entries.iter().find(|entry| entry.name() == Some(name)))?;
            parse(directory.file(entry).ok()?.file())
        });
        self.levels.push((directory.path().clone(), files));
    }

    fn leave(&mut self) {
        self.levels.pop();
    }

    fn ignore(&self, path: &WorkspacePath, is_directory: bool) -> bool {
        for file in 0..IGNORE_FILES.len() {
            for (level, files) in self.levels.iter().rev() {
                let Some(Some(rules)) = files.get(file) else { continue };
                let below =
                    path.as_str().get(level.as_str().len()..).unwrap_or_default().trim_start_matches('/');
                match rules.matched(Path::new(below), is_directory) {
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                    Match::None => {}
                }
            }
        }
        false
    }
}

/// Reads an ignore file; a line that is no glob is passed over, as git does.
fn parse(file: &std::fs::File) -> Option<Gitignore> {
    let mut text = Vec::new();
    file.take(MAX_IGNORE_BYTES).read_to_end(&mut text).ok()?;
    let mut builder = GitignoreBuilder::new("");
    for line in String::from_utf8_lossy(&text).trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}
