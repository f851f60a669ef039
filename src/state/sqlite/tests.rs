use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::{AgentName, Principal, TaskId, Tenant, ToolName, UserName};
use crate::state::*;

/// Records that say only where they stand.
struct Plain(usize);

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

struct Place {
    folder: tempfile::TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tgw/0123/state.db");
        Self { folder, path }
    }

    fn key(&self) -> SealKey {
        SealKey::new(self.folder.path())
    }

    fn open(&self) -> SqliteStore {
        SqliteStore::open(&self.path, Path::new("/nowhere"), self.key()).unwrap()
    }
}

fn tenant() -> Tenant {
    Tenant::parse("local").unwrap()
}

fn task(name: &str) -> TaskId {
    TaskId::parse(name).unwrap()
}

fn principal() -> Principal {
    Principal {
        user: UserName::parse("ann").unwrap(),
        agent: AgentName::parse("default").unwrap(),
        agent_version: Some("1.0".to_owned()),
        tenant: tenant(),
    }
}

fn commit(
    store: &mut SqliteStore,
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

fn refusal(result: Result<Vec<Receipt>, StoreError>) -> Refusal {
    match result {
        Err(StoreError::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

/// Walks the chain of [`Plain`] records and returns its length.
fn walk(store: &SqliteStore) -> u64 {
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

#[test]
fn a_store_is_its_owners_alone() {
    let place = Place::new();
    let mut store = place.open();
    commit(&mut store, 1, &[], 1).unwrap();
    for suffix in ["", "-wal", "-shm"] {
        let file = format!("{}{suffix}", place.path.display());
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600, "{file}");
    }
    assert_eq!(place.path.parent().unwrap().metadata().unwrap().mode() & 0o777, 0o700);
}

#[test]
fn looking_for_a_store_makes_none() {
    let place = Place::new();
    assert!(SqliteStore::open_existing(&place.path, Path::new("/nowhere"), place.key()).unwrap().is_none());
    assert!(!place.path.parent().unwrap().exists());
    drop(place.open());
    assert!(SqliteStore::open_existing(&place.path, Path::new("/nowhere"), place.key()).unwrap().is_some());
}

#[test]
fn a_file_that_others_may_write_or_that_is_a_link_is_refused() {
    let place = Place::new();
    drop(place.open());
    fs::set_permissions(&place.path, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(matches!(
        SqliteStore::open(&place.path, Path::new("/nowhere"), place.key()),
        Err(StoreError::UnsafePlace { problem: "others may write to it", .. })
    ));
    let moved = place.path.with_file_name("moved.db");
    fs::rename(&place.path, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &place.path).unwrap();
    assert!(matches!(
        SqliteStore::open(&place.path, Path::new("/nowhere"), place.key()),
        Err(StoreError::UnsafePlace { problem: "it is a symbolic link", .. })
    ));
}

#[test]
fn a_file_that_is_no_store_is_left_alone() {
    let place = Place::new();
    fs::create_dir_all(place.path.parent().unwrap()).unwrap();
    fs::write(&place.path, "not a database, but long enough to look at closely".repeat(40)).unwrap();
    let open = || SqliteStore::open(&place.path, Path::new("/nowhere"), place.key()).map(drop);
    assert!(matches!(open(), Err(StoreError::Corrupt(_))), "{:?}", open());
    fs::remove_file(&place.path).unwrap();
    Connection::open(&place.path).unwrap().execute_batch("CREATE TABLE mine (a)").unwrap();
    assert!(matches!(open(), Err(StoreError::Foreign(_))), "{:?}", open());
    fs::remove_file(&place.path).unwrap();
    drop(place.open());
    Connection::open(&place.path).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    assert_eq!(open(), Err(StoreError::Newer { found: 99, known: schema::VERSION }));
}

#[test]
fn a_damaged_store_says_so() {
    let place = Place::new();
    let mut store = place.open();
    commit(&mut store, 1, &[], 400).unwrap();
    drop(store);
    let mut bytes = fs::read(&place.path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..].fill(0xa5);
    fs::write(&place.path, bytes).unwrap();
    let store = place.open();
    let scanned = store.scan(&tenant(), Scan::all(Order::OldestFirst), &mut |_| ControlFlow::Continue(()));
    assert!(matches!(scanned, Err(StoreError::Corrupt(_))), "{scanned:?}");
}

#[test]
fn starters_at_the_same_moment_make_one_store() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| commit(&mut place.open(), 1, &[], 3).unwrap());
        }
    });
    assert_eq!(walk(&place.open()), 24);
}

#[test]
fn ten_writers_keep_one_chain() {
    let place = Place::new();
    drop(place.open());
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                let mut store = place.open();
                for size in 1..=20 {
                    let receipts = commit(&mut store, 1, &[], size).unwrap();
                    assert_eq!(receipts.len(), size);
                    assert!(receipts.windows(2).all(|pair| pair[0].seq + 1 == pair[1].seq));
                }
            });
        }
    });
    assert_eq!(walk(&place.open()), 10 * 210);
}

#[test]
fn a_transaction_that_never_committed_leaves_nothing() {
    struct Dies;
    impl RecordSource for Dies {
        fn count(&self) -> usize {
            3
        }
        fn seal(
            &mut self,
            index: usize,
            link: &Link<'_>,
            record: &mut SealedRecord,
        ) -> Result<(), StoreError> {
            if index == 2 {
                return Err(StoreError::Busy);
            }
            Plain(3).seal(index, link, record)
        }
    }
    let place = Place::new();
    let mut store = place.open();
    commit(&mut store, 1, &[], 2).unwrap();
    let failed = store.append(&mut Batch {
        tenant: &tenant(),
        now: Timestamp(1),
        durability: Durability::Kill,
        changes: &[Change::SpendGrant { id: "g", expires: Timestamp(9) }],
        records: &mut Dies,
    });
    assert_eq!(failed, Err(StoreError::Busy));
    assert_eq!(walk(&store), 2);
    commit(&mut store, 1, &[Change::SpendGrant { id: "g", expires: Timestamp(9) }], 1).unwrap();
    assert_eq!(walk(&store), 3);
}

#[test]
fn a_copy_taken_in_the_middle_of_writing_holds_a_whole_chain() {
    // What `kill -9` leaves behind is what lies on the disk at that moment: the file and its log.
    let place = Place::new();
    let mut store = place.open();
    for round in 0..20_u64 {
        commit(&mut store, 1, &[], 7).unwrap();
        let copy = Place::new();
        fs::create_dir_all(copy.path.parent().unwrap()).unwrap();
        for suffix in ["", "-wal"] {
            let to = format!("{}{suffix}", copy.path.display());
            fs::copy(format!("{}{suffix}", place.path.display()), to).unwrap();
        }
        let log = format!("{}-wal", copy.path.display());
        let torn = fs::metadata(&log).unwrap().len().saturating_sub(round * 37);
        fs::OpenOptions::new().write(true).open(&log).unwrap().set_len(torn).unwrap();
        let kept = walk(&copy.open());
        assert!(kept == (round + 1) * 7 || (round > 0 && kept.is_multiple_of(7)), "{kept}");
    }
}

#[test]
fn a_store_that_cannot_be_written_says_so_and_keeps_its_chain() {
    let place = Place::new();
    let mut store = place.open();
    commit(&mut store, 1, &[], 2).unwrap();
    store.connection.execute_batch("PRAGMA query_only = ON").unwrap();
    let refused = commit(&mut store, 1, &[], 1);
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    store.connection.execute_batch("PRAGMA query_only = OFF").unwrap();
    // A full disk: the file may not grow any further.
    let pages: i64 = store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    store.connection.execute_batch(&format!("PRAGMA max_page_count = {pages}")).unwrap();
    let refused = commit(&mut store, 1, &[], 500);
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    assert_eq!(walk(&store), 2);
}

#[test]
fn a_held_store_is_busy_not_broken() {
    let place = Place::new();
    let mut store = place.open();
    store.connection.busy_timeout(std::time::Duration::ZERO).unwrap();
    let other = Connection::open(&place.path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(commit(&mut store, 1, &[], 1), Err(StoreError::Busy));
    other.execute_batch("ROLLBACK").unwrap();
    commit(&mut store, 1, &[], 1).unwrap();
}

#[test]
fn a_grant_is_spent_once() {
    let place = Place::new();
    let mut store = place.open();
    let spend = [Change::SpendGrant { id: "g_1", expires: Timestamp(100) }];
    commit(&mut store, 10, &spend, 1).unwrap();
    assert_eq!(refusal(commit(&mut store, 11, &spend, 1)), Refusal::GrantSpent);
    let late = [Change::SpendGrant { id: "g_2", expires: Timestamp(100) }];
    assert_eq!(refusal(commit(&mut store, 100, &late, 1)), Refusal::GrantExpired);
    assert_eq!(walk(&store), 1);
}

#[test]
fn of_many_that_spend_the_same_grant_one_succeeds() {
    let place = Place::new();
    drop(place.open());
    let spent: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let spend = [Change::SpendGrant { id: "g", expires: Timestamp(100) }];
                    usize::from(commit(&mut place.open(), 10, &spend, 1).is_ok())
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    assert_eq!(spent, 1);
    assert_eq!(walk(&place.open()), 1);
}

fn question<'a>(id: &'a str, principal: &'a Principal, task: &'a TaskId) -> Change<'a> {
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

fn answer(id: &str, state: ApprovalState) -> Change<'_> {
    Change::AnswerApproval(Answer { id, state, question: Digest([2; 32]), by: "ann", feedback: Some("fine") })
}

#[test]
fn a_stored_question_is_answered_and_its_yes_spent_once() {
    let place = Place::new();
    let mut store = place.open();
    let (principal, task) = (principal(), task("t"));
    let spend = [Change::SpendApproval { id: "a", binding: Digest([1; 32]) }];
    assert_eq!(refusal(commit(&mut store, 1, &spend, 0)), Refusal::UnknownApproval);
    commit(&mut store, 1, &[question("a", &principal, &task)], 1).unwrap();
    assert_eq!(refusal(commit(&mut store, 1, &[question("a", &principal, &task)], 1)), Refusal::IdTaken);
    assert_eq!(refusal(commit(&mut store, 2, &spend, 0)), Refusal::ApprovalPending);
    commit(&mut store, 3, &[answer("a", ApprovalState::Approved)], 1).unwrap();
    assert_eq!(
        refusal(commit(&mut store, 4, &[answer("a", ApprovalState::Denied)], 1)),
        Refusal::ApprovalAnswered
    );
    let other = [Change::SpendApproval { id: "a", binding: Digest([8; 32]) }];
    assert_eq!(refusal(commit(&mut store, 5, &other, 1)), Refusal::GrantMismatch);
    commit(&mut store, 6, &spend, 1).unwrap();
    assert_eq!(refusal(commit(&mut store, 7, &spend, 1)), Refusal::GrantSpent);
    let stored = store.approval(&tenant(), "a").unwrap().unwrap();
    assert_eq!(
        (stored.state, stored.by.as_deref(), stored.feedback.as_deref(), stored.spent),
        (ApprovalState::Approved, Some("ann"), Some("fine"), Some(Timestamp(6)))
    );
    assert_eq!(stored.principal, principal);
    assert_eq!(store.approval(&Tenant::parse("other").unwrap(), "a").unwrap(), None);
}

#[test]
fn expiry_is_final_and_no_answer_by_a_person() {
    let place = Place::new();
    let mut store = place.open();
    let (principal, task) = (principal(), task("t"));
    commit(&mut store, 1, &[question("a", &principal, &task)], 1).unwrap();
    let expire = [answer("a", ApprovalState::Expired)];
    assert_eq!(refusal(commit(&mut store, 99, &expire, 0)), Refusal::NotExpired);
    assert!(store.overdue_approvals(&tenant(), Timestamp(99), 10).unwrap().is_empty());
    let approve = [answer("a", ApprovalState::Approved)];
    assert_eq!(refusal(commit(&mut store, 100, &approve, 0)), Refusal::ApprovalExpired);
    let overdue = store.overdue_approvals(&tenant(), Timestamp(100), 10).unwrap();
    assert_eq!(overdue[0].state_at(Timestamp(100)), ApprovalState::Expired);
    commit(&mut store, 101, &expire, 1).unwrap();
    assert_eq!(refusal(commit(&mut store, 50, &approve, 0)), Refusal::ApprovalExpired);
    let spend = [Change::SpendApproval { id: "a", binding: Digest([1; 32]) }];
    assert_eq!(refusal(commit(&mut store, 50, &spend, 0)), Refusal::ApprovalExpired);
}

#[test]
fn an_answer_to_an_older_question_and_a_late_yes_are_refused() {
    let place = Place::new();
    let mut store = place.open();
    let (principal, task) = (principal(), task("t"));
    commit(&mut store, 1, &[question("a", &principal, &task)], 1).unwrap();
    let stale = [Change::AnswerApproval(Answer {
        id: "a",
        state: ApprovalState::Approved,
        question: Digest([7; 32]),
        by: "ann",
        feedback: None,
    })];
    assert_eq!(refusal(commit(&mut store, 2, &stale, 0)), Refusal::QuestionMismatch);
    commit(&mut store, 3, &[answer("a", ApprovalState::Approved)], 0).unwrap();
    let spend = [Change::SpendApproval { id: "a", binding: Digest([1; 32]) }];
    assert_eq!(refusal(commit(&mut store, 100, &spend, 0)), Refusal::GrantExpired);
    commit(&mut store, 4, &[question("b", &principal, &task)], 1).unwrap();
    commit(&mut store, 5, &[answer("b", ApprovalState::Denied)], 0).unwrap();
    let spend = [Change::SpendApproval { id: "b", binding: Digest([1; 32]) }];
    assert_eq!(refusal(commit(&mut store, 6, &spend, 0)), Refusal::ApprovalDenied);
}

#[test]
fn a_standing_grant_ends_by_use_time_or_revocation() {
    let place = Place::new();
    let mut store = place.open();
    let (principal, task) = (principal(), task("t"));
    let standing = |id, max_uses| {
        Change::Remember(NewStanding {
            id,
            principal: &principal,
            task: &task,
            workspace: b"/w",
            tool: "write_file",
            contract: Digest([4; 32]),
            pinned: r#"{"/path":"a"}"#,
            rules: r#"["ask"]"#,
            expires: Timestamp(100),
            max_uses,
        })
    };
    commit(&mut store, 1, &[standing("s1", Some(2)), standing("s2", None)], 1).unwrap();
    let query = |tool, now| StandingQuery {
        principal: &principal,
        task: &task,
        tool,
        contract: Digest([4; 32]),
        now: Timestamp(now),
    };
    let ids = |store: &SqliteStore, query: StandingQuery<'_>| -> Vec<String> {
        store.standing_for(&query).unwrap().into_iter().map(|grant| grant.id).collect()
    };
    assert_eq!(ids(&store, query("write_file", 2)), ["s1", "s2"]);
    assert!(ids(&store, query("delete_path", 2)).is_empty());
    assert!(ids(&store, query("write_file", 100)).is_empty());
    let other = StandingQuery { contract: Digest([5; 32]), ..query("write_file", 2) };
    assert!(ids(&store, other).is_empty());
    let unversioned = Principal { agent_version: None, ..principal.clone() };
    assert!(ids(&store, StandingQuery { principal: &unversioned, ..query("write_file", 2) }).is_empty());

    let used = [Change::UseStanding { id: "s1" }];
    commit(&mut store, 3, &used, 1).unwrap();
    commit(&mut store, 4, &used, 1).unwrap();
    assert_eq!(refusal(commit(&mut store, 5, &used, 1)), Refusal::GrantUsedUp);
    assert_eq!(ids(&store, query("write_file", 5)), ["s2"]);
    let revoke = [Change::RevokeStanding { id: "s2" }];
    commit(&mut store, 6, &revoke, 1).unwrap();
    assert_eq!(refusal(commit(&mut store, 7, &revoke, 1)), Refusal::GrantRevoked);
    let used = [Change::UseStanding { id: "s2" }];
    assert_eq!(refusal(commit(&mut store, 7, &used, 1)), Refusal::GrantRevoked);
    assert_eq!(store.standing(&tenant(), 10).unwrap().len(), 2);
    assert_eq!(walk(&store), 4);
}

/// A store with a question `a` and a standing grant `s`, both written by the gateway.
fn answers() -> (Place, SqliteStore, Principal, TaskId) {
    let place = Place::new();
    let mut store = place.open();
    let (principal, task) = (principal(), task("t"));
    let changes = [question("a", &principal, &task), standing("s", &principal, &task)];
    commit(&mut store, 1, &changes, 1).unwrap();
    (place, store, principal, task)
}

fn standing<'a>(id: &'a str, principal: &'a Principal, task: &'a TaskId) -> Change<'a> {
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

fn seals(store: &SqliteStore) -> (Seal, Seal) {
    let approvals = store.approvals(&tenant(), 1).unwrap();
    let standing = store.standing(&tenant(), 1).unwrap();
    (approvals[0].seal, standing[0].seal)
}

#[test]
fn every_change_of_the_gateway_seals_again() {
    let (_place, mut store, ..) = answers();
    let spend = Change::SpendApproval { id: "a", binding: Digest([1; 32]) };
    let steps = [
        Change::UseStanding { id: "s" },
        answer("a", ApprovalState::Approved),
        spend,
        Change::RevokeStanding { id: "s" },
    ];
    for step in steps {
        assert_eq!(seals(&store), (Seal::Whole, Seal::Whole), "{step:?}");
        commit(&mut store, 2, &[step], 1).unwrap();
    }
    assert_eq!(seals(&store), (Seal::Whole, Seal::Whole));
}

#[test]
fn no_column_of_a_standing_grant_can_be_changed_by_another_hand() {
    for change in [
        "id = 's2'",
        "user = 'bo'",
        "agent = 'other'",
        "agent_version = NULL",
        "agent_version = '2.0'",
        "task = 'u'",
        "workspace = X'2F78'",
        "workspace = NULL",
        "tool = 'delete_path'",
        "contract = zeroblob(32)",
        "pinned = '[]'",
        "rules = '[\"ask\",\"other\"]'",
        "created = 2",
        "expires = 9000000000000",
        "uses = 0",
        "max_uses = 4",
        "max_uses = NULL",
        "revoked = 5",
        "revoked = NULL",
        "seal = NULL",
        "seal = X''",
        "seal = zeroblob(32)",
    ] {
        let (_place, mut store, ..) = answers();
        commit(&mut store, 2, &[Change::UseStanding { id: "s" }], 1).unwrap();
        if change == "revoked = NULL" {
            commit(&mut store, 2, &[Change::RevokeStanding { id: "s" }], 1).unwrap();
        }
        store.connection.execute(&format!("UPDATE standing_grant SET {change}"), []).unwrap();
        let stored = store.standing(&tenant(), 1).unwrap().remove(0);
        assert!(stored.seal.doubt().is_some() && !stored.is_live(Timestamp(3)), "{change}");
        let used = [Change::UseStanding { id: &stored.id }];
        assert_eq!(refusal(commit(&mut store, 3, &used, 1)), Refusal::NotBelieved, "{change}");
    }
}

#[test]
fn no_column_of_a_question_can_be_changed_by_another_hand() {
    for change in [
        "id = 'b'",
        "user = 'bo'",
        "agent = 'other'",
        "agent_version = NULL",
        "task = 'u'",
        "step = 'execute'",
        "tool = 'delete_path'",
        "call = '{\"tool\":\"x\"}'",
        "binding = zeroblob(32)",
        "likeness = zeroblob(32)",
        "likeness = NULL",
        "question = zeroblob(32)",
        "created = 2",
        "expires = 9000000000000",
        "state = 'approved'",
        "state = 'pending'",
        "answered = 3",
        "answered_by = 'root'",
        "feedback = NULL",
        "spent = NULL",
        "spent = 9",
        "answers = '[]'",
        "seal = NULL",
    ] {
        let (_place, mut store, ..) = answers();
        let state = if change.contains("approved") { ApprovalState::Denied } else { ApprovalState::Approved };
        commit(&mut store, 2, &[answer("a", state)], 1).unwrap();
        let spend = |id| [Change::SpendApproval { id, binding: Digest([1; 32]) }];
        if change == "spent = NULL" {
            commit(&mut store, 2, &spend("a"), 1).unwrap();
        }
        store.connection.execute(&format!("UPDATE approval SET {change}"), []).unwrap();
        let stored = store.approvals(&tenant(), 1).unwrap().remove(0);
        assert!(stored.seal.doubt().is_some(), "{change}");
        assert_eq!(refusal(commit(&mut store, 3, &spend(&stored.id), 1)), Refusal::NotBelieved, "{change}");
    }
}

#[test]
fn signed_answers_are_kept_whole_on_a_question_that_waits_and_never_over_anothers() {
    let (_place, mut store, ..) = answers();
    let keep = |before, answers| {
        [Change::KeepAnswers(SignedAnswersNow { id: "a", question: Digest([2; 32]), before, answers })]
    };
    commit(&mut store, 2, &keep(None, "[1]"), 1).unwrap();
    let stored = store.approval(&tenant(), "a").unwrap().unwrap();
    assert_eq!(
        (stored.answers.as_deref(), stored.seal, stored.state),
        (Some("[1]"), Seal::Whole, ApprovalState::Pending)
    );
    for before in [None, Some("[]"), Some("[1] ")] {
        assert_eq!(refusal(commit(&mut store, 2, &keep(before, "[2]"), 1)), Refusal::AnsweredMeanwhile);
    }
    let other = Change::KeepAnswers(SignedAnswersNow {
        id: "a",
        question: Digest([9; 32]),
        before: Some("[1]"),
        answers: "[2]",
    });
    assert_eq!(refusal(commit(&mut store, 2, &[other], 1)), Refusal::QuestionMismatch);
    commit(&mut store, 2, &[answer("a", ApprovalState::Denied)], 1).unwrap();
    assert_eq!(refusal(commit(&mut store, 2, &keep(Some("[1]"), "[2]"), 1)), Refusal::ApprovalAnswered);
}

#[test]
fn a_seal_is_no_seal_of_a_copy() {
    let (_place, mut store, ..) = answers();
    store
        .connection
        .execute_batch(
            "CREATE TEMP TABLE copy AS SELECT * FROM standing_grant;
             UPDATE copy SET id = 's2', task = 'u';
             INSERT INTO standing_grant SELECT * FROM copy;",
        )
        .unwrap();
    let used = [Change::UseStanding { id: "s2" }];
    assert_eq!(refusal(commit(&mut store, 3, &used, 1)), Refusal::NotBelieved);
    commit(&mut store, 3, &[Change::UseStanding { id: "s" }], 1).unwrap();
}

#[test]
fn what_is_not_believed_can_be_ended_and_is_believed_no_more_for_it() {
    let (_place, mut store, ..) = answers();
    store.connection.execute("UPDATE standing_grant SET uses = 1", []).unwrap();
    store.connection.execute("UPDATE approval SET feedback = 'x'", []).unwrap();
    let approve = [answer("a", ApprovalState::Approved)];
    assert_eq!(refusal(commit(&mut store, 3, &approve, 1)), Refusal::NotBelieved);
    let end = [Change::RevokeStanding { id: "s" }, answer("a", ApprovalState::Expired)];
    commit(&mut store, 100, &end, 1).unwrap();
    assert_eq!(seals(&store), (Seal::Missing, Seal::Missing));
}

#[test]
fn a_call_that_is_answered_elsewhere_settles_the_questions_about_it() {
    let (_place, mut store, principal, task) = answers();
    let other = task_of_another_call(&principal, &task);
    commit(&mut store, 2, &[question("b", &principal, &task), other], 1).unwrap();
    let settle = |state| [Change::SettleLike { likeness: Digest([6; 32]), state, by: "bo" }];
    commit(&mut store, 3, &settle(ApprovalState::Approved), 1).unwrap();
    for id in ["a", "b"] {
        let settled = store.approval(&tenant(), id).unwrap().unwrap();
        assert_eq!(
            (settled.state, settled.by.as_deref(), settled.spent, settled.seal),
            (ApprovalState::Approved, Some("bo"), Some(Timestamp(3)), Seal::Whole)
        );
    }
    assert_eq!(store.approval(&tenant(), "c").unwrap().unwrap().state, ApprovalState::Pending);
    // What is answered stays as it is, and a second time is nothing.
    commit(&mut store, 4, &settle(ApprovalState::Denied), 1).unwrap();
    assert_eq!(store.approval(&tenant(), "a").unwrap().unwrap().state, ApprovalState::Approved);
}

fn task_of_another_call<'a>(principal: &'a Principal, task: &'a TaskId) -> Change<'a> {
    let Change::AskApproval(asked) = question("c", principal, task) else { unreachable!() };
    Change::AskApproval(NewApproval { likeness: Digest([7; 32]), ..asked })
}

#[test]
fn a_question_that_is_not_believed_does_not_keep_a_call_from_being_answered() {
    let (_place, mut store, ..) = answers();
    store.connection.execute("UPDATE approval SET tool = 'other'", []).unwrap();
    let settle = [Change::SettleLike { likeness: Digest([6; 32]), state: ApprovalState::Approved, by: "bo" }];
    commit(&mut store, 3, &settle, 1).unwrap();
    assert_eq!(store.approval(&tenant(), "a").unwrap().unwrap().state, ApprovalState::Pending);
}

#[test]
fn what_ended_long_ago_is_dropped_and_nothing_that_lives() {
    let (_place, mut store, principal, task) = answers();
    let week = 7 * 24 * 3600 * 1000;
    let left = |store: &SqliteStore| {
        let approvals = store.approvals(&tenant(), 10).unwrap().len();
        (approvals, store.standing(&tenant(), 10).unwrap().len())
    };
    // Until a question's end is marked it stays, however long ago it was.
    assert_eq!(store.purge(Timestamp(99 + week), 10).unwrap(), 0);
    assert_eq!(store.purge(Timestamp(100 + week), 10).unwrap(), 1);
    assert_eq!(left(&store), (1, 0));
    commit(&mut store, 100 + week, &[answer("a", ApprovalState::Expired)], 1).unwrap();
    assert_eq!(store.purge(Timestamp(100 + week), 10).unwrap(), 1);
    assert_eq!(left(&store), (0, 0));
    for id in ["s1", "s2", "s3"] {
        commit(&mut store, 1, &[standing(id, &principal, &task)], 0).unwrap();
    }
    assert_eq!(store.purge(Timestamp(100 + week), 2).unwrap(), 2);
    assert_eq!(left(&store), (0, 1));
}

#[test]
fn a_store_of_an_older_version_is_brought_up_to_date_and_its_answers_are_not_believed() {
    let (place, store, ..) = answers();
    drop(store);
    let older = Connection::open(&place.path).unwrap();
    older
        .execute_batch(
            "DROP TABLE task; DROP TABLE charge; DROP TABLE effect; ALTER TABLE approval DROP COLUMN answers; DROP INDEX approval_by_binding; DROP INDEX approval_by_likeness; DROP INDEX approval_by_expiry; DROP INDEX standing_by_expiry;
             ALTER TABLE approval DROP COLUMN likeness; ALTER TABLE approval DROP COLUMN seal;
             ALTER TABLE standing_grant DROP COLUMN workspace; ALTER TABLE standing_grant DROP COLUMN seal;
             PRAGMA user_version = 1",
        )
        .unwrap();
    drop(older);
    assert_eq!(seals(&place.open()), (Seal::Missing, Seal::Missing));
}

#[test]
fn results_are_found_by_their_own_task_until_they_expire() {
    let place = Place::new();
    let mut store = place.open();
    let (mine, other) = (task("mine"), task("other"));
    let result = |reference, tool, value: &'static str| {
        Change::StoreResult(NewResult {
            reference,
            task: &mine,
            tool,
            value: value.as_bytes(),
            trust: "\"untrusted\"",
            expires: Timestamp(100),
        })
    };
    commit(&mut store, 1, &[result("r_1", "search", "1"), result("r_2", "search", "2")], 1).unwrap();
    commit(&mut store, 2, &[result("r_3", "list", "3")], 1).unwrap();
    let tenant = tenant();
    let find = |scope, now| store.result("r_1", scope, Timestamp(now)).unwrap().map(|found| found.value);
    assert_eq!(find(ResultScope::Task(&tenant, &mine), 5), Some(b"1".to_vec()));
    assert_eq!(find(ResultScope::Tenant(&tenant), 5), Some(b"1".to_vec()));
    assert_eq!(find(ResultScope::Task(&tenant, &other), 5), None);
    let elsewhere = Tenant::parse("else").unwrap();
    assert_eq!(find(ResultScope::Tenant(&elsewhere), 5), None);
    assert_eq!(find(ResultScope::Task(&tenant, &mine), 100), None);
    let listed = store.results(ResultScope::Task(&tenant, &mine), 2, Timestamp(5)).unwrap();
    assert_eq!(listed.iter().map(|result| result.reference.as_str()).collect::<Vec<_>>(), ["r_3", "r_2"]);
    let mut values = Vec::new();
    let tool = ToolName::parse("search").unwrap();
    store
        .recent_values(&tenant, &tool, 10, Timestamp(5), &mut |value| {
            values.push(value.to_vec());
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(values, [b"2".to_vec(), b"1".to_vec()]);
    assert_eq!(store.purge(Timestamp(99), 10).unwrap(), 0);
    assert_eq!(store.purge(Timestamp(100), 2).unwrap(), 2);
    assert_eq!(store.purge(Timestamp(100), 2).unwrap(), 1);
}

#[test]
fn a_refused_change_keeps_nothing_of_its_batch() {
    let place = Place::new();
    let mut store = place.open();
    let (principal, task) = (principal(), task("t"));
    let changes = [question("a", &principal, &task), Change::UseStanding { id: "none" }];
    assert_eq!(refusal(commit(&mut store, 1, &changes, 3)), Refusal::UnknownGrant);
    assert_eq!(store.approval(&tenant(), "a").unwrap(), None);
    assert_eq!(walk(&store), 0);
}

#[test]
fn tenants_have_chains_of_their_own() {
    let place = Place::new();
    let mut store = place.open();
    let other = Tenant::parse("acme").unwrap();
    commit(&mut store, 1, &[], 3).unwrap();
    store
        .append(&mut Batch {
            tenant: &other,
            now: Timestamp(1),
            durability: Durability::Kill,
            changes: &[],
            records: &mut Plain(2),
        })
        .unwrap();
    assert_eq!(store.tenants().unwrap(), [other.clone(), tenant()]);
    assert_eq!((walk(&store), store.head(&other).unwrap().unwrap().seq), (3, 2));
    assert_eq!(store.stray_records().unwrap(), 0);
    store.connection.execute("DELETE FROM chain WHERE tenant = 'acme'", []).unwrap();
    assert_eq!(store.stray_records().unwrap(), 2);
    let described = store.describe().unwrap();
    assert_eq!(
        (described.records, described.schema_version, described.pending_approvals),
        (3, schema::VERSION, 0)
    );
    assert!(described.bytes > 0);
}

#[test]
fn the_log_stays_bounded_while_writing() {
    let place = Place::new();
    let mut store = place.open();
    for _ in 0..60 {
        commit(&mut store, 1, &[], 2_000).unwrap();
    }
    let log = fs::metadata(format!("{}-wal", place.path.display())).unwrap().len();
    assert!(log < 12 << 20, "{log}");
}
