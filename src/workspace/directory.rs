//! Directories that are open, and what stands in them.

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};

use crate::code::{CallError, ErrorCode};

use super::tree::open_regular;
use super::{Access, OpenedFile, Workspace, WorkspacePath, fault};

/// What kind of thing a name stands for, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A device.
    Device,
    /// Something that the system does not name.
    Unknown,
}

impl FileKind {
    pub(super) fn of(stat: &Stat) -> Self {
        Self::from_type(FileType::from_raw_mode(stat.st_mode))
    }

    fn from_type(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Link,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice | FileType::BlockDevice => Self::Device,
            FileType::Unknown => Self::Unknown,
        }
    }

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Link => "symlink",
            Self::Fifo => "fifo",
            Self::Socket => "socket",
            Self::Device => "device",
            Self::Unknown => "unknown",
        }
    }

    pub(super) fn with_article(self) -> &'static str {
        match self {
            Self::File => "a regular file",
            Self::Directory => "a directory",
            Self::Link => "a symbolic link",
            Self::Fifo => "a FIFO",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Unknown => "of an unknown kind",
        }
    }
}

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub(super) raw: CString,
    /// What it stands for, links not followed.
    pub kind: FileKind,
}

impl Entry {
    /// The name, where it is UTF-8; only such a name can be written in a path.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.raw.to_str().ok()
    }

    /// The name for showing, with control characters and odd bytes escaped.
    #[must_use]
    pub fn shown(&self) -> String {
        match self.name() {
            Some(name) if !name.chars().any(char::is_control) => name.to_owned(),
            Some(name) => name.escape_debug().to_string(),
            None => self.raw.as_bytes().escape_ascii().to_string(),
        }
    }
}

/// A directory of the workspace that is open.
#[derive(Debug)]
pub struct OpenedDirectory<'w> {
    pub(super) workspace: &'w Workspace,
    pub(super) handle: OwnedFd,
    pub(super) path: WorkspacePath,
}

impl<'w> OpenedDirectory<'w> {
    /// The path, links followed.
    #[must_use]
    pub fn path(&self) -> &WorkspacePath {
        &self.path
    }

    /// The entries by name in byte order, and whether there are more than `most`, of which the rest was not read.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn entries(&self, most: usize) -> Result<(Vec<Entry>, bool), CallError> {
        self.entries_while(most, &|| Ok(()))
    }

    /// As [`OpenedDirectory::entries`], asking before each of them whether to go on: a directory may be huge, or slow.
    ///
    /// # Errors
    /// When the directory cannot be read, and what `keep_going` says.
    pub fn entries_while(
        &self,
        most: usize,
        keep_going: &dyn Fn() -> Result<(), CallError>,
    ) -> Result<(Vec<Entry>, bool), CallError> {
        let failed = |errno| fault::failed(&self.path, "listed", errno);
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.handle).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            keep_going()?;
            if matches!(entry.file_name().to_bytes(), b"." | b"..") {
                continue;
            }
            if entries.len() >= most {
                entries.sort_unstable_by(|a: &Entry, b: &Entry| a.raw.cmp(&b.raw));
                return Ok((entries, true));
            }
            let kind = match FileKind::from_type(entry.file_type()) {
                // Some file systems do not say it in the listing.
                FileKind::Unknown => {
                    self.stat(entry.file_name()).map_or(FileKind::Unknown, |stat| FileKind::of(&stat))
                }
                kind => kind,
            };
            entries.push(Entry { raw: entry.file_name().to_owned(), kind });
        }
        entries.sort_unstable_by(|a, b| a.raw.cmp(&b.raw));
        Ok((entries, false))
    }

    /// The size of a file in bytes; `None` where it went away.
    #[must_use]
    pub fn size(&self, entry: &Entry) -> Option<u64> {
        self.stat(&entry.raw).and_then(|stat| u64::try_from(stat.st_size).ok())
    }

    /// Where a symbolic link points, as written in it, escaped; `None` where it is none.
    #[must_use]
    pub fn link_target(&self, entry: &Entry) -> Option<String> {
        link_text(self.handle.as_fd(), entry.raw.as_c_str())
    }

    /// Opens a directory in this one. Links are not followed.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` where it is protected; else when it cannot be opened as a directory.
    pub fn directory(&self, entry: &Entry) -> Result<OpenedDirectory<'w>, CallError> {
        let path = self.child_path(entry)?;
        self.workspace.check(&path, Access::Read)?;
        let handle =
            open_listable(&self.handle, &entry.raw).map_err(|errno| fault::failed(&path, "listed", errno))?;
        Ok(OpenedDirectory { workspace: self.workspace, handle, path })
    }

    /// Opens a regular file in this directory. Links are not followed.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` where it is protected; else when it cannot be opened as a regular file.
    pub fn file(&self, entry: &Entry) -> Result<OpenedFile, CallError> {
        let path = self.child_path(entry)?;
        self.workspace.check(&path, Access::Read)?;
        open_regular(self.workspace, self.handle.as_fd(), entry.raw.as_c_str(), path)
    }

    pub(super) fn stat(&self, name: &std::ffi::CStr) -> Option<Stat> {
        rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok()
    }

    fn child_path(&self, entry: &Entry) -> Result<WorkspacePath, CallError> {
        entry.name().map(|name| self.path.child(name)).ok_or_else(|| {
            CallError::new(ErrorCode::FileNotFound, format!("the name `{}` is not UTF-8", entry.shown()))
        })
    }
}

/// Where a symbolic link points, as it is written in it, escaped; `None` where it is none.
pub(super) fn link_text<P: rustix::path::Arg>(directory: BorrowedFd<'_>, name: P) -> Option<String> {
    let target = rustix::fs::readlinkat(directory, name, Vec::new()).ok()?;
    Some(String::from_utf8_lossy(target.as_bytes()).escape_debug().to_string())
}

/// Opens the directory `name` in `parent` for listing. A link is not followed.
pub(super) fn open_listable<P: rustix::path::Arg>(
    parent: impl AsFd,
    name: P,
) -> Result<OwnedFd, rustix::io::Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(parent, name, flags, Mode::empty())
}
