//! What happened, raw.

use std::time::Duration;

use serde_json::Value;

use crate::code::{CallError, Effect, Status};

use super::DisplayBody;

/// What happened, raw: not yet redacted, so it cannot be shown. Only [`interpret`](super::interpret()) makes one.
///
/// It has no `Debug`; only [`present`](super::present) reads its value.
///
/// ```compile_fail,E0277
/// # fn printed(outcome: tgw::present::Outcome) -> String {
/// format!("{outcome:?}")
/// # }
/// ```
///
/// ```compile_fail,E0616
/// # fn read(outcome: tgw::present::Outcome) {
/// let _ = outcome.value;
/// # }
/// ```
pub struct Outcome {
    pub(super) status: Status,
    pub(super) effect: Effect,
    pub(super) value: Value,
    /// The bytes behind the value, where they are not all in it.
    pub(super) raw: Option<Vec<u8>>,
    /// Whether the end of the output is missing.
    pub(super) cut: bool,
    /// Whether the output, whole as it is, may end elsewhere than its program meant.
    pub(super) torn: bool,
    /// Whether the value is kept from everyone because it is not what the contract promises.
    pub(super) withheld: bool,
    pub(super) stderr: Vec<u8>,
    pub(super) stderr_cut: bool,
    pub(super) error: Option<CallError>,
    pub(super) warnings: Vec<String>,
    pub(super) object: Option<Value>,
    /// Whether a look at the system of record confirmed it.
    pub(super) verified: bool,
    /// The backend's id of the operation that the call began.
    pub(super) operation: Option<Value>,
    /// How long the service asks to wait before it is asked again.
    pub(super) pace: Option<Duration>,
    pub(super) shown: Shown,
}

/// What the executor itself says about how its result is shown.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) text: Option<String>,
    /// The JSONPath of the part of the value that says it all, where the contract selects none.
    pub(super) select: Option<&'static str>,
    pub(super) total: Option<Value>,
    pub(super) next: Option<Value>,
    pub(super) truncated: bool,
    pub(super) display: DisplayBody,
}

impl Outcome {
    /// An outcome without a value.
    pub(super) fn ended(status: Status, effect: Effect, error: Option<CallError>) -> Self {
        Self {
            status,
            effect,
            value: Value::Null,
            raw: None,
            cut: false,
            torn: false,
            withheld: false,
            stderr: Vec::new(),
            stderr_cut: false,
            error,
            warnings: Vec::new(),
            object: None,
            verified: false,
            operation: None,
            pace: None,
            shown: Shown::default(),
        }
    }

    /// How long the service asks to wait before it is asked again.
    #[must_use]
    pub fn pace(&self) -> Option<Duration> {
        self.pace
    }

    /// What a reply will say happened to the call.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Whether something changed, as far as is known.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.effect
    }
}
