//! Breaking a call that holds, in every way that its schema speaks of.

use serde_json::{Map, Value, json};

/// How a call was broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Breakage {
    Missing,
    WrongType,
    Extra,
    OutOfRange,
    WrongEnum,
}

/// A broken call, and the place that must be named.
pub(crate) struct Broken {
    pub how: Breakage,
    pub pointer: String,
    pub arguments: Map<String, Value>,
}

/// Every way to break the arguments in one place.
pub(crate) fn break_call(schema: &Value, arguments: &Map<String, Value>) -> Vec<Broken> {
    let whole = Value::Object(arguments.clone());
    let mut breaker = Breaker { whole: &whole, broken: Vec::new() };
    breaker.object(schema, arguments, "");
    breaker.broken
}

struct Breaker<'a> {
    whole: &'a Value,
    broken: Vec<Broken>,
}

impl Breaker<'_> {
    /// Adds a copy of the call in which `edit` changed the value at `at`.
    fn add(&mut self, how: Breakage, at: &str, pointer: String, edit: impl FnOnce(&mut Value)) {
        let mut whole = self.whole.clone();
        if let Some(place) = whole.pointer_mut(at) {
            edit(place);
        }
        if let Value::Object(arguments) = whole {
            self.broken.push(Broken { how, pointer, arguments });
        }
    }

    fn object(&mut self, schema: &Value, object: &Map<String, Value>, at: &str) {
        let declared = schema.get("properties").and_then(Value::as_object);
        let property = |name: &str| declared.and_then(|properties| properties.get(name));
        for name in
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
        {
            // What has a default is never missing.
            if object.contains_key(name) && property(name).is_none_or(|inner| inner.get("default").is_none())
            {
                self.add(Breakage::Missing, at, child(at, name), |object| {
                    if let Some(object) = object.as_object_mut() {
                        object.shift_remove(name);
                    }
                });
            }
        }
        if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
            const NAME: &str = "no_such_field";
            self.add(Breakage::Extra, at, child(at, NAME), |object| {
                if let Some(object) = object.as_object_mut() {
                    object.insert(NAME.to_owned(), json!("x"));
                }
            });
        }
        for (name, value) in object {
            if let Some(inner) = property(name) {
                self.value(inner, value, &child(at, name));
            }
        }
    }

    fn value(&mut self, schema: &Value, value: &Value, at: &str) {
        let wrong = match schema.get("type").and_then(Value::as_str) {
            Some("string") => Some(json!(42)),
            Some("integer") => Some(json!(1.5)),
            Some("number" | "boolean" | "array" | "object") => Some(json!("seven")),
            _ => None,
        };
        if let Some(wrong) = wrong {
            self.replace(Breakage::WrongType, at, wrong);
        }
        if schema.get("enum").is_some() {
            self.replace(Breakage::WrongEnum, at, json!("no such value"));
        }
        for beyond in beyond(schema, value) {
            self.replace(Breakage::OutOfRange, at, beyond);
        }
        match value {
            Value::Object(object) => self.object(schema, object, at),
            Value::Array(items) => {
                if let (Some(inner), Some(first)) = (schema.get("items"), items.first()) {
                    self.value(inner, first, &format!("{at}/0"));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn replace(&mut self, how: Breakage, at: &str, wrong: Value) {
        self.add(how, at, at.to_owned(), |place| *place = wrong);
    }
}

/// Values just outside each bound that the schema states.
fn beyond(schema: &Value, value: &Value) -> Vec<Value> {
    let bound = |key: &str| schema.get(key);
    let length =
        |key: &str| bound(key).and_then(Value::as_u64).and_then(|length| usize::try_from(length).ok());
    let mut beyond = Vec::new();
    for (key, step) in
        [("minimum", -1.0), ("maximum", 1.0), ("exclusiveMinimum", 0.0), ("exclusiveMaximum", 0.0)]
    {
        match bound(key) {
            Some(Value::Number(limit)) if value.is_number() => {
                let whole = limit.as_i64().map(|limit| json!(limit + step as i64));
                beyond.extend(whole.or_else(|| limit.as_f64().map(|limit| json!(limit + step))));
            }
            _ => {}
        }
    }
    if let Value::String(_) = value {
        beyond.extend(length("maxLength").map(|most| json!("x".repeat(most + 1))));
        beyond
            .extend(length("minLength").filter(|least| *least > 0).map(|least| json!("x".repeat(least - 1))));
    }
    if let Value::Array(items) = value {
        beyond.extend(
            length("minItems")
                .filter(|least| *least > 0)
                .map(|least| Value::Array(items.iter().take(least - 1).cloned().collect())),
        );
        beyond.extend(
            length("maxItems")
                .filter(|_| !items.is_empty())
                .map(|most| Value::Array(items.iter().cycle().take(most + 1).cloned().collect())),
        );
    }
    beyond
}

fn child(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}
