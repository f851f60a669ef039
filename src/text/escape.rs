//! Characters that a terminal obeys or a reader cannot see, spelled out as `\u{…}`.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

/// Most combining marks shown on one character; more of them only serve to paint over other lines.
const MARKS_SHOWN: usize = 3;

/// Columns from one tab stop to the next.
const TAB: usize = 4;

/// Whether a character has no agreed look of its own: a control, a bidirectional or other format character, a
/// filler, a tag, a variation selector, a space that is not the usual one, or one that Unicode gave no meaning.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    matches!(c,
        // C1 controls; the second half of the terminal's escape sequences.
        '\u{80}'..='\u{9f}'
        // Spaces that look like the usual one, and line separators. U+3000 is visibly wide and common in text.
        | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}'
        // Format characters: soft hyphen, zero width, bidirectional marks, overrides and isolates, annotations.
        | '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        // Fillers that take room and show nothing, and joiners.
        | '\u{34f}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}'
        // Variation selectors, with which any bytes can ride on one visible character.
        | '\u{fe00}'..='\u{fe0f}'
        // Private use and noncharacters.
        | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{fffe}'..='\u{ffff}'
        // Tags, more variation selectors, the last private planes.
        | '\u{e0000}'..='\u{10ffff}')
}

/// Spells out what cannot be seen in one line of text; line breaks become `\n` and tabs `\t`.
///
/// Borrowed where there is nothing to spell out. A backslash stays as it is, so text that already holds `\u{202e}`
/// reads like text that holds the character: the doubt makes a reader more careful, never less.
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    rewrite(text, |c, out| match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        _ => push_code(c, out),
    })
}

/// Spells out what cannot be seen in a line of a file or of output; tabs become spaces up to the next stop.
///
/// The caller has split the text at line feeds. A carriage return at the end of the line is shown too: it tells one
/// kind of line end from the other.
#[must_use]
pub fn escape_line(line: &str) -> Cow<'_, str> {
    rewrite_with(line, |c, out, column| match c {
        '\t' => (0..TAB - column % TAB).for_each(|_| out.push(' ')),
        '\r' => out.push_str("\\r"),
        _ => push_code(c, out),
    })
}

fn rewrite(text: &str, mut spell: impl FnMut(char, &mut String)) -> Cow<'_, str> {
    rewrite_with(text, |c, out, _| spell(c, out))
}

/// Rewrites the hidden characters of `text` with `spell`, which is told the display column it writes at.
fn rewrite_with(text: &str, mut spell: impl FnMut(char, &mut String, usize)) -> Cow<'_, str> {
    let plain = |c: char| (' '..='~').contains(&c);
    let Some(first) = text.find(|c| !plain(c)) else { return Cow::Borrowed(text) };
    let (clean, rest) = text.split_at(first);
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(clean);
    let mut column = clean.len();
    let mut marks = if clean.is_empty() { MARKS_SHOWN } else { 0 };
    let mut changed = false;
    for c in rest.chars() {
        let columns = c.width().unwrap_or(0);
        let overflowing = columns == 0 && marks >= MARKS_SHOWN;
        if is_hidden(c) || overflowing {
            changed = true;
            let before = out.len();
            spell(c, &mut out, column);
            column += out.len() - before;
            // A mark after an escape would attach itself to the closing brace.
            marks = MARKS_SHOWN;
        } else {
            out.push(c);
            column += columns;
            marks = if columns == 0 { marks + 1 } else { 0 };
        }
    }
    if changed { Cow::Owned(out) } else { Cow::Borrowed(text) }
}

fn push_code(c: char, out: &mut String) {
    out.extend(c.escape_unicode());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_text_is_borrowed_and_other_scripts_stay_readable() {
        assert!(matches!(escape("cargo test -- --quiet"), Cow::Borrowed(_)));
        assert_eq!(escape("naïve 日本語 рус 😀 a\u{301}"), "naïve 日本語 рус 😀 a\u{301}");
    }

    #[test]
    fn terminal_sequences_are_printed_literally() {
        assert_eq!(escape("\u{1b}[2K\u{1b}]8;;\r\u{9b}1m"), "\\u{1b}[2K\\u{1b}]8;;\\r\\u{9b}1m");
    }

    #[test]
    fn tabs_line_breaks_and_invisible_characters_are_spelled_out() {
        assert_eq!(escape("a\tb\nc"), "a\\tb\\nc");
        assert_eq!(
            escape("a\u{200b}b\u{202e}c\u{e0041}d\u{feff}\u{a0}\u{3164}\u{fe0f}"),
            "a\\u{200b}b\\u{202e}c\\u{e0041}d\\u{feff}\\u{a0}\\u{3164}\\u{fe0f}"
        );
    }

    #[test]
    fn marks_that_pile_up_or_have_no_base_are_spelled_out() {
        assert_eq!(escape("\u{301}a"), "\\u{301}a");
        assert_eq!(escape("a\u{301}\u{301}\u{301}\u{301}"), "a\u{301}\u{301}\u{301}\\u{301}");
    }

    #[test]
    fn tabs_of_a_line_reach_the_next_stop() {
        assert_eq!(escape_line("\tab\tc"), "    ab  c");
        assert_eq!(escape_line("日\tc\r"), "日  c\\r");
    }

    proptest! {
        #[test]
        fn nothing_hidden_survives(text in any::<String>()) {
            prop_assert!(!escape(&text).chars().any(is_hidden));
            prop_assert!(!escape_line(&text.replace('\n', " ")).chars().any(is_hidden));
        }
    }
}
