//! Reading the store.

use std::ops::ControlFlow;

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::{TaskId, Tenant, ToolName};
use crate::state::{
    Batch, Description, EffectState, Head, KeptTask, KeyOrigin, Order, PurseQuery, PurseTotal, Receipt,
    ResultScope, ResultSummary, Scan, StandingGrant, StandingQuery, Store, StoreError, StoredApproval,
    StoredEffect, StoredRecord, StoredResult, TaskMark,
};

use super::SqlStore;
use super::change::millis;
use super::layout::{self, row_id, seq_of};
use super::rows::{
    self, APPROVAL, RECORD_COLUMNS, STANDING, approval_row, damaged, record, standing_row, summary,
};
use super::{Database, Size, values};

/// How many records one short read takes.
const PAGE: usize = 64;
/// How many bytes of records one short read takes, beside its last record.
const PAGE_BYTES: usize = 4 << 20;

/// Most standing grants that are looked at for one call. Where there are more, a person is asked.
const MOST_STANDING: u32 = 256;

impl Store for SqlStore {
    fn append(&mut self, batch: &mut Batch<'_>) -> Result<Vec<Receipt>, StoreError> {
        self.commit(batch)
    }

    fn head(&self, tenant: &Tenant) -> Result<Option<Head>, StoreError> {
        Ok(self.chain(tenant)?.map(|(_, head)| head))
    }

    fn tenants(&self) -> Result<Vec<Tenant>, StoreError> {
        self.sql().all("SELECT tenant FROM chain ORDER BY tenant", values![], |row| {
            Tenant::parse(&row.get::<String>(0)?).map_err(damaged)
        })
    }

    fn stray_records(&self) -> Result<u64, StoreError> {
        let sql = format!(
            "SELECT count(*) FROM record WHERE {} NOT IN (SELECT id FROM chain)",
            layout::CHAIN_OF_ROW
        );
        self.sql().only(&sql, values![], |row| row.count(0))
    }

    fn scan(
        &self,
        tenant: &Tenant,
        scan: Scan,
        visit: &mut dyn FnMut(&StoredRecord) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let Some((chain, _)) = self.chain(tenant)? else { return Ok(()) };
        let greatest = seq_of(i64::MAX);
        let mut low = row_id(chain, scan.first.min(greatest))?;
        let mut high = row_id(chain, scan.last.min(greatest))?;
        let order = match scan.order {
            Order::OldestFirst => "",
            Order::NewestFirst => "DESC",
        };
        let sql = format!(
            "SELECT {RECORD_COLUMNS} FROM record WHERE id BETWEEN ?1 AND ?2 ORDER BY id {order} LIMIT {PAGE}"
        );
        // Pages are copied out: a reader that waits for its own output must not hold back the log's checkpoints.
        loop {
            let page = Page::read(self.sql(), &sql, low, high)?;
            for record in &page.records {
                if visit(record).is_break() {
                    return Ok(());
                }
            }
            if !page.more {
                return Ok(());
            }
            match scan.order {
                Order::OldestFirst => low = page.last.saturating_add(1),
                Order::NewestFirst => high = page.last.saturating_sub(1),
            }
        }
    }

    fn result(
        &self,
        reference: &str,
        scope: ResultScope<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredResult>, StoreError> {
        let (tenant, task) = scope.parts();
        let found = self.sql().one("SELECT reference, task, tool, CAST(length(value) AS BIGINT), created, expires, value, trust FROM result
                 WHERE reference = ?1 AND tenant = ?2 AND (task = ?3 OR ?3 IS NULL) AND expires > ?4", values![reference, tenant.as_str(), task.map(|task| task.as_str()), millis(now)], |row| Ok(StoredResult { summary: summary(row)?, value: row.get(6)?, trust: row.get(7)? }))?;
        Ok(found)
    }

    fn results(
        &self,
        scope: ResultScope<'_>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<ResultSummary>, StoreError> {
        let (tenant, task) = scope.parts();
        self.sql().all(
            "SELECT reference, task, tool, CAST(length(value) AS BIGINT), created, expires FROM result
             WHERE tenant = ?1 AND (task = ?2 OR ?2 IS NULL) AND expires > ?3 ORDER BY created DESC, rowid DESC LIMIT ?4",
            values![tenant.as_str(), task.map(|task| task.as_str()), millis(now), limit],
            summary,
        )
    }

    fn recent_values(
        &self,
        tenant: &Tenant,
        tool: &ToolName,
        limit: usize,
        now: Timestamp,
        visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.sql().visit(
            "SELECT value FROM result WHERE tenant = ?1 AND tool = ?2 AND expires > ?3
             ORDER BY created DESC, rowid DESC LIMIT ?4",
            values![tenant.as_str(), tool.as_str(), millis(now), limit],
            &mut |row| Ok(visit(row.bytes(0)?)),
        )
    }

    fn purge(&mut self, now: Timestamp, limit: usize) -> Result<u64, StoreError> {
        self.drop_ended(now, limit)
    }

    fn approval(&self, tenant: &Tenant, id: &str) -> Result<Option<StoredApproval>, StoreError> {
        rows::approval(self.sql(), &self.key, tenant, id)
    }

    fn approvals(&self, tenant: &Tenant, limit: usize) -> Result<Vec<StoredApproval>, StoreError> {
        self.sql().all(
            &format!("{APPROVAL} WHERE tenant = ?1 ORDER BY created DESC, rowid DESC LIMIT ?2"),
            values![tenant.as_str(), limit],
            |row| approval_row(row, &self.key),
        )
    }

    fn approvals_for(
        &self,
        tenant: &Tenant,
        binding: Digest,
        limit: usize,
    ) -> Result<Vec<StoredApproval>, StoreError> {
        self.sql().all(
            &format!(
                "{APPROVAL} WHERE tenant = ?1 AND binding = ?2 ORDER BY created DESC, rowid DESC LIMIT ?3"
            ),
            values![tenant.as_str(), binding.0, limit],
            |row| approval_row(row, &self.key),
        )
    }

    fn overdue_approvals(
        &self,
        tenant: &Tenant,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<StoredApproval>, StoreError> {
        self.sql().all(&format!(
            "{APPROVAL} WHERE tenant = ?1 AND state = 'pending' AND expires <= ?2 ORDER BY expires LIMIT ?3"
        ), values![tenant.as_str(), millis(now), limit], |row| {
            approval_row(row, &self.key)
        })
    }

    fn standing_for(&self, query: &StandingQuery<'_>) -> Result<Vec<StandingGrant>, StoreError> {
        let principal = query.principal;
        self.sql().all(
            &format!(
                "{STANDING} WHERE tenant = ?1 AND tool = ?2 AND task = ?3 AND \"user\" = ?4 AND agent = ?5
             AND agent_version IS NOT DISTINCT FROM ?6 AND contract = ?7 AND expires > ?8 AND revoked IS NULL
             AND (max_uses IS NULL OR uses < max_uses) ORDER BY created LIMIT {MOST_STANDING}"
            ),
            values![
                principal.tenant.as_str(),
                query.tool,
                query.task.as_str(),
                principal.user.as_str(),
                principal.agent.as_str(),
                principal.agent_version,
                query.contract.0,
                millis(query.now),
            ],
            |row| standing_row(row, &self.key),
        )
    }

    fn standing_by_id(&self, tenant: &Tenant, id: &str) -> Result<Option<StandingGrant>, StoreError> {
        rows::standing_by_id(self.sql(), &self.key, tenant, id)
    }

    fn standing(&self, tenant: &Tenant, limit: usize) -> Result<Vec<StandingGrant>, StoreError> {
        self.sql().all(
            &format!("{STANDING} WHERE tenant = ?1 ORDER BY created DESC, rowid DESC LIMIT ?2"),
            values![tenant.as_str(), limit],
            |row| standing_row(row, &self.key),
        )
    }

    fn effect_by_key(
        &self,
        tenant: &Tenant,
        tool: &str,
        origin: KeyOrigin,
        key: Digest,
    ) -> Result<Option<StoredEffect>, StoreError> {
        self.effect_of_key(tenant, tool, origin, key)
    }

    fn effect(&self, tenant: &Tenant, id: &str) -> Result<Option<StoredEffect>, StoreError> {
        self.effect_of_id(tenant, id)
    }

    fn effects(
        &self,
        tenant: &Tenant,
        state: Option<EffectState>,
        limit: usize,
    ) -> Result<Vec<StoredEffect>, StoreError> {
        self.effects_in(tenant, state, limit)
    }

    fn unsettled_effects(&self, tenant: &Tenant, limit: usize) -> Result<Vec<StoredEffect>, StoreError> {
        self.effects_not_settled(tenant, limit)
    }

    fn used(&self, tenant: &Tenant, query: &PurseQuery<'_>) -> Result<u64, StoreError> {
        self.used_of(tenant, query)
    }

    fn oldest_charges(
        &self,
        tenant: &Tenant,
        query: &PurseQuery<'_>,
        amount: u64,
    ) -> Result<Option<Timestamp>, StoreError> {
        self.freed_by(tenant, query, amount)
    }

    fn purses(
        &self,
        tenant: &Tenant,
        budget: &str,
        per: &str,
        since: Option<Timestamp>,
        limit: usize,
    ) -> Result<Vec<PurseTotal>, StoreError> {
        self.purses_of(tenant, budget, per, since, limit)
    }

    fn kept_task(&self, tenant: &Tenant, id: &TaskId) -> Result<Option<KeptTask>, StoreError> {
        self.kept_task_of(tenant, id)
    }

    fn task_mark(&self, tenant: &Tenant, id: &TaskId) -> Result<Option<TaskMark>, StoreError> {
        self.task_mark_of(tenant, id)
    }

    fn tasks(&self, tenant: &Tenant, limit: usize) -> Result<Vec<KeptTask>, StoreError> {
        self.kept_tasks(tenant, limit)
    }

    fn describe(&self) -> Result<Description, StoreError> {
        let one = |sql: &str| self.sql().only(sql, values![], |row| row.count(0));
        let Size { bytes, schema_version } = self.sql().size()?;
        Ok(Description {
            place: self.place.clone(),
            bytes,
            schema_version,
            records: one("SELECT CAST(coalesce(sum(seq), 0) AS BIGINT) FROM chain")?,
            results: one("SELECT count(*) FROM result")?,
            pending_approvals: one("SELECT count(*) FROM approval WHERE state = 'pending'")?,
        })
    }
}

/// The records of one short read.
#[derive(Default)]
struct Page {
    records: Vec<StoredRecord>,
    bytes: usize,
    /// The row of the last one.
    last: i64,
    /// Whether there may be more.
    more: bool,
}

impl Page {
    /// Takes what one short read takes.
    fn read(sql: &dyn Database, query: &str, low: i64, high: i64) -> Result<Self, StoreError> {
        let mut page = Self::default();
        let nothing: &[u8] = &[];
        sql.visit(query, values![low, high, nothing, [0_u8; 32]], &mut |row| {
            let (id, stored) = record(row)?;
            let length = |column: &Option<Vec<u8>>| column.as_ref().map_or(0, Vec::len);
            page.bytes += stored.bytes.len() + length(&stored.key) + length(&stored.detail);
            page.records.push(stored);
            page.last = id;
            page.more = page.records.len() == PAGE || page.bytes >= PAGE_BYTES;
            Ok(if page.more { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(page)
    }
}

impl SqlStore {
    fn chain(&self, tenant: &Tenant) -> Result<Option<(i64, Head)>, StoreError> {
        let chain = self.sql().one(
            "SELECT id, seq, hash FROM chain WHERE tenant = ?1",
            values![tenant.as_str()],
            |row| Ok((row.get(0)?, Head { seq: row.count(1)?, hash: row.digest(2)? })),
        )?;
        Ok(chain)
    }
}
