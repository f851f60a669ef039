//! The ledger in SQLite: reserving and settling inside the caller's transaction, and looking at what is there.

use crate::catalog::Digest;
use crate::ident::{TaskId, Tenant};
use crate::state::{
    EffectState, KeyOrigin, NewEffect, Refusal, RetriedEffect, SettledEffect, Settlement, StoreError,
    StoredEffect,
};

use super::SqlStore;
use super::change::{Transaction, inserted, millis};
use super::rows::{damaged, principal};
use super::{Row, values};

impl Transaction<'_> {
    /// Takes a key. It is refused where an effect holds it that did not provably fail.
    pub(super) fn reserve(&self, effect: &NewEffect<'_>) -> Result<(), StoreError> {
        let principal = effect.principal;
        if principal.tenant != *self.tenant {
            return Err(Refusal::OtherTenant.into());
        }
        let rows = self.sql.execute("INSERT INTO effect (id, tenant, tool, origin, key, shown_key, arguments, shown_arguments, exact_arguments,
                                     contract, \"user\", agent, agent_version, task, call, owner, lease, attempt, state,
                                     created, changed)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, 1, 'running', ?18, ?18)
                 ON CONFLICT DO NOTHING", values![effect.id,
                self.tenant.as_str(),
                effect.tool,
                effect.origin.as_str(),
                effect.key.0,
                effect.shown_key,
                effect.arguments.0,
                effect.shown_arguments,
                effect.exact_arguments,
                effect.contract.0,
                principal.user.as_str(),
                principal.agent.as_str(),
                principal.agent_version,
                effect.task.as_str(),
                effect.call,
                effect.owner,
                millis(effect.lease),
                millis(self.now)])?;
        inserted(rows, Refusal::KeyTaken)
    }

    /// Takes the key of an effect whose outcome is not known once more. Of several that try, one gets it.
    pub(super) fn retry(&self, effect: &RetriedEffect<'_>) -> Result<(), StoreError> {
        let rows = self.sql.execute("UPDATE effect SET state = 'running', attempt = ?3, call = ?4, owner = ?5, lease = ?6, changed = ?7,
                                   how = NULL, code = NULL, outcome = NULL, pursuit = NULL
                 WHERE id = ?1 AND tenant = ?2 AND state = 'unknown' AND attempt + 1 = ?3", values![effect.id,
                self.tenant.as_str(),
                effect.attempt.cast_signed(),
                effect.call,
                effect.owner,
                millis(effect.lease),
                millis(self.now)])?;
        inserted(rows, Refusal::KeyTaken)
    }

    /// Settles an effect. Refused where it is settled already, or another attempt is under way.
    pub(super) fn settle(&self, settled: &SettledEffect<'_>) -> Result<(), StoreError> {
        let known: Option<(String, i64)> = self.sql.one(
            "SELECT state, attempt FROM effect WHERE id = ?1 AND tenant = ?2",
            values![settled.id, self.tenant.as_str()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let (state, attempt) = known.ok_or(Refusal::UnknownEffect)?;
        let state = EffectState::parse(&state).ok_or_else(|| damaged("unknown state of an effect"))?;
        let fits = attempt.unsigned_abs() == settled.attempt
            && settled.state != EffectState::Running
            && !settled.state.is_pursued()
            && state.may_become(settled.state);
        if !fits {
            // An outcome that comes after someone else settled the effect changes nothing here, and must not keep the
            // records that are committed with it from the chain, where it is told.
            return if settled.how == Settlement::Outcome {
                Ok(())
            } else {
                Err(Refusal::EffectSettled.into())
            };
        }
        let open = settled.state == EffectState::Unknown;
        self.sql.execute(
            "UPDATE effect SET state = ?2, changed = ?3, how = ?4, code = ?5, outcome = ?6,
                    owner = CASE WHEN ?7 THEN owner END,
                    exact_arguments = CASE WHEN ?8 THEN exact_arguments END,
                    pursuit = CASE WHEN ?8 THEN pursuit END
                 WHERE id = ?1",
            values![
                settled.id,
                settled.state.as_str(),
                millis(self.now),
                settled.how.as_str(),
                settled.code,
                settled.outcome,
                open && settled.how == Settlement::Lost,
                open
            ],
        )?;
        if settled.state == EffectState::Failed { self.give_back(settled.id) } else { Ok(()) }
    }
}

const EFFECT: &str = "SELECT id, tenant, \"user\", agent, agent_version, tool, origin, shown_key, arguments, shown_arguments,
    exact_arguments, contract, task, call, owner, lease, attempt, state, created, changed, how, code, outcome, pursuit, due,
    deadline FROM effect";

impl SqlStore {
    pub(super) fn effect_of_key(
        &self,
        tenant: &Tenant,
        tool: &str,
        origin: KeyOrigin,
        key: Digest,
    ) -> Result<Option<StoredEffect>, StoreError> {
        let sql = format!(
            "{EFFECT} WHERE tenant = ?1 AND tool = ?2 AND origin = ?3 AND key = ?4 AND state <> 'failed'"
        );
        self.sql().one(&sql, values![tenant.as_str(), tool, origin.as_str(), key.0], effect_row)
    }

    pub(super) fn effect_of_id(&self, tenant: &Tenant, id: &str) -> Result<Option<StoredEffect>, StoreError> {
        self.sql().one(
            &format!("{EFFECT} WHERE tenant = ?1 AND id = ?2"),
            values![tenant.as_str(), id],
            effect_row,
        )
    }

    pub(super) fn effects_in(
        &self,
        tenant: &Tenant,
        state: Option<EffectState>,
        limit: usize,
    ) -> Result<Vec<StoredEffect>, StoreError> {
        let sql =
            format!("{EFFECT} WHERE tenant = ?1 AND (state = ?2 OR ?2 IS NULL) ORDER BY rowid DESC LIMIT ?3");
        self.sql().all(&sql, values![tenant.as_str(), state.map(EffectState::as_str), limit], effect_row)
    }

    pub(super) fn effects_not_settled(
        &self,
        tenant: &Tenant,
        limit: usize,
    ) -> Result<Vec<StoredEffect>, StoreError> {
        let sql = format!(
            "{EFFECT} WHERE tenant = ?1 AND state IN ('running', 'accepted', 'working', 'unknown') ORDER BY rowid LIMIT ?2"
        );
        self.sql().all(&sql, values![tenant.as_str(), limit], effect_row)
    }
}

fn effect_row(row: &Row<'_>) -> Result<StoredEffect, StoreError> {
    let (origin, task): (String, String) = (row.get(6)?, row.get(12)?);
    let (state, how): (String, Option<String>) = (row.get(17)?, row.get(20)?);
    Ok(StoredEffect {
        id: row.get(0)?,
        principal: principal(row)?,
        tool: row.get(5)?,
        origin: KeyOrigin::parse(&origin).ok_or_else(|| damaged("unknown origin of an effect key"))?,
        shown_key: row.get(7)?,
        arguments: row.digest(8)?,
        shown_arguments: row.get(9)?,
        exact_arguments: row.get(10)?,
        contract: row.digest(11)?,
        task: TaskId::parse(&task).map_err(damaged)?,
        call: row.get(13)?,
        owner: row.get(14)?,
        lease: row.at(15)?,
        attempt: row.count(16)?,
        state: EffectState::parse(&state).ok_or_else(|| damaged("unknown state of an effect"))?,
        created: row.at(18)?,
        changed: row.at(19)?,
        how: match how {
            None => None,
            Some(how) => {
                Some(Settlement::parse(&how).ok_or_else(|| damaged("unknown settlement of an effect"))?)
            }
        },
        code: row.get(21)?,
        outcome: row.get(22)?,
        pursuit: match row.get::<Option<String>>(23)? {
            None => None,
            Some(text) => Some(serde_json::from_str(&text).map_err(damaged)?),
        },
        due: row.at(24)?,
        deadline: row.at(25)?,
    })
}

#[cfg(test)]
mod tests;
