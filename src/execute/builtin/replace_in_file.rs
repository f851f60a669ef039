//! `replace_in_file`: exact text, which must occur as often as the call says.

use crate::code::{CallError, ErrorCode, Violation};
use crate::workspace::WorkspacePath;

use super::BuiltinContext;
use super::argument::{Arguments, violation};
use super::edit::Edit;
use super::text::{self, count_endings};

const MAX_COUNT: u64 = 10_000;
/// Most line numbers named in an error.
const MAX_NAMED: usize = 10;
/// Most lines compared when looking for a similar one.
const MAX_COMPARED: usize = 20_000;
/// Lines less alike than this are not worth naming.
const LEAST_LIKENESS: f64 = 0.6;
const SHOWN_CHARS: usize = 80;

/// Works out the change.
pub(super) fn edit<'a>(
    arguments: Arguments<'_>,
    context: &BuiltinContext<'a>,
) -> Result<Edit<'a>, CallError> {
    let asked = context.path("path", arguments.text("path")?)?;
    let (old, new) = (arguments.text("old")?, arguments.text("new")?);
    let count = arguments.count("count", 1, MAX_COUNT)?;
    if old.is_empty() {
        return Err(violation("old", "text that occurs in the file", "an empty string"));
    }
    if new.contains('\0') {
        return Err(violation("new", "text", "a NUL character"));
    }
    let target = context.workspace.write_target(&asked)?;
    context.confirm("path", target.path())?;
    let Some(existing) = target.existing() else {
        return Err(CallError::new(ErrorCode::FileNotFound, format!("`{asked}` does not exist"))
            .with_hint("list the directory to see what is there"));
    };
    let before = text::read_whole(existing)?;

    let view = View::of(&before);
    let old = view.adapt(old);
    let most = usize::try_from(MAX_COUNT).unwrap_or(usize::MAX).saturating_add(1);
    let found: Vec<usize> = view.text.match_indices(old.as_str()).map(|(at, _)| at).take(most).collect();
    if found.len() as u64 != count {
        return Err(miscounted(&asked, &view.text, &old, &found, count));
    }
    let new = view.replacement(new);
    if before.len().saturating_add(new.len().saturating_mul(found.len())) > text::MAX_TEXT_BYTES {
        return Err(violation(
            "new",
            &format!("a result of at most {} MiB", text::MAX_TEXT_BYTES >> 20),
            "a larger one",
        ));
    }
    let mut after = String::with_capacity(before.len() + new.len());
    let mut copied = 0;
    for at in &found {
        let (start, end) = (view.position(*at), view.position(at + old.len()));
        after.push_str(before.get(copied..start).unwrap_or_default());
        after.push_str(&new);
        copied = end;
    }
    after.push_str(before.get(copied..).unwrap_or_default());
    let mut warnings = Vec::new();
    if view.writes_crlf && new.contains('\n') {
        warnings.push("the file's lines end in CRLF, so the new ones do too".to_owned());
    }
    Ok(Edit { target, before: Some(before), after, replacements: Some(count), warnings })
}

/// A text with `\n` for every `\r\n`, so that text copied from a listing is found in it, and the way back.
struct View {
    text: String,
    /// Positions in `text` of the `\n` that had a `\r` before them; in order.
    dropped: Vec<usize>,
    writes_crlf: bool,
}

impl View {
    fn of(original: &str) -> Self {
        let (crlf, lf) = count_endings(original);
        let mut dropped = Vec::new();
        let mut text = String::with_capacity(original.len());
        let mut rest = original;
        while let Some(at) = rest.find("\r\n") {
            let (line, tail) = rest.split_at(at);
            text.push_str(line);
            dropped.push(text.len());
            text.push('\n');
            rest = tail.get(2..).unwrap_or_default();
        }
        text.push_str(rest);
        Self { text, dropped, writes_crlf: crlf > 0 && crlf >= lf }
    }

    /// The text to look for, in the form of this view.
    fn adapt(&self, text: &str) -> String {
        if self.dropped.is_empty() { text.to_owned() } else { text.replace("\r\n", "\n") }
    }

    /// The text to put in, with the file's own line ends.
    fn replacement(&self, text: &str) -> String {
        match (self.dropped.is_empty(), self.writes_crlf) {
            (true, _) => text.to_owned(),
            (false, true) => text::to_crlf(text),
            (false, false) => text.replace("\r\n", "\n"),
        }
    }

    /// The position in the original of a position in the view.
    fn position(&self, at: usize) -> usize {
        at + self.dropped.partition_point(|dropped| *dropped < at)
    }
}

fn miscounted(path: &WorkspacePath, text: &str, old: &str, found: &[usize], count: u64) -> CallError {
    let expected = match count {
        1 => "text that occurs exactly once".to_owned(),
        count => format!("text that occurs exactly {count} times"),
    };
    let (message, finding, hint) = if found.is_empty() {
        let hint =
            similar(text, old).unwrap_or_else(|| "read the file again and copy the text exactly".to_owned());
        (format!("`old` does not occur in `{path}`"), "no occurrence".to_owned(), hint)
    } else {
        let times = match found.len() as u64 {
            1 => "once".to_owned(),
            found if found > MAX_COUNT => format!("more than {MAX_COUNT} times"),
            found => format!("{found} times"),
        };
        let lines = line_numbers(text, found);
        (
            format!("`old` occurs {times} in `{path}`, at {lines}, not {count}"),
            format!("{} occurrences, at {lines}", found.len()),
            format!(
                "add neighbouring lines to `old`, or state `count: {}` to replace all of them",
                found.len()
            ),
        )
    };
    let violation =
        Violation { pointer: "/old".to_owned(), expected, found: finding, hint: Some(hint.clone()) };
    CallError::new(ErrorCode::InvalidArguments, message).with_hint(hint).with_violations(vec![violation])
}

fn line_numbers(text: &str, found: &[usize]) -> String {
    let mut numbers = Vec::new();
    let (mut line, mut counted) = (1, 0);
    for at in found.iter().take(MAX_NAMED) {
        line += text.get(counted..*at).unwrap_or_default().matches('\n').count();
        counted = *at;
        numbers.push(line.to_string());
    }
    let more = if found.len() > MAX_NAMED { ", …" } else { "" };
    format!("{} {}{more}", if found.len() == 1 { "line" } else { "lines" }, numbers.join(", "))
}

/// Names the line that is most like the first line of `old`.
fn similar(text: &str, old: &str) -> Option<String> {
    let wanted = old.lines().find(|line| !line.trim().is_empty())?.trim();
    let wanted = bounded(wanted);
    let mut best: Option<(f64, usize, &str)> = None;
    for (number, line) in (1..).zip(text.lines()).take(MAX_COMPARED) {
        let trimmed = bounded(line.trim());
        let alike = if trimmed == wanted { 1.0 } else { strsim::sorensen_dice(trimmed, wanted) };
        if alike > best.map_or(LEAST_LIKENESS, |(best, _, _)| best) {
            best = Some((alike, number, trimmed));
        }
    }
    let (alike, number, line) = best?;
    Some(if alike >= 1.0 {
        format!(
            "line {number} differs from the first line of `old` at most in white space, or what follows differs"
        )
    } else {
        format!("line {number} is the most similar: `{}`", line.escape_debug())
    })
}

fn bounded(line: &str) -> &str {
    line.char_indices().nth(SHOWN_CHARS).map_or(line, |(end, _)| line.get(..end).unwrap_or(line))
}

#[cfg(test)]
mod tests;
