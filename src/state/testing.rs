//! Stores for tests: a file, or a database of its own on the server that the tests are given.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::{AgentName, Principal, TaskId, Tenant, UserName};

use super::postgres::{Postgres, Server};
use super::{
    Answer, ApprovalState, Batch, Change, Durability, Head, Link, NewApproval, NewStanding, Order, Place,
    Receipt, RecordSource, Refusal, Scan, Seal, SealKey, SealedRecord, SqlStore, Store, StoreError,
};

/// The variable that names a server on which tests may make and drop databases.
const SERVER: &str = "TGW_TEST_POSTGRES";

/// The database of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    /// Whether there is a server. Where everything must be tested, there must be one.
    pub(super) fn postgres_is_there() -> bool {
        let named = std::env::var_os(SERVER).is_some();
        assert!(named || std::env::var_os("TGW_REQUIRE_FULL").is_none(), "{SERVER} names no server");
        named
    }
}

/// Makes a test for each database of functions that take one.
macro_rules! in_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            use crate::state::testing::Kind;
            $(
                #[test]
                fn $name() {
                    super::$name(Kind::Sqlite);
                }
            )*
        }

        mod postgres {
            use crate::state::testing::Kind;
            $(
                #[test]
                fn $name() {
                    if Kind::postgres_is_there() {
                        super::$name(Kind::Postgres);
                    }
                }
            )*
        }
    };
}
pub(super) use in_both;

/// A place for one store, and everything in it, until dropped.
pub(super) struct Fixture {
    folder: tempfile::TempDir,
    place: Place,
    _dropped: Option<Dropped>,
}

/// A database that goes with its fixture.
struct Dropped {
    server: Server,
    name: String,
}

impl Fixture {
    pub(super) fn new(kind: Kind) -> Self {
        let folder = tempfile::tempdir().unwrap();
        match kind {
            Kind::Sqlite => {
                let place = Place::File(folder.path().join("tgw/0123/state.db"));
                Self { folder, place, _dropped: None }
            }
            Kind::Postgres => {
                let address = std::env::var(SERVER).unwrap();
                let name = folder.path().file_name().unwrap().to_string_lossy().to_lowercase();
                let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
                let name = format!("tgw_test_{}_{name}", std::process::id());
                let server: Server = address.parse().unwrap();
                let (base, _) = address.rsplit_once('/').unwrap();
                let place = Place::from(format!("{base}/{name}").parse::<Server>().unwrap());
                run(&server, &format!("CREATE DATABASE {name} TEMPLATE template0"));
                Self { folder, place, _dropped: Some(Dropped { server, name }) }
            }
        }
    }

    pub(super) fn key(&self) -> SealKey {
        SealKey::new(self.folder.path())
    }

    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// The file of a store in SQLite.
    pub(super) fn file(&self) -> &Path {
        self.place.file().unwrap()
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }

    pub(super) fn open(&self) -> SqlStore {
        SqlStore::open(&self.place, Path::new("/nowhere"), self.key()).unwrap()
    }
}

impl Drop for Dropped {
    fn drop(&mut self) {
        run(&self.server, &format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

fn run(server: &Server, sql: &str) {
    Postgres::bare(server).unwrap().run(sql).unwrap();
}

/// Records that say only where they stand.
pub(super) struct Plain(pub(super) usize);

impl RecordSource for Plain {
    fn count(&self) -> usize {
        self.0
    }

    fn seal(&mut self, index: usize, link: &Link<'_>, record: &mut SealedRecord) -> Result<(), StoreError> {
        record.bytes.extend_from_slice(format!("{index} {} {}", link.seq, link.previous).as_bytes());
        record.hash = Digest(Sha256::digest(&record.bytes).into());
        Ok(())
    }
}

pub(super) fn tenant() -> Tenant {
    Tenant::parse("local").unwrap()
}

pub(super) fn task(name: &str) -> TaskId {
    TaskId::parse(name).unwrap()
}

pub(super) fn principal() -> Principal {
    Principal {
        user: UserName::parse("ann").unwrap(),
        agent: AgentName::parse("default").unwrap(),
        agent_version: Some("1.0".to_owned()),
        tenant: tenant(),
    }
}

pub(super) fn commit(
    store: &mut SqlStore,
    now: u64,
    changes: &[Change<'_>],
    records: usize,
) -> Result<Vec<Receipt>, StoreError> {
    store.append(&mut Batch {
        tenant: &tenant(),
        now: Timestamp(now),
        durability: Durability::Power,
        changes,
        records: &mut Plain(records),
    })
}

pub(super) fn refusal(result: Result<Vec<Receipt>, StoreError>) -> Refusal {
    match result {
        Err(StoreError::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

/// Walks the chain of [`Plain`] records and returns its length.
pub(super) fn walk(store: &SqlStore) -> u64 {
    let mut last = Head::EMPTY;
    store
        .scan(&tenant(), Scan::all(Order::OldestFirst), &mut |record| {
            assert_eq!(record.seq, last.seq + 1);
            assert!(
                String::from_utf8_lossy(&record.bytes).ends_with(&format!("{} {}", record.seq, last.hash))
            );
            last = Head { seq: record.seq, hash: record.hash };
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(store.head(&tenant()).unwrap().unwrap_or(Head::EMPTY), last);
    last.seq
}

pub(super) fn question<'a>(id: &'a str, principal: &'a Principal, task: &'a TaskId) -> Change<'a> {
    Change::AskApproval(NewApproval {
        id,
        principal,
        task,
        step: None,
        tool: "write_file",
        call: "{}",
        binding: Digest([1; 32]),
        likeness: Digest([6; 32]),
        question: Digest([2; 32]),
        expires: Timestamp(100),
    })
}

pub(super) fn answer(id: &str, state: ApprovalState) -> Change<'_> {
    Change::AnswerApproval(Answer { id, state, question: Digest([2; 32]), by: "ann", feedback: Some("fine") })
}

/// A store with a question `a` and a standing grant `s`, both written by the gateway.
pub(super) fn answers(kind: Kind) -> (Fixture, SqlStore, Principal, TaskId) {
    let place = Fixture::new(kind);
    let mut store = place.open();
    let (principal, task) = (principal(), task("t"));
    let changes = [question("a", &principal, &task), standing("s", &principal, &task)];
    commit(&mut store, 1, &changes, 1).unwrap();
    (place, store, principal, task)
}

pub(super) fn standing<'a>(id: &'a str, principal: &'a Principal, task: &'a TaskId) -> Change<'a> {
    Change::Remember(NewStanding {
        id,
        principal,
        task,
        workspace: b"/w",
        tool: "write_file",
        contract: Digest([4; 32]),
        pinned: r#"[{"pointer":"/path","value":"a"}]"#,
        rules: r#"["ask"]"#,
        expires: Timestamp(100),
        max_uses: Some(3),
    })
}

pub(super) fn seals(store: &SqlStore) -> (Seal, Seal) {
    let approvals = store.approvals(&tenant(), 1).unwrap();
    let standing = store.standing(&tenant(), 1).unwrap();
    (approvals[0].seal, standing[0].seal)
}
