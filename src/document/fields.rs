//! Reading a mapping field by field, so that nothing in it goes unread.

use std::fmt::Display;
use std::ops::RangeInclusive;

use crate::diagnostic::{Diagnostic, Report, nearest};

use super::{Entry, Node, NodeValue};

/// The entries of a mapping, taken one by one. What nobody asked for is an error.
///
/// Null is never a value here: a key without one is reported, since a forgotten value must not widen anything.
#[derive(Debug)]
pub struct Fields<'n> {
    node: &'n Node,
    entries: &'n [Entry],
    known: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    /// The fields of `node`, which must be a mapping; `what` names it in the error.
    pub fn of(node: &'n Node, what: impl Display, report: &mut Report) -> Option<Self> {
        if let NodeValue::Mapping(entries) = &node.value {
            return Some(Self { node, entries, known: Vec::new() });
        }
        report.push(Diagnostic::error(node.span, format!("{what} must be a mapping, found {}", found(node))));
        None
    }

    /// The mapping itself.
    #[must_use]
    pub fn node(&self) -> &'n Node {
        self.node
    }

    /// The entry of this key.
    pub fn entry(&mut self, key: &'static str) -> Option<&'n Entry> {
        self.note(key);
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The value of this key; null is reported and yields `None`.
    pub fn value(&mut self, key: &'static str, report: &mut Report) -> Option<&'n Node> {
        let entry = self.entry(key)?;
        if entry.value.value == NodeValue::Null {
            let message = format!("`{key}` has no value");
            report.push(
                Diagnostic::error(entry.key_span, message).with_hint("give it a value, or remove the key"),
            );
            return None;
        }
        Some(&entry.value)
    }

    /// The value of this key, which must be there.
    pub fn required(&mut self, key: &'static str, report: &mut Report) -> Option<&'n Node> {
        if !self.entries.iter().any(|entry| entry.key == key) {
            self.note(key);
            report.push(Diagnostic::error(self.node.span, format!("`{key}` is missing")));
            return None;
        }
        self.value(key, report)
    }

    /// The text of this key.
    pub fn text(&mut self, key: &'static str, report: &mut Report) -> Option<&'n str> {
        let node = self.value(key, report)?;
        expect_text(node, format_args!("`{key}`"), report)
    }

    /// The text of this key, which must be there.
    pub fn required_text(&mut self, key: &'static str, report: &mut Report) -> Option<&'n str> {
        let node = self.required(key, report)?;
        expect_text(node, format_args!("`{key}`"), report)
    }

    /// The truth value of this key.
    pub fn bool(&mut self, key: &'static str, report: &mut Report) -> Option<bool> {
        let node = self.value(key, report)?;
        expect_bool(node, format_args!("`{key}`"), report)
    }

    /// The whole number of this key, within `range`.
    pub fn integer(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u64>,
        report: &mut Report,
    ) -> Option<u64> {
        let node = self.value(key, report)?;
        expect_integer(node, format_args!("`{key}`"), range, report)
    }

    /// The text of this key, one of `words`.
    pub fn word(&mut self, key: &'static str, words: &[&str], report: &mut Report) -> Option<&'n str> {
        let node = self.value(key, report)?;
        expect_word(node, format_args!("`{key}`"), words, report)
    }

    /// Notes a key that may stand here, once however often it is asked for.
    fn note(&mut self, key: &'static str) {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
    }

    /// Reports every key that nobody asked for, with the known one nearest to it.
    pub fn finish(self, report: &mut Report) {
        for entry in self.entries.iter().filter(|entry| !self.known.contains(&entry.key.as_str())) {
            let unknown = Diagnostic::error(entry.key_span, format!("unknown key `{}`", entry.key));
            report.push(match nearest(&entry.key, self.known.iter().copied()) {
                Some(known) => unknown.with_hint(format!("did you mean `{known}`?")),
                None => unknown.with_hint(format!("known here: {}", listed(&self.known))),
            });
        }
    }
}

/// What a node holds, for a message.
#[must_use]
pub fn found(node: &Node) -> String {
    match &node.value {
        NodeValue::Null => "nothing".to_owned(),
        NodeValue::Bool(value) => format!("`{value}`"),
        NodeValue::Number(number) => format!("the number {number}"),
        NodeValue::String(text) => {
            let shown: String = text.chars().take(40).collect();
            let cut = if shown.len() < text.len() { "…" } else { "" };
            format!("`{shown}{cut}`")
        }
        NodeValue::Sequence(_) => "a list".to_owned(),
        NodeValue::Mapping(_) => "a mapping".to_owned(),
    }
}

/// The text of a node; an empty one is an error.
pub fn expect_text<'n>(node: &'n Node, what: impl Display, report: &mut Report) -> Option<&'n str> {
    let problem = match &node.value {
        NodeValue::String(text) if text.trim().is_empty() => {
            Diagnostic::error(node.span, format!("{what} is empty"))
        }
        NodeValue::String(text) => return Some(text),
        NodeValue::Bool(_) | NodeValue::Number(_) => {
            Diagnostic::error(node.span, format!("{what} must be text, found {}", found(node)))
                .with_hint("write it in quotes")
        }
        NodeValue::Null | NodeValue::Sequence(_) | NodeValue::Mapping(_) => {
            Diagnostic::error(node.span, format!("{what} must be text, found {}", found(node)))
        }
    };
    report.push(problem);
    None
}

/// The truth value of a node.
pub fn expect_bool(node: &Node, what: impl Display, report: &mut Report) -> Option<bool> {
    if let NodeValue::Bool(value) = node.value {
        return Some(value);
    }
    report.push(Diagnostic::error(node.span, format!("{what} must be true or false, found {}", found(node))));
    None
}

/// The whole number of a node, within `range`. A decimal number is none, even without a fraction.
pub fn expect_integer(
    node: &Node,
    what: impl Display,
    range: RangeInclusive<u64>,
    report: &mut Report,
) -> Option<u64> {
    if let NodeValue::Number(number) = &node.value
        && let Some(value) = number.as_u64()
        && range.contains(&value)
    {
        return Some(value);
    }
    let message = format!(
        "{what} must be a whole number from {} to {}, found {}",
        range.start(),
        range.end(),
        found(node)
    );
    report.push(Diagnostic::error(node.span, message));
    None
}

/// The text of a node, one of `words`.
pub fn expect_word<'n>(
    node: &'n Node,
    what: impl Display,
    words: &[&str],
    report: &mut Report,
) -> Option<&'n str> {
    let text = expect_text(node, &what, report)?;
    if words.contains(&text) {
        return Some(text);
    }
    let problem =
        Diagnostic::error(node.span, format!("{what} must be one of {}, found `{text}`", listed(words)));
    report.push(match nearest(text, words.iter().copied()) {
        Some(word) => problem.with_hint(format!("did you mean `{word}`?")),
        None => problem,
    });
    None
}

/// The elements of a list; an empty one is an error.
pub fn expect_items<'n>(node: &'n Node, what: impl Display, report: &mut Report) -> Option<&'n [Node]> {
    let message = match &node.value {
        NodeValue::Sequence(items) if !items.is_empty() => return Some(items),
        NodeValue::Sequence(_) => format!("{what} is an empty list"),
        _ => format!("{what} must be a list, found {}", found(node)),
    };
    report.push(Diagnostic::error(node.span, message));
    None
}

/// The elements of a list of texts, each with its node; an empty list and an empty text are errors.
pub fn expect_texts<'n>(node: &'n Node, what: impl Display, report: &mut Report) -> Vec<(&'n str, &'n Node)> {
    let items = expect_items(node, &what, report).unwrap_or_default();
    let element = format_args!("an element of {what}");
    items.iter().filter_map(|item| Some((expect_text(item, element, report)?, item))).collect()
}

/// The words in backticks, with commas.
fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
