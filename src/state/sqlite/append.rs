//! Committing a batch: its changes, then its records at the end of the chain.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::catalog::Digest;
use crate::ident::Tenant;
use crate::state::{Batch, Durability, Head, Link, Receipt, RecordSource, SealedRecord, StoreError};

use super::SqliteStore;
use super::change::Transaction;
use super::erase::erases;
use super::schema::row_id;

impl SqliteStore {
    pub(super) fn commit(&mut self, batch: &mut Batch<'_>) -> Result<Vec<Receipt>, StoreError> {
        if batch.changes.is_empty() && batch.records.count() == 0 {
            return Ok(Vec::new());
        }
        self.be_durable(batch.durability)?;
        if !erases(batch) {
            return self.commit_changes(batch);
        }
        self.overwrite_deleted(true)?;
        let committed = self.commit_changes(batch);
        self.overwrite_deleted(false)?;
        let receipts = committed?;
        self.empty_log()?;
        Ok(receipts)
    }

    fn commit_changes(&mut self, batch: &mut Batch<'_>) -> Result<Vec<Receipt>, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let changing =
            Transaction { connection: &transaction, key: &self.key, tenant: batch.tenant, now: batch.now };
        for change in batch.changes {
            changing.apply(change)?;
        }
        let receipts = extend(&transaction, batch.tenant, batch.records, &mut self.record)?;
        transaction.commit()?;
        Ok(receipts)
    }

    /// Sets what the next commit survives. In write-ahead mode the setting takes effect with the next transaction, and a
    /// commit that syncs the log makes every earlier one durable too, since they share the log.
    fn be_durable(&mut self, durability: Durability) -> Result<(), StoreError> {
        if self.durability != durability {
            self.connection.execute_batch(match durability {
                Durability::Kill => "PRAGMA synchronous = NORMAL",
                Durability::Power => "PRAGMA synchronous = FULL",
            })?;
            self.durability = durability;
        }
        Ok(())
    }
}

/// Appends every record of `source` to the tenant's chain, inside the caller's transaction.
fn extend(
    connection: &Connection,
    tenant: &Tenant,
    source: &mut dyn RecordSource,
    record: &mut SealedRecord,
) -> Result<Vec<Receipt>, StoreError> {
    let count = source.count();
    let mut receipts = Vec::with_capacity(count);
    if count == 0 {
        return Ok(receipts);
    }
    let (chain, head) = chain_of(connection, tenant)?;
    check_tail(connection, tenant, chain, head)?;
    let mut insert = connection
        .prepare_cached("INSERT INTO record (id, hash, bytes, key, detail) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    let mut tail = head;
    for index in 0..count {
        let link = Link { tenant, seq: tail.seq.saturating_add(1), previous: tail.hash };
        record.bytes.clear();
        record.key.clear();
        record.detail.clear();
        source.seal(index, &link, record)?;
        let inserted = insert.execute(params![
            row_id(chain, link.seq)?,
            &record.hash.0[..],
            record.bytes.as_slice(),
            filled(&record.key),
            filled(&record.detail),
        ])?;
        one(inserted)?;
        tail = Head { seq: link.seq, hash: record.hash };
        receipts.push(Receipt { seq: tail.seq, hash: tail.hash });
    }
    let moved = connection
        .prepare_cached("UPDATE chain SET seq = ?2, hash = ?3 WHERE id = ?1")?
        .execute(params![chain, tail.seq.cast_signed(), &tail.hash.0[..]])?;
    one(moved)?;
    Ok(receipts)
}

/// INVARIANT: a receipt is given only for a row that was written.
fn one(rows: usize) -> Result<(), StoreError> {
    if rows == 1 {
        Ok(())
    } else {
        Err(StoreError::Corrupt(format!("{rows} rows were written in place of one")))
    }
}

fn filled(bytes: &[u8]) -> Option<&[u8]> {
    (!bytes.is_empty()).then_some(bytes)
}

fn chain_of(connection: &Connection, tenant: &Tenant) -> Result<(i64, Head), StoreError> {
    let known = connection
        .prepare_cached("SELECT id, seq, hash FROM chain WHERE tenant = ?1")?
        .query_row([tenant.as_str()], |row| {
            let (seq, hash): (i64, [u8; 32]) = (row.get(1)?, row.get(2)?);
            Ok((row.get(0)?, Head { seq: seq.unsigned_abs(), hash: Digest(hash) }))
        })
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    let chain = connection
        .prepare_cached("INSERT INTO chain (tenant, seq, hash) VALUES (?1, 0, ?2)")?
        .insert(params![tenant.as_str(), &Head::EMPTY.hash.0[..]])?;
    Ok((chain, Head::EMPTY))
}

/// Refuses to build on a chain whose last record is not the one that the head names. (A record past the head shows
/// itself when its place is to be taken.)
fn check_tail(connection: &Connection, tenant: &Tenant, chain: i64, head: Head) -> Result<(), StoreError> {
    let tail: Option<[u8; 32]> = connection
        .prepare_cached("SELECT hash FROM record WHERE id = ?1")?
        .query_row([row_id(chain, head.seq)?], |row| row.get(0))
        .optional()?;
    let expected = (head.seq > 0).then_some(head.hash.0);
    if tail == expected {
        Ok(())
    } else {
        Err(StoreError::ChainDamaged { tenant: tenant.as_str().to_owned(), seq: head.seq })
    }
}
