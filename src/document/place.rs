//! From a range of a scalar's text to its place in the file.

use std::ops::Range;

use crate::diagnostic::Span;

use super::{Node, NodeValue};

/// The place in the file of a byte range of a text node's value.
///
/// `text` is the text of the file that the node was read from. Plain and quoted scalars on one line give the exact
/// place, escapes included. In block scalars and over several lines the word at the start of the range is looked up.
/// Where that fails, the node's own place comes back.
#[must_use]
pub fn span_within(text: &str, node: &Node, range: Range<usize>) -> Span {
    let NodeValue::String(value) = &node.value else { return node.span };
    let Some(written) = text.get(node.span.range()) else { return node.span };
    let found = if written.contains('\n') {
        by_word(written, value, range)
    } else if let Some(quoted) = written.strip_prefix('"') {
        Some(walk(quoted, value, range, double_quoted)).map(|r| r.start + 1..r.end + 1)
    } else if let Some(quoted) = written.strip_prefix('\'') {
        Some(walk(quoted, value, range, single_quoted)).map(|r| r.start + 1..r.end + 1)
    } else if written == value.as_str() {
        Some(range)
    } else {
        by_word(written, value, range)
    };
    let Some(found) = found else { return node.span };
    let start = node.span.range().start;
    let end = node.span.range().end;
    let from = (start + found.start).min(end);
    Span::new(node.span.source, from..(start + found.end).clamp(from, end))
}

/// Walks the written form beside the value; `step` tells how many written bytes the next character takes.
fn walk(written: &str, value: &str, range: Range<usize>, step: fn(&str) -> usize) -> Range<usize> {
    let mut at = 0;
    let mut from = None;
    for (offset, _) in value.char_indices() {
        if from.is_none() && offset >= range.start {
            from = Some(at);
        }
        if offset >= range.end {
            return from.unwrap_or(at)..at;
        }
        at += written.get(at..).map_or(0, step);
    }
    from.unwrap_or(at)..at
}

fn single_quoted(rest: &str) -> usize {
    if rest.starts_with("''") { 2 } else { rest.chars().next().map_or(0, char::len_utf8) }
}

fn double_quoted(rest: &str) -> usize {
    let mut characters = rest.chars();
    match (characters.next(), characters.next()) {
        (Some('\\'), Some('x')) => 4,
        (Some('\\'), Some('U')) => 10,
        // Two escapes of surrogates make one character.
        (Some('\\'), Some('u')) => {
            let high = rest.get(2..6).and_then(|hex| u32::from_str_radix(hex, 16).ok());
            if high.is_some_and(|code| (0xd800..0xdc00).contains(&code)) { 12 } else { 6 }
        }
        (Some('\\'), Some(escaped)) => 1 + escaped.len_utf8(),
        (Some(plain), _) => plain.len_utf8(),
        (None, _) => 0,
    }
}

/// The occurrence of the range's first word that has as many occurrences before it as in the value.
fn by_word(written: &str, value: &str, range: Range<usize>) -> Option<Range<usize>> {
    let rest = value.get(range.start..)?;
    let skipped = rest.len() - rest.trim_start().len();
    let word = rest.split_whitespace().next()?;
    let before = value.get(..range.start + skipped)?.matches(word).count();
    let (at, _) = written.match_indices(word).nth(before)?;
    Some(at..at + word.len().min(range.len().max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::SourceMap;
    use crate::document::{ReadLimits, read};

    #[test]
    fn ranges_of_a_value_are_found_in_every_style_of_scalar() {
        let cases = [
            ("a: size(x) > zz\n", "zz", "zz"),
            ("a: 'x == ''b'' && zz'\n", "zz", "zz"),
            ("a: \"\\x41\\u00e9\\uD83D\\uDE00\\n\\\" zz\"\n", "zz", "zz"),
            ("a: 'it''s'\n", "'", "''"),
            ("a: |\n  first\n  then zz(1)\n", "zz(1)", "zz(1)"),
            ("a: >-\n  zzz zz\n  and zz\n", "and", "and"),
            ("a: one\n  two zz\n", "zz", "zz"),
        ];
        for (text, wanted, shown) in cases {
            let mut sources = SourceMap::default();
            let id = sources.add("t", text);
            let root = read(id, text, ReadLimits::default()).unwrap();
            let NodeValue::Mapping(entries) = &root.value else { panic!("{text}") };
            let node = &entries[0].value;
            let NodeValue::String(value) = &node.value else { panic!("{text}") };
            let start = value.rfind(wanted).unwrap();
            let span = span_within(text, node, start..start + wanted.len());
            assert_eq!(&text[span.range()], shown, "{text}");
            assert!(span.start as usize >= text.rfind(shown).unwrap(), "{text}");
        }
    }

    #[test]
    fn a_range_that_makes_no_sense_stays_within_the_node() {
        let text = "a: \"é\\u00\"\nb: &x é z\nc: *x\n".replace("\\u00", "");
        let mut sources = SourceMap::default();
        let id = sources.add("t", text.as_str());
        let root = read(id, &text, ReadLimits::default()).unwrap();
        let NodeValue::Mapping(entries) = &root.value else { panic!("a mapping") };
        for entry in entries {
            for (start, end) in [(0, 1), (1, 2), (5, 90), (90, 2), (3, 3)] {
                let span = span_within(&text, &entry.value, start..end);
                assert!(span.start >= entry.value.span.start && span.end <= entry.value.span.end);
            }
        }
    }
}
