//! Answers that approvers sign, and how many of them it takes.

use serde_json::{Value, json};

use super::fixture::*;
use crate::place::verdict;
use crate::pty::{Person, choose};

const ASKED: &str = "input_required/APPROVAL_REQUIRED";

#[test]
fn two_of_a_group_must_sign_and_then_the_call_runs_once() {
    let finance = Finance::new();
    let (place, id) = (&finance.place, &finance.id);
    assert_eq!(
        finance.yes("ann"),
        format!("{id}: approved by `ann`, 1 of 2 from finance, other than the requester")
    );
    assert_eq!(finance.run(), ASKED);
    assert_eq!(verdict(&send(place, &["--user", "dan"], "c1", "pay")), ASKED);
    assert!(said(place).is_empty());
    assert_eq!(finance.yes("bo"), format!("{id}: approved"));
    assert_eq!(finance.run(), "succeeded");
    assert_eq!(finance.run(), ASKED, "a yes is spent once");
    assert_eq!(said(place), ["pay"]);
}

#[test]
fn the_same_call_sent_again_runs_with_the_signed_answers() {
    let finance = Finance::new();
    finance.yes("cy");
    finance.yes("ann");
    assert_eq!(verdict(&send(&finance.place, &["--user", "dan"], "c1", "pay")), "succeeded");
    assert_eq!(said(&finance.place), ["pay"]);
}

#[test]
fn the_model_is_told_what_it_takes_and_nothing_at_the_terminal_is_a_yes() {
    let finance = Finance::new();
    let place = &finance.place;
    let person = Person::start(place.tgw(&["call", "--user", "dan", "say", r#"{"word":"pay"}"#]));
    let (ended, screen) = person.ends();
    assert_eq!(ended.code, Some(4), "{ended:?} {screen}");
    let line = ended.line();
    assert_eq!(
        line["error"]["message"],
        "`say` needs signed answers, 2 from finance, other than the requester: rule `money`: it costs"
    );
    let unsigned = answer(place, "approve", &finance.id, &[]);
    assert_eq!(unsigned.code, Some(1));
    assert!(unsigned.stderr.contains("takes signed answers only, 2 from finance"), "{unsigned:?}");
    assert_eq!(finance.run(), ASKED);
}

#[test]
fn an_approver_at_a_terminal_is_shown_the_question_before_signing() {
    let finance = Finance::new();
    let arguments = ["approvals", "approve", &finance.id, "--as", "ann", "--key", finance.key("ann")];
    let mut person = Person::start(finance.place.tgw(&arguments));
    let screen = person.is_asked();
    assert!(screen.contains("it takes signed answers") && screen.contains("2 from finance"), "{screen}");
    choose(&mut person, "y");
    let (ended, _) = person.ends();
    assert!(ended.stdout.starts_with(&format!("{}: approved by `ann`, 1 of 2", finance.id)), "{ended:?}");
    let blind = ["approvals", "approve", &finance.id, "--as", "bo", "--key", finance.key("bo")];
    let mut command = finance.place.command("setsid");
    command.arg(env!("CARGO_BIN_EXE_tgw")).args(blind);
    assert_eq!(crate::place::finish(&mut command, b"y\n").code, Some(2), "no yes without having looked");
}

#[test]
fn nobody_counts_twice_and_only_those_who_may_count_at_all() {
    let finance = Finance::new();
    let place = &finance.place;
    finance.yes("ann");
    let again = sign(place, "approve", &finance.id, "ann", finance.key("ann"));
    assert!(again.code == Some(1) && again.stderr.contains("has answered"), "{again:?}");
    let eve = join(place, "eve");
    let stranger = sign(place, "approve", &finance.id, "eve", &eve);
    assert!(stranger.code == Some(1) && stranger.stderr.contains("`eve` may not answer"), "{stranger:?}");
    let dan = join(place, "dan");
    let requester = sign(place, "approve", &finance.id, "dan", &dan);
    assert!(requester.code == Some(1) && requester.stderr.contains("`dan` may not answer"), "{requester:?}");
    assert_eq!(state_of(place, &finance.id), "pending");
    assert_eq!(finance.run(), ASKED);
}

#[test]
fn one_no_ends_the_question_and_its_words_reach_the_model() {
    let finance = Finance::new();
    let (place, id) = (&finance.place, &finance.id);
    finance.yes("ann");
    let no = answer(place, "deny", id, &["--as", "bo", "--key", finance.key("bo"), "--feedback", "too dear"]);
    assert_eq!(no.stdout.lines().next(), Some(format!("{id}: denied").as_str()), "{no:?}");
    let late = place.ask(&[
        "approvals",
        "approve",
        id,
        "--as",
        "cy",
        "--key",
        finance.key("cy"),
        "--digest",
        "sha256:0",
    ]);
    assert!(late.code == Some(1) && late.stderr.contains("was denied by bo"), "{late:?}");
    let told = send(place, &["--user", "dan"], "c1", "pay");
    assert_eq!(verdict(&told), "denied/APPROVAL_DENIED");
    assert!(told["error"]["message"].as_str().unwrap().contains("too dear"), "{told}");
    assert_eq!(finance.run(), "denied/APPROVAL_DENIED");
}

#[test]
fn each_rule_that_asks_has_answers_of_its_own() {
    let both = TWO
        .replace("members: [ann, bo, cy, dan]}", "members: [ann, bo]}, legal: {members: [cy, dan]}")
        .replace(
            "rules: [",
            "rules: [{id: law, verdict: require_approval, tools: [say], approval: {by: [legal]}}, ",
        );
    let finance = Finance::under(&both);
    finance.yes("ann");
    assert!(
        finance
            .yes("bo")
            .ends_with("approved by `bo`, 0 of 1 from legal; 2 of 2 from finance, other than the requester")
    );
    assert_eq!(finance.run(), ASKED);
    assert_eq!(finance.yes("cy"), format!("{}: approved", finance.id));
    assert_eq!(finance.run(), "succeeded");
}

#[test]
fn partial_answers_are_listed_shown_and_on_record() {
    let finance = Finance::new();
    let (place, id) = (&finance.place, &finance.id);
    finance.yes("ann");
    let listed: Vec<Value> =
        serde_json::from_str(&place.ask(&["approvals", "list", "--json"]).stdout).unwrap();
    assert_eq!(
        listed[0]["needs"],
        json!([{"rule": "money", "by": ["finance"], "count": 2, "not_requester": true, "given": 1}])
    );
    assert_eq!(listed[0]["answers"][0]["approver"], "ann");
    assert_eq!(
        (&listed[0]["answers"][0]["answer"], &listed[0]["answers"][0]["holds"]),
        (&json!("approved"), &json!(true))
    );
    assert!(place.ask(&["approvals", "list"]).stdout.contains("pending, 1 of 2"));
    let shown = place.ask(&["approvals", "show", id]).stdout;
    assert!(
        shown.contains("answers: 1 of 2 from finance, other than the requester (rule money)\n"),
        "{shown}"
    );
    assert!(shown.contains("signed: approved by ann at "), "{shown}");
    finance.yes("bo");
    assert_eq!(finance.run(), "succeeded");
    let records = place.audit();
    let said: Vec<(&str, &str, &str)> = records
        .iter()
        .filter_map(|one| {
            let approval = &one["record"]["approval"];
            Some((
                approval["answer"].as_str()?,
                approval["how"].as_str()?,
                approval["by"].as_str().unwrap_or(""),
            ))
        })
        .collect();
    assert_eq!(
        said,
        [
            ("asked", "queue", ""),
            ("approved_in_part", "signed", "ann"),
            ("approved", "signed", "bo"),
            ("approved", "queue", "ann, bo"),
        ]
    );
    let notes = &records[1]["detail"]["notes"];
    assert!(
        notes["signature"].is_string() && notes["key"].as_str().unwrap().starts_with("ed25519:"),
        "{}",
        records[1]
    );
    assert_eq!(notes["answers"], "1 of 2 from finance, other than the requester");
}

#[test]
fn what_approvers_note_comes_with_the_result() {
    let finance = Finance::new();
    for name in ["ann", "bo"] {
        let note = format!("{name} looked");
        let ended = answer(
            &finance.place,
            "approve",
            &finance.id,
            &["--as", name, "--key", finance.key(name), "--note", &note],
        );
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    let result = finance.place.ask(&["approvals", "run", &finance.id]).line();
    let warnings = result["warnings"].to_string();
    assert!(warnings.contains("ann: ann looked; bo: bo looked"), "{result}");
}

#[test]
fn approvers_who_answer_at_once_all_count() {
    let finance = Finance::under(&TWO.replace("count: 2", "count: 3"));
    let digest = shown_digest(&finance.place, &finance.id);
    std::thread::scope(|scope| {
        for name in ["ann", "bo", "cy"] {
            let (finance, digest) = (&finance, &digest);
            scope.spawn(move || {
                let key = finance.key(name);
                let ended = finance.place.ask(&[
                    "approvals",
                    "approve",
                    &finance.id,
                    "--as",
                    name,
                    "--key",
                    key,
                    "--digest",
                    digest,
                ]);
                assert_eq!(ended.code, Some(0), "{ended:?}");
            });
        }
    });
    assert_eq!(state_of(&finance.place, &finance.id), "approved");
    assert_eq!(finance.run(), "succeeded");
}

#[test]
fn an_approver_can_sign_an_ordinary_question_and_one_with_a_key_must() {
    let (place, id) = asked("hello");
    let ann = join(&place, "ann");
    assert_eq!(signed_yes(&place, &id, "ann", &ann), format!("{id}: approved"));
    assert_eq!(verdict(&place.ask(&["approvals", "run", &id]).line()), "succeeded");
    let (place, id) = asked("hello");
    answer(&place, "approve", &id, &[]);
    let operator = place.audit().last().unwrap()["record"]["approval"]["by"].as_str().unwrap().to_owned();
    let second = approval_id(&send(&place, &[], "c2", "other"));
    let key = join(&place, &operator);
    let unsigned = answer(&place, "approve", &second, &[]);
    assert!(unsigned.code == Some(1) && unsigned.stderr.contains("holds a key"), "{unsigned:?}");
    signed_yes(&place, &second, &operator, &key);
}

#[test]
fn a_stream_goes_on_waiting_until_the_last_answer_is_there() {
    use std::io::{BufRead, Write};
    let place = place_with(TWO);
    let keys = ["ann", "bo"].map(|name| join(&place, name));
    let mut child = place
        .tgw(&["run", "--user", "dan", "--wait-approvals"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{}", say("c1", "pay")).unwrap();
    drop(input);
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    let id = approval_id(&next());
    for (name, key) in ["ann", "bo"].iter().zip(&keys) {
        assert!(said(&place).is_empty());
        signed_yes(&place, &id, name, key);
    }
    let event = next();
    assert_eq!((&event["event"], &event["status"]), (&json!("resolved"), &json!("succeeded")), "{event}");
    child.wait().unwrap();
    assert_eq!(said(&place), ["pay"]);
}

/// Leaves only one approver on the list, as on a machine that knows nobody else.
fn alone(finance: &Finance, name: &str) {
    for other in ["ann", "bo", "cy"] {
        finance.place.ask(&["approvers", "remove", other]);
    }
    known(finance, name);
}

fn known(finance: &Finance, name: &str) {
    let public = std::fs::read_to_string(format!("{}.pub", finance.key(name))).unwrap();
    let added = finance.place.ask(&["approvers", "add", name, public.trim()]);
    assert_eq!(added.code, Some(0), "{added:?}");
}

/// Two of finance signed, each where only their own key is known; all keys are known where the call runs.
fn signed_apart() -> Finance {
    let finance = Finance::new();
    for name in ["ann", "bo"] {
        alone(&finance, name);
        let said = finance.yes(name);
        assert!(
            said.ends_with(&format!("approved by `{name}`, 1 of 2 from finance, other than the requester")),
            "{said}"
        );
    }
    assert_eq!(finance.run(), ASKED, "only one of them holds here");
    known(&finance, "ann");
    finance
}

#[test]
fn answers_that_were_signed_apart_count_where_all_keys_are_known() {
    let finance = signed_apart();
    let shown = finance.place.ask(&["approvals", "show", &finance.id]).stdout;
    assert!(shown.contains("answers: 2 of 2 from finance") && shown.contains("enough: "), "{shown}");
    assert_eq!(finance.run(), "succeeded");
    assert_eq!(finance.run(), ASKED, "a yes is spent once");
    assert_eq!(said(&finance.place), ["pay"]);
    let story = finance.place.ask(&["audit", "show", &finance.id]).stdout;
    assert!(story.contains("counted"), "{story}");
}

#[test]
fn the_same_call_sent_again_runs_with_answers_that_were_signed_apart() {
    let finance = signed_apart();
    assert_eq!(verdict(&send(&finance.place, &["--user", "dan"], "c1", "pay")), "succeeded");
    assert_eq!(said(&finance.place), ["pay"]);
}

#[test]
fn one_more_yes_where_all_are_there_already_ends_the_question_without_another_signature() {
    let finance = signed_apart();
    known(&finance, "cy");
    assert_eq!(finance.yes("cy"), format!("{}: approved", finance.id));
    let shown = finance.place.ask(&["approvals", "show", &finance.id]).stdout;
    assert!(!shown.contains("by cy"), "{shown}");
    assert_eq!(finance.run(), "succeeded");
}

#[test]
fn a_call_sent_again_by_another_run_waits_under_the_same_question_with_what_was_signed() {
    let finance = Finance::new();
    finance.yes("ann");
    let again = send(&finance.place, &["--user", "dan"], "other", "pay");
    assert_eq!(approval_id(&again), finance.id);
    let message = again["error"]["message"].as_str().unwrap();
    assert!(message.ends_with("; so far 1 of 2 from finance, other than the requester"), "{message}");
    finance.yes("bo");
    assert_eq!(verdict(&send(&finance.place, &["--user", "dan"], "third", "pay")), "succeeded");
    assert_eq!(said(&finance.place), ["pay"]);
}
