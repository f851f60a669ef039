//! Erasing what is told of a call and need not be there for the chain to hold.

use rusqlite::{OptionalExtension, params};

use crate::state::{Batch, Change, StoreError};

use super::SqliteStore;
use super::change::Transaction;
use super::schema::{row_id, seq_of};

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

impl SqliteStore {
    /// Has what is deleted from now on overwritten, or no longer.
    pub(super) fn overwrite_deleted(&self, overwrite: bool) -> Result<(), StoreError> {
        let setting = if overwrite { "ON" } else { "OFF" };
        // The setting is answered with a row.
        self.connection.query_row(&format!("PRAGMA secure_delete = {setting}"), [], |_| Ok(()))?;
        Ok(())
    }

    /// Moves the log, which holds pages as they were, into the file, and empties it. Where other processes read at this
    /// moment, a later one does it.
    pub(super) fn empty_log(&self) -> Result<(), StoreError> {
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(())
    }
}

impl Transaction<'_> {
    pub(super) fn erase_details(&self, first: u64, last: u64) -> Result<(), StoreError> {
        let chain: Option<i64> = self
            .connection
            .prepare_cached("SELECT id FROM chain WHERE tenant = ?1")?
            .query_row([self.tenant.as_str()], |row| row.get(0))
            .optional()?;
        let Some(chain) = chain else { return Ok(()) };
        let greatest = seq_of(i64::MAX);
        self.connection
            .prepare_cached("UPDATE record SET key = NULL, detail = NULL WHERE id BETWEEN ?1 AND ?2")?
            .execute(params![row_id(chain, first.min(greatest))?, row_id(chain, last.min(greatest))?])?;
        Ok(())
    }

    pub(super) fn erase_result(&self, reference: &str) -> Result<(), StoreError> {
        self.connection
            .prepare_cached("DELETE FROM result WHERE reference = ?1 AND tenant = ?2")?
            .execute(params![reference, self.tenant.as_str()])?;
        Ok(())
    }

    /// What is not settled keeps its arguments: they are needed to find out what became of it.
    pub(super) fn erase_effect(&self, id: &str) -> Result<(), StoreError> {
        self.connection
            .prepare_cached(
                "UPDATE effect SET shown_key = '', shown_arguments = NULL, exact_arguments = NULL, outcome = NULL,
                   pursuit = NULL
                 WHERE id = ?1 AND tenant = ?2 AND state IN ('succeeded', 'failed')",
            )?
            .execute(params![id, self.tenant.as_str()])?;
        Ok(())
    }

    /// What can still be answered or run stays.
    pub(super) fn erase_approval(&self, id: &str) -> Result<(), StoreError> {
        self.connection
            .prepare_cached(
                "DELETE FROM approval WHERE id = ?1 AND tenant = ?2
                 AND (state IN ('denied', 'expired', 'revoked') OR spent IS NOT NULL)",
            )?
            .execute(params![id, self.tenant.as_str()])?;
        Ok(())
    }
}
