//! Opening what is in the workspace, through handles.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::code::{CallError, ErrorCode};

use super::directory::open_listable;
use super::fold::fold;
use super::in_use::InUse;
use super::locate::{LastLink, Location, locate};
use super::protected::{IN_USE, by_folded_name, place_globs};
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
    /// A symbolic link, a FIFO, a socket or a device.
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
    in_use: InUse,
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
        Ok(Self { root, protected, handle, in_use })
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

    /// Checks that the path, links already followed, is not protected by its name.
    ///
    /// # Errors
    /// `PERMISSION_DENIED`, saying what it is.
    pub fn check(&self, path: &WorkspacePath, access: Access) -> Result<(), CallError> {
        match self.protection(path, access) {
            Some(what) => Err(fault::protected(path, what)),
            None => Ok(()),
        }
    }

    /// What protects this path by its name, links already followed; `None` where nothing does.
    #[must_use]
    pub fn protection(&self, path: &WorkspacePath, access: Access) -> Option<&'static str> {
        let parts: Vec<String> = path.parts().map(fold).collect();
        by_folded_name(&parts, access).or_else(|| self.in_use.covers(&parts).then_some(IN_USE))
    }

    /// As [`Workspace::protection`], for a path in bytes as a program names it, relative to the root.
    #[must_use]
    pub fn protection_of_bytes(&self, path: &[u8], access: Access) -> Option<&'static str> {
        let text = String::from_utf8_lossy(path);
        let parts = text.split('/').filter(|part| !matches!(*part, "" | "."));
        self.protection(&WorkspacePath::from_parts(parts), access)
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
        let location = self.locate(path, LastLink::Follow)?;
        let reached = location.path();
        self.check(&reached, access)?;
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
        let location = self.locate(path, LastLink::Follow)?;
        self.check(&location.path(), Access::Read)?;
        let entry = match location {
            Location::Root => return Ok(Some(EntryKind::Directory)),
            Location::Beyond(_) => return Ok(None),
            Location::Entry(entry) => entry,
        };
        self.check_identity(&entry.path, entry.stat.as_ref())?;
        Ok(entry.stat.map(|stat| match FileKind::of(&stat) {
            FileKind::File => EntryKind::File,
            FileKind::Directory => EntryKind::Directory,
            FileKind::Link | FileKind::Fifo | FileKind::Socket | FileKind::Device | FileKind::Unknown => {
                EntryKind::Other
            }
        }))
    }

    /// Opens a regular file for reading, links followed inside the workspace. A FIFO or device is never waited for.
    ///
    /// # Errors
    /// As [`Workspace::resolve`]; `FILE_NOT_FOUND` where nothing is there, or something that is not a regular file.
    pub fn open_file(&self, path: &WorkspacePath) -> Result<OpenedFile, CallError> {
        self.retried(path, || match self.locate(path, LastLink::Follow)? {
            Location::Root => Err(fault::wrong_kind(path, FileKind::Directory, "a regular file")),
            Location::Beyond(beyond) => {
                self.check(&beyond.path, Access::Read)?;
                Err(missing(path, beyond.obstacle, &beyond.deepest_path, &beyond.names))
            }
            Location::Entry(entry) => {
                self.check(&entry.path, Access::Read)?;
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
            let location = self.locate(path, LastLink::Follow)?;
            let reached = location.path();
            self.check(&reached, Access::Read)?;
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

    /// Globs, over paths from the root, of what is protected from reading: for programs that can be told to leave paths
    /// out. Case does not matter in them. Their answers are to be checked all the same.
    #[must_use]
    pub fn protected_globs(&self) -> Vec<String> {
        let fixed = place_globs();
        let in_use = self.in_use.below_root().map(|path| globset::escape(&path));
        fixed.chain(in_use).collect()
    }

    pub(super) fn locate(&self, path: &WorkspacePath, last: LastLink) -> Result<Location, CallError> {
        locate(self.handle.as_fd(), path, last)
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
