//! One transaction: records and everything that must be true together with them.

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::{TaskId, Tenant};

use super::{
    Answer, ApprovalState, ClaimedEffect, MovedTask, NewApproval, NewCharge, NewEffect, NewResult,
    NewStanding, NewTask, PursuedEffect, RecordSource, RetriedEffect, SettledEffect, SignedAnswersNow,
    TaskMark,
};

/// What a commit survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// The death of this process at any instruction.
    Kill,
    /// The loss of power too, also for every commit before this one.
    Power,
}

/// One transaction. It is kept as a whole or not at all.
pub struct Batch<'a> {
    /// Whose state it changes.
    pub tenant: &'a Tenant,
    /// The present instant, against which expiries are judged.
    pub now: Timestamp,
    /// What its commit survives.
    pub durability: Durability,
    /// What changes besides the chain, in order. The first that is refused refuses the whole.
    pub changes: &'a [Change<'a>],
    /// The records that say so.
    pub records: &'a mut dyn RecordSource,
}

/// One change of state.
#[derive(Debug, Clone, Copy)]
pub enum Change<'a> {
    /// Keeps a result.
    StoreResult(NewResult<'a>),
    /// Spends a grant that was given on the spot. A grant id can be spent once, ever.
    SpendGrant {
        /// The grant's id, random.
        id: &'a str,
        /// When it ends.
        expires: Timestamp,
    },
    /// Spends the yes to a stored question.
    SpendApproval {
        /// The approval's id.
        id: &'a str,
        /// What the call now at hand would need a yes to; it must be what the question was about.
        binding: Digest,
    },
    /// Uses a standing grant once.
    UseStanding {
        /// The standing grant's id.
        id: &'a str,
    },
    /// Stores a question for a person.
    AskApproval(NewApproval<'a>),
    /// Keeps signed answers to a stored question that waits.
    KeepAnswers(SignedAnswersNow<'a>),
    /// Answers a stored question, or marks it as run out.
    AnswerApproval(Answer<'a>),
    /// Answers the questions that wait about a call which was answered in another way, so that none of them can be
    /// answered once more.
    SettleLike {
        /// What the call has in common with the one that was asked about.
        likeness: Digest,
        /// The answer; a yes counts as spent, since the call runs now.
        state: ApprovalState,
        /// Who answered.
        by: &'a str,
    },
    /// Takes back a stored question, or a yes to it that was not spent.
    WithdrawApproval {
        /// The approval's id.
        id: &'a str,
        /// Who takes it back.
        by: &'a str,
    },
    /// Stores a standing grant.
    Remember(NewStanding<'a>),
    /// Revokes a standing grant.
    RevokeStanding {
        /// The standing grant's id.
        id: &'a str,
    },
    /// Takes the key of an effect that is about to begin. Refused with [`Refusal::KeyTaken`](super::Refusal::KeyTaken)
    /// where another holds it.
    ReserveEffect(NewEffect<'a>),
    /// Takes the key of an effect whose outcome is not known once more.
    RetryEffect(RetriedEffect<'a>),
    /// Says that an effect is under way elsewhere, or what more is known of it.
    PursueEffect(PursuedEffect<'a>),
    /// Takes the right to look at an effect that is under way elsewhere. Refused with
    /// [`Refusal::EffectHeld`](super::Refusal::EffectHeld) where another process has it, or it is not due.
    ClaimEffect(ClaimedEffect<'a>),
    /// Takes from a budget for a call that is about to begin. Refused with
    /// [`Refusal::BudgetExceeded`](super::Refusal::BudgetExceeded) where less than that is left.
    Charge(NewCharge<'a>),
    /// Keeps a task.
    StartTask(NewTask<'a>),
    /// Changes a kept task, unless someone else did meanwhile.
    MoveTask(MovedTask<'a>),
    /// Holds that a kept task is as the call was decided under; refused with
    /// [`Refusal::TaskMoved`](super::Refusal::TaskMoved) where it is not.
    StandInTask {
        /// The task.
        id: &'a TaskId,
        /// What it was.
        mark: TaskMark,
    },
    /// Says what became of an effect. What one that provably did not happen took from budgets is given back.
    SettleEffect(SettledEffect<'a>),
    /// Erases keys and details of records, by their first and last number; the records themselves stay, and the chain
    /// holds. What is erased, here and below, is overwritten where it lay.
    EraseDetails {
        /// The first number.
        first: u64,
        /// The last number.
        last: u64,
    },
    /// Drops a kept result.
    EraseResult {
        /// Its reference.
        reference: &'a str,
    },
    /// Erases what is kept of an effect's arguments and outcome, where it is settled; its key stays taken.
    EraseEffect {
        /// Its id.
        id: &'a str,
    },
    /// Drops a stored question that has ended.
    EraseApproval {
        /// Its id.
        id: &'a str,
    },
}
