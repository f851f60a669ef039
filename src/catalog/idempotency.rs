//! How a contract says that a repeated call is recognised, and how its outcome can be looked up.

use std::time::Duration;

use crate::expression::{Expression, Template};

use super::ProbeSpec;

/// How a repeated call of a tool is recognised.
#[derive(Debug, Default)]
pub enum Idempotency {
    /// The contract says nothing: the call's own id names its effect.
    #[default]
    Unstated,
    /// The contract says that nothing recognises one: every call is an effect of its own.
    Unrecognised,
    /// The contract states a key.
    Key(Box<KeySpec>),
}

/// A stated effect key.
#[derive(Debug)]
pub struct KeySpec {
    /// The key's text, for one call.
    pub key: Template,
    /// How a command or a service gets it besides what its own templates say; `None` where it gets it in no other way.
    pub send_as: Option<SendAs>,
    /// Whether a call whose outcome is not known may be sent again under its key.
    pub retry: KeyRetry,
}

/// How an effect key reaches what runs the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendAs {
    /// As this variable of a command's environment.
    Environment(String),
    /// As this header of a request.
    Header(String),
}

/// Whether a call whose outcome is not known may be sent again under its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRetry {
    /// Never: a person or a look-up settles it.
    Never,
    /// The backend recognises the key, so that a second call changes nothing more.
    Safe,
}

/// How the outcome of a call is looked up where it is not known.
#[derive(Debug)]
pub struct ReconcileSpec {
    /// What is looked at.
    pub probe: ProbeSpec,
    /// Whether what it found is the effect.
    pub found_when: Expression,
    /// A pointer to the effect's value in the look-up's; `None` for all of it.
    pub value: Option<String>,
    /// When a look-up proves that nothing happened; `None` where it never does.
    pub absence: Option<AbsenceSpec>,
}

/// When a look-up proves that nothing happened.
#[derive(Debug)]
pub struct AbsenceSpec {
    /// Whether what it brought back says that there is no effect. What is neither found nor absent is not clear.
    pub when: Expression,
    /// How long after the effect became unknown that counts: what was under way then must have arrived.
    pub proves_after: Duration,
}

impl Idempotency {
    /// The stated key.
    #[must_use]
    pub fn key(&self) -> Option<&KeySpec> {
        match self {
            Self::Key(spec) => Some(spec),
            Self::Unstated | Self::Unrecognised => None,
        }
    }

    /// Whether the contract states that a call whose outcome is not known may be sent again.
    #[must_use]
    pub fn retry_is_safe(&self) -> bool {
        self.key().is_some_and(|spec| spec.retry == KeyRetry::Safe)
    }
}
