//! Reading what can still be read of a line that is refused, so that its answer carries its id.

use std::fmt;

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::json::JsonLimits;

/// What a refused line seems to say. Nothing of it is ever run.
///
/// A text that is JSON after all (a repeated key, a number too long) is returned whole; else an object's own scalar
/// fields up to the first fault.
pub(super) fn salvage(bytes: &[u8], limits: JsonLimits) -> Option<Value> {
    if bytes.len() > limits.bytes {
        return None;
    }
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Some(value);
    }
    let mut found = Map::new();
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    // The error is the reason for being here.
    let _ = deserializer.deserialize_map(Scalars(&mut found));
    (!found.is_empty()).then_some(Value::Object(found))
}

struct Scalars<'a>(&'a mut Map<String, Value>);

impl<'de> Visitor<'de> for Scalars<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        while let Some(key) = access.next_key::<String>()? {
            if matches!(key.as_str(), "id" | "call_id" | "name" | "type" | "jsonrpc" | "method") {
                let value: Value = access.next_value()?;
                // A key that occurs twice says nothing.
                let value = if self.0.contains_key(&key) { Value::Null } else { value };
                self.0.insert(key, value);
            } else {
                access.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}
