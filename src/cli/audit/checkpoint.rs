//! `tgw audit keygen` and `tgw audit checkpoint`.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::audit::{self, Checkpoint, VerifyRequest};
use crate::cli::arguments::StoreArgs;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::output::print;
use crate::cli::store::{self, OpenedStore, failure};
use crate::cli::{discover, key_file};
use crate::clock::Clock;
use crate::signature::PublicKey;
use crate::state::Receipt;

/// The file of the user's folder that holds the key where none is named.
const KEY_FILE: &str = "audit.key";

/// Makes a key.
pub(super) fn keygen(file: Option<&Path>) -> Outcome {
    let file = match file {
        Some(file) => file.to_owned(),
        None => {
            let own = own_key()?;
            if let Some(folder) = own.parent() {
                DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| {
                    Failure::failed(format!("cannot make `{}`: {error}", folder.display()))
                })?;
            }
            own
        }
    };
    let key = key_file::make(&file)?;
    print(&format!("{}\n", key.public()))?;
    Ok(0)
}

/// Signs the end of the chain as it is now, once the whole chain is found intact: what is signed is vouched for.
pub(super) fn checkpoint(arguments: &StoreArgs, key: Option<&Path>) -> Outcome {
    let own = own_key();
    let key = match key {
        Some(file) => key_file::read(file)?,
        None => {
            let own = own?;
            if !own.exists() {
                return Err(Failure::configuration("there is no key to sign with")
                    .with_hint("`tgw audit keygen` makes one, or name one with `--key`"));
            }
            key_file::read(&own)?
        }
    };
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let empty = || Failure::failed(format!("the chain of `{tenant}` is empty: there is nothing to sign"));
    let store = store.ok_or_else(empty)?;
    let report =
        audit::verify(&store, &tenant, &VerifyRequest::default()).map_err(|error| failure(&error))?;
    if !report.is_intact() {
        return Err(Failure::failed(format!(
            "the chain of `{tenant}` is not intact, and nothing was signed"
        ))
        .with_hint("`tgw audit verify` says what is wrong"));
    }
    // An intact chain counts its records from 1 without gaps.
    let head = report.head.map(|hash| Receipt { seq: report.records, hash }).ok_or_else(empty)?;
    let checkpoint = Checkpoint::sign(&tenant, head, Clock::System.now(), &key);
    print(&format!("{}\n", checkpoint.to_line()))?;
    Ok(0)
}

/// The keys whose checkpoints are believed: those that were named, else the one that is signed with here.
pub(super) fn signers(named: &[String]) -> Result<Vec<PublicKey>, Failure> {
    if named.is_empty() {
        let own = own_key()?;
        if !own.exists() {
            return Err(Failure::configuration("no key is named whose checkpoints are believed")
                .with_hint("name it with `--signer`, as `tgw audit keygen` printed it"));
        }
        return Ok(vec![key_file::read(&own)?.public()]);
    }
    named
        .iter()
        .map(|text| {
            PublicKey::parse(text).ok_or_else(|| {
                Failure::configuration(format!("`{}` is no public key that can be used", text.escape_debug()))
                    .with_hint("give what `tgw audit keygen` printed: `ed25519:` and 44 characters")
            })
        })
        .collect()
}

fn own_key() -> Result<PathBuf, Failure> {
    discover::user_folder().map(|folder| folder.join(KEY_FILE)).ok_or_else(|| {
        Failure::configuration("there is no configuration folder")
            .with_hint("set HOME or XDG_CONFIG_HOME to an absolute path, or name a file")
    })
}
