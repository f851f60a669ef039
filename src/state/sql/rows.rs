//! From rows to values.

use crate::ident::{AgentName, Principal, StepName, TaskId, Tenant, UserName};
use crate::state::{
    ApprovalState, ResultSummary, Seal, SealKey, StandingGrant, StoreError, StoredApproval, StoredRecord,
};

use super::layout::seq_of;
use super::{Database, Row, values};

/// What [`record`] reads, the third parameter being no bytes and the fourth 32 zeros. A column that is longer than any
/// that this program writes is read as empty, which its hash or digest does not vouch for; it is not even loaded.
pub(super) const RECORD_COLUMNS: &str = "id, CASE WHEN length(hash) = 32 THEN hash ELSE ?4 END,
    CASE WHEN length(bytes) <= 16777216 THEN bytes ELSE ?3 END,
    CASE WHEN length(key) <= 16777216 THEN key WHEN key IS NOT NULL THEN ?3 END,
    CASE WHEN length(detail) <= 16777216 THEN detail WHEN detail IS NOT NULL THEN ?3 END";

pub(super) fn record(row: &Row<'_>) -> Result<(i64, StoredRecord), StoreError> {
    let id = row.get(0)?;
    let record = StoredRecord {
        seq: seq_of(id),
        hash: row.digest(1)?,
        bytes: row.get(2)?,
        key: row.get(3)?,
        detail: row.get(4)?,
    };
    Ok((id, record))
}

pub(super) fn summary(row: &Row<'_>) -> Result<ResultSummary, StoreError> {
    Ok(ResultSummary {
        reference: row.get(0)?,
        task: TaskId::parse(&row.get::<String>(1)?).map_err(damaged)?,
        tool: row.get(2)?,
        bytes: row.count(3)?,
        created: row.at(4)?,
        expires: row.at(5)?,
    })
}

pub(super) const APPROVAL: &str =
    "SELECT id, tenant, \"user\", agent, agent_version, task, step, tool, call, binding, question, created,
    expires, state, answered, answered_by, feedback, spent, likeness, seal, answers FROM approval";

pub(super) fn approval(
    sql: &dyn Database,
    key: &SealKey,
    tenant: &Tenant,
    id: &str,
) -> Result<Option<StoredApproval>, StoreError> {
    sql.one(&format!("{APPROVAL} WHERE id = ?1 AND tenant = ?2"), values![id, tenant.as_str()], |row| {
        approval_row(row, key)
    })
}

/// Reads columns 1 to 4 of a question, a standing grant or an effect.
pub(super) fn principal(row: &Row<'_>) -> Result<Principal, StoreError> {
    let (tenant, user, agent): (String, String, String) = (row.get(1)?, row.get(2)?, row.get(3)?);
    Ok(Principal {
        user: UserName::parse(&user).map_err(damaged)?,
        agent: AgentName::parse(&agent).map_err(damaged)?,
        agent_version: row.get(4)?,
        tenant: Tenant::parse(&tenant).map_err(damaged)?,
    })
}

pub(super) fn damaged(error: impl std::fmt::Display) -> StoreError {
    StoreError::Corrupt(error.to_string())
}

pub(super) fn approval_row(row: &Row<'_>, key: &SealKey) -> Result<StoredApproval, StoreError> {
    let (task, step, state): (String, Option<String>, String) = (row.get(5)?, row.get(6)?, row.get(13)?);
    let mut stored = StoredApproval {
        id: row.get(0)?,
        principal: principal(row)?,
        task: TaskId::parse(&task).map_err(damaged)?,
        step: step.as_deref().map(StepName::parse).transpose().map_err(damaged)?,
        tool: row.get(7)?,
        call: row.get(8)?,
        binding: row.digest(9)?,
        question: row.digest(10)?,
        created: row.at(11)?,
        expires: row.at(12)?,
        state: ApprovalState::parse(&state).ok_or_else(|| damaged("unknown approval state"))?,
        answered: row.maybe_at(14)?,
        by: row.get(15)?,
        feedback: row.get(16)?,
        spent: row.maybe_at(17)?,
        likeness: row.maybe_digest(18)?,
        answers: row.get(20)?,
        seal: Seal::Missing,
    };
    stored.seal = key.check(&stored.canonical(), row.maybe_bytes(19)?);
    Ok(stored)
}

pub(super) const STANDING: &str =
    "SELECT id, tenant, \"user\", agent, agent_version, task, tool, contract, pinned, rules, created,
    expires, uses, max_uses, revoked, workspace, seal FROM standing_grant";

pub(super) fn standing_by_id(
    sql: &dyn Database,
    key: &SealKey,
    tenant: &Tenant,
    id: &str,
) -> Result<Option<StandingGrant>, StoreError> {
    sql.one(&format!("{STANDING} WHERE id = ?1 AND tenant = ?2"), values![id, tenant.as_str()], |row| {
        standing_row(row, key)
    })
}

pub(super) fn standing_row(row: &Row<'_>, key: &SealKey) -> Result<StandingGrant, StoreError> {
    let task: String = row.get(5)?;
    let mut stored = StandingGrant {
        id: row.get(0)?,
        principal: principal(row)?,
        task: TaskId::parse(&task).map_err(damaged)?,
        tool: row.get(6)?,
        contract: row.digest(7)?,
        pinned: row.get(8)?,
        rules: row.get(9)?,
        created: row.at(10)?,
        expires: row.at(11)?,
        uses: row.count(12)?,
        max_uses: row.get::<Option<i64>>(13)?.map(i64::unsigned_abs),
        revoked: row.maybe_at(14)?,
        workspace: row.get::<Option<Vec<u8>>>(15)?.unwrap_or_default(),
        seal: Seal::Missing,
    };
    stored.seal = key.check(&stored.canonical(), row.maybe_bytes(16)?);
    Ok(stored)
}
