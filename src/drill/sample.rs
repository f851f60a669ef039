//! A value that a schema takes, as small as can be.

use serde_json::{Map, Value, json};

/// Deepest nesting that is followed.
const DEEPEST: usize = 16;
/// Longest text or list that is made.
const LONGEST: u64 = 256;

/// Makes a value that `schema` is likely to take; `None` where only a person can, as for a pattern. Whoever needs to know
/// validates it.
pub(super) fn sample(schema: &Value) -> Option<Value> {
    of(schema, schema, 0)
}

fn of(schema: &Value, root: &Value, depth: usize) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    let Value::Object(rules) = schema else {
        return (schema != &Value::Bool(false)).then_some(Value::Null);
    };
    if let Some(target) = rules.get("$ref").and_then(Value::as_str) {
        return of(root.pointer(target.strip_prefix('#')?)?, root, depth + 1);
    }
    let first = |name: &str| rules.get(name).and_then(Value::as_array).and_then(|values| values.first());
    let given =
        rules.get("const").or(rules.get("default")).or_else(|| first("examples")).or_else(|| first("enum"));
    if let Some(given) = given {
        return Some(given.clone());
    }
    if let Some(alternative) = first("oneOf").or_else(|| first("anyOf")) {
        return of(alternative, root, depth + 1);
    }
    match kind(rules)? {
        "object" => object(rules, root, depth),
        "array" => {
            let least = rules.get("minItems").and_then(Value::as_u64).unwrap_or(0);
            let item = rules.get("items").unwrap_or(&Value::Null);
            let count = usize::try_from(least).ok().filter(|_| least <= LONGEST)?;
            (0..count).map(|_| of(item, root, depth + 1)).collect::<Option<Vec<_>>>().map(Value::Array)
        }
        "string" => text(rules),
        "integer" => Some(json!(integer(rules)?)),
        "number" => Some(rules.get("minimum").cloned().unwrap_or(json!(integer(rules)?))),
        "boolean" => Some(json!(false)),
        "null" => Some(Value::Null),
        _ => None,
    }
}

fn kind(rules: &Map<String, Value>) -> Option<&str> {
    match rules.get("type") {
        Some(Value::String(kind)) => Some(kind),
        Some(Value::Array(kinds)) => kinds.iter().find_map(Value::as_str),
        _ if rules.contains_key("properties") || rules.contains_key("required") => Some("object"),
        _ => Some("string"),
    }
}

fn object(rules: &Map<String, Value>, root: &Value, depth: usize) -> Option<Value> {
    let required = rules.get("required").and_then(Value::as_array).into_iter().flatten();
    let mut made = Map::new();
    for name in required.filter_map(Value::as_str) {
        let property =
            rules.get("properties").and_then(|properties| properties.get(name)).unwrap_or(&Value::Null);
        made.insert(name.to_owned(), of(property, root, depth + 1)?);
    }
    Some(Value::Object(made))
}

fn text(rules: &Map<String, Value>) -> Option<Value> {
    if rules.contains_key("pattern") {
        return None;
    }
    let least = rules.get("minLength").and_then(Value::as_u64).unwrap_or(0);
    let most = rules.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
    let text = match rules.get("format").and_then(Value::as_str) {
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("date") => "2026-01-31",
        Some("time") => "12:00:00Z",
        Some("email") => "drill@example.com",
        Some("uri" | "url") => "https://example.com/",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        Some("ipv4") => "192.0.2.1",
        Some("glob" | "regex") => "drill",
        _ => {
            let length =
                usize::try_from(least.max(5).min(most)).ok().filter(|length| *length <= LONGEST as usize)?;
            return Some(json!("drill".chars().cycle().take(length).collect::<String>()));
        }
    };
    Some(json!(text))
}

fn integer(rules: &Map<String, Value>) -> Option<i64> {
    let number = |name: &str| rules.get(name).and_then(Value::as_i64);
    let least = number("minimum").or(number("exclusiveMinimum").map(|bound| bound.saturating_add(1)));
    let most = number("maximum").or(number("exclusiveMaximum").map(|bound| bound.saturating_sub(1)));
    let step = number("multipleOf").unwrap_or(1).max(1);
    let from = least.unwrap_or_else(|| most.map_or(1, |most| most.min(1)));
    let up = from.rem_euclid(step);
    from.checked_add(if up == 0 { 0 } else { step - up })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_is_what_the_schema_takes() {
        for schema in [
            json!({"type": "object", "additionalProperties": false, "required": ["a", "b", "c", "d"], "properties": {
                "a": {"type": "integer", "minimum": 3, "multipleOf": 5}, "b": {"enum": ["x", "y"]},
                "c": {"type": "array", "minItems": 2, "items": {"type": "boolean"}}, "d": {"$ref": "#/$defs/n"}},
                "$defs": {"n": {"type": "string", "minLength": 7}}}),
            json!({"type": ["string", "null"], "maxLength": 3}),
            json!({"type": "string", "format": "uuid"}),
            json!({"type": "number", "minimum": 2.5}),
            json!({"type": "integer", "exclusiveMaximum": -4}),
            json!({"oneOf": [{"const": 7}, {"type": "string"}]}),
            json!({"required": ["x"]}),
            json!(true),
        ] {
            let made = sample(&schema).unwrap();
            assert!(jsonschema::is_valid(&schema, &made), "{schema}: {made}");
        }
    }

    #[test]
    fn what_only_a_person_can_make_up_is_not_made() {
        for schema in [
            json!({"type": "string", "pattern": "^R-[0-9]+$"}),
            json!({"$ref": "#"}),
            json!({"type": "array", "minItems": 1_000_000, "items": {"type": "null"}}),
            json!(false),
        ] {
            assert_eq!(sample(&schema), None, "{schema}");
        }
    }
}
