//! What each answer does.

use serde_json::json;

use super::fixture::{choose, deny, person, place, run, said, say};
use crate::place::{Place, finish, verdict};
use crate::pty::{CTRL_C, ENTER, Person};

#[test]
fn a_yes_runs_exactly_one_call() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    assert!(person.is_asked().contains("May `say` run?"));
    assert_eq!(said(&place), [""; 0]);
    choose(&mut person, "o");
    assert_eq!(verdict(&person.result()), "succeeded");
    person.send(&say("c2", "one"));
    person.is_asked();
    deny(&mut person, "");
    assert_eq!(verdict(&person.result()), "denied/APPROVAL_DENIED");
    let left = person.leaves();
    assert_eq!(left.ended.code, Some(0));
    assert_eq!(left.lines.len(), 2);
    assert_eq!(said(&place), ["one"]);
}

#[test]
fn the_audit_holds_the_digest_of_the_question_and_who_answered() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.is_asked();
    choose(&mut person, "o");
    person.result();
    person.leaves();
    let records = place.audit();
    let intent = records
        .iter()
        .find(|record| record["record"]["kind"] == "intent")
        .unwrap_or_else(|| panic!("{records:#?}"));
    let approval = &intent["record"]["approval"];
    assert_eq!(approval["answer"], "approved", "{intent:#}");
    assert_eq!(approval["how"], "terminal");
    assert_eq!(approval["question_hmac"].as_str().map(str::len), Some(64), "{intent:#}");
    assert!(approval["by"].is_string());
}

#[test]
fn feedback_reaches_the_model() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.is_asked();
    deny(&mut person, "use \"two\" instead");
    let result = person.result();
    assert_eq!(verdict(&result), "denied/APPROVAL_DENIED");
    assert_eq!(result["error"]["message"], "a person denied the call: use \"two\" instead");
    assert_eq!(result["error"]["retry"], "changed_call");
    person.leaves();
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn enter_alone_denies() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.is_asked();
    choose(&mut person, "");
    person.sees("(enter for nothing)");
    person.press(ENTER);
    assert_eq!(verdict(&person.result()), "denied/APPROVAL_DENIED");
    person.leaves();
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn the_end_of_input_at_the_terminal_denies() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.is_asked();
    person.press("o\u{4}");
    person.sees("(enter for nothing)");
    person.press("\u{4}");
    assert_eq!(verdict(&person.result()), "denied/APPROVAL_DENIED");
    person.leaves();
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn ctrl_c_stops_the_run_and_every_call_read_has_its_one_result() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&json!([say("c1", "one"), say("c2", "two"), say("c3", "three")]));
    person.is_asked();
    person.press("o");
    person.press(CTRL_C);
    let verdicts: Vec<_> = (0..3).map(|_| verdict(&person.result())).collect();
    assert_eq!(verdicts, ["cancelled/CANCELLED"; 3]);
    let left = person.leaves();
    assert_eq!(left.ended.code, Some(130));
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn ctrl_c_while_typing_feedback_stops_too() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.is_asked();
    choose(&mut person, "d");
    person.sees("(enter for nothing)");
    person.press("wait");
    person.press(CTRL_C);
    assert_eq!(verdict(&person.result()), "cancelled/CANCELLED");
    assert_eq!(person.leaves().ended.code, Some(130));
}

#[test]
fn without_a_terminal_the_answer_is_input_required_at_once() {
    let place = place();
    let ended = place.run(&[], format!("{}\n{}\n", say("c1", "one"), say("c2", "drop")));
    let lines = ended.lines();
    assert_eq!(
        lines.iter().map(verdict).collect::<Vec<_>>(),
        ["input_required/APPROVAL_REQUIRED", "denied/PERMISSION_DENIED"]
    );
    let hint = lines[0]["error"]["hint"].as_str().unwrap();
    let id = hint.split('`').find_map(|part| part.strip_prefix("tgw approvals show ")).unwrap();
    let shown = place.ask(&["approvals", "show", id]);
    assert!(shown.stdout.contains("May `say` run?") && shown.stdout.contains("state: pending"), "{shown:?}");
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn no_prompt_answers_input_required_although_there_is_a_terminal() {
    let place = place();
    let mut person = person(&place, &["--no-prompt"]);
    person.send(&say("c1", "one"));
    assert_eq!(verdict(&person.result()), "input_required/APPROVAL_REQUIRED");
    let left = person.leaves();
    assert!(!left.screen.contains("May `say` run?"), "{}", left.screen);
}

#[test]
fn tgw_call_asks_as_well_and_its_status_tells_the_answer() {
    let place = place();
    let command = || place.tgw(&["call", "say", r#"{"word":"one"}"#]);
    let mut yes = Person::start(command());
    yes.is_asked();
    choose(&mut yes, "o");
    assert_eq!(yes.leaves().ended.code, Some(0));
    let mut no = Person::start(command());
    no.is_asked();
    deny(&mut no, "");
    assert_eq!(no.leaves().ended.code, Some(3));
    assert_eq!(finish(&mut command(), b"").code, Some(4));
    assert_eq!(said(&place), ["one"]);
}

#[test]
fn nothing_in_the_stream_of_calls_is_an_answer() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.is_asked();
    for line in [json!("o"), json!({ "answer": "once" }), json!({ "id": "c1", "approved": true })] {
        person.send(&line);
    }
    person.close();
    deny(&mut person, "");
    let left = person.leaves();
    let verdicts: Vec<_> = left.lines.iter().map(verdict).collect();
    assert_eq!(verdicts[0], "denied/APPROVAL_DENIED");
    assert!(verdicts[1..].iter().all(|verdict| verdict == "failed/MALFORMED_CALL"), "{verdicts:?}");
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn a_call_that_is_cancelled_while_it_is_asked_about_does_not_run() {
    let place = place();
    let mut person = person(&place, &[]);
    person.send(&say("c1", "one"));
    person.is_asked();
    person.send(&json!({ "cancel": "c1" }));
    assert_eq!(verdict(&person.result()), "cancelled/CANCELLED");
    // An answer to it comes too late, and is not taken for one to the next question.
    person.press("o\r");
    person.send(&say("c2", "two"));
    person.is_asked();
    deny(&mut person, "");
    assert_eq!(verdict(&person.result()), "denied/APPROVAL_DENIED");
    person.leaves();
    assert_eq!(said(&place), [""; 0]);
}

#[test]
fn a_process_in_the_background_of_its_terminal_asks_nobody() {
    // The shell becomes the leader of the session; with job control its child is another process group.
    let place: Place = place();
    let inner = run(&place, &[]);
    let mut shell = place.command("bash");
    let words = [inner.get_program()].into_iter().chain(inner.get_args());
    let line = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect::<Vec<_>>().join(" ");
    shell.args(["-c", &format!("set -m; {line} <&0 & wait $!")]);
    if crate::place::skipped(crate::place::has_program("bash"), "bash") {
        return;
    }
    let mut person = Person::start(shell);
    person.send(&say("c1", "one"));
    assert_eq!(verdict(&person.result()), "input_required/APPROVAL_REQUIRED");
    person.leaves();
}
