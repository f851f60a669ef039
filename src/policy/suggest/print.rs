//! Rules as YAML that a person reads and edits.

use serde_json::{Map, Value};

use crate::text::is_hidden;

/// Words that some reader of YAML takes for something else than text.
const MEANINGFUL: [&str; 10] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"];

/// One rule as an element of `rules`, indented by two.
pub(super) fn rule(rule: &Map<String, Value>) -> String {
    let mut text = String::new();
    for (at, (key, value)) in rule.iter().enumerate() {
        let lead = if at == 0 { "  - " } else { "    " };
        match value {
            Value::Object(members) if key == "examples" => {
                text.push_str(&format!("{lead}examples:\n"));
                for (kind, calls) in members {
                    text.push_str(&format!("      {}:\n", scalar(kind)));
                    for call in calls.as_array().into_iter().flatten() {
                        text.push_str(&format!("        - {}\n", flow(call)));
                    }
                }
            }
            value => text.push_str(&format!("{lead}{}: {}\n", scalar(key), flow(value))),
        }
    }
    text
}

/// A value on one line.
pub(super) fn flow(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => scalar(text),
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(key, value)| format!("{}: {}", scalar(key), flow(value))).collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}

/// A text: bare where no reader can take it for anything else, else quoted.
fn scalar(text: &str) -> String {
    let bare = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        && !MEANINGFUL.contains(&text.to_ascii_lowercase().as_str());
    if bare {
        text.to_owned()
    } else if text.chars().any(is_hidden) || text.trim() != text {
        // JSON's escapes are YAML's, but for pairs of surrogates.
        let mut out = String::new();
        for c in Value::from(text).to_string().chars() {
            if is_hidden(c) {
                out.push_str(&format!("\\U{:08x}", u32::from(c)));
            } else {
                out.push(c);
            }
        }
        out
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}
