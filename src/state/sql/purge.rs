//! Dropping what has ended.

use std::time::Duration;

use crate::clock::Timestamp;
use crate::state::StoreError;

use super::SqlStore;
use super::change::millis;
use super::values;

/// How long an ended question or standing grant can still be looked at.
const STAYS: Duration = Duration::from_secs(7 * 24 * 3600);

/// How long a settled effect that no key names is recognised.
const EFFECT_STAYS: Duration = Duration::from_secs(30 * 24 * 3600);

/// One kind of row that ends: whether any has, and how a bounded number of them goes.
struct Kind {
    any: &'static str,
    drop: &'static str,
    stays: Duration,
}

/// Nothing goes before its own end, when it is worth nothing any more; a question stays until its end is marked.
const KINDS: [Kind; 6] = [
    Kind {
        any: "SELECT EXISTS (SELECT 1 FROM result WHERE expires <= ?1)",
        drop: "DELETE FROM result WHERE rowid IN (SELECT rowid FROM result WHERE expires <= ?1 LIMIT ?2)",
        stays: Duration::ZERO,
    },
    Kind {
        any: "SELECT EXISTS (SELECT 1 FROM spent_grant WHERE expires <= ?1)",
        drop: "DELETE FROM spent_grant WHERE id IN (SELECT id FROM spent_grant WHERE expires <= ?1 LIMIT ?2)",
        stays: Duration::ZERO,
    },
    Kind {
        any: "SELECT EXISTS (SELECT 1 FROM approval WHERE expires <= ?1 AND state <> 'pending')",
        drop: "DELETE FROM approval WHERE rowid IN
               (SELECT rowid FROM approval WHERE expires <= ?1 AND state <> 'pending' LIMIT ?2)",
        stays: STAYS,
    },
    Kind {
        any: "SELECT EXISTS (SELECT 1 FROM standing_grant WHERE expires <= ?1)",
        drop: "DELETE FROM standing_grant WHERE rowid IN
               (SELECT rowid FROM standing_grant WHERE expires <= ?1 LIMIT ?2)",
        stays: STAYS,
    },
    Kind {
        any: "SELECT EXISTS (SELECT 1 FROM effect WHERE changed <= ?1 AND origin <> 'stated' AND state IN ('succeeded', 'failed'))",
        drop: "DELETE FROM effect WHERE rowid IN
               (SELECT rowid FROM effect WHERE changed <= ?1 AND origin <> 'stated' AND state IN ('succeeded', 'failed') LIMIT ?2)",
        stays: EFFECT_STAYS,
    },
    Kind {
        any: "SELECT EXISTS (SELECT 1 FROM charge WHERE until <= ?1)",
        drop: "DELETE FROM charge WHERE (source, budget) IN
               (SELECT source, budget FROM charge WHERE until <= ?1 LIMIT ?2)",
        stays: Duration::ZERO,
    },
];

impl SqlStore {
    pub(super) fn drop_ended(&self, now: Timestamp, limit: usize) -> Result<u64, StoreError> {
        let mut dropped = 0;
        for kind in KINDS {
            let stays = u64::try_from(kind.stays.as_millis()).unwrap_or(u64::MAX);
            let Some(before) = now.0.checked_sub(stays).map(|before| millis(Timestamp(before))) else {
                continue;
            };
            // Looking first: a deletion takes the one place for writers even where there is nothing to delete.
            let any: bool = self.sql().only(kind.any, values![before], |row| row.get(0))?;
            if any {
                let rows = self.sql().execute(kind.drop, values![before, limit])?;
                dropped += rows;
            }
        }
        Ok(dropped)
    }
}
