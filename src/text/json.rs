//! JSON objects written member by member. Most text needs no escape, and is copied as it is.

use std::io::Write as _;

use serde::Serialize;
use serde_json::Value;

/// An object being written at the end of a buffer.
pub(crate) struct JsonObject<'o> {
    out: &'o mut Vec<u8>,
    /// Where its first member stands.
    first: usize,
}

impl<'o> JsonObject<'o> {
    /// Opens an object.
    pub(crate) fn begin(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        let first = out.len();
        Self { out, first }
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, name: &'static str, text: &str) {
        write_json_text(text, self.member(name));
    }

    /// Adds a text, where there is one.
    pub(crate) fn maybe_text(&mut self, name: &'static str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    /// Opens an object in it.
    pub(crate) fn object(&mut self, name: &'static str) -> JsonObject<'_> {
        JsonObject::begin(self.member(name))
    }

    /// Adds what is JSON already.
    pub(crate) fn json(&mut self, name: &'static str, json: &str) {
        self.member(name).extend_from_slice(json.as_bytes());
    }

    /// Adds whatever can be serialized; where that fails, `{"unwritable":true}` in its place, so that the object stays
    /// JSON and shows it.
    pub(crate) fn value<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        let out = self.member(name);
        let start = out.len();
        if serde_json::to_writer(&mut *out, value).is_err() {
            out.truncate(start);
            out.extend_from_slice(br#"{"unwritable":true}"#);
        }
    }

    /// Adds whatever can be serialized, where there is something.
    pub(crate) fn maybe<T: Serialize>(&mut self, name: &'static str, value: Option<T>) {
        if let Some(value) = value {
            self.value(name, &value);
        }
    }

    /// Closes the object.
    pub(crate) fn end(self) {
        self.out.push(b'}');
    }

    /// Writes the name of a member, and returns where its value goes. Names are this program's own: none needs an escape.
    fn member(&mut self, name: &'static str) -> &mut Vec<u8> {
        if self.out.len() > self.first {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }
}

/// A value as compact JSON, as serde_json writes it.
pub(crate) fn json_text(value: &Value) -> String {
    let mut out = Vec::with_capacity(128);
    write_json(value, &mut out);
    // What is written is the text of values, which is UTF-8.
    String::from_utf8(out).unwrap_or_default()
}

/// Appends a value as compact JSON. The recursion is as deep as the value, whose nesting its parser bounded.
fn write_json(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Value::Number(number) => {
            // A vector takes every write.
            let _ = write!(out, "{number}");
        }
        Value::String(text) => write_json_text(text, out),
        Value::Array(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write_json(item, out);
            }
            out.push(b']');
        }
        Value::Object(members) => {
            out.push(b'{');
            for (at, (name, member)) in members.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write_json_text(name, out);
                out.push(b':');
                write_json(member, out);
            }
            out.push(b'}');
        }
    }
}

/// Appends a text as a JSON string.
fn write_json_text(text: &str, out: &mut Vec<u8>) {
    let escaped = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    // Looking at whole chunks without leaving them early lets the compiler look at many bytes at once.
    let plain = text
        .as_bytes()
        .chunks(32)
        .all(|chunk| !chunk.iter().fold(false, |found, byte| found | escaped(byte)));
    if plain {
        out.reserve(text.len() + 2);
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        let start = out.len();
        // A string can be written into memory: neither serde_json nor the vector refuses it.
        if serde_json::to_writer(&mut *out, text).is_err() {
            out.truncate(start);
            out.extend_from_slice(b"\"\"");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn members_are_separated_and_absent_ones_left_out() {
        let mut out = b"before ".to_vec();
        let mut object = JsonObject::begin(&mut out);
        object.maybe_text("none", None);
        object.text("a", "b\"c");
        object.value("n", &[1, 2]);
        object.maybe("none", None::<u8>);
        object.end();
        assert_eq!(out, br#"before {"a":"b\"c","n":[1,2]}"#);
        let mut out = Vec::new();
        JsonObject::begin(&mut out).end();
        assert_eq!(out, b"{}");
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_value_is_written_as_serde_json_writes_it(value in any_value()) {
            prop_assert_eq!(json_text(&value), value.to_string());
        }

        #[test]
        fn a_text_is_written_as_serde_json_writes_it(text in any::<String>()) {
            let mut out = Vec::new();
            write_json_text(&text, &mut out);
            prop_assert_eq!(out, serde_json::to_vec(&text).unwrap());
        }
    }
}
