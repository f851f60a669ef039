//! Applying one change inside a transaction, or refusing it.

use crate::clock::Timestamp;
use crate::ident::Tenant;
use crate::state::{Change, NewResult, Refusal, SealKey, StoreError};

use super::{Database, values};

/// A transaction under way, and for whom and when it is.
pub(super) struct Transaction<'t> {
    pub(super) sql: &'t dyn Database,
    pub(super) key: &'t SealKey,
    pub(super) tenant: &'t Tenant,
    pub(super) now: Timestamp,
}

/// A time as it is stored.
pub(super) fn millis(at: Timestamp) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}

/// Runs an insert that does nothing where the id is taken.
pub(super) fn inserted(rows: u64, otherwise: Refusal) -> Result<(), StoreError> {
    if rows == 1 { Ok(()) } else { Err(otherwise.into()) }
}

impl Transaction<'_> {
    pub(super) fn apply(&self, change: &Change<'_>) -> Result<(), StoreError> {
        match change {
            Change::StoreResult(result) => self.store_result(result),
            Change::SpendGrant { id, expires } => self.spend_grant(id, *expires),
            Change::SpendApproval { id, binding } => self.spend_approval(id, *binding),
            Change::UseStanding { id } => self.use_standing(id),
            Change::AskApproval(approval) => self.ask(approval),
            Change::KeepAnswers(answers) => self.keep_answers(answers),
            Change::AnswerApproval(answer) => self.answer(answer),
            Change::SettleLike { likeness, state, by } => self.settle_like(*likeness, *state, by),
            Change::WithdrawApproval { id, by } => self.withdraw(id, by),
            Change::Remember(standing) => self.remember(standing),
            Change::RevokeStanding { id } => self.revoke(id),
            Change::ReserveEffect(effect) => self.reserve(effect),
            Change::RetryEffect(effect) => self.retry(effect),
            Change::PursueEffect(effect) => self.pursue(effect),
            Change::ClaimEffect(effect) => self.claim(effect),
            Change::Charge(charge) => self.charge(charge),
            Change::StartTask(task) => self.start_task(task),
            Change::MoveTask(task) => self.move_task(task),
            Change::StandInTask { id, mark } => self.stand_in(id, *mark),
            Change::SettleEffect(effect) => self.settle(effect),
            Change::EraseDetails { first, last } => self.erase_details(*first, *last),
            Change::EraseResult { reference } => self.erase_result(reference),
            Change::EraseEffect { id } => self.erase_effect(id),
            Change::EraseApproval { id } => self.erase_approval(id),
        }
    }

    fn store_result(&self, result: &NewResult<'_>) -> Result<(), StoreError> {
        let rows = self.sql.execute(
            "INSERT INTO result (reference, tenant, task, tool, created, expires, trust, value)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING",
            values![
                result.reference,
                self.tenant.as_str(),
                result.task.as_str(),
                result.tool,
                millis(self.now),
                millis(result.expires),
                result.trust,
                result.value
            ],
        )?;
        inserted(rows, Refusal::IdTaken)
    }

    fn spend_grant(&self, id: &str, expires: Timestamp) -> Result<(), StoreError> {
        if expires <= self.now {
            return Err(Refusal::GrantExpired.into());
        }
        let rows = self.sql.execute(
            "INSERT INTO spent_grant (id, spent, expires) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            values![id, millis(self.now), millis(expires)],
        )?;
        inserted(rows, Refusal::GrantSpent)
    }
}
