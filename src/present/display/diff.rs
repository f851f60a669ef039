//! Unified diffs for people.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::text;

use super::DisplayOptions;
use super::line::{Line, Tone, relevant};

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// Most bytes of both texts that are compared.
const COMPARED: usize = 4 << 20;

/// How long comparing may take; past it the diff is coarser, never wrong.
const DEADLINE: Duration = Duration::from_millis(200);

/// The change of one file: a heading, then hunks.
pub(super) fn diff(
    path: &str,
    before: Option<&str>,
    after: Option<&str>,
    options: &DisplayOptions,
) -> Vec<Line> {
    let path = text::escape(path);
    let kind = match (before, after) {
        (None, Some(_)) => ", new file",
        (Some(_), None) => ", deleted",
        (Some(before), Some(after)) if before == after => ", unchanged",
        (Some(_), Some(_)) => "",
        (None, None) => ", nothing",
    };
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    if before.len() + after.len() > COMPARED {
        let sizes = format!(
            "{path}{kind}: {} bytes before, {} after, too large to compare",
            before.len(),
            after.len()
        );
        return vec![Line::new(Tone::Strong, sizes)];
    }
    let mut config = TextDiff::configure();
    let diff = config.timeout(DEADLINE).diff_lines(before, after);
    let (mut added, mut removed) = (0_usize, 0_usize);
    let mut body = Vec::new();
    for group in diff.grouped_ops(CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let range = |start: usize, end: usize| match end - start {
            // The convention of unified diffs: an empty range names the line before it.
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            count => format!("{},{count}", start + 1),
        };
        body.push(Line::new(
            Tone::Dim,
            format!(
                "@@ -{} +{} @@",
                range(first.old_range().start, last.old_range().end),
                range(first.new_range().start, last.new_range().end)
            ),
        ));
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, tone) = match change.tag() {
                ChangeTag::Equal => (' ', Tone::Plain),
                ChangeTag::Insert => ('+', Tone::Added),
                ChangeTag::Delete => ('-', Tone::Removed),
            };
            added += usize::from(tone == Tone::Added);
            removed += usize::from(tone == Tone::Removed);
            let value = change.value();
            let line = value.strip_suffix('\n').unwrap_or(value);
            body.push(Line::new(tone, format!("{sign}{}", text::escape_line(relevant(line, options)))));
            if change.missing_newline() {
                body.push(Line::new(Tone::Dim, "\\ no newline at the end of the file"));
            }
        }
    }
    let heading = Line::new(Tone::Strong, format!("{path}{kind}  +{added} -{removed}"));
    std::iter::once(heading).chain(body).collect()
}
