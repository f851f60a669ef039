//! From a builtin's name to its code.

use serde_json::Value;

use crate::catalog::BuiltinName;
use crate::code::{CallError, ErrorCode};
use crate::present::BuiltinOutput;

use super::argument::Arguments;
use super::{
    BuiltinContext, Preview, delete_path, find_files, list_directory, move_path, read_file, replace_in_file,
    search_text, write_file,
};

/// Runs a builtin.
///
/// # Errors
/// What the builtin says. `INTERNAL` for the git tools, which run as commands (see [`super::git`]), and for the tools
/// that the gateway answers itself.
pub fn run(
    name: BuiltinName,
    arguments: &Value,
    context: &BuiltinContext<'_>,
) -> Result<BuiltinOutput, CallError> {
    context.cancel.check()?;
    let arguments = Arguments::new(arguments);
    match name {
        BuiltinName::ReadFile => read_file::run(arguments, context),
        BuiltinName::ListDirectory => list_directory::run(arguments, context),
        BuiltinName::FindFiles => find_files::run(arguments, context),
        BuiltinName::SearchText => search_text::run(arguments, context),
        BuiltinName::WriteFile => write_file::edit(arguments, context)?.apply(context),
        BuiltinName::ReplaceInFile => replace_in_file::edit(arguments, context)?.apply(context),
        BuiltinName::MovePath => move_path::run(arguments, context),
        BuiltinName::DeletePath => delete_path::run(arguments, context),
        BuiltinName::GitStatus
        | BuiltinName::GitDiff
        | BuiltinName::GitLog
        | BuiltinName::ReadResult
        | BuiltinName::SearchTools => {
            Err(CallError::new(ErrorCode::Internal, format!("`{}` is not run as code", name.as_str())))
        }
    }
}

/// What a write would do, or what a link is that would be moved; `None` for tools that only read, and where a change of a file would fail.
///
/// # Errors
/// Why a move or a deletion must fail. Why a change of a file must is not said before a person agreed: it would tell what
/// the file holds.
pub fn preview(
    name: BuiltinName,
    arguments: &Value,
    context: &BuiltinContext<'_>,
) -> Result<Option<Preview>, CallError> {
    let arguments = Arguments::new(arguments);
    Ok(match name {
        BuiltinName::WriteFile => write_file::edit(arguments, context).ok().map(|edit| edit.preview()),
        BuiltinName::ReplaceInFile => {
            replace_in_file::edit(arguments, context).ok().map(|edit| edit.preview())
        }
        BuiltinName::DeletePath => Some(delete_path::preview(arguments, context)?),
        BuiltinName::MovePath => move_path::preview(arguments, context)?,
        BuiltinName::ReadFile
        | BuiltinName::ListDirectory
        | BuiltinName::FindFiles
        | BuiltinName::SearchText
        | BuiltinName::GitStatus
        | BuiltinName::GitDiff
        | BuiltinName::GitLog
        | BuiltinName::ReadResult
        | BuiltinName::SearchTools => None,
    })
}

#[cfg(test)]
pub(super) mod fixture;
