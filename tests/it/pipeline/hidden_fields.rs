//! Fields that a contract hides: what is checked rests on them all the same, and nothing shows or keeps them.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use super::operations;
use super::verified::{KEY, lines, order, shop, within};
use crate::harness::{Space, call, code, content, message, status};

/// A shop whose amounts are hidden, and whose calls wait a second for their verification.
fn hiding(verify: &str) -> Space {
    let space = shop(KEY, verify, r#","timeout":"1s""#);
    let file = space.beside("files/tools.yaml");
    let tools = std::fs::read_to_string(&file).unwrap();
    let (plain, hidden) =
        (r#""result":{"trust":"trusted"}"#, r#""result":{"redact":["/amount"],"trust":"trusted"}"#);
    assert!(tools.contains(plain));
    std::fs::write(&file, tools.replacen(plain, hidden, 1)).unwrap();
    space.write("m/down", "");
    space
}

fn effect(space: &Space) -> String {
    operations::only(space)["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_verification_that_outlasts_its_call_compares_what_is_hidden_as_one_in_time_does() {
    let space = hiding(&within("20s"));
    let line = call("c", "order", &json!({"ref": "R-1"}));
    let mut child = space.stream(&[&line]).and(&["--wait-operations"]).start();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), format!("{line}\n").as_bytes()).unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines().map(|line| line.unwrap());
    let first: Value = serde_json::from_str(&told.next().unwrap()).unwrap();
    assert_eq!(status(&first), "working");
    // Another process cannot look at it, and leaves it to the one that can.
    let looks = lines(&space, "m/looks");
    let id = effect(&space);
    space.tgw(["effects", "reconcile", &id]).with_files().ended();
    assert_eq!(operations::only(&space)["state"], "working");
    std::fs::remove_file(space.path("m/down")).unwrap();
    let ended: Value = serde_json::from_str(&told.next().unwrap()).unwrap();
    assert_eq!((status(&ended), ended["verification"].as_str()), ("succeeded", Some("verified")), "{ended}");
    assert_eq!(content(&ended), r#"{"ref":"R-1","amount":"[hidden]"}"#);
    assert!(ended.get("warnings").is_none(), "{ended}");
    assert!(lines(&space, "m/looks") > looks);
    child.wait().unwrap();
    space.intact();
}

#[test]
fn what_is_hidden_and_known_to_no_process_any_more_is_not_said_to_disagree() {
    let space = hiding(&within("1500ms"));
    assert_eq!(status(&order(&space, &json!({"ref": "R-1"}))), "working");
    std::fs::remove_file(space.path("m/down")).unwrap();
    let looks = lines(&space, "m/looks");
    let text = space.tgw(["effects", "wait", &effect(&space)]).with_files().status(6).text();
    let ended: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status(&ended), code(&ended)), ("unknown", "OUTCOME_UNKNOWN"), "{ended}");
    assert!(message(&ended).contains("hidden where it is kept"), "{ended}");
    assert_eq!(lines(&space, "m/looks"), looks);
}

#[test]
fn a_verification_that_rests_on_nothing_hidden_goes_on_in_any_process() {
    let space = hiding(&within("20s").replace("value.amount == result.amount", "result.ref == 'R-1'"));
    assert_eq!(status(&order(&space, &json!({"ref": "R-1"}))), "working");
    std::fs::remove_file(space.path("m/down")).unwrap();
    let text = space.tgw(["effects", "wait", &effect(&space)]).with_files().text();
    let ended: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status(&ended), ended["verification"].as_str()), ("succeeded", Some("verified")), "{ended}");
    // What stands for the amount is no number, and breaks no promise.
    assert_eq!(content(&ended), r#"{"ref":"R-1","amount":"[hidden]"}"#);
    assert!(ended.get("warnings").is_none(), "{ended}");
}

#[test]
fn what_a_poll_brings_is_compared_whole_at_later_looks_of_its_process() {
    let space = operations::shop(
        &json!({
            "verify": {"tool": "get_job", "arguments": {"id": "{{value.ref}}"},
                "expect": "value.of == result.ref && value.state == 'seen'", "within": "20s", "every": "20ms"},
            "result": {"trust": "trusted", "redact": ["/ref"]}, "object": {"type": "order"},
        }),
        &json!({}),
    );
    space.write("m/state", "\"done\"");
    assert_eq!(status(&operations::order(&space)), "accepted");
    let id = effect(&space);
    let child = space.tgw(["effects", "wait", &id]).with_files().start();
    while operations::only(&space)["operation"]["verifying"] != true {
        std::thread::yield_now();
    }
    space.write("m/state", "\"seen\"");
    let output = child.wait_with_output().unwrap();
    let ended: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((status(&ended), ended["verification"].as_str()), ("succeeded", Some("verified")), "{ended}");
    assert!(content(&ended).contains("[hidden]"), "{ended}");
}

#[test]
fn an_id_that_replies_name_cannot_be_hidden() {
    for hidden in ["/job", "/*"] {
        let space = operations::shop(
            &json!({"result": {"trust": "trusted", "redact": [hidden]}, "object": {"type": "order"}}),
            &json!({}),
        );
        let ended = space.stream(&[&call("c", "order", &json!({"ref": "R"}))]).ended();
        let expected = format!("`operation.id` is `/job`, which `redact` hides with `{hidden}`");
        assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""));
        assert!(
            ended.stderr.contains(&expected) && ended.stderr.contains("take it out of `redact`"),
            "{}",
            ended.stderr
        );
    }
}
