//! From rows to values.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::{AgentName, InvalidName, Principal, StepName, TaskId, Tenant, UserName};
use crate::state::{
    ApprovalState, ResultSummary, Seal, SealKey, StandingGrant, StoreError, StoredApproval, StoredRecord,
};

use super::schema::seq_of;

pub(super) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::unsigned_abs)
}

pub(super) fn at(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    count(row, column).map(Timestamp)
}

pub(super) fn maybe_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(|millis| Timestamp(millis.unsigned_abs())))
}

/// Most bytes of a column of a record that are read: more than any that this program writes.
const RECORD_BYTES: usize = 16 << 20;

/// What [`record`] reads. SQLite knows the length of a column without loading it; one that is longer than any that was
/// written is read as empty, which its hash or digest does not vouch for.
pub(super) fn record_columns() -> String {
    let bounded = |column: &str, most: usize| {
        format!("CASE WHEN length({column}) <= {most} THEN {column} WHEN {column} IS NOT NULL THEN x'' END")
    };
    format!(
        "id, CASE WHEN length(hash) = 32 THEN hash ELSE zeroblob(32) END, {}, {}, {}",
        bounded("bytes", RECORD_BYTES),
        bounded("key", RECORD_BYTES),
        bounded("detail", RECORD_BYTES),
    )
}

pub(super) fn record(row: &Row<'_>) -> rusqlite::Result<(i64, StoredRecord)> {
    let id = row.get(0)?;
    let record = StoredRecord {
        seq: seq_of(id),
        hash: Digest(row.get(1)?),
        bytes: row.get(2)?,
        key: row.get(3)?,
        detail: row.get(4)?,
    };
    Ok((id, record))
}

pub(super) fn summary(row: &Row<'_>) -> rusqlite::Result<ResultSummary> {
    let task: String = row.get(1)?;
    Ok(ResultSummary {
        reference: row.get(0)?,
        task: TaskId::parse(&task).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, Box::new(error))
        })?,
        tool: row.get(2)?,
        bytes: count(row, 3)?,
        created: at(row, 4)?,
        expires: at(row, 5)?,
    })
}

pub(super) const APPROVAL: &str =
    "SELECT id, tenant, user, agent, agent_version, task, step, tool, call, binding, question, created,
    expires, state, answered, answered_by, feedback, spent, likeness, seal, answers FROM approval";

pub(super) fn approval(
    connection: &Connection,
    key: &SealKey,
    tenant: &Tenant,
    id: &str,
) -> Result<Option<StoredApproval>, StoreError> {
    connection
        .prepare_cached(&format!("{APPROVAL} WHERE id = ?1 AND tenant = ?2"))?
        .query_row(params![id, tenant.as_str()], |row| approval_row(row, key))
        .optional()?
        .transpose()
}

/// Reads columns 1 to 4 of a question, a standing grant or an effect.
pub(super) fn principal(row: &Row<'_>) -> rusqlite::Result<Result<Principal, InvalidName>> {
    let (tenant, user, agent): (String, String, String) = (row.get(1)?, row.get(2)?, row.get(3)?);
    let agent_version = row.get(4)?;
    Ok((|| {
        Ok(Principal {
            user: UserName::parse(&user)?,
            agent: AgentName::parse(&agent)?,
            agent_version,
            tenant: Tenant::parse(&tenant)?,
        })
    })())
}

pub(super) fn damaged(error: impl std::fmt::Display) -> StoreError {
    StoreError::Corrupt(error.to_string())
}

pub(super) type Parsed<T> = rusqlite::Result<Result<T, StoreError>>;

pub(super) fn approval_row(row: &Row<'_>, key: &SealKey) -> Parsed<StoredApproval> {
    let principal = principal(row)?;
    let (task, step, state): (String, Option<String>, String) = (row.get(5)?, row.get(6)?, row.get(13)?);
    let stored = (|| {
        let mut stored = StoredApproval {
            id: row.get(0)?,
            principal: principal.map_err(damaged)?,
            task: TaskId::parse(&task).map_err(damaged)?,
            step: step.as_deref().map(StepName::parse).transpose().map_err(damaged)?,
            tool: row.get(7)?,
            call: row.get(8)?,
            binding: Digest(row.get(9)?),
            question: Digest(row.get(10)?),
            created: at(row, 11)?,
            expires: at(row, 12)?,
            state: ApprovalState::parse(&state).ok_or_else(|| damaged("unknown approval state"))?,
            answered: maybe_at(row, 14)?,
            by: row.get(15)?,
            feedback: row.get(16)?,
            spent: maybe_at(row, 17)?,
            likeness: row.get::<_, Option<[u8; 32]>>(18)?.map(Digest),
            answers: row.get(20)?,
            seal: Seal::Missing,
        };
        stored.seal = key.check(&stored.canonical(), row.get::<_, Option<Vec<u8>>>(19)?.as_deref());
        Ok(stored)
    })();
    Ok(stored)
}

pub(super) const STANDING: &str =
    "SELECT id, tenant, user, agent, agent_version, task, tool, contract, pinned, rules, created,
    expires, uses, max_uses, revoked, workspace, seal FROM standing_grant";

pub(super) fn standing_by_id(
    connection: &Connection,
    key: &SealKey,
    tenant: &Tenant,
    id: &str,
) -> Result<Option<StandingGrant>, StoreError> {
    connection
        .prepare_cached(&format!("{STANDING} WHERE id = ?1 AND tenant = ?2"))?
        .query_row(params![id, tenant.as_str()], |row| standing_row(row, key))
        .optional()?
        .transpose()
}

pub(super) fn standing_row(row: &Row<'_>, key: &SealKey) -> Parsed<StandingGrant> {
    let principal = principal(row)?;
    let task: String = row.get(5)?;
    let stored = (|| {
        let mut stored = StandingGrant {
            id: row.get(0)?,
            principal: principal.map_err(damaged)?,
            task: TaskId::parse(&task).map_err(damaged)?,
            tool: row.get(6)?,
            contract: Digest(row.get(7)?),
            pinned: row.get(8)?,
            rules: row.get(9)?,
            created: at(row, 10)?,
            expires: at(row, 11)?,
            uses: count(row, 12)?,
            max_uses: row.get::<_, Option<i64>>(13)?.map(i64::unsigned_abs),
            revoked: maybe_at(row, 14)?,
            workspace: row.get::<_, Option<Vec<u8>>>(15)?.unwrap_or_default(),
            seal: Seal::Missing,
        };
        stored.seal = key.check(&stored.canonical(), row.get::<_, Option<Vec<u8>>>(16)?.as_deref());
        Ok(stored)
    })();
    Ok(stored)
}
