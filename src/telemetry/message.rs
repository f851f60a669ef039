//! A message of the protocol, before it is written as JSON or as protobuf.

/// A message: its fields, each with its number and its name in JSON.
#[derive(Debug, Default)]
pub(super) struct Message(pub(super) Vec<(Field, Part)>);

/// A field's number in protobuf, and its name in JSON.
pub(super) type Field = (u32, &'static str);

/// The value of a field, in the types that the protocol needs.
#[derive(Debug)]
pub(super) enum Part {
    Text(String),
    /// Bytes that JSON writes as hexadecimal digits.
    Id(Vec<u8>),
    Bool(bool),
    Enum(u32),
    Fixed32(u32),
    Fixed64(u64),
    Double(f64),
    Fixed64s(Vec<u64>),
    Doubles(Vec<f64>),
    Message(Message),
    Messages(Vec<Message>),
}

impl Message {
    /// The same message with one more field.
    #[must_use]
    pub(super) fn with(mut self, number: u32, name: &'static str, part: Part) -> Self {
        self.0.push(((number, name), part));
        self
    }

    pub(super) fn text(self, number: u32, name: &'static str, text: impl Into<String>) -> Self {
        self.with(number, name, Part::Text(text.into()))
    }

    pub(super) fn message(self, number: u32, name: &'static str, message: Message) -> Self {
        self.with(number, name, Part::Message(message))
    }

    pub(super) fn messages(self, number: u32, name: &'static str, messages: Vec<Message>) -> Self {
        self.with(number, name, Part::Messages(messages))
    }
}
