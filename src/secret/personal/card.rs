//! Numbers of payment cards: those of the known networks, whose last digit checks.

use std::ops::Range;

use super::{before, byte, is_word, next};

const LEAST: usize = 13;
const MOST: usize = 19;

pub(super) fn find(input: &[u8], found: &mut dyn FnMut(Range<usize>)) {
    let mut from = 0;
    while let Some(start) = next(input, from, |byte| byte.is_ascii_digit()) {
        let (digits, end) = number(input, start);
        let alone = !is_word(before(input, start))
            && !matches!(before(input, start), b'.' | b'-' | b'/')
            && !is_word(byte(input, end));
        if alone && is_card(&digits) {
            found(start..end);
        }
        from = end.max(start + 1);
    }
}

/// The digits from here on, with one space or dash between groups of them, and where they end.
fn number(input: &[u8], start: usize) -> (Vec<u8>, usize) {
    let (mut digits, mut at) = (Vec::with_capacity(MOST), start);
    loop {
        match (byte(input, at), byte(input, at + 1)) {
            (digit, _) if digit.is_ascii_digit() => {
                // A longer run is no card, and is passed over as a whole.
                if digits.len() <= MOST {
                    digits.push(digit - b'0');
                }
                at += 1;
            }
            (b' ' | b'-', digit) if digit.is_ascii_digit() && digits.len() < MOST => at += 1,
            _ => return (digits, at),
        }
    }
}

fn is_card(digits: &[u8]) -> bool {
    (LEAST..=MOST).contains(&digits.len()) && is_of_network(digits) && checks(digits)
}

/// Whether the first digits and the length are those that a network gives out.
fn is_of_network(digits: &[u8]) -> bool {
    let first =
        |count: usize| digits.iter().take(count).fold(0_u32, |number, digit| number * 10 + u32::from(*digit));
    let length = digits.len();
    match (first(1), first(2), first(3), first(4)) {
        (4, ..) => matches!(length, 13 | 16 | 19),
        (_, 34 | 37, ..) => length == 15,
        (_, 51..=55, ..) | (_, _, _, 2221..=2720) => length == 16,
        (_, 36 | 38 | 39, ..) | (_, _, 300..=305, _) => length == 14,
        (_, 62 | 65, ..) | (_, _, 644..=649, _) | (_, _, _, 6011 | 3528..=3589) => length >= 16,
        _ => false,
    }
}

/// The check of the last digit by Luhn: from the right every second digit is doubled.
fn checks(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, u32::from(*digit)) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}
