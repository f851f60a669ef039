//! The git directory of the workspace root, for the gateway's own look before it runs git.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::code::{CallError, ErrorCode};

use super::directory::open_listable;
use super::linked_worktree::{self, Found};
use super::locate::{look, pass};
use super::{Entry, FileKind, OpenedDirectory, Workspace, WorkspacePath, fault};

/// Most names looked at in one directory of it.
const MAX_ENTRIES: usize = 100_000;

/// The git directories of the workspace root. They are protected from every tool; what is read in them decides whether
/// git may run at all, and is never shown.
#[derive(Debug)]
pub struct GitDirectories<'w> {
    own: GitDirectory<'w>,
    /// Only of a linked worktree.
    common: Option<GitDirectory<'w>>,
}

/// One of them.
#[derive(Debug)]
pub struct GitDirectory<'w> {
    workspace: &'w Workspace,
    handle: OwnedFd,
    path: PathBuf,
    role: Role,
}

/// What a git directory is to the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// `.git` itself.
    Plain,
    /// The own one of a linked worktree.
    Own,
    /// The one that a linked worktree shares.
    Common,
}

impl Workspace {
    /// Opens what `.git` at the root is, or names. A file is followed only where it is that of a linked worktree and the
    /// directory that it names says so too; both directories are then known by their real paths.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND` where there is none; `PERMISSION_DENIED` where it is a link, or a file that is not followed.
    pub fn git_directories(&self) -> Result<GitDirectories<'_>, CallError> {
        let root = super::tree::root_handle(self);
        let path = WorkspacePath::root().child(".git");
        let open = |Found { handle, path }, role| GitDirectory { workspace: self, handle, path, role };
        match look(root, ".git") {
            Ok(Some(stat)) => match FileKind::of(&stat) {
                FileKind::Directory => {
                    let handle = pass(root, ".git").map_err(|errno| fault::failed(&path, "opened", errno))?;
                    let plain = Found { handle, path: self.root().join(".git") };
                    Ok(GitDirectories { own: open(plain, Role::Plain), common: None })
                }
                FileKind::File => {
                    let worktree = linked_worktree::follow(self).map_err(not_followed)?;
                    Ok(GitDirectories {
                        own: open(worktree.own, Role::Own),
                        common: Some(open(worktree.common, Role::Common)),
                    })
                }
                _ => Err(not_followed("it is a link or no file")),
            },
            Ok(None) => Err(CallError::new(
                ErrorCode::FileNotFound,
                "the workspace root is not a git repository",
            )
            .with_hint(
                "in a subfolder of a repository there are no git tools: the workspace must be its root",
            )),
            Err(errno) => Err(fault::failed(&path, "opened", errno)),
        }
    }
}

fn not_followed(reason: &str) -> CallError {
    CallError::new(
        ErrorCode::PermissionDenied,
        format!("`.git` is no directory but points to one elsewhere, which is not followed: {reason}"),
    )
    .with_hint(
        "git tools work where the workspace root is an ordinary repository or a linked worktree of one, and no submodule",
    )
}

impl<'w> GitDirectories<'w> {
    /// Each of them.
    pub fn each(&self) -> impl Iterator<Item = &GitDirectory<'w>> {
        [Some(&self.own), self.common.as_ref()].into_iter().flatten()
    }

    /// The real paths of a linked worktree's own git directory and of the one it shares; `None` where `.git` is a
    /// directory.
    #[must_use]
    pub fn linked(&self) -> Option<(&Path, &Path)> {
        self.common.as_ref().map(|common| (self.own.path.as_path(), common.path.as_path()))
    }
}

impl GitDirectory<'_> {
    /// Whether it is the own one of a linked worktree, beside one that is shared.
    #[must_use]
    pub fn is_own_of_worktree(&self) -> bool {
        self.role == Role::Own
    }

    /// How a file in it is called in messages, which name no path outside the workspace.
    #[must_use]
    pub fn shown(&self, name: &str) -> String {
        match self.role {
            Role::Plain => format!("`.git/{name}`"),
            Role::Own => format!("`{name}` in the git directory of this worktree"),
            Role::Common => format!("`{name}` in the git directory that this worktree shares"),
        }
    }

    /// The content of a file in it, `None` where there is none. Links are not followed.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` where it is no regular file or larger than `most` bytes.
    pub fn read(&self, name: &str, most: usize) -> Result<Option<Vec<u8>>, CallError> {
        let refused = || {
            CallError::new(
                ErrorCode::PermissionDenied,
                format!("{} is not an ordinary file", self.shown(name)),
            )
        };
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
        let refused = || {
            CallError::new(
                ErrorCode::PermissionDenied,
                format!("{} cannot be looked through", self.shown(name)),
            )
        };
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
