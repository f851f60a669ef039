//! `write_file`: a new file, or a whole one replaced.

use crate::code::{CallError, ErrorCode};
use crate::workspace::WorkspacePath;

use super::BuiltinContext;
use super::argument::{Arguments, violation};
use super::edit::Edit;
use super::text::{self, Endings};

/// Which files may be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    New,
    Replace,
    NewOrReplace,
}

impl Mode {
    /// A missing mode is the one that can destroy nothing.
    fn parse(text: Option<&str>) -> Result<Self, CallError> {
        match text {
            None | Some("new") => Ok(Self::New),
            Some("replace") => Ok(Self::Replace),
            Some("new_or_replace") => Ok(Self::NewOrReplace),
            Some(_) => Err(violation("mode", "`new`, `replace` or `new_or_replace`", "another word")),
        }
    }
}

/// Works out the change.
pub(super) fn edit<'a>(
    arguments: Arguments<'_>,
    context: &BuiltinContext<'a>,
) -> Result<Edit<'a>, CallError> {
    let asked = context.path("path", arguments.text("path")?)?;
    let content = arguments.text("content")?;
    let mode = Mode::parse(arguments.optional_text("mode")?)?;
    if content.len() > text::MAX_TEXT_BYTES {
        let expected = format!("at most {} MiB", text::MAX_TEXT_BYTES >> 20);
        return Err(violation("content", &expected, &format!("{} bytes", content.len())));
    }
    if content.contains('\0') {
        return Err(violation("content", "text", "a NUL character"));
    }
    let target = context.workspace.write_target(&asked)?;
    context.confirm("path", target.path())?;
    match (target.existing().is_some(), mode) {
        (true, Mode::New) => return Err(exists(&asked)),
        (false, Mode::Replace) => {
            return Err(CallError::new(ErrorCode::FileNotFound, format!("`{asked}` does not exist"))
                .with_hint("`mode: new` creates a file"));
        }
        (true, Mode::Replace | Mode::NewOrReplace) | (false, Mode::New | Mode::NewOrReplace) => {}
    }

    let before = target.existing().map(text::read_whole).transpose()?;
    let mut warnings = Vec::new();
    let after = match &before {
        None => content.to_owned(),
        Some(before) => keep_conventions(before, content, &mut warnings),
    };
    Ok(Edit { target, before, after, replacements: None, warnings })
}

/// Keeps the byte order mark and CRLF line ends of the text that is replaced.
fn keep_conventions(before: &str, content: &str, warnings: &mut Vec<String>) -> String {
    let mut after = content.to_owned();
    if Endings::of(before) == Endings::Crlf && content.contains('\n') && Endings::of(content) == Endings::Lf {
        after = text::to_crlf(content);
        warnings.push("the file's lines end in CRLF, so the new ones do too".to_owned());
    }
    if before.starts_with(text::BOM) && !after.starts_with(text::BOM) {
        after.insert_str(0, text::BOM);
        warnings.push("the file's UTF-8 byte order mark was kept".to_owned());
    }
    after
}

fn exists(path: &WorkspacePath) -> CallError {
    CallError::new(ErrorCode::PreconditionFailed, format!("`{path}` exists, and the mode is `new`"))
        .with_hint("`mode: replace` replaces a whole file; to change a part of it, replace that text only")
}

#[cfg(test)]
mod tests;
