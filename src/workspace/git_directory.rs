//! The `.git` of the workspace root, for the gateway's own look before it runs git.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::code::{CallError, ErrorCode};

use super::directory::open_listable;
use super::locate::{look, pass};
use super::{Entry, FileKind, OpenedDirectory, Workspace, WorkspacePath, fault};

/// Most names looked at in one directory of it.
const MAX_ENTRIES: usize = 100_000;

/// The `.git` directory of the workspace root. It is protected from every tool; what is read here decides whether git
/// may run at all, and is never shown.
#[derive(Debug)]
pub struct GitDirectory<'w> {
    workspace: &'w Workspace,
    handle: OwnedFd,
}

impl Workspace {
    /// Opens `.git` at the root.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND` where there is none; `PERMISSION_DENIED` where it is a file or a link, and so would send git to
    /// a directory elsewhere.
    pub fn git_directory(&self) -> Result<GitDirectory<'_>, CallError> {
        let root = super::tree::root_handle(self);
        let path = WorkspacePath::root().child(".git");
        match look(root, ".git") {
            Ok(Some(stat)) if FileKind::of(&stat) == FileKind::Directory => {
                let handle = pass(root, ".git").map_err(|errno| fault::failed(&path, "opened", errno))?;
                Ok(GitDirectory { workspace: self, handle })
            }
            Ok(Some(_)) => Err(CallError::new(
                ErrorCode::PermissionDenied,
                "`.git` is no directory but points to one elsewhere, which is not followed",
            )
            .with_hint(
                "git tools work where the workspace root is an ordinary repository, no linked worktree and no submodule",
            )),
            Ok(None) => Err(CallError::new(
                ErrorCode::FileNotFound,
                "the workspace root is not a git repository",
            )
            .with_hint("in a subfolder of a repository there are no git tools: the workspace must be its root")),
            Err(errno) => Err(fault::failed(&path, "opened", errno)),
        }
    }
}

impl GitDirectory<'_> {
    /// The content of a file in it, `None` where there is none. Links are not followed.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` where it is no regular file or larger than `most` bytes.
    pub fn read(&self, name: &str, most: usize) -> Result<Option<Vec<u8>>, CallError> {
        let refused =
            || CallError::new(ErrorCode::PermissionDenied, format!("`.git/{name}` is not an ordinary file"));
        let Some((parent, name)) = self.parent(name).map_err(|_| refused())? else { return Ok(None) };
        match look(&parent, &name) {
            Ok(None) => return Ok(None),
            Ok(Some(stat)) if FileKind::of(&stat) == FileKind::File => {}
            Ok(Some(_)) | Err(_) => return Err(refused()),
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file =
            File::from(rustix::fs::openat(&parent, &name, flags, Mode::empty()).map_err(|_| refused())?);
        let mut content = Vec::new();
        file.take(most as u64 + 1).read_to_end(&mut content).map_err(|_| refused())?;
        if content.len() > most { Err(refused()) } else { Ok(Some(content)) }
    }

    /// The entries of a directory in it; none where it does not exist.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` where it is a link or cannot be read.
    pub fn entries(&self, name: &str) -> Result<Vec<Entry>, CallError> {
        let refused =
            || CallError::new(ErrorCode::PermissionDenied, format!("`.git/{name}` cannot be looked through"));
        let Some((parent, last)) = self.parent(name).map_err(|_| refused())? else { return Ok(Vec::new()) };
        let handle = match open_listable(&parent, last.as_str()) {
            Ok(handle) => handle,
            Err(Errno::NOENT) => return Ok(Vec::new()),
            Err(_) => return Err(refused()),
        };
        let directory = OpenedDirectory { workspace: self.workspace, handle, path: WorkspacePath::root() };
        match directory.entries(MAX_ENTRIES) {
            Ok((entries, false)) => Ok(entries),
            Ok((_, true)) | Err(_) => Err(refused()),
        }
    }

    /// The directory that `name` stands in, and its last part; `None` where that directory does not exist.
    fn parent(&self, name: &str) -> Result<Option<(OwnedFd, String)>, Errno> {
        let mut here = rustix::io::fcntl_dupfd_cloexec(self.handle.as_fd(), 0)?;
        let mut parts = name.split('/').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                return Ok(Some((here, part.to_owned())));
            }
            here = match pass(&here, part) {
                Ok(next) => next,
                Err(Errno::NOENT) => return Ok(None),
                Err(errno) => return Err(errno),
            };
        }
        Ok(None)
    }
}
