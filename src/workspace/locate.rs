//! From a path to a directory handle and a name in it, one part at a time.
//!
//! Every step opens one name in a directory that is already open, without following links; a link is read and its
//! target walked in the same way, and `..` goes back to a handle that was passed before. The kernel never resolves
//! more than one name, so nothing that is swapped meanwhile can lead out.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::code::{CallError, ErrorCode};

use super::{FileKind, WorkspacePath, fault};

/// Most symbolic links followed on one path, as Linux limits them.
const MAX_LINKS: usize = 40;
/// Most names walked on one path, links' targets included.
const MAX_STEPS: usize = 4096;

/// Whether a link in the last place is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastLink {
    Follow,
    Keep,
}

/// Where a path leads.
pub(super) enum Location {
    /// The root itself.
    Root,
    /// A name in an open directory.
    Entry(EntryLocation),
    /// Below something that is not there, or is not a directory.
    Beyond(BeyondLocation),
}

/// A name in an open directory.
#[derive(Debug)]
pub(super) struct EntryLocation {
    pub(super) parent: OwnedFd,
    pub(super) name: String,
    /// The path with every link followed.
    pub(super) path: WorkspacePath,
    /// What is there; `None` where nothing is.
    pub(super) stat: Option<Stat>,
}

/// A place below a part that is not there, or is not a directory.
pub(super) struct BeyondLocation {
    /// The last directory there is.
    pub(super) deepest: OwnedFd,
    /// Its path.
    pub(super) deepest_path: WorkspacePath,
    /// The names below it, at least two.
    pub(super) names: Vec<String>,
    /// The path with every link followed.
    pub(super) path: WorkspacePath,
    /// What stands where a directory would have to be; `None` where nothing does.
    pub(super) obstacle: Option<FileKind>,
}

impl Location {
    pub(super) fn path(&self) -> WorkspacePath {
        match self {
            Self::Root => WorkspacePath::root(),
            Self::Entry(entry) => entry.path.clone(),
            Self::Beyond(beyond) => beyond.path.clone(),
        }
    }
}

/// Opening a directory only to go through it needs no permission to list it.
#[cfg(target_os = "linux")]
const PASS: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const PASS: OFlags = OFlags::RDONLY;

/// Opens the directory `name` in `parent`, to go through it. A link is not followed.
pub(super) fn pass(parent: impl AsFd, name: &str) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(
        parent,
        name,
        PASS | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )
}

/// Looks at `name` in `parent` itself: a link is not followed.
pub(super) fn look(parent: impl AsFd, name: &str) -> Result<Option<Stat>, Errno> {
    match rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Walks `path` from `root`. Every spelling under which a link was come to is added to `passed`, with what was still to be
/// walked behind it.
///
/// # Errors
/// `PATH_OUTSIDE_WORKSPACE` where a link leads out or is absolute; `FILE_NOT_FOUND` for loops of links and for targets
/// that are not UTF-8; `EXECUTION_FAILED` where the system refuses.
pub(super) fn locate(
    root: BorrowedFd<'_>,
    path: &WorkspacePath,
    last: LastLink,
    passed: &mut Vec<WorkspacePath>,
) -> Result<Location, CallError> {
    let mut walk = Walk {
        root,
        passed,
        entered: Vec::new(),
        pending: path.parts().rev().map(str::to_owned).collect(),
        links: 0,
        steps: 0,
        asked: path,
    };
    loop {
        let Some(name) = walk.pending.pop() else { return walk.arrive_at_directory() };
        walk.steps += 1;
        if walk.steps > MAX_STEPS {
            return Err(walk.too_many_links());
        }
        if name == ".." {
            // Only links' targets hold `..`; parsing took it out of the path itself.
            if walk.entered.pop().is_none() {
                return Err(leaves(path));
            }
            continue;
        }
        if walk.pending.is_empty() {
            let stat = look(walk.here(), &name).map_err(|errno| fault::failed(path, "reached", errno))?;
            let is_link = stat.as_ref().is_some_and(|stat| FileKind::of(stat) == FileKind::Link);
            if is_link && last == LastLink::Follow {
                walk.follow(&name)?;
                continue;
            }
            return walk.arrive_at_entry(name, stat);
        }
        match pass(walk.here(), &name) {
            Ok(directory) => walk.entered.push((name, directory)),
            Err(Errno::NOENT) => return walk.end_beyond(name, None),
            // What a link yields differs between systems, so it is looked at rather than guessed.
            Err(errno) => match look(walk.here(), &name) {
                Ok(Some(stat)) => match FileKind::of(&stat) {
                    FileKind::Link => walk.follow(&name)?,
                    FileKind::Directory => return Err(fault::failed(path, "reached", errno)),
                    other => return walk.end_beyond(name, Some(other)),
                },
                Ok(None) => return walk.end_beyond(name, None),
                Err(errno) => return Err(fault::failed(path, "reached", errno)),
            },
        }
    }
}

struct Walk<'a> {
    root: BorrowedFd<'a>,
    entered: Vec<(String, OwnedFd)>,
    /// What is still to be walked, last first.
    pending: Vec<String>,
    links: usize,
    steps: usize,
    asked: &'a WorkspacePath,
    passed: &'a mut Vec<WorkspacePath>,
}

impl Walk<'_> {
    fn here(&self) -> BorrowedFd<'_> {
        self.entered.last().map_or(self.root, |(_, directory)| directory.as_fd())
    }

    fn path_to(&self, names: &[String]) -> WorkspacePath {
        let entered = self.entered.iter().map(|(name, _)| name.as_str());
        WorkspacePath::from_parts(entered.chain(names.iter().map(String::as_str)))
    }

    /// The path to a name and what is still to be walked behind it, `..` taken lexically.
    fn spelling(&self, name: &str) -> WorkspacePath {
        let mut parts: Vec<&str> = self.entered.iter().map(|(name, _)| name.as_str()).collect();
        parts.push(name);
        for part in self.pending.iter().rev() {
            if part == ".." {
                parts.pop();
            } else {
                parts.push(part);
            }
        }
        WorkspacePath::from_parts(parts)
    }

    fn follow(&mut self, name: &str) -> Result<(), CallError> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(self.too_many_links());
        }
        let spelling = self.spelling(name);
        self.passed.push(spelling);
        let target = match rustix::fs::readlinkat(self.here(), name, Vec::new()) {
            Ok(target) => target,
            // It is a link no more: walk the name again.
            Err(Errno::INVAL) => {
                self.pending.push(name.to_owned());
                return Ok(());
            }
            Err(errno) => return Err(fault::failed(self.asked, "reached", errno)),
        };
        let Ok(target) = target.into_string() else {
            return Err(CallError::new(
                ErrorCode::FileNotFound,
                format!("`{}` passes through a symbolic link whose target is not UTF-8", self.asked),
            ));
        };
        if target.starts_with('/') {
            let link = self.path_to(&[name.to_owned()]);
            return Err(CallError::new(
                ErrorCode::PathOutsideWorkspace,
                format!("`{}` passes through `{link}`, an absolute symbolic link", self.asked),
            )
            .with_hint(
                "absolute links are never followed; what one points to inside the workspace has a path of its own there",
            ));
        }
        self.pending.extend(
            target.split('/').rev().filter(|part| !part.is_empty() && *part != ".").map(str::to_owned),
        );
        Ok(())
    }

    fn arrive_at_entry(mut self, name: String, stat: Option<Stat>) -> Result<Location, CallError> {
        let path = self.path_to(std::slice::from_ref(&name));
        let parent = self.leave()?;
        Ok(Location::Entry(EntryLocation { parent, name, path, stat }))
    }

    /// The walk ended on a directory that it went through, after a `..` or at once.
    fn arrive_at_directory(mut self) -> Result<Location, CallError> {
        let path = self.path_to(&[]);
        let Some((name, directory)) = self.entered.pop() else { return Ok(Location::Root) };
        let stat =
            rustix::fs::fstat(&directory).map_err(|errno| fault::failed(self.asked, "reached", errno))?;
        let parent = self.leave()?;
        Ok(Location::Entry(EntryLocation { parent, name, path, stat: Some(stat) }))
    }

    fn end_beyond(mut self, name: String, obstacle: Option<FileKind>) -> Result<Location, CallError> {
        let mut names = vec![name];
        while let Some(name) = self.pending.pop() {
            if name == ".." {
                return Err(fault::not_found(self.asked));
            }
            names.push(name);
        }
        let path = self.path_to(&names);
        let deepest_path = self.path_to(&[]);
        let deepest = self.leave()?;
        Ok(Location::Beyond(BeyondLocation { deepest, deepest_path, names, path, obstacle }))
    }

    /// Gives up the innermost handle.
    fn leave(&mut self) -> Result<OwnedFd, CallError> {
        match self.entered.pop() {
            Some((_, directory)) => Ok(directory),
            None => rustix::io::fcntl_dupfd_cloexec(self.root, 0)
                .map_err(|errno| fault::failed(self.asked, "reached", errno)),
        }
    }

    fn too_many_links(&self) -> CallError {
        CallError::new(
            ErrorCode::FileNotFound,
            format!("`{}` passes through a loop of symbolic links, or too many of them", self.asked),
        )
    }
}

fn leaves(path: &WorkspacePath) -> CallError {
    CallError::new(
        ErrorCode::PathOutsideWorkspace,
        format!("`{path}` passes through a symbolic link that leaves the workspace"),
    )
    .with_hint("only what lies inside the workspace can be reached")
}
