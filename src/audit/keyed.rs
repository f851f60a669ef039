//! Digests as text, and digests under a key.

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::catalog::Digest;

/// Bytes of a record's key.
pub(super) const KEY_BYTES: usize = 16;

const BLOCK: usize = 64;

/// HMAC-SHA-256 (RFC 2104) under one key, for several texts.
pub(super) struct Keyed {
    inner: Sha256,
    outer: Sha256,
}

/// What a keyed digest is of. It is part of what is digested, so that none can stand for another.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subject {
    Arguments,
    Plan,
    Question,
    Detail,
}

impl Subject {
    fn label(self) -> &'static [u8] {
        match self {
            Self::Arguments => b"arguments\0",
            Self::Plan => b"plan\0",
            Self::Question => b"question\0",
            Self::Detail => b"detail\0",
        }
    }
}

impl Keyed {
    /// A key longer than a block is cut: ours are shorter, and a stored one that is longer is not ours.
    pub(super) fn new(key: &[u8]) -> Self {
        let mut pad = [0x36; BLOCK];
        for (byte, key) in pad.iter_mut().zip(key) {
            *byte ^= key;
        }
        let inner = Sha256::new_with_prefix(pad);
        for byte in &mut pad {
            *byte ^= 0x36 ^ 0x5c;
        }
        Self { inner, outer: Sha256::new_with_prefix(pad) }
    }

    pub(super) fn digest(&self, subject: Subject, bytes: &[u8]) -> Digest {
        let inner = self.inner.clone().chain_update(subject.label()).chain_update(bytes).finalize();
        Digest(self.outer.clone().chain_update(inner).finalize().into())
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
    fn the_keyed_digest_is_hmac_sha_256() {
        // RFC 4231, test case 2: the label is taken out of the construction to compare.
        let keyed = Keyed::new(b"Jefe");
        let inner = keyed.inner.clone().chain_update(b"what do ya want for nothing?").finalize();
        let digest = Digest(keyed.outer.clone().chain_update(inner).finalize().into());
        assert_eq!(
            Hex::new(&digest).as_str(),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn a_digest_of_one_subject_is_none_of_another() {
        let keyed = Keyed::new(&[7; KEY_BYTES]);
        assert_ne!(keyed.digest(Subject::Arguments, b"{}"), keyed.digest(Subject::Plan, b"{}"));
    }
}
