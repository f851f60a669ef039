//! Digests of contracts.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use sha2::Digest as _;

use crate::document::{Entry, Node, NodeValue};

/// A SHA-256 digest, shown as `sha256:<64 hex>`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Reads the form that is shown, `sha256:<64 hex>`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix("sha256:").filter(|hex| hex.len() == 64)?;
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            let [high, low] = <[u8; 2]>::try_from(pair).ok()?;
            *byte = digit(high)? << 4 | digit(low)?;
        }
        Some(Self(bytes))
    }

    /// The 64 hexadecimal digits.
    pub(crate) fn hex(&self) -> [u8; 64] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'0');
        let mut hex = [0; 64];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        }
        hex
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("sha256:")?;
        formatter.write_str(str::from_utf8(&self.hex()).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("no digest"))
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Digest {
    /// The digest of a node's content as canonical JSON: no white space, keys in byte order, numbers as written.
    ///
    /// Places, comments, quoting and the order of keys do not count.
    pub(super) fn of(node: &Node) -> Self {
        let mut canonical = Vec::with_capacity(1 << 10);
        write_canonical(node, &mut canonical);
        Self(sha2::Sha256::digest(&canonical).into())
    }
}

fn write_canonical(node: &Node, out: &mut Vec<u8>) {
    match &node.value {
        NodeValue::Null => out.extend_from_slice(b"null"),
        NodeValue::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        NodeValue::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        NodeValue::String(text) => write_text(text, out),
        NodeValue::Sequence(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write_canonical(item, out);
            }
            out.push(b']');
        }
        NodeValue::Mapping(entries) => {
            let mut ordered: Vec<&Entry> = entries.iter().collect();
            ordered.sort_by(|a, b| a.key.cmp(&b.key));
            out.push(b'{');
            for (at, entry) in ordered.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write_text(&entry.key, out);
                out.push(b':');
                write_canonical(&entry.value, out);
            }
            out.push(b'}');
        }
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    // Writing text to memory cannot fail.
    let _ = serde_json::to_writer(out, text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::SourceMap;
    use crate::document::{ReadLimits, read};

    fn digest(text: &str) -> Digest {
        let mut sources = SourceMap::default();
        let id = sources.add("t", text);
        Digest::of(&read(id, text, ReadLimits::default()).unwrap())
    }

    #[test]
    fn only_content_counts() {
        let first = digest("a: 1\nb: [x, 'z']\n");
        assert_eq!(first, digest("# remark\nb: [\"x\", z]\na: 1\n"));
        for other in
            ["a: 1\nb: [z, x]\n", "a: '1'\nb: [x, z]\n", "a: 1.0\nb: [x, z]\n", "a: 1\nb: [x, z]\nc: null\n"]
        {
            assert_ne!(first, digest(other), "{other}");
        }
    }

    #[test]
    fn the_digest_is_sha256_of_canonical_json() {
        // printf '{"a":1,"b":"é"}' | sha256sum
        let expected = "sha256:09ad9fd2fb648cb2f62141215828ea00a62c299db05d20aa9ade2f527a301cc6";
        assert_eq!(digest("b: é\na: 1\n").to_string(), expected);
    }
}
