//! Messages of the protocol as JSON: ids in hexadecimal, 64-bit integers as strings.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::message::{Message, Part};

/// The body of a request.
pub(super) fn encode(message: &Message) -> Vec<u8> {
    object(message).to_string().into_bytes()
}

fn object(message: &Message) -> Value {
    let fields = message.0.iter().map(|((_, name), part)| ((*name).to_owned(), value(part)));
    Value::Object(fields.collect::<Map<String, Value>>())
}

fn value(part: &Part) -> Value {
    match part {
        Part::Text(text) => Value::from(text.as_str()),
        Part::Id(bytes) => Value::from(bytes.iter().fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })),
        Part::Bool(value) => Value::from(*value),
        Part::Enum(number) | Part::Fixed32(number) => Value::from(*number),
        Part::Fixed64(number) => Value::from(number.to_string()),
        Part::Double(number) => Value::from(*number),
        Part::Fixed64s(numbers) => numbers.iter().map(|number| Value::from(number.to_string())).collect(),
        Part::Doubles(numbers) => numbers.iter().copied().map(Value::from).collect(),
        Part::Message(message) => object(message),
        Part::Messages(messages) => messages.iter().map(object).collect(),
    }
}
