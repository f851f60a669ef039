//! One source line with a mark under a span, bounded whatever the line holds.

use unicode_width::UnicodeWidthChar;

use super::{Source, Span};
use crate::text::escape;

/// Most columns shown before the marked text, and most of the marked text and what follows it.
const BEFORE: usize = 60;
const AFTER: usize = 80;
const TAB: &str = "    ";

/// A line and its mark, without any gutter.
pub(super) struct Excerpt {
    /// The line as shown.
    pub(super) line: String,
    /// Spaces and carets.
    pub(super) mark: String,
}

/// Shows the line on which `span` starts. A span over several lines is marked to the end of the first.
pub(super) fn excerpt(source: &Source, span: Span) -> Excerpt {
    let text: &str = &source.text;
    let start = floor(text, span.range().start);
    let end = floor(text, span.range().end).max(start);
    let line_start = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let line_end = text.get(start..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| start + at);
    let line_end =
        if text.get(start..line_end).is_some_and(|l| l.ends_with('\r')) { line_end - 1 } else { line_end };

    let (before, cut_before) = tail(text.get(line_start..start).unwrap_or_default());
    let mut line = String::new();
    if cut_before {
        line.push('…');
    }
    before.chars().for_each(|character| push_shown(&mut line, character));
    let indent = width(&line);

    let mut marked = 0;
    let mut used = 0;
    let mut cut_after = false;
    for (at, character) in text.get(start..line_end).unwrap_or_default().char_indices() {
        let from = line.len();
        push_shown(&mut line, character);
        let columns = width(line.get(from..).unwrap_or_default());
        if used + columns > AFTER {
            line.truncate(from);
            cut_after = true;
            break;
        }
        used += columns;
        if start + at < end {
            marked += columns;
        }
    }
    if cut_after {
        line.push('…');
    }
    let mark = format!("{}{}", " ".repeat(indent), "^".repeat(marked.max(1)));
    Excerpt { line: line.trim_end().to_owned(), mark }
}

/// The last characters of `text` that fit, and whether something was left out.
fn tail(text: &str) -> (&str, bool) {
    let mut used = 0;
    for (at, character) in text.char_indices().rev() {
        let mut shown = String::new();
        push_shown(&mut shown, character);
        used += width(&shown);
        if used > BEFORE {
            return (text.get(at + character.len_utf8()..).unwrap_or_default(), true);
        }
    }
    (text, false)
}

fn push_shown(out: &mut String, character: char) {
    match character {
        '\t' => out.push_str(TAB),
        other => out.push_str(&escape(other.encode_utf8(&mut [0; 4]))),
    }
}

fn width(text: &str) -> usize {
    text.chars().map(|character| character.width().unwrap_or(0)).sum()
}

fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset.min(text.len()))
}
