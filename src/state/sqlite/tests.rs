//! What is true of a store because it is a file.

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rusqlite::Connection;

use super::*;
use crate::state::testing::{Fixture, Kind, answers, commit, seals, tenant, walk};
use crate::state::*;

#[test]
fn a_store_is_its_owners_alone() {
    let place = Fixture::new(Kind::Sqlite);
    let mut store = place.open();
    commit(&mut store, 1, &[], 1).unwrap();
    for suffix in ["", "-wal", "-shm"] {
        let file = format!("{}{suffix}", place.file().display());
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600, "{file}");
    }
    assert_eq!(place.file().parent().unwrap().metadata().unwrap().mode() & 0o777, 0o700);
}

#[test]
fn looking_for_a_store_makes_none() {
    let place = Fixture::new(Kind::Sqlite);
    assert!(Sqlite::open_existing(place.file(), Path::new("/nowhere")).unwrap().is_none());
    assert!(!place.file().parent().unwrap().exists());
    drop(place.open());
    assert!(Sqlite::open_existing(place.file(), Path::new("/nowhere")).unwrap().is_some());
}

#[test]
fn a_file_that_others_may_write_or_that_is_a_link_is_refused() {
    let place = Fixture::new(Kind::Sqlite);
    drop(place.open());
    fs::set_permissions(place.file(), fs::Permissions::from_mode(0o666)).unwrap();
    assert!(matches!(
        Sqlite::open(place.file(), Path::new("/nowhere")),
        Err(StoreError::UnsafePlace { problem: "others may write to it", .. })
    ));
    let moved = place.file().with_file_name("moved.db");
    fs::rename(place.file(), &moved).unwrap();
    std::os::unix::fs::symlink(&moved, place.file()).unwrap();
    assert!(matches!(
        Sqlite::open(place.file(), Path::new("/nowhere")),
        Err(StoreError::UnsafePlace { problem: "it is a symbolic link", .. })
    ));
}

#[test]
fn a_file_that_is_no_store_is_left_alone() {
    let place = Fixture::new(Kind::Sqlite);
    fs::create_dir_all(place.file().parent().unwrap()).unwrap();
    fs::write(place.file(), "not a database, but long enough to look at closely".repeat(40)).unwrap();
    let open = || Sqlite::open(place.file(), Path::new("/nowhere")).map(drop);
    assert!(matches!(open(), Err(StoreError::Corrupt(_))), "{:?}", open());
    fs::remove_file(place.file()).unwrap();
    Connection::open(place.file()).unwrap().execute_batch("CREATE TABLE mine (a)").unwrap();
    assert!(matches!(open(), Err(StoreError::Foreign(_))), "{:?}", open());
    fs::remove_file(place.file()).unwrap();
    drop(place.open());
    Connection::open(place.file()).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    assert_eq!(open(), Err(StoreError::Newer { found: 99, known: schema::VERSION }));
}

#[test]
fn a_damaged_store_says_so() {
    let place = Fixture::new(Kind::Sqlite);
    let mut store = place.open();
    commit(&mut store, 1, &[], 4_000).unwrap();
    drop(store);
    let mut bytes = fs::read(place.file()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..].fill(0xa5);
    fs::write(place.file(), bytes).unwrap();
    let store = place.open();
    let scanned = store.scan(&tenant(), Scan::all(Order::OldestFirst), &mut |_| ControlFlow::Continue(()));
    assert!(matches!(scanned, Err(StoreError::Corrupt(_))), "{scanned:?}");
}

#[test]
fn a_copy_taken_in_the_middle_of_writing_holds_a_whole_chain() {
    // What `kill -9` leaves behind is what lies on the disk at that moment: the file and its log.
    let place = Fixture::new(Kind::Sqlite);
    let mut store = place.open();
    for round in 0..20_u64 {
        commit(&mut store, 1, &[], 7).unwrap();
        let copy = Fixture::new(Kind::Sqlite);
        fs::create_dir_all(copy.file().parent().unwrap()).unwrap();
        for suffix in ["", "-wal"] {
            let to = format!("{}{suffix}", copy.file().display());
            fs::copy(format!("{}{suffix}", place.file().display()), to).unwrap();
        }
        let log = format!("{}-wal", copy.file().display());
        let torn = fs::metadata(&log).unwrap().len().saturating_sub(round * 37);
        fs::OpenOptions::new().write(true).open(&log).unwrap().set_len(torn).unwrap();
        let kept = walk(&copy.open());
        assert!(kept == (round + 1) * 7 || (round > 0 && kept.is_multiple_of(7)), "{kept}");
    }
}

#[test]
fn a_store_that_cannot_be_written_says_so_and_keeps_its_chain() {
    let place = Fixture::new(Kind::Sqlite);
    let mut store = place.open();
    commit(&mut store, 1, &[], 2).unwrap();
    store.sql().execute("PRAGMA query_only = ON", &[]).unwrap();
    let refused = commit(&mut store, 1, &[], 1);
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    store.sql().execute("PRAGMA query_only = OFF", &[]).unwrap();
    // A full disk: the file may not grow any further.
    let pages = store.sql().one("PRAGMA page_count", &[], |row| row.get::<i64>(0)).unwrap().unwrap();
    store.sql().one(&format!("PRAGMA max_page_count = {pages}"), &[], |_| Ok(())).unwrap();
    let refused = commit(&mut store, 1, &[], 500);
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    assert_eq!(walk(&store), 2);
}

#[test]
fn a_held_store_is_busy_not_broken() {
    let place = Fixture::new(Kind::Sqlite);
    let mut store = place.open();
    store.sql().one("PRAGMA busy_timeout = 0", &[], |_| Ok(())).unwrap();
    let other = Connection::open(place.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(commit(&mut store, 1, &[], 1), Err(StoreError::Busy));
    other.execute_batch("ROLLBACK").unwrap();
    commit(&mut store, 1, &[], 1).unwrap();
}

#[test]
fn a_store_of_an_older_version_is_brought_up_to_date_and_its_answers_are_not_believed() {
    let (place, store, ..) = answers(Kind::Sqlite);
    drop(store);
    let older = Connection::open(place.file()).unwrap();
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
fn the_log_stays_bounded_while_writing() {
    let place = Fixture::new(Kind::Sqlite);
    let mut store = place.open();
    for _ in 0..60 {
        commit(&mut store, 1, &[], 2_000).unwrap();
    }
    let log = fs::metadata(format!("{}-wal", place.file().display())).unwrap().len();
    assert!(log < 12 << 20, "{log}");
}

#[test]
fn what_cannot_be_made_durable_is_in_doubt_and_nothing_is_written_after_it() {
    let place = Fixture::new(Kind::Sqlite);
    let mut store = place.open();
    commit(&mut store, 1, &[], 1).unwrap();
    // Another file in the log's place: syncing it would say nothing of what was written.
    let log = format!("{}-wal", place.file().display());
    fs::rename(&log, format!("{log}-moved")).unwrap();
    fs::write(&log, "").unwrap();
    assert!(matches!(commit(&mut store, 1, &[], 1), Err(StoreError::InDoubt(_))));
    assert!(matches!(commit(&mut store, 1, &[], 1), Err(StoreError::Unavailable(_))));
}

#[test]
fn writers_at_once_lose_nothing_and_keep_the_log_bounded() {
    let place = Fixture::new(Kind::Sqlite);
    // As long as somebody has the store open, the log stays as it is.
    let open = place.open();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut store = place.open();
                for _ in 0..1_500 {
                    commit(&mut store, 1, &[], 1).unwrap();
                }
            });
        }
    });
    assert_eq!(walk(&open), 6_000);
    let log = fs::metadata(format!("{}-wal", place.file().display())).unwrap().len();
    assert!(log < 40 << 20, "{log}");
}
