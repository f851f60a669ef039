//! The schema, version by version.

use sha2::{Digest as _, Sha256};

use crate::catalog::Digest;
use crate::state::sql::{Database, Value};
use crate::state::{Durability, Seal, SealKey, StoreError};

use super::database::Postgres;

/// The version of the schema that this program reads and writes.
pub(super) const VERSION: i64 = MIGRATIONS.len() as i64;

/// What all tables take together, with their indexes.
pub(super) const BYTES: &str = "SELECT CAST(COALESCE(SUM(pg_total_relation_size(c.oid)), 0) AS BIGINT)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'tgw' AND c.relkind = 'r'";

/// The lock under which a store is made or brought up to date: `tgwstore`.
pub(super) const LOCK: i64 = 0x7467_7773_746f_7265;

// The tables are SQLite's, and what is said of them there holds here. `rowid` is the order in which rows came. What is
// ordered or compared by its text is so by bytes, whatever language the database speaks.
const MIGRATIONS: &[&[&str]] = &[&[
    "CREATE TABLE tgw.chain (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        tenant TEXT COLLATE \"C\" NOT NULL UNIQUE,
        seq BIGINT NOT NULL,
        hash BYTEA NOT NULL
    )",
    "CREATE TABLE tgw.record (
        id BIGINT PRIMARY KEY,
        hash BYTEA NOT NULL,
        bytes BYTEA NOT NULL,
        key BYTEA,
        detail BYTEA
    )",
    "CREATE TABLE tgw.result (
        rowid BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE,
        reference TEXT COLLATE \"C\" PRIMARY KEY,
        tenant TEXT COLLATE \"C\" NOT NULL,
        task TEXT COLLATE \"C\" NOT NULL,
        tool TEXT COLLATE \"C\" NOT NULL,
        created BIGINT NOT NULL,
        expires BIGINT NOT NULL,
        trust TEXT NOT NULL,
        value BYTEA NOT NULL
    )",
    "CREATE INDEX result_by_tool ON tgw.result (tenant, tool, created)",
    "CREATE INDEX result_by_expiry ON tgw.result (expires)",
    "CREATE TABLE tgw.approval (
        rowid BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE,
        id TEXT COLLATE \"C\" PRIMARY KEY,
        tenant TEXT COLLATE \"C\" NOT NULL,
        \"user\" TEXT NOT NULL,
        agent TEXT NOT NULL,
        agent_version TEXT,
        task TEXT NOT NULL,
        step TEXT,
        tool TEXT NOT NULL,
        call TEXT NOT NULL,
        binding BYTEA NOT NULL,
        question BYTEA NOT NULL,
        created BIGINT NOT NULL,
        expires BIGINT NOT NULL,
        state TEXT NOT NULL,
        answered BIGINT,
        answered_by TEXT,
        feedback TEXT,
        spent BIGINT,
        likeness BYTEA,
        seal BYTEA,
        answers TEXT
    )",
    "CREATE INDEX approval_by_state ON tgw.approval (tenant, state, expires)",
    "CREATE INDEX approval_by_likeness ON tgw.approval (tenant, likeness) WHERE state = 'pending'",
    "CREATE INDEX approval_by_expiry ON tgw.approval (expires)",
    "CREATE INDEX approval_by_binding ON tgw.approval (tenant, binding, created)",
    "CREATE TABLE tgw.spent_grant (
        id TEXT COLLATE \"C\" PRIMARY KEY,
        spent BIGINT NOT NULL,
        expires BIGINT NOT NULL
    )",
    "CREATE INDEX spent_grant_by_expiry ON tgw.spent_grant (expires)",
    "CREATE TABLE tgw.standing_grant (
        rowid BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE,
        id TEXT COLLATE \"C\" PRIMARY KEY,
        tenant TEXT COLLATE \"C\" NOT NULL,
        \"user\" TEXT NOT NULL,
        agent TEXT NOT NULL,
        agent_version TEXT,
        task TEXT NOT NULL,
        workspace BYTEA,
        tool TEXT NOT NULL,
        contract BYTEA NOT NULL,
        pinned TEXT NOT NULL,
        rules TEXT NOT NULL,
        created BIGINT NOT NULL,
        expires BIGINT NOT NULL,
        uses BIGINT NOT NULL,
        max_uses BIGINT,
        revoked BIGINT,
        seal BYTEA
    )",
    "CREATE INDEX standing_by_tool ON tgw.standing_grant (tenant, tool, task)",
    "CREATE INDEX standing_by_expiry ON tgw.standing_grant (expires)",
    "CREATE TABLE tgw.effect (
        rowid BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE,
        id TEXT COLLATE \"C\" PRIMARY KEY,
        tenant TEXT COLLATE \"C\" NOT NULL,
        tool TEXT COLLATE \"C\" NOT NULL,
        origin TEXT COLLATE \"C\" NOT NULL,
        key BYTEA NOT NULL,
        shown_key TEXT NOT NULL,
        arguments BYTEA NOT NULL,
        shown_arguments TEXT,
        exact_arguments TEXT,
        contract BYTEA NOT NULL,
        \"user\" TEXT NOT NULL,
        agent TEXT NOT NULL,
        agent_version TEXT,
        task TEXT NOT NULL,
        call TEXT NOT NULL,
        owner TEXT,
        lease BIGINT NOT NULL,
        attempt BIGINT NOT NULL,
        state TEXT NOT NULL,
        created BIGINT NOT NULL,
        changed BIGINT NOT NULL,
        how TEXT,
        code TEXT,
        outcome TEXT,
        pursuit TEXT,
        due BIGINT NOT NULL DEFAULT 0,
        deadline BIGINT NOT NULL DEFAULT 0
    )",
    "CREATE UNIQUE INDEX effect_by_key ON tgw.effect (tenant, tool, origin, key) WHERE state <> 'failed'",
    "CREATE INDEX effect_not_settled ON tgw.effect (tenant)
        WHERE state IN ('running', 'accepted', 'working', 'unknown')",
    "CREATE INDEX effect_to_drop ON tgw.effect (changed)
        WHERE origin <> 'stated' AND state IN ('succeeded', 'failed')",
    "CREATE TABLE tgw.charge (
        source TEXT COLLATE \"C\" NOT NULL,
        budget TEXT COLLATE \"C\" NOT NULL,
        tenant TEXT COLLATE \"C\" NOT NULL,
        per TEXT COLLATE \"C\" NOT NULL,
        subject TEXT COLLATE \"C\" NOT NULL,
        portion TEXT COLLATE \"C\" NOT NULL,
        at BIGINT NOT NULL,
        amount BIGINT NOT NULL CHECK (amount >= 0),
        until BIGINT,
        PRIMARY KEY (source, budget)
    )",
    "CREATE INDEX charge_by_purse ON tgw.charge (tenant, budget, per, subject, at)",
    "CREATE INDEX charge_to_drop ON tgw.charge (until) WHERE until IS NOT NULL",
    "CREATE TABLE tgw.task (
        tenant TEXT COLLATE \"C\" NOT NULL,
        id TEXT COLLATE \"C\" NOT NULL,
        content TEXT NOT NULL,
        step TEXT,
        revision BIGINT NOT NULL,
        created BIGINT NOT NULL,
        changed BIGINT NOT NULL,
        changed_by TEXT NOT NULL,
        ended BIGINT,
        seal BYTEA,
        PRIMARY KEY (tenant, id)
    )",
]];

/// The one row that says which version the store has, and with which key its answers are sealed.
const STORE: [&str; 2] = [
    "CREATE TABLE IF NOT EXISTS tgw.store (
        one BOOLEAN PRIMARY KEY DEFAULT true CHECK (one),
        version BIGINT NOT NULL,
        seal BYTEA
    )",
    "INSERT INTO tgw.store (version) VALUES (0) ON CONFLICT DO NOTHING",
];

/// What there is on the server.
pub(super) enum Found {
    Absent,
    Older,
    Current,
}

/// Looks for a store.
pub(super) fn look(postgres: &Postgres) -> Result<Found, StoreError> {
    let sql: &dyn Database = postgres;
    let version = match sql.one("SELECT version FROM tgw.store", &[], |row| row.get::<i64>(0)) {
        Err(StoreError::Absent) | Ok(None) => return Ok(Found::Absent),
        Ok(Some(version)) => version,
        Err(error) => return Err(error),
    };
    match version.cmp(&VERSION) {
        std::cmp::Ordering::Equal => Ok(Found::Current),
        std::cmp::Ordering::Less => Ok(Found::Older),
        std::cmp::Ordering::Greater => Err(StoreError::Newer { found: version, known: VERSION }),
    }
}

/// Makes a store, or brings an older one up to date. Whoever starts at the same moment waits, and finds it done.
pub(super) fn bring_up_to_date(postgres: &Postgres) -> Result<(), StoreError> {
    postgres.begin_alone(Durability::Power)?;
    let done = migrate(postgres);
    match done {
        Ok(()) => postgres.commit(),
        Err(error) => {
            postgres.roll_back();
            Err(error)
        }
    }
}

fn migrate(postgres: &Postgres) -> Result<(), StoreError> {
    let sql: &dyn Database = postgres;
    // Who may not make schemas can be given this one.
    let there = "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'tgw')";
    if sql.one(there, &[], |row| row.get::<bool>(0))? != Some(true) {
        sql.execute("CREATE SCHEMA tgw", &[])?;
    }
    for statement in STORE {
        sql.execute(statement, &[])?;
    }
    let version = sql.one("SELECT version FROM tgw.store", &[], |row| row.get::<i64>(0))?.unwrap_or_default();
    if version > VERSION {
        return Err(StoreError::Newer { found: version, known: VERSION });
    }
    let done = usize::try_from(version).unwrap_or(usize::MAX);
    for statement in MIGRATIONS.iter().skip(done).flat_map(|migration| migration.iter()) {
        sql.execute(statement, &[])?;
    }
    sql.execute("UPDATE tgw.store SET version = ?1", &[Value::Integer(VERSION)])?;
    Ok(())
}

/// Seals a store that has no seal yet, and says what the seal of one says that has.
pub(super) fn seal(postgres: &Postgres, key: &SealKey) -> Result<Seal, StoreError> {
    match seen_seal(postgres, key)? {
        Seal::Missing => {}
        seen => return Ok(seen),
    }
    let made = key.seal_of_store()?;
    let sql: &dyn Database = postgres;
    postgres.begin_alone(Durability::Power)?;
    let sealed = sql.execute("UPDATE tgw.store SET seal = ?1 WHERE seal IS NULL", &[Value::Bytes(&made.0)]);
    match sealed {
        Ok(_) => postgres.commit()?,
        Err(error) => {
            postgres.roll_back();
            return Err(error);
        }
    }
    // Another machine may have been first.
    seen_seal(postgres, key)
}

/// What the seal of the store says about `key`.
pub(super) fn seen_seal(postgres: &Postgres, key: &SealKey) -> Result<Seal, StoreError> {
    let sql: &dyn Database = postgres;
    let seal = sql.one("SELECT seal FROM tgw.store", &[], |row| row.get::<Option<Vec<u8>>>(0))?.flatten();
    Ok(key.check_of_store(seal.as_deref()))
}

/// SHA-256 of everything that a store of this version defines. A new migration changes it; the test says to what.
pub(super) const DEFINITIONS: &str = "f7d25887015ed317df94f259b4802c3cc9d3516bf092496ace2851ec63139eff";

/// Refuses a store that defines anything else than this program made: a trigger, a rule, a table with a default of its
/// own. Such a thing could drop or change what is written, and say that all went well.
pub(super) fn check(postgres: &Postgres) -> Result<(), StoreError> {
    if definitions(postgres)?.hex() == *DEFINITIONS.as_bytes() {
        Ok(())
    } else {
        Err(StoreError::Corrupt("its tables are not defined as tgw defines them".to_owned()))
    }
}

/// Columns, indexes and checks, and then what must not be there at all.
const DEFINED: &str = "
    SELECT 'column ' || c.relname || ' ' || c.relkind::text || c.relpersistence::text || c.relrowsecurity::text || ' '
        || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull::text || a.attidentity::text
        || a.attgenerated::text || ' ' || COALESCE(pg_get_expr(d.adbin, d.adrelid), '') AS line
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'tgw'
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relkind NOT IN ('i', 'S', 't')
    UNION ALL
    SELECT 'index ' || c.relname || ' ' || i.indisunique::text || i.indisvalid::text || ' ' || i.indkey::text || ' '
        || COALESCE(pg_get_expr(i.indpred, i.indrelid), '')
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'tgw'
    UNION ALL
    SELECT 'constraint ' || k.conname || ' ' || k.contype::text || ' ' || COALESCE(pg_get_expr(k.conbin, k.conrelid), '')
    FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace AND n.nspname = 'tgw' WHERE k.contype <> 'n'
    UNION ALL
    SELECT 'trigger ' || t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'tgw'
    UNION ALL
    SELECT 'rule ' || r.rulename FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
    JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'tgw'
    UNION ALL
    SELECT 'function ' || p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace AND n.nspname = 'tgw'
    UNION ALL
    SELECT 'child ' || c.relname FROM pg_inherits i JOIN pg_class c ON c.oid IN (i.inhrelid, i.inhparent)
    JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'tgw'";

pub(super) fn definitions(postgres: &Postgres) -> Result<Digest, StoreError> {
    let sql: &dyn Database = postgres;
    let mut lines = sql.all(DEFINED, &[], |row| row.get::<String>(0))?;
    lines.sort();
    let mut hash = Sha256::new();
    for line in lines {
        hash.update(line.as_bytes());
        hash.update([0]);
    }
    Ok(Digest(hash.finalize().into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::testing::{Fixture, Kind};
    use crate::state::{Place, SealKey};

    #[test]
    fn what_the_migrations_define_is_what_is_expected_of_a_store() {
        if !Kind::postgres_is_there() {
            return;
        }
        let fixture = Fixture::new(Kind::Postgres);
        let Place::Server(server) = fixture.place() else { unreachable!() };
        let bare = Postgres::bare(server).unwrap();
        bring_up_to_date(&bare).unwrap();
        assert_eq!(str::from_utf8(&definitions(&bare).unwrap().hex()).unwrap(), DEFINITIONS);
    }

    #[test]
    fn a_schema_with_something_of_its_own_is_refused() {
        if !Kind::postgres_is_there() {
            return;
        }
        for own in [
            "CREATE RULE quiet AS ON INSERT TO tgw.record DO INSTEAD NOTHING",
            "CREATE VIEW tgw.seen AS SELECT 1 AS one",
            "ALTER TABLE tgw.record ALTER COLUMN detail SET DEFAULT 'x'",
            "ALTER TABLE tgw.chain ENABLE ROW LEVEL SECURITY",
            "DROP INDEX tgw.effect_by_key",
            "CREATE FUNCTION tgw.length(bytea) RETURNS int LANGUAGE sql AS 'SELECT 32'",
        ] {
            let fixture = Fixture::new(Kind::Postgres);
            let Place::Server(server) = fixture.place() else { unreachable!() };
            drop(fixture.open());
            Postgres::bare(server).unwrap().run(own).unwrap();
            let opened = Postgres::open(server, &fixture.key()).map(drop);
            assert!(matches!(opened, Err(StoreError::Corrupt(_))), "{own}: {opened:?}");
        }
    }

    #[test]
    fn a_machine_with_another_key_is_told_so() {
        if !Kind::postgres_is_there() {
            return;
        }
        let fixture = Fixture::new(Kind::Postgres);
        let Place::Server(server) = fixture.place() else { unreachable!() };
        drop(fixture.open());
        let other = tempfile::tempdir().unwrap();
        let key = || SealKey::new(other.path());
        assert_eq!(Postgres::open(server, &key()).map(drop), Err(StoreError::OtherKey));
        assert!(!other.path().join("seal.key").exists());
        // What only looks may look.
        assert!(Postgres::open_existing(server, &key()).unwrap().is_some());
        std::fs::copy(fixture.home().join("seal.key"), other.path().join("seal.key")).unwrap();
        assert!(Postgres::open(server, &key()).is_ok());
    }
}
