//! Ranges to hide, and the text that stands in their place.

use std::ops::Range;

/// What a hidden range was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    /// A resolved secret, by its index.
    Secret(usize),
    /// Something of the shape of a secret, by what a placeholder calls it.
    Shape(&'static str),
}

/// A range to hide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) range: Range<usize>,
    pub(super) label: Label,
}

/// Adds a mark. One that overlaps the last of the same kind becomes part of it, so that a text which repeats a secret a
/// million times does not make a million marks.
pub(super) fn push(marks: &mut Vec<Mark>, range: Range<usize>, label: Label) {
    match marks.last_mut() {
        Some(last)
            if last.label == label && last.range.start <= range.start && range.start < last.range.end =>
        {
            last.range.end = last.range.end.max(range.end);
        }
        _ => marks.push(Mark { range, label }),
    }
}

/// Sorts marks, widens them to whole characters, and joins those that overlap. Of joined marks the name of a resolved
/// secret wins over a shape, and the longer over the shorter.
pub(super) fn merge(input: &[u8], mut marks: Vec<Mark>) -> Vec<Mark> {
    for mark in &mut marks {
        while mark.range.start > 0 && is_continuation(input, mark.range.start) {
            mark.range.start -= 1;
        }
        while is_continuation(input, mark.range.end) {
            mark.range.end += 1;
        }
    }
    marks.sort_unstable_by_key(|mark| (mark.range.start, mark.range.end));
    let mut merged: Vec<(Mark, usize)> = Vec::with_capacity(marks.len());
    for mark in marks {
        let length = mark.range.len();
        match merged.last_mut() {
            Some((last, longest)) if mark.range.start < last.range.end => {
                last.range.end = last.range.end.max(mark.range.end);
                let wins = match (last.label, mark.label) {
                    (Label::Shape(_), Label::Secret(_)) => true,
                    (Label::Secret(_), Label::Shape(_)) => false,
                    _ => length > *longest,
                };
                if wins {
                    last.label = mark.label;
                    *longest = length;
                }
            }
            _ => merged.push((mark, length)),
        }
    }
    merged.into_iter().map(|(mark, _)| mark).collect()
}

fn is_continuation(input: &[u8], at: usize) -> bool {
    input.get(at).is_some_and(|byte| byte & 0xc0 == 0x80)
}

/// Appends `input[within]` to `out` with placeholders for the merged marks. A mark that began before `within` was announced
/// already.
pub(super) fn write(
    input: &[u8],
    within: Range<usize>,
    marks: &[Mark],
    placeholder: impl Fn(Label, &[u8]) -> String,
    out: &mut Vec<u8>,
) {
    let mut from = within.start;
    for mark in marks.iter().filter(|mark| mark.range.end > within.start && mark.range.start < within.end) {
        out.extend_from_slice(input.get(from..mark.range.start).unwrap_or_default());
        if mark.range.start >= within.start {
            let hidden = input.get(mark.range.clone()).unwrap_or_default();
            out.extend_from_slice(placeholder(mark.label, hidden).as_bytes());
        }
        from = mark.range.end;
    }
    out.extend_from_slice(input.get(from..within.end).unwrap_or_default());
}
