//! Why a command could not be started, as a model may hear it. What the kernel says in detail goes to the log.

use std::io;

use crate::code::{CallError, ErrorCode};
use crate::execute::sandbox::launcher::Report;

pub(super) fn nul(_: std::ffi::NulError) -> CallError {
    CallError::new(ErrorCode::InvalidArguments, "an argument of the command holds a NUL character")
}

pub(in crate::execute) fn not_started(error: &io::Error, written: &str) -> CallError {
    let written = written.escape_debug();
    let message = match error.raw_os_error() {
        Some(libc::ENOENT) => format!("program `{written}` or its interpreter does not exist"),
        Some(libc::EACCES | libc::EPERM) => format!("program `{written}` may not be executed"),
        Some(libc::ENOEXEC) => format!("program `{written}` is not a program that this machine can run"),
        Some(libc::E2BIG) => format!("the arguments of program `{written}` are too long for this machine"),
        _ => return no_resources(error),
    };
    CallError::new(ErrorCode::BackendUnavailable, message)
}

pub(in crate::execute) fn no_resources(error: &io::Error) -> CallError {
    tracing::warn!(%error, "a command could not be started");
    CallError::new(ErrorCode::BackendUnavailable, "the command could not be started")
}

pub(in crate::execute) fn no_sandbox(detail: &str) -> CallError {
    tracing::warn!(detail, "a sandbox could not be put in place");
    CallError::new(ErrorCode::SandboxUnavailable, "the sandbox could not be put in place")
        .with_hint("`tgw doctor` shows the sandbox levels of this machine and what is missing")
}

/// Bubblewrap reports a program that it cannot start as any other failure of its own, and says which only in words: `said` is
/// what was printed.
pub(in crate::execute) fn explained(report: Option<Report>, said: &str) -> Option<Report> {
    let Some(Report::NoSandbox(detail)) = report else { return report };
    let Some(line) = said.lines().find(|line| line.starts_with("bwrap: ")) else {
        return Some(Report::NoSandbox(detail));
    };
    let known = [
        ("No such file or directory", libc::ENOENT),
        ("Permission denied", libc::EACCES),
        ("Exec format error", libc::ENOEXEC),
        ("Argument list too long", libc::E2BIG),
    ];
    match known.into_iter().find(|(words, _)| line.starts_with("bwrap: execvp ") && line.ends_with(words)) {
        Some((_, errno)) => Some(Report::NoProgram(errno)),
        None => Some(Report::NoSandbox(format!("{detail}: {line}"))),
    }
}
