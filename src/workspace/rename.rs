//! Moving without overwriting.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{AtFlags, RenameFlags};
use rustix::io::Errno;

use crate::code::{CallError, ErrorCode};

use super::locate::{EntryLocation, LastLink, Location, look};
use super::remove::Subtree;
use super::write::sync_directory;
use super::{Access, FileKind, Workspace, WorkspacePath, fault};

impl Workspace {
    /// Gives a file, link or directory another name, in a directory that exists and where nothing has that name.
    ///
    /// Links in the last place are not followed: the link itself moves. Returns the paths, other links followed, the
    /// kind of what moved, and a remark where the change could not be synced. `approve` is asked once about the paths
    /// that were reached, `keep_going` between entries.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` where either path, or one in the directory that moves, under its old or new name, is
    /// protected; `FILE_NOT_FOUND`; `PRECONDITION_FAILED` where something is at the target; `EXECUTION_FAILED` where
    /// the system refuses, across file systems for instance. Nothing has moved after an error.
    pub fn rename(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        approve: &dyn Fn(&WorkspacePath, &WorkspacePath) -> Result<(), CallError>,
        keep_going: &dyn Fn() -> Result<(), CallError>,
    ) -> Result<Moved, CallError> {
        let source = self.movable(from)?;
        let target = self.movable(to)?;
        approve(&source.path, &target.path)?;
        let Some(stat) = &source.stat else { return Err(fault::not_found(from)) };
        self.check_identity(&source.path, Some(stat))?;
        let kind = FileKind::of(stat);
        if target.stat.is_some() {
            return Err(occupied(&target.path));
        }
        if kind == FileKind::Directory {
            if target.path.is_at_or_below(&source.path) {
                return Err(CallError::new(
                    ErrorCode::InvalidArguments,
                    format!(
                        "`{}` lies inside `{}`, which cannot be moved into itself",
                        target.path, source.path
                    ),
                ));
            }
            Subtree::of_directory(self, &source)?.guard(Some(&target.path), keep_going)?;
        }
        keep_going()?;
        rename_new(source.parent.as_fd(), &source.name, target.parent.as_fd(), &target.name, kind).map_err(
            |errno| match errno {
                Errno::EXIST | Errno::NOTEMPTY => occupied(&target.path),
                Errno::NOENT => fault::changed(&source.path),
                Errno::XDEV => fault::failed(&source.path, "moved", errno)
                    .with_hint("write the content at the new place, then delete the old one"),
                _ => fault::failed(&source.path, "moved", errno),
            },
        )?;
        let remark = sync_directory(target.parent.as_fd()).or_else(|| sync_directory(source.parent.as_fd()));
        Ok(Moved { from: source.path, to: target.path, kind, remark })
    }

    fn movable(&self, path: &WorkspacePath) -> Result<EntryLocation, CallError> {
        let location = self.locate(path, LastLink::Keep)?;
        self.check(&location.path(), Access::Write)?;
        match location {
            Location::Root => Err(CallError::new(
                ErrorCode::InvalidArguments,
                "the workspace root cannot be moved or replaced",
            )),
            Location::Entry(entry) => Ok(entry),
            Location::Beyond(beyond) => Err(CallError::new(
                ErrorCode::FileNotFound,
                format!("`{}` is not in a directory that exists", beyond.path),
            )
            .with_hint("only a name in an existing directory can be moved or be a target")),
        }
    }
}

/// What [`Workspace::rename`] did.
#[derive(Debug)]
pub struct Moved {
    /// The old path.
    pub from: WorkspacePath,
    /// The new path.
    pub to: WorkspacePath,
    /// What moved.
    pub kind: FileKind,
    /// A remark where the change could not be synced.
    pub remark: Option<&'static str>,
}

fn occupied(path: &WorkspacePath) -> CallError {
    CallError::new(
        ErrorCode::PreconditionFailed,
        format!("`{path}` exists, and nothing is overwritten by a move"),
    )
    .with_hint("choose another name, or delete what is there first")
}

/// Renames, failing with `EXIST` where something has the new name.
pub(super) fn rename_new(
    from: BorrowedFd<'_>,
    old: &str,
    to: BorrowedFd<'_>,
    new: &str,
    kind: FileKind,
) -> Result<(), Errno> {
    match rustix::fs::renameat_with(from, old, to, new, RenameFlags::NOREPLACE) {
        // Network file systems may not know the flag.
        Err(Errno::INVAL | Errno::NOSYS) => {}
        result => return result,
    }
    if kind == FileKind::Directory {
        // Renaming a directory over something succeeds only where that is an empty directory, so a race loses nothing.
        return match look(to, new)? {
            Some(_) => Err(Errno::EXIST),
            None => rustix::fs::renameat(from, old, to, new),
        };
    }
    rustix::fs::linkat(from, old, to, new, AtFlags::empty())?;
    rustix::fs::unlinkat(from, old, AtFlags::empty())
}
