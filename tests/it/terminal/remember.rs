//! A yes for this task: what it covers, and what it never covers.

use serde_json::{Value, json};

use super::fixture::{POLICY, TOOLS, choose, deny, person, place, said, say};
use crate::place::{Place, verdict};

const TASK: &str = "version: 1\nid: tidy\n";

/// Remembers the word `one` for the task `tidy`.
fn remembered() -> (Place, String) {
    let place = place();
    let task = place.aside("task.yaml", TASK).to_str().unwrap().to_owned();
    let mut person = person(&place, &["--task", &task]);
    person.send(&say("c1", "one"));
    let question = person.is_asked();
    assert!(question.contains("a yes for this task, where it is offered, would also cover later calls"), "{question}");
    assert!(question.contains("/word = \"one\""), "{question}");
    choose(&mut person, "1");
    assert_eq!(verdict(&person.result()), "succeeded");
    person.leaves();
    (place, task)
}

fn outcome(place: &Place, arguments: &[&str], call: &Value) -> String {
    verdict(&place.run(arguments, format!("{call}\n")).line())
}

const ASKED: &str = "input_required/APPROVAL_REQUIRED";

#[test]
fn the_same_pinned_value_is_not_asked_again_and_another_one_is() {
    let (place, task) = remembered();
    let here = ["--task", task.as_str()];
    assert_eq!(outcome(&place, &here, &say("c2", "one")), "succeeded");
    // What was left free may be anything.
    let noted = json!({ "name": "say", "arguments": { "word": "one", "note": "free" } });
    assert_eq!(outcome(&place, &here, &noted), "succeeded");
    assert_eq!(outcome(&place, &here, &say("c3", "two")), ASKED);
    assert_eq!(outcome(&place, &here, &say("c4", "one ")), ASKED);
    assert_eq!(said(&place), ["one", "one", "one"]);
}

#[test]
fn a_remembered_yes_holds_within_its_own_run() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.is_asked();
    choose(&mut person, "1");
    person.result();
    person.send(&say("c2", "one"));
    assert_eq!(verdict(&person.result()), "succeeded");
    person.send(&say("c3", "two"));
    person.is_asked();
    deny(&mut person, "");
    person.leaves();
    assert_eq!(said(&place), ["one", "one"]);
}

#[test]
fn it_never_covers_another_task_agent_user_or_tenant() {
    let (place, task) = remembered();
    let other = place.aside("other.yaml", "version: 1\nid: tidy2\n");
    let call = say("c2", "one");
    assert_eq!(outcome(&place, &["--task", other.to_str().unwrap()], &call), ASKED);
    assert_eq!(outcome(&place, &[], &call), ASKED);
    let here = ["--task", task.as_str()];
    for principal in
        [["--agent", "other"], ["--agent", "default@2"], ["--user", "other"], ["--tenant", "other"]]
    {
        assert_eq!(outcome(&place, &[&here[..], &principal[..]].concat(), &call), ASKED, "{principal:?}");
    }
    assert_eq!(said(&place), ["one"]);
}

#[test]
fn it_never_covers_a_changed_contract() {
    let (place, task) = remembered();
    for changed in [
        TOOLS.replace("1.0.0", "1.0.1"),
        TOOLS.replace("ran.log]", "other.log]"),
        TOOLS.replace("Writes", "Puts"),
    ] {
        place.configure(&changed, POLICY);
        assert_eq!(outcome(&place, &["--task", &task], &say("c2", "one")), ASKED, "{changed}");
    }
    place.configure(TOOLS, POLICY);
    assert_eq!(outcome(&place, &["--task", &task], &say("c2", "one")), "succeeded");
}

#[test]
fn it_never_covers_a_rule_that_did_not_ask_then_nor_terms_that_were_withdrawn() {
    let (place, task) = remembered();
    let stricter =
        format!("{POLICY}  - {{id: also, verdict: require_approval, tools: [say], reason: new}}\n");
    place.configure(TOOLS, &stricter);
    assert_eq!(outcome(&place, &["--task", &task], &say("c2", "one")), ASKED);
    place.configure(TOOLS, &POLICY.replace(", approval: {remember: [[/word]]}", ""));
    assert_eq!(outcome(&place, &["--task", &task], &say("c2", "one")), ASKED);
    let denying = format!("{POLICY}  - {{id: never, verdict: deny, tools: [say], reason: closed}}\n");
    place.configure(TOOLS, &denying);
    assert_eq!(outcome(&place, &["--task", &task], &say("c2", "one")), "denied/PERMISSION_DENIED");
    assert_eq!(said(&place), ["one"]);
}

#[test]
fn it_is_listed_shown_and_revoked() {
    let (place, task) = remembered();
    let listed = place.ask(&["approvals", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    let grant = &listed[0];
    assert_eq!(
        (&grant["what"], &grant["state"], &grant["tool"], &grant["task"]),
        (&json!("remembered"), &json!("live"), &json!("say"), &json!("tidy"))
    );
    let id = grant["id"].as_str().unwrap();
    assert!(place.ask(&["approvals", "list"]).stdout.contains("/word = \"one\""));
    assert!(place.ask(&["approvals", "show", id]).stdout.contains("\"/word\""));
    let revoked = place.ask(&["approvals", "revoke", id]);
    assert_eq!(revoked.code, Some(0), "{revoked:?}");
    assert_eq!(outcome(&place, &["--task", &task], &say("c2", "one")), ASKED);
    let listed: Value = serde_json::from_str(&place.ask(&["approvals", "list", "--json"]).stdout).unwrap();
    assert!(
        listed.as_array().unwrap().iter().any(|entry| entry["id"] == id && entry["state"] == "revoked"),
        "{listed}"
    );
    let answers: Vec<_> =
        place.audit().iter().map(|record| record["record"]["approval"]["answer"].clone()).collect();
    assert!(answers.contains(&json!("revoked")), "{answers:?}");
    assert_eq!(said(&place), ["one"]);
}

#[test]
fn what_is_unknown_cannot_be_shown_or_revoked() {
    let (place, _) = remembered();
    for command in ["show", "revoke"] {
        let ended = place.ask(&["approvals", command, "g_nothing"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
    }
}

#[test]
fn it_is_revoked_once_and_said_to_be_so_afterwards() {
    let (place, _) = remembered();
    let listed: Value = serde_json::from_str(&place.ask(&["approvals", "list", "--json"]).stdout).unwrap();
    let id = listed[0]["id"].as_str().unwrap();
    assert!(place.ask(&["approvals", "revoke", id]).stdout.starts_with(&format!("{id}: revoked\nreceipt: ")));
    let twice = place.ask(&["approvals", "revoke", id]);
    assert_eq!(twice.code, Some(0), "{twice:?}");
    assert!(
        twice.stdout.starts_with(&format!("{id}: was revoked at "))
            && twice.stdout.ends_with(", nothing to do\n"),
        "{twice:?}"
    );
    let revoked = |record: &&Value| record["record"]["approval"]["answer"] == "revoked";
    assert_eq!(place.audit().iter().filter(revoked).count(), 1);
}

#[test]
fn a_yes_to_one_call_is_spent_with_it() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.is_asked();
    choose(&mut person, "o");
    assert_eq!(verdict(&person.result()), "succeeded");
    person.leaves();
    assert_eq!(outcome(&place, &[], &say("c1", "one")), ASKED);
    let spent = place.audit().iter().find_map(|record| {
        let approval = &record["record"]["approval"];
        (approval["answer"] == "approved").then(|| approval["id"].as_str().unwrap().to_owned())
    });
    let spent = spent.unwrap_or_else(|| panic!("{:?}", place.audit()));
    for command in ["show", "revoke"] {
        let ended = place.ask(&["approvals", command, &spent]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
        assert!(ended.stderr.contains("nothing of it is left"), "{ended:?}");
        assert!(ended.stderr.contains(&format!("`tgw audit show {spent}`")), "{ended:?}");
    }
    assert_eq!(said(&place), ["one"]);
}
