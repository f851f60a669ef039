//! Details as they lie in the store: encrypted under the key of their record, so that without the key nothing is left of
//! them, wherever a copy of the bytes stayed.

use std::borrow::Cow;

use chacha20::cipher::{KeyIvInit, StreamCipher};
use chacha20::{ChaCha20, Key, Nonce};

use crate::state::StoredRecord;

use super::keyed::{Keyed, Subject};

/// What an encrypted detail begins with. One that begins with `{` was written in clear, by an earlier version.
pub(super) const ENCRYPTED: u8 = 1;

/// Encrypts or decrypts in place. What a record vouches for is the text, by a digest under the same key, so that the cipher
/// needs no tag of its own; a key is used for one text, so that it needs no nonce.
pub(super) fn cross(key: &Keyed, text: &mut [u8]) {
    let key = Key::from(key.digest(Subject::Encryption, b"").0);
    ChaCha20::new(&key, &Nonce::default()).apply_keystream(text);
}

/// The detail of a record in clear; `None` where there is none, or no key to read it with.
pub(super) fn detail(stored: &StoredRecord) -> Option<Cow<'_, [u8]>> {
    match (stored.detail.as_deref()?, stored.key.as_deref()) {
        ([ENCRYPTED, hidden @ ..], Some(key)) => {
            let mut text = hidden.to_vec();
            cross(&Keyed::new(key), &mut text);
            Some(Cow::Owned(text))
        }
        ([ENCRYPTED, ..], None) => None,
        (clear, _) => Some(Cow::Borrowed(clear)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Digest;

    fn stored(key: Option<&[u8]>, detail: &[u8]) -> StoredRecord {
        StoredRecord {
            seq: 1,
            hash: Digest([0; 32]),
            bytes: Vec::new(),
            key: key.map(<[u8]>::to_vec),
            detail: Some(detail.to_vec()),
        }
    }

    #[test]
    fn a_detail_is_read_with_its_own_key_only() {
        let text = br#"{"arguments":{"pin":"1234"}}"#;
        let mut hidden = text.to_vec();
        cross(&Keyed::new(&[7; 16]), &mut hidden);
        assert!(hidden != text && !hidden.windows(3).any(|window| window == b"pin"));
        let kept = [&[ENCRYPTED][..], &hidden].concat();
        assert_eq!(detail(&stored(Some(&[7; 16]), &kept)).as_deref(), Some(&text[..]));
        assert_ne!(detail(&stored(Some(&[8; 16]), &kept)).as_deref(), Some(&text[..]));
        assert_eq!(detail(&stored(None, &kept)), None);
    }

    #[test]
    fn what_an_earlier_version_wrote_in_clear_is_read_as_it_is() {
        assert_eq!(detail(&stored(Some(&[7; 16]), b"{}")).as_deref(), Some(&b"{}"[..]));
        assert_eq!(detail(&stored(Some(&[7; 16]), b"")).as_deref(), Some(&b""[..]));
    }
}
