//! Finding the program that a plan names, in the gateway's own `PATH`.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::code::{CallError, ErrorCode};
use crate::validate::ProgramSource;

use super::ParentEnvironment;

/// Returns the absolute path of the program. `written` is `argv[0]`, which alone may appear in a message.
///
/// Entries of `PATH` that are relative or lead into the workspace are skipped: a name alone never means a file that the
/// project brings or that a tool may have written. One that is meant is named by a path.
///
/// # Errors
/// `BACKEND_UNAVAILABLE` when there is no such program, or none that can be executed.
pub(in crate::execute) fn find_program(
    source: &ProgramSource,
    written: &str,
    parent: &ParentEnvironment,
    root: &Path,
) -> Result<PathBuf, CallError> {
    let candidates: Vec<PathBuf> = match source {
        ProgramSource::Path(path) => vec![path.clone()],
        ProgramSource::Search(name) => {
            let folders = parent.get("PATH").unwrap_or(OsStr::new("/usr/local/bin:/usr/bin:/bin"));
            std::env::split_paths(folders)
                .filter(|folder| folder.is_absolute() && !leads_into(folder, root))
                .map(|folder| folder.join(name))
                .collect()
        }
    };
    let files: Vec<&PathBuf> = candidates.iter().filter(|path| path.is_file()).collect();
    if let Some(found) = files.iter().find(|path| is_executable(path)) {
        return std::path::absolute(found).map_err(|_| missing(source, written));
    }
    if files.is_empty() { Err(missing(source, written)) } else { Err(not_executable(written)) }
}

/// Says whether a program could be started, without starting it. One written with a slash is relative to `base`.
///
/// # Errors
/// As a call that runs it would get: `BACKEND_UNAVAILABLE` when there is no such program, or none that can be executed.
pub fn check_program(
    written: &str,
    base: &Path,
    parent: &ParentEnvironment,
    root: &Path,
) -> Result<(), CallError> {
    find_program(&ProgramSource::written(written, base), written, parent, root).map(drop)
}

/// Whether a folder is the workspace or below it; `root` is a real path.
fn leads_into(folder: &Path, root: &Path) -> bool {
    folder.canonicalize().is_ok_and(|real| real.starts_with(root))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

fn missing(source: &ProgramSource, written: &str) -> CallError {
    let written = written.escape_debug();
    match source {
        ProgramSource::Path(_) => {
            CallError::new(ErrorCode::BackendUnavailable, format!("program `{written}` does not exist"))
                .with_hint("a program written with a slash is looked for beside the manifest that names it")
        }
        ProgramSource::Search(_) => {
            CallError::new(ErrorCode::BackendUnavailable, format!("program `{written}` is not installed"))
                .with_hint("it must be in a folder of the gateway's `PATH` that is not in the workspace")
        }
    }
}

fn not_executable(written: &str) -> CallError {
    CallError::new(
        ErrorCode::BackendUnavailable,
        format!("program `{}` is not executable", written.escape_debug()),
    )
    .with_hint("a person can make it executable with `chmod +x`")
}
