//! Plain words for what a schema wants and for what was found.

use serde_json::{Map, Value};

use crate::text::escape;

/// Most characters of what was found.
const MOST_FOUND: usize = 80;
/// Most characters of a text that are shown of it.
const MOST_TEXT: usize = 40;
/// Most alternatives that are listed.
const MOST_LISTED: usize = 20;
/// Most characters of one alternative or pattern.
const MOST_WANTED: usize = 120;

/// A value as it may be shown: short, on one line, with nothing hidden in it.
pub(super) fn found(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => found_text(text),
        Value::Array(items) => match items.len() {
            0 => "an empty list".to_owned(),
            1 => "a list of 1 item".to_owned(),
            items => format!("a list of {items} items"),
        },
        Value::Object(object) => match object.len() {
            0 => "an empty object".to_owned(),
            1 => "an object of 1 field".to_owned(),
            fields => format!("an object of {fields} fields"),
        },
    }
}

fn found_text(text: &str) -> String {
    let characters = text.chars().count();
    let mut shown = quoted(text);
    let (mut ellipsis, mut note) = ("", String::new());
    if characters > MOST_TEXT {
        (ellipsis, note) = ("…", format!(" ({characters} characters)"));
    }
    // Escaping may have made a short text long.
    let room = MOST_FOUND.saturating_sub(note.len() + 2);
    if shown.chars().count() > room {
        shown = shown.chars().take(room).collect();
        ellipsis = "…";
    }
    format!("{shown}{ellipsis}\"{note}")
}

/// The text as JSON writes it, without its closing quote.
fn quoted(text: &str) -> String {
    let head: String = text.chars().take(MOST_TEXT).collect();
    let json = Value::String(head).to_string();
    escape(json.strip_suffix('"').unwrap_or(&json)).into_owned()
}

/// A value that a contract names, in backticks.
pub(super) fn named(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    format!("`{}`", shortened(&text))
}

/// Text of a contract, escaped and bounded.
pub(super) fn shortened(text: &str) -> String {
    let mut shown: String = escape(text).chars().take(MOST_WANTED).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// `a`, `b` or `c`, without repeats; a long list is cut.
pub(super) fn alternatives(words: impl IntoIterator<Item = String>) -> String {
    let mut unique: Vec<String> = Vec::new();
    for word in words {
        if !unique.contains(&word) {
            unique.push(word);
        }
    }
    let more = unique.len().saturating_sub(MOST_LISTED);
    unique.truncate(MOST_LISTED);
    match (unique.as_slice(), more) {
        ([], _) => "nothing".to_owned(),
        ([only], 0) => only.clone(),
        ([first @ .., last], 0) => format!("{} or {last}", first.join(", ")),
        (listed, more) => format!("{} or one of {more} more", listed.join(", ")),
    }
}

/// One of the listed values.
pub(super) fn one_of(options: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    match options {
        [only] => named(only),
        options => {
            let listed: Vec<String> = options.iter().take(MOST_LISTED).map(named).collect();
            match options.len().saturating_sub(MOST_LISTED) {
                0 => format!("one of {}", listed.join(", ")),
                more => format!("one of {} and {more} more", listed.join(", ")),
            }
        }
    }
}

/// A JSON type with its article.
pub(super) fn type_name(name: &str) -> &'static str {
    match name {
        "null" => "null",
        "boolean" => "true or false",
        "integer" => "an integer",
        "number" => "a number",
        "string" => "text",
        "array" => "a list",
        "object" => "an object",
        _ => "a value",
    }
}

/// What a format asks for.
pub(super) fn format_name(format: &str) -> String {
    match format {
        "date-time" => "a date and time such as `2026-11-30T12:00:00Z`".to_owned(),
        "date" => "a date such as `2026-11-30`".to_owned(),
        "time" => "a time such as `12:00:00Z`".to_owned(),
        "duration" => "a duration such as `P1DT2H`".to_owned(),
        "email" => "an e-mail address".to_owned(),
        "uri" => "an absolute URI".to_owned(),
        "uuid" => "a UUID".to_owned(),
        other => format!("text of the format `{}`", shortened(other)),
    }
}

/// What a subschema wants, as far as a few words can say it.
pub(super) fn wanted(schema: &Value) -> String {
    let Value::Object(schema) = schema else { return "a value".to_owned() };
    if let Some(constant) = schema.get("const") {
        return named(constant);
    }
    if let Some(options) = schema.get("enum") {
        return one_of(options);
    }
    if let Some(format) = schema.get("format").and_then(Value::as_str) {
        return match format {
            "workspace-path" => "a path in the workspace".to_owned(),
            "glob" => "a glob pattern".to_owned(),
            "regex" => "a regular expression".to_owned(),
            "int32" | "int64" | "float" | "double" => types(schema),
            other => format_name(other),
        };
    }
    types(schema)
}

fn types(schema: &Map<String, Value>) -> String {
    match schema.get("type") {
        Some(Value::String(name)) => type_name(name).to_owned(),
        Some(Value::Array(names)) => {
            alternatives(names.iter().filter_map(Value::as_str).map(|name| type_name(name).to_owned()))
        }
        _ => "a value".to_owned(),
    }
}

/// `1 item`, `2 items`.
pub(super) fn count(amount: u64, one: &str, many: &str) -> String {
    if amount == 1 { format!("1 {one}") } else { format!("{amount} {many}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_found_is_short_and_shows_nothing_hidden() {
        let cases = [
            (json!(null), "null"),
            (json!(18_446_744_073_709_551_615_u64), "18446744073709551615"),
            (json!("a\n\"b\"\u{202e}"), "\"a\\n\\\"b\\\"\\u{202e}\""),
            (json!([]), "an empty list"),
            (json!([1]), "a list of 1 item"),
            (json!({"a": 1, "b": 2}), "an object of 2 fields"),
        ];
        for (value, expected) in cases {
            assert_eq!(found(&value), expected);
        }
        assert_eq!(found(&json!("x".repeat(312))), format!("\"{}…\" (312 characters)", "x".repeat(40)));
        for hostile in ["\u{202e}".repeat(40), "\u{0}".repeat(4000), "é".repeat(40)] {
            let shown = found(&json!(hostile));
            assert!(shown.chars().count() <= MOST_FOUND, "{shown}");
            assert!(!shown.chars().any(crate::text::is_hidden), "{shown}");
        }
    }

    #[test]
    fn alternatives_read_as_a_sentence() {
        let listed = |words: &[&str]| alternatives(words.iter().map(|word| (*word).to_owned()));
        assert_eq!(listed(&["a"]), "a");
        assert_eq!(listed(&["a", "b", "a", "c"]), "a, b or c");
        assert_eq!(alternatives((0..30).map(|n| n.to_string())).matches(',').count(), 19);
    }
}
