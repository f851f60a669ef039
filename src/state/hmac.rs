//! HMAC-SHA-256 (RFC 2104).

use sha2::{Digest as _, Sha256};

use crate::catalog::Digest;

const BLOCK: usize = 64;

/// HMAC-SHA-256 under one key, ready for any number of texts.
pub struct Hmac {
    inner: Sha256,
    outer: Sha256,
}

impl Hmac {
    /// Takes a key in; one that is longer than a block is hashed first.
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        let hashed = Sha256::digest(key);
        let key = if key.len() > BLOCK { hashed.as_slice() } else { key };
        let mut pad = [0x36; BLOCK];
        pad.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        let inner = Sha256::new_with_prefix(pad);
        pad.iter_mut().for_each(|byte| *byte ^= 0x36 ^ 0x5c);
        Self { inner, outer: Sha256::new_with_prefix(pad) }
    }

    /// The code of a text, given in parts. Where one part ends and the next begins is not part of it.
    #[must_use]
    pub fn digest(&self, parts: &[&[u8]]) -> Digest {
        let inner = parts.iter().fold(self.inner.clone(), |hash, part| hash.chain_update(part)).finalize();
        Digest(self.outer.clone().chain_update(inner).finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test cases of RFC 4231; of case 5 the first 128 bits.
    #[test]
    fn it_is_hmac_sha_256() {
        let counted: Vec<u8> = (1..=25).collect();
        let cases: [(&[u8], &[u8], &str); 7] = [
            (&[0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (&[0xaa; 20], &[0xdd; 50], "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
            (&counted, &[0xcd; 50], "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
            (&[0x0c; 20], b"Test With Truncation", "a3b6167473100ee06e0c796c2955552b"),
            (
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
            (
                &[0xaa; 131],
                b"This is a test using a larger than block-size key and a larger than block-size data. \
                  The key needs to be hashed before being used by the HMAC algorithm.",
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
            ),
        ];
        for (key, text, expected) in cases {
            let code = Hmac::new(key).digest(&[text]);
            let hex: String = code.0.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex.get(..expected.len()), Some(expected));
        }
    }

    #[test]
    fn a_text_in_parts_is_the_text() {
        let hmac = Hmac::new(b"key");
        assert_eq!(hmac.digest(&[b"one", b"", b"two"]), hmac.digest(&[b"onetwo"]));
    }
}
