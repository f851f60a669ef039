//! Digests as text, and digests under a key.

use crate::catalog::Digest;
use crate::state::Hmac;
use serde::{Serialize, Serializer};

/// Bytes of a record's key.
pub(super) const KEY_BYTES: usize = 16;

/// HMAC-SHA-256 under a record's key, for several texts.
pub(super) struct Keyed(Hmac);

/// What a keyed digest is of. It is part of what is digested, so that none can stand for another.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subject {
    Arguments,
    Plan,
    Question,
    Evidence,
    Detail,
    Encryption,
}

impl Subject {
    fn label(self) -> &'static [u8] {
        match self {
            Self::Arguments => b"arguments\0",
            Self::Plan => b"plan\0",
            Self::Question => b"question\0",
            Self::Evidence => b"evidence\0",
            Self::Detail => b"detail\0",
            Self::Encryption => b"encryption\0",
        }
    }
}

impl Keyed {
    pub(super) fn new(key: &[u8]) -> Self {
        Self(Hmac::new(key))
    }

    pub(super) fn digest(&self, subject: Subject, bytes: &[u8]) -> Digest {
        self.0.digest(&[subject.label(), bytes])
    }
}

/// 64 hexadecimal digits on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hex([u8; 64]);

impl Hex {
    pub(super) fn new(digest: &Digest) -> Self {
        Self(digest.hex())
    }

    pub(super) fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_of_one_subject_is_none_of_another() {
        let keyed = Keyed::new(&[7; KEY_BYTES]);
        assert_ne!(keyed.digest(Subject::Arguments, b"{}"), keyed.digest(Subject::Plan, b"{}"));
    }
}
