//! A YAML document as a tree with places.

use serde_json::Value;

use crate::diagnostic::Span;

/// A node: a value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub value: NodeValue,
    /// Where it stands. A collection's span covers its first token at least.
    pub span: Span,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeValue {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`, and no other spelling.
    Bool(bool),
    /// An integer within the ranges of `i64` and `u64`, or a finite decimal number.
    Number(serde_json::Number),
    /// Text.
    String(String),
    /// A sequence.
    Sequence(Vec<Node>),
    /// A mapping in file order. Keys are text and unique.
    Mapping(Vec<Entry>),
}

/// One entry of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Entry {
    /// An entry whose key stands where its value does.
    #[must_use]
    pub fn new(key: &str, value: Node) -> Self {
        Self { key: key.to_owned(), key_span: value.span, value }
    }
}

impl Node {
    /// A tree that is written nowhere, all of which stands at one place.
    #[must_use]
    pub fn from_json(value: &Value, span: Span) -> Self {
        let value = match value {
            Value::Null => NodeValue::Null,
            Value::Bool(value) => NodeValue::Bool(*value),
            Value::Number(number) => NodeValue::Number(number.clone()),
            Value::String(text) => NodeValue::String(text.clone()),
            Value::Array(items) => {
                NodeValue::Sequence(items.iter().map(|item| Self::from_json(item, span)).collect())
            }
            Value::Object(members) => NodeValue::Mapping(
                members.iter().map(|(key, value)| Entry::new(key, Self::from_json(value, span))).collect(),
            ),
        };
        Self { value, span }
    }

    /// The same tree as JSON, without places.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &self.value {
            NodeValue::Null => Value::Null,
            NodeValue::Bool(b) => Value::Bool(*b),
            NodeValue::Number(n) => Value::Number(n.clone()),
            NodeValue::String(s) => Value::String(s.clone()),
            NodeValue::Sequence(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            NodeValue::Mapping(entries) => {
                Value::Object(entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect())
            }
        }
    }

    /// The place of the node that an RFC 6901 pointer names, or of the deepest one on the way to it.
    #[must_use]
    pub fn span_at(&self, pointer: &str) -> Span {
        let mut node = self;
        for token in pointer.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            let next = match &node.value {
                NodeValue::Mapping(entries) => entries.iter().find(|e| e.key == token).map(|e| &e.value),
                NodeValue::Sequence(items) => token.parse::<usize>().ok().and_then(|at| items.get(at)),
                NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) | NodeValue::String(_) => None,
            };
            match next {
                Some(found) => node = found,
                None => break,
            }
        }
        node.span
    }
}
