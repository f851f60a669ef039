//! Redaction: every resolved secret in every encoding, and well-known token shapes.

use std::borrow::Cow;
use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::encoding::{self, Form};
use super::mark::{self, Label, Mark};
use super::search::Search;
use super::shape::{self, Edge};

/// Secrets of fewer bytes are not searched for, since they would be found everywhere; `tgw doctor` reports them.
pub const LEAST_SECRET: usize = encoding::LEAST_PLAIN;

/// Finds secrets in text and bytes and replaces them by `[secret:NAME]`, or `[secret:token]` for a token shape.
///
/// A resolved secret is found as it is, without white space around it, line by line, in base 64 (both alphabets, at any
/// place in a longer text), in hexadecimal (also set apart byte by byte), in UTF-16 where it is ASCII, and with percent, backslash or HTML
/// escapes of any of its characters, also one inside the other. It is not found where it is encrypted, compressed,
/// reversed, written in another base, or spread over several values or the lines of a hexadecimal dump.
#[derive(Default)]
pub struct Redactor {
    names: Vec<String>,
    forms: Vec<(Form, usize)>,
    search: OnceLock<Search>,
}

impl Redactor {
    /// Adds a secret's value under its credential's name; all its encodings are found from then on. What was added before
    /// is not added again: every call adds what it resolves.
    pub fn add(&mut self, name: &str, secret: &[u8]) {
        let is_own = |at: usize| self.names.get(at).is_some_and(|known| known == name);
        let known = self.forms.iter().any(|(form, at)| form.bytes.as_slice() == secret && is_own(*at));
        if known || secret.len() < LEAST_SECRET {
            return;
        }
        let index = self.names.len();
        self.names.push(name.to_owned());
        self.forms.extend(encoding::forms(secret).into_iter().map(|form| (form, index)));
        self.search = OnceLock::new();
    }

    /// Redacts bytes that are a whole.
    #[must_use]
    pub fn bytes(&self, input: &[u8]) -> Vec<u8> {
        self.replace(input, &self.marks(input, Edge::Whole))
    }

    /// Redacts text that is a whole; borrowed where nothing was found.
    #[must_use]
    pub fn text<'t>(&self, input: &'t str) -> Cow<'t, str> {
        let marks = self.marks(input.as_bytes(), Edge::Whole);
        if marks.is_empty() {
            return Cow::Borrowed(input);
        }
        // Marks cover whole characters, so that what is left is text as well.
        let redacted = self.replace(input.as_bytes(), &marks);
        Cow::Owned(String::from_utf8_lossy(&redacted).into_owned())
    }

    /// Redacts a text that was cut at its end: a suffix that could begin a secret is dropped too.
    #[must_use]
    pub fn cut_bytes(&self, input: &[u8]) -> Vec<u8> {
        let marks = self.marks(input, Edge::Cut);
        let unfinished = self.search().unfinished(input);
        // A mark that reaches into the suffix stays whole: it is hidden anyway.
        let end = marks
            .iter()
            .find(|mark| mark.range.start <= unfinished && unfinished < mark.range.end)
            .map_or(unfinished, |mark| mark.range.end);
        let mut out = Vec::with_capacity(end);
        mark::write(input, 0..end, &marks, &self.names, &mut out);
        out
    }

    /// Redacts every string and key of a value in place; returns whether anything was found.
    ///
    /// The value of a key that names a secret (`password`, `api_key`) is hidden as a whole, and so is the element of a list
    /// that follows an option which names one (`--token`).
    pub fn value(&self, value: &mut Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) => false,
            Value::Number(_) if self.forms.is_empty() => false,
            Value::Number(number) => {
                // A secret of digits may come as a number.
                let mut text = number.to_string();
                let found = self.string(&mut text);
                if found {
                    *value = Value::String(text);
                }
                found
            }
            Value::String(text) => self.string(text),
            Value::Array(elements) => {
                let mut found = false;
                let mut named = false;
                for element in elements {
                    let is_value = std::mem::take(&mut named);
                    if let Value::String(text) = element {
                        named = shape::is_secret_option(text);
                        found |= is_value && hide(text, shape::hidden_text(text));
                    }
                    found |= self.value(element);
                }
                found
            }
            Value::Object(members) => self.members(members),
        }
    }

    fn members(&self, members: &mut Map<String, Value>) -> bool {
        let mut found = false;
        for (key, value) in members.iter_mut() {
            if let Value::String(text) = value {
                let part = shape::hidden_member(key, text);
                found |= hide(text, part);
            }
            found |= self.value(value);
        }
        // Rebuilding keeps the order of the keys. Two keys that become one lose the earlier value rather than a secret.
        if members.keys().any(|key| matches!(self.text(key), Cow::Owned(_))) {
            let old = std::mem::take(members);
            members.extend(old.into_iter().map(|(key, value)| (self.text(&key).into_owned(), value)));
            found = true;
        }
        found
    }

    fn string(&self, text: &mut String) -> bool {
        match self.text(text) {
            Cow::Borrowed(_) => false,
            Cow::Owned(redacted) => {
                *text = redacted;
                true
            }
        }
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn search(&self) -> &Search {
        self.search.get_or_init(|| Search::new(self.forms.clone()))
    }

    /// What to hide, merged.
    pub(super) fn marks(&self, input: &[u8], edge: Edge) -> Vec<Mark> {
        let mut marks = Vec::new();
        shape::find(input, edge, &mut |range| marks.push(Mark { range, label: Label::Token }));
        if !self.forms.is_empty() {
            self.search().find(input, &mut marks);
        }
        if marks.is_empty() { marks } else { mark::merge(input, marks) }
    }

    fn replace(&self, input: &[u8], marks: &[Mark]) -> Vec<u8> {
        let mut out = Vec::with_capacity(input.len());
        mark::write(input, 0..input.len(), marks, &self.names, &mut out);
        out
    }
}

/// Hides a part of a text; returns whether there was any.
fn hide(text: &mut String, part: Option<std::ops::Range<usize>>) -> bool {
    let Some(part) = part.filter(|part| text.get(part.clone()).is_some()) else { return false };
    text.replace_range(part, "[secret:token]");
    true
}

#[cfg(test)]
mod tests;
