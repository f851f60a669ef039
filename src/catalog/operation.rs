//! How work that a backend accepts and finishes later is followed to its end.

use std::time::Duration;

use serde_json::Value;

use crate::expression::Expression;

use super::ProbeSpec;

/// Work that a backend accepts and finishes later.
#[derive(Debug)]
pub struct OperationSpec {
    /// Whether a call that succeeded was only accepted.
    pub accepted_when: Expression,
    /// A pointer to the operation's id in what the call brought back.
    pub id: String,
    /// How often it is asked about, at most.
    pub interval: Duration,
    /// How long it may take, after which its end is not known.
    pub timeout: Duration,
    /// What is asked.
    pub poll: ProbeSpec,
    /// What asks the backend to stop it.
    pub cancel: Option<ProbeSpec>,
    /// A pointer to the backend's word for how far it is.
    pub pointer: String,
    /// What the backend's words mean. A word that is not among them means nothing.
    pub states: Vec<(String, OperationState)>,
    /// A pointer to the effect's value in what a poll brought back; `None` for all of it.
    pub value: Option<String>,
}

/// How far an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationState {
    /// It waits for its turn.
    Accepted,
    /// It is under way.
    Working,
    /// It waits for someone's input at the backend.
    InputRequired,
    /// It happened.
    Succeeded,
    /// It ended, and nothing happened.
    Failed,
    /// It was stopped, and nothing happened.
    Cancelled,
    /// It ended, and what happened is not known.
    Unknown,
}

impl OperationState {
    /// The words of a contract, in the order of the documentation.
    pub const WORDS: [(&'static str, Self); 7] = [
        ("accepted", Self::Accepted),
        ("working", Self::Working),
        ("input_required", Self::InputRequired),
        ("succeeded", Self::Succeeded),
        ("failed", Self::Failed),
        ("cancelled", Self::Cancelled),
        ("unknown", Self::Unknown),
    ];
}

/// The longest pause between two looks that a service can ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

impl OperationSpec {
    /// How long to wait before the next look: as the service asks, else as the contract says.
    #[must_use]
    pub fn pause(&self, asked: Option<Duration>) -> Duration {
        let least = Duration::from_secs(1).min(self.interval);
        asked.map_or(self.interval, |asked| asked.clamp(least, LONGEST_PAUSE))
    }

    /// What a poll's value says of the operation, with the backend's own word; `None` where it says nothing that is known.
    #[must_use]
    pub fn state(&self, value: &Value) -> Option<(OperationState, String)> {
        let word = match value.pointer(&self.pointer)? {
            Value::String(word) => word.clone(),
            word @ (Value::Bool(_) | Value::Number(_)) => word.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        let (_, state) = self.states.iter().find(|(known, _)| *known == word)?;
        Some((*state, word))
    }
}
