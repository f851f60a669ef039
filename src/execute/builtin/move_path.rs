//! `move_path`: another name for a file or directory, overwriting nothing.

use std::cell::RefCell;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::catalog::Digest;
use crate::code::{CallError, Effect};
use crate::present::{BuiltinOutput, DisplayBody};
use crate::workspace::{Moving, Passage, WorkspacePath};

use super::argument::Arguments;
use super::{BuiltinContext, Preview};

pub(super) fn run(
    arguments: Arguments<'_>,
    context: &BuiltinContext<'_>,
) -> Result<BuiltinOutput, CallError> {
    let from = context.path("from", arguments.text("from")?)?;
    let to = context.path("to", arguments.text("to")?)?;
    let approved = |moving: Moving<'_>| {
        context.confirm("from", moving.from)?;
        context.confirm("to", moving.to)?;
        context.confirm_basis(moving.from, basis(moving))
    };
    let moved = passing(&from, context, |passage| context.workspace.rename(&from, &to, &approved, passage))?;
    let line = format!("moved `{}` to `{}`", moved.from, moved.to);
    Ok(BuiltinOutput {
        value: json!({"from": moved.from.as_str(), "to": moved.to.as_str(), "kind": moved.kind.as_str()}),
        text: Some(line.clone()),
        total: None,
        next: None,
        truncated: false,
        display: DisplayBody::Text(line),
        effect: Effect::Happened,
        warnings: moved.remark.map(str::to_owned).into_iter().collect(),
    })
}

/// Checks that the move can be made, and makes none. What a link is, and where it leads, is said: its name does not.
pub(super) fn preview(
    arguments: Arguments<'_>,
    context: &BuiltinContext<'_>,
) -> Result<Option<Preview>, CallError> {
    let from = context.path("from", arguments.text("from")?)?;
    let to = context.path("to", arguments.text("to")?)?;
    let shown = RefCell::new(None);
    let see = |moving: Moving<'_>| {
        shown.replace(moving.link.map(|link| Preview {
            basis: basis(moving),
            body: DisplayBody::Text(format!("`{from}` is a symbolic link that points to `{link}`\n")),
        }));
        Ok(())
    };
    passing(&from, context, |passage| context.workspace.check_rename(&from, &to, &see, passage))?;
    Ok(shown.into_inner())
}

/// What a question about a move says of what is moved.
fn basis(moving: Moving<'_>) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update(moving.kind.as_str());
    hasher.update(b"\0");
    hasher.update(moving.link.unwrap_or_default());
    Digest(hasher.finalize().into())
}

/// Moves or checks with what has a say about the entries of a folder: each is asked about under its old and its new name.
fn passing<T>(
    folder: &WorkspacePath,
    context: &BuiltinContext<'_>,
    work: impl FnOnce(Passage<'_>) -> Result<T, CallError>,
) -> Result<T, CallError> {
    let permits = |old: &WorkspacePath, new: Option<&WorkspacePath>| {
        context.may_take(folder, &[("from", old), ("to", new.unwrap_or(old))])
    };
    work(Passage { permits: &permits, keep_going: &|| context.cancel.check() })
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::fixture::Fixture;
    use super::*;
    use crate::catalog::BuiltinName;
    use crate::code::ErrorCode;

    #[test]
    fn a_file_moves_and_nothing_is_overwritten() {
        let fixture = Fixture::new();
        fixture.write("a", "1");
        fixture.write("d/b", "2");
        let error = fixture.fail(BuiltinName::MovePath, json!({"from": "a", "to": "d/b"}));
        assert_eq!(error.code, ErrorCode::PreconditionFailed);
        let output = fixture.run(BuiltinName::MovePath, json!({"from": "a", "to": "d/a"})).unwrap();
        assert_eq!(output.value, json!({"from": "a", "to": "d/a", "kind": "file"}));
        assert_eq!(output.effect, Effect::Happened);
        assert_eq!((fixture.read("d/a"), fixture.read("d/b")), ("1".to_owned(), "2".to_owned()));
    }
}
