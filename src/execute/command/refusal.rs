//! Why a command could not be started, as a model may hear it. What the kernel says in detail goes to the log.

use std::io;

use crate::code::{CallError, ErrorCode};

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
