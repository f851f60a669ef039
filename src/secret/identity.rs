//! What tells two secrets of one kind apart once both are hidden.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Mutex;

/// Most secrets that are told apart.
const MOST: usize = 4096;

/// Numbers for hidden texts: the same text has the same number wherever it is hidden, and another has another.
///
/// What is kept of a text is a hash under a key of this process. A number is good for this redactor only.
#[derive(Default)]
pub(super) struct Identities {
    key: RandomState,
    known: Mutex<HashMap<&'static str, Vec<u64>>>,
}

impl Identities {
    /// The number of a text of a kind, from 1; `None` beyond the most that are told apart.
    pub(super) fn number(&self, kind: &'static str, hidden: &[u8]) -> Option<usize> {
        let hash = self.key.hash_one(hidden);
        let mut known = self.known.lock().ok()?;
        let of_kind = known.entry(kind).or_default();
        if let Some(at) = of_kind.iter().position(|other| *other == hash) {
            return Some(at + 1);
        }
        if of_kind.len() >= MOST {
            return None;
        }
        of_kind.push(hash);
        Some(of_kind.len())
    }
}
