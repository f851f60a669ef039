//! Tokens that are recognised by what they look like.

use std::ops::Range;

use super::find::Edge;
use super::value::{at, is_reference};

/// What follows the prefix of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::secret) enum Tail {
    /// At least so many letters and digits.
    Alphanumeric(usize),
    /// At least so many letters, digits, `_` and `-`.
    Word(usize),
    /// As [`Tail::Word`], and it must not be made of words: a digit and a capital, or a digit in a long part.
    Random(usize),
    /// Exactly so many capitals and digits.
    Capitals(usize),
}

/// A kind of token of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::secret) struct Known {
    /// The provider, as a placeholder names it.
    pub(in crate::secret) provider: &'static str,
    /// What it begins with.
    pub(in crate::secret) prefix: &'static str,
    /// What follows.
    pub(in crate::secret) tail: Tail,
}

/// The tokens of well-known providers. Of two that begin alike the longer comes first.
pub(in crate::secret) fn known() -> impl Iterator<Item = Known> {
    let lines = include_str!("tokens.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let (provider, prefix, class) = (words.next()?, words.next()?, words.next()?);
        let least = words.next()?.parse().ok()?;
        let tail = match class {
            "alphanumeric" => Tail::Alphanumeric(least),
            "word" => Tail::Word(least),
            "random" => Tail::Random(least),
            "capitals" => Tail::Capitals(least),
            _ => return None,
        };
        Some(Known { provider, prefix, tail })
    })
}

/// Most bytes of one token.
const MOST_TOKEN: usize = 8 << 10;
/// Most bytes of one PEM block.
const MOST_PEM: usize = 32 << 10;
/// Most bytes of the authority of an address.
const MOST_AUTHORITY: usize = 1 << 10;

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// The end of the run of `class` that starts at `from`.
fn run(input: &[u8], from: usize, most: usize, class: impl Fn(u8) -> bool) -> usize {
    let rest = input.get(from..).unwrap_or_default();
    from + rest.iter().take(most).take_while(|byte| class(**byte)).count()
}

fn starts_a_word(input: &[u8], start: usize) -> bool {
    start.checked_sub(1).is_none_or(|before| !is_word(at(input, before)))
}

fn is_cut(input: &[u8], end: usize, edge: Edge) -> bool {
    edge == Edge::Cut && end == input.len()
}

pub(super) fn prefixed(input: &[u8], prefix: Range<usize>, tail: Tail, edge: Edge) -> Option<Range<usize>> {
    if !starts_a_word(input, prefix.start) {
        return None;
    }
    let (end, least) = match tail {
        Tail::Alphanumeric(least) => {
            (run(input, prefix.end, MOST_TOKEN, |byte| byte.is_ascii_alphanumeric()), least)
        }
        Tail::Word(least) | Tail::Random(least) => (run(input, prefix.end, MOST_TOKEN, is_word), least),
        Tail::Capitals(least) => (
            run(input, prefix.end, MOST_TOKEN, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()),
            least,
        ),
    };
    let text = input.get(prefix.end..end)?;
    let whole = match tail {
        Tail::Alphanumeric(_) | Tail::Word(_) => text.len() >= least,
        Tail::Random(_) => text.len() >= least && looks_random(text),
        Tail::Capitals(_) => text.len() == least && !is_word(at(input, end)),
    };
    (whole || is_cut(input, end, edge)).then_some(prefix.start..end)
}

/// Whether a text is no series of words: it has a digit, and a capital or a long part without a dash.
fn looks_random(text: &[u8]) -> bool {
    let digit = text.iter().any(u8::is_ascii_digit);
    let capital = text.iter().any(u8::is_ascii_uppercase);
    let long = text
        .split(|byte| matches!(byte, b'-' | b'_'))
        .any(|part| part.len() >= 20 && part.iter().any(u8::is_ascii_digit));
    digit && (capital || long)
}

/// `eyJ….eyJ….…`, with or without the signature.
pub(super) fn jwt(input: &[u8], start: usize, edge: Edge) -> Option<Range<usize>> {
    if !starts_a_word(input, start) {
        return None;
    }
    let header = run(input, start, MOST_TOKEN, is_word);
    if is_cut(input, header, edge) {
        return Some(start..header);
    }
    let body = header + 1;
    if header - start < 10 || at(input, header) != b'.' {
        return None;
    }
    let body_end = run(input, body, MOST_TOKEN, is_word);
    let signed = input.get(body..).is_some_and(|rest| rest.starts_with(b"eyJ")) && body_end - body >= 8;
    if !signed && !is_cut(input, body_end, edge) {
        return None;
    }
    let end =
        if at(input, body_end) == b'.' { run(input, body_end + 1, MOST_TOKEN, is_word) } else { body_end };
    Some(start..end)
}

/// A private key in PEM form, with its frame. One whose end is not in the text ends with its last line of base 64.
pub(super) fn pem(input: &[u8], start: usize, edge: Edge) -> Option<Range<usize>> {
    let block = input.get(start..)?;
    let block = block.get(..block.len().min(MOST_PEM))?;
    let title = run(block, 11, 64, |byte| byte.is_ascii_alphanumeric() || byte == b' ');
    let is_key = block.get(11..title)?.windows(11).any(|window| window == b"PRIVATE KEY");
    let body = title + 5;
    if block.get(title..body) != Some(b"-----") {
        return is_cut(input, start + title, edge).then_some(start..input.len());
    }
    if !is_key {
        return None;
    }
    // Whatever frame comes next ends the block: it is its own end, or the beginning of another.
    let next = block.get(body..)?.windows(5).position(|window| window == b"-----").map(|at| body + at);
    if let Some(end) = next
        && block.get(end..).is_some_and(|rest| rest.starts_with(b"-----END "))
    {
        let closed = run(block, end + 5, 64, |byte| byte.is_ascii_alphanumeric() || byte == b' ');
        return Some(start..start + run(block, closed, 5, |byte| byte == b'-'));
    }
    // Without an end it may be prose about keys: the key itself is recognised by a first long run of base 64. Line breaks
    // may be spelt as escapes.
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let filler = |byte: u8| byte.is_ascii_whitespace() || byte == b'\\';
    let first = run(block, body, 16, filler);
    let last = run(block, body, MOST_PEM, |byte| letter(byte) || filler(byte));
    let long = run(block, first, MOST_PEM, letter) - first >= 32;
    (long || is_cut(input, start + last, edge)).then_some(start..start + last)
}

/// The credential after `Bearer` or `Basic`, where no name before it says what it is.
pub(super) fn scheme(input: &[u8], scheme: Range<usize>, edge: Edge) -> Option<Range<usize>> {
    if !starts_a_word(input, scheme.start) {
        return None;
    }
    let end = run(input, scheme.end, MOST_TOKEN, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
    });
    let text = input.get(scheme.end..end)?;
    let credential = text.len() >= 16 && text.iter().any(|byte| byte.is_ascii_digit() || *byte == b'=');
    (credential || is_cut(input, end, edge)).then_some(scheme.end..end)
}

/// The password of `scheme://user:password@host`, or a token in the user's place.
pub(super) fn address(input: &[u8], separator: Range<usize>, edge: Edge) -> Option<Range<usize>> {
    let ends = |byte: u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
    };
    let from = separator.end;
    let end = run(input, from, MOST_AUTHORITY, |byte| !ends(byte));
    let authority = input.get(from..end)?;
    // A user that is hidden already has a colon in its placeholder.
    let user = if is_reference(authority) {
        authority.iter().position(|byte| *byte == b']').unwrap_or(0)
    } else {
        0
    };
    let colon = authority.iter().skip(user).position(|byte| *byte == b':').map(|at| at + user);
    let secret = match (authority.iter().rposition(|byte| *byte == b'@'), colon) {
        (Some(host), Some(colon)) if colon < host => colon + 1..host,
        (Some(host), _) if host >= 16 => 0..host,
        (None, Some(colon)) if is_cut(input, end, edge) => colon + 1..authority.len(),
        _ => return None,
    };
    let text = authority.get(secret.clone())?;
    (!is_reference(text)).then_some(from + secret.start..from + secret.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_data_file_is_read_and_none_stands_before_a_longer_one() {
        let written =
            include_str!("tokens.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let all: Vec<Known> = known().collect();
        assert_eq!(all.len(), written.count());
        for (at, one) in all.iter().enumerate() {
            let later = all.iter().skip(at + 1);
            let hidden: Vec<&str> =
                later.map(|later| later.prefix).filter(|later| later.starts_with(one.prefix)).collect();
            assert_eq!(hidden, Vec::<&str>::new(), "{}", one.prefix);
        }
    }
}
