//! What a yes is bound to.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::catalog::Digest;

use super::Subject;

/// What a grant is for: a digest over tenant, user, agent, task, step, workspace, contract digest, plan, effective
/// arguments, effect key, the preview's basis and the rules that asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding(pub Digest);

/// What a call has in common with the same call sent again: principal, workspace, step, contract and what would run
/// with which arguments. Unlike a [`Binding`] it says nothing of what the answer rests on, so it can close a question and
/// never answer one with yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Likeness(pub Digest);

impl Likeness {
    /// The likeness of a call.
    #[must_use]
    pub fn compute(subject: &Subject<'_>) -> Self {
        Self(sha256(canonical(&Value::Object(alike(subject))).as_bytes()))
    }
}

/// What a call and the same call sent again have in common.
fn alike(subject: &Subject<'_>) -> Map<String, Value> {
    let principal = subject.principal;
    let parts = [
        ("version", json!(1)),
        ("tenant", json!(principal.tenant)),
        ("user", json!(principal.user)),
        ("agent", json!(principal.agent)),
        ("agent_version", json!(principal.agent_version)),
        ("task", json!(subject.stated_task())),
        ("step", json!(subject.step)),
        ("workspace", json!(format!("{:?}", subject.workspace))),
        ("tool", json!(subject.contract.name)),
        ("contract", json!(subject.contract.digest)),
        ("plan", plan_value(subject)),
        ("arguments", subject.arguments.clone()),
    ];
    parts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// What would run, as JSON.
fn plan_value(subject: &Subject<'_>) -> Value {
    // A path that is not Unicode has no JSON form; the debug form is complete and unambiguous.
    serde_json::to_value(subject.plan).unwrap_or_else(|_| json!(format!("{:?}", subject.plan)))
}

impl Binding {
    /// The binding of a call as it stands now. Any part that differs gives another one.
    #[must_use]
    pub fn compute(subject: &Subject<'_>) -> Self {
        let mut bound = alike(subject);
        let rest = [
            ("places", json!(subject.led)),
            ("effect_key", json!(subject.effect_key)),
            ("preview", json!(subject.preview.map(|preview| preview.basis))),
            ("rules", json!(subject.asking_rules())),
        ];
        bound.extend(rest.map(|(name, value)| (name.to_owned(), value)));
        Self(sha256(canonical(&Value::Object(bound)).as_bytes()))
    }
}

/// SHA-256 of some bytes.
pub(super) fn sha256(bytes: &[u8]) -> Digest {
    Digest(Sha256::digest(bytes).into())
}

/// JSON with the keys of every object sorted, so that equal values are equal texts.
///
/// Numbers are 64-bit integers, or doubles in their shortest form: none of them was accepted with a loss.
pub(crate) fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            // Writing to a string does not fail.
            let _ = write!(out, "{value}");
        }
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
        Value::Object(members) => write_members(members, out),
    }
}

fn write_members(members: &Map<String, Value>, out: &mut String) {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_by_key(|(key, _)| *key);
    out.push('{');
    for (index, (key, member)) in sorted.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(&Value::String(key.clone()), out);
        out.push(':');
        write(member, out);
    }
    out.push('}');
}
