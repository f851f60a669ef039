//! Passes: signed statements of what one call is, for the backend that it goes to. A pass is a JSON Web Token (RFC 7519) in
//! the compact form (RFC 7515), signed with ed25519 (RFC 8037).

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::{Number, Value};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::catalog::{Digest, MintSpec, Risk};
use crate::clock::Timestamp;
use crate::ident::{CallId, Principal, TaskId, ToolName};
use crate::signature::SecretKey;

/// What a pass is, in its header, so that no token of another kind is taken for one.
const TYPE: &str = "tgw-pass+jwt";

/// What a pass is bound to.
pub struct PassSubject<'a> {
    /// Who is behind the call.
    pub principal: &'a Principal,
    /// The task it belongs to.
    pub task: &'a TaskId,
    /// The tool.
    pub tool: &'a ToolName,
    /// The version of its contract, where it states one.
    pub version: Option<&'a str>,
    /// What the tool may do.
    pub action: Risk,
    /// The type of the object that the call concerns, and its identity where the arguments tell it.
    pub object: Option<(&'a str, Option<String>)>,
    /// The effective arguments.
    pub arguments: &'a Value,
    /// The call.
    pub call: &'a CallId,
}

/// A pass, and what the audit says of it.
pub struct Minted {
    /// The pass.
    pub pass: Zeroizing<Vec<u8>>,
    /// The id of the key that signed it.
    pub key: String,
    /// When it ends.
    pub expires: Timestamp,
}

#[derive(Serialize)]
struct Header<'a> {
    alg: &'a str,
    typ: &'a str,
    kid: &'a str,
}

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    aud: &'a str,
    sub: &'a str,
    tenant: &'a str,
    agent: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_version: Option<&'a str>,
    task: &'a str,
    tool: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_version: Option<&'a str>,
    action: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<Object<'a>>,
    arguments: Digest,
    call: &'a str,
    jti: &'a str,
    iat: u64,
    nbf: u64,
    exp: u64,
}

#[derive(Serialize)]
struct Object<'a> {
    r#type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
}

/// Makes the pass of one call. `id` is unlike that of every other pass.
#[must_use]
pub fn mint(spec: &MintSpec, subject: &PassSubject<'_>, id: &str, now: Timestamp, key: &SecretKey) -> Minted {
    let (kid, iat) = (key.public().thumbprint(), now.0 / 1000);
    let exp = iat.saturating_add(spec.lifetime.as_secs());
    let principal = subject.principal;
    let claims = Claims {
        iss: &spec.issuer,
        aud: &spec.audience,
        sub: principal.user.as_str(),
        tenant: principal.tenant.as_str(),
        agent: principal.agent.as_str(),
        agent_version: principal.agent_version.as_deref(),
        task: subject.task.as_str(),
        tool: subject.tool.as_str(),
        tool_version: subject.version,
        action: subject.action.as_str(),
        object: subject.object.as_ref().map(|(kind, id)| Object { r#type: kind, id: id.as_deref() }),
        arguments: arguments_digest(subject.arguments),
        call: subject.call.as_str(),
        jti: id,
        iat,
        nbf: iat,
        exp,
    };
    let mut pass = Zeroizing::new(part(&Header { alg: "EdDSA", typ: TYPE, kid: &kid }));
    pass.push('.');
    pass.push_str(&part(&claims));
    let signature = key.sign(pass.as_bytes());
    pass.push('.');
    pass.push_str(&URL_SAFE_NO_PAD.encode(signature));
    let pass = Zeroizing::new(std::mem::take(&mut *pass).into_bytes());
    Minted { pass, key: kid, expires: Timestamp(exp.saturating_mul(1000)) }
}

fn part(value: &impl Serialize) -> String {
    // Names and numbers only: nothing that cannot be written.
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(value).unwrap_or_default())
}

/// The digest of arguments by which a pass is bound to them: SHA-256 over [`plain_json`].
#[must_use]
pub fn arguments_digest(arguments: &Value) -> Digest {
    Digest(Sha256::digest(plain_json(arguments)).into())
}

/// JSON in the one form that a digest is over, made so that any language can write it:
///
/// - no white space; the members of an object in the order of their names' code points;
/// - in a string, `"` and `\` after a `\`, the controls below U+0020 as `\b \t \n \f \r` or `\u00xx` with small letters,
///   and every other character as itself, in UTF-8;
/// - a number that is whole as its digits, all of them, whatever its spelling was (`2.0` is `2`, `-0.0` is `0`, `1e21` has 22
///   digits): integers beyond 2^53 stay exact;
/// - any other number in the fewest digits that read back as the same double, as `d.ddde±n` with one digit before the point,
///   no point where there is nothing behind it, and no `+`: `1.25e1`, `5e-1`.
#[must_use]
pub fn plain_json(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => {
            // Writing to a string does not fail.
            let _ = write!(out, "{value}");
        }
        Value::Number(number) => write_number(number, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            out.push('{');
            for (index, (name, member)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(&Value::from(name.as_str()), out);
                out.push(':');
                write(member, out);
            }
            out.push('}');
        }
    }
}

fn write_number(number: &Number, out: &mut String) {
    let written = match number.as_f64() {
        Some(double) if number.is_f64() && double == 0.0 => write!(out, "0"),
        Some(double) if number.is_f64() && double.fract() == 0.0 => write!(out, "{double:.0}"),
        Some(double) if number.is_f64() => write!(out, "{double:e}"),
        _ => write!(out, "{number}"),
    };
    // Writing to a string does not fail.
    let _ = written;
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::ident::{AgentName, Tenant, UserName};
    use crate::signature::PublicKey;

    fn principal() -> Principal {
        Principal {
            user: UserName::parse("ann").unwrap(),
            agent: AgentName::parse("buyer").unwrap(),
            agent_version: Some("1.3".to_owned()),
            tenant: Tenant::parse("acme").unwrap(),
        }
    }

    fn minted(arguments: &Value, key: &SecretKey) -> Minted {
        let spec = MintSpec {
            audience: "purchasing".to_owned(),
            issuer: "tgw".to_owned(),
            lifetime: Duration::from_secs(60),
        };
        let subject = PassSubject {
            principal: &principal(),
            task: &TaskId::parse("desks").unwrap(),
            tool: &ToolName::parse("order").unwrap(),
            version: Some("2.1.0"),
            action: Risk::External,
            object: Some(("purchase_request", Some("R-1".to_owned()))),
            arguments,
            call: &CallId::parse("c1").unwrap(),
        };
        mint(&spec, &subject, "p_1", Timestamp(1_790_000_000_999), key)
    }

    fn parts(pass: &[u8]) -> (String, Value, Value, [u8; 64]) {
        let text = std::str::from_utf8(pass).unwrap();
        let (signed, signature) = text.rsplit_once('.').unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        let read = |part: &str| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap().try_into().unwrap();
        (signed.to_owned(), read(header), read(claims), signature)
    }

    #[test]
    fn a_pass_says_who_does_what_with_what_and_until_when() {
        let key = SecretKey::random().unwrap();
        let minted = minted(&json!({"b": 1, "a": "x"}), &key);
        let (signed, header, claims, signature) = parts(&minted.pass);
        let kid = key.public().thumbprint();
        assert_eq!(header, json!({"alg": "EdDSA", "typ": "tgw-pass+jwt", "kid": kid}));
        assert_eq!(
            claims,
            json!({
                "iss": "tgw", "aud": "purchasing", "sub": "ann", "tenant": "acme",
                "agent": "buyer", "agent_version": "1.3", "task": "desks",
                "tool": "order", "tool_version": "2.1.0", "action": "external",
                "object": {"type": "purchase_request", "id": "R-1"},
                "arguments": Digest(Sha256::digest(r#"{"a":"x","b":1}"#).into()).to_string(),
                "call": "c1", "jti": "p_1",
                "iat": 1_790_000_000, "nbf": 1_790_000_000, "exp": 1_790_000_060,
            })
        );
        assert!(key.public().verifies(signed.as_bytes(), &signature));
        assert!(!SecretKey::random().unwrap().public().verifies(signed.as_bytes(), &signature));
        assert_eq!((minted.key, minted.expires), (kid, Timestamp(1_790_000_060_000)));
    }

    #[test]
    fn no_byte_of_a_pass_can_be_changed() {
        let key = SecretKey::random().unwrap();
        let (signed, .., signature) = parts(&minted(&json!({}), &key).pass);
        let public: PublicKey = key.public();
        for at in 0..signed.len() {
            let mut changed = signed.clone().into_bytes();
            changed[at] ^= 1;
            assert!(!public.verifies(&changed, &signature), "{at}");
        }
    }

    #[test]
    fn equal_arguments_have_one_form_whatever_their_order_and_spelling() {
        let forms = [
            (r#"{"b": [1, true, null], "a": {}}"#, r#"{"a":{},"b":[1,true,null]}"#),
            (
                r#"{"\ud83d\ude00": 1, "\uffff": 2, "Z": 3, "": 4}"#,
                "{\"\":4,\"Z\":3,\"\u{ffff}\":2,\"😀\":1}",
            ),
            (r#""a\/\u0007\b\u001f\u007f\u00e9\"\\\n""#, "\"a/\\u0007\\b\\u001f\u{7f}é\\\"\\\\\\n\""),
            ("9007199254740993", "9007199254740993"),
            ("18446744073709551615", "18446744073709551615"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("[2.0, -0.0, 0.0, -0]", "[2,0,0,0]"),
            ("1e21", "1000000000000000000000"),
            ("[12.5, 0.5, -1.5e-7, 0.1]", "[1.25e1,5e-1,-1.5e-7,1e-1]"),
        ];
        for (written, expected) in forms {
            let value: Value = serde_json::from_str(written).unwrap();
            assert_eq!(plain_json(&value), expected, "{written}");
        }
    }

    #[test]
    fn other_arguments_have_another_digest() {
        let digests: Vec<Digest> = [
            json!({}),
            json!({"a": 1}),
            json!({"a": "1"}),
            json!({"a": [1]}),
            json!({"a": 1.5}),
            json!({"b": 1}),
        ]
        .iter()
        .map(arguments_digest)
        .collect();
        for (index, digest) in digests.iter().enumerate() {
            assert!(!digests[..index].contains(digest), "{index}");
        }
    }
}
