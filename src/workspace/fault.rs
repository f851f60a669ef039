//! From a failed system call to an error that a model may see.

use rustix::io::Errno;

use crate::code::{CallError, ErrorCode};

use super::{FileKind, WorkspacePath};

/// A system call on `path` that failed; `action` is a participle such as `read`.
pub(super) fn failed(path: &WorkspacePath, action: &str, errno: Errno) -> CallError {
    match errno {
        Errno::NOENT => not_found(path),
        Errno::NOTDIR => {
            CallError::new(ErrorCode::FileNotFound, format!("a part of `{path}` is not a directory"))
        }
        _ => CallError::new(
            ErrorCode::ExecutionFailed,
            format!("`{path}` cannot be {action}: {}", reason(errno)),
        )
        .with_hint(advice(errno)),
    }
}

/// What can be done about it.
fn advice(errno: Errno) -> &'static str {
    match errno {
        Errno::ACCESS | Errno::PERM | Errno::ROFS => {
            "leave it, or ask the person to permit it: the same call fails again"
        }
        Errno::NOSPC | Errno::DQUOT => "ask the person to make room: the same call fails again",
        Errno::NAMETOOLONG | Errno::INVAL | Errno::ILSEQ => "choose another name",
        Errno::FBIG => "write less into one file",
        Errno::MFILE | Errno::NFILE | Errno::BUSY | Errno::TXTBSY => "try again when other work is done",
        _ => "look at what is there before calling again",
    }
}

/// The words for what the system said, without the system's own text.
pub(super) fn reason(errno: Errno) -> &'static str {
    match errno {
        Errno::ACCESS | Errno::PERM => "the file system does not permit it",
        Errno::ROFS => "the file system is read-only",
        Errno::NOSPC | Errno::DQUOT => "no space is left",
        Errno::FBIG => "the file would be too large",
        Errno::XDEV => "the places are on different file systems",
        Errno::NAMETOOLONG => "the name is too long for the file system",
        Errno::INVAL | Errno::ILSEQ => "the file system does not take this name or operation",
        Errno::MFILE | Errno::NFILE => "too many files are open",
        Errno::EXIST | Errno::NOTEMPTY => "something is there already",
        Errno::NOENT => "it does not exist",
        Errno::NOTDIR => "it is not a directory",
        Errno::ISDIR => "it is a directory",
        Errno::BUSY | Errno::TXTBSY => "it is in use",
        Errno::NXIO | Errno::NODEV => "it is not a file with content",
        Errno::LOOP => "it is a symbolic link",
        Errno::STALE => "the file went away",
        _ => "the system reported an input or output error",
    }
}

pub(super) fn not_found(path: &WorkspacePath) -> CallError {
    CallError::new(ErrorCode::FileNotFound, format!("`{path}` does not exist"))
        .with_hint("list the directory to see what is there")
}

pub(super) fn wrong_kind(path: &WorkspacePath, found: FileKind, wanted: &str) -> CallError {
    CallError::new(ErrorCode::FileNotFound, format!("`{path}` is {}, not {wanted}", found.with_article()))
}

pub(super) fn changed(path: &WorkspacePath) -> CallError {
    CallError::new(ErrorCode::PreconditionFailed, format!("`{path}` changed while it was being worked on"))
        .with_hint("look at it again, then call again")
}

pub(super) fn protected(path: &WorkspacePath, what: &str) -> CallError {
    CallError::new(ErrorCode::PermissionDenied, format!("`{path}` is protected: it is {what}"))
        .with_hint("no policy lifts this; leave the file to the person")
}
