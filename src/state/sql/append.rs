//! Committing a batch: its changes, then its records at the end of the chain.

use crate::ident::Tenant;
use crate::state::{Batch, Head, Link, Receipt, RecordSource, SealedRecord, StoreError};

use super::SqlStore;
use super::change::Transaction;
use super::erase::erases;
use super::layout::row_id;
use super::{Beginning, Database, values};

impl SqlStore {
    pub(super) fn commit(&mut self, batch: &mut Batch<'_>) -> Result<Vec<Receipt>, StoreError> {
        if batch.changes.is_empty() && batch.records.count() == 0 {
            return Ok(Vec::new());
        }
        let erases = erases(batch);
        let beginning = Beginning { tenant: batch.tenant, durability: batch.durability, erases };
        let transaction = Begun::new(self.database.as_ref(), beginning)?;
        let changing =
            Transaction { sql: self.database.as_ref(), key: &self.key, tenant: batch.tenant, now: batch.now };
        for change in batch.changes {
            changing.apply(change)?;
        }
        let receipts = extend(changing.sql, batch.tenant, batch.records, &mut self.record)?;
        transaction.commit()?;
        if erases {
            self.database.after_erasing()?;
        }
        Ok(receipts)
    }
}

/// A transaction that is given up unless it is committed.
struct Begun<'d> {
    database: &'d dyn Database,
    open: bool,
}

impl<'d> Begun<'d> {
    fn new(database: &'d dyn Database, beginning: Beginning<'_>) -> Result<Self, StoreError> {
        database.begin(beginning)?;
        Ok(Self { database, open: true })
    }

    fn commit(mut self) -> Result<(), StoreError> {
        self.open = false;
        self.database.commit()
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if self.open {
            self.database.roll_back();
        }
    }
}

/// Appends every record of `source` to the tenant's chain, inside the caller's transaction.
fn extend(
    sql: &dyn Database,
    tenant: &Tenant,
    source: &mut dyn RecordSource,
    record: &mut SealedRecord,
) -> Result<Vec<Receipt>, StoreError> {
    let count = source.count();
    let mut receipts = Vec::with_capacity(count);
    if count == 0 {
        return Ok(receipts);
    }
    let (chain, head) = chain_of(sql, tenant)?;
    check_tail(sql, tenant, chain, head)?;
    let mut tail = head;
    for index in 0..count {
        let link = Link { tenant, seq: tail.seq.saturating_add(1), previous: tail.hash };
        record.bytes.clear();
        record.key.clear();
        record.detail.clear();
        source.seal(index, &link, record)?;
        let inserted = sql.execute(
            "INSERT INTO record (id, hash, bytes, key, detail) VALUES (?1, ?2, ?3, ?4, ?5)",
            values![
                row_id(chain, link.seq)?,
                record.hash.0,
                record.bytes.as_slice(),
                filled(&record.key),
                filled(&record.detail),
            ],
        )?;
        one(inserted)?;
        tail = Head { seq: link.seq, hash: record.hash };
        receipts.push(Receipt { seq: tail.seq, hash: tail.hash });
    }
    let moved = sql.execute(
        "UPDATE chain SET seq = ?2, hash = ?3 WHERE id = ?1",
        values![chain, tail.seq.cast_signed(), tail.hash.0],
    )?;
    one(moved)?;
    Ok(receipts)
}

/// INVARIANT: a receipt is given only for a row that was written.
fn one(rows: u64) -> Result<(), StoreError> {
    if rows == 1 {
        Ok(())
    } else {
        Err(StoreError::Corrupt(format!("{rows} rows were written in place of one")))
    }
}

fn filled(bytes: &[u8]) -> Option<&[u8]> {
    (!bytes.is_empty()).then_some(bytes)
}

fn chain_of(sql: &dyn Database, tenant: &Tenant) -> Result<(i64, Head), StoreError> {
    let known =
        sql.one("SELECT id, seq, hash FROM chain WHERE tenant = ?1", values![tenant.as_str()], |row| {
            Ok((row.get(0)?, Head { seq: row.count(1)?, hash: row.digest(2)? }))
        })?;
    if let Some(known) = known {
        return Ok(known);
    }
    let chain = sql.only(
        "INSERT INTO chain (tenant, seq, hash) VALUES (?1, 0, ?2) RETURNING id",
        values![tenant.as_str(), Head::EMPTY.hash.0],
        |row| row.get(0),
    )?;
    Ok((chain, Head::EMPTY))
}

/// Refuses to build on a chain whose last record is not the one that the head names. (A record past the head shows
/// itself when its place is to be taken.)
fn check_tail(sql: &dyn Database, tenant: &Tenant, chain: i64, head: Head) -> Result<(), StoreError> {
    let tail =
        sql.one("SELECT hash FROM record WHERE id = ?1", values![row_id(chain, head.seq)?], |row| {
            row.digest(0)
        })?;
    let expected = (head.seq > 0).then_some(head.hash);
    if tail == expected {
        Ok(())
    } else {
        Err(StoreError::ChainDamaged { tenant: tenant.as_str().to_owned(), seq: head.seq })
    }
}
