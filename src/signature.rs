//! Signatures of people and of machines: ed25519 (RFC 8032), and its keys in the forms in which they are written.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::code::{CallError, ErrorCode};

/// How a public key begins where it is written.
const PREFIX: &str = "ed25519:";

/// What stands before the 32 bytes of a private key in its PKCS #8 form (RFC 8410, section 7).
const PKCS8: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";

/// Bytes of a signature.
pub const SIGNATURE_BYTES: usize = 64;

/// A public key, written `ed25519:` and 44 characters of base 64.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// Reads the written form; `None` for anything else, and for a key under which a signature proves nothing.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?;
        let key = VerifyingKey::from_bytes(&<[u8; 32]>::try_from(bytes).ok()?).ok()?;
        (!key.is_weak()).then_some(Self(key))
    }

    /// The `x` of its JSON Web Key (RFC 8037): the 32 bytes in base 64 for addresses, without padding.
    #[must_use]
    pub fn jwk_x(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.as_bytes())
    }

    /// The thumbprint of its JSON Web Key (RFC 7638), which names it.
    #[must_use]
    pub fn thumbprint(&self) -> String {
        let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, self.jwk_x());
        URL_SAFE_NO_PAD.encode(Sha256::digest(members))
    }

    /// Whether a signature over `message` was made with the private key of this one.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &[u8; SIGNATURE_BYTES]) -> bool {
        self.0.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{PREFIX}{}", STANDARD.encode(self.0.as_bytes()))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// A private key. It is wiped when dropped and has no `Debug`.
pub struct SecretKey(SigningKey);

impl SecretKey {
    /// Makes a key at random.
    ///
    /// # Errors
    /// `INTERNAL` where the system has no randomness to give.
    pub fn random() -> Result<Self, CallError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed)
            .map_err(|_| CallError::new(ErrorCode::Internal, "the system has no randomness to give"))?;
        Ok(Self(SigningKey::from_bytes(&seed)))
    }

    /// Reads an unencrypted PKCS #8 key in PEM, as [`SecretKey::to_pem`] and `openssl genpkey -algorithm ed25519` write it;
    /// `None` for anything else.
    #[must_use]
    pub fn from_pem(text: &str) -> Option<Self> {
        let body = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
        let mut packed = Zeroizing::new(String::with_capacity(body.len()));
        packed.extend(body.split_ascii_whitespace());
        let bytes = Zeroizing::new(STANDARD.decode(packed.as_bytes()).ok()?);
        let seed = Zeroizing::new(<[u8; 32]>::try_from(bytes.strip_prefix(&PKCS8)?).ok()?);
        Some(Self(SigningKey::from_bytes(&seed)))
    }

    /// The key as PKCS #8 in PEM, unencrypted.
    #[must_use]
    pub fn to_pem(&self) -> Zeroizing<String> {
        let bytes = Zeroizing::new([&PKCS8[..], self.0.as_bytes()].concat());
        let body = Zeroizing::new(STANDARD.encode(&*bytes));
        Zeroizing::new(format!("{BEGIN}\n{}\n{END}\n", *body))
    }

    /// Its public key.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// Signs a message. What the message is about must be part of it, since one key may sign several kinds.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; SIGNATURE_BYTES] {
        self.0.sign(message).to_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first key of RFC 8032, section 7.1, as `openssl` writes it.
    const PEM: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n";
    const PUBLIC: &str = "ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

    #[test]
    fn a_key_of_rfc_8032_has_the_public_key_and_the_signature_that_stand_there() {
        let key = SecretKey::from_pem(PEM).unwrap();
        assert_eq!(key.public().to_string(), PUBLIC);
        let signature = key.sign(b"");
        assert_eq!(signature[..4], [0xe5, 0x56, 0x43, 0x00]);
        assert!(key.public().verifies(b"", &signature));
        assert!(!key.public().verifies(b" ", &signature));
    }

    #[test]
    fn the_json_web_key_is_the_one_of_rfc_8037() {
        let key = PublicKey::parse(PUBLIC).unwrap();
        assert_eq!(key.jwk_x(), "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
        // RFC 8037, appendix A.3.
        assert_eq!(key.thumbprint(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    }

    #[test]
    fn keys_read_back_as_they_were_written() {
        let key = SecretKey::random().unwrap();
        assert_eq!(SecretKey::from_pem(&key.to_pem()).unwrap().public(), key.public());
        assert_eq!(PublicKey::parse(&key.public().to_string()).unwrap(), key.public());
        assert_eq!(*SecretKey::from_pem(PEM).unwrap().to_pem(), PEM);
        assert_ne!(SecretKey::random().unwrap().public(), key.public());
    }

    #[test]
    fn anything_else_is_no_key() {
        let cut = [&PUBLIC[8..], &PUBLIC[..40]];
        let other = ["", "ed25519:", "ed25519:AA==", "ED25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="];
        for text in cut.into_iter().chain(other) {
            assert_eq!(PublicKey::parse(text), None, "{text}");
        }
        // The neutral element: every message has a signature that holds under it.
        let weak = format!("{PREFIX}{}", STANDARD.encode([&[1][..], &[0; 31]].concat()));
        assert_eq!(PublicKey::parse(&weak), None);
        let public = PEM.replace("PRIVATE", "PUBLIC");
        let changed = [PEM.replace("MC4C", "MC4D"), PEM.replace("\n-----END", "AAAA\n-----END")];
        for text in [PUBLIC, "", &public, &changed[0], &changed[1]] {
            assert!(SecretKey::from_pem(text).is_none(), "{text}");
        }
    }
}
