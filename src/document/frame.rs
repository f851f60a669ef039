//! What the builder keeps of collections that are still open, and of those that aliases may name.

use std::collections::HashMap;

use crate::diagnostic::Span;

use super::{Entry, Node};

/// A collection that is still open.
pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) span: Span,
    pub(super) anchor: usize,
    /// What the document weighed when it was opened.
    pub(super) before: Weight,
    /// The deepest nesting below it.
    pub(super) height: usize,
}

/// What kind of collection, and what it holds so far.
pub(super) enum Kind {
    Sequence(Vec<Node>),
    Mapping { entries: Vec<Entry>, keys: Keys, pending: Option<(String, Span)> },
}

/// The keys of a mapping that are already there. Most mappings are small, and a table costs more than a look at each key.
#[derive(Default)]
pub(super) struct Keys(HashMap<String, Span>);

impl Keys {
    const FEW: usize = 16;

    /// Notes a key, whose mapping has `entries` so far. The place of an equal one comes back.
    pub(super) fn insert(&mut self, key: &str, span: Span, entries: &[Entry]) -> Option<Span> {
        if entries.len() < Self::FEW {
            return entries.iter().find(|entry| entry.key == key).map(|entry| entry.key_span);
        }
        if self.0.is_empty() {
            self.0 = entries.iter().map(|entry| (entry.key.clone(), entry.key_span)).collect();
        }
        self.0.insert(key.to_owned(), span)
    }
}

/// What a part of the tree costs.
#[derive(Clone, Copy, Default)]
pub(super) struct Weight {
    pub(super) nodes: usize,
    pub(super) bytes: usize,
}

/// A finished part of the tree that aliases may name.
pub(super) struct Anchored {
    pub(super) node: Node,
    pub(super) weight: Weight,
    pub(super) height: usize,
}
