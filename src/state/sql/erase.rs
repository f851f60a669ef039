//! Erasing what is told of a call and need not be there for the chain to hold.

use crate::state::{Batch, Change, StoreError};

use super::change::Transaction;
use super::layout::{row_id, seq_of};
use super::values;

/// Whether a batch erases anything.
pub(super) fn erases(batch: &Batch<'_>) -> bool {
    batch.changes.iter().any(|change| match change {
        Change::EraseDetails { .. }
        | Change::EraseResult { .. }
        | Change::EraseEffect { .. }
        | Change::EraseApproval { .. } => true,
        Change::StoreResult(_)
        | Change::SpendGrant { .. }
        | Change::SpendApproval { .. }
        | Change::UseStanding { .. }
        | Change::AskApproval(_)
        | Change::AnswerApproval(_)
        | Change::SettleLike { .. }
        | Change::WithdrawApproval { .. }
        | Change::Remember(_)
        | Change::RevokeStanding { .. }
        | Change::ReserveEffect(_)
        | Change::RetryEffect(_)
        | Change::KeepAnswers(_)
        | Change::PursueEffect(_)
        | Change::ClaimEffect(_)
        | Change::Charge(_)
        | Change::StartTask(_)
        | Change::MoveTask(_)
        | Change::StandInTask { .. }
        | Change::SettleEffect(_) => false,
    })
}

impl Transaction<'_> {
    pub(super) fn erase_details(&self, first: u64, last: u64) -> Result<(), StoreError> {
        let chain: Option<i64> =
            self.sql.one("SELECT id FROM chain WHERE tenant = ?1", values![self.tenant.as_str()], |row| {
                row.get(0)
            })?;
        let Some(chain) = chain else { return Ok(()) };
        let greatest = seq_of(i64::MAX);
        self.sql.execute(
            "UPDATE record SET key = NULL, detail = NULL WHERE id BETWEEN ?1 AND ?2",
            values![row_id(chain, first.min(greatest))?, row_id(chain, last.min(greatest))?],
        )?;
        Ok(())
    }

    pub(super) fn erase_result(&self, reference: &str) -> Result<(), StoreError> {
        self.sql.execute(
            "DELETE FROM result WHERE reference = ?1 AND tenant = ?2",
            values![reference, self.tenant.as_str()],
        )?;
        Ok(())
    }

    /// What is not settled keeps its arguments: they are needed to find out what became of it.
    pub(super) fn erase_effect(&self, id: &str) -> Result<(), StoreError> {
        self.sql.execute("UPDATE effect SET shown_key = '', shown_arguments = NULL, exact_arguments = NULL, outcome = NULL,
                   pursuit = NULL
                 WHERE id = ?1 AND tenant = ?2 AND state IN ('succeeded', 'failed')", values![id, self.tenant.as_str()])?;
        Ok(())
    }

    /// What can still be answered or run stays.
    pub(super) fn erase_approval(&self, id: &str) -> Result<(), StoreError> {
        self.sql.execute(
            "DELETE FROM approval WHERE id = ?1 AND tenant = ?2
                 AND (state IN ('denied', 'expired', 'revoked') OR spent IS NOT NULL)",
            values![id, self.tenant.as_str()],
        )?;
        Ok(())
    }
}
