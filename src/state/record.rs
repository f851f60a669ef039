//! Records as the store sees them: bytes, their hash, and a place in a chain.

use std::fmt;

use crate::catalog::Digest;
use crate::ident::Tenant;

use super::StoreError;

/// The place that a record is about to take.
#[derive(Debug, Clone, Copy)]
pub struct Link<'a> {
    /// Whose chain it is.
    pub tenant: &'a Tenant,
    /// The record's number, from 1 without gaps.
    pub seq: u64,
    /// The hash of the record before it; all zero for the first.
    pub previous: Digest,
}

impl Link<'_> {
    /// What the first record of a chain names as its predecessor.
    pub const GENESIS: Digest = Digest([0; 32]);
}

/// A record ready to be stored. The store hands the same one to every [`RecordSource::seal`], cleared, so that its
/// buffers are allocated once.
#[derive(Debug)]
pub struct SealedRecord {
    /// What is hashed, and never changed.
    pub bytes: Vec<u8>,
    /// SHA-256 over `bytes`.
    pub hash: Digest,
    /// The key of the record's keyed digests; empty where it has none. Erasable.
    pub key: Vec<u8>,
    /// What the record vouches for by digest only; empty where there is nothing. Erasable.
    pub detail: Vec<u8>,
}

impl Default for SealedRecord {
    fn default() -> Self {
        Self { bytes: Vec::new(), hash: Link::GENESIS, key: Vec::new(), detail: Vec::new() }
    }
}

/// Supplies the records of one transaction, each once its place is known.
pub trait RecordSource {
    /// How many records there are.
    fn count(&self) -> usize;

    /// Fills `record` with record `index` for the place `link`.
    ///
    /// A transaction that has to be begun again asks for the same indices again.
    ///
    /// # Errors
    /// [`StoreError`] when the record cannot be made; nothing of the transaction is kept then.
    fn seal(&mut self, index: usize, link: &Link<'_>, record: &mut SealedRecord) -> Result<(), StoreError>;
}

/// The source of a transaction that adds no records.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRecords;

impl RecordSource for NoRecords {
    fn count(&self) -> usize {
        0
    }

    fn seal(&mut self, _: usize, _: &Link<'_>, _: &mut SealedRecord) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Proof that a record was appended: its number and its hash. Shown as `sha256:<64 hex>`.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Receipt {
    /// The record's number in its chain.
    pub seq: u64,
    /// The record's hash.
    pub hash: Digest,
}

impl fmt::Display for Receipt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.hash, formatter)
    }
}

/// The end of a chain, as the store keeps it beside the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The number of the last record; 0 for an empty chain.
    pub seq: u64,
    /// The hash of the last record; all zero for an empty chain.
    pub hash: Digest,
}

impl Head {
    /// The head of a chain without records.
    pub const EMPTY: Self = Self { seq: 0, hash: Link::GENESIS };
}

/// Which way a chain is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// From the first record on.
    OldestFirst,
    /// From the last record back.
    NewestFirst,
}

/// Which part of a chain is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scan {
    /// The lowest number.
    pub first: u64,
    /// The highest number.
    pub last: u64,
    /// The order.
    pub order: Order,
}

impl Scan {
    /// The whole chain in this order.
    #[must_use]
    pub fn all(order: Order) -> Self {
        Self { first: 0, last: u64::MAX, order }
    }
}

/// A record as it lies in the store, unverified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRecord {
    /// Its number, by its place.
    pub seq: u64,
    /// The hash stored beside it.
    pub hash: Digest,
    /// What was hashed.
    pub bytes: Vec<u8>,
    /// The key of its keyed digests; `None` where it never had one or it was erased.
    pub key: Option<Vec<u8>>,
    /// What it vouches for; `None` where there never was anything or it was erased.
    pub detail: Option<Vec<u8>>,
}
