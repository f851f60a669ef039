//! Writing to stdout: a reader that went away ends a command cleanly.

use std::io::{self, Write};

use crate::text::escape;

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

/// Writes a warning to stderr.
pub(crate) fn warn(message: &str, hint: Option<&str>) {
    let hint = hint.map(|hint| format!("hint: {}\n", escape(hint))).unwrap_or_default();
    // A closed stderr leaves nobody to tell.
    let _ = write!(io::stderr(), "warning: {}\n{hint}", escape(message));
}
