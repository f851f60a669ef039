//! Breaking the audit chain as someone who can write all of the store: only what is kept elsewhere can tell.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rusqlite::Connection;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::fixture::{free, line};
use crate::place::{Ended, Place};

/// A place with a chain of five records and a key.
fn chained() -> (Place, String) {
    let place = free();
    let input: String = (0..5).map(|_| line("list_directory", &json!({}))).collect();
    place.run(&[], input);
    let made = place.ask(&["audit", "keygen"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    (place, made.stdout.trim().to_owned())
}

fn beside(place: &Place, name: &str) -> String {
    place.workspace().parent().unwrap().join("aside").join(name).display().to_string()
}

/// Signs the chain as it is, into a file beside the workspace.
fn checkpoint(place: &Place, name: &str) -> String {
    let signed = place.ask(&["audit", "checkpoint"]);
    assert_eq!(signed.code, Some(0), "{signed:?}");
    let file = beside(place, name);
    fs::write(&file, signed.stdout).unwrap();
    file
}

fn against(place: &Place, file: &str) -> Ended {
    place.ask(&["audit", "verify", "--against", file])
}

/// The file is believed and the chain is found wanting, or the other way round; never a pass.
fn caught(ended: &Ended, complaint: &str) {
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains(complaint) && !ended.stdout.contains("vouched for"), "{ended:?}");
}

fn store(place: &Place) -> Connection {
    Connection::open(place.store()).unwrap()
}

/// Removes the last records with their traces: the head is set back.
fn truncate(place: &Place, records: u64) {
    let chain = store(place);
    for _ in 0..records {
        chain
            .execute_batch(
                "DELETE FROM record WHERE id = (SELECT max(id) FROM record); UPDATE chain SET seq = seq - 1, \
                 hash = (SELECT hash FROM record ORDER BY id DESC LIMIT 1)",
            )
            .unwrap();
    }
}

/// Changes what the records say from the first to the last, and makes every hash and the head anew.
fn rewrite(place: &Place, from: &str, to: &str) {
    let chain = store(place);
    let rows: Vec<(i64, Vec<u8>)> = chain
        .prepare("SELECT id, bytes FROM record ORDER BY id")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut previous = [0_u8; 32];
    for (id, bytes) in rows {
        let mut record = String::from_utf8(bytes).unwrap();
        let start = record.find("\"prev\":\"sha256:").unwrap() + 15;
        let hex: String = previous.iter().map(|byte| format!("{byte:02x}")).collect();
        record.replace_range(start..start + 64, &hex);
        let record = record.replace(from, to);
        previous = Sha256::digest(record.as_bytes()).into();
        chain
            .execute(
                "UPDATE record SET bytes = ?2, hash = ?3 WHERE id = ?1",
                rusqlite::params![id, record.as_bytes(), &previous[..]],
            )
            .unwrap();
    }
    chain.execute("UPDATE chain SET hash = ?1", [&previous[..]]).unwrap();
}

#[test]
fn a_chain_that_grew_holds_its_checkpoint() {
    let (place, key) = chained();
    let file = checkpoint(&place, "kept");
    place.run(&[], line("list_directory", &json!({})));
    let ended = against(&place, &file);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("vouched for: records 1 to 5, by a checkpoint signed at "), "{ended:?}");
    assert!(ended.stdout.contains(&key) && ended.stdout.contains("not noticed in the 1 records after it"));
}

#[test]
fn a_truncated_chain_is_caught() {
    for records in 1..5 {
        let (place, _) = chained();
        let file = checkpoint(&place, "kept");
        truncate(&place, records);
        assert_eq!(place.ask(&["audit", "verify"]).code, Some(0), "the chain alone cannot tell");
        caught(&against(&place, &file), "broken: the chain does not hold record 5 as it was noted");
        // It grew again since.
        place.run(&[], (0..6).map(|_| line("list_directory", &json!({}))).collect::<String>());
        caught(&against(&place, &file), "broken: the chain does not hold record 5 as it was noted");
    }
}

#[test]
fn a_rewritten_chain_with_all_hashes_made_anew_is_caught() {
    let (place, _) = chained();
    let file = checkpoint(&place, "kept");
    rewrite(&place, "list_directory", "list_directorz");
    assert_eq!(place.ask(&["audit", "verify"]).code, Some(0), "the chain alone cannot tell");
    caught(&against(&place, &file), "broken: the chain does not hold record 5 as it was noted");
}

#[test]
fn a_store_that_was_replaced_or_removed_as_a_whole_is_caught() {
    let (place, _) = chained();
    let file = checkpoint(&place, "kept");
    for entry in fs::read_dir(place.store().parent().unwrap()).unwrap().flatten() {
        fs::remove_file(entry.path()).unwrap();
    }
    caught(&against(&place, &file), "missing: record 5 was signed at ");
    let again: String = (0..9).map(|_| line("list_directory", &json!({}))).collect();
    place.run(&[], again);
    assert_eq!(place.ask(&["audit", "verify"]).code, Some(0), "the new chain alone cannot tell");
    caught(&against(&place, &file), "broken: the chain does not hold record 5 as it was noted");
}

#[test]
fn another_tenants_checkpoint_vouches_for_nothing() {
    let (place, _) = chained();
    let input: String = (0..7).map(|_| line("list_directory", &json!({}))).collect();
    place.run(&["--tenant", "other"], input);
    let signed = place.ask(&["audit", "checkpoint", "--tenant", "other"]).stdout;
    let file = beside(&place, "other");
    fs::write(&file, &signed).unwrap();
    assert_eq!(place.ask(&["audit", "verify", "--against", &file, "--tenant", "other"]).code, Some(0));
    caught(&against(&place, &file), "holds no checkpoint of `local`");
    // Nor does it where its tenant is written over.
    fs::write(&file, signed.replace("\"other\"", "\"local\"")).unwrap();
    caught(&against(&place, &file), "its signature does not hold");
}

#[test]
fn a_forged_signature_is_caught() {
    let (place, key) = chained();
    let file = checkpoint(&place, "kept");
    let signed: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    truncate(&place, 2);
    let head = place.ask(&["audit", "verify"]).stdout;
    let head = head.lines().find_map(|line| line.strip_prefix("head: ")).unwrap();
    let mut forged = signed;
    (forged["seq"], forged["head"]) = (json!(3), json!(head));
    fs::write(&file, forged.to_string()).unwrap();
    caught(&against(&place, &file), "its signature does not hold");
    // A true signature by a key that nobody named.
    let stranger = beside(&place, "stranger.key");
    let public = place.ask(&["audit", "keygen", &stranger]).stdout;
    fs::write(&file, place.ask(&["audit", "checkpoint", "--key", &stranger]).stdout).unwrap();
    caught(&against(&place, &file), "none of the keys that are believed");
    let named = place.ask(&["audit", "verify", "--against", &file, "--signer", public.trim()]);
    assert_eq!(named.code, Some(0), "{named:?}");
    // One good line does not make up for a forged one.
    let good = place.ask(&["audit", "checkpoint"]).stdout;
    fs::write(&file, format!("{good}{forged}\n")).unwrap();
    let mixed = place.ask(&["audit", "verify", "--against", &file, "--signer", &key]);
    caught(&mixed, ":2: its signature does not hold");
}

#[test]
fn an_older_checkpoint_vouches_for_no_more_than_it_saw_and_says_so() {
    let (place, _) = chained();
    let older = checkpoint(&place, "older");
    place.run(&[], (0..5).map(|_| line("list_directory", &json!({}))).collect::<String>());
    let newer = checkpoint(&place, "newer");
    let both = beside(&place, "both");
    fs::write(&both, [older.as_str(), &newer].map(|file| fs::read_to_string(file).unwrap()).concat())
        .unwrap();
    assert!(against(&place, &both).stdout.contains("vouched for: records 1 to 10, "));
    truncate(&place, 3);
    let ended = against(&place, &older);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("vouched for: records 1 to 5, "), "{ended:?}");
    assert!(ended.stdout.contains("not noticed in the 2 records after it:\n  - a chain that was rewritten"));
    for file in [&newer, &both] {
        caught(&against(&place, file), "broken: the chain does not hold record 10 as it was noted");
    }
}

#[test]
fn what_is_not_intact_is_not_signed_and_a_key_that_others_can_read_signs_nothing() {
    let (place, _) = chained();
    let key = beside(&place, "open.key");
    place.ask(&["audit", "keygen", &key]);
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
    let ended = place.ask(&["audit", "checkpoint", "--key", &key]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stdout.is_empty() && ended.stderr.contains("others can read it"), "{ended:?}");
    let again = place.ask(&["audit", "keygen", &key]);
    assert_eq!(again.code, Some(1), "a key that is there is never touched: {again:?}");
    store(&place)
        .execute_batch("UPDATE record SET hash = zeroblob(32) WHERE id = (SELECT min(id) FROM record)")
        .unwrap();
    let ended = place.ask(&["audit", "checkpoint"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
    assert!(ended.stderr.contains("not intact"), "{ended:?}");
}
