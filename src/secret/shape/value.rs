//! Values: where one ends, and whether it is literal.

use std::ops::Range;

use super::find::Edge;

/// Most bytes of one value.
const MOST_VALUE: usize = 8 << 10;
/// No word, path or type is this long.
const LONG_VALUE: usize = 256;

/// The byte at an offset; 0 outside the text.
pub(super) fn at(input: &[u8], offset: usize) -> u8 {
    input.get(offset).copied().unwrap_or(0)
}

/// A value as it stands in a text.
pub(super) struct Value<'a> {
    pub(super) range: Range<usize>,
    pub(super) text: &'a [u8],
    pub(super) quoted: bool,
    /// The byte after it; 0 at the end.
    pub(super) next: u8,
}

/// The bytes that an unquoted value ends before.
pub(super) struct Ends([bool; 256]);

impl Ends {
    /// White space, NUL and these.
    #[expect(clippy::indexing_slicing, reason = "a byte indexes 256 entries; checked when compiled")]
    pub(super) const fn new(bytes: &[u8]) -> Self {
        let mut ends = [false; 256];
        let mut all: &[u8] = b"\0\t\n\x0c\r ";
        let mut round = 0;
        while round < 2 {
            let mut at = 0;
            while at < all.len() {
                ends[all[at] as usize] = true;
                at += 1;
            }
            all = bytes;
            round += 1;
        }
        Self(ends)
    }

    fn has(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte)).copied().unwrap_or(true)
    }
}

/// Reads the value that starts at `from`.
pub(super) fn read<'a>(input: &'a [u8], from: usize, ends: &Ends) -> Option<Value<'a>> {
    let rest = input.get(from..)?;
    let (start, end) = match opening(rest) {
        Some((escapes, quote)) => (escapes + 1, closing(rest, escapes + 1, quote, escapes)),
        None => (0, bare_end(rest, ends)),
    };
    Some(Value {
        range: from + start..from + end,
        text: rest.get(start..end)?,
        quoted: start > 0,
        next: at(rest, end),
    })
}

/// The quote that a text starts with, and how many escapes stand before it: inside a string literal, quotes are escaped.
pub(super) fn opening(rest: &[u8]) -> Option<(usize, u8)> {
    let escapes = rest.iter().take(4).take_while(|byte| **byte == b'\\').count();
    Some((escapes, at(rest, escapes))).filter(|(_, quote)| matches!(quote, b'"' | b'\''))
}

/// Where an unquoted value ends. Of a long one that is no literal only the beginning is read: else a text made of such values
/// would be read again from each of them.
fn bare_end(rest: &[u8], ends: &Ends) -> usize {
    let run = |most: usize| rest.iter().take(most).take_while(|byte| !ends.has(**byte)).count();
    let head = run(LONG_VALUE);
    let text = rest.get(..head).unwrap_or_default();
    if head < LONG_VALUE || is_reference(text) || is_expression(text, 0) { head } else { run(MOST_VALUE) }
}

/// Where a quoted value ends: before its quote, or with its line.
fn closing(rest: &[u8], start: usize, quote: u8, escapes: usize) -> usize {
    let mut at = start;
    while let Some(&byte) = rest.get(at).filter(|_| at - start < MOST_VALUE) {
        match byte {
            b'\n' => return at,
            b'\\' => {
                let count = rest.iter().skip(at).take_while(|byte| **byte == b'\\').count();
                let closes = rest.get(at + count) == Some(&quote) && count == escapes;
                if closes {
                    return at;
                }
                at += count + usize::from(escapes == 0 && count % 2 == 1);
            }
            _ if byte == quote && escapes == 0 => return at,
            _ => at += 1,
        }
    }
    at.min(rest.len())
}

/// Whether a value only points to where the secret is: a variable, a placeholder, something hidden already.
pub(super) fn is_reference(text: &[u8]) -> bool {
    matches!(at(text, 0), b'$' | b'<' | b'{')
        || text.starts_with(b"[secret:")
        || text.starts_with(b"%(")
        || text.iter().all(|byte| matches!(byte, b'*' | b'.' | b'x' | b'X'))
}

/// Whether a value is a path of names, as in program text: `self.token`, `String`.
pub(super) fn is_path(text: &[u8]) -> bool {
    !text.is_empty()
        && text.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b':' | b'?'))
}

/// Whether a value is an expression of a program: a path that is called, indexed, or has several parts.
pub(super) fn is_expression(text: &[u8], next: u8) -> bool {
    let path = text
        .iter()
        .take_while(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'!' | b'?' | b'&')
        })
        .count();
    let after = if path == text.len() { next } else { at(text, path) };
    let called = path > 0 && !at(text, 0).is_ascii_digit() && matches!(after, b'(' | b'[');
    let parts = is_path(text) && text.iter().any(|byte| matches!(byte, b'.' | b':'));
    called || parts || at(text, 0) == b'&'
}

/// Whether a value is a word that types, settings and sentences use.
pub(super) fn is_common(text: &[u8]) -> bool {
    const COMMON: &[&str] = &[
        "str",
        "string",
        "int",
        "integer",
        "bool",
        "boolean",
        "bytes",
        "number",
        "object",
        "any",
        "null",
        "none",
        "nil",
        "undefined",
        "true",
        "false",
        "yes",
        "no",
        "optional",
        "required",
        "secretstr",
        "secretstring",
        "password",
        "token",
        "to",
        "is",
        "for",
        "and",
        "or",
        "the",
        "with",
        "must",
        "in",
        "from",
        "via",
        "inherit",
        "unset",
        "default",
        "auto",
        "prompt",
        "static",
        "self",
        "this",
        "basic",
        "bearer",
    ];
    COMMON.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether a text is long and mixed enough to be no word.
pub(super) fn is_mixed(text: &[u8]) -> bool {
    text.len() >= LONG_VALUE
        || text.len() >= 8 && text.iter().any(u8::is_ascii_digit) && text.iter().any(u8::is_ascii_alphabetic)
}

/// The part of a text that holds a secret, where a name said so: all of it, or what stands after the scheme.
pub(in crate::secret) fn hidden_text(text: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    (!bytes.trim_ascii().is_empty() && !is_reference(bytes)).then_some(0..bytes.len())
}

/// Where the credential starts after an optional scheme, and whether there is a scheme.
pub(super) fn after_scheme(text: &[u8]) -> (usize, bool) {
    const MOST_SCHEME: usize = 32;
    let scheme = text
        .iter()
        .take(MOST_SCHEME)
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-')
        .count();
    let spaces = text.iter().skip(scheme).take(MOST_SCHEME).take_while(|byte| **byte == b' ').count();
    let next = at(text, scheme + spaces);
    let has_scheme = scheme > 0 && spaces > 0 && !matches!(next, 0 | b' ' | b'"' | b'\'' | b'\n' | b'\r');
    if has_scheme { (scheme + spaces, true) } else { (0, false) }
}

/// Whether a value touches a cut.
pub(super) fn is_cut(input: &[u8], range: &Range<usize>, edge: Edge) -> bool {
    edge == Edge::Cut && range.end == input.len()
}
