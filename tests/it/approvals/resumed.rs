//! What an answer is worth: the call runs once, by `tgw approvals run` or by being sent again.

use serde_json::json;

use super::fixture::*;
use crate::place::{finish_child, verdict};

#[test]
fn an_approved_call_runs_once_in_a_third_process_and_says_what_the_person_noted() {
    let (place, id) = asked("hello");
    assert_eq!(answer(&place, "approve", &id, &["--note", "only this once"]).code, Some(0));
    let ran = place.ask(&["approvals", "run", &id]);
    let line = ran.line();
    assert_eq!((verdict(&line).as_str(), ran.code, &line["id"]), ("succeeded", Some(0), &json!("c1")));
    assert_eq!(line["warnings"], json!(["the person who approved notes: only this once"]));
    let again = place.ask(&["approvals", "run", &id]);
    assert_eq!((verdict(&again.line()).as_str(), again.code), ("input_required/APPROVAL_REQUIRED", Some(4)));
    assert_eq!(said(&place), ["hello"]);
}

#[test]
fn the_same_call_sent_again_spends_the_yes_and_a_third_one_is_asked_anew() {
    let (place, id) = asked("hello");
    assert_eq!(verdict(&send(&place, &[], "c1", "hello")), "input_required/APPROVAL_REQUIRED");
    approve(&place, &id);
    assert_eq!(verdict(&send(&place, &[], "c9", "hello")), "succeeded");
    let third = send(&place, &[], "c9", "hello");
    assert_eq!(verdict(&third), "input_required/APPROVAL_REQUIRED");
    assert_ne!(approval_id(&third), id);
    assert_eq!(said(&place), ["hello"]);
}

#[test]
fn in_a_stated_task_a_yes_holds_for_that_task_only() {
    let place = place();
    let task = |name: &str| {
        let file = place.aside(&format!("{name}.yaml"), &format!("version: 1\nid: {name}\n"));
        file.to_str().unwrap().to_owned()
    };
    let (tidy, other) = (task("tidy"), task("other"));
    let id = approval_id(&send(&place, &["--task", &tidy], "c1", "hello"));
    approve(&place, &id);
    for elsewhere in [
        &["--task", other.as_str()][..],
        &[],
        &["--user", "bo", "--task", &tidy],
        &["--agent", "x", "--task", &tidy],
    ] {
        assert_ne!(verdict(&send(&place, elsewhere, "c1", "hello")), "succeeded", "{elsewhere:?}");
    }
    assert_eq!(verdict(&send(&place, &["--task", &tidy], "c1", "hello")), "succeeded");
    assert_eq!(said(&place), ["hello"]);
}

#[test]
fn a_call_that_is_sent_again_under_its_id_waits_for_the_same_question() {
    let (place, id) = asked("hello");
    assert_eq!(approval_id(&send(&place, &[], "c1", "hello")), id);
    assert_ne!(approval_id(&send(&place, &[], "c2", "hello")), id);
}

#[test]
fn a_no_reaches_the_model_with_the_persons_words_by_either_way() {
    let (place, id) = asked("hello");
    answer(&place, "deny", &id, &["--feedback", "use the other word"]);
    let ran = place.ask(&["approvals", "run", &id]);
    assert_eq!((verdict(&ran.line()).as_str(), ran.code), ("denied/APPROVAL_DENIED", Some(3)));
    let sent = send(&place, &[], "c2", "hello");
    for line in [ran.line(), sent] {
        assert_eq!(line["error"]["code"], "APPROVAL_DENIED");
        assert_eq!(line["error"]["message"], "a person denied the call: use the other word", "{line}");
    }
    assert!(said(&place).is_empty());
}

#[test]
fn a_question_that_nobody_answered_yet_runs_nothing() {
    let (place, id) = asked("hello");
    let ran = place.ask(&["approvals", "run", &id]);
    assert_eq!((verdict(&ran.line()).as_str(), ran.code), ("input_required/APPROVAL_REQUIRED", Some(4)));
    assert!(said(&place).is_empty());
}

/// The verdict of an answer, and whether the ledger gave it.
fn how(answer: &serde_json::Value) -> String {
    let replayed = if answer["replayed"] == true { "replayed " } else { "" };
    format!("{replayed}{}", verdict(answer))
}

#[test]
fn ten_processes_that_send_the_same_approved_call_have_one_effect() {
    for run_by_id in [false, true] {
        let (place, id) = asked("hello");
        approve(&place, &id);
        let children: Vec<_> = (0..10)
            .map(|at| {
                let mut command = if run_by_id && at % 2 == 0 {
                    place.tgw(&["approvals", "run", &id])
                } else {
                    place.tgw(&["run"])
                };
                use std::process::Stdio;
                command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        let line = format!("{}\n", say("c1", "hello"));
        let waiting: Vec<_> = children
            .into_iter()
            .map(|child| {
                let line = line.clone();
                std::thread::spawn(move || finish_child(child, line.as_bytes()).line())
            })
            .collect();
        let verdicts: Vec<String> = waiting.into_iter().map(|one| how(&one.join().unwrap())).collect();
        assert_eq!(verdicts.iter().filter(|one| *one == "succeeded").count(), 1, "{verdicts:?}");
        // Who runs the stored call itself and comes second is told how it ended; who sends another one is asked anew.
        let late = |one: &&String| !["succeeded", "input_required/APPROVAL_REQUIRED"].contains(&one.as_str());
        assert!(
            verdicts.iter().filter(late).all(|one| run_by_id && one == "replayed succeeded"),
            "{verdicts:?}"
        );
        assert_eq!(said(&place), ["hello"]);
    }
}

#[test]
fn a_call_keeps_its_user_agent_task_and_step_wherever_it_is_run() {
    let policy = "version: 1\ndefault_verdict: deny\ninitial_step: look\nsteps: {look: {}, do: {}}\nrules: [{id: ask, verdict: require_approval, steps: [do], when: 'task.data.ok == true'}]\n";
    let place = place_with(policy);
    let task = place.aside("t.yaml", "version: 1\nid: tidy\ndata: {ok: true}\n").to_str().unwrap().to_owned();
    let who = ["--user", "ann", "--agent", "buyer@1.4", "--task", &task, "--step", "do"];
    let id = approval_id(&send(&place, &who, "c1", "hello"));
    approve(&place, &id);
    let ran = place.ask(&["approvals", "run", &id]);
    assert_eq!(verdict(&ran.line()), "succeeded", "{ran:?}");
    let records = place.audit();
    let outcome = &records.last().unwrap()["record"];
    let said_of = |key: &str| outcome[key].as_str().unwrap().to_owned();
    assert_eq!(
        ["user", "agent", "agent_version", "task", "step", "call"].map(said_of),
        ["ann", "buyer", "1.4", "tidy", "do", "c1"]
    );
}
