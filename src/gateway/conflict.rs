//! A key that names another effect: how the two calls differ.

use serde_json::Value;

use crate::authorize::HeldCall;
use crate::code::{CallError, ErrorCode, Violation};
use crate::state::{KeyOrigin, StoredEffect};
use crate::text::{escape, fit};

use super::Gateway;
use super::finished::{Finished, LedgerEntry, Origin, Subject};

/// Most columns of a key in a message.
const KEY_COLUMNS: usize = 80;

/// Most differences that a conflict lists.
const MOST_DIFFERENCES: usize = 8;

impl Gateway<'_> {
    /// Refuses a call whose key names another effect, and shows how they differ.
    pub(super) fn conflict(
        &self,
        origin: Origin,
        held: Box<HeldCall>,
        stored: &StoredEffect,
    ) -> Box<Finished> {
        let call = held.call();
        let key = fit(&escape(&stored.shown_key), KEY_COLUMNS, true);
        let named = if stored.origin == KeyOrigin::Stated { "effect key" } else { "call id" };
        // What someone else sent is not told, only where it differs.
        let principal = &self.session.principal;
        let own = stored.principal.user == principal.user && stored.principal.agent == principal.agent;
        let differences = self.differences(stored, call.arguments(), own);
        let error = CallError::new(
            ErrorCode::IdempotencyConflict,
            format!(
                "the {named} `{key}` of `{}` names an earlier call with other arguments",
                call.contract().name
            ),
        )
        .with_hint(format!(
            "one key names one effect: send what was sent before, or name another effect; a person sees the earlier one with \
             `tgw effects show {}`",
            stored.id
        ))
        .with_violations(differences);
        let mut finished = Finished::refused(origin, Subject::Held(held), error, &self.redactor.borrow());
        finished.ledger = Some(LedgerEntry::found(stored));
        Box::new(finished)
    }

    fn differences(&self, stored: &StoredEffect, arguments: &Value, own: bool) -> Vec<Violation> {
        let Some(before) = stored.shown_arguments.as_deref().and_then(|text| serde_json::from_str(text).ok())
        else {
            return Vec::new();
        };
        let mut now = arguments.clone();
        self.redactor.borrow().value(&mut now);
        let mut found = Vec::new();
        differ("", Some(&before), Some(&now), &mut found);
        if found.is_empty() {
            return vec![Violation {
                pointer: String::new(),
                expected: "the arguments of the earlier call".to_owned(),
                found: "others, in a part that is not shown".to_owned(),
                hint: None,
            }];
        }
        let shown = |value: &Option<Value>| value.as_ref().map_or("nothing".to_owned(), short);
        found
            .iter()
            .map(|Difference { pointer, before, now }| Violation {
                pointer: pointer.clone(),
                expected: if own { shown(before) } else { "what was sent before".to_owned() },
                found: shown(now),
                hint: None,
            })
            .collect()
    }
}

struct Difference {
    pointer: String,
    before: Option<Value>,
    now: Option<Value>,
}

/// Collects where two values differ, at most so many places.
fn differ(pointer: &str, before: Option<&Value>, now: Option<&Value>, found: &mut Vec<Difference>) {
    if found.len() >= MOST_DIFFERENCES || before == now {
        return;
    }
    match (before, now) {
        (Some(Value::Object(before)), Some(Value::Object(now))) => {
            let names: std::collections::BTreeSet<&String> = before.keys().chain(now.keys()).collect();
            for name in names {
                let pointer = format!("{pointer}/{}", crate::wire::escape_token(name));
                differ(&pointer, before.get(name), now.get(name), found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(now))) => {
            for at in 0..before.len().max(now.len()) {
                differ(&format!("{pointer}/{at}"), before.get(at), now.get(at), found);
            }
        }
        _ => {
            found.push(Difference { pointer: pointer.to_owned(), before: before.cloned(), now: now.cloned() })
        }
    }
}

/// A value in few characters.
fn short(value: &Value) -> String {
    const COLUMNS: usize = 60;
    fit(&escape(&value.to_string()), COLUMNS, true)
}
