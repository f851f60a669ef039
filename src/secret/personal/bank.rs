//! International bank account numbers, whose length is their country's and whose check digits hold (ISO 13616).

use std::ops::Range;

use super::{before, byte, is_word, next};

/// Each country with the length of its numbers.
const COUNTRIES: &[(&[u8; 2], usize)] = &[
    (b"AD", 24),
    (b"AE", 23),
    (b"AL", 28),
    (b"AT", 20),
    (b"AZ", 28),
    (b"BA", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"BH", 22),
    (b"BR", 29),
    (b"BY", 28),
    (b"CH", 21),
    (b"CR", 22),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DK", 18),
    (b"DO", 28),
    (b"EE", 20),
    (b"EG", 29),
    (b"ES", 24),
    (b"FI", 18),
    (b"FO", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GE", 22),
    (b"GI", 23),
    (b"GL", 18),
    (b"GR", 27),
    (b"GT", 28),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IL", 23),
    (b"IQ", 23),
    (b"IS", 26),
    (b"IT", 27),
    (b"JO", 30),
    (b"KW", 30),
    (b"KZ", 20),
    (b"LB", 28),
    (b"LC", 32),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"LY", 25),
    (b"MC", 27),
    (b"MD", 24),
    (b"ME", 22),
    (b"MK", 19),
    (b"MR", 27),
    (b"MT", 31),
    (b"MU", 30),
    (b"NL", 18),
    (b"NO", 15),
    (b"PK", 24),
    (b"PL", 28),
    (b"PS", 29),
    (b"PT", 25),
    (b"QA", 29),
    (b"RO", 24),
    (b"RS", 22),
    (b"SA", 24),
    (b"SC", 31),
    (b"SE", 24),
    (b"SI", 19),
    (b"SK", 24),
    (b"SM", 27),
    (b"ST", 25),
    (b"SV", 28),
    (b"TL", 23),
    (b"TN", 24),
    (b"TR", 26),
    (b"UA", 29),
    (b"VA", 22),
    (b"VG", 24),
    (b"XK", 20),
];

pub(super) fn find(input: &[u8], found: &mut dyn FnMut(Range<usize>)) {
    let mut from = 0;
    while let Some(start) = next(input, from, |byte| byte.is_ascii_alphabetic()) {
        if is_word(before(input, start)) {
            from = start + 1;
            continue;
        }
        match account(input, start) {
            Some(end) => {
                found(start..end);
                from = end;
            }
            None => from = start + 1,
        }
    }
}

/// Where the number that starts here ends.
fn account(input: &[u8], start: usize) -> Option<usize> {
    let country = input.get(start..start + 2)?.to_ascii_uppercase();
    if !input.get(start + 2..start + 4)?.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let (_, length) = COUNTRIES.iter().find(|(code, _)| code.as_slice() == country)?;
    let (mut text, mut at) = (Vec::with_capacity(*length), start);
    while text.len() < *length {
        match (byte(input, at), byte(input, at + 1)) {
            (letter, _) if letter.is_ascii_alphanumeric() => text.push(letter.to_ascii_uppercase()),
            (b' ', letter) if letter.is_ascii_alphanumeric() => {}
            _ => return None,
        }
        at += 1;
    }
    (!is_word(byte(input, at)) && checks(&text)).then_some(at)
}

/// The check digits: the number with its first four characters at its end, letters as 10 to 35, is 1 modulo 97.
fn checks(text: &[u8]) -> bool {
    let (head, tail) = text.split_at(text.len().min(4));
    let value = tail.iter().chain(head).fold(0_u32, |rest, letter| match letter {
        b'0'..=b'9' => (rest * 10 + u32::from(letter - b'0')) % 97,
        _ => (rest * 100 + u32::from(letter - b'A') + 10) % 97,
    });
    value == 1
}
