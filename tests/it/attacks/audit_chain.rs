//! Breaking the audit chain. `tgw audit verify` must say what it says it notices.

use std::fs;
use std::process::Stdio;
use std::thread;

use rusqlite::Connection;
use serde_json::json;

use super::fixture::{FREE, SAY, SHIPPED, free, line};
use crate::place::{Ended, Place, finish, verdict};

/// A place with a chain of five records.
fn chained() -> Place {
    let place = free();
    let input: String = (0..5).map(|_| line("list_directory", &json!({}))).collect();
    place.run(&[], input);
    assert_eq!(verify(&place, &[]).code, Some(0));
    place
}

fn verify(place: &Place, arguments: &[&str]) -> Ended {
    place.ask(&[&["audit", "verify"], arguments].concat())
}

fn tamper(place: &Place, statements: &str) {
    Connection::open(place.store()).unwrap().execute_batch(statements).unwrap();
}

#[test]
fn each_kind_of_tampering_is_noticed() {
    let last = "(SELECT max(id) FROM record)";
    let first = "(SELECT min(id) FROM record)";
    for (what, statements) in [
        (
            "edited",
            format!(
                "UPDATE record SET bytes = CAST(replace(CAST(bytes AS TEXT), 'list_directory', 'read_file') AS BLOB) WHERE id = {last}"
            ),
        ),
        ("hash replaced", format!("UPDATE record SET hash = zeroblob(32) WHERE id = {last}")),
        ("deleted in the middle", format!("DELETE FROM record WHERE id = {first} + 2")),
        ("deleted at the beginning", format!("DELETE FROM record WHERE id = {first}")),
        ("deleted at the end", format!("DELETE FROM record WHERE id = {last}")),
        ("all deleted", "DELETE FROM record".to_owned()),
        (
            "reordered",
            format!(
                "UPDATE record SET id = -1 WHERE id = {first} + 1; UPDATE record SET id = {first} + 1 WHERE id = {first} + 2; UPDATE record SET id = {first} + 2 WHERE id = -1"
            ),
        ),
        ("detail changed", format!("UPDATE record SET detail = zeroblob(length(detail)) WHERE id = {first}")),
        ("detail written in clear", format!("UPDATE record SET detail = x'7b7d' WHERE id = {first}")),
        ("detail removed", format!("UPDATE record SET key = NULL, detail = NULL WHERE id = {first}")),
        (
            "detail's ciphertext swapped",
            format!(
                "UPDATE record SET detail = (SELECT detail FROM record WHERE id = {first} + 1) WHERE id = {first}"
            ),
        ),
        ("detail's key changed", format!("UPDATE record SET key = zeroblob(16) WHERE id = {first}")),
        (
            "record added",
            format!(
                "INSERT INTO record SELECT id + 1, hash, bytes, key, detail FROM record WHERE id = {last}"
            ),
        ),
        (
            "record of another chain",
            "INSERT INTO record SELECT id + (1 << 45), hash, bytes, key, detail FROM record LIMIT 1"
                .to_owned(),
        ),
        ("head moved back", "UPDATE chain SET seq = seq - 1".to_owned()),
        ("head replaced", "UPDATE chain SET hash = zeroblob(32)".to_owned()),
        ("chain given to another tenant", "UPDATE chain SET tenant = 'other'".to_owned()),
    ] {
        let place = chained();
        tamper(&place, &statements);
        let ended = verify(&place, &[]);
        assert_eq!(ended.code, Some(1), "{what} was not noticed: {ended:?}");
        assert!(
            ended.stdout.contains("broken: ") && ended.stdout.contains("not intact"),
            "{what}: {ended:?}"
        );
    }
}

#[test]
fn a_record_blown_up_is_noticed_and_not_loaded() {
    let last = "(SELECT max(id) FROM record)";
    for (column, complaint) in [
        ("detail", "the detail of record 5 was changed"),
        ("bytes", "record 5 was edited"),
        ("key", "the detail of record 5 was changed"),
        ("hash", "record 5 is not the one that the head names"),
    ] {
        for bytes in [17 << 20, 150 << 20] {
            let place = chained();
            tamper(&place, &format!("UPDATE record SET {column} = zeroblob({bytes}) WHERE id = {last}"));
            let tgw = place.tgw(&["audit", "verify"]);
            let mut command = place.command("sh");
            // Less than the larger one takes twice.
            command
                .args(["-c", "ulimit -v 262144; exec \"$@\"", "sh"])
                .arg(tgw.get_program())
                .args(tgw.get_args());
            let ended = finish(&mut command, b"");
            assert_eq!(ended.code, Some(1), "{column} of {bytes} bytes: {ended:?}");
            assert!(ended.stdout.contains(complaint), "{column} of {bytes} bytes: {ended:?}");
        }
    }
}

#[test]
fn an_end_cut_off_with_the_head_set_back_is_noticed_with_a_receipt_kept_elsewhere() {
    let place = chained();
    let ended = place.run(&[], line("list_directory", &json!({})));
    let receipt = ended.line()["receipt"].as_str().unwrap().to_owned();
    assert_eq!(verify(&place, &["--receipt", &receipt]).code, Some(0));
    tamper(
        &place,
        "DELETE FROM record WHERE id = (SELECT max(id) FROM record); UPDATE chain SET seq = seq - 1, hash = (SELECT hash FROM record ORDER BY id DESC LIMIT 1)",
    );
    let blind = verify(&place, &[]);
    assert_eq!(blind.code, Some(0));
    assert!(blind.stdout.contains("not noticed without a receipt or head kept elsewhere"), "{blind:?}");
    let seeing = verify(&place, &["--receipt", &receipt]);
    assert_eq!(seeing.code, Some(1), "{seeing:?}");
    assert!(seeing.stdout.contains("missing: "), "{seeing:?}");
}

#[test]
fn an_older_copy_put_back_is_noticed_with_a_receipt_kept_elsewhere() {
    let place = chained();
    let copy = place.workspace().parent().unwrap().join("aside/copy.db");
    Connection::open(place.store()).unwrap().execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
    let receipt =
        place.run(&[], line("list_directory", &json!({}))).line()["receipt"].as_str().unwrap().to_owned();
    let folder = place.store().parent().unwrap().to_owned();
    for entry in fs::read_dir(&folder).unwrap().flatten() {
        fs::remove_file(entry.path()).unwrap();
    }
    fs::copy(copy, folder.join("state.db")).unwrap();
    fs::set_permissions(folder.join("state.db"), std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .unwrap();
    assert_eq!(verify(&place, &["--receipt", &receipt]).code, Some(1));
}

#[test]
fn a_chain_that_was_broken_is_not_continued_silently() {
    let place = chained();
    tamper(&place, "DELETE FROM record WHERE id = (SELECT max(id) FROM record)");
    place.run(&[], line("list_directory", &json!({})));
    let ended = verify(&place, &[]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
}

#[test]
fn many_processes_write_one_chain() {
    let place = chained();
    let input: String = (0..40).map(|_| line("list_directory", &json!({}))).collect();
    let receipts: Vec<String> = thread::scope(|scope| {
        let runs: Vec<_> = (0..6).map(|_| scope.spawn(|| place.run(&[], &input))).collect();
        runs.into_iter()
            .flat_map(|run| run.join().unwrap().lines())
            .map(|line| {
                assert_eq!(verdict(&line), "succeeded");
                line["receipt"].as_str().unwrap().to_owned()
            })
            .collect()
    });
    assert_eq!(receipts.len(), 240);
    let mut arguments = Vec::new();
    for receipt in &receipts {
        arguments.extend(["--receipt", receipt.as_str()]);
    }
    let ended = verify(&place, &arguments);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("intact: 245 records"), "{ended:?}");
}

#[test]
fn a_kill_at_any_moment_leaves_a_chain_that_holds_everything_that_was_answered() {
    let place = Place::new();
    place.configure(SAY, FREE);
    let input: String =
        (0..200).map(|number| line("say", &json!({ "word": format!("w{number}") }))).collect();
    for answered in [1, 2, 5, 9] {
        let mut child = place
            .tgw(&["run"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.clone();
        let writer = thread::spawn(move || {
            use std::io::Write;
            let _ = stdin.write_all(input.as_bytes());
        });
        let mut reader = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut receipts = Vec::new();
        for _ in 0..answered {
            use std::io::BufRead;
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert_eq!(verdict(&line), "succeeded");
            receipts.push(line["receipt"].as_str().unwrap().to_owned());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        drop(reader);
        writer.join().unwrap();
        let mut arguments = Vec::new();
        for receipt in &receipts {
            arguments.extend(["--receipt", receipt.as_str()]);
        }
        let ended = verify(&place, &arguments);
        assert_eq!(ended.code, Some(0), "after {answered}: {ended:?}");
    }
    // Every word that was said has its intent on record.
    let intents: Vec<String> = place
        .audit()
        .iter()
        .filter(|record| record["record"]["kind"] == "intent")
        .map(|record| record["detail"]["arguments"]["word"].as_str().unwrap_or_default().to_owned())
        .collect();
    for word in super::fixture::said(&place).lines() {
        assert!(intents.iter().any(|intent| intent == word), "{word} ran without a record");
    }
}

#[test]
fn journal_files_that_were_removed_are_noticed_with_a_receipt_kept_elsewhere() {
    let place = Place::new();
    place.configure(SAY, FREE);
    let receipt =
        place.run(&[], line("say", &json!({ "word": "x" }))).line()["receipt"].as_str().unwrap().to_owned();
    for entry in fs::read_dir(place.store().parent().unwrap()).unwrap().flatten() {
        let name = entry.file_name();
        if name != "state.db" {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    // What was in them is gone, which no chain can see by itself; whatever was not, is there.
    let ended = verify(&place, &["--receipt", &receipt]);
    let told = if ended.code == Some(0) { "found: " } else { "missing: " };
    assert!(ended.stdout.contains(told), "{ended:?}");
}

#[test]
fn without_a_store_that_can_be_written_nothing_runs() {
    let broken: [fn(&Place); 4] = [
        |place| {
            let store = place.store();
            for entry in fs::read_dir(store.parent().unwrap()).unwrap().flatten() {
                fs::remove_file(entry.path()).unwrap();
            }
            fs::write(&store, "this is no database, and it is long enough to be looked at as one").unwrap();
        },
        |place| {
            let store = place.store();
            fs::remove_file(&store).unwrap();
            fs::create_dir(store).unwrap();
        },
        |place| {
            let store = place.store();
            let elsewhere = place.workspace().join("moved.db");
            fs::rename(&store, &elsewhere).unwrap();
            std::os::unix::fs::symlink(elsewhere, store).unwrap();
        },
        |place| {
            fs::set_permissions(
                place.store().parent().unwrap(),
                std::os::unix::fs::PermissionsExt::from_mode(0o777),
            )
            .unwrap()
        },
    ];
    for (number, break_it) in broken.into_iter().enumerate() {
        let place = Place::new();
        place.configure(SAY, FREE);
        place.run(&[], line("say", &json!({ "word": "first" })));
        break_it(&place);
        let ended = place.run(&[], line("say", &json!({ "word": "unrecorded" })));
        // It is said at once, or to each call.
        if ended.code != Some(2) {
            assert_eq!(verdict(&ended.line()), "failed/AUDIT_UNAVAILABLE", "{number}: {ended:?}");
            assert!(ended.line()["receipt"].is_null());
        }
        assert_eq!(super::fixture::said(&place), "first\n", "{number}");
        place.configure(SHIPPED, FREE);
        place.file("a.txt", "secret words");
        let read = place.run(&[], line("read_file", &json!({ "path": "a.txt" })));
        assert!(!read.stdout.contains("secret words"), "{number}: an unrecorded read was answered: {read:?}");
    }
}

/// What the store is told to do with a record must be done: a definition planted in it runs nothing, and a store that has
/// one is not used.
#[test]
fn a_definition_planted_in_the_store_runs_nothing_and_stops_every_call() {
    for planted in [
        "CREATE TRIGGER t BEFORE INSERT ON record BEGIN SELECT RAISE(IGNORE); END",
        "CREATE TRIGGER t BEFORE UPDATE ON chain BEGIN SELECT RAISE(IGNORE); END",
        "CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM record WHERE id = new.id; END",
        "CREATE VIEW v AS SELECT * FROM record",
        "CREATE TABLE more (x)",
        "DROP INDEX result_by_tool",
    ] {
        let place = chained();
        tamper(&place, planted);
        let refused = place.run(&[], line("list_directory", &json!({})));
        assert!(!refused.stdout.contains("succeeded"), "{planted}: {}", refused.stdout);
        let verified = verify(&place, &[]);
        assert_ne!(verified.code, Some(0), "{planted}: {}", verified.stderr);
    }
}
