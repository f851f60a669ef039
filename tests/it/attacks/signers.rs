//! Faking, moving, replaying or outliving signed answers. Whoever does this holds the key of the seals as well, so that no
//! seal stops them: what stops them is that the approvers' private keys are elsewhere.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::approvals::fixture::*;
use crate::place::{Place, verdict};

/// Changes the store and seals every question anew, as tgw itself would.
pub(super) fn forge(place: &Place, change: &str) {
    alter(place, change);
    let key = std::fs::read(place.state().join("seal.key")).unwrap();
    let store = rusqlite::Connection::open(place.store()).unwrap();
    let ids: Vec<String> = store
        .prepare("SELECT id FROM approval")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for id in ids {
        let seal = seal(&store, &key, &id);
        store.execute("UPDATE approval SET seal = ?2 WHERE id = ?1", rusqlite::params![id, seal]).unwrap();
    }
}

/// HMAC-SHA-256 over the row: each field with its length.
fn seal(store: &rusqlite::Connection, key: &[u8], id: &str) -> Vec<u8> {
    use rusqlite::types::ValueRef;
    const COLUMNS: [(&str, bool); 20] = [
        ("id", false),
        ("tenant", false),
        ("user", false),
        ("agent", false),
        ("agent_version", true),
        ("task", false),
        ("step", true),
        ("tool", false),
        ("call", false),
        ("binding", false),
        ("likeness", true),
        ("question", false),
        ("created", false),
        ("expires", false),
        ("state", false),
        ("answered", true),
        ("answered_by", true),
        ("feedback", true),
        ("spent", true),
        ("answers", false),
    ];
    let mut bytes = Vec::new();
    let mut add = |field: &[u8]| {
        bytes.extend_from_slice(&(field.len() as u64).to_be_bytes());
        bytes.extend_from_slice(field);
    };
    add(b"tgw 1");
    add(b"approval");
    for (name, optional) in COLUMNS {
        let sql = format!("SELECT {name} FROM approval WHERE id = ?1");
        store
            .query_row(&sql, [id], |row| {
                let value = match row.get_ref(0)? {
                    ValueRef::Null => None,
                    ValueRef::Integer(number) => Some(number.to_be_bytes().to_vec()),
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes.to_vec()),
                    ValueRef::Real(_) => panic!("{name} is a decimal number"),
                };
                match (value, optional) {
                    (Some(value), false) => add(&value),
                    (Some(value), true) => {
                        add(b"+");
                        add(&value);
                    }
                    (None, true) => add(b"-"),
                    (None, false) => assert_eq!(name, "answers"),
                }
                Ok(())
            })
            .unwrap();
    }
    let block: Vec<u8> = (0..64).map(|at| key.get(at).copied().unwrap_or(0)).collect();
    let padded = |with: u8| block.iter().map(|byte| byte ^ with).collect::<Vec<u8>>();
    let inner = Sha256::digest([padded(0x36), bytes].concat());
    Sha256::digest([padded(0x5c), inner.to_vec()].concat()).to_vec()
}

pub(super) fn answers(place: &Place, id: &str) -> Vec<Value> {
    let store = rusqlite::Connection::open(place.store()).unwrap();
    let text: Option<String> =
        store.query_row("SELECT answers FROM approval WHERE id = ?1", [id], |row| row.get(0)).unwrap();
    serde_json::from_str(&text.unwrap_or_else(|| "[]".to_owned())).unwrap()
}

/// Puts answers into the store as if the question had been approved with them.
fn approve_with(place: &Place, id: &str, answers: &[Value]) {
    let text = json!(answers).to_string().replace('\'', "''");
    forge(
        place,
        &format!(
            "UPDATE approval SET state = 'approved', answered = created, answered_by = 'ann, bo', answers = '{text}'
             WHERE id = '{id}'"
        ),
    );
}

/// The call does not run by any way, and the chain says that something was not believed.
fn is_refused(finance: &Finance, what: &str) {
    assert_ne!(finance.run(), "succeeded", "{what}");
    assert_ne!(verdict(&send(&finance.place, &["--user", "dan"], "c1", "pay")), "succeeded", "{what}");
    assert!(said(&finance.place).is_empty(), "{what}");
}

#[test]
fn who_can_seal_rows_can_forge_an_ordinary_answer_and_no_signed_one() {
    // That the forgery works where nothing is signed shows that it is the signature that stops it elsewhere.
    let (place, id) = asked("hello");
    forge(&place, "UPDATE approval SET state = 'approved', answered = created, answered_by = 'root'");
    assert_eq!(verdict(&place.ask(&["approvals", "run", &id]).line()), "succeeded");
    let finance = Finance::new();
    forge(
        &finance.place,
        "UPDATE approval SET state = 'approved', answered = created, answered_by = 'ann, bo'",
    );
    assert_eq!(state_of(&finance.place, &finance.id), "approved", "the seal fits");
    is_refused(&finance, "no answers at all");
    let doubts = finance.place.audit();
    assert!(doubts.iter().any(|one| one["record"]["approval"]["answer"] == "not_believed"), "{doubts:?}");
}

#[test]
fn answers_that_nobody_signed_and_those_of_strangers_count_for_nothing() {
    let finance = Finance::new();
    finance.yes("ann");
    let real = answers(&finance.place, &finance.id);
    let mut renamed = real[0].clone();
    renamed["approver"] = json!("bo");
    let mut unsigned = real[0].clone();
    unsigned["approver"] = json!("cy");
    unsigned["signature"] = json!("");
    for forged in [renamed, unsigned, real[0].clone()] {
        approve_with(&finance.place, &finance.id, &[real[0].clone(), forged.clone()]);
        is_refused(&finance, &forged.to_string());
    }
}

#[test]
fn a_signature_for_another_question_counts_for_nothing() {
    let finance = Finance::new();
    let place = &finance.place;
    let harmless = approval_id(&send(place, &["--user", "dan"], "c2", "harmless"));
    for name in ["ann", "bo"] {
        signed_yes(place, &harmless, name, finance.key(name));
    }
    approve_with(place, &finance.id, &answers(place, &harmless));
    is_refused(&finance, "replayed");
    // The question that they saw, put before the call that they did not see.
    let columns = "question = (SELECT question FROM approval WHERE id = 'FROM'), call = (SELECT call FROM approval WHERE id = 'FROM')";
    forge(
        place,
        &format!(
            "UPDATE approval SET {} WHERE id = '{}'",
            columns.replace("FROM'", &format!("{harmless}'")),
            finance.id
        ),
    );
    is_refused(&finance, "another question shown");
    forge(
        place,
        &format!(
            "UPDATE approval SET binding = (SELECT binding FROM approval WHERE id = '{}') WHERE id = '{harmless}'",
            finance.id
        ),
    );
    is_refused(&finance, "another call under their answers");
}

#[test]
fn a_signature_for_another_tenant_or_another_time_counts_for_nothing() {
    let finance = Finance::new();
    let place = &finance.place;
    finance.yes("ann");
    finance.yes("bo");
    let moved = format!("UPDATE approval SET tenant = 'other' WHERE id = '{}'", finance.id);
    forge(place, &moved);
    let ran = place.ask(&["approvals", "run", &finance.id, "--tenant", "other"]);
    assert_ne!(ran.lines().first().map(verdict), Some("succeeded".to_owned()), "{ran:?}");
    forge(
        place,
        &format!("UPDATE approval SET tenant = 'local', expires = expires + 1 WHERE id = '{}'", finance.id),
    );
    is_refused(&finance, "a later end");
    forge(place, &format!("UPDATE approval SET expires = expires - 1 WHERE id = '{}'", finance.id));
    assert_eq!(finance.run(), "succeeded", "as it was, the answers hold");
}

#[test]
fn spent_answers_that_are_made_fresh_are_bound_to_the_same_call_at_most() {
    let finance = Finance::new();
    finance.yes("ann");
    finance.yes("bo");
    assert_eq!(finance.run(), "succeeded");
    forge(&finance.place, "UPDATE approval SET id = 'a_aaaaaaaaaaaaaaaa', spent = NULL");
    let ran = finance.place.ask(&["approvals", "run", "a_aaaaaaaaaaaaaaaa"]);
    assert_ne!(ran.lines().first().map(verdict), Some("succeeded".to_owned()), "{ran:?}");
    assert_eq!(said(&finance.place), ["pay"]);
}

#[test]
fn an_approver_who_was_removed_or_got_another_key_has_said_nothing() {
    for replaced in [false, true] {
        let finance = Finance::new();
        let place = &finance.place;
        finance.yes("ann");
        finance.yes("bo");
        assert_eq!(place.ask(&["approvers", "remove", "ann"]).code, Some(0));
        if replaced {
            let (_, public) = keygen(place, "ann-again");
            assert_eq!(place.ask(&["approvers", "add", "ann", &public]).code, Some(0));
        }
        is_refused(&finance, "removed");
    }
}

#[test]
fn a_removed_approvers_earlier_answer_does_not_complete_anothers() {
    let finance = Finance::new();
    finance.yes("ann");
    assert_eq!(finance.place.ask(&["approvers", "remove", "ann"]).code, Some(0));
    assert!(finance.yes("bo").contains("1 of 2"));
    assert!(finance.yes("cy").ends_with(": approved"));
    assert_eq!(finance.run(), "succeeded");
}

#[test]
fn a_policy_that_asks_for_more_since_then_is_not_met() {
    for stricter in [
        TWO.replace("count: 2", "count: 3"),
        TWO.replace("[ann, bo, cy, dan]", "[ann, cy, dan]"),
        TWO.replace(
            "rules: [",
            "rules: [{id: too, verdict: require_approval, tools: [say], approval: {by: [finance]}}, ",
        ),
    ] {
        let finance = Finance::new();
        finance.yes("ann");
        finance.yes("bo");
        finance.place.configure(TOOLS, &stricter);
        is_refused(&finance, &stricter);
    }
}

#[test]
fn a_key_that_is_not_the_approvers_own_signs_nothing() {
    let finance = Finance::new();
    let place = &finance.place;
    let other = sign(place, "approve", &finance.id, "ann", finance.key("bo"));
    assert!(other.code == Some(1) && other.stderr.contains("is not the key of `ann`"), "{other:?}");
    let (unknown, _) = keygen(place, "mallory");
    let stranger = sign(place, "approve", &finance.id, "mallory", &unknown);
    assert!(
        stranger.code == Some(1) && stranger.stderr.contains("there is no approver `mallory`"),
        "{stranger:?}"
    );
    let key = finance.key("ann");
    std::fs::set_permissions(key, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let known = sign(place, "approve", &finance.id, "ann", key);
    assert!(known.code == Some(2) && known.stderr.contains("others can read it"), "{known:?}");
    assert!(answers(place, &finance.id).is_empty());
}

#[test]
fn a_list_of_approvers_that_others_can_write_or_that_lies_in_the_workspace_is_not_obeyed() {
    let finance = Finance::new();
    let place = &finance.place;
    finance.yes("ann");
    finance.yes("bo");
    let list = place.config().join("approvers.yaml");
    place.file("approvers.yaml", &std::fs::read_to_string(&list).unwrap());
    std::fs::set_permissions(&list, std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
    assert_eq!(place.ask(&["approvals", "run", &finance.id]).code, Some(2));
    std::fs::remove_file(&list).unwrap();
    is_refused(&finance, "only a list in the workspace");
}

#[test]
fn signatures_that_came_before_the_end_do_not_outlive_it() {
    let finance = Finance::new();
    let place = &finance.place;
    let digest = shown_digest(place, &finance.id);
    finance.yes("ann");
    forge(place, "UPDATE approval SET created = 1, expires = 2");
    let late = place.ask(&[
        "approvals",
        "approve",
        &finance.id,
        "--as",
        "bo",
        "--key",
        finance.key("bo"),
        "--digest",
        &digest,
    ]);
    assert!(late.code == Some(1) && late.stderr.contains("expired at"), "{late:?}");
    assert_eq!(state_of(place, &finance.id), "expired");
    assert_ne!(finance.run(), "succeeded");
    assert!(said(place).is_empty());
}
