//! Applying one change inside a transaction, or refusing it.

use rusqlite::{Connection, params};

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::Tenant;
use crate::state::{Answer, ApprovalState, Change, NewApproval, NewResult, NewStanding, Refusal, StoreError};

use super::rows;

pub(super) fn apply(
    connection: &Connection,
    tenant: &Tenant,
    now: Timestamp,
    change: &Change<'_>,
) -> Result<(), StoreError> {
    match change {
        Change::StoreResult(result) => store_result(connection, tenant, now, result),
        Change::SpendGrant { id, expires } => spend_grant(connection, now, id, *expires),
        Change::SpendApproval { id, binding } => spend_approval(connection, tenant, now, id, *binding),
        Change::UseStanding { id } => use_standing(connection, tenant, now, id),
        Change::AskApproval(approval) => ask(connection, tenant, now, approval),
        Change::AnswerApproval(answer) => self::answer(connection, tenant, now, answer),
        Change::Remember(standing) => remember(connection, tenant, now, standing),
        Change::RevokeStanding { id } => revoke(connection, tenant, now, id),
    }
}

/// A time as SQLite stores it.
pub(super) fn millis(at: Timestamp) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}

/// Runs an insert that does nothing where the id is taken.
fn inserted(rows: usize, otherwise: Refusal) -> Result<(), StoreError> {
    if rows == 1 { Ok(()) } else { Err(otherwise.into()) }
}

fn store_result(
    connection: &Connection,
    tenant: &Tenant,
    now: Timestamp,
    result: &NewResult<'_>,
) -> Result<(), StoreError> {
    let rows = connection
        .prepare_cached(
            "INSERT INTO result (reference, tenant, task, tool, created, expires, trust, value)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            result.reference,
            tenant.as_str(),
            result.task.as_str(),
            result.tool,
            millis(now),
            millis(result.expires),
            result.trust,
            result.value,
        ])?;
    inserted(rows, Refusal::IdTaken)
}

fn spend_grant(
    connection: &Connection,
    now: Timestamp,
    id: &str,
    expires: Timestamp,
) -> Result<(), StoreError> {
    if expires <= now {
        return Err(Refusal::GrantExpired.into());
    }
    let rows = connection
        .prepare_cached(
            "INSERT INTO spent_grant (id, spent, expires) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        )?
        .execute(params![id, millis(now), millis(expires)])?;
    inserted(rows, Refusal::GrantSpent)
}

fn spend_approval(
    connection: &Connection,
    tenant: &Tenant,
    now: Timestamp,
    id: &str,
    binding: Digest,
) -> Result<(), StoreError> {
    let stored = rows::approval(connection, tenant, id)?.ok_or(Refusal::UnknownApproval)?;
    match stored.state_at(now) {
        ApprovalState::Approved => {}
        ApprovalState::Pending => return Err(Refusal::ApprovalPending.into()),
        ApprovalState::Denied => return Err(Refusal::ApprovalDenied.into()),
        ApprovalState::Expired => return Err(Refusal::ApprovalExpired.into()),
    }
    if stored.spent.is_some() {
        return Err(Refusal::GrantSpent.into());
    }
    if stored.expires <= now {
        return Err(Refusal::GrantExpired.into());
    }
    if stored.binding != binding {
        return Err(Refusal::GrantMismatch.into());
    }
    connection
        .prepare_cached("UPDATE approval SET spent = ?2 WHERE id = ?1")?
        .execute(params![id, millis(now)])?;
    Ok(())
}

fn use_standing(
    connection: &Connection,
    tenant: &Tenant,
    now: Timestamp,
    id: &str,
) -> Result<(), StoreError> {
    let standing = rows::standing_by_id(connection, tenant, id)?.ok_or(Refusal::UnknownGrant)?;
    if standing.revoked.is_some() {
        return Err(Refusal::GrantRevoked.into());
    }
    if standing.expires <= now {
        return Err(Refusal::GrantExpired.into());
    }
    if !standing.is_live(now) {
        return Err(Refusal::GrantUsedUp.into());
    }
    connection.prepare_cached("UPDATE standing_grant SET uses = uses + 1 WHERE id = ?1")?.execute([id])?;
    Ok(())
}

fn ask(
    connection: &Connection,
    tenant: &Tenant,
    now: Timestamp,
    approval: &NewApproval<'_>,
) -> Result<(), StoreError> {
    let rows = connection
        .prepare_cached(
            "INSERT INTO approval (id, tenant, user, agent, agent_version, task, step, tool, call, binding, question,
                                   created, expires, state)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 'pending') ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            approval.id,
            tenant.as_str(),
            approval.principal.user.as_str(),
            approval.principal.agent.as_str(),
            approval.principal.agent_version,
            approval.task.as_str(),
            approval.step.map(|step| step.as_str()),
            approval.tool,
            approval.call,
            &approval.binding.0[..],
            &approval.question.0[..],
            millis(now),
            millis(approval.expires),
        ])?;
    inserted(rows, Refusal::IdTaken)
}

fn answer(
    connection: &Connection,
    tenant: &Tenant,
    now: Timestamp,
    answer: &Answer<'_>,
) -> Result<(), StoreError> {
    let stored = rows::approval(connection, tenant, answer.id)?.ok_or(Refusal::UnknownApproval)?;
    match (stored.state, answer.state) {
        (_, ApprovalState::Pending) => return Err(Refusal::ApprovalPending.into()),
        (ApprovalState::Expired, _) => return Err(Refusal::ApprovalExpired.into()),
        (ApprovalState::Approved | ApprovalState::Denied, _) => {
            return Err(Refusal::ApprovalAnswered.into());
        }
        (ApprovalState::Pending, ApprovalState::Expired) if now < stored.expires => {
            return Err(Refusal::NotExpired.into());
        }
        (ApprovalState::Pending, ApprovalState::Expired) => {}
        (ApprovalState::Pending, ApprovalState::Approved | ApprovalState::Denied) => {
            if stored.expires <= now {
                return Err(Refusal::ApprovalExpired.into());
            }
            if stored.question != answer.question {
                return Err(Refusal::QuestionMismatch.into());
            }
        }
    }
    connection
        .prepare_cached(
            "UPDATE approval SET state = ?2, answered = ?3, answered_by = ?4, feedback = ?5 WHERE id = ?1",
        )?
        .execute(params![answer.id, answer.state.as_str(), millis(now), answer.by, answer.feedback])?;
    Ok(())
}

fn remember(
    connection: &Connection,
    tenant: &Tenant,
    now: Timestamp,
    standing: &NewStanding<'_>,
) -> Result<(), StoreError> {
    let rows = connection
        .prepare_cached(
            "INSERT INTO standing_grant (id, tenant, user, agent, agent_version, task, tool, contract, pinned, rules,
                                         created, expires, uses, max_uses)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0, ?13) ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            standing.id,
            tenant.as_str(),
            standing.principal.user.as_str(),
            standing.principal.agent.as_str(),
            standing.principal.agent_version,
            standing.task.as_str(),
            standing.tool,
            &standing.contract.0[..],
            standing.pinned,
            standing.rules,
            millis(now),
            millis(standing.expires),
            standing.max_uses.map(|most| i64::try_from(most).unwrap_or(i64::MAX)),
        ])?;
    inserted(rows, Refusal::IdTaken)
}

fn revoke(connection: &Connection, tenant: &Tenant, now: Timestamp, id: &str) -> Result<(), StoreError> {
    let standing = rows::standing_by_id(connection, tenant, id)?.ok_or(Refusal::UnknownGrant)?;
    if standing.revoked.is_some() {
        return Err(Refusal::GrantRevoked.into());
    }
    connection
        .prepare_cached("UPDATE standing_grant SET revoked = ?2 WHERE id = ?1")?
        .execute(params![id, millis(now)])?;
    Ok(())
}
