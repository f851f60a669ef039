//! `move_path`: another name for a file or directory, overwriting nothing.

use serde_json::json;

use crate::code::{CallError, Effect};
use crate::present::{BuiltinOutput, DisplayBody};

use super::BuiltinContext;
use super::argument::Arguments;

pub(super) fn run(
    arguments: Arguments<'_>,
    context: &BuiltinContext<'_>,
) -> Result<BuiltinOutput, CallError> {
    let from = context.path("from", arguments.text("from")?)?;
    let to = context.path("to", arguments.text("to")?)?;
    let approved = |from: &_, to: &_| context.confirm("from", from).and_then(|()| context.confirm("to", to));
    let moved = context.workspace.rename(&from, &to, &approved, &|| context.cancel.check())?;
    Ok(BuiltinOutput {
        value: json!({"from": moved.from.as_str(), "to": moved.to.as_str(), "kind": moved.kind.as_str()}),
        text: Some(format!("moved `{}` to `{}`", moved.from, moved.to)),
        total: None,
        next: None,
        truncated: false,
        display: DisplayBody::Content,
        effect: Effect::Happened,
        warnings: moved.remark.map(str::to_owned).into_iter().collect(),
    })
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
