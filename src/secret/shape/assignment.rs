//! A name that says that its value is secret, and the value: `API_KEY=v cmd`, `"password": "v"`, `--token v`.

use std::ops::Range;

use super::find::Edge;
use super::name::{Secrecy, is_capital, secrecy};
use super::token::is_word;
use super::value::{
    Ends, Value, after_scheme, at as byte_at, hidden_text, is_common, is_cut, is_expression, is_mixed,
    is_path, is_reference, opening, read,
};

/// A longer name is none.
const MOST_NAME: usize = 64;
/// Most spaces between a name and its value.
const MOST_SPACES: usize = 16;

static SHELL_ENDS: Ends = Ends::new(b"\"'`;&|");
static TEXT_ENDS: Ends = Ends::new(b"\"'`;&|,)]}<>\\");
static ELEMENT_ENDS: Ends = Ends::new(b"<");
static HEADER_ENDS: Ends = Ends::new(b"\"'`\\<>,;)");

/// How a name and its value are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Join {
    /// `"name": value`.
    Member,
    /// `NAME=value`.
    Variable,
    /// `--name value`, `--name=value`.
    Option,
    /// `<name>value<`.
    Element,
    /// `name: value`.
    Colon,
    /// `name=value`.
    Equals,
    /// `name = value`.
    SpacedEquals,
}

/// Looks at the name around `word`. Returns where the name ends, and the value to hide.
pub(super) fn at(input: &[u8], word: Range<usize>, edge: Edge) -> (usize, Option<Range<usize>>) {
    let before = input.get(..word.start).unwrap_or_default();
    let left = before.iter().rev().take(MOST_NAME).take_while(|byte| is_word(**byte)).count();
    let after = input.get(word.end..).unwrap_or_default();
    let right = after.iter().take(MOST_NAME).take_while(|byte| is_word(**byte)).count();
    let (start, end) = (word.start - left, word.end + right);
    let written = input.get(start..end).unwrap_or_default();
    let dashes = written.iter().take_while(|byte| **byte == b'-').count();
    let name = written.get(dashes..).unwrap_or_default();
    if left == MOST_NAME || right == MOST_NAME {
        return (end, None);
    }
    if before.get(..start).is_some_and(|before| before.ends_with(b"[")) && is_placeholder(after) {
        return (end, None);
    }
    let Some(secrecy) = secrecy(name) else { return (end, None) };
    let value = join(input, start, end, dashes, name).and_then(|(join, from)| {
        if secrecy == Secrecy::Authorization {
            header(input, from, edge)
        } else {
            value(input, join, from, secrecy, edge)
        }
    });
    (end, value)
}

/// Whether `:kind#7]` follows, as a placeholder goes on after `[secret`.
fn is_placeholder(after: &[u8]) -> bool {
    let run = |from: usize, class: fn(&u8) -> bool| {
        after.iter().skip(from).take(MOST_NAME).take_while(|byte| class(byte)).count()
    };
    let kind = run(1, |byte| byte.is_ascii_lowercase() || *byte == b'_');
    let number = run(kind + 2, u8::is_ascii_digit);
    let signs = [byte_at(after, 0), byte_at(after, kind + 1), byte_at(after, kind + 2 + number)];
    kind > 0 && number > 0 && signs == *b":#]"
}

fn skip_spaces(input: &[u8], from: usize) -> usize {
    let rest = input.get(from..).unwrap_or_default();
    from + rest.iter().take(MOST_SPACES).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// How the name is joined to a value, and where that starts.
fn join(input: &[u8], start: usize, end: usize, dashes: usize, name: &[u8]) -> Option<(Join, usize)> {
    let before = start.checked_sub(1).map_or(0, |at| byte_at(input, at));
    if before == b'<' && byte_at(input, end) == b'>' {
        return Some((Join::Element, end + 1));
    }
    let is_option = dashes > 0 && !is_word(before);
    if is_option && matches!(byte_at(input, end), b' ' | b'=') {
        return Some((Join::Option, end + 1));
    }
    // A quoted name is closed by the quote that opened it, escaped as that one is.
    let rest = input.get(end..)?;
    let escapes = rest.iter().take(4).take_while(|byte| **byte == b'\\').count();
    let quoted = matches!(before, b'"' | b'\'') && byte_at(rest, escapes) == before;
    let close = if quoted { end + escapes + 1 } else { end };
    let sign = skip_spaces(input, close);
    let (colon, mut from) = match (byte_at(input, sign), byte_at(input, sign + 1)) {
        (b':', b':') | (b'=', b'=' | b'~') => return None,
        // `${NAME:-default}` of a shell.
        (b':', b'-' | b'+' | b'?') if before == b'{' => return None,
        (b':', b'=') | (b'=', b'>') => (false, sign + 2),
        (b':', _) => (true, sign + 1),
        (b'=', _) => (false, sign + 1),
        _ => return None,
    };
    let spaced = sign > close || matches!(byte_at(input, from), b' ' | b'\t');
    from = skip_spaces(input, from);
    let join = match () {
        () if quoted => Join::Member,
        () if colon => Join::Colon,
        () if spaced => Join::SpacedEquals,
        () if is_capital(name) => Join::Variable,
        () => Join::Equals,
    };
    Some((join, from))
}

fn value(input: &[u8], join: Join, from: usize, secrecy: Secrecy, edge: Edge) -> Option<Range<usize>> {
    let ends = match join {
        Join::Variable | Join::Option => &SHELL_ENDS,
        Join::Element => &ELEMENT_ENDS,
        Join::Member | Join::Colon | Join::Equals | Join::SpacedEquals => &TEXT_ENDS,
    };
    let value = read(input, from, ends)?;
    let literal = !value.text.trim_ascii().is_empty() && !is_reference(value.text);
    let hides =
        if value.quoted { hides_quoted(&value, join, secrecy) } else { hides_bare(&value, join, secrecy) };
    (literal && (hides || is_cut(input, &value.range, edge))).then_some(value.range)
}

fn hides_quoted(value: &Value<'_>, join: Join, secrecy: Secrecy) -> bool {
    // A quote right after a name inside a string ends that string: what follows is program text.
    let is_literal = !matches!(byte_at(value.text, 0), b')' | b',' | b';' | b'+' | b']' | b' ')
        || join == Join::Member
        || join == Join::Variable;
    match secrecy {
        Secrecy::Password | Secrecy::Key => is_literal,
        Secrecy::Token => is_mixed(value.text) || matches!(join, Join::Option | Join::Variable),
        Secrecy::Authorization => false,
    }
}

fn hides_bare(value: &Value<'_>, join: Join, secrecy: Secrecy) -> bool {
    let text = value.text;
    if is_expression(text, value.next) || is_common(text) {
        return false;
    }
    let word = is_path(text);
    let ends_line = matches!(value.next, 0 | b'\n' | b'\r');
    match (join, secrecy) {
        (_, Secrecy::Authorization) => false,
        (Join::Member, Secrecy::Password) => {
            text.len() >= LEAST_NUMBER && text.iter().all(u8::is_ascii_digit)
        }
        (Join::Member, _) => false,
        (Join::Option, _) => byte_at(text, 0) != b'-' && !names_a_secret(text),
        (Join::Variable | Join::Element, _) => true,
        (_, Secrecy::Token) => is_mixed(text),
        (Join::Colon, _) => !word || ends_line,
        (Join::SpacedEquals, _) => !word,
        (Join::Equals, _) => !word || !matches!(value.next, b',' | b')' | b'(' | b'[' | b']' | b'}' | b';'),
    }
}

/// Shorter numbers are no passwords but settings.
const LEAST_NUMBER: usize = 4;

/// Whether a text is itself a name, as the placeholder of an option's value in a help text is.
fn names_a_secret(text: &[u8]) -> bool {
    is_capital(text) && text.iter().all(|byte| is_word(*byte)) && secrecy(text).is_some()
}

/// The credential of an `Authorization` header, after its scheme.
fn header(input: &[u8], from: usize, edge: Edge) -> Option<Range<usize>> {
    let rest = input.get(from..)?;
    let quote = opening(rest).map_or(0, |(escapes, _)| escapes + 1);
    let (scheme, has_scheme) = after_scheme(rest.get(quote..)?);
    let value = read(input, from + quote + scheme, &HEADER_ENDS)?;
    let word = is_path(value.text) && !has_scheme;
    let called = matches!(value.next, b'(' | b'[');
    let literal = !value.text.is_empty() && !is_reference(value.text);
    let hides = !word && !called && !is_common(value.text);
    (literal && (hides || is_cut(input, &value.range, edge))).then_some(value.range)
}

/// The part of a JSON string that is secret because of its key; `None` where nothing is.
pub(in crate::secret) fn hidden_member(key: &str, text: &str) -> Option<Range<usize>> {
    match secrecy(key.as_bytes())? {
        Secrecy::Password | Secrecy::Key => hidden_text(text),
        Secrecy::Token => hidden_text(text).filter(|_| is_mixed(text.as_bytes())),
        Secrecy::Authorization => {
            let (start, has_scheme) = after_scheme(text.as_bytes());
            let rest = text.get(start..)?;
            hidden_text(rest).filter(|_| has_scheme || !is_path(rest.as_bytes())).map(|_| start..text.len())
        }
    }
}

/// Whether an element of an argument list is an option whose value, the next element, is secret.
pub(in crate::secret) fn is_secret_option(text: &str) -> bool {
    let name = text.trim_start_matches('-');
    let is_option = name.len() < text.len() && name.bytes().all(is_word);
    is_option
        && secrecy(name.as_bytes()).is_some_and(|secrecy| match secrecy {
            Secrecy::Password | Secrecy::Key | Secrecy::Token => true,
            Secrecy::Authorization => false,
        })
}
