//! Opening what is in the workspace, through handles.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use rustix::fs::{AtFlags, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::code::{CallError, ErrorCode};

use super::directory::open_listable;
use super::in_use::InUse;
use super::linked::Linked;
use super::locate::{LastLink, Location, locate};
use super::protected::IN_USE;
use super::{Access, FileKind, OpenedDirectory, Protected, WorkspacePath, fault};

/// How often opening starts over when what a path names is swapped meanwhile.
const MAX_ATTEMPTS: usize = 8;

/// What a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link; seen only where links are not followed.
    Link,
    /// A FIFO, a socket or a device.
    Other,
}

/// An open workspace.
///
/// Every operation walks from the handle of the root, one name at a time, so that nothing which is swapped while it
/// runs leads out of the workspace or to a protected file. Mount points inside the workspace belong to it.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    protected: Protected,
    handle: OwnedFd,
    pub(super) in_use: InUse,
    pub(super) linked: RwLock<Option<Arc<Linked>>>,
}

/// A regular file of the workspace, open for reading.
#[derive(Debug)]
pub struct OpenedFile {
    file: File,
    path: WorkspacePath,
    stat: Stat,
}

impl OpenedFile {
    /// The file.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The path, links followed.
    #[must_use]
    pub fn path(&self) -> &WorkspacePath {
        &self.path
    }

    /// The size in bytes when it was opened.
    #[must_use]
    pub fn size(&self) -> u64 {
        u64::try_from(self.stat.st_size).unwrap_or(0)
    }

    pub(super) fn stat(&self) -> &Stat {
        &self.stat
    }
}

impl Workspace {
    /// Opens `root`, which becomes its real path.
    ///
    /// # Errors
    /// When it is not a directory that can be opened.
    pub fn open(root: &Path, protected: Protected) -> io::Result<Self> {
        let root = root.canonicalize()?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = rustix::fs::open(&root, flags, Mode::empty())?;
        let in_use = InUse::new(&root, &protected);
        Ok(Self { root, protected, handle, in_use, linked: RwLock::default() })
    }

    /// The real path of the root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The protected places.
    #[must_use]
    pub fn protected(&self) -> &Protected {
        &self.protected
    }

    /// Follows symbolic links inside the workspace and returns the path that was reached, or where it would be.
    ///
    /// # Errors
    /// `PATH_OUTSIDE_WORKSPACE` where a link leaves, `PERMISSION_DENIED` where the path reached is protected.
    pub fn resolve(&self, path: &WorkspacePath) -> Result<WorkspacePath, CallError> {
        self.resolve_for(path, Access::Read)
    }

    /// As [`Workspace::resolve`], also refusing what is protected from this access only.
    ///
    /// # Errors
    /// As [`Workspace::resolve`].
    pub fn resolve_for(&self, path: &WorkspacePath, access: Access) -> Result<WorkspacePath, CallError> {
        self.reach(path, LastLink::Follow, access)
    }

    /// As [`Workspace::resolve`] for a name to act on: a link in the last place is not followed, since it is meant itself.
    ///
    /// # Errors
    /// As [`Workspace::resolve`].
    pub fn resolve_entry(&self, path: &WorkspacePath) -> Result<WorkspacePath, CallError> {
        self.reach(path, LastLink::Keep, Access::Read)
    }

    /// The place inside the workspace that the link `path` leads to, protected or not; `None` where it is no link, or leads
    /// out or nowhere.
    #[must_use]
    pub fn link_target(&self, path: &WorkspacePath) -> Option<WorkspacePath> {
        let target = locate(self.handle.as_fd(), path, LastLink::Follow, &mut Vec::new()).ok()?.path();
        (target != *path).then_some(target)
    }

    fn reach(
        &self,
        path: &WorkspacePath,
        last: LastLink,
        access: Access,
    ) -> Result<WorkspacePath, CallError> {
        self.reached(self.locate(path, last, access)?)
    }

    /// As [`Workspace::resolve_for`], going by what was looked at before.
    pub(super) fn resolve_as_known(
        &self,
        path: &WorkspacePath,
        access: Access,
    ) -> Result<WorkspacePath, CallError> {
        self.reached(self.locate_as_known(path, LastLink::Follow, access)?)
    }

    fn reached(&self, location: Location) -> Result<WorkspacePath, CallError> {
        let reached = location.path();
        if let Location::Entry(entry) = &location {
            self.check_identity(&reached, entry.stat.as_ref())?;
        }
        Ok(reached)
    }

    /// What the path names, links followed inside the workspace; `None` where there is nothing.
    ///
    /// # Errors
    /// As [`Workspace::resolve`].
    pub fn kind(&self, path: &WorkspacePath) -> Result<Option<EntryKind>, CallError> {
        self.kind_of(path, LastLink::Follow)
    }

    /// What has this name, a link in the last place not followed; `None` where nothing has.
    ///
    /// # Errors
    /// As [`Workspace::resolve`].
    pub fn entry_kind(&self, path: &WorkspacePath) -> Result<Option<EntryKind>, CallError> {
        self.kind_of(path, LastLink::Keep)
    }

    fn kind_of(&self, path: &WorkspacePath, last: LastLink) -> Result<Option<EntryKind>, CallError> {
        let location = self.locate(path, last, Access::Read)?;
        let entry = match location {
            Location::Root => return Ok(Some(EntryKind::Directory)),
            Location::Beyond(_) => return Ok(None),
            Location::Entry(entry) => entry,
        };
        self.check_identity(&entry.path, entry.stat.as_ref())?;
        Ok(entry.stat.map(|stat| match FileKind::of(&stat) {
            FileKind::File => EntryKind::File,
            FileKind::Directory => EntryKind::Directory,
            FileKind::Link => EntryKind::Link,
            FileKind::Fifo | FileKind::Socket | FileKind::Device | FileKind::Unknown => EntryKind::Other,
        }))
    }

    /// Opens a regular file for reading, links followed inside the workspace. A FIFO or device is never waited for.
    ///
    /// # Errors
    /// As [`Workspace::resolve`]; `FILE_NOT_FOUND` where nothing is there, or something that is not a regular file.
    pub fn open_file(&self, path: &WorkspacePath) -> Result<OpenedFile, CallError> {
        self.retried(path, || match self.locate(path, LastLink::Follow, Access::Read)? {
            Location::Root => Err(fault::wrong_kind(path, FileKind::Directory, "a regular file")),
            Location::Beyond(beyond) => {
                Err(missing(path, beyond.obstacle, &beyond.deepest_path, &beyond.names))
            }
            Location::Entry(entry) => {
                if entry.stat.is_none() {
                    return Err(fault::not_found(path));
                }
                open_regular(self, entry.parent.as_fd(), entry.name.as_str(), entry.path)
            }
        })
    }

    /// Opens a directory for listing, links followed inside the workspace.
    ///
    /// # Errors
    /// As [`Workspace::resolve`]; `FILE_NOT_FOUND` where nothing is there, or something that is not a directory.
    pub fn open_directory(&self, path: &WorkspacePath) -> Result<OpenedDirectory<'_>, CallError> {
        self.retried(path, || {
            let location = self.locate(path, LastLink::Follow, Access::Read)?;
            let reached = location.path();
            let opened = match location {
                Location::Root => open_listable(&self.handle, "."),
                Location::Beyond(beyond) => {
                    return Err(missing(path, beyond.obstacle, &beyond.deepest_path, &beyond.names));
                }
                Location::Entry(entry) => match entry.stat.as_ref().map(FileKind::of) {
                    None => return Err(fault::not_found(path)),
                    Some(FileKind::Directory) => open_listable(&entry.parent, entry.name.as_str()),
                    Some(kind) => return Err(fault::wrong_kind(path, kind, "a directory")),
                },
            };
            match opened {
                Ok(handle) => Ok(OpenedDirectory { workspace: self, handle, path: reached }),
                Err(Errno::LOOP | Errno::NOTDIR) => Err(fault::changed(path)),
                Err(errno) => Err(fault::failed(path, "listed", errno)),
            }
        })
    }

    /// Finds what a path names, and checks that it is not protected: neither under the name that was reached nor under one
    /// that was passed on the way there.
    pub(super) fn locate(
        &self,
        path: &WorkspacePath,
        last: LastLink,
        access: Access,
    ) -> Result<Location, CallError> {
        if access == Access::Write {
            self.look_for_links();
        }
        self.locate_as_known(path, last, access)
    }

    /// As [`Workspace::locate`], going by what was looked at before: for one of several paths of one piece of work.
    pub(super) fn locate_as_known(
        &self,
        path: &WorkspacePath,
        last: LastLink,
        access: Access,
    ) -> Result<Location, CallError> {
        self.check(path, access)?;
        let mut passed = Vec::new();
        let location = locate(self.handle.as_fd(), path, last, &mut passed)?;
        passed.iter().try_for_each(|spelling| self.check(spelling, access))?;
        self.check(&location.path(), access)?;
        Ok(location)
    }

    /// Denies a file in use that was reached under another name.
    pub(super) fn check_identity(&self, path: &WorkspacePath, stat: Option<&Stat>) -> Result<(), CallError> {
        match stat {
            Some(stat) if self.in_use.is(stat) => Err(fault::protected(path, IN_USE)),
            _ => Ok(()),
        }
    }

    /// Starts over while what the path names is being swapped.
    fn retried<T>(
        &self,
        path: &WorkspacePath,
        attempt: impl Fn() -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        for _ in 0..MAX_ATTEMPTS {
            match attempt() {
                Err(error) if error.code == ErrorCode::PreconditionFailed => {}
                result => return result,
            }
        }
        Err(fault::changed(path))
    }
}

pub(super) fn root_handle(workspace: &Workspace) -> BorrowedFd<'_> {
    workspace.handle.as_fd()
}

/// Opens the regular file `name` in `parent`, without following a link and without waiting.
///
/// # Errors
/// `FILE_NOT_FOUND` where it is of another kind; `PERMISSION_DENIED` where it is a file in use under another name;
/// `PRECONDITION_FAILED` where a link took its place meanwhile.
pub(super) fn open_regular<P: rustix::path::Arg + Copy>(
    workspace: &Workspace,
    parent: BorrowedFd<'_>,
    name: P,
    path: WorkspacePath,
) -> Result<OpenedFile, CallError> {
    let failed = |errno| match errno {
        Errno::LOOP => fault::changed(&path),
        _ => fault::failed(&path, "read", errno),
    };
    // Looked at before it is opened, since merely opening some devices has effects, and after, since it may be swapped.
    let before = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?;
    match FileKind::of(&before) {
        FileKind::File => {}
        FileKind::Link => return Err(fault::changed(&path)),
        kind => return Err(fault::wrong_kind(&path, kind, "a regular file")),
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(parent, name, flags, Mode::empty()).map_err(failed)?);
    let stat = rustix::fs::fstat(&file).map_err(failed)?;
    match FileKind::of(&stat) {
        FileKind::File => {}
        kind => return Err(fault::wrong_kind(&path, kind, "a regular file")),
    }
    workspace.check_identity(&path, Some(&stat))?;
    Ok(OpenedFile { file, path, stat })
}

/// The error for a path that ends beyond what is there.
fn missing(
    path: &WorkspacePath,
    obstacle: Option<FileKind>,
    deepest: &WorkspacePath,
    names: &[String],
) -> CallError {
    let Some(first) = names.first() else { return fault::not_found(path) };
    let part = deepest.child(first);
    match obstacle {
        Some(kind) => fault::wrong_kind(&part, kind, "a directory"),
        None => {
            CallError::new(ErrorCode::FileNotFound, format!("`{path}` does not exist: there is no `{part}`"))
                .with_hint("list the directory to see what is there")
        }
    }
}

#[cfg(test)]
mod tests;
