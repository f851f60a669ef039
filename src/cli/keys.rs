//! `tgw keys`: what passes are signed with.

use serde_json::{Value, json};

use crate::clock::Clock;
use crate::state::{PassKeyError, PassKeys, PublishedKey};

use super::discover;
use super::exit::{Failure, Outcome};
use super::key_arguments::{KeysArgs, KeysCommand};
use super::output::print;
use super::table;
use super::within::refuse_in_a_call;

/// Runs one command about the keys of passes.
pub(crate) fn keys(arguments: &KeysArgs) -> Outcome {
    if !matches!(arguments.command, KeysCommand::List { .. } | KeysCommand::Jwks) {
        refuse_in_a_call("change the key that passes are signed with")?;
    }
    let keys = PassKeys::new(&discover::state_home()?);
    match &arguments.command {
        KeysCommand::Generate => generate(&keys),
        KeysCommand::Rotate => {
            print(&format!("{}\n", keys.rotate(Clock::System.now()).map_err(failure)?.thumbprint()))?;
            Ok(0)
        }
        KeysCommand::Retire { kid } => {
            keys.retire(kid).map_err(failure)?;
            Ok(0)
        }
        KeysCommand::List { json } => list(&keys, *json),
        KeysCommand::Jwks => jwks(&keys),
    }
}

fn generate(keys: &PassKeys) -> Outcome {
    let Some(key) = keys.generate().map_err(failure)? else {
        return Err(Failure::failed("there is a key already")
            .with_hint("`tgw keys rotate` makes a new one; `tgw keys list` shows what there is"));
    };
    print(&format!("{}\n", key.thumbprint()))?;
    Ok(0)
}

fn list(keys: &PassKeys, as_json: bool) -> Outcome {
    let published = published(keys)?;
    let until = |key: &PublishedKey| key.until.map(|until| until.rfc3339());
    if as_json {
        let all = published.iter().map(|key| {
            let mut value = json!({ "kid": key.key.thumbprint(), "key": key.key.to_string() });
            if let (Some(members), Some(until)) = (value.as_object_mut(), until(key)) {
                members.insert("until".to_owned(), Value::from(until));
            }
            value
        });
        print(&format!("{}\n", Value::Array(all.collect())))?;
        return Ok(0);
    }
    let rows = published.iter().map(|key| {
        let use_of = until(key).map_or("signs".to_owned(), |until| format!("published until {until}"));
        vec![key.key.thumbprint(), use_of]
    });
    print(&table::render(&["kid", "use"], rows.collect()))?;
    Ok(0)
}

/// The public halves (RFC 7517, RFC 8037).
fn jwks(keys: &PassKeys) -> Outcome {
    let published = published(keys)?;
    let all = published.iter().map(|PublishedKey { key, .. }| {
        json!({
            "kty": "OKP", "crv": "Ed25519", "x": key.jwk_x(),
            "kid": key.thumbprint(), "use": "sig", "alg": "EdDSA",
        })
    });
    print(&format!("{}\n", json!({ "keys": all.collect::<Vec<_>>() })))?;
    Ok(0)
}

fn published(keys: &PassKeys) -> Result<Vec<PublishedKey>, Failure> {
    keys.published(Clock::System.now()).map_err(failure)
}

fn failure(error: PassKeyError) -> Failure {
    let failure = Failure::failed(error.to_string());
    match error {
        PassKeyError::Missing => failure.with_hint("`tgw keys generate` makes one"),
        PassKeyError::NoSuchKey(_) => failure
            .with_hint("`tgw keys list` shows them; the key that signs is rotated out first, by `tgw keys rotate`"),
        PassKeyError::InWorkspace => failure.with_hint("set XDG_STATE_HOME to a folder outside the workspace"),
        PassKeyError::Unusable(_) => failure.with_hint(
            "it must be a file of mode 600 that is yours; where others could read it, remove it and make a new one",
        ),
    }
}
