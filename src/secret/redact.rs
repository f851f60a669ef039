//! Redaction: every resolved secret in every encoding, and well-known token shapes.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use crate::catalog::Masks;
use crate::clock::Timestamp;

use super::encoding::{self, Form};
use super::identity::Identities;
use super::mark::{self, Label, Mark};
use super::personal;
use super::search::Search;
use super::shape::{self, ANY, Edge};

/// Secrets of fewer bytes are not searched for, since they would be found everywhere; `tgw doctor` reports them.
pub const LEAST_SECRET: usize = encoding::LEAST_PLAIN;

/// Most secrets of [`Redactor::add_passing`] that are searched for at a time.
pub(super) const MOST_PASSING: usize = 16;

/// Finds secrets in text and bytes and replaces them by `[secret:NAME]`, or by `[secret:github#1]` for the shape of a token of
/// a provider, `[secret:token#1]` where none is known: the same token has the same number wherever this redactor hides it.
///
/// A resolved secret is found as it is, without white space around it, line by line, in base 64 (both alphabets, at any
/// place in a longer text), in hexadecimal (also set apart byte by byte), in UTF-16 where it is ASCII, and with percent, backslash or HTML
/// escapes of any of its characters, also one inside the other. It is not found where it is encrypted, compressed,
/// reversed, written in another base, or spread over several values or the lines of a hexadecimal dump.
#[derive(Default)]
pub struct Redactor {
    secrets: Arc<Secrets>,
    identities: Arc<Identities>,
    masks: Masks,
}

/// What was resolved.
#[derive(Default)]
struct Secrets {
    names: Vec<String>,
    forms: Vec<(Form, usize)>,
    /// Which of them end, and when: the latest last.
    passing: Vec<(usize, Timestamp)>,
    search: OnceLock<Search>,
}

impl Clone for Secrets {
    fn clone(&self) -> Self {
        Self {
            names: self.names.clone(),
            forms: self.forms.clone(),
            passing: self.passing.clone(),
            search: OnceLock::new(),
        }
    }
}

impl Secrets {
    fn put(&mut self, index: usize, forms: Vec<Form>) {
        self.forms.extend(forms.into_iter().map(|form| (form, index)));
        self.search = OnceLock::new();
    }
}

impl Redactor {
    /// Adds a secret's value under its credential's name; all its encodings are found from then on. What was added before
    /// is not added again: every call adds what it resolves.
    pub fn add(&mut self, name: &str, secret: &[u8]) {
        // A run resolves the same value for each of its calls.
        if secret.len() < LEAST_SECRET || self.knows(name, secret) {
            return;
        }
        let secrets = Arc::make_mut(&mut self.secrets);
        let index = secrets.names.len();
        secrets.names.push(name.to_owned());
        secrets.put(index, encoding::forms(secret));
    }

    /// Adds a secret that is worth nothing after `until`, such as a pass that was made for one call. It is found until then, or
    /// until sixteen later ones were added, since each run makes many.
    pub fn add_passing(&mut self, name: &str, secret: &[u8], until: Timestamp, now: Timestamp) {
        let secrets = Arc::make_mut(&mut self.secrets);
        let over = (secrets.passing.len() + 1).saturating_sub(MOST_PASSING);
        let mut free = None;
        for (age, (index, ends)) in std::mem::take(&mut secrets.passing).into_iter().enumerate() {
            if age < over || ends < now {
                secrets.forms.retain(|(_, owner)| *owner != index);
                free = Some(index);
            } else {
                secrets.passing.push((index, ends));
            }
        }
        let index = free.unwrap_or(secrets.names.len());
        match secrets.names.get_mut(index) {
            Some(kept) => name.clone_into(kept),
            None => secrets.names.push(name.to_owned()),
        }
        secrets.passing.push((index, until));
        secrets.put(index, encoding::forms_of_passing(secret));
    }

    /// Makes sure that a secret is found which [`Self::add_passing`] may have dropped since: for what the call that had it brought.
    pub fn keep(&mut self, name: &str, secret: &[u8]) {
        if self.knows(name, secret) {
            return;
        }
        let secrets = Arc::make_mut(&mut self.secrets);
        let index = secrets.names.len();
        secrets.names.push(name.to_owned());
        secrets.put(index, encoding::forms_of_passing(secret));
    }

    fn knows(&self, name: &str, secret: &[u8]) -> bool {
        let known = |(form, index): &(Form, usize)| {
            form.bytes == secret && self.secrets.names.get(*index).is_some_and(|known| known == name)
        };
        self.secrets.forms.iter().any(known)
    }

    /// The same redactor for the results of a tool. A resolved secret is hidden whatever its masks say.
    #[must_use]
    pub fn masking(&self, masks: &Masks) -> Self {
        Self {
            secrets: Arc::clone(&self.secrets),
            identities: Arc::clone(&self.identities),
            masks: masks.clone(),
        }
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
        mark::write(input, 0..end, &marks, |label, hidden| self.placeholder(label, hidden), &mut out);
        out
    }

    /// Redacts every string and key of a value in place; returns whether anything was found.
    ///
    /// The value of a key that names a secret (`password`, `api_key`) is hidden as a whole, and so is the element of a list
    /// that follows an option which names one (`--token`).
    pub fn value(&self, value: &mut Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) => false,
            Value::Number(_) if self.secrets.forms.is_empty() && self.masks.personal.is_empty() => false,
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
                        found |= is_value && self.hide(text, shape::hidden_text(text));
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
                found |= self.hide(text, part);
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

    /// Whether what only has this shape is shown.
    fn shows(&self, kind: &str) -> bool {
        self.masks.shown.iter().any(|waiver| waiver.kind == kind)
    }

    /// Hides a part of a text; returns whether there was any.
    fn hide(&self, text: &mut String, part: Option<std::ops::Range<usize>>) -> bool {
        let part = part.filter(|_| !self.shows(ANY));
        let Some((range, hidden)) = part.and_then(|part| Some((part.clone(), text.get(part)?))) else {
            return false;
        };
        let placeholder = self.placeholder(Label::Shape(ANY), hidden.as_bytes());
        text.replace_range(range, &placeholder);
        true
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

    /// What stands in place of a hidden text.
    pub(super) fn placeholder(&self, label: Label, hidden: &[u8]) -> String {
        match label {
            Label::Secret(index) => {
                format!("[secret:{}]", self.secrets.names.get(index).map_or("secret", String::as_str))
            }
            Label::Shape(kind) => match self.identities.number(kind, hidden) {
                Some(number) => format!("[secret:{kind}#{number}]"),
                None => format!("[secret:{kind}]"),
            },
        }
    }

    pub(super) fn search(&self) -> &Search {
        self.secrets.search.get_or_init(|| Search::new(self.secrets.forms.clone()))
    }

    /// What to hide, merged.
    pub(super) fn marks(&self, input: &[u8], edge: Edge) -> Vec<Mark> {
        let mut marks = Vec::new();
        let mut mark = |range, kind| marks.push(Mark { range, label: Label::Shape(kind) });
        shape::find(input, edge, &mut |range, kind| {
            if !self.shows(kind) {
                mark(range, kind);
            }
        });
        personal::find(self.masks.personal, input, &mut mark);
        if !self.secrets.forms.is_empty() {
            self.search().find(input, &mut marks);
        }
        if marks.is_empty() { marks } else { mark::merge(input, marks) }
    }

    fn replace(&self, input: &[u8], marks: &[Mark]) -> Vec<u8> {
        let mut out = Vec::with_capacity(input.len());
        mark::write(input, 0..input.len(), marks, |label, hidden| self.placeholder(label, hidden), &mut out);
        out
    }
}

#[cfg(test)]
mod tests;
