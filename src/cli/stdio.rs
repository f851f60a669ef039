//! The descriptors that a stream is read from and written to.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
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
        Some(path) => {
            let failed = |error: io::Error| {
                Failure::configuration(format!("cannot open `{}`: {error}", path.display()))
            };
            let file = File::open(path).map_err(failed)?;
            if file.metadata().map_err(failed)?.is_dir() {
                return Err(Failure::configuration(format!("`{}` is a folder", path.display()))
                    .with_hint("name a file with one call a line"));
            }
            Ok(OwnedFd::from(file))
        }
    }
}

/// Tells a person whose terminal is the stream that something is waited for.
pub(crate) fn say_what_is_read(input: &OwnedFd) {
    if input.is_terminal() {
        // A closed stderr leaves nobody to tell.
        let _ = writeln!(
            io::stderr(),
            "reading calls from the terminal, one JSON line each; Ctrl-D ends, `tgw run --help` shows the form"
        );
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
