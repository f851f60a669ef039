//! The laws that a drill tries.

use serde::Serialize;

/// A law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// See [`Law::text`], as for each below.
    Outcome,
    /// A time-out before the effect.
    TimeOutBefore,
    /// A time-out after the effect.
    TimeOutAfter,
    /// The same call twice.
    DuplicateCall,
    /// A crash between the reservation and the effect.
    CrashBeforeRun,
    /// A crash between the effect and its record.
    CrashAfterRun,
    /// A yes that comes, or is used, after its time.
    LateApproval,
    /// A policy that denies what it let through.
    ChangedPolicy,
    /// A precondition that turns false.
    TurnedPrecondition,
    /// A backend that says that it succeeded and did nothing.
    HollowSuccess,
    /// A crash while an operation is under way.
    CrashWhilePending,
    /// An operation that does not end in its time.
    NeverEnds,
    /// No store.
    StoreDown,
    /// The audit of all of that.
    Audit,
}

impl Law {
    /// Every law, in the order in which they are tried.
    pub const ALL: [Self; 14] = [
        Self::Outcome,
        Self::TimeOutBefore,
        Self::TimeOutAfter,
        Self::DuplicateCall,
        Self::CrashBeforeRun,
        Self::CrashAfterRun,
        Self::LateApproval,
        Self::ChangedPolicy,
        Self::TurnedPrecondition,
        Self::HollowSuccess,
        Self::CrashWhilePending,
        Self::NeverEnds,
        Self::StoreDown,
        Self::Audit,
    ];

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Outcome => "outcome",
            Self::TimeOutBefore => "time-out before",
            Self::TimeOutAfter => "time-out after",
            Self::DuplicateCall => "duplicate call",
            Self::CrashBeforeRun => "crash before run",
            Self::CrashAfterRun => "crash after run",
            Self::LateApproval => "late approval",
            Self::ChangedPolicy => "changed policy",
            Self::TurnedPrecondition => "turned precondition",
            Self::HollowSuccess => "hollow success",
            Self::CrashWhilePending => "crash while pending",
            Self::NeverEnds => "never ends",
            Self::StoreDown => "store down",
            Self::Audit => "audit",
        }
    }

    /// What it says.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Outcome => "a success had its effect once; what is not let through has none",
            Self::TimeOutBefore => "a time-out before the effect is unknown, and not tried again blindly",
            Self::TimeOutAfter => "a time-out after the effect is unknown, and makes no second effect",
            Self::DuplicateCall => "the same call sent twice has one effect, and is told the outcome twice",
            Self::CrashBeforeRun => "a crash before the effect is found, and not taken for an end",
            Self::CrashAfterRun => "a crash after the effect is found, and makes no second effect",
            Self::LateApproval => "a yes that comes or is used too late runs nothing",
            Self::ChangedPolicy => "what the policy denies now is denied, whatever was said before",
            Self::TurnedPrecondition => {
                "what does not hold any more where it is to run keeps it from running"
            }
            Self::HollowSuccess => "a success that its look-up does not see is unknown, and not reported",
            Self::CrashWhilePending => "an operation is taken over after a crash, and not begun again",
            Self::NeverEnds => "an operation that does not end in its time is unknown, and not begun again",
            Self::StoreDown => "without the store nothing runs",
            Self::Audit => "the audit is whole, and has an intent for everything that ran",
        }
    }
}

/// What a drill found of a law.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "result", content = "why")]
pub enum Finding {
    /// It held.
    Held,
    /// It was broken, and how.
    Broken(String),
    /// It could not be tried, or does not apply, and why.
    NotDrilled(String),
}
