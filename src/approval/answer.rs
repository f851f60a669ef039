//! What a person can answer.

use serde_json::{Map, Value};

use crate::catalog::Digest;
use crate::code::{CallError, ErrorCode};
use crate::text;

/// Most bytes of feedback that reach the model.
const FEEDBACK_BYTES: usize = 4096;

/// An answer. Everything but [`Answer::Once`] and [`Answer::ForTask`] means that this call does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Yes, to exactly this call.
    Once,
    /// Yes, and to later calls of this task with the same values in the pinned fields.
    ForTask {
        /// Which `remember` alternative of the question.
        alternative: usize,
    },
    /// Other arguments; the call starts over with them. The tool cannot change.
    Edit {
        /// The arguments.
        arguments: Map<String, Value>,
    },
    /// No.
    Deny {
        /// What the agent should know.
        feedback: Option<String>,
    },
    /// No, and the run ends.
    Stop,
    /// Nobody answered in time.
    Expired,
}

/// A call that a person's edit made and that was refused before anyone could be asked about it.
#[derive(Debug, Clone)]
pub struct RefusedEdit {
    /// The arguments as they were edited.
    pub arguments: Value,
    /// Why the call was refused.
    pub error: CallError,
}

/// An answer with what was on the screen when it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The answer.
    pub answer: Answer,
    /// The digest of exactly the text that was shown.
    pub shown: Digest,
}

impl Answer {
    /// Whether this is a yes to the call as it was asked about.
    #[must_use]
    pub fn is_yes(&self) -> bool {
        match self {
            Self::Once | Self::ForTask { .. } => true,
            Self::Edit { .. } | Self::Deny { .. } | Self::Stop | Self::Expired => false,
        }
    }

    /// The answer as the audit records it: silence is `expired`, never a person's no.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Once => "approved",
            Self::ForTask { .. } => "approved_for_task",
            Self::Edit { .. } => "edited",
            Self::Deny { .. } => "denied",
            Self::Stop => "stopped",
            Self::Expired => "expired",
        }
    }

    /// The error that the call ends with; `None` for a yes and for an edit.
    #[must_use]
    pub fn refusal(&self) -> Option<CallError> {
        match self {
            Self::Once | Self::ForTask { .. } | Self::Edit { .. } => None,
            Self::Deny { feedback } => {
                let words = feedback.as_deref().map(str::trim).filter(|words| !words.is_empty());
                let message = match words {
                    Some(words) => format!(
                        "a person denied the call: {}",
                        text::escape(text::head(words, FEEDBACK_BYTES))
                    ),
                    None => "a person denied the call".to_owned(),
                };
                Some(
                    CallError::new(ErrorCode::ApprovalDenied, message)
                        .with_hint("do not send the same call again"),
                )
            }
            Self::Stop => Some(CallError::new(ErrorCode::Cancelled, "a person stopped the run")),
            Self::Expired => {
                Some(CallError::new(ErrorCode::ApprovalExpired, "nobody answered the question in its time"))
            }
        }
    }
}
