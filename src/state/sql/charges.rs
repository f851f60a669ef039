//! Budgets in SQLite: taking from a purse inside the caller's transaction, and looking at what was taken.

use crate::clock::Timestamp;
use crate::ident::Tenant;
use crate::state::{NewCharge, Purse, PurseQuery, PurseTotal, Refusal, StoreError};

use super::SqlStore;
use super::change::{Transaction, millis};
use super::{Database, values};

/// The charges of one purse that count.
const COUNTING: &str =
    "tenant = ?1 AND budget = ?2 AND per = ?3 AND subject = ?4 AND portion = ?5 AND at > ?6 AND source <> ?7";

impl Transaction<'_> {
    /// Takes from a purse. A second attempt at the same effect takes nothing more; what it takes counts from now.
    pub(super) fn charge(&self, charge: &NewCharge<'_>) -> Result<(), StoreError> {
        if let Some(limit) = charge.limit {
            let query = PurseQuery { purse: charge.purse, since: charge.since, except: Some(charge.source) };
            let used = used(self.sql, self.tenant, &query)?;
            if used.saturating_add(charge.amount) > limit {
                return Err(Refusal::BudgetExceeded.into());
            }
        }
        let purse = charge.purse;
        self.sql.execute("INSERT INTO charge (source, budget, tenant, per, subject, portion, at, amount, until)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                 ON CONFLICT (source, budget) DO UPDATE SET per = excluded.per, subject = excluded.subject,
                     portion = excluded.portion, at = excluded.at, amount = excluded.amount, until = excluded.until", values![charge.source,
                purse.budget,
                self.tenant.as_str(),
                purse.per,
                purse.subject,
                portion(&purse),
                millis(self.now),
                charge.amount.cast_signed(),
                charge.until.map(millis)])?;
        Ok(())
    }

    /// Gives back what an effect took that provably did not happen.
    pub(super) fn give_back(&self, source: &str) -> Result<(), StoreError> {
        self.sql.execute(
            "DELETE FROM charge WHERE source = ?1 AND tenant = ?2",
            values![source, self.tenant.as_str()],
        )?;
        Ok(())
    }
}

impl SqlStore {
    pub(super) fn used_of(&self, tenant: &Tenant, query: &PurseQuery<'_>) -> Result<u64, StoreError> {
        used(self.sql(), tenant, query)
    }

    /// The time of the charge with which the oldest ones together come to `amount`.
    pub(super) fn freed_by(
        &self,
        tenant: &Tenant,
        query: &PurseQuery<'_>,
        amount: u64,
    ) -> Result<Option<Timestamp>, StoreError> {
        let purse = query.purse;
        let sql = format!(
            "SELECT at FROM (SELECT at, SUM(amount) OVER (ORDER BY at, source) AS freed FROM charge WHERE {COUNTING}) AS taken
             WHERE freed >= CAST(?8 AS BIGINT) ORDER BY freed LIMIT 1"
        );
        let found = self.sql().one(
            &sql,
            values![
                tenant.as_str(),
                purse.budget,
                purse.per,
                purse.subject,
                portion(&purse),
                query.since.map_or(-1, millis),
                query.except.unwrap_or_default(),
                amount.cast_signed()
            ],
            |row| row.at(0),
        )?;
        Ok(found)
    }

    pub(super) fn purses_of(
        &self,
        tenant: &Tenant,
        budget: &str,
        per: &str,
        since: Option<Timestamp>,
        limit: usize,
    ) -> Result<Vec<PurseTotal>, StoreError> {
        self.sql().all(
            "SELECT subject, portion, CAST(SUM(amount) AS BIGINT), COUNT(*), MIN(at) FROM charge
             WHERE tenant = ?1 AND budget = ?2 AND per = ?3 AND at > ?4
             GROUP BY subject, portion ORDER BY MAX(at) DESC, subject, portion LIMIT ?5",
            values![tenant.as_str(), budget, per, since.map_or(-1, millis), limit],
            |row| {
                let portion: String = row.get(1)?;
                Ok(PurseTotal {
                    subject: row.get(0)?,
                    group: (!portion.is_empty()).then_some(portion),
                    used: row.count(2)?,
                    calls: row.count(3)?,
                    oldest: row.at(4)?,
                })
            },
        )
    }
}

fn used(sql: &dyn Database, tenant: &Tenant, query: &PurseQuery<'_>) -> Result<u64, StoreError> {
    let purse = query.purse;
    let query_text = format!("SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM charge WHERE {COUNTING}");
    let used: i64 = sql.only(
        &query_text,
        values![
            tenant.as_str(),
            purse.budget,
            purse.per,
            purse.subject,
            portion(&purse),
            query.since.map_or(-1, millis),
            query.except.unwrap_or_default()
        ],
        |row| row.get(0),
    )?;
    // A sum below zero was put there by something other than this program, and must not make room.
    u64::try_from(used).map_err(|_| StoreError::Corrupt("a budget has a sum below zero".to_owned()))
}

/// No JSON text is empty, so that none is taken for "not split".
fn portion<'p>(purse: &Purse<'p>) -> &'p str {
    purse.group.unwrap_or_default()
}
