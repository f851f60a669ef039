//! The outcome of an effect as the ledger keeps it, for whoever sends the same call again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::code::{CallError, Effect, ErrorCode, Status};
use crate::secret::Redactor;

use super::expose::redacted_value;
use super::{DisplayBody, Presented, Stored};

/// What is kept of a presented success: redacted and bounded already.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    happened: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    verified: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    object: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Presented {
    /// A success as the ledger keeps it, with the reference under which its value is kept; `None` for anything else.
    #[must_use]
    pub fn record(&self, reference: Option<&str>) -> Option<String> {
        if self.status != Status::Succeeded {
            return None;
        }
        let recorded = Recorded {
            happened: self.effect == Effect::Happened,
            verified: self.verified,
            object: self.object.clone(),
            content: self.content.clone(),
            truncated: self.truncated,
            total: self.total.clone(),
            next: self.next.clone(),
            result: reference.map(str::to_owned),
            warnings: self.warnings.clone(),
        };
        serde_json::to_string(&recorded).ok()
    }

    /// A success that the ledger kept, and its reference. Without a record, as where a person settled the effect, it has no
    /// content. It is redacted once more: what is secret now need not have been then.
    #[must_use]
    pub fn replay(recorded: Option<&str>, redactor: &Redactor) -> (Self, Option<String>) {
        let kept = recorded.and_then(|text| serde_json::from_str::<Recorded>(text).ok());
        let Some(kept) = kept else {
            let mut presented = Self::without_content(Status::Succeeded, Effect::Happened);
            presented.warn("what the call answered was not recorded; only that its effect happened is known");
            return (presented, None);
        };
        let text = |text: String| redactor.text(&text).into_owned();
        let value = |value: Option<Value>| redacted_value(value, redactor);
        let effect = if kept.happened { Effect::Happened } else { Effect::None };
        let presented = Self {
            verified: kept.verified,
            object: value(kept.object),
            content: kept.content.map(text),
            truncated: kept.truncated,
            total: value(kept.total),
            next: value(kept.next),
            warnings: kept.warnings.into_iter().map(text).collect(),
            ..Self::without_content(Status::Succeeded, effect)
        };
        (presented, kept.result)
    }

    /// A replayed success whose whole value cannot be had here.
    pub fn forget_pages(&mut self) {
        if self.next.take().is_some() || self.truncated {
            self.warn("the rest of this result is not kept any more, or belongs to another task");
        }
    }

    /// An effect under way in another process.
    #[must_use]
    pub fn working() -> Self {
        Self::without_content(Status::Working, Effect::Possible)
    }

    /// An effect that is under way elsewhere: accepted, worked on, or waiting for someone's input.
    #[must_use]
    pub fn under_way(status: Status, operation: Option<Value>, redactor: &Redactor) -> Self {
        let operation = redacted_value(operation, redactor);
        Self { operation, ..Self::without_content(status, Effect::Possible) }
    }

    /// Advises to send a call whose outcome is not known again: its contract states that this is safe. Not one that a look
    /// contradicted.
    pub fn advise_retry(&mut self) {
        let unknown = self.error.as_mut().filter(|error| error.code == ErrorCode::OutcomeUnknown);
        if let Some(error) = unknown {
            error.retry = crate::code::Retry::SameCall;
            error.hint = Some(RETRY_HINT.to_owned());
        }
    }

    /// Says under which id the ledger has an effect whose outcome is not known, so that a person can look.
    pub fn point_to(&mut self, effect: &str) {
        let Some(error) = self.error.as_mut().filter(|_| self.status == Status::Unknown) else { return };
        let look = format!("`tgw effects show {effect}` shows what is known of it");
        error.hint = Some(match error.hint.take() {
            Some(hint) => format!("{hint}; {look}"),
            None => look,
        });
    }

    fn without_content(status: Status, effect: Effect) -> Self {
        Self {
            status,
            effect,
            verified: false,
            object: None,
            operation: None,
            content: None,
            truncated: false,
            total: None,
            next: None,
            stored: Stored::Nothing,
            stderr: None,
            warnings: Vec::new(),
            error: None::<CallError>,
            display: DisplayBody::Content,
        }
    }
}

const RETRY_HINT: &str =
    "send the same call again: it goes out under the same effect key, by which what runs it recognises it";
