//! Moving without overwriting.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{AtFlags, RenameFlags};
use rustix::io::Errno;

use crate::code::{CallError, ErrorCode};

use super::directory::link_text;
use super::locate::{EntryLocation, LastLink, Location, look};
use super::remove::Subtree;
use super::write::sync_directory;
use super::{Access, FileKind, Passage, Workspace, WorkspacePath, fault};

impl Workspace {
    /// Gives a file, link or directory another name, in a directory that exists and where nothing has that name.
    ///
    /// Links in the last place are not followed: the link itself moves. Returns the paths, other links followed, the
    /// kind of what moved, and a remark where the change could not be synced. `approve` is asked once about what was
    /// reached, `passage` about everything in a directory that moves.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` where either path, or one in the directory that moves, under its old or new name, is
    /// protected; `FILE_NOT_FOUND`; `PRECONDITION_FAILED` where something is at the target; `EXECUTION_FAILED` where
    /// the system refuses, across file systems for instance. Nothing has moved after an error.
    pub fn rename(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        approve: &Approve<'_>,
        passage: Passage<'_>,
    ) -> Result<Moved, CallError> {
        let (source, target, kind) = self.movable_pair(from, to, approve, passage)?;
        (passage.keep_going)()?;
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

    /// Makes every check of [`Workspace::rename`] and moves nothing. `see` is shown what would be moved.
    ///
    /// # Errors
    /// As [`Workspace::rename`].
    pub fn check_rename(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        see: &Approve<'_>,
        passage: Passage<'_>,
    ) -> Result<(), CallError> {
        self.movable_pair(from, to, see, passage).map(|_| ())
    }

    /// Finds both ends of a move, and checks that it is permitted.
    fn movable_pair(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        approve: &Approve<'_>,
        passage: Passage<'_>,
    ) -> Result<(EntryLocation, EntryLocation, FileKind), CallError> {
        self.look_for_links();
        let source = self.movable(from)?;
        let target = self.movable(to)?;
        self.check_new_name(&target.path)?;
        let Some(stat) = &source.stat else { return Err(fault::not_found(from)) };
        let kind = FileKind::of(stat);
        let link = link_text(source.parent.as_fd(), source.name.as_str());
        approve(Moving { from: &source.path, to: &target.path, kind, link: link.as_deref() })?;
        self.check_identity(&source.path, Some(stat))?;
        if kind == FileKind::Link {
            self.check_link(&source.path)?;
            self.check_link(&target.path)?;
        }
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
            Subtree::of_directory(self, &source)?.guard(Some(&target.path), passage)?;
        }
        Ok((source, target, kind))
    }

    fn movable(&self, path: &WorkspacePath) -> Result<EntryLocation, CallError> {
        match self.locate_as_known(path, LastLink::Keep, Access::Write)? {
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

/// What is about to be moved.
#[derive(Debug, Clone, Copy)]
pub struct Moving<'m> {
    /// Its path.
    pub from: &'m WorkspacePath,
    /// The path that it would get.
    pub to: &'m WorkspacePath,
    /// What it is.
    pub kind: FileKind,
    /// Where a symbolic link points, as it is written in it, escaped.
    pub link: Option<&'m str>,
}

/// Says whether what was found may be moved.
pub type Approve<'a> = dyn Fn(Moving<'_>) -> Result<(), CallError> + 'a;

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
    rustix::fs::unlinkat(from, old, AtFlags::empty()).inspect_err(|_| {
        // The old name stays, so that the new one must go: after an error nothing has moved.
        let _ = rustix::fs::unlinkat(to, new, AtFlags::empty());
    })
}
