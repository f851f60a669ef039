//! Writing a whole file, so that it is there in full or not at all.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Gid, Mode, Stat, Uid};
use rustix::io::Errno;

use crate::code::{CallError, ErrorCode};

use super::directory::open_listable;
use super::in_use::Identity;
use super::locate::{LastLink, Location, look, pass};
use super::temporary::Temporary;
use super::tree::open_regular;
use super::{Access, FileKind, OpenedFile, Workspace, WorkspacePath, fault};

/// Mode of a new file, before the umask.
const NEW_FILE: Mode = Mode::from_raw_mode(0o644);
/// Mode of a new directory, before the umask.
const NEW_DIRECTORY: Mode = Mode::from_raw_mode(0o777);
/// The part of an old file's mode that its replacement gets: set-user-id and the like do not survive a change of content.
const KEPT_MODE: u32 = 0o777;

/// The place of a file that is about to be written: found, permitted and held by its directory's handle.
#[derive(Debug)]
pub struct WriteTarget<'w> {
    workspace: &'w Workspace,
    directory: OwnedFd,
    directory_path: WorkspacePath,
    /// Directories that do not exist yet, outermost first.
    missing: Vec<String>,
    name: String,
    path: WorkspacePath,
    existing: Option<OpenedFile>,
}

impl Workspace {
    /// Finds where a write to `path` goes. A link is followed inside the workspace: what it points to is written.
    ///
    /// # Errors
    /// As [`Workspace::open_file`], except that nothing needs to be there; `PERMISSION_DENIED` also for what is
    /// protected from writing only.
    pub fn write_target(&self, path: &WorkspacePath) -> Result<WriteTarget<'_>, CallError> {
        let location = self.locate(path, LastLink::Follow, Access::Write)?;
        let reached = location.path();
        match location {
            Location::Root => Err(fault::wrong_kind(path, FileKind::Directory, "a regular file")),
            Location::Entry(entry) => {
                let existing = match entry.stat {
                    None => None,
                    Some(_) => {
                        Some(open_regular(self, entry.parent.as_fd(), entry.name.as_str(), entry.path)?)
                    }
                };
                if let Some(existing) = &existing {
                    refuse_read_only(entry.parent.as_fd(), &entry.name, existing)?;
                }
                let directory_path = parent_of(&reached);
                let (directory, name) = (entry.parent, entry.name);
                Ok(WriteTarget {
                    workspace: self,
                    directory,
                    directory_path,
                    missing: Vec::new(),
                    name,
                    path: reached,
                    existing,
                })
            }
            Location::Beyond(beyond) => {
                let mut missing = beyond.names;
                match (beyond.obstacle, missing.pop()) {
                    (None, Some(name)) => Ok(WriteTarget {
                        workspace: self,
                        directory: beyond.deepest,
                        directory_path: beyond.deepest_path,
                        missing,
                        name,
                        path: reached,
                        existing: None,
                    }),
                    (Some(kind), _) => {
                        let part = beyond.deepest_path.child(missing.first().map_or("", String::as_str));
                        Err(fault::wrong_kind(&part, kind, "a directory"))
                    }
                    (None, None) => Err(fault::not_found(path)),
                }
            }
        }
    }
}

impl WriteTarget<'_> {
    /// The path, links followed.
    #[must_use]
    pub fn path(&self) -> &WorkspacePath {
        &self.path
    }

    /// The file that is there now.
    #[must_use]
    pub fn existing(&self) -> Option<&OpenedFile> {
        self.existing.as_ref()
    }

    /// The directories that the write would create, outermost first.
    #[must_use]
    pub fn new_directories(&self) -> Vec<WorkspacePath> {
        let mut path = self.directory_path.clone();
        self.missing
            .iter()
            .map(|name| {
                path = path.child(name);
                path.clone()
            })
            .collect()
    }

    /// Writes the content: into a new file beside the target, synced, which then takes the target's name.
    ///
    /// Permission bits and, where the system allows it, the owner are those of the file that was there; extended
    /// attributes are not carried over. Other hard links of the old file keep the old content. Returns a remark where
    /// the new file is in place but its directory could not be synced.
    ///
    /// # Errors
    /// `PRECONDITION_FAILED` where the file changed or appeared since the target was found; `EXECUTION_FAILED` where
    /// the system refuses. After an error the target is as it was.
    pub fn commit(self, content: &[u8]) -> Result<Option<&'static str>, CallError> {
        let mut parents = NewDirectories { target: &self, made: Vec::new() };
        let placed = parents.make().and_then(|()| {
            let directory = parents.innermost();
            self.place(directory, content)?;
            Ok(sync_directory(directory))
        });
        if placed.is_err() {
            parents.undo();
        }
        placed
    }

    fn place(&self, directory: BorrowedFd<'_>, content: &[u8]) -> Result<(), CallError> {
        // A replacement shows nothing to anyone before it has the old file's mode.
        let mode = if self.existing.is_some() { Mode::from_raw_mode(0o600) } else { NEW_FILE };
        let mut temporary = Temporary::create(directory, mode).map_err(|e| self.failed(e))?;
        temporary
            .file
            .write_all(content)
            .map_err(|error| self.failed(error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error)))?;
        if let Some(existing) = &self.existing {
            take_after(&temporary.file, existing.stat()).map_err(|e| self.failed(e))?;
        }
        rustix::fs::fsync(&temporary.file).map_err(|e| self.failed(e))?;
        let Some(existing) = &self.existing else {
            return temporary.place_new(&self.name).map_err(|errno| match errno {
                Errno::EXIST => fault::changed(&self.path),
                _ => self.failed(errno),
            });
        };
        let now = look(directory, &self.name).map_err(|e| self.failed(e))?;
        if !now.is_some_and(|now| is_unchanged(existing.stat(), &now)) {
            return Err(fault::changed(&self.path));
        }
        temporary.replace(&self.name).map_err(|e| self.failed(e))
    }

    fn failed(&self, errno: Errno) -> CallError {
        fault::failed(&self.path, "written", errno)
    }
}

/// Directories made for a new file, taken back when the file does not come to be.
struct NewDirectories<'t> {
    target: &'t WriteTarget<'t>,
    made: Vec<OwnedFd>,
}

impl NewDirectories<'_> {
    fn innermost(&self) -> BorrowedFd<'_> {
        self.made.last().unwrap_or(&self.target.directory).as_fd()
    }

    fn make(&mut self) -> Result<(), CallError> {
        for (name, path) in self.target.missing.iter().zip(self.target.new_directories()) {
            self.target.workspace.check(&path, Access::Write)?;
            rustix::fs::mkdirat(self.innermost(), name, NEW_DIRECTORY).map_err(|errno| match errno {
                Errno::EXIST => fault::changed(&path),
                _ => fault::failed(&path, "created", errno),
            })?;
            let made =
                pass(self.innermost(), name).map_err(|errno| fault::failed(&path, "created", errno))?;
            self.made.push(made);
        }
        Ok(())
    }

    fn undo(&mut self) {
        while self.made.pop().is_some() {
            if let Some(name) = self.target.missing.get(self.made.len()) {
                // One that something else was put into stays.
                let _ = rustix::fs::unlinkat(self.innermost(), name, AtFlags::REMOVEDIR);
            }
        }
    }
}

/// Gives a new file the owner, where the system allows it, and the permission bits of the one that it replaces.
fn take_after(file: &File, old: &Stat) -> Result<(), Errno> {
    let new = rustix::fs::fstat(file)?;
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid) {
        // Only a privileged process may give a file away; the others keep their own.
        let _ = rustix::fs::fchown(file, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)));
    }
    rustix::fs::fchmod(file, Mode::from_raw_mode(old.st_mode & KEPT_MODE))
}

/// Refuses a file whose permissions say that it is not to be written; replacing it by a new one would get round them.
fn refuse_read_only(parent: BorrowedFd<'_>, name: &str, file: &OpenedFile) -> Result<(), CallError> {
    // The superuser may write everything, but a file without any write bit is marked on purpose.
    let is_marked = file.stat().st_mode & 0o222 == 0;
    let permitted = rustix::fs::accessat(parent, name, rustix::fs::Access::WRITE_OK, AtFlags::EACCESS);
    match permitted {
        Ok(()) if !is_marked => Ok(()),
        Ok(()) | Err(Errno::ACCESS) => Err(CallError::new(
            ErrorCode::ExecutionFailed,
            format!("`{}` is read-only: its permissions do not let it be written", file.path()),
        )
        .with_hint("a person can change the permissions; writing another file is possible")),
        Err(errno) => Err(fault::failed(file.path(), "written", errno)),
    }
}

/// Whether nothing was written to the file since `before` was taken, as far as its times and size tell.
fn is_unchanged(before: &Stat, now: &Stat) -> bool {
    Identity::of(before) == Identity::of(now)
        && before.st_size == now.st_size
        && (before.st_mtime, before.st_mtime_nsec) == (now.st_mtime, now.st_mtime_nsec)
}

/// Makes a change of names last through a loss of power; the remark for the caller where that failed.
pub(super) fn sync_directory(directory: BorrowedFd<'_>) -> Option<&'static str> {
    // A handle for going through cannot be synced, hence a second one.
    match open_listable(directory, ".").and_then(|listable| rustix::fs::fsync(&listable)) {
        // Some file systems cannot sync a directory and need not.
        Ok(()) | Err(Errno::INVAL) => None,
        Err(_) => Some("the change is made, but the directory could not be synced to disk"),
    }
}

fn parent_of(path: &WorkspacePath) -> WorkspacePath {
    let mut parts = path.parts();
    let _ = parts.next_back();
    WorkspacePath::from_parts(parts)
}
