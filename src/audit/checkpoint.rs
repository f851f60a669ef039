//! Signed checkpoints: what a chain was at an instant, to be kept where whoever can write the store cannot.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::Tenant;
use crate::signature::{PublicKey, SIGNATURE_BYTES, SecretKey};
use crate::state::Receipt;

/// What the signed text begins with, so that a signature of another kind never counts here.
const PURPOSE: &[u8] = b"tgw audit checkpoint 1\0";

/// The `kind` of the written form.
const KIND: &str = "audit_checkpoint";

/// The end of a tenant's chain at an instant, signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Whose chain.
    pub tenant: String,
    /// The record that was the last one.
    pub head: Receipt,
    /// When it was signed, by the signer's clock.
    pub at: Timestamp,
    /// With which key.
    pub key: PublicKey,
    signature: [u8; SIGNATURE_BYTES],
}

/// Why a checkpoint proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// It is something else, or was damaged.
    #[error("it is no checkpoint: {0}")]
    Unreadable(String),
    /// It was signed with a key that is not believed.
    #[error("it is signed with `{0}`, which is none of the keys that are believed")]
    OtherKey(Box<PublicKey>),
    /// What it says is not what was signed.
    #[error("its signature does not hold: it was forged, or changed after it was signed")]
    Forged,
}

/// The written form: one line of JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    v: u32,
    kind: String,
    tenant: String,
    seq: u64,
    head: Digest,
    at: u64,
    key: String,
    signature: String,
}

impl Checkpoint {
    /// Signs the end of a chain.
    #[must_use]
    pub fn sign(tenant: &Tenant, head: Receipt, at: Timestamp, key: &SecretKey) -> Self {
        let tenant = tenant.as_str().to_owned();
        let signature = key.sign(&message(&tenant, head, at));
        Self { tenant, head, at, key: key.public(), signature }
    }

    /// The written form, without a line feed.
    #[must_use]
    pub fn to_line(&self) -> String {
        let written = Written {
            v: 1,
            kind: KIND.to_owned(),
            tenant: self.tenant.clone(),
            seq: self.head.seq,
            head: self.head.hash,
            at: self.at.0,
            key: self.key.to_string(),
            signature: STANDARD.encode(self.signature),
        };
        serde_json::to_string(&written).unwrap_or_default()
    }

    /// Reads the written form, and believes it where it was signed with one of these keys.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn read(line: &str, signers: &[PublicKey]) -> Result<Self, CheckpointError> {
        let unreadable = |why: &str| CheckpointError::Unreadable(why.to_owned());
        let written: Written =
            serde_json::from_str(line).map_err(|error| CheckpointError::Unreadable(error.to_string()))?;
        if written.kind != KIND || written.v != 1 {
            return Err(unreadable("its kind or version is another one"));
        }
        let key = PublicKey::parse(&written.key).ok_or_else(|| unreadable("its key is none"))?;
        let signature = STANDARD.decode(&written.signature).ok();
        let signature = signature.and_then(|bytes| <[u8; SIGNATURE_BYTES]>::try_from(bytes).ok());
        let signature = signature.ok_or_else(|| unreadable("its signature is none"))?;
        if !signers.contains(&key) {
            return Err(CheckpointError::OtherKey(Box::new(key)));
        }
        let (head, at) = (Receipt { seq: written.seq, hash: written.head }, Timestamp(written.at));
        if !key.verifies(&message(&written.tenant, head, at), &signature) {
            return Err(CheckpointError::Forged);
        }
        Ok(Self { tenant: written.tenant, head, at, key, signature })
    }
}

/// What is signed. Everything but the tenant has a fixed length, so that no two checkpoints share a message.
fn message(tenant: &str, head: Receipt, at: Timestamp) -> Vec<u8> {
    [PURPOSE, &head.seq.to_be_bytes(), &head.hash.0, &at.0.to_be_bytes(), tenant.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn signed() -> (SecretKey, Checkpoint) {
        let key = SecretKey::random().unwrap();
        let head = Receipt { seq: 7, hash: Digest([9; 32]) };
        let checkpoint = Checkpoint::sign(&Tenant::parse("local").unwrap(), head, Timestamp(5), &key);
        (key, checkpoint)
    }

    #[test]
    fn a_checkpoint_reads_back_as_it_was_signed_and_under_its_key_only() {
        let (key, checkpoint) = signed();
        let line = checkpoint.to_line();
        assert!(!line.contains('\n'));
        assert_eq!(Checkpoint::read(&line, &[key.public()]), Ok(checkpoint));
        let other = SecretKey::random().unwrap().public();
        assert_eq!(Checkpoint::read(&line, &[other]), Err(CheckpointError::OtherKey(Box::new(key.public()))));
        assert_eq!(Checkpoint::read(&line, &[]), Err(CheckpointError::OtherKey(Box::new(key.public()))));
    }

    #[test]
    fn no_field_can_be_changed_after_it_was_signed() {
        let (key, checkpoint) = signed();
        let written: Value = serde_json::from_str(&checkpoint.to_line()).unwrap();
        let other = Digest([8; 32]).to_string();
        for (field, value) in [
            ("tenant", Value::from("locam")),
            ("seq", Value::from(8)),
            ("head", Value::from(other)),
            ("at", Value::from(6)),
            ("signature", Value::from(STANDARD.encode([0; SIGNATURE_BYTES]))),
        ] {
            let mut changed = written.clone();
            changed[field] = value;
            let read = Checkpoint::read(&changed.to_string(), &[key.public()]);
            assert_eq!(read, Err(CheckpointError::Forged), "{field}");
        }
    }

    #[test]
    fn what_is_no_checkpoint_is_never_one() {
        let (key, checkpoint) = signed();
        let written: Value = serde_json::from_str(&checkpoint.to_line()).unwrap();
        let mut lines: Vec<String> = ["", "{}", "[]", "null", "sha256:00"].map(str::to_owned).to_vec();
        for (field, value) in [
            ("v", Value::from(2)),
            ("kind", Value::from("other")),
            ("key", Value::from("ed25519:AAAA")),
            ("signature", Value::from("AAAA")),
            ("extra", Value::from(1)),
            ("seq", Value::from(-1)),
        ] {
            let mut changed = written.clone();
            changed[field] = value;
            lines.push(changed.to_string());
        }
        for line in lines {
            let read = Checkpoint::read(&line, &[key.public()]);
            assert!(matches!(read, Err(CheckpointError::Unreadable(_))), "{line}: {read:?}");
        }
    }
}
