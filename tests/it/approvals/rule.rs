//! `tgw approvals show ID --as-rule`: what it prints loads, allows the like, and nothing broader.

use serde_json::{Value, json};

use super::fixture::*;
use crate::place::{Ended, Place, verdict};

const ASKED: &str = "input_required/APPROVAL_REQUIRED";

fn as_rule(place: &Place, id: &str) -> Ended {
    let file = |name: &str| place.aside("here", "").with_file_name(name).to_str().unwrap().to_owned();
    place.ask(&[
        "approvals",
        "show",
        id,
        "--as-rule",
        "--tools",
        &file("tools.yaml"),
        "--policy",
        &file("policy.yaml"),
    ])
}

fn rules(place: &Place, id: &str) -> Vec<Value> {
    let printed = as_rule(place, id);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let read: Value =
        serde_yaml::from_str(&printed.stdout).unwrap_or_else(|error| panic!("{error}: {printed:?}"));
    read["rules"].as_array().unwrap().clone()
}

/// Does what the comment says: in place of rules with the same id, and the others added.
fn apply(place: &Place, tools: &str, policy: &str, rules: &[Value]) {
    let mut root: Value = serde_yaml::from_str(policy).unwrap();
    for new in rules {
        let known = root["rules"].as_array_mut();
        match known.into_iter().flatten().find(|rule| rule["id"] == new["id"]) {
            Some(rule) => *rule = new.clone(),
            None => match root.get_mut("rules").and_then(Value::as_array_mut) {
                Some(known) => known.push(new.clone()),
                None => root["rules"] = json!([new]),
            },
        }
    }
    place.configure(tools, &root.to_string());
}

fn outcome(place: &Place, flags: &[&str], name: &str, arguments: Value) -> String {
    verdict(&place.run(flags, format!("{}\n", json!({ "name": name, "arguments": arguments }))).line())
}

#[test]
fn with_the_rules_the_like_runs_and_everything_else_is_asked_as_before() {
    let place = place();
    let id = approval_id(&send(&place, &["--user", "dan"], "c1", "hello"));
    let rules = rules(&place, &id);
    assert_eq!(
        (rules.len(), &rules[0]["id"], &rules[0]["verdict"]),
        (2, &json!("ask"), &json!("require_approval"))
    );
    assert_eq!(rules[1]["verdict"], "allow");
    assert_eq!(
        verdict(&send(&place, &["--user", "dan"], "c2", "hello")),
        ASKED,
        "nothing is applied by itself"
    );
    apply(&place, TOOLS, POLICY, &rules);
    for task in [false, true] {
        let file = place.aside("t.yaml", "version: 1\nid: other\n").to_str().unwrap().to_owned();
        let flags: &[&str] = if task { &["--user", "dan", "--task", &file] } else { &["--user", "dan"] };
        assert_eq!(outcome(&place, flags, "say", json!({"word": "hello"})), "succeeded");
    }
    for (flags, arguments) in [
        (vec!["--user", "dan"], json!({"word": "hello "})),
        (vec!["--user", "dan"], json!({"word": "Hello"})),
        (vec!["--user", "dan"], json!({"word": "hello", "note": "x"})),
        (vec!["--user", "eve"], json!({"word": "hello"})),
        (vec!["--user", "dan", "--agent", "other"], json!({"word": "hello"})),
        (vec!["--user", "dan", "--tenant", "other"], json!({"word": "hello"})),
    ] {
        assert_eq!(outcome(&place, &flags, "say", arguments.clone()), ASKED, "{flags:?} {arguments}");
    }
    assert_eq!(said(&place), ["hello", "hello"]);
}

#[test]
fn the_rules_bring_examples_that_hold() {
    let (place, id) = asked("hello");
    let rules = rules(&place, &id);
    assert_eq!(rules[0]["examples"]["no_match"], rules[1]["examples"]["match"]);
    assert_eq!(rules[0]["examples"]["match"], rules[1]["examples"]["no_match"]);
    assert_eq!(rules[1]["examples"]["match"][0]["arguments"], json!({"word": "hello", "note": "none"}));
    assert_eq!(
        rules[1]["examples"]["no_match"][0]["arguments"],
        json!({"word": "hello-other", "note": "none"})
    );
    apply(&place, TOOLS, POLICY, &rules);
    let doctor = place.ask(&["doctor"]);
    assert!(!doctor.stdout.contains("does not hold") && doctor.code == Some(0), "{doctor:?}");
}

#[test]
fn where_only_a_default_asks_an_allow_is_enough() {
    let policy = "version: 1\ndefault_verdict: require_approval\n";
    let place = place_with(policy);
    let id = approval_id(&send(&place, &[], "c1", "hello"));
    let rules = rules(&place, &id);
    assert_eq!((rules.len(), &rules[0]["verdict"]), (1, &json!("allow")));
    apply(&place, TOOLS, policy, &rules);
    assert_eq!(outcome(&place, &[], "say", json!({"word": "hello"})), "succeeded");
    assert_eq!(outcome(&place, &[], "say", json!({"word": "other"})), ASKED);
}

#[test]
fn where_the_default_allows_an_exception_is_enough() {
    let policy = POLICY.replace("default_verdict: deny", "default_verdict: allow");
    let place = place_with(&policy);
    let id = approval_id(&send(&place, &[], "c1", "hello"));
    let rules = rules(&place, &id);
    assert_eq!((rules.len(), &rules[0]["id"]), (1, &json!("ask")));
    apply(&place, TOOLS, &policy, &rules);
    assert_eq!(outcome(&place, &[], "say", json!({"word": "hello"})), "succeeded");
    assert_eq!(outcome(&place, &[], "say", json!({"word": "other"})), ASKED);
}

#[test]
fn an_exception_that_was_there_stays_and_no_other_tool_gets_one() {
    let twin = TOOLS.replace("tools:\n", "tools:\n  - name: shout\n    version: 1.0.0\n    description: Says it loud.\n    risk: write\n    changes: one line\n    execution_mode: exclusive\n    egress: false\n    input_schema: {type: object, additionalProperties: false, required: [word], properties: {word: {type: string}, note: {type: string, default: none}}}\n    run: {command: {argv: [tee, -a, ran.log], stdin: \"{{arguments.word}}!\\n\"}}\n    result: {trust: trusted}\n");
    let policy = "version: 1\ndefault_verdict: allow\nrules: [{id: ask, verdict: require_approval, when: 'arguments.note == \"none\"', unless: 'arguments.word == \"fine\"'}]\n";
    let place = Place::new();
    place.configure(&twin, policy);
    let id = approval_id(&send(&place, &[], "c1", "hello"));
    let rules = rules(&place, &id);
    apply(&place, &twin, policy, &rules);
    assert_eq!(outcome(&place, &[], "say", json!({"word": "hello"})), "succeeded");
    assert_eq!(outcome(&place, &[], "say", json!({"word": "fine"})), "succeeded");
    assert_eq!(outcome(&place, &[], "shout", json!({"word": "fine"})), "succeeded");
    assert_eq!(outcome(&place, &[], "shout", json!({"word": "hello"})), ASKED);
    assert_eq!(outcome(&place, &[], "say", json!({"word": "other"})), ASKED);
}

#[test]
fn any_text_and_any_kind_of_argument_is_put_exactly() {
    let tools = TOOLS.replace(
        "properties: {word: {type: string}, note: {type: string, default: none}}",
        "properties: {word: {type: string}, a-b: {type: integer}, in: {type: boolean}, rate: {type: number}, list: {type: array, items: {type: string}}, map: {type: object}, 'no': {type: string}}",
    );
    let all = json!({
        "word": "it's \"so\"\\\n\t# {{x}} \u{202e}\u{e0041}ä: 'y'", "a-b": -3, "in": true, "rate": 2, "list": ["a", "'"], "map": {"k": [1, null]},
        "no": "yes",
    });
    let place = Place::new();
    place.configure(&tools, POLICY);
    let call = json!({ "id": "c1", "name": "say", "arguments": all });
    let id = approval_id(&place.run(&[], format!("{call}\n")).line());
    let printed = as_rule(&place, &id);
    assert!(printed.stdout.chars().all(|c| c == '\n' || (!c.is_control() && c != '\u{202e}')), "{printed:?}");
    apply(&place, &tools, POLICY, &rules(&place, &id));
    assert_eq!(outcome(&place, &[], "say", all.clone()), "succeeded");
    for (name, value) in [
        ("a-b", json!(3)),
        ("in", json!(false)),
        ("rate", json!(2.5)),
        ("list", json!(["a"])),
        ("map", json!({"k": [1]})),
        ("no", json!("Yes")),
        ("word", json!("it's")),
    ] {
        let mut near = all.clone();
        near[name] = value;
        assert_eq!(outcome(&place, &[], "say", near.clone()), ASKED, "{near}");
        near.as_object_mut().unwrap().remove(name);
        assert_ne!(outcome(&place, &[], "say", near.clone()), "succeeded", "{near}");
    }
}

#[test]
fn arguments_that_the_schema_does_not_name_cannot_come_in_addition() {
    let tools = TOOLS.replace("additionalProperties: false, ", "");
    let place = Place::new();
    place.configure(&tools, POLICY);
    let id = approval_id(&send(&place, &[], "c1", "hello"));
    apply(&place, &tools, POLICY, &rules(&place, &id));
    assert_eq!(outcome(&place, &[], "say", json!({"word": "hello"})), "succeeded");
    assert_eq!(outcome(&place, &[], "say", json!({"word": "hello", "more": 1})), ASKED);
}

#[test]
fn nothing_is_printed_where_a_rule_denies_or_allows_or_would_hold_a_secret() {
    let (place, id) = asked("hello");
    for (policy, expected) in [
        (POLICY.replace("require_approval", "deny"), "error: the policy denies the call now: rule `ask`"),
        (POLICY.replace("require_approval", "allow"), "error: the policy allows the call already"),
    ] {
        place.configure(TOOLS, &policy);
        let printed = as_rule(&place, &id);
        assert!(printed.code == Some(1) && printed.stdout.is_empty(), "{printed:?}");
        assert!(printed.stderr.starts_with(expected), "{printed:?}");
    }
    let (place, id) = asked("ghp_0123456789abcdefghijABCDEFGHIJ012345");
    let printed = as_rule(&place, &id);
    assert!(
        printed.code == Some(1) && printed.stdout.is_empty() && !printed.stderr.contains("ghp_"),
        "{printed:?}"
    );
    let unknown = as_rule(&place, "a_aaaaaaaaaaaaaaaa");
    assert!(
        unknown.code == Some(1) && unknown.stderr.starts_with("error: there is no question"),
        "{unknown:?}"
    );
}

#[test]
fn what_several_must_sign_is_said_to_be_taken_out() {
    let finance = Finance::new();
    let printed = as_rule(&finance.place, &finance.id);
    assert!(
        printed.stdout.contains(
            "# It takes such calls out of what needs 2 from finance, other than the requester (rule money).\n"
        ),
        "{printed:?}"
    );
    apply(&finance.place, TOOLS, TWO, &rules(&finance.place, &finance.id));
    assert_eq!(outcome(&finance.place, &["--user", "dan"], "say", json!({"word": "pay"})), "succeeded");
    assert_eq!(outcome(&finance.place, &["--user", "dan"], "say", json!({"word": "pay more"})), ASKED);
}
