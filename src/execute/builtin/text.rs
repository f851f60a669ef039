//! Text files: what counts as text, and how their lines end.

use std::io::Read as _;

use crate::code::{CallError, ErrorCode};
use crate::workspace::{OpenedFile, WorkspacePath};

/// Most bytes of a file that is changed, before and after: it is held in memory and shown as a difference.
pub(super) const MAX_TEXT_BYTES: usize = 16 << 20;
/// How far into a file a NUL byte makes it binary.
pub(super) const BINARY_PROBE_BYTES: usize = 8 << 10;
/// The UTF-8 byte order mark.
pub(super) const BOM: &str = "\u{feff}";

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endings {
    /// `\n`, or no line ends at all.
    Lf,
    /// `\r\n` everywhere.
    Crlf,
    /// Both.
    Mixed,
}

impl Endings {
    pub(super) fn from_counts(crlf: u64, lf: u64) -> Self {
        match (crlf, lf) {
            (0, _) => Self::Lf,
            (_, 0) => Self::Crlf,
            _ => Self::Mixed,
        }
    }

    pub(super) fn of(text: &str) -> Self {
        let (crlf, lf) = count_endings(text);
        Self::from_counts(crlf, lf)
    }
}

/// How many lines end in `\r\n`, and how many in `\n` alone.
pub(super) fn count_endings(text: &str) -> (u64, u64) {
    let mut counts = (0, 0);
    let mut previous = 0;
    for byte in text.bytes() {
        if byte == b'\n' {
            if previous == b'\r' { counts.0 += 1 } else { counts.1 += 1 }
        }
        previous = byte;
    }
    counts
}

/// Gives every line the end `\r\n`.
pub(super) fn to_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// Number of lines; a last one without an end counts.
pub(super) fn line_count(text: &str) -> usize {
    text.lines().count()
}

/// Refuses what is not text, judged by its beginning.
pub(super) fn refuse_binary(path: &WorkspacePath, beginning: &[u8]) -> Result<(), CallError> {
    let probe = beginning.get(..BINARY_PROBE_BYTES).unwrap_or(beginning);
    if probe.starts_with(b"\xff\xfe") || probe.starts_with(b"\xfe\xff") {
        return Err(not_text(path, "UTF-16 text"));
    }
    if probe.contains(&0) {
        return Err(not_text(path, "a binary file: it has NUL bytes"));
    }
    Ok(())
}

fn not_text(path: &WorkspacePath, what: &str) -> CallError {
    CallError::new(ErrorCode::ExecutionFailed, format!("`{path}` is {what}"))
        .with_hint("only UTF-8 text files are read and changed")
}

/// The whole text of a file that is about to be changed.
///
/// # Errors
/// `EXECUTION_FAILED` where it is too large, binary, or not UTF-8.
pub(super) fn read_whole(file: &OpenedFile) -> Result<String, CallError> {
    let path = file.path();
    let mut bytes = Vec::with_capacity(usize::try_from(file.size()).unwrap_or(0).min(MAX_TEXT_BYTES) + 1);
    let most = u64::try_from(MAX_TEXT_BYTES).unwrap_or(u64::MAX);
    file.file().take(most + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    if bytes.len() > MAX_TEXT_BYTES {
        return Err(CallError::new(
            ErrorCode::ExecutionFailed,
            format!("`{path}` is larger than {} MiB, the most that is changed", MAX_TEXT_BYTES >> 20),
        )
        .with_hint("split it, or leave it to the person"));
    }
    refuse_binary(path, &bytes)?;
    String::from_utf8(bytes).map_err(|_| not_text(path, "not valid UTF-8"))
}

/// The system could not read a file that is open.
pub(super) fn unreadable(path: &WorkspacePath, error: &std::io::Error) -> CallError {
    CallError::new(ErrorCode::ExecutionFailed, format!("`{path}` cannot be read: {}", error.kind()))
        .with_hint("look at what is there before calling again")
}

/// A number with its noun.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
