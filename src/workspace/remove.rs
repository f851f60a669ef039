//! Deleting, and looking through a directory before it is deleted or moved as a whole.

use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Stat};

use crate::code::{CallError, ErrorCode};

use super::directory::{link_text, open_listable};
use super::locate::{EntryLocation, LastLink, Location};
use super::tree::open_regular;
use super::write::sync_directory;
use super::{Access, FileKind, OpenedDirectory, OpenedFile, Workspace, WorkspacePath, fault};

/// Most entries of a directory that is moved or deleted as a whole.
const MAX_ENTRIES: u64 = 200_000;
/// Most levels of directories below one that is moved or deleted as a whole.
const MAX_DEPTH: usize = 128;

/// Says whether an entry may be taken along.
pub type Permits<'p> = dyn Fn(&WorkspacePath, Option<&WorkspacePath>) -> Result<(), CallError> + 'p;

/// What has a say while a folder is gone through that is moved or deleted as a whole.
#[derive(Clone, Copy)]
pub struct Passage<'p> {
    /// Whether an entry may be taken along: asked with its path and, in a move, the path that it would get.
    pub permits: &'p Permits<'p>,
    /// Whether to go on: asked between entries.
    pub keep_going: &'p dyn Fn() -> Result<(), CallError>,
}

/// What is about to be deleted: found, permitted and held by its directory's handle.
#[derive(Debug)]
pub struct RemovalTarget<'w> {
    workspace: &'w Workspace,
    entry: EntryLocation,
    stat: Stat,
}

/// What a deletion took away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removal {
    /// Files, links and other entries that are not directories.
    pub files: u64,
    /// Directories.
    pub directories: u64,
}

/// An entry that a survey came to.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'s> {
    /// The path, odd bytes escaped.
    pub path: &'s WorkspacePath,
    /// What it is.
    pub kind: FileKind,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last written, in seconds and nanoseconds since the epoch.
    pub modified: (i64, i64),
    /// Where a symbolic link points, as it is written in it, escaped.
    pub target: Option<&'s str>,
}

impl Workspace {
    /// Finds what a deletion of `path` would take away. A link in the last place is not followed: it goes itself.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for the root, `FILE_NOT_FOUND`, `PERMISSION_DENIED` for what is protected.
    pub fn removal_target(&self, path: &WorkspacePath) -> Result<RemovalTarget<'_>, CallError> {
        match self.locate(path, LastLink::Keep, Access::Write)? {
            Location::Root => {
                Err(CallError::new(ErrorCode::InvalidArguments, "the workspace root cannot be deleted"))
            }
            Location::Beyond(_) => Err(fault::not_found(path)),
            Location::Entry(entry) => match entry.stat {
                None => Err(fault::not_found(path)),
                Some(stat) => {
                    self.check_identity(&entry.path, Some(&stat))?;
                    if FileKind::of(&stat) == FileKind::Link {
                        self.check_link(&entry.path)?;
                    }
                    Ok(RemovalTarget { workspace: self, entry, stat })
                }
            },
        }
    }
}

impl RemovalTarget<'_> {
    /// The path, links before the last place followed.
    #[must_use]
    pub fn path(&self) -> &WorkspacePath {
        &self.entry.path
    }

    /// What is there.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        FileKind::of(&self.stat)
    }

    /// Its size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        size(&self.stat)
    }

    /// When it was last written, in seconds and nanoseconds since the epoch.
    #[must_use]
    pub fn modified(&self) -> (i64, i64) {
        modified(&self.stat)
    }

    /// Where a symbolic link points, as it is written in it, escaped; `None` where it is none.
    #[must_use]
    pub fn link_text(&self) -> Option<String> {
        link_text(self.entry.parent.as_fd(), self.entry.name.as_str())
    }

    /// Opens the file that would be deleted.
    ///
    /// # Errors
    /// As [`Workspace::open_file`].
    pub fn open(&self) -> Result<OpenedFile, CallError> {
        open_regular(
            self.workspace,
            self.entry.parent.as_fd(),
            self.entry.name.as_str(),
            self.entry.path.clone(),
        )
    }

    /// Calls `see` with every entry below the directory, in order, and checks that none is protected and all are permitted.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` naming a protected file in it; what `passage` says; `EXECUTION_FAILED` where it is too large to
    /// look through.
    pub fn survey(&self, see: &mut dyn FnMut(Seen<'_>), passage: Passage<'_>) -> Result<Removal, CallError> {
        Subtree::of_directory(self.workspace, &self.entry)?.walk(None, see, passage)
    }

    /// Deletes it, a directory with everything in it; links in it are removed, not followed.
    ///
    /// Returns a remark where the change could not be synced.
    ///
    /// # Errors
    /// As [`RemovalTarget::survey`], before anything is deleted. `OUTCOME_UNKNOWN`, saying how much went, where the
    /// system refuses or `passage` ends it half-way.
    pub fn remove(self, passage: Passage<'_>) -> Result<(Removal, Option<&'static str>), CallError> {
        let mut done = Removal::default();
        let name = self.entry.name.as_str();
        let path = &self.entry.path;
        let flags = if self.kind() == FileKind::Directory {
            let subtree = Subtree::of_directory(self.workspace, &self.entry)?;
            subtree.guard(None, passage)?;
            subtree.clear(&mut done, passage).map_err(|error| partly(error, path, done))?;
            AtFlags::REMOVEDIR
        } else {
            (passage.keep_going)()?;
            AtFlags::empty()
        };
        rustix::fs::unlinkat(&self.entry.parent, name, flags)
            .map_err(|errno| partly(fault::failed(path, "deleted", errno), path, done))?;
        done.count(flags == AtFlags::REMOVEDIR);
        Ok((done, sync_directory(self.entry.parent.as_fd())))
    }
}

impl Removal {
    fn count(&mut self, is_directory: bool) {
        if is_directory { self.directories += 1 } else { self.files += 1 }
    }

    /// How many entries in all.
    #[must_use]
    pub fn entries(self) -> u64 {
        self.files + self.directories
    }
}

/// An error after part of the work was done is no proof that nothing happened.
fn partly(error: CallError, path: &WorkspacePath, done: Removal) -> CallError {
    if done.entries() == 0 {
        return error;
    }
    CallError::new(
        ErrorCode::OutcomeUnknown,
        format!("`{path}` is deleted in part ({} of its entries): {}", done.entries(), error.message),
    )
    .with_hint("list what is left before deciding what to do")
}

/// A directory with everything below it.
pub(super) struct Subtree<'w> {
    top: OpenedDirectory<'w>,
}

impl<'w> Subtree<'w> {
    pub(super) fn of_directory(workspace: &'w Workspace, entry: &EntryLocation) -> Result<Self, CallError> {
        let handle = open_listable(&entry.parent, entry.name.as_str())
            .map_err(|errno| fault::failed(&entry.path, "listed", errno))?;
        Ok(Self { top: OpenedDirectory { workspace, handle, path: entry.path.clone() } })
    }

    /// Checks that nothing below is protected, under its present name and under the one below `moved_to`, and that all of
    /// it may be taken along.
    pub(super) fn guard(
        &self,
        moved_to: Option<&WorkspacePath>,
        passage: Passage<'_>,
    ) -> Result<(), CallError> {
        self.walk(moved_to, &mut |_| {}, passage).map(|_| ())
    }

    fn walk(
        &self,
        moved_to: Option<&WorkspacePath>,
        see: &mut dyn FnMut(Seen<'_>),
        passage: Passage<'_>,
    ) -> Result<Removal, CallError> {
        let mut seen = Removal { files: 0, directories: 1 };
        let new_path = moved_to.cloned();
        let mut pending = vec![(Level::open(&self.top, &seen)?, new_path)];
        while let Some((level, new_path)) = pending.last_mut() {
            let Some(entry) = level.entries.pop() else {
                pending.pop();
                continue;
            };
            (passage.keep_going)()?;
            let shown = entry.shown();
            let path = level.path.child(entry.name().unwrap_or(&shown));
            let new_path = new_path.as_ref().map(|new| new.child(entry.name().unwrap_or(&shown)));
            self.check_taken(&path, new_path.as_ref())?;
            (passage.permits)(&path, new_path.as_ref())?;
            let Some(stat) = stat_in(&level.handle, &entry.raw) else { continue };
            let kind = FileKind::of(&stat);
            let mut target = None;
            if kind == FileKind::Link {
                self.check_taken_link(&path, new_path.as_ref())?;
                permit_target(level, &path, &entry, new_path.as_ref(), passage)?;
                target = link_text(level.handle.as_fd(), entry.raw.as_c_str());
            } else {
                self.top.workspace.check_identity(&path, Some(&stat))?;
            }
            seen.count(kind == FileKind::Directory);
            see(Seen {
                path: &path,
                kind,
                size: size(&stat),
                modified: modified(&stat),
                target: target.as_deref(),
            });
            if kind == FileKind::Directory {
                let handle = open_listable(&level.handle, entry.raw.as_c_str())
                    .map_err(|errno| fault::failed(&path, "listed", errno))?;
                let below = OpenedDirectory { workspace: self.top.workspace, handle, path };
                if pending.len() >= MAX_DEPTH {
                    return Err(too_large(&self.top.path));
                }
                let level = Level::take(below, &seen)?;
                pending.push((level, new_path));
            }
        }
        Ok(seen)
    }

    /// Checks that an entry below is not protected under its old or its new name. What only must not be written goes along:
    /// it keeps its own name.
    fn check_taken(&self, path: &WorkspacePath, new_path: Option<&WorkspacePath>) -> Result<(), CallError> {
        let mut names = std::iter::once(path).chain(new_path);
        names.try_for_each(|name| self.top.workspace.check(name, Access::Read))
    }

    fn check_taken_link(
        &self,
        path: &WorkspacePath,
        new_path: Option<&WorkspacePath>,
    ) -> Result<(), CallError> {
        let mut names = std::iter::once(path).chain(new_path);
        names.try_for_each(|name| self.top.workspace.check_link(name))
    }

    /// Deletes everything below, checking each name again as it goes.
    fn clear(&self, done: &mut Removal, passage: Passage<'_>) -> Result<(), CallError> {
        let mut pending = vec![Level::open(&self.top, done)?];
        let mut names: Vec<std::ffi::CString> = Vec::new();
        while let Some(level) = pending.last_mut() {
            let Some(entry) = level.entries.pop() else {
                pending.pop();
                if let (Some(parent), Some(name)) = (pending.last(), names.pop()) {
                    rustix::fs::unlinkat(&parent.handle, &name, AtFlags::REMOVEDIR)
                        .map_err(|errno| fault::failed(&parent.path, "emptied", errno))?;
                    done.count(true);
                }
                continue;
            };
            (passage.keep_going)()?;
            let shown = entry.shown();
            let path = level.path.child(entry.name().unwrap_or(&shown));
            self.check_taken(&path, None)?;
            (passage.permits)(&path, None)?;
            if entry.kind == FileKind::Link {
                self.check_taken_link(&path, None)?;
                permit_target(level, &path, &entry, None, passage)?;
            }
            if entry.kind == FileKind::Directory {
                let handle = open_listable(&level.handle, entry.raw.as_c_str())
                    .map_err(|errno| fault::failed(&path, "deleted", errno))?;
                if pending.len() >= MAX_DEPTH {
                    return Err(too_large(&self.top.path));
                }
                let below = OpenedDirectory { workspace: self.top.workspace, handle, path };
                pending.push(Level::take(below, done)?);
                names.push(entry.raw);
            } else {
                rustix::fs::unlinkat(&level.handle, entry.raw.as_c_str(), AtFlags::empty())
                    .map_err(|errno| fault::failed(&path, "deleted", errno))?;
                done.count(false);
            }
        }
        Ok(())
    }
}

/// A directory that is being gone through, its entries still to come in reverse order.
struct Level<'w> {
    workspace: &'w Workspace,
    handle: OwnedFd,
    path: WorkspacePath,
    entries: Vec<super::Entry>,
}

impl<'w> Level<'w> {
    fn open(directory: &OpenedDirectory<'w>, seen: &Removal) -> Result<Self, CallError> {
        let handle = open_listable(&directory.handle, ".")
            .map_err(|errno| fault::failed(&directory.path, "listed", errno))?;
        Self::take(
            OpenedDirectory { workspace: directory.workspace, handle, path: directory.path.clone() },
            seen,
        )
    }

    fn take(directory: OpenedDirectory<'w>, seen: &Removal) -> Result<Self, CallError> {
        let most = usize::try_from(MAX_ENTRIES.saturating_sub(seen.entries())).unwrap_or(0);
        let (mut entries, more) = directory.entries(most)?;
        if more {
            return Err(too_large(&directory.path));
        }
        entries.reverse();
        Ok(Self { workspace: directory.workspace, handle: directory.handle, path: directory.path, entries })
    }
}

/// Asks about the place that a link leads to as about the link: a call that names the link is decided about both.
fn permit_target(
    level: &Level<'_>,
    path: &WorkspacePath,
    entry: &super::Entry,
    new_path: Option<&WorkspacePath>,
    passage: Passage<'_>,
) -> Result<(), CallError> {
    let place = match entry.name() {
        Some(_) => level.workspace.link_target(path),
        // No path names such a link, but one may name what it leads to.
        None => rustix::fs::readlinkat(&level.handle, &entry.raw, Vec::new())
            .ok()
            .and_then(|target| target.into_string().ok())
            .filter(|target| !target.starts_with('/'))
            .and_then(|target| WorkspacePath::parse(&format!("./{}/{target}", level.path.as_str())).ok())
            .map(|place| level.workspace.link_target(&place).unwrap_or(place)),
    };
    place.map_or(Ok(()), |place| (passage.permits)(&place, new_path))
}

fn stat_in(directory: &OwnedFd, name: &CStr) -> Option<Stat> {
    rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok()
}

fn size(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

#[expect(clippy::useless_conversion, reason = "the widths differ between systems")]
fn modified(stat: &Stat) -> (i64, i64) {
    (i64::try_from(stat.st_mtime).unwrap_or(i64::MAX), i64::try_from(stat.st_mtime_nsec).unwrap_or(0))
}

fn too_large(path: &WorkspacePath) -> CallError {
    CallError::new(
        ErrorCode::ExecutionFailed,
        format!("`{path}` is too large to be moved or deleted as a whole: over {MAX_ENTRIES} entries or {MAX_DEPTH} levels"),
    )
    .with_hint("take its parts one by one")
}
