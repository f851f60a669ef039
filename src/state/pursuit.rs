//! What is left to do about an effect that a backend took and finishes later.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::clock::Timestamp;

use super::{EffectState, Settlement};

/// What is known of an effect that is under way elsewhere: enough for any process to go on with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pursuit {
    /// The backend's id of its operation, exactly as it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Value>,
    /// What the backend last said of it, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// Whether the backend waits for someone's input.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_input: bool,
    /// Whether the backend was asked to stop it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
    /// The value of what is said to have happened, redacted, where that is left to be verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<Value>,
}

/// An effect that is under way elsewhere, or of which more is known now. Whoever looked at it lets go of it.
#[derive(Debug, Clone, Copy)]
pub struct PursuedEffect<'a> {
    /// Its id.
    pub id: &'a str,
    /// The attempt that it is about.
    pub attempt: u64,
    /// [`EffectState::Accepted`] or [`EffectState::Working`].
    pub state: EffectState,
    /// How that is known.
    pub how: Settlement,
    /// What is left to do.
    pub pursuit: &'a Pursuit,
    /// When it is looked at next, not before.
    pub due: Timestamp,
    /// When it counts as not known, unless its end was seen before.
    pub deadline: Timestamp,
}

/// The right to look at an effect that is under way elsewhere: one process at a time has it, once it is due.
#[derive(Debug, Clone, Copy)]
pub struct ClaimedEffect<'a> {
    /// Its id.
    pub id: &'a str,
    /// The process that looks.
    pub owner: &'a str,
    /// A process that had the right and is known to be gone.
    pub gone: Option<&'a str>,
    /// When the right ends by itself.
    pub lease: Timestamp,
}
