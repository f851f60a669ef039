//! Telephone numbers in international form: `+49 30 901820`, `+1 (212) 555-0100`. National ones look like any number.

use std::ops::Range;

use super::{before, byte, is_word, next};

/// E.164 has at most 15 digits; fewer than 8 are no whole number.
const LEAST: usize = 8;
const MOST: usize = 15;

pub(super) fn find(input: &[u8], found: &mut dyn FnMut(Range<usize>)) {
    let mut from = 0;
    while let Some(start) = next(input, from, |byte| byte == b'+') {
        let end = number(input, start).filter(|_| !is_word(before(input, start)));
        if let Some(end) = end {
            found(start..end);
        }
        from = end.unwrap_or(start + 1);
    }
}

/// Where the number ends whose sign stands here.
fn number(input: &[u8], start: usize) -> Option<usize> {
    if !matches!(byte(input, start + 1), b'1'..=b'9') {
        return None;
    }
    let (mut digits, mut at, mut end) = (0, start + 1, start + 1);
    loop {
        match byte(input, at) {
            digit if digit.is_ascii_digit() => {
                digits += 1;
                end = at + 1;
            }
            b' ' | b'-' | b'.' | b'(' | b')' | b'/' if at - end < 2 => {}
            _ => break,
        }
        at += 1;
    }
    ((LEAST..=MOST).contains(&digits) && !is_word(byte(input, end))).then_some(end)
}
