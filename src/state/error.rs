//! Why the store did not do what it was asked.

use std::path::PathBuf;

use crate::code::{CallError, ErrorCode};

/// Why the store did not do what it was asked. Messages are for the person who operates the gateway; a model gets
/// [`StoreError::call_error`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be reached, read or written: no space, no permission, a failing disk.
    #[error("the state store cannot be used: {0}")]
    Unavailable(String),
    /// There is none: nothing was recorded yet.
    #[error("there is no state store yet: nothing was recorded")]
    Absent,
    /// Other processes held the store for too long.
    #[error("the state store is busy: other processes did not let go of it in time")]
    Busy,
    /// The file is damaged.
    #[error("the state store is damaged: {0}")]
    Corrupt(String),
    /// The record of which files are trusted cannot be used.
    #[error("the record of trust `{}` cannot be used: {problem}", path.display())]
    Trust {
        /// The record.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The file is a database of some other program.
    #[error("`{}` is not a state store of tgw", .0.display())]
    Foreign(PathBuf),
    /// A newer tgw made the store.
    #[error("the state store has schema version {found}, and this tgw knows {known}")]
    Newer {
        /// The version in the file.
        found: i64,
        /// The newest version known here.
        known: i64,
    },
    /// The place is one that others could tamper with.
    #[error("`{}` is no safe place for state: {problem}", path.display())]
    UnsafePlace {
        /// The place.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Neither `XDG_STATE_HOME` nor `HOME` names an absolute path.
    #[error("no place for state: neither `XDG_STATE_HOME` nor `HOME` is an absolute path")]
    NoHome,
    /// What the store on a server holds is sealed with another key than this machine's.
    #[error("the answers in the state store are sealed with another key than that of this machine")]
    OtherKey,
    /// The store was moved to a server, and its file is only kept.
    #[error("the state store was moved to a server")]
    Moved,
    /// The store that another was to be moved to holds something already.
    #[error("the store to move to is not empty")]
    NotEmpty,
    /// The connection broke while a commit was under way, and what became of it could not be asked.
    #[error("the state store did not say whether it kept what was written: {0}")]
    InDoubt(String),
    /// The end of the chain is not where the head says.
    #[error("the audit chain of `{tenant}` is damaged at record {seq}")]
    ChainDamaged {
        /// Whose chain.
        tenant: String,
        /// Where.
        seq: u64,
    },
    /// The system's random source failed.
    #[error("the system's random source failed: {0}")]
    NoRandomness(String),
    /// A change was refused; nothing of its transaction was kept.
    #[error("{0}")]
    Refused(#[from] Refusal),
}

/// Why a change was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The grant was spent before.
    #[error("the grant was used before")]
    GrantSpent,
    /// The grant's time is over.
    #[error("the grant has expired")]
    GrantExpired,
    /// The grant was revoked.
    #[error("the grant was revoked")]
    GrantRevoked,
    /// The grant has no uses left.
    #[error("the grant has no uses left")]
    GrantUsedUp,
    /// The grant is for another call.
    #[error("the grant is for another call")]
    GrantMismatch,
    /// The stored answer, or the question, is not as the gateway wrote it.
    #[error("what is stored is not believed: its seal is missing or does not fit")]
    NotBelieved,
    /// There is no such grant for this tenant.
    #[error("there is no such grant")]
    UnknownGrant,
    /// There is no such question for this tenant.
    #[error("there is no such approval")]
    UnknownApproval,
    /// The question is still open.
    #[error("the approval is not answered yet")]
    ApprovalPending,
    /// A person said no.
    #[error("the approval was denied")]
    ApprovalDenied,
    /// The question's time is over.
    #[error("the approval has expired")]
    ApprovalExpired,
    /// The question, or the yes to it, was taken back.
    #[error("the approval was taken back")]
    ApprovalRevoked,
    /// The question was answered before.
    #[error("the approval was answered before")]
    ApprovalAnswered,
    /// Someone else answered meanwhile.
    #[error("someone else answered meanwhile")]
    AnsweredMeanwhile,
    /// The answer is to a question that was put differently.
    #[error("the answer is to another question")]
    QuestionMismatch,
    /// The question was marked as run out before its time.
    #[error("the approval has not expired yet")]
    NotExpired,
    /// A record of one tenant was to enter the chain of another.
    #[error("a record belongs to another tenant")]
    OtherTenant,
    /// An id was used twice.
    #[error("the id is taken")]
    IdTaken,
    /// Another effect holds the key.
    #[error("another effect holds the key")]
    KeyTaken,
    /// There is no such effect for this tenant.
    #[error("there is no such effect")]
    UnknownEffect,
    /// The effect is settled, or another attempt at it is under way.
    #[error("the effect is settled already, or another attempt at it is under way")]
    EffectSettled,
    /// Another process looks at the effect, or it is not due.
    #[error("another process looks at the effect, or it is not due")]
    EffectHeld,
    /// There is a task of this id already, or there was.
    #[error("there is a task of this id already")]
    TaskExists,
    /// There is no such task for this tenant.
    #[error("there is no such task")]
    UnknownTask,
    /// The task ended.
    #[error("the task has ended")]
    TaskEnded,
    /// The task was changed meanwhile.
    #[error("the task was changed meanwhile")]
    TaskMoved,
    /// Less is left of a budget than the call takes.
    #[error("other calls took what was left of a budget")]
    BudgetExceeded,
}

impl Refusal {
    /// The code under which a call is answered that met this refusal.
    #[must_use]
    pub fn code(self) -> ErrorCode {
        match self {
            Self::ApprovalDenied | Self::ApprovalRevoked => ErrorCode::ApprovalDenied,
            Self::BudgetExceeded => ErrorCode::BudgetExceeded,
            Self::UnknownTask | Self::TaskEnded | Self::TaskMoved => ErrorCode::PermissionDenied,
            Self::GrantExpired | Self::ApprovalExpired => ErrorCode::ApprovalExpired,
            Self::GrantSpent
            | Self::GrantRevoked
            | Self::GrantUsedUp
            | Self::GrantMismatch
            | Self::NotBelieved
            | Self::UnknownGrant
            | Self::UnknownApproval
            | Self::ApprovalPending
            | Self::ApprovalAnswered
            | Self::AnsweredMeanwhile
            | Self::QuestionMismatch => ErrorCode::ApprovalRequired,
            Self::NotExpired
            | Self::OtherTenant
            | Self::IdTaken
            | Self::TaskExists
            | Self::KeyTaken
            | Self::UnknownEffect
            | Self::EffectSettled
            | Self::EffectHeld => ErrorCode::Internal,
        }
    }
}

impl StoreError {
    /// The code under which a call is answered that met this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Refused(refusal) => refusal.code(),
            Self::Unavailable(_)
            | Self::Absent
            | Self::Busy
            | Self::Corrupt(_)
            | Self::Trust { .. }
            | Self::Foreign(_)
            | Self::Newer { .. }
            | Self::UnsafePlace { .. }
            | Self::NoHome
            | Self::OtherKey
            | Self::Moved
            | Self::NotEmpty
            | Self::InDoubt(_)
            | Self::ChainDamaged { .. }
            | Self::NoRandomness(_) => ErrorCode::AuditUnavailable,
        }
    }

    /// The error as a model sees it: without paths and without the store's own words.
    #[must_use]
    pub fn call_error(&self) -> CallError {
        match self {
            Self::Refused(refusal) => CallError::new(refusal.code(), refusal.to_string()),
            Self::Unavailable(_)
            | Self::Absent
            | Self::Busy
            | Self::Corrupt(_)
            | Self::Trust { .. }
            | Self::Foreign(_)
            | Self::Newer { .. }
            | Self::UnsafePlace { .. }
            | Self::NoHome
            | Self::OtherKey
            | Self::Moved
            | Self::NotEmpty
            | Self::InDoubt(_)
            | Self::ChainDamaged { .. }
            | Self::NoRandomness(_) => CallError::new(
                ErrorCode::AuditUnavailable,
                "the call could not be recorded, so it was not run",
            )
            .with_hint("`tgw doctor` shows the state store; try again once it can be written"),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        match error.sqlite_error_code() {
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Self::Busy,
            // A place in a chain that is taken, too, means that someone else wrote there.
            Some(Code::DatabaseCorrupt | Code::NotADatabase | Code::ConstraintViolation) => {
                Self::Corrupt(error.to_string())
            }
            // A value of an impossible type or size was put there by something other than this program.
            None => Self::Corrupt(error.to_string()),
            Some(_) => Self::Unavailable(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_cannot_be_used_never_tells_a_model_where_it_lies() {
        let error =
            StoreError::UnsafePlace { path: "/home/ann/.local/state".into(), problem: "it is a link" };
        let seen = error.call_error();
        assert_eq!(seen.code, ErrorCode::AuditUnavailable);
        assert!(!seen.message.contains("ann") && !seen.hint.unwrap().contains("ann"));
    }

    #[test]
    fn a_refused_grant_keeps_its_own_code() {
        assert_eq!(StoreError::from(Refusal::GrantSpent).code(), ErrorCode::ApprovalRequired);
        assert_eq!(StoreError::from(Refusal::ApprovalExpired).code(), ErrorCode::ApprovalExpired);
        assert_eq!(StoreError::from(Refusal::ApprovalDenied).code(), ErrorCode::ApprovalDenied);
    }
}
