//! From what git printed to a typed result.

use crate::catalog::BuiltinName;
use crate::code::{CallError, ErrorCode};
use crate::present::{BuiltinOutput, CommandCapture, CommandEnd};
use crate::workspace::{Workspace, WorkspacePath};

use super::diff::LeftOut;
use super::{diff, log, status};

/// Most characters of git's own message that are repeated.
const MAX_MESSAGE_CHARS: usize = 200;
/// What git says, under `LC_ALL=C`, of a branch without a commit.
const NO_COMMITS: &str = "does not have any commits yet";

/// What has to be left out of the differences that git printed; nothing where it printed none.
///
/// # Errors
/// `PERMISSION_DENIED` where it cannot be left out, so that nothing can be shown.
pub fn left_out(
    capture: &CommandCapture,
    sight: &dyn Fn(&WorkspacePath) -> bool,
) -> Result<LeftOut, CallError> {
    match &capture.end {
        CommandEnd::Exited(0) => diff::find_left_out(&capture.output, sight),
        _ => Ok(LeftOut::default()),
    }
}

/// Reads back what the command of [`super::plan()`] printed. `sight` says whether a file that the call does not name may be
/// looked into, and `left_out` what git was told to leave out because of that.
///
/// # Errors
/// `EXECUTION_FAILED` with git's own first line where it failed; `TIMEOUT`, `CANCELLED`, `RESULT_TOO_LARGE` and what
/// kept it from starting; `INVALID_RESULT` where the output is not in git's documented form.
pub fn interpret(
    name: BuiltinName,
    capture: &CommandCapture,
    workspace: &Workspace,
    sight: &dyn Fn(&WorkspacePath) -> bool,
    left_out: &LeftOut,
) -> Result<BuiltinOutput, CallError> {
    match &capture.end {
        CommandEnd::Exited(0) => {}
        CommandEnd::Exited(_) if name == BuiltinName::GitLog && says(capture, NO_COMMITS) => {}
        CommandEnd::Exited(status) => return Err(failed(capture, *status)),
        CommandEnd::Signalled(_) => {
            return Err(CallError::new(ErrorCode::ExecutionFailed, "git was ended by a signal")
                .with_hint("ask for less, such as one path or fewer commits"));
        }
        CommandEnd::Outlived => {
            return Err(CallError::new(
                ErrorCode::ExecutionFailed,
                "git left processes that could not be ended and may go on",
            ));
        }
        CommandEnd::TimedOut => {
            return Err(CallError::new(ErrorCode::Timeout, "the deadline passed before git was done"));
        }
        CommandEnd::Cancelled => return Err(CallError::new(ErrorCode::Cancelled, "the call was cancelled")),
        CommandEnd::Overflowed | CommandEnd::Truncated => {
            return Err(CallError::new(ErrorCode::ResultTooLarge, "git printed more than is read"));
        }
        CommandEnd::NotStarted(error) => return Err(error.clone()),
    }
    match name {
        BuiltinName::GitStatus => status::read(&capture.output, capture.output_cut),
        BuiltinName::GitDiff => diff::read(&capture.output, capture.output_cut, workspace, sight, left_out),
        BuiltinName::GitLog => log::read(&capture.output, capture.output_cut),
        other => Err(CallError::new(ErrorCode::Internal, format!("`{}` is no git tool", other.as_str()))),
    }
}

fn says(capture: &CommandCapture, text: &str) -> bool {
    String::from_utf8_lossy(&capture.stderr).contains(text)
}

fn failed(capture: &CommandCapture, status: i32) -> CallError {
    let text = String::from_utf8_lossy(&capture.stderr);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let line = line.trim_start_matches("fatal: ").trim_start_matches("error: ");
    let message = if line.is_empty() || names_the_machine(line) {
        format!("git failed with exit status {status}")
    } else {
        let shown: String = line.chars().take(MAX_MESSAGE_CHARS).flat_map(char::escape_debug).collect();
        format!("git failed: {shown}")
    };
    CallError::new(ErrorCode::ExecutionFailed, message).with_hint(
        "the repository may be damaged or of a kind that this git does not read: ask the person to look",
    )
}

/// Whether a path in it is absolute or leads upwards, and so says more about the machine than a model should know.
fn names_the_machine(line: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    line.split(|c| !is_part(c)).any(|word| word.starts_with('/') || word.split('/').any(|part| part == ".."))
}

/// The error for output that is not in the documented form.
pub(super) fn unreadable(what: &str) -> CallError {
    CallError::new(ErrorCode::InvalidResult, format!("git's output could not be read: {what}"))
}

/// Text from a repository for showing: as it is where it is clean UTF-8, else escaped.
pub(super) fn shown(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        Ok(text) => text.escape_debug().to_string(),
        Err(_) => bytes.escape_ascii().to_string(),
    }
}

/// The records that end in NUL. Where the output was cut, what follows the last NUL is no whole record.
pub(super) fn records(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = output.iter().rposition(|byte| *byte == 0).unwrap_or(0);
    let whole = output.get(..end).unwrap_or_default();
    whole.split(|byte| *byte == 0).filter(move |_| end > 0)
}
