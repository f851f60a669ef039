//! The trait that every state store implements.

use std::ops::ControlFlow;

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::{TaskId, Tenant, ToolName};

use super::{
    Batch, EffectState, Head, KeptTask, KeyOrigin, Place, PurseQuery, PurseTotal, Receipt, ResultScope,
    ResultSummary, Scan, StandingGrant, StandingQuery, StoreError, StoredApproval, StoredEffect,
    StoredRecord, StoredResult, TaskMark,
};

/// State that outlives a process. Calls block; a store that is reached over a network owns its own thread.
///
/// Each method is one transaction unless it says otherwise. Listings hold no lock while the caller looks at a row.
pub trait Store {
    /// Commits a batch and returns the receipts of its records, in order.
    ///
    /// The chain's head is read inside the transaction, so that processes may append side by side.
    ///
    /// # Errors
    /// [`StoreError::Refused`] where a change is refused, else why the store cannot be written. Nothing is kept then.
    fn append(&mut self, batch: &mut Batch<'_>) -> Result<Vec<Receipt>, StoreError>;

    /// The end of a tenant's chain; `None` where the tenant has none.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn head(&self, tenant: &Tenant) -> Result<Option<Head>, StoreError>;

    /// The tenants that have a chain.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn tenants(&self) -> Result<Vec<Tenant>, StoreError>;

    /// How many records belong to no chain: none, unless someone removed a chain's head.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn stray_records(&self) -> Result<u64, StoreError>;

    /// Shows the records of a chain one by one until `visit` breaks. It reads in short transactions: records appended
    /// meanwhile may be seen.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn scan(
        &self,
        tenant: &Tenant,
        scan: Scan,
        visit: &mut dyn FnMut(&StoredRecord) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// Finds a kept result; one whose time is over is not found.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn result(
        &self,
        reference: &str,
        scope: ResultScope<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredResult>, StoreError>;

    /// Lists kept results, newest first.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn results(
        &self,
        scope: ResultScope<'_>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<ResultSummary>, StoreError>;

    /// Shows the values of a tool's latest results for a tenant, newest first, until `visit` breaks or `limit` were seen.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn recent_values(
        &self,
        tenant: &Tenant,
        tool: &ToolName,
        limit: usize,
        now: Timestamp,
        visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// Drops what has ended, at most `limit` rows of a kind, and returns how many rows went: results and spent grants at
    /// their end, questions and standing grants a week after it, and no question whose end is not marked; an effect without a stated
    /// key 30 days after it was settled, and no other; what was taken from a budget when it no longer counts.
    ///
    /// # Errors
    /// Why the store cannot be written.
    fn purge(&mut self, now: Timestamp, limit: usize) -> Result<u64, StoreError>;

    /// Finds a stored question.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn approval(&self, tenant: &Tenant, id: &str) -> Result<Option<StoredApproval>, StoreError>;

    /// Lists stored questions, newest first.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn approvals(&self, tenant: &Tenant, limit: usize) -> Result<Vec<StoredApproval>, StoreError>;

    /// Finds the questions about a call with this binding, newest first, answered and spent ones too.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn approvals_for(
        &self,
        tenant: &Tenant,
        binding: Digest,
        limit: usize,
    ) -> Result<Vec<StoredApproval>, StoreError>;

    /// Lists questions that are pending though their time is over, oldest first, so that their expiry can be recorded.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn overdue_approvals(
        &self,
        tenant: &Tenant,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<StoredApproval>, StoreError>;

    /// Finds the live standing grants that could cover a call.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn standing_for(&self, query: &StandingQuery<'_>) -> Result<Vec<StandingGrant>, StoreError>;

    /// Finds a standing grant, a dead one too.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn standing_by_id(&self, tenant: &Tenant, id: &str) -> Result<Option<StandingGrant>, StoreError>;

    /// Lists standing grants, newest first, dead ones too.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn standing(&self, tenant: &Tenant, limit: usize) -> Result<Vec<StandingGrant>, StoreError>;

    /// Finds the effect that holds a key; one that provably failed holds none.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn effect_by_key(
        &self,
        tenant: &Tenant,
        tool: &str,
        origin: KeyOrigin,
        key: Digest,
    ) -> Result<Option<StoredEffect>, StoreError>;

    /// Finds an effect by its id.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn effect(&self, tenant: &Tenant, id: &str) -> Result<Option<StoredEffect>, StoreError>;

    /// Lists effects, newest first, of one state where one is given.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn effects(
        &self,
        tenant: &Tenant,
        state: Option<EffectState>,
        limit: usize,
    ) -> Result<Vec<StoredEffect>, StoreError>;

    /// Lists the effects that are not settled, oldest first.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn unsettled_effects(&self, tenant: &Tenant, limit: usize) -> Result<Vec<StoredEffect>, StoreError>;

    /// What calls have taken of a purse, as far as it counts.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn used(&self, tenant: &Tenant, query: &PurseQuery<'_>) -> Result<u64, StoreError>;

    /// When the charge was taken with which the oldest of a purse together come to `amount`; `None` where all do not.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn oldest_charges(
        &self,
        tenant: &Tenant,
        query: &PurseQuery<'_>,
        amount: u64,
    ) -> Result<Option<Timestamp>, StoreError>;

    /// Lists the purses of a budget from which something was taken since an instant, the latest first.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn purses(
        &self,
        tenant: &Tenant,
        budget: &str,
        per: &str,
        since: Option<Timestamp>,
        limit: usize,
    ) -> Result<Vec<PurseTotal>, StoreError>;

    /// Finds a kept task.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn kept_task(&self, tenant: &Tenant, id: &TaskId) -> Result<Option<KeptTask>, StoreError>;

    /// What tells whether a kept task was changed, without reading what it says.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn task_mark(&self, tenant: &Tenant, id: &TaskId) -> Result<Option<TaskMark>, StoreError>;

    /// Lists kept tasks, the one changed last first, ended ones too.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn tasks(&self, tenant: &Tenant, limit: usize) -> Result<Vec<KeptTask>, StoreError>;

    /// Describes the store for a person.
    ///
    /// # Errors
    /// Why the store cannot be read.
    fn describe(&self) -> Result<Description, StoreError>;
}

/// What `tgw doctor` says about a store.
#[derive(Debug, Clone)]
pub struct Description {
    /// Where it lies.
    pub place: Place,
    /// Its size in bytes, as far as the database says.
    pub bytes: u64,
    /// The version of its schema.
    pub schema_version: i64,
    /// How many records its chains claim.
    pub records: u64,
    /// How many results it keeps.
    pub results: u64,
    /// How many questions are pending.
    pub pending_approvals: u64,
}
