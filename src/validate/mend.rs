//! The caller's own arguments with what is wrong in them put right, where that can be told.

use serde_json::{Map, Value};

use crate::catalog::{CompiledSchema, Contract};
use crate::code::Violation;
use crate::diagnostic::nearest;

/// The arguments as they would hold: what is wrong is spelled right, taken from the contract's example, or left out, and what
/// is fine is untouched. `None` where that does not satisfy the schema.
///
/// `defaulted` are the pointers that the caller did not send.
pub(super) fn mended(
    contract: &Contract,
    schema: &CompiledSchema,
    arguments: &Value,
    defaulted: &[String],
    violations: &[Violation],
) -> Option<Value> {
    let mut mended = arguments.as_object()?.clone();
    mended.retain(|name, _| !defaulted.iter().any(|pointer| first_token(pointer).as_deref() == Some(name)));
    let example = contract.examples.first().and_then(Value::as_object);
    let known = contract.input_schema.json.get("properties").and_then(Value::as_object);
    let mut wrong: Vec<String> =
        violations.iter().map(|violation| first_token(&violation.pointer)).collect::<Option<_>>()?;
    // Names that nobody knows first: one of them may be what is missing under its right name.
    wrong.sort_by_key(|name| known.is_none_or(|known| known.contains_key(name)));
    let mut seen: Vec<String> = Vec::new();
    for name in wrong {
        if seen.contains(&name) {
            continue;
        }
        let value = mended.shift_remove(&name);
        match value {
            Some(value) if known.is_some_and(|known| !known.contains_key(&name)) => {
                seen.extend(rename(&name, value, known, &mut mended));
            }
            value => {
                let unquoted = value.as_ref().and_then(unquoted);
                let better = unquoted.or_else(|| example.and_then(|example| example.get(&name)).cloned());
                if let Some(better) = better {
                    mended.insert(name.clone(), better);
                }
            }
        }
        seen.push(name);
    }
    let mended = Value::Object(mended);
    schema.is_valid(&mended).then_some(mended)
}

/// Puts a value under the name that was plainly meant, where that one is free; returns that name.
fn rename(
    name: &str,
    value: Value,
    known: Option<&Map<String, Value>>,
    mended: &mut Map<String, Value>,
) -> Option<String> {
    let meant = known.and_then(|known| nearest(name, known.keys().map(String::as_str)));
    let meant = meant.filter(|meant| !mended.contains_key(*meant))?.to_owned();
    mended.insert(meant.clone(), value);
    Some(meant)
}

/// The number or truth value that a text spells.
pub(super) fn unquoted(value: &Value) -> Option<Value> {
    let text = value.as_str().filter(|text| text.len() <= 40)?;
    serde_json::from_str(text).ok().filter(|read: &Value| read.is_number() || read.is_boolean())
}

/// The name of the argument that a pointer leads into.
fn first_token(pointer: &str) -> Option<String> {
    let token = pointer.strip_prefix('/')?.split('/').next()?;
    Some(token.replace("~1", "/").replace("~0", "~"))
}
