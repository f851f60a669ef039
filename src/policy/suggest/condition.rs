//! A condition that holds for the like of one call: the same arguments, user, agent, step and tenant.

use serde_json::{Map, Value};

use crate::catalog::Contract;
use crate::text::is_hidden;

use super::super::Facts;

/// Words that CEL keeps for itself, so that no field is selected by them.
const RESERVED: [&str; 20] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "while",
];

/// The condition. Whatever differs from the call makes it false.
pub(super) fn condition(contract: &Contract, arguments: &Map<String, Value>, facts: &Facts<'_>) -> String {
    let mut parts = vec![
        format!("tool.name == {}", literal(contract.name.as_str())),
        format!("tenant == {}", literal(facts.principal.tenant.as_str())),
        format!("user == {}", literal(facts.principal.user.as_str())),
        format!("agent.name == {}", literal(facts.principal.agent.as_str())),
    ];
    if let Some(step) = facts.step {
        parts.push(format!("step == {}", literal(step.as_str())));
    }
    let schema = &contract.input_schema.json;
    let properties = schema.get("properties").and_then(Value::as_object);
    match properties.filter(|properties| is_closed(schema, properties, arguments)) {
        Some(properties) => {
            parts.extend(properties.iter().map(|(name, schema)| one(name, schema, arguments.get(name))));
        }
        // What the schema does not name can still be there, and must be the same.
        None => parts
            .push(format!("json(arguments) == {}", literal(&Value::Object(arguments.clone()).to_string()))),
    }
    parts.join(" && ")
}

/// Whether the schema names every argument that there can be.
fn is_closed(schema: &Value, properties: &Map<String, Value>, arguments: &Map<String, Value>) -> bool {
    schema.get("additionalProperties") == Some(&Value::Bool(false))
        && schema.get("patternProperties").is_none()
        && arguments.keys().all(|name| properties.contains_key(name))
}

/// What must hold of one argument.
fn one(name: &str, schema: &Value, value: Option<&Value>) -> String {
    let plain = is_plain(name);
    let (there, read) = if plain {
        (format!("has(arguments.{name})"), format!("arguments.{name}"))
    } else {
        let key = literal(name);
        (format!("{key} in arguments"), format!("arguments[{key}]"))
    };
    let Some(value) = value else { return format!("!({there})") };
    let equal = match value {
        Value::String(text) => format!("{read} == {}", literal(text)),
        Value::Number(number) => {
            // A schema's `number` is a decimal number whatever its spelling.
            let decimal = schema.get("type").and_then(Value::as_str) == Some("number");
            let written = number.to_string();
            let point = if decimal && written.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
                ".0"
            } else {
                ""
            };
            format!("{read} == {written}{point}")
        }
        Value::Bool(value) => format!("{read} == {value}"),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            format!("json({read}) == {}", literal(&value.to_string()))
        }
    };
    format!("{there} && {equal}")
}

fn is_plain(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !RESERVED.contains(&name)
}

/// A text as CEL writes it, with everything escaped that a person could not see.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => out.push_str(&format!("\\U{:08x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
