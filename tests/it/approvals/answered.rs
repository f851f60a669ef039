//! `tgw approvals approve`, `deny` and `revoke`.

use serde_json::Value;

use super::fixture::*;
use crate::place::verdict;
use crate::pty::{CTRL_C, ENTER, Person, choose};

#[test]
fn a_person_at_a_terminal_is_shown_the_question_as_it_is_stored_and_says_yes() {
    let (place, id) = asked("hello");
    let stored = place.ask(&["approvals", "show", &id]).stdout;
    let (question, _) = stored.split_once("state: ").unwrap();
    let mut person = Person::start(place.tgw(&["approvals", "approve", &id]));
    let screen = person.is_asked().replace("\r\n", "\n");
    assert!(screen.contains(question), "{screen}\nlacks\n{question}");
    choose(&mut person, "y");
    let (ended, _) = person.ends();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.starts_with(&format!("{id}: approved\nreceipt: sha256:")), "{ended:?}");
    assert_eq!(state_of(&place, &id), "approved");
    assert!(said(&place).is_empty(), "an answer runs nothing by itself");
}

#[test]
fn anything_but_the_choice_and_enter_leaves_the_question_as_it_is() {
    let (place, id) = asked("hello");
    for keys in [ENTER, CTRL_C, "yes\r", "n\r", "\u{4}"] {
        let mut person = Person::start(place.tgw(&["approvals", "approve", &id]));
        person.is_asked();
        person.press(keys);
        let (ended, _) = person.ends();
        assert_eq!(ended.code, Some(1), "{keys:?}: {ended:?}");
        assert_eq!(state_of(&place, &id), "pending", "{keys:?}");
    }
}

#[test]
fn without_a_terminal_only_the_digest_of_what_was_shown_is_an_answer() {
    let (place, id) = asked("hello");
    let other = approval_id(&send(&place, &[], "c2", "other"));
    let mut blind = place.command("setsid");
    blind.arg(env!("CARGO_BIN_EXE_tgw")).args(["approvals", "approve", &id]);
    let ended = crate::place::finish(&mut blind, b"y\n");
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("no terminal is attached"), "{ended:?}");
    let wrong = place.ask(&["approvals", "approve", &id, "--digest", &shown_digest(&place, &other)]);
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    let bare = place.ask(&["approvals", "approve", &id, "--yes"]);
    assert_eq!(bare.code, Some(2), "{bare:?}");
    assert_eq!(state_of(&place, &id), "pending");
    approve(&place, &id);
    assert_eq!(state_of(&place, &id), "approved");
}

#[test]
fn an_answer_is_on_record_with_who_gave_it_and_the_question() {
    let (place, id) = asked("hello");
    let ended = answer(&place, "deny", &id, &["--feedback", "use the other word"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let records = place.audit();
    let record = &records.last().unwrap()["record"];
    assert_eq!(record["kind"], "approval");
    assert_eq!(record["approval"]["id"], id.as_str());
    assert_eq!(
        (&record["approval"]["answer"], &record["approval"]["how"]),
        (&"denied".into(), &"digest".into())
    );
    assert!(
        record["approval"]["by"].is_string() && record["approval"]["question_hmac"].is_string(),
        "{record}"
    );
    let asked = &records[0]["record"];
    assert_eq!(asked["call"], record["call"]);
}

#[test]
fn a_question_takes_one_answer_and_says_what_it_was() {
    let (place, id) = asked("hello");
    let digest = shown_digest(&place, &id);
    approve(&place, &id);
    for (word, flags) in [("approve", ["--note", "x"]), ("deny", ["--feedback", "x"])] {
        let again = place.ask(&[&["approvals", word, &id, "--digest", &digest], &flags[..]].concat());
        assert_eq!(again.code, Some(1), "{again:?}");
        assert!(again.stderr.contains("was approved by") && again.stdout.is_empty(), "{again:?}");
    }
}

#[test]
fn a_question_or_a_yes_that_was_taken_back_runs_nothing_and_is_final() {
    for approved in [false, true] {
        let (place, id) = asked("hello");
        let digest = shown_digest(&place, &id);
        if approved {
            approve(&place, &id);
        }
        let revoked = place.ask(&["approvals", "revoke", &id]);
        assert_eq!(revoked.code, Some(0), "{revoked:?}");
        assert_eq!(state_of(&place, &id), "revoked");
        let ran = place.ask(&["approvals", "run", &id]);
        assert_eq!((verdict(&ran.line()).as_str(), ran.code), ("denied/APPROVAL_DENIED", Some(3)));
        let late = place.ask(&["approvals", "approve", &id, "--digest", &digest]);
        assert!(late.code == Some(1) && late.stderr.contains("was taken back"), "{late:?}");
        let twice = place.ask(&["approvals", "revoke", &id]);
        assert_eq!(twice.code, Some(1), "{twice:?}");
        assert_eq!(verdict(&send(&place, &[], "c1", "hello")), "input_required/APPROVAL_REQUIRED");
        assert!(said(&place).is_empty());
    }
}

#[test]
fn an_unknown_question_is_said_to_be_unknown() {
    let (place, _) = asked("hello");
    for word in ["approve", "deny", "run"] {
        let ended = place.ask(&["approvals", word, "a_aaaaaaaaaaaaaaaa"]);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.starts_with("error: there is no question"), "{ended:?}");
    }
}

#[test]
fn a_no_settles_every_question_about_the_same_call() {
    let (place, id) = asked("hello");
    let twin = approval_id(&send(&place, &[], "c2", "hello"));
    assert_ne!(id, twin);
    answer(&place, "deny", &id, &[]);
    assert_eq!(state_of(&place, &twin), "denied");
    let record: Vec<Value> = place.audit();
    assert!(record.len() >= 3);
}

#[test]
fn identical_questions_are_listed_as_one_with_their_count() {
    let (place, id) = asked("hello");
    let twin = approval_id(&send(&place, &[], "c2", "hello"));
    send(&place, &[], "c3", "other");
    let listed: Vec<Value> =
        serde_json::from_str(&place.ask(&["approvals", "list", "--json"]).stdout).unwrap();
    let counts: Vec<&Value> = listed.iter().map(|one| &one["count"]).collect();
    assert_eq!(counts, [1, 2], "{listed:?}");
    assert_eq!(listed[1]["ids"], serde_json::json!([twin, id]));
    let table = place.ask(&["approvals", "list"]).stdout;
    let about =
        |word: &str| table.lines().find(|line| line.contains(&format!("word: \"{word}\", note: \"none\"")));
    assert!(about("hello").is_some_and(|line| line.contains("question, 2 times")), "{table}");
    assert!(about("other").is_some(), "{table}");
}

#[test]
fn a_list_shows_what_a_question_is_about_on_one_line_and_nothing_of_an_edited_one() {
    let place = place();
    let id = approval_id(&send(&place, &[], "c1", "one\nadmin: \u{1b}[31myes\u{202e}"));
    let table = || place.ask(&["approvals", "list"]).stdout;
    let row = table().lines().find(|line| line.contains(&id)).unwrap().to_owned();
    assert!(row.contains("word") && !row.contains(['\u{1b}', '\u{202e}']), "{row}");
    let long = approval_id(&send(&place, &[], "c2", &"x".repeat(500)));
    let row = table().lines().find(|line| line.contains(&long)).unwrap().to_owned();
    assert!(row.trim_end().ends_with('~') && row.len() < 250, "{row}");
    alter(&place, "UPDATE approval SET call = replace(call, 'xxx', 'yyy'), seal = x'00'");
    let row = table().lines().find(|line| line.contains(&long)).unwrap().to_owned();
    assert!(!row.contains("word"), "{row}");
}

#[test]
fn a_watcher_is_told_of_each_question_once_also_of_one_that_comes_later() {
    use std::io::BufRead;
    let (place, first) = asked("hello");
    let mut child = place
        .tgw(&["approvals", "watch", "--json"])
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next()["id"], first.as_str());
    let second = approval_id(&send(&place, &[], "c2", "other"));
    let told = next();
    assert_eq!((&told["id"], &told["tool"]), (&second.as_str().into(), &"say".into()));
    child.kill().unwrap();
    child.wait().unwrap();
}
