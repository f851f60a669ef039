//! Checks the pass that tgw mints for each call. See docs/backend.md.
//!
//! A pass is required where `PROCUREMENT_KEYS` names a file with what `tgw keys jwks` printed. It comes in
//! `PURCHASING_PASS`.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::Refusal;
use crate::books::Books;

const AUDIENCE: &str = "purchasing";
const ISSUER: &str = "tgw";
/// How far the clocks may differ, in seconds.
const LEEWAY: u64 = 5;

/// What the backend is about to do, and for whom.
pub(crate) struct Request<'a> {
    pub(crate) tenant: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a Value,
}

/// Refuses a request without a pass for exactly it. A pass is good once.
pub(crate) fn check(books: &Books, keys: &str, pass: &str, request: &Request<'_>) -> Result<(), Refusal> {
    let refuse = |why: &str| Refusal::Business(format!("the pass is refused: {why}"));
    let claims = verified(keys, pass).ok_or_else(|| refuse("it is forged"))?;
    #[expect(clippy::disallowed_methods, reason = "the purchasing system has a clock of its own")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let second =
        |claim: &str| claims.get(claim).and_then(Value::as_u64).ok_or_else(|| refuse("it says no time"));
    if now >= second("exp")? + LEEWAY || now + LEEWAY < second("nbf")? {
        return Err(refuse("it is stale"));
    }
    let digest = format!("sha256:{}", hex(&Sha256::digest(plain_json(request.arguments))));
    for (claim, expected) in [
        ("iss", ISSUER),
        ("aud", AUDIENCE),
        ("tenant", request.tenant),
        ("tool", request.tool),
        ("arguments", &digest),
    ] {
        if claims.get(claim).is_none_or(|said| said != expected) {
            return Err(refuse(&format!("it is for another call: `{claim}` differs")));
        }
    }
    let id = claims.get("jti").and_then(Value::as_str).ok_or_else(|| refuse("it has no id"))?;
    // One statement: of two that come at once, one is first.
    let first = books.file.execute("INSERT OR IGNORE INTO pass VALUES (?1)", [id])?;
    if first == 1 { Ok(()) } else { Err(refuse("it was used before")) }
}

/// The claims of a pass that one of these keys signed.
fn verified(keys: &str, pass: &str) -> Option<Value> {
    let (signed, signature) = pass.rsplit_once('.')?;
    let (header, claims) = signed.split_once('.')?;
    let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header).ok()?).ok()?;
    if header.get("alg")? != "EdDSA" || header.get("typ")? != "tgw-pass+jwt" {
        return None;
    }
    let keys: Value = serde_json::from_str(keys).ok()?;
    let kid = header.get("kid")?;
    let key = keys.get("keys")?.as_array()?.iter().find(|key| key.get("kid") == Some(kid))?;
    let key = URL_SAFE_NO_PAD.decode(key.get("x")?.as_str()?).ok()?;
    let key = VerifyingKey::from_bytes(&key.try_into().ok()?).ok()?;
    let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
    key.verify_strict(signed.as_bytes(), &Signature::from_slice(&signature).ok()?).ok()?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
}

/// The one form of JSON that the digest of the arguments is over.
fn plain_json(value: &Value) -> String {
    let list = |parts: Vec<String>| parts.join(",");
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let write =
                |(name, value): (&String, &Value)| format!("{}:{}", Value::from(&**name), plain_json(value));
            format!("{{{}}}", list(members.into_iter().map(write).collect()))
        }
        Value::Array(items) => format!("[{}]", list(items.iter().map(plain_json).collect())),
        Value::Number(number) if number.is_f64() => match number.as_f64().unwrap_or_default() {
            0.0 => "0".to_owned(),
            whole if whole.fract() == 0.0 => format!("{whole:.0}"),
            other => format!("{other:e}"),
        },
        other => other.to_string(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
