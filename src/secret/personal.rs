//! Personal data that a contract or the policy hides: mail addresses, card numbers, IBANs, telephone numbers.
//!
//! What has a checksum must pass it. Each is found as it is usually written, and in no encoding.

mod bank;
mod card;
mod mail;
mod phone;

use std::ops::Range;

use crate::catalog::{Personal, PersonalKind};

/// Reports every range of `input` that is of one of these kinds, with what a placeholder calls it.
pub(super) fn find(personal: Personal, input: &[u8], found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let mut report = |kind: PersonalKind, range| found(range, kind.as_str());
    if personal.has(PersonalKind::Email) {
        mail::find(input, &mut |range| report(PersonalKind::Email, range));
    }
    if personal.has(PersonalKind::Card) {
        card::find(input, &mut |range| report(PersonalKind::Card, range));
    }
    if personal.has(PersonalKind::Iban) {
        bank::find(input, &mut |range| report(PersonalKind::Iban, range));
    }
    if personal.has(PersonalKind::Phone) {
        phone::find(input, &mut |range| report(PersonalKind::Phone, range));
    }
}

/// Where the next byte of a class is, from an offset on.
fn next(input: &[u8], from: usize, class: impl Fn(u8) -> bool) -> Option<usize> {
    input.get(from..)?.iter().position(|byte| class(*byte)).map(|at| from + at)
}

/// The byte before an offset; a space at the beginning.
fn before(input: &[u8], at: usize) -> u8 {
    at.checked_sub(1).and_then(|at| input.get(at)).copied().unwrap_or(b' ')
}

/// The byte at an offset; a space beyond the end.
fn byte(input: &[u8], at: usize) -> u8 {
    input.get(at).copied().unwrap_or(b' ')
}

/// Whether a byte belongs to a word, so that a number beside it is a part of something else.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests;
