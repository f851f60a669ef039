//! Statements and transactions over the worker's connection.

use std::ops::ControlFlow;

use sha2::{Digest as _, Sha256};

use crate::ident::Tenant;
use crate::state::crash::committing;
use crate::state::sql::{Beginning, Database, Row, Size, Value};
use crate::state::{Durability, Seal, SealKey, StoreError};

use super::schema::{self, Found};
use super::server::Server;
use super::worker::{Answer, Bound, Job, Worker};

/// A store in the schema `tgw` of a server's database.
pub(in crate::state) struct Postgres {
    worker: Worker,
}

impl Postgres {
    /// Opens the store, and makes it where there is none. The first who opens it seals it with `key`.
    pub(in crate::state) fn open(server: &Server, key: &SealKey) -> Result<Self, StoreError> {
        let opened = Self { worker: Worker::start(server.clone())? };
        match schema::look(&opened)? {
            Found::Current => {}
            Found::Absent | Found::Older => schema::bring_up_to_date(&opened)?,
        }
        schema::check(&opened)?;
        match schema::seal(&opened, key)? {
            Seal::Whole => Ok(opened),
            Seal::Missing | Seal::Broken | Seal::Unchecked => Err(StoreError::OtherKey),
        }
    }

    /// Opens the store; `None` where there is none, and none is made.
    pub(in crate::state) fn open_existing(
        server: &Server,
        key: &SealKey,
    ) -> Result<Option<Self>, StoreError> {
        let opened = Self { worker: Worker::start(server.clone())? };
        match schema::look(&opened)? {
            Found::Absent => return Ok(None),
            Found::Current => {}
            Found::Older => schema::bring_up_to_date(&opened)?,
        }
        schema::check(&opened)?;
        if schema::seen_seal(&opened, key)? == Seal::Broken {
            tracing::warn!("{}", StoreError::OtherKey);
        }
        Ok(Some(opened))
    }

    /// A connection to a server, whatever is there.
    #[cfg(test)]
    pub(in crate::state) fn bare(server: &Server) -> Result<Self, StoreError> {
        Ok(Self { worker: Worker::start(server.clone())? })
    }

    /// Runs a statement outside of any transaction.
    #[cfg(test)]
    pub(in crate::state) fn run(&self, sql: &str) -> Result<(), StoreError> {
        self.worker.ask(Job::Execute { sql: sql.to_owned(), values: Vec::new() }).map(drop)
    }

    /// Begins a transaction beside which nobody makes, fills or seals a store.
    pub(in crate::state) fn begin_alone(&self, durability: Durability) -> Result<(), StoreError> {
        self.begin_with(schema::LOCK, durability)
    }

    /// Begins a transaction that no other with the same lock runs beside.
    pub(super) fn begin_with(&self, lock: i64, durability: Durability) -> Result<(), StoreError> {
        let late = match durability {
            Durability::Kill => "SET LOCAL synchronous_commit TO off;",
            // As the server is set: it may also wait for others that follow it.
            Durability::Power => "",
        };
        // What is read after the lock is what the holder before committed.
        let sql = format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {late}
             SELECT pg_advisory_xact_lock({lock}); SELECT pg_current_xact_id()::text"
        );
        self.worker.ask(Job::Begin { sql }).map(drop)
    }
}

/// The lock under which a tenant's state changes.
fn lock_of(tenant: &Tenant) -> i64 {
    let digest = Sha256::new().chain_update("tgw tenant ").chain_update(tenant.as_str()).finalize();
    digest.first_chunk::<8>().copied().map_or(0, i64::from_be_bytes)
}

fn bound(values: &[Value<'_>]) -> Result<Vec<Bound>, StoreError> {
    if values.iter().any(|value| matches!(value, Value::Text(text) if text.contains('\0'))) {
        return Err(StoreError::Unavailable(
            "a text with a zero character cannot be kept on a server".to_owned(),
        ));
    }
    Ok(values.iter().map(|value| Bound::from(*value)).collect())
}

impl Database for Postgres {
    fn execute(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, StoreError> {
        match self.worker.ask(Job::Execute { sql: sql.to_owned(), values: bound(values)? })? {
            Answer::Count(rows) => Ok(rows),
            Answer::Done | Answer::Rows(_) => Err(out_of_turn()),
        }
    }

    fn visit(
        &self,
        sql: &str,
        values: &[Value<'_>],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        match self.worker.ask(Job::Query { sql: sql.to_owned(), values: bound(values)? })? {
            Answer::Rows(rows) => {
                for row in &rows {
                    if visit(&Row::Postgres(row))?.is_break() {
                        break;
                    }
                }
                Ok(())
            }
            Answer::Done | Answer::Count(_) => Err(out_of_turn()),
        }
    }

    fn begin(&self, beginning: Beginning<'_>) -> Result<(), StoreError> {
        self.begin_with(lock_of(beginning.tenant), beginning.durability)
    }

    fn commit(&self) -> Result<(), StoreError> {
        committing(|| self.worker.ask(Job::Commit).map(drop))
    }

    fn roll_back(&self) {
        if let Err(error) = self.worker.ask(Job::RollBack) {
            tracing::error!(%error, "a transaction could not be given up");
        }
    }

    /// The server overwrites what was deleted in its own time; its log and its backups keep it until they go.
    fn after_erasing(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn size(&self) -> Result<Size, StoreError> {
        let sql: &dyn Database = self;
        let bytes = sql.one(schema::BYTES, &[], |row| row.get::<i64>(0))?.unwrap_or_default();
        Ok(Size { bytes: bytes.unsigned_abs(), schema_version: schema::VERSION })
    }
}

fn out_of_turn() -> StoreError {
    StoreError::Unavailable("an answer came out of turn".to_owned())
}
