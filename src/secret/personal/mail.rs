//! Mail addresses.

use std::ops::Range;

use super::{byte, next};

/// Most bytes before the sign, and of one name after it.
const MOST_LOCAL: usize = 64;
const MOST_LABEL: usize = 63;
/// Most names after the sign.
const MOST_LABELS: usize = 16;

/// Endings of files that stand where a domain's last name would: `icon@2x.png`.
const FILES: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "svg", "webp", "css", "js", "mjs", "cjs", "ts", "json", "yaml", "yml",
    "zip", "tgz",
];

pub(super) fn find(input: &[u8], found: &mut dyn FnMut(Range<usize>)) {
    let mut from = 0;
    while let Some(sign) = next(input, from, |byte| byte == b'@') {
        from = sign + 1;
        if let Some(range) = around(input, sign) {
            from = range.end;
            found(range);
        }
    }
}

fn around(input: &[u8], sign: usize) -> Option<Range<usize>> {
    let local = input.get(..sign)?.iter().rev().take(MOST_LOCAL).take_while(|byte| is_local(**byte)).count();
    let start = sign - local;
    let (end, last) = domain(input, sign + 1)?;
    let name = input.get(start..sign)?;
    // `git@host:path` is a place, not a person.
    let place = byte(input, end) == b':' && name == b"git";
    let file = FILES.iter().any(|ending| last.eq_ignore_ascii_case(ending.as_bytes()));
    (local > 0 && !place && !file).then_some(start..end)
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-') || byte >= 0x80
}

/// Where a domain ends, and its last name.
fn domain(input: &[u8], from: usize) -> Option<(usize, &[u8])> {
    let mut at = from;
    let mut best = None;
    for count in 0..MOST_LABELS {
        let rest = input.get(at..)?;
        let length = rest
            .iter()
            .take(MOST_LABEL)
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-' || **byte >= 0x80)
            .count();
        let label = rest.get(..length)?;
        if length == 0 || label.starts_with(b"-") {
            break;
        }
        at += length;
        let top = length >= 2 && label.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80);
        if count > 0 && top {
            best = Some((at, label));
        }
        if byte(input, at) != b'.' {
            break;
        }
        at += 1;
    }
    best
}
