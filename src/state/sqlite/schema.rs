//! The schema, version by version.

use rusqlite::{Connection, TransactionBehavior};
use sha2::{Digest as _, Sha256};

use crate::catalog::Digest;
use crate::state::StoreError;
use crate::state::crash::committing;

/// Marks the file as ours: `tgw1`.
pub(super) const APPLICATION_ID: i64 = 0x7467_7731;

/// The version of the schema that this program reads and writes.
pub(super) const VERSION: i64 = MIGRATIONS.len() as i64;

/// The version of a file whose store was moved to a server: newer than any that a tgw will know.
pub(super) const MOVED: i64 = i32::MAX as i64;

// A row of `approval` or `standing_grant` without a seal, as an older version wrote them, is worth nothing.
// `record.key` and `record.detail` are the only columns of a record that may change: they may become null.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE chain (
        id INTEGER PRIMARY KEY,
        tenant TEXT NOT NULL UNIQUE,
        seq INTEGER NOT NULL,
        hash BLOB NOT NULL
    ) STRICT;
    CREATE TABLE record (
        id INTEGER PRIMARY KEY,
        hash BLOB NOT NULL,
        bytes BLOB NOT NULL,
        key BLOB,
        detail BLOB
    ) STRICT;
    CREATE TABLE result (
        reference TEXT PRIMARY KEY,
        tenant TEXT NOT NULL,
        task TEXT NOT NULL,
        tool TEXT NOT NULL,
        created INTEGER NOT NULL,
        expires INTEGER NOT NULL,
        trust TEXT NOT NULL,
        value BLOB NOT NULL
    ) STRICT;
    CREATE INDEX result_by_tool ON result (tenant, tool, created);
    CREATE INDEX result_by_expiry ON result (expires);
    CREATE TABLE approval (
        id TEXT PRIMARY KEY,
        tenant TEXT NOT NULL,
        user TEXT NOT NULL,
        agent TEXT NOT NULL,
        agent_version TEXT,
        task TEXT NOT NULL,
        step TEXT,
        tool TEXT NOT NULL,
        call TEXT NOT NULL,
        binding BLOB NOT NULL,
        question BLOB NOT NULL,
        created INTEGER NOT NULL,
        expires INTEGER NOT NULL,
        state TEXT NOT NULL,
        answered INTEGER,
        answered_by TEXT,
        feedback TEXT,
        spent INTEGER
    ) STRICT;
    CREATE INDEX approval_by_state ON approval (tenant, state, expires);
    CREATE TABLE spent_grant (
        id TEXT PRIMARY KEY,
        spent INTEGER NOT NULL,
        expires INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX spent_grant_by_expiry ON spent_grant (expires);
    CREATE TABLE standing_grant (
        id TEXT PRIMARY KEY,
        tenant TEXT NOT NULL,
        user TEXT NOT NULL,
        agent TEXT NOT NULL,
        agent_version TEXT,
        task TEXT NOT NULL,
        tool TEXT NOT NULL,
        contract BLOB NOT NULL,
        pinned TEXT NOT NULL,
        rules TEXT NOT NULL,
        created INTEGER NOT NULL,
        expires INTEGER NOT NULL,
        uses INTEGER NOT NULL,
        max_uses INTEGER,
        revoked INTEGER
    ) STRICT;
    CREATE INDEX standing_by_tool ON standing_grant (tenant, tool, task);
",
    "
    ALTER TABLE standing_grant ADD COLUMN workspace BLOB;
    ALTER TABLE standing_grant ADD COLUMN seal BLOB;
    CREATE INDEX standing_by_expiry ON standing_grant (expires);
    ALTER TABLE approval ADD COLUMN likeness BLOB;
    ALTER TABLE approval ADD COLUMN seal BLOB;
    CREATE INDEX approval_by_likeness ON approval (tenant, likeness) WHERE state = 'pending';
    CREATE INDEX approval_by_expiry ON approval (expires);
",
    "
    CREATE INDEX approval_by_binding ON approval (tenant, binding, created);
",
    EFFECTS,
    SIGNED_ANSWERS,
    PURSUITS,
    CHARGES,
    TASKS,
];

/// Answers that approvers signed.
const SIGNED_ANSWERS: &str = "ALTER TABLE approval ADD COLUMN answers TEXT;";

/// The ledger. A key is free where no effect holds it that did not provably fail.
const EFFECTS: &str = "
    CREATE TABLE effect (
        id TEXT PRIMARY KEY,
        tenant TEXT NOT NULL,
        tool TEXT NOT NULL,
        origin TEXT NOT NULL,
        key BLOB NOT NULL,
        shown_key TEXT NOT NULL,
        arguments BLOB NOT NULL,
        shown_arguments TEXT,
        exact_arguments TEXT,
        contract BLOB NOT NULL,
        user TEXT NOT NULL,
        agent TEXT NOT NULL,
        agent_version TEXT,
        task TEXT NOT NULL,
        call TEXT NOT NULL,
        owner TEXT,
        lease INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        state TEXT NOT NULL,
        created INTEGER NOT NULL,
        changed INTEGER NOT NULL,
        how TEXT,
        code TEXT,
        outcome TEXT
    ) STRICT;
    CREATE UNIQUE INDEX effect_by_key ON effect (tenant, tool, origin, key) WHERE state <> 'failed';
    CREATE INDEX effect_not_settled ON effect (tenant) WHERE state IN ('running', 'unknown');
    CREATE INDEX effect_to_drop ON effect (changed) WHERE origin <> 'stated' AND state IN ('succeeded', 'failed');
";

/// Effects that are under way elsewhere.
const PURSUITS: &str = "
    ALTER TABLE effect ADD COLUMN pursuit TEXT;
    ALTER TABLE effect ADD COLUMN due INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE effect ADD COLUMN deadline INTEGER NOT NULL DEFAULT 0;
    DROP INDEX effect_not_settled;
    CREATE INDEX effect_not_settled ON effect (tenant) WHERE state IN ('running', 'accepted', 'working', 'unknown');
";

/// What calls took from budgets. An effect takes from each budget once, however often it is attempted.
const CHARGES: &str = "
    CREATE TABLE charge (
        source TEXT NOT NULL,
        budget TEXT NOT NULL,
        tenant TEXT NOT NULL,
        per TEXT NOT NULL,
        subject TEXT NOT NULL,
        portion TEXT NOT NULL,
        at INTEGER NOT NULL,
        amount INTEGER NOT NULL CHECK (amount >= 0),
        until INTEGER,
        PRIMARY KEY (source, budget)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX charge_by_purse ON charge (tenant, budget, per, subject, portion, at, source, amount);
    CREATE INDEX charge_to_drop ON charge (until) WHERE until IS NOT NULL;
";

/// Tasks that are kept, which are worth nothing without a seal that fits.
const TASKS: &str = "
    CREATE TABLE task (
        tenant TEXT NOT NULL,
        id TEXT NOT NULL,
        content TEXT NOT NULL,
        step TEXT,
        revision INTEGER NOT NULL,
        created INTEGER NOT NULL,
        changed INTEGER NOT NULL,
        changed_by TEXT NOT NULL,
        ended INTEGER,
        seal BLOB,
        PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
";

/// Brings the schema up to date. The caller holds the lock between processes.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let done = usize::try_from(version).unwrap_or(usize::MAX);
    for migration in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    Ok(committing(|| transaction.commit())?)
}

/// SHA-256 of everything that a store of this version defines. A new migration changes it; the test says to what.
const DEFINITIONS: &str = "8490442dcf7ac8eb6030da805ecc603e8bb780a3236dcb67bd45308de9096f6e";

/// Refuses a store that defines anything else than this program made: a trigger, a view, a table with a default of its
/// own. Such a thing could drop or change what is written, and say that all went well.
pub(super) fn check(connection: &Connection) -> Result<(), StoreError> {
    if definitions(connection)?.hex() == *DEFINITIONS.as_bytes() {
        Ok(())
    } else {
        Err(StoreError::Corrupt("its tables are not defined as tgw defines them".to_owned()))
    }
}

fn definitions(connection: &Connection) -> Result<Digest, StoreError> {
    let mut hash = Sha256::new();
    let mut rows = connection
        .prepare("SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_schema ORDER BY type, name")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        for column in 0..4 {
            hash.update(row.get_ref(column)?.as_str().unwrap_or("?").as_bytes());
            hash.update([0]);
        }
    }
    Ok(Digest(hash.finalize().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_migrations_define_is_what_is_expected_of_a_store() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        assert_eq!(str::from_utf8(&definitions(&connection).unwrap().hex()).unwrap(), DEFINITIONS);
    }
}
