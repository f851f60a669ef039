//! The ledger: what is kept of every effect, so that none happens twice under one key.

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::{Principal, TaskId};

use super::Pursuit;

/// How far an effect is, as it is stored.
///
/// `Running` covers the time from the reservation to the outcome: nothing durable lies between them, so that one whose
/// process died may have begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EffectState {
    /// It was reserved and may be under way.
    Running,
    /// A backend took it, and will get to it.
    Accepted,
    /// A backend works on it, or what it says is being verified.
    Working,
    /// It happened, or its call succeeded.
    Succeeded,
    /// It is proven that nothing happened. Its key is free.
    Failed,
    /// It may or may not have happened.
    Unknown,
}

impl EffectState {
    /// Every state.
    pub const ALL: [Self; 6] =
        [Self::Running, Self::Accepted, Self::Working, Self::Succeeded, Self::Failed, Self::Unknown];

    /// The state as it is stored and shown.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Accepted => "accepted",
            Self::Working => "working",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }

    /// Reads the stored form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// Whether it is under way elsewhere, so that someone must look for its end.
    #[must_use]
    pub fn is_pursued(self) -> bool {
        match self {
            Self::Accepted | Self::Working => true,
            Self::Running | Self::Succeeded | Self::Failed | Self::Unknown => false,
        }
    }

    /// Whether an effect may go from this state to that one.
    #[must_use]
    pub fn may_become(self, next: Self) -> bool {
        match self {
            Self::Running => next != Self::Running,
            // Running again: only where the contract states that a retry under the same key is safe.
            Self::Unknown => matches!(next, Self::Running | Self::Succeeded | Self::Failed),
            // What is not over may be heard of again.
            Self::Accepted => next != Self::Running,
            Self::Working => !matches!(next, Self::Running | Self::Accepted),
            Self::Succeeded | Self::Failed => false,
        }
    }
}

/// What names an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOrigin {
    /// The key that its contract states.
    Stated,
    /// The id of its call, within its task and workspace.
    Call,
    /// Nothing: its contract says that no repeated call is recognised.
    None,
}

impl KeyOrigin {
    /// The origin as it is stored and shown.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Call => "call",
            Self::None => "none",
        }
    }

    /// Reads the stored form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Stated, Self::Call, Self::None].into_iter().find(|origin| origin.as_str() == text)
    }
}

/// A reservation: the effect is about to begin.
#[derive(Debug, Clone, Copy)]
pub struct NewEffect<'a> {
    /// Its id, random.
    pub id: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// What names it.
    pub origin: KeyOrigin,
    /// The digest of its key; of its id where nothing names it.
    pub key: Digest,
    /// The key as it may be shown.
    pub shown_key: &'a str,
    /// The digest of its arguments.
    pub arguments: Digest,
    /// The arguments as they may be shown, where they are short enough to be kept.
    pub shown_arguments: Option<&'a str>,
    /// The exact arguments, where a look-up needs them; they go when it is settled.
    pub exact_arguments: Option<&'a str>,
    /// The contract.
    pub contract: Digest,
    /// Who is behind the call. Its tenant is the batch's.
    pub principal: &'a Principal,
    /// The task.
    pub task: &'a TaskId,
    /// The call.
    pub call: &'a str,
    /// The process that carries it out.
    pub owner: &'a str,
    /// When it counts as lost, unless its end is recorded before.
    pub lease: Timestamp,
}

/// Another try under the key of an effect whose outcome is not known.
#[derive(Debug, Clone, Copy)]
pub struct RetriedEffect<'a> {
    /// Its id.
    pub id: &'a str,
    /// The attempt that it is after this one.
    pub attempt: u64,
    /// The call.
    pub call: &'a str,
    /// The process that carries it out.
    pub owner: &'a str,
    /// When it counts as lost, unless its end is recorded before.
    pub lease: Timestamp,
}

/// How an effect's state came to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// The process that carried it out recorded its outcome.
    Outcome,
    /// That process died, or its time ran out.
    Lost,
    /// What was under way elsewhere was followed.
    Followed,
    /// A look-up told.
    Reconciled,
    /// A person said so.
    Resolved,
}

impl Settlement {
    /// As it is stored, recorded and shown.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Outcome => "outcome",
            Self::Lost => "lost",
            Self::Followed => "followed",
            Self::Reconciled => "reconciled",
            Self::Resolved => "resolved",
        }
    }

    /// Reads the stored form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Outcome, Self::Lost, Self::Followed, Self::Reconciled, Self::Resolved]
            .into_iter()
            .find(|settlement| settlement.as_str() == text)
    }
}

/// The end of an effect, or that it is not known.
#[derive(Debug, Clone, Copy)]
pub struct SettledEffect<'a> {
    /// Its id.
    pub id: &'a str,
    /// The attempt that it is about.
    pub attempt: u64,
    /// What it becomes.
    pub state: EffectState,
    /// How that is known.
    pub how: Settlement,
    /// The error's code, where it has one.
    pub code: Option<&'a str>,
    /// What a repeated call is answered with: JSON.
    pub outcome: Option<&'a str>,
}

/// An effect as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of NewEffect and SettledEffect")]
pub struct StoredEffect {
    pub id: String,
    pub tool: String,
    pub origin: KeyOrigin,
    pub shown_key: String,
    pub arguments: Digest,
    pub shown_arguments: Option<String>,
    pub exact_arguments: Option<String>,
    pub contract: Digest,
    pub principal: Principal,
    pub task: TaskId,
    pub call: String,
    /// `None` once the process that carried it out recorded an outcome.
    pub owner: Option<String>,
    pub lease: Timestamp,
    pub attempt: u64,
    pub state: EffectState,
    /// When it was reserved.
    pub created: Timestamp,
    /// When its state last changed.
    pub changed: Timestamp,
    /// How its state is known; `None` while it runs.
    pub how: Option<Settlement>,
    pub code: Option<String>,
    pub outcome: Option<String>,
    /// What is left to do while it is under way elsewhere, and what was known then.
    pub pursuit: Option<Pursuit>,
    /// When it is looked at next, while it is under way elsewhere.
    pub due: Timestamp,
    /// When it counts as not known, while it is under way elsewhere.
    pub deadline: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_settled_stays_so_and_what_runs_must_come_to_something() {
        use EffectState::{Accepted, Failed, Running, Succeeded, Unknown, Working};
        let allowed = [
            (Running, Accepted),
            (Running, Working),
            (Accepted, Accepted),
            (Accepted, Working),
            (Accepted, Succeeded),
            (Accepted, Failed),
            (Accepted, Unknown),
            (Working, Working),
            (Working, Succeeded),
            (Working, Failed),
            (Working, Unknown),
            (Running, Succeeded),
            (Running, Failed),
            (Running, Unknown),
            (Unknown, Succeeded),
            (Unknown, Failed),
            (Unknown, Running),
        ];
        for from in EffectState::ALL {
            for to in EffectState::ALL {
                assert_eq!(from.may_become(to), allowed.contains(&(from, to)), "{from:?} to {to:?}");
            }
        }
    }
}
