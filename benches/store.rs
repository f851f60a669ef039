//! Appending to the audit chain, beside raw commits of the same bytes through the same database, in one run.

#![expect(clippy::unwrap_used, reason = "a bench ends where something is not as it must be")]

mod support;

use std::path::Path;

use divan::{Bencher, counter::ItemsCount};
use rusqlite::{Connection, params};
use tgw::audit::{Entry, Evidence, PendingRecords, RecordKind};
use tgw::catalog::Digest;
use tgw::clock::Clock;
use tgw::code::{Effect, Status};
use tgw::ident::{AgentName, Principal, TaskId, Tenant, UserName};
use tgw::policy::Verdict;
use tgw::state::{
    Batch, Change, Durability, EffectState, KeyOrigin, NewEffect, Place, SealKey, SettledEffect, Settlement,
    SqlStore, Store,
};

fn main() {
    divan::main();
}

/// Records a commit.
const GROUPS: [usize; 3] = [1, 32, 256];

/// The store's own place: a memory file system would not show what a sync costs.
fn place() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

#[divan::bench(args = GROUPS, sample_size = 4)]
fn append_kill(bencher: Bencher<'_, '_>, group: usize) {
    append(bencher, group, Durability::Kill);
}

#[divan::bench(args = GROUPS, sample_size = 1)]
fn append_power(bencher: Bencher<'_, '_>, group: usize) {
    append(bencher, group, Durability::Power);
}

#[divan::bench(args = GROUPS, sample_size = 4)]
fn raw_kill(bencher: Bencher<'_, '_>, group: usize) {
    raw(bencher, group, "NORMAL");
}

#[divan::bench(args = GROUPS, sample_size = 1)]
fn raw_power(bencher: Bencher<'_, '_>, group: usize) {
    raw(bencher, group, "FULL");
}

/// An effect's two records, its intent and its outcome, each in a durable commit of its own, with its entry in the ledger
/// reserved in the first and settled in the second.
#[divan::bench(sample_size = 1)]
fn effect(bencher: Bencher<'_, '_>) {
    let place = place();
    let mut store = open(place.path());
    let principal = principal();
    let task = TaskId::parse("t1").unwrap();
    let arguments = support::arguments().to_string();
    let mut number = 0_u64;
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        number += 1;
        // Ids are random, so that entries lie where they fall.
        let id = format!("e_{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut key = [0; 32];
        key[..18].copy_from_slice(id.as_bytes());
        let reserved = Change::ReserveEffect(NewEffect {
            id: &id,
            tool: support::TOOL,
            origin: KeyOrigin::Stated,
            key: Digest(key),
            shown_key: &id,
            arguments: Digest(key),
            shown_arguments: Some(&arguments),
            exact_arguments: None,
            contract: Digest([7; 32]),
            principal: &principal,
            task: &task,
            call: "c1",
            owner: "boot/pid:[1]/1/1#0",
            lease: Clock::System.now(),
        });
        commit(&mut store, 1, Durability::Power, &[reserved]);
        let settled = Change::SettleEffect(SettledEffect {
            id: &id,
            attempt: 1,
            state: EffectState::Succeeded,
            how: Settlement::Outcome,
            code: None,
            outcome: Some(r#"{"happened":true,"content":"done"}"#),
        });
        commit(&mut store, 1, Durability::Power, &[settled]);
    });
}

/// What an effect is held against.
#[divan::bench(sample_size = 1)]
fn two_raw_commits(bencher: Bencher<'_, '_>) {
    let place = place();
    let mut connection = open_raw(place.path(), "FULL");
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        commit_raw(&mut connection, 1);
        commit_raw(&mut connection, 1);
    });
}

fn append(bencher: Bencher<'_, '_>, group: usize, durability: Durability) {
    let place = place();
    let mut store = open(place.path());
    bencher.counter(ItemsCount::new(group)).bench_local(|| commit(&mut store, group, durability, &[]));
}

fn open(place: &Path) -> SqlStore {
    SqlStore::open(&Place::File(place.join("state/state.db")), Path::new("/nowhere"), SealKey::new(place))
        .unwrap()
}

fn principal() -> Principal {
    Principal {
        user: UserName::parse("ann").unwrap(),
        agent: AgentName::parse("default").unwrap(),
        agent_version: None,
        tenant: Tenant::parse("local").unwrap(),
    }
}

fn commit(store: &mut SqlStore, group: usize, durability: Durability, changes: &[Change<'_>]) {
    let principal = principal();
    let now = Clock::System.now();
    let arguments = support::arguments().to_string();
    let mut records = PendingRecords::default();
    for _ in 0..group {
        records
            .push(&Entry {
                call: Some("c1"),
                tool: Some(support::TOOL),
                verdict: Some(Verdict::Allow),
                arguments: Some(Evidence::plain(&arguments)),
                status: Some(Status::Succeeded),
                effect: Some(Effect::None),
                ..Entry::new(RecordKind::Outcome, now, &principal)
            })
            .unwrap();
    }
    let mut batch = Batch { tenant: &principal.tenant, now, durability, changes, records: &mut records };
    assert_eq!(store.append(&mut batch).unwrap().len(), group);
}

fn raw(bencher: Bencher<'_, '_>, group: usize, synchronous: &str) {
    let place = place();
    let mut connection = open_raw(place.path(), synchronous);
    bencher.counter(ItemsCount::new(group)).bench_local(|| commit_raw(&mut connection, group));
}

fn open_raw(place: &Path, synchronous: &str) -> Connection {
    let connection = Connection::open(place.join("raw.db")).unwrap();
    connection
        .execute_batch(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous};
             CREATE TABLE record (id INTEGER PRIMARY KEY, hash BLOB, bytes BLOB, key BLOB, detail BLOB);"
        ))
        .unwrap();
    connection
}

/// As many bytes as a record, its hash, its key and its detail have.
fn commit_raw(connection: &mut Connection, group: usize) {
    let transaction = connection.transaction().unwrap();
    {
        let mut insert = transaction
            .prepare_cached("INSERT INTO record (hash, bytes, key, detail) VALUES (?1, ?2, ?3, ?4)")
            .unwrap();
        for _ in 0..group {
            insert
                .execute(params![&[1_u8; 32][..], &[2_u8; 500][..], &[3_u8; 16][..], &[4_u8; 100][..]])
                .unwrap();
        }
    }
    transaction.commit().unwrap();
}
