//! Writing to stdout: a reader that went away ends a command cleanly.

use std::io::{self, Write};

use super::exit::Failure;

/// Writes all of `text` to stdout.
///
/// # Errors
/// When stdout cannot be written; a closed reader is not an error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::failed(format!("cannot write to stdout: {error}"))),
    }
}
