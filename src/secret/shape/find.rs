//! One pass over the text for the literals that any shape begins with or contains.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::{assignment, token};

/// What the end of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::secret) enum Edge {
    /// The end of all there is.
    Whole,
    /// A cut: what touches it may have gone on.
    Cut,
}

/// What a literal may belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// A token with this prefix.
    Token(token::Known),
    /// A token of three parts in base 64.
    Jwt,
    /// A block of a PEM file.
    Pem,
    /// A credential after its scheme.
    Scheme,
    /// An address, which may hold a password.
    Address,
    /// A name that may say that its value is secret.
    Word,
}

const WORDS: &[&str] = &[
    "key",
    "Key",
    "KEY",
    "token",
    "Token",
    "TOKEN",
    "secret",
    "Secret",
    "SECRET",
    "passw",
    "Passw",
    "PASSW",
    "passphrase",
    "Passphrase",
    "PASSPHRASE",
    "passcode",
    "PASSCODE",
    "pass",
    "Pass",
    "PASS",
    "pwd",
    "Pwd",
    "PWD",
    "CREDENTIAL",
    "uthorization",
    "UTHORIZATION",
];

static LITERALS: LazyLock<Vec<(&'static str, Trigger)>> = LazyLock::new(|| {
    let mut literals: Vec<(&'static str, Trigger)> = vec![
        ("eyJ", Trigger::Jwt),
        ("-----BEGIN ", Trigger::Pem),
        ("Bearer ", Trigger::Scheme),
        ("bearer ", Trigger::Scheme),
        ("Basic ", Trigger::Scheme),
        ("://", Trigger::Address),
    ];
    literals.extend(token::known().map(|known| (known.prefix, Trigger::Token(known))));
    literals.extend(WORDS.iter().map(|word| (*word, Trigger::Word)));
    literals
});

static AUTOMATON: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        // Quick to build; most of a text is skipped before any automaton sees it.
        .kind(Some(AhoCorasickKind::NoncontiguousNFA))
        .build(LITERALS.iter().map(|(literal, _)| literal))
        .ok()
});

/// What a placeholder calls a secret of no known provider.
pub(in crate::secret) const ANY: &str = "token";

/// What it calls a signed token of three parts, and a private key.
pub(super) const JWT: &str = "jwt";
pub(super) const PRIVATE_KEY: &str = "private_key";

/// Reports every range of `input` that has the shape of a secret, with what a placeholder calls it. Ranges may overlap.
pub(in crate::secret) fn find(input: &[u8], edge: Edge, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let Some(automaton) = &*AUTOMATON else {
        // INVARIANT: what cannot be searched is not shown.
        found(0..input.len(), ANY);
        return;
    };
    // Where the last name ended, or its hidden value: a name with two words in it is looked at once.
    let mut named = 0_usize;
    for hit in automaton.find_iter(input) {
        let Some((_, trigger)) = LITERALS.get(hit.pattern().as_usize()) else { continue };
        let range = match trigger {
            Trigger::Token(known) => token::prefixed(input, hit.range(), known.tail, edge),
            Trigger::Jwt => token::jwt(input, hit.start(), edge),
            Trigger::Pem => token::pem(input, hit.start(), edge),
            Trigger::Scheme => token::scheme(input, hit.range(), edge),
            Trigger::Address => token::address(input, hit.range(), edge),
            Trigger::Word if hit.start() < named => None,
            Trigger::Word => {
                let (end, range) = assignment::at(input, hit.range(), edge);
                // A name inside a value that is hidden is hidden already.
                named = range.as_ref().map_or(end, |range| range.end.max(end));
                range
            }
        };
        if let Some(range) = range.filter(|range| !range.is_empty()) {
            let kind = match trigger {
                Trigger::Token(known) => known.provider,
                Trigger::Jwt => JWT,
                Trigger::Pem => PRIVATE_KEY,
                Trigger::Scheme | Trigger::Address | Trigger::Word => ANY,
            };
            found(range, kind);
        }
    }
}
