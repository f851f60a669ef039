//! The tool behind every contract: it prints what was recorded.

use std::error::Error;
use std::io::{Read, Write};
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::suite::{Call, text};

/// Writes what [`answer`] reads: one file a call.
pub(crate) fn record(id: &str, call: &Call, folder: &Path) -> Result<(), Box<dyn Error>> {
    let recording = json!({"arguments": call.arguments, "result": call.result});
    Ok(std::fs::write(folder.join(id), serde_json::to_vec(&recording)?)?)
}

/// Reads arguments on stdin and prints the result of the call, provided that they are the ones recorded of it.
pub(crate) fn answer(folder: &Path, call: &str) -> Result<(), Box<dyn Error>> {
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input)?;
    let given: Map<String, Value> = serde_json::from_slice(&input)?;
    let recording: Value = serde_json::from_slice(&std::fs::read(folder.join(call))?)?;
    let recorded = recording.get("arguments").and_then(Value::as_object).ok_or("the recording is damaged")?;
    // The gateway may have put in defaults.
    let arrived = |(name, value): (&String, &Value)| given.get(name).is_some_and(|given| same(given, value));
    if !recorded.iter().all(arrived) {
        return Err("these are not the arguments that were recorded".into());
    }
    std::io::stdout().write_all(text(&recording, "result").as_bytes())?;
    Ok(())
}

/// Equality in which `5` and `5.0` are one number.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            other.iter().all(|(name, value)| one.get(name).is_some_and(|one| same(one, value)))
        }
        _ => one == other,
    }
}
