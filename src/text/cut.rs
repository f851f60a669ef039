//! Cutting text by bytes or by columns, never inside a character, an escape or a redaction mark.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What the redactor leaves where a secret was; longer marks are cut like any text.
const MARK_START: &str = "[secret:";

/// Most bytes of a mark: the brackets and a credential's name of the greatest length.
const MARK_BYTES: usize = MARK_START.len() + 128 + 1;

/// Most bytes of a JSON escape: a surrogate pair, `\ud83d\ude00`.
const ESCAPE_BYTES: usize = 12;

/// The greatest character boundary of `text` at or before `at`.
#[must_use]
pub fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The beginning of `text`, at most `max` bytes.
///
/// It ends before a character, a JSON escape or a mark like `[secret:NAME]` that does not fit whole.
#[must_use]
pub fn head(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let cut = floor_boundary(text, max);
    let cut = unit_around(text, cut).map_or(cut, |unit| unit.start);
    text.get(..cut).unwrap_or_default()
}

/// The end of `text`, at most `max` bytes; it begins after whatever does not fit whole, as [`head`] ends before it.
#[must_use]
pub fn tail(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut cut = text.len() - max;
    while !text.is_char_boundary(cut) {
        cut += 1;
    }
    let cut = unit_around(text, cut).map_or(cut, |unit| unit.end);
    text.get(cut..).unwrap_or_default()
}

/// The escape or redaction mark that a cut at `cut` would split.
fn unit_around(text: &str, cut: usize) -> Option<std::ops::Range<usize>> {
    mark_around(text, cut).or_else(|| escape_around(text, cut))
}

fn mark_around(text: &str, cut: usize) -> Option<std::ops::Range<usize>> {
    let from = floor_boundary(text, cut.saturating_sub(MARK_BYTES));
    let to = floor_boundary(text, cut.saturating_add(MARK_BYTES));
    let near = text.get(from..to)?;
    let starts = near.match_indices(MARK_START).map(|(at, _)| from + at);
    starts.filter(|start| *start < cut).last().and_then(|start| {
        let end = start + text.get(start..to)?.find(']')? + 1;
        (end > cut).then_some(start..end)
    })
}

fn escape_around(text: &str, cut: usize) -> Option<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let low = cut.saturating_sub(ESCAPE_BYTES);
    (low..cut).find_map(|at| {
        let escape = bytes.get(at..)?;
        // An escape begins at a backslash that is not itself escaped: an even number of them before it.
        let before = bytes.get(..at)?.iter().rev().take_while(|b| **b == b'\\').count();
        if escape.first() != Some(&b'\\') || before % 2 != 0 {
            return None;
        }
        let unit = |bytes: &[u8]| match bytes {
            [b'\\', b'u', digits @ ..]
                if digits.len() >= 4 && digits.iter().take(4).all(u8::is_ascii_hexdigit) =>
            {
                6
            }
            [b'\\', next, ..] if next.is_ascii() => 2,
            _ => 1,
        };
        let mut length = unit(escape);
        let surrogate = matches!(escape, [_, b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B', ..]);
        if length == 6 && surrogate && escape.get(6..).is_some_and(|rest| unit(rest) == 6) {
            length = 12;
        }
        (at + length > cut).then_some(at..at + length)
    })
}

/// Columns that `text` takes on a terminal, once it is escaped.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` in at most `columns` columns; what is cut off is replaced by `…`, or by `~` without Unicode.
#[must_use]
pub fn fit(text: &str, columns: usize, unicode: bool) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    if columns == 0 {
        return String::new();
    }
    let end = prefix_of_width(text, columns - 1);
    let mut out = text.get(..end).unwrap_or_default().to_owned();
    out.push(if unicode { '…' } else { '~' });
    out
}

/// `text` in pieces of at most `columns` columns each; always at least one piece, and each but an empty text's has
/// at least one character.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    loop {
        let end = prefix_of_width(rest, columns);
        let end = if end == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { end };
        let (piece, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        pieces.push(piece);
        if after.is_empty() {
            return pieces;
        }
        rest = after;
    }
}

/// `text` in pieces as of [`wrap`], each of which ends behind a space where it has one: words stay whole where they fit.
/// The pieces together are the text but for the space at each break.
#[must_use]
pub fn wrap_words(text: &str, columns: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    loop {
        let end = prefix_of_width(rest, columns);
        let end = if end == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { end };
        let (head, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if after.is_empty() {
            pieces.push(head);
            return pieces;
        }
        // What stands at the start alone is an indent, and no place to break at.
        let space = head.rfind(' ').filter(|at| !head.get(..*at).unwrap_or_default().trim().is_empty());
        let (piece, next) = match (after.strip_prefix(' '), space) {
            (Some(next), _) => (head, next),
            (None, Some(at)) => (rest.get(..at).unwrap_or(head), rest.get(at + 1..).unwrap_or(after)),
            (None, None) => (head, after),
        };
        pieces.push(piece);
        if next.is_empty() {
            return pieces;
        }
        rest = next;
    }
}

/// Bytes of the longest prefix that takes at most `columns` columns.
fn prefix_of_width(text: &str, columns: usize) -> usize {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > columns {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cut_never_splits_a_character() {
        let text = "漢".repeat(40_000);
        assert_eq!(head(&text, 1000), "漢".repeat(333));
        assert_eq!(tail(&text, 1000), "漢".repeat(333));
    }

    #[test]
    fn a_cut_never_splits_a_redaction_mark() {
        let text = "key=[secret:token] done";
        for max in 4..18 {
            assert_eq!(head(text, max), "key=", "{max}");
        }
        assert_eq!(head(text, 18), "key=[secret:token]");
        assert_eq!(tail(text, 8), " done");
        assert_eq!(tail(text, 19), "[secret:token] done");
    }

    #[test]
    fn a_cut_never_splits_a_json_escape() {
        let text = r#""a\u00e9b""#;
        assert_eq!(head(text, 5), r#""a"#);
        assert_eq!(head(text, 8), r#""a\u00e9"#);
        assert_eq!(head(r"\ud83d\ude00", 8), "");
        assert_eq!(head(r"\\\n", 3), r"\\");
        assert_eq!(tail(r"a\nb", 2), "b");
    }

    #[test]
    fn fitting_counts_columns_and_says_that_something_is_missing() {
        assert_eq!(fit("漢字漢字", 8, true), "漢字漢字");
        assert_eq!(fit("漢字漢字", 6, true), "漢字…");
        assert_eq!(fit("abcdef", 3, false), "ab~");
        assert_eq!(fit("abc", 0, true), "");
    }

    #[test]
    fn wrapping_loses_nothing_and_survives_a_column_too_narrow_for_a_character() {
        assert_eq!(wrap("", 5), vec![""]);
        assert_eq!(wrap("abcdef", 4), vec!["abcd", "ef"]);
        assert_eq!(wrap("漢字", 1), vec!["漢", "字"]);
    }

    proptest! {
        #[test]
        fn cuts_keep_their_limit_and_are_parts_of_the_text(text in any::<String>(), max in 0_usize..200) {
            prop_assert!(head(&text, max).len() <= max);
            prop_assert!(text.starts_with(head(&text, max)));
            prop_assert!(tail(&text, max).len() <= max);
            prop_assert!(text.ends_with(tail(&text, max)));
        }

        #[test]
        fn wrapped_pieces_make_up_the_text(text in any::<String>(), columns in 0_usize..50) {
            prop_assert_eq!(wrap(&text, columns).concat(), text);
        }
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        let cases: [(&str, usize, &[&str]); 6] = [
            ("one two three", 7, &["one two", "three"]),
            ("one two three", 8, &["one two", "three"]),
            ("one two three", 5, &["one", "two", "three"]),
            ("abcdefghij kl", 4, &["abcd", "efgh", "ij", "kl"]),
            ("short", 10, &["short"]),
            ("", 10, &[""]),
        ];
        for (text, columns, expected) in cases {
            assert_eq!(wrap_words(text, columns), expected, "{text:?} in {columns}");
        }
    }

    proptest! {
        #[test]
        fn wrapped_words_lose_nothing_but_spaces_and_fit(text in "[a-z ]{0,60}", columns in 1_usize..20) {
            let pieces = wrap_words(&text, columns);
            prop_assert!(pieces.iter().all(|piece| width(piece) <= columns), "{pieces:?}");
            let bare = |text: &str| text.replace(' ', "");
            prop_assert_eq!(bare(&pieces.concat()), bare(&text));
        }
    }
}
