use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::*;
use crate::audit::{
    Entry, ErasureNote, Evidence, ExportScope, PendingRecords, RecordFilter, RecordKind, export, list,
    stories,
};
use crate::clock::Timestamp;
use crate::code::Status;
use crate::ident::{AgentName, Principal, UserName};
use crate::state::{Batch, Change, Durability, Place, SealKey, SqlStore};

struct Fixture {
    _place: tempfile::TempDir,
    path: PathBuf,
    store: SqlStore,
    tenant: Tenant,
    receipts: Vec<Receipt>,
}

fn principal(tenant: &Tenant) -> Principal {
    Principal {
        user: UserName::parse("ann").unwrap(),
        agent: AgentName::parse("default").unwrap(),
        agent_version: None,
        tenant: tenant.clone(),
    }
}

fn append(store: &mut SqlStore, tenant: &Tenant, numbers: std::ops::Range<u64>) -> Vec<Receipt> {
    let principal = principal(tenant);
    let mut records = PendingRecords::default();
    for number in numbers {
        let call = format!("c{number}");
        let arguments = format!("{{\"n\":{number}}}");
        records
            .push(&Entry {
                call: Some(&call),
                tool: Some("read_file"),
                status: Some(Status::Succeeded),
                arguments: Some(Evidence::plain(&arguments)),
                ..Entry::new(RecordKind::Outcome, Timestamp(number), &principal)
            })
            .unwrap();
    }
    store
        .append(&mut Batch {
            tenant,
            now: Timestamp(0),
            durability: Durability::Kill,
            changes: &[],
            records: &mut records,
        })
        .unwrap()
}

impl Fixture {
    /// A chain of five records.
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("state/state.db");
        let mut store = SqlStore::open(
            &Place::File(path.clone()),
            Path::new("/nowhere"),
            SealKey::new(path.parent().unwrap()),
        )
        .unwrap();
        let tenant = Tenant::parse("local").unwrap();
        let receipts = append(&mut store, &tenant, 1..6);
        Self { _place: place, path, store, tenant, receipts }
    }

    fn tamper(&self, sql: &str) {
        Connection::open(&self.path).unwrap().execute_batch(sql).unwrap();
    }

    fn problems(&self) -> Vec<Problem> {
        self.verify(&VerifyRequest::default()).problems
    }

    fn verify(&self, request: &VerifyRequest<'_>) -> VerifyReport {
        verify(&self.store, &self.tenant, request).unwrap()
    }
}

const ROW: &str = "(1 << 40)";

#[test]
fn an_untouched_chain_is_intact() {
    let fixture = Fixture::new();
    let report = fixture.verify(&VerifyRequest::default());
    assert!(report.is_intact(), "{report:?}");
    assert_eq!((report.records, report.head, report.erased), (5, Some(fixture.receipts[4].hash), 0));
}

#[test]
fn a_chain_of_more_than_a_page_is_walked_whole() {
    let mut fixture = Fixture::new();
    let _ = append(&mut fixture.store, &fixture.tenant, 6..301);
    let report = fixture.verify(&VerifyRequest::default());
    assert!(report.is_intact());
    assert_eq!(report.records, 300);
}

#[test]
fn a_tenant_without_a_chain_has_nothing_wrong() {
    let fixture = Fixture::new();
    let report = verify(&fixture.store, &Tenant::parse("other").unwrap(), &VerifyRequest::default()).unwrap();
    assert!(report.is_intact());
    assert_eq!((report.records, report.head), (0, None));
}

#[test]
fn an_edit_is_detected_where_it_was_made() {
    let fixture = Fixture::new();
    fixture.tamper(&format!(
        "UPDATE record SET bytes = CAST(replace(CAST(bytes AS TEXT), 'succeeded', 'denied') AS BLOB) WHERE id = {ROW} | 3"
    ));
    assert_eq!(fixture.problems(), [Problem::Edited { seq: 3 }]);
}

#[test]
fn an_edit_with_a_new_hash_breaks_the_link_after_it() {
    let fixture = Fixture::new();
    let connection = Connection::open(&fixture.path).unwrap();
    let id = (1_i64 << 40) | 3;
    let bytes: Vec<u8> =
        connection.query_row("SELECT bytes FROM record WHERE id = ?1", [id], |row| row.get(0)).unwrap();
    let edited = String::from_utf8(bytes).unwrap().replace("succeeded", "denied");
    let hash: [u8; 32] = Sha256::digest(&edited).into();
    connection
        .execute(
            "UPDATE record SET bytes = ?2, hash = ?3 WHERE id = ?1",
            rusqlite::params![id, edited.as_bytes(), &hash[..]],
        )
        .unwrap();
    assert_eq!(fixture.problems(), [Problem::BrokenLink { seq: 4 }]);
}

#[test]
fn a_removed_record_leaves_a_gap() {
    let fixture = Fixture::new();
    fixture.tamper(&format!("DELETE FROM record WHERE id IN ({ROW} | 2, {ROW} | 3)"));
    assert_eq!(fixture.problems(), [Problem::Missing { first: 2, last: 3 }]);
}

#[test]
fn removed_records_whose_gap_was_closed_are_detected() {
    let fixture = Fixture::new();
    fixture.tamper(&format!(
        "DELETE FROM record WHERE id = {ROW} | 3;
         UPDATE record SET id = {ROW} | 3 WHERE id = {ROW} | 4;
         UPDATE record SET id = {ROW} | 4 WHERE id = {ROW} | 5;
         UPDATE chain SET seq = 4"
    ));
    let problems = fixture.problems();
    assert!(problems.contains(&Problem::Moved { seq: 3, says: 4 }), "{problems:?}");
    assert!(problems.contains(&Problem::BrokenLink { seq: 3 }), "{problems:?}");
}

#[test]
fn two_records_that_changed_places_are_detected() {
    let fixture = Fixture::new();
    fixture.tamper(&format!(
        "UPDATE record SET id = 0 WHERE id = {ROW} | 2;
         UPDATE record SET id = {ROW} | 2 WHERE id = {ROW} | 3;
         UPDATE record SET id = {ROW} | 3 WHERE id = 0"
    ));
    let problems = fixture.problems();
    assert!(problems.contains(&Problem::Moved { seq: 2, says: 3 }), "{problems:?}");
    assert!(problems.contains(&Problem::Moved { seq: 3, says: 2 }), "{problems:?}");
}

#[test]
fn an_end_that_was_cut_off_is_detected_by_the_head() {
    let fixture = Fixture::new();
    fixture.tamper(&format!("DELETE FROM record WHERE id >= {ROW} | 4"));
    assert_eq!(fixture.problems(), [Problem::EndMissing { last: 3, head: 5 }]);
}

#[test]
fn records_past_the_head_are_detected() {
    let fixture = Fixture::new();
    fixture.tamper("UPDATE chain SET seq = 4");
    assert_eq!(fixture.problems(), [Problem::PastHead { head: 4 }]);
}

#[test]
fn a_head_that_names_another_record_is_detected() {
    let fixture = Fixture::new();
    fixture.tamper("UPDATE chain SET hash = zeroblob(32)");
    assert_eq!(fixture.problems(), [Problem::HeadDiffers { seq: 5 }]);
}

#[test]
fn a_record_that_continues_an_earlier_one_is_a_fork() {
    let mut fixture = Fixture::new();
    // A second future of the chain, grown from record 3.
    fixture.tamper(&format!(
        "CREATE TABLE kept AS SELECT * FROM record WHERE id = {ROW} | 4;
         DELETE FROM record WHERE id > {ROW} | 3;
         UPDATE chain SET seq = 3, hash = (SELECT hash FROM record WHERE id = {ROW} | 3)"
    ));
    let _ = append(&mut fixture.store, &fixture.tenant, 104..105);
    fixture.tamper(&format!(
        "UPDATE record SET id = {ROW} | 5 WHERE id = {ROW} | 4;
         INSERT INTO record SELECT * FROM kept;
         UPDATE chain SET seq = 5"
    ));
    let problems = fixture.problems();
    assert!(problems.contains(&Problem::Forked { seq: 5, from: 3 }), "{problems:?}");
}

#[test]
fn another_tenants_record_is_detected() {
    let mut fixture = Fixture::new();
    let other = Tenant::parse("other").unwrap();
    let _ = append(&mut fixture.store, &other, 1..2);
    fixture.tamper(&format!(
        "DELETE FROM record WHERE id = {ROW} | 1; UPDATE record SET id = {ROW} | 1 WHERE id = (2 << 40) | 1"
    ));
    let problems = fixture.problems();
    assert!(problems.contains(&Problem::OtherTenant { seq: 1 }), "{problems:?}");
}

#[test]
fn a_changed_planted_or_half_erased_detail_is_detected() {
    let fixture = Fixture::new();
    fixture.tamper(&format!(
        "UPDATE record SET detail = CAST('{{}}' AS BLOB) WHERE id = {ROW} | 1;
         UPDATE record SET key = zeroblob(16) WHERE id = {ROW} | 2;
         UPDATE record SET key = NULL WHERE id = {ROW} | 3"
    ));
    let expected = [1, 2, 3].map(|seq| Problem::DetailChanged { seq });
    assert_eq!(fixture.problems(), expected);
}

#[test]
fn erasing_details_keeps_the_chain() {
    let mut fixture = Fixture::new();
    let (mut keys, mut details) = (Vec::new(), Vec::new());
    fixture
        .store
        .scan(&fixture.tenant, Scan { first: 1, last: 3, order: Order::OldestFirst }, &mut |stored| {
            keys.push(stored.key.clone().unwrap());
            details.push(stored.detail.clone().unwrap());
            ControlFlow::Continue(())
        })
        .unwrap();
    let holds = |marker: &[u8]| {
        ["", "-wal"].iter().any(|suffix| {
            let bytes = fs::read(format!("{}{suffix}", fixture.path.display())).unwrap_or_default();
            bytes.windows(marker.len()).any(|window| window == marker)
        })
    };
    assert!(keys.iter().chain(&details).all(|kept| holds(kept)));
    assert!(!holds(b"\"n\":2"), "a detail lies in clear in the store");
    erase(&mut fixture.store, &fixture.tenant, &[(1, 3)], &[(1, 3)]);
    assert!(!keys.iter().chain(&details).any(|kept| holds(kept)), "what was erased is still in the file");
    let report = fixture.verify(&VerifyRequest::default());
    assert!(report.is_intact(), "{report:?}");
    assert_eq!((report.erased, report.records), (3, 6));
}

/// Erases details, under a record that names some.
fn erase(store: &mut SqlStore, tenant: &Tenant, erased: &[(u64, u64)], named: &[(u64, u64)]) {
    let principal = principal(tenant);
    let mut records = PendingRecords::default();
    records
        .push(&Entry {
            erased: Some(ErasureNote { records: named, by: "ann" }),
            ..Entry::new(RecordKind::Erasure, Timestamp(9), &principal)
        })
        .unwrap();
    let changes: Vec<Change<'_>> =
        erased.iter().map(|(first, last)| Change::EraseDetails { first: *first, last: *last }).collect();
    let mut batch = Batch {
        tenant,
        now: Timestamp(9),
        durability: Durability::Power,
        changes: &changes,
        records: &mut records,
    };
    assert_eq!(store.append(&mut batch).unwrap().len(), 1);
}

#[test]
fn what_is_erased_beyond_what_an_erasure_names_is_noticed() {
    for (erased, named, problems) in [
        (&[(1, 3)][..], &[(1, 2)][..], vec![(1, 3)]),
        (&[(2, 2), (4, 5)], &[(2, 2), (4, 4)], vec![(4, 5)]),
        (&[(2, 2), (4, 4)], &[(4, 4), (2, 2)], vec![]),
        // A record cannot have erased what came after it, its own detail included.
        (&[(2, 2)], &[(2, 9)], vec![]),
    ] {
        let mut fixture = Fixture::new();
        erase(&mut fixture.store, &fixture.tenant, erased, named);
        let expected: Vec<Problem> =
            problems.into_iter().map(|(first, last)| Problem::ErasedUnrecorded { first, last }).collect();
        assert_eq!(fixture.problems(), expected, "{erased:?} under {named:?}");
        let _ = append(&mut fixture.store, &fixture.tenant, 7..8);
        fixture.tamper(&format!("UPDATE record SET key = NULL, detail = NULL WHERE id = {ROW} | 7"));
        assert!(fixture.problems().contains(&Problem::ErasedUnrecorded { first: 7, last: 7 }));
    }
}

#[test]
fn a_chain_set_back_together_with_its_head_shows_only_against_a_noted_head() {
    let fixture = Fixture::new();
    fixture.tamper(&format!(
        "DELETE FROM record WHERE id >= {ROW} | 4;
         UPDATE chain SET seq = 3, hash = (SELECT hash FROM record WHERE id = {ROW} | 3)"
    ));
    assert!(fixture.verify(&VerifyRequest::default()).is_intact());
    let checkpoints = [fixture.receipts[4]];
    let report = fixture.verify(&VerifyRequest { checkpoints: &checkpoints, receipts: &[] });
    assert_eq!(report.problems, [Problem::CheckpointDiffers { seq: 5 }]);
}

#[test]
fn a_rewritten_chain_shows_against_a_noted_head() {
    let mut fixture = Fixture::new();
    fixture.tamper(&format!(
        "DELETE FROM record WHERE id >= {ROW} | 4;
         UPDATE chain SET seq = 3, hash = (SELECT hash FROM record WHERE id = {ROW} | 3)"
    ));
    let _ = append(&mut fixture.store, &fixture.tenant, 4..9);
    assert!(fixture.verify(&VerifyRequest::default()).is_intact());
    let checkpoints = [fixture.receipts[4]];
    let report = fixture.verify(&VerifyRequest { checkpoints: &checkpoints, receipts: &[] });
    assert_eq!(report.problems, [Problem::CheckpointDiffers { seq: 5 }]);
}

#[test]
fn a_receipt_is_found_or_missed() {
    let fixture = Fixture::new();
    let receipts = [fixture.receipts[2].hash, Digest([9; 32])];
    let report = fixture.verify(&VerifyRequest { checkpoints: &[], receipts: &receipts });
    assert_eq!(report.receipts[0].seq, Some(3));
    assert_eq!(report.receipts[1].seq, None);
    assert!(!report.is_intact());
}

#[test]
fn a_damaged_chain_takes_no_more_records() {
    let mut fixture = Fixture::new();
    fixture.tamper(&format!("DELETE FROM record WHERE id = {ROW} | 5"));
    let principal = principal(&fixture.tenant);
    let mut records = PendingRecords::default();
    records.push(&Entry::new(RecordKind::Decision, Timestamp(1), &principal)).unwrap();
    let appended = fixture.store.append(&mut Batch {
        tenant: &fixture.tenant,
        now: Timestamp(1),
        durability: Durability::Kill,
        changes: &[],
        records: &mut records,
    });
    assert_eq!(appended, Err(StoreError::ChainDamaged { tenant: "local".to_owned(), seq: 5 }));
}

#[test]
fn an_export_holds_the_hashed_bytes_as_they_are() {
    let fixture = Fixture::new();
    let mut out = Vec::new();
    let head = export(&fixture.store, &fixture.tenant, ExportScope::Records, &mut out).unwrap();
    assert_eq!(head, Some(fixture.receipts[4]));
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text.lines().count(), 5);
    for (line, receipt) in text.lines().zip(&fixture.receipts) {
        let prefix = format!("{{\"receipt\":\"{receipt}\",\"record\":");
        let record = line.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix('}')).unwrap();
        assert_eq!(Digest(Sha256::digest(record).into()), receipt.hash);
        assert!(!line.contains("detail\""));
    }
}

#[test]
fn a_damaged_record_does_not_break_the_lines_of_an_export() {
    let fixture = Fixture::new();
    fixture.tamper(&format!(
        "UPDATE record SET bytes = CAST('{{\"a\":' || char(10) || '1}}' AS BLOB) WHERE id = {ROW} | 2;
         UPDATE record SET bytes = x'ff00' WHERE id = {ROW} | 3"
    ));
    let mut out = Vec::new();
    export(&fixture.store, &fixture.tenant, ExportScope::WithDetails, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text.lines().count(), 5);
    let damaged = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|line| line.get("damaged").is_some())
        .count();
    assert_eq!(damaged, 2);
    assert!(fixture.problems().contains(&Problem::Unreadable { seq: 3 }));
}

#[test]
fn records_are_listed_newest_first_and_by_what_they_say() {
    let fixture = Fixture::new();
    let mut seen = Vec::new();
    let filter =
        RecordFilter { since: Some(Timestamp(3)), tool: Some("read_file"), ..RecordFilter::default() };
    list(&fixture.store, &fixture.tenant, Order::NewestFirst, &filter, &mut |listed| {
        seen.push(listed.record.seq);
        if seen.len() < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .unwrap();
    assert_eq!(seen, [5, 4]);
    let told = stories(&fixture.store, &fixture.tenant, "c3").unwrap().remove(0);
    assert_eq!(told.events.len(), 1);
    assert_eq!(told.events[0].listed.receipt, fixture.receipts[2]);
    assert_eq!(told.events[0].listed.detail, Some(serde_json::json!({"arguments": {"n": 3}})));
}
