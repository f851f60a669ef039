//! Attacks that aim at an operation which is begun, told or asked about twice, or which ends well by mistake.

use serde_json::{Value, json};

use crate::harness::{code, message, status};
use crate::pipeline::operations::{lines, only, order, shop, wait};

#[test]
fn many_processes_that_follow_one_operation_never_ask_more_often_than_its_contract_says() {
    const INTERVAL: u64 = 100_000_000;
    let space = shop(&json!({}), &json!({"interval": "100ms"}));
    order(&space);
    let id = only(&space)["id"].as_str().unwrap().to_owned();
    let mut waiting: Vec<_> =
        (0..6).map(|_| space.tgw(["effects", "wait", &id]).with_files().start()).collect();
    while lines(&space, "m/polls") < 5 {
        assert!(waiting.iter_mut().all(|child| child.try_wait().unwrap().is_none()));
        std::thread::yield_now();
    }
    space.write("m/state", "\"done\"");
    for child in waiting {
        let output = child.wait_with_output().unwrap();
        let line: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((output.status.code(), status(&line)), (Some(0), "succeeded"), "{line}");
    }
    let polls = space.read("m/polls").unwrap();
    let at: Vec<u64> = polls.lines().map(|line| line.parse().unwrap()).collect();
    for pair in at.windows(2) {
        assert!(pair[1] - pair[0] >= INTERVAL, "asked again after {} ns", pair[1] - pair[0]);
    }
    let ends =
        space.records().iter().filter(|record| record["record"]["ledger"]["state"] == "succeeded").count();
    assert_eq!((ends, lines(&space, "m/orders")), (1, 1));
    space.intact();
}

#[test]
fn what_was_accepted_without_a_name_is_unknown_and_never_sent_again() {
    for taken in [
        r#"{"job":null}"#,
        r#"{"job":""}"#,
        r#"{"job":" "}"#,
        r#"{"job":["op"]}"#,
        r#"{"job":true}"#,
        "{\"job\":\"a\\nb\"}",
    ] {
        let space = shop(&json!({}), &json!({}));
        space.write("m/taken", taken);
        let answer = order(&space);
        assert_eq!((status(&answer), code(&answer)), ("unknown", "OUTCOME_UNKNOWN"), "{taken}");
        assert!(message(&answer).contains("named no operation"), "{answer}");
        assert_eq!((status(&order(&space)), lines(&space, "m/orders")), ("unknown", 1));
    }
}

#[test]
fn an_answer_that_does_not_say_whether_it_was_accepted_is_no_success() {
    for taken in ["", "{", "7", "null", "[]"] {
        let space = shop(&json!({}), &json!({"accepted_when": "value.job != ''"}));
        space.write("m/taken", taken);
        let answer = order(&space);
        assert_eq!(status(&answer), "unknown", "{taken}: {answer}");
        assert_eq!(lines(&space, "m/orders"), 1);
    }
}

#[test]
fn a_word_that_reads_like_an_end_is_none_unless_the_contract_says_so() {
    for word in ["\"succeeded\"", "\"done \"", "true", "{\"done\":1}", "\"DONE\""] {
        let space = shop(&json!({}), &json!({"timeout": "60ms"}));
        space.write("m/state", word);
        order(&space);
        assert_eq!(status(&wait(&space, 6)), "unknown", "{word}");
    }
}

#[test]
fn an_id_that_holds_a_template_or_a_flag_is_asked_about_as_it_is() {
    let space = shop(&json!({}), &json!({}));
    space.write("m/taken", r#"{"job":"{{user}} $(touch m/owned)"}"#).write("m/state", "\"error\"");
    order(&space);
    wait(&space, 1);
    let polled = space.records().into_iter().find(|record| record["record"]["tool"] == "get_job").unwrap();
    assert_eq!(polled["detail"]["arguments"]["id"], "{{user}} $(touch m/owned)");
    assert!(space.read("m/owned").is_none());
}

#[test]
fn a_secret_in_what_a_backend_says_of_an_operation_is_not_shown() {
    let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
    let space = shop(&json!({}), &json!({}));
    space.write("m/taken", json!({"job": token}).to_string());
    let answer = order(&space);
    assert_eq!(status(&answer), "accepted");
    space.write("m/state", "\"done\"");
    let line = wait(&space, 0);
    for text in [answer.to_string(), line.to_string(), space.tgw(["effects", "list", "--json"]).text()] {
        assert!(!text.contains(&token), "{text}");
    }
}
