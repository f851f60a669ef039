//! What is proven of a call that a server did not carry out, and what is not known.

use serde_json::{Value, json};

use super::{READS, peer};
use crate::harness::{ALLOW, Space, call, code, message, status};

/// The tools that may change something, as strict as nobody said anything of them.
fn writing(rest: &str) -> Space {
    peer(&[], rest, ALLOW)
}

fn outcome(answer: &Value) -> (&str, &str, &str) {
    (status(answer), code(answer), answer["effect"].as_str().unwrap())
}

#[test]
fn mc_09_an_error_before_a_call_was_taken_up_is_proof_and_any_other_is_none() {
    let space = writing("");
    for refused in [-32601, -32602, -32022] {
        let answer = space.answer(&call("c", "p__refuse", &json!({ "code": refused })));
        assert_eq!(outcome(&answer), ("failed", "EXECUTION_FAILED", "none"), "{refused}");
        assert!(answer["content"].as_str().unwrap().contains("no, says the server"));
    }
    for unclear in [-32603, -32000, 7] {
        let answer = space.answer(&call("c", "p__refuse", &json!({ "code": unclear })));
        assert_eq!(outcome(&answer), ("unknown", "OUTCOME_UNKNOWN", "possible"), "{unclear}");
    }
}

#[test]
fn a_result_that_is_an_error_is_unknown_unless_the_contract_proves_that_nothing_happened() {
    let space = writing("tools: {fail: {no_effect: '!value.structuredContent.began'}}");
    let fail = |began: bool| space.answer(&call("c", "p__fail", &json!({ "began": began })));
    assert_eq!(outcome(&fail(true)), ("unknown", "OUTCOME_UNKNOWN", "possible"));
    assert_eq!(outcome(&fail(false)), ("failed", "EXECUTION_FAILED", "none"));
    let reading = peer(&[], "tools: {fail: {risk: read_only}}", ALLOW);
    let answer = reading.answer(&call("c", "p__fail", &json!({"began": true})));
    assert_eq!(outcome(&answer), ("failed", "EXECUTION_FAILED", "none"));
    assert_eq!(answer["content"], "no such page\n{\"began\":true}");
}

#[test]
fn mc_09_a_crash_during_a_call_leaves_a_read_failed_and_an_effect_unknown() {
    let space = writing("tools: {crash: {risk: read_only}}");
    let answer = space.answer(&call("c", "p__crash", &json!({})));
    assert_eq!(outcome(&answer), ("failed", "EXECUTION_FAILED", "none"));
    assert!(message(&answer).contains("exited with status 3"), "{answer}");
    let space = writing("");
    assert_eq!(
        outcome(&space.answer(&call("c", "p__crash", &json!({})))),
        ("unknown", "OUTCOME_UNKNOWN", "possible")
    );
}

#[test]
fn a_server_that_crashed_is_started_again_for_the_next_call() {
    let space = peer(&[], &format!("tools: {{crash: {{risk: read_only}}, {READS}}}"), ALLOW);
    let answers = space.answers(&[
        &call("1", "p__echo", &json!({"word": "before"})),
        &call("2", "p__crash", &json!({})),
        &call("3", "p__echo", &json!({"word": "after"})),
    ]);
    let outcomes: Vec<&str> = answers.iter().map(status).collect();
    assert_eq!(outcomes, ["succeeded", "failed", "succeeded"]);
}

#[test]
fn a_server_that_keeps_crashing_is_not_started_at_once_again_and_again() {
    let space = peer(&[], "tools: {crash: {risk: read_only}}", ALLOW);
    let answers = space.answers(&[
        &call("1", "p__crash", &json!({})),
        &call("2", "p__crash", &json!({})),
        &call("3", "p__crash", &json!({})),
    ]);
    assert_eq!(code(&answers[2]), "BACKEND_UNAVAILABLE");
    assert!(message(&answers[2]).contains("keeps ending"), "{}", answers[2]);
}

#[test]
fn a_deadline_leaves_an_effect_unknown_and_the_server_is_told_which_call_is_over() {
    let space = Space::new();
    let journal = space.beside("files/journal").display().to_string();
    let tools = format!(
        "version: 1\nservers:\n  peer: {{command: {}, prefix: p, sandbox: {{level: none}}, tools: {{hang: {{timeout: 200ms}}, {READS}}}}}\n",
        super::server(&["--journal", &journal])
    );
    space.write_beside("files/tools.yaml", tools).write_beside("files/policy.yaml", ALLOW);
    super::accept(&space);
    let answers = space.answers(&[
        &call("1", "p__hang", &json!({})),
        &call("2", "p__echo", &json!({"word": "still there"})),
    ]);
    assert_eq!(outcome(&answers[0]), ("unknown", "OUTCOME_UNKNOWN", "possible"));
    assert_eq!(status(&answers[1]), "succeeded");
    let lines = std::fs::read_to_string(space.beside("files/journal")).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let hung = lines.iter().find(|line| line["params"]["name"] == "hang").unwrap();
    let cancelled = lines.iter().find(|line| line["method"] == "notifications/cancelled").unwrap();
    assert_eq!(cancelled["params"]["requestId"], hung["id"]);
    // One process served both, so that its start is in the journal once for the lock and once for the run.
    assert_eq!(lines.iter().filter(|line| line["method"] == "initialize").count(), 2);
}

#[test]
fn a_read_that_takes_too_long_failed() {
    let space = peer(&[], "tools: {hang: {risk: read_only, timeout: 200ms}}", ALLOW);
    assert_eq!(outcome(&space.answer(&call("c", "p__hang", &json!({})))), ("failed", "TIMEOUT", "none"));
}

#[test]
fn mc_05_a_cancelled_call_is_cancelled_at_its_own_server() {
    let space = Space::new();
    let journals = ["one", "two"].map(|name| space.beside(&format!("files/{name}")).display().to_string());
    let declared = |name: &str, journal: &str| {
        format!(
            "  {name}: {{command: {}, prefix: {name}, sandbox: {{level: none}}, tools: {{hang: {{risk: read_only}}, echo: {{risk: read_only}}}}}}\n",
            super::server(&["--journal", journal])
        )
    };
    let tools =
        format!("version: 1\nservers:\n{}{}", declared("one", &journals[0]), declared("two", &journals[1]));
    space.write_beside("files/tools.yaml", tools).write_beside("files/policy.yaml", ALLOW);
    super::accept(&space);
    let mut child = space.stream(&[]).start();
    let mut input = child.stdin.take().unwrap();
    let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
    use std::io::{BufRead, Write};
    writeln!(input, "{}", call("w", "two__echo", &json!({"word": "up"}))).unwrap();
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    writeln!(input, "{}", call("h", "one__hang", &json!({}))).unwrap();
    // It hangs once its server has it.
    while !std::fs::read_to_string(&journals[0]).is_ok_and(|text| text.contains("\"hang\"")) {
        std::thread::yield_now();
    }
    writeln!(input, "{}", json!({"cancel": "h"})).unwrap();
    line.clear();
    output.read_line(&mut line).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(outcome(&answer), ("cancelled", "CANCELLED", "none"));
    let [one, two] = journals.map(|path| std::fs::read_to_string(path).unwrap());
    assert_eq!(one.matches("notifications/cancelled").count(), 1, "{one}");
    assert_eq!(two.matches("notifications/cancelled").count(), 0, "{two}");
}

#[test]
fn an_effect_is_recorded_before_it_is_sent_and_replayed_by_its_key() {
    let rest = "sandbox: {level: none}, tools: {note: {risk: write, idempotency: {key: '{{arguments.?path.orValue(\"\")}}'}}}";
    let space = peer(&[], rest, ALLOW);
    let path = space.beside("files/notes").display().to_string();
    let note = call("c", "p__note", &json!({ "path": path }));
    let first = space.answer(&note);
    assert_eq!((status(&first), &first["effect"]), ("succeeded", &json!("happened")));
    assert_eq!(space.answer(&note)["replayed"], json!(true));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "noted\n");
    assert!(space.intact() > 0);
}

#[test]
fn calls_that_were_under_way_together_lose_their_server_once() {
    let rest = "tools: {crash: {risk: read_only, execution_mode: parallel}, hang: {risk: read_only, execution_mode: parallel}, echo: {risk: read_only}}";
    let space = peer(&[], rest, ALLOW);
    let mut calls: Vec<String> =
        (0..6).map(|number| call(&format!("h{number}"), "p__hang", &json!({}))).collect();
    calls.push(call("c", "p__crash", &json!({})));
    calls.push(call("e", "p__echo", &json!({"word": "again"})));
    let answers = space.answers(&calls.iter().map(String::as_str).collect::<Vec<_>>());
    let codes: Vec<&str> = answers.iter().take(7).map(code).collect();
    assert_eq!(codes, ["EXECUTION_FAILED"; 7]);
    // A pause would have been due after a second loss.
    assert_eq!(answers[7]["content"], "again");
}
