//! Files that hold private keys: made for their owner only, and used only where nobody else can read them.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use crate::signature::SecretKey;

use super::discover;
use super::exit::Failure;

/// Makes a key and writes it to a new file.
///
/// # Errors
/// When there is no randomness, or the file cannot be made; one that is there is never touched.
pub(crate) fn make(file: &Path) -> Result<SecretKey, Failure> {
    let key = SecretKey::random().map_err(|error| Failure::failed(error.message))?;
    let failed = |error: io::Error| {
        Failure::failed(format!("cannot write `{}`: {error}", file.display()))
            .with_hint("name a file that is not there yet, in a folder that is")
    };
    let mut written =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(failed)?;
    written.write_all(key.to_pem().as_bytes()).and_then(|()| written.sync_all()).map_err(failed)?;
    Ok(key)
}

/// Reads a key that only its owner can read.
///
/// # Errors
/// When there is none, others can read it, or it is something else.
pub(crate) fn read(file: &Path) -> Result<SecretKey, Failure> {
    let shown = file.display();
    let (text, _) = discover::read(file)?;
    let text = zeroize::Zeroizing::new(text);
    if fs::metadata(file).map_or(true, |metadata| metadata.permissions().mode() & 0o077 != 0) {
        return Err(Failure::configuration(format!("the key `{shown}` is not used: others can read it"))
            .with_hint(format!("`chmod 600 {shown}`, or make a new one: it may be known")));
    }
    SecretKey::from_pem(&text).ok_or_else(|| {
        Failure::configuration(format!("`{shown}` is no ed25519 private key"))
            .with_hint("name a file that `keygen` wrote: PKCS #8 in PEM, not encrypted")
    })
}
