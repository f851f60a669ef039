//! Messages of the protocol as protobuf.

use super::message::{Message, Part};

/// How a field's value is laid out.
#[derive(Clone, Copy)]
enum Layout {
    Varint = 0,
    Eight = 1,
    Length = 2,
    Four = 5,
}

/// The body of a request.
pub(super) fn encode(message: &Message) -> Vec<u8> {
    let mut out = Vec::new();
    for ((number, _), part) in &message.0 {
        field(*number, part, &mut out);
    }
    out
}

fn field(number: u32, part: &Part, out: &mut Vec<u8>) {
    match part {
        Part::Text(text) => bytes(number, text.as_bytes(), out),
        Part::Id(id) => bytes(number, id, out),
        Part::Bool(value) => varint_field(number, u64::from(*value), out),
        Part::Enum(value) => varint_field(number, u64::from(*value), out),
        Part::Fixed32(value) => {
            key(number, Layout::Four, out);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Part::Fixed64(value) => eight(number, value.to_le_bytes(), out),
        Part::Double(value) => eight(number, value.to_le_bytes(), out),
        Part::Fixed64s(values) => {
            bytes(number, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>(), out);
        }
        Part::Doubles(values) => {
            bytes(number, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>(), out);
        }
        Part::Message(message) => bytes(number, &encode(message), out),
        Part::Messages(messages) => messages.iter().for_each(|one| bytes(number, &encode(one), out)),
    }
}

fn key(number: u32, layout: Layout, out: &mut Vec<u8>) {
    varint(u64::from(number) << 3 | layout as u64, out);
}

fn varint_field(number: u32, value: u64, out: &mut Vec<u8>) {
    key(number, Layout::Varint, out);
    varint(value, out);
}

fn eight(number: u32, value: [u8; 8], out: &mut Vec<u8>) {
    key(number, Layout::Eight, out);
    out.extend_from_slice(&value);
}

fn bytes(number: u32, value: &[u8], out: &mut Vec<u8>) {
    key(number, Layout::Length, out);
    varint(value.len() as u64, out);
    out.extend_from_slice(value);
}

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_written_as_the_encoding_demands() {
        let inner = || Message::default().text(1, "a", "é");
        let message = Message::default()
            .text(1, "text", "ab")
            .with(2, "id", Part::Id(vec![0, 255]))
            .with(3, "bool", Part::Bool(true))
            .with(16, "enum", Part::Enum(300))
            .with(4, "fixed32", Part::Fixed32(1))
            .with(5, "fixed64", Part::Fixed64(258))
            .with(6, "double", Part::Double(1.0))
            .with(7, "fixed64s", Part::Fixed64s(vec![1, 2]))
            .with(8, "doubles", Part::Doubles(vec![1.0]))
            .message(9, "message", inner())
            .messages(10, "messages", vec![inner(), Message::default()]);
        let expected: Vec<&[u8]> = vec![
            b"\x0a\x02ab",
            b"\x12\x02\x00\xff",
            b"\x18\x01",
            b"\x80\x01\xac\x02",
            b"\x25\x01\0\0\0",
            b"\x29\x02\x01\0\0\0\0\0\0",
            b"\x31\0\0\0\0\0\0\xf0\x3f",
            b"\x3a\x10\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0",
            b"\x42\x08\0\0\0\0\0\0\xf0\x3f",
            b"\x4a\x04\x0a\x02\xc3\xa9",
            b"\x52\x04\x0a\x02\xc3\xa9\x52\x00",
        ];
        assert_eq!(encode(&message), expected.concat());
    }
}
