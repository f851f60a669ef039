//! The descriptors that a stream is read from and written to.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use super::exit::Failure;

/// The input named by an argument: a file, or stdin for `-` and for nothing.
///
/// # Errors
/// When it cannot be opened.
pub(crate) fn input(file: Option<&Path>) -> Result<OwnedFd, Failure> {
    match file {
        None => duplicate(io::stdin().as_fd(), "stdin"),
        Some(path) if path == Path::new("-") => duplicate(io::stdin().as_fd(), "stdin"),
        Some(path) => File::open(path)
            .map(OwnedFd::from)
            .map_err(|error| Failure::configuration(format!("cannot open `{}`: {error}", path.display()))),
    }
}

/// Standard output.
///
/// # Errors
/// When it is closed.
pub(crate) fn output() -> Result<OwnedFd, Failure> {
    duplicate(io::stdout().as_fd(), "stdout")
}

fn duplicate(fd: std::os::fd::BorrowedFd<'_>, name: &str) -> Result<OwnedFd, Failure> {
    fd.try_clone_to_owned().map_err(|error| Failure::configuration(format!("cannot use {name}: {error}")))
}
