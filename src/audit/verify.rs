//! Verification of a chain: what was changed, removed, moved or forged, as far as the chain can tell.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::catalog::Digest;
use crate::ident::Tenant;
use crate::state::{Head, Link, Order, Receipt, Scan, Store, StoreError, StoredRecord};

use super::erasure::Ranges;
use super::hidden;
use super::keyed::{Hex, Keyed, Subject};
use super::view::ErasedView;

/// Most problems listed one by one.
const MOST_PROBLEMS: usize = 100;

/// What no verification of the store alone can see, in words for the report.
pub const LIMITS: &[&str] = &[
    "a chain that was rewritten from some record to its end, with all hashes and the head made anew",
    "a chain whose last records were removed together with a head that was set back",
    "a tenant's chain that was removed as a whole",
];

/// What is to be verified besides the chain itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct VerifyRequest<'a> {
    /// Receipts that must be in the chain.
    pub receipts: &'a [Digest],
    /// Heads noted earlier and kept elsewhere. Each must still be in the chain, which uncovers what [`LIMITS`] lists.
    pub checkpoints: &'a [Receipt],
}

/// One thing that is wrong. Numbers are those of records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "problem")]
pub enum Problem {
    /// The bytes are not those that were hashed.
    #[error("record {seq} was edited: its bytes do not have its hash")]
    Edited {
        /// Where.
        seq: u64,
    },
    /// The bytes are no record.
    #[error("record {seq} is not readable")]
    Unreadable {
        /// Where.
        seq: u64,
    },
    /// The record belongs elsewhere in the chain.
    #[error("record {seq} was moved: it says that it is record {says}")]
    Moved {
        /// Where.
        seq: u64,
        /// Which number it gives.
        says: u64,
    },
    /// The record belongs to another tenant's chain.
    #[error("record {seq} belongs to another tenant")]
    OtherTenant {
        /// Where.
        seq: u64,
    },
    /// Records are gone.
    #[error("records {first} to {last} are missing")]
    Missing {
        /// The first one.
        first: u64,
        /// The last one.
        last: u64,
    },
    /// The record does not continue the one before it.
    #[error("record {seq} does not continue the record before it")]
    BrokenLink {
        /// Where.
        seq: u64,
    },
    /// The record continues an earlier one than the one before it.
    #[error("record {seq} continues record {from}: the chain was forked")]
    Forked {
        /// Where.
        seq: u64,
        /// Which one it continues.
        from: u64,
    },
    /// Details are gone, and no erasure that is on record says so.
    #[error("the details of records {first} to {last} are gone, and no erasure on record says so")]
    ErasedUnrecorded {
        /// The first record of a range in which that is so of some.
        first: u64,
        /// The last one.
        last: u64,
    },
    /// What the record vouches for is not what lies beside it.
    #[error("the detail of record {seq} was changed")]
    DetailChanged {
        /// Where.
        seq: u64,
    },
    /// The head names a record that is not there.
    #[error("the chain ends at record {last}, but its head is {head}: the end was cut off")]
    EndMissing {
        /// The last record there is; 0 for none.
        last: u64,
        /// What the head says.
        head: u64,
    },
    /// The last record is not the one that the head names.
    #[error("record {seq} is not the one that the head names")]
    HeadDiffers {
        /// Where.
        seq: u64,
    },
    /// There are records after the head.
    #[error("records after {head} were added past the head")]
    PastHead {
        /// What the head says.
        head: u64,
    },
    /// A noted head is not in the chain.
    #[error("the chain does not hold record {seq} as it was noted: it was cut or rewritten")]
    CheckpointDiffers {
        /// Its number.
        seq: u64,
    },
}

/// Whether a receipt is in the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedReceipt {
    /// The receipt.
    pub receipt: Digest,
    /// The record it belongs to; `None` where the chain has none.
    pub seq: Option<u64>,
}

/// What a verification found.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifyReport {
    /// Whose chain.
    pub tenant: String,
    /// How many records were read.
    pub records: u64,
    /// The end of the chain, to be noted elsewhere; `None` for an empty chain.
    pub head: Option<Digest>,
    /// How many records vouch for a detail that was erased.
    pub erased: u64,
    /// What is wrong, in the order found; at most 100 are listed.
    pub problems: Vec<Problem>,
    /// How many more there are.
    pub more_problems: u64,
    /// The receipts asked about.
    pub receipts: Vec<CheckedReceipt>,
}

impl VerifyReport {
    /// Whether nothing is wrong and every receipt asked about is there.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.problems.is_empty()
            && self.more_problems == 0
            && self.receipts.iter().all(|receipt| receipt.seq.is_some())
    }
}

/// Verifies a tenant's chain from its first record to its head. It reads it once, beside writers, in
/// memory that grows with the ranges that were erased and nothing else.
///
/// # Errors
/// Why the store cannot be read; a chain that is read and found wanting is a report.
pub fn verify(
    store: &dyn Store,
    tenant: &Tenant,
    request: &VerifyRequest<'_>,
) -> Result<VerifyReport, StoreError> {
    let mut noted = request.checkpoints.to_vec();
    noted.sort_by_key(|checkpoint| std::cmp::Reverse(checkpoint.seq));
    let mut walk = Walk {
        tenant,
        last: Head::EMPTY,
        noted,
        gone: Ranges::default(),
        erased: Ranges::default(),
        forks: Vec::new(),
        report: VerifyReport {
            tenant: tenant.as_str().to_owned(),
            records: 0,
            head: None,
            erased: 0,
            problems: Vec::new(),
            more_problems: 0,
            receipts: request
                .receipts
                .iter()
                .map(|receipt| CheckedReceipt { receipt: *receipt, seq: None })
                .collect(),
        },
    };
    // Writers may append while this reads: it ends when it has seen what the head names, or can see no more.
    let head = loop {
        let before = walk.last.seq;
        let scan = Scan { first: before.saturating_add(1), last: u64::MAX, order: Order::OldestFirst };
        store.scan(tenant, scan, &mut |stored| {
            walk.visit(stored);
            ControlFlow::Continue(())
        })?;
        let head = store.head(tenant)?.unwrap_or(Head::EMPTY);
        if walk.last.seq >= head.seq || walk.last.seq == before {
            break head;
        }
    };
    walk.compare_end(head);
    walk.compare_erased();
    walk.name_forks(store)?;
    for checkpoint in std::mem::take(&mut walk.noted).into_iter().rev() {
        walk.note(Problem::CheckpointDiffers { seq: checkpoint.seq });
    }
    walk.report.head = (walk.last.seq > 0).then_some(walk.last.hash);
    Ok(walk.report)
}

struct Walk<'a> {
    tenant: &'a Tenant,
    last: Head,
    /// The checkpoints that are yet to come, the next one last.
    noted: Vec<Receipt>,
    /// Records whose details are gone.
    gone: Ranges,
    /// Records that erasures name.
    erased: Ranges,
    /// Records that do not continue the one before them, with what they continue.
    forks: Vec<(u64, Digest)>,
    report: VerifyReport,
}

/// What verification needs to know of a record.
#[derive(Deserialize)]
struct Header<'a> {
    #[serde(borrow)]
    tenant: Cow<'a, str>,
    seq: u64,
    #[serde(borrow)]
    prev: Cow<'a, str>,
    #[serde(borrow, default)]
    detail_hmac: Option<Cow<'a, str>>,
    #[serde(default)]
    erased: Option<ErasedView>,
}

impl Walk<'_> {
    fn note(&mut self, problem: Problem) {
        if self.report.problems.len() < MOST_PROBLEMS {
            self.report.problems.push(problem);
        } else {
            self.report.more_problems = self.report.more_problems.saturating_add(1);
        }
    }

    fn visit(&mut self, stored: &StoredRecord) {
        let seq = stored.seq;
        self.report.records = self.report.records.saturating_add(1);
        let expected = self.last.seq.saturating_add(1);
        if seq > expected {
            self.note(Problem::Missing { first: expected, last: seq.saturating_sub(1) });
        }
        let hash = Digest(Sha256::digest(&stored.bytes).into());
        if hash != stored.hash {
            self.note(Problem::Edited { seq });
        }
        match serde_json::from_slice::<Header<'_>>(&stored.bytes) {
            Ok(header) => self.compare_header(stored, &header, seq == expected),
            Err(_) => self.note(Problem::Unreadable { seq }),
        }
        self.pass(seq);
        while let Some(checkpoint) = self.noted.pop_if(|checkpoint| checkpoint.seq == seq) {
            if checkpoint.hash != hash {
                self.note(Problem::CheckpointDiffers { seq });
            }
        }
        for receipt in self.report.receipts.iter_mut().filter(|receipt| receipt.receipt == hash) {
            receipt.seq = Some(seq);
        }
        // The stored hash, so that one edited record does not make its successor look wrong as well.
        self.last = Head { seq, hash: stored.hash };
    }

    /// Notes the checkpoints whose records should have come before `seq` and did not.
    fn pass(&mut self, seq: u64) {
        while let Some(checkpoint) = self.noted.pop_if(|checkpoint| checkpoint.seq < seq) {
            self.note(Problem::CheckpointDiffers { seq: checkpoint.seq });
        }
    }

    fn compare_header(&mut self, stored: &StoredRecord, header: &Header<'_>, is_next: bool) {
        let seq = stored.seq;
        if header.tenant != self.tenant.as_str() {
            self.note(Problem::OtherTenant { seq });
        }
        if header.seq != seq {
            self.note(Problem::Moved { seq, says: header.seq });
        }
        // After a gap the predecessor is not known.
        if is_next && !names(&header.prev, &self.last.hash) {
            match Digest::parse(&header.prev) {
                Some(from) if self.forks.len() < MOST_PROBLEMS => self.forks.push((seq, from)),
                _ => self.note(Problem::BrokenLink { seq }),
            }
        }
        if let Some(erased) = &header.erased {
            // It cannot have erased what came after it.
            self.erased.extend(&erased.records, seq.saturating_sub(1));
        }
        match (&header.detail_hmac, hidden::detail(stored), &stored.key) {
            (None, None, _) if stored.detail.is_none() => {}
            (Some(_), None, None) if stored.detail.is_none() => {
                self.report.erased = self.report.erased.saturating_add(1);
                self.gone.push(seq);
            }
            (Some(hmac), Some(detail), Some(key))
                if Hex::new(&Keyed::new(key).digest(Subject::Detail, &detail)).as_str() == hmac.as_ref() => {}
            _ => self.note(Problem::DetailChanged { seq }),
        }
    }

    fn compare_erased(&mut self) {
        self.erased.settle();
        for (first, last) in self.gone.beyond(&self.erased) {
            self.note(Problem::ErasedUnrecorded { first, last });
        }
    }

    fn compare_end(&mut self, head: Head) {
        let last = self.last;
        match last.seq.cmp(&head.seq) {
            std::cmp::Ordering::Less => self.note(Problem::EndMissing { last: last.seq, head: head.seq }),
            std::cmp::Ordering::Greater => self.note(Problem::PastHead { head: head.seq }),
            std::cmp::Ordering::Equal if last.hash != head.hash => {
                self.note(Problem::HeadDiffers { seq: last.seq });
            }
            std::cmp::Ordering::Equal => {}
        }
    }

    /// Looks for what the records with a wrong predecessor do continue: a second walk, made only where there are any.
    fn name_forks(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let forks = std::mem::take(&mut self.forks);
        if forks.is_empty() {
            return Ok(());
        }
        let mut origins: Vec<Option<u64>> =
            forks.iter().map(|(_, from)| (*from == Link::GENESIS).then_some(0)).collect();
        store.scan(self.tenant, Scan::all(Order::OldestFirst), &mut |stored| {
            for (origin, _) in origins
                .iter_mut()
                .zip(&forks)
                .filter(|(_, (seq, from))| *from == stored.hash && stored.seq < *seq)
            {
                *origin = Some(stored.seq);
            }
            ControlFlow::Continue(())
        })?;
        for ((seq, _), origin) in forks.into_iter().zip(origins) {
            self.note(match origin {
                Some(from) => Problem::Forked { seq, from },
                None => Problem::BrokenLink { seq },
            });
        }
        Ok(())
    }
}

fn names(prev: &str, hash: &Digest) -> bool {
    prev.strip_prefix("sha256:") == Some(Hex::new(hash).as_str())
}

#[cfg(test)]
mod tests;
