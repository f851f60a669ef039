//! The gate of a step that asks people who are not here: the question waits in the store like that of a call.

use serde_json::{Value, json};

use super::fixture::*;
use crate::harness::Space;
use crate::place::{Ended, Place};
use crate::pty::{Person, choose};

pub(crate) const GATED: &str = "version: 1
default_verdict: allow
initial_step: look
approvers: {finance: {members: [ann, bo, cy, dan]}}
steps:
  look: {}
  act: {enter: {when: 'has(task.data.chosen)', approval: {by: [finance], count: 2, not_requester: true}}}
  other: {enter: {approval: {by: [finance], count: 2, not_requester: true}}}
  plain: {enter: {approval: {expires: 1h}}}
";

/// A task of dan in the step `look`, and three approvers with keys.
pub(crate) struct Gate {
    pub(crate) place: Place,
    keys: Vec<String>,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self::under(GATED)
    }

    pub(crate) fn under(policy: &str) -> Self {
        let place = place_with(policy);
        let keys = ["ann", "bo", "cy"].map(|name| join(&place, name)).to_vec();
        let gate = Self { place, keys };
        gate.start("T-1");
        gate
    }

    pub(crate) fn start(&self, id: &str) {
        let task = json!({"version": 1, "id": id, "prompt": "order it", "data": {"chosen": "S-1"}});
        let file = self.place.aside(&format!("{id}.json"), &task.to_string());
        let started = self.place.ask(&["task", "start", file.to_str().unwrap(), "--user", "dan"]);
        assert_eq!(started.code, Some(0), "{started:?}");
    }

    pub(crate) fn key(&self, name: &str) -> &str {
        let at = ["ann", "bo", "cy"].iter().position(|known| *known == name).unwrap();
        &self.keys[at]
    }

    pub(crate) fn enters(&self, task: &str, step: &str) -> Ended {
        self.place.ask(&["task", "step", task, step, "--user", "dan"])
    }

    /// Asks at the gate of `act`, which must have nobody's answer yet; returns the question's id.
    pub(crate) fn ask(&self) -> String {
        asked_at(&self.enters("T-1", "act"))
    }

    pub(crate) fn yes(&self, id: &str, name: &str) -> String {
        signed_yes(&self.place, id, name, self.key(name))
    }

    pub(crate) fn step_of(&self, task: &str) -> Value {
        let shown = self.place.ask(&["task", "show", task, "--json"]);
        serde_json::from_str::<Value>(&shown.stdout).unwrap()["step"].clone()
    }
}

/// The id of the question with which a gate refused.
pub(crate) fn asked_at(ended: &Ended) -> String {
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(4), ""), "{ended:?}");
    let id = ended.stderr.split('`').find(|part| part.starts_with("a_"));
    id.unwrap_or_else(|| panic!("{ended:?}")).to_owned()
}

#[test]
fn a_task_enters_once_enough_approvers_have_signed() {
    let gate = Gate::new();
    let refused = gate.enters("T-1", "act");
    let id = asked_at(&refused);
    assert_eq!(
        refused.stderr,
        format!(
            "error: the step `act` is entered with signed answers, 2 from finance, other than the requester; the question is `{id}`\n\
             hint: `tgw approvals show {id}` shows it, `tgw approvals approve {id} --as NAME --key FILE` or `deny` answers it; \
             then run the same command again, or `tgw approvals run {id}`\n"
        )
    );
    let shown = gate.place.ask(&["approvals", "show", &id]).stdout;
    for wanted in [
        "task T-1 asks to enter the step act",
        "for       dan through",
        "\"chosen\": \"S-1\"",
        "has(task.data.chosen)",
        "facts ",
        "policy    sha256:",
        "answers: 0 of 2 from finance",
    ] {
        assert!(shown.contains(wanted), "{wanted}: {shown}");
    }
    assert_eq!(
        gate.yes(&id, "ann"),
        format!("{id}: approved by `ann`, 1 of 2 from finance, other than the requester")
    );
    assert_eq!(asked_at(&gate.enters("T-1", "act")), id, "the same question waits");
    assert_eq!(gate.step_of("T-1"), "look");
    assert_eq!(gate.yes(&id, "bo"), format!("{id}: approved"));
    let entered = gate.enters("T-1", "act");
    assert_eq!((entered.code, entered.stdout.as_str()), (Some(0), "T-1: step act\n"), "{entered:?}");
    assert_eq!((gate.step_of("T-1"), state_of(&gate.place, &id).as_str()), (json!("act"), "used"));
    let records = gate.place.audit();
    let said: Vec<Value> = records
        .iter()
        .map(|one| &one["record"])
        .filter(|record| record["approval"]["id"] == id)
        .map(|record| {
            json!([
                record["kind"],
                record["approval"]["answer"],
                record["approval"]["how"],
                record["approval"]["by"]
            ])
        })
        .collect();
    assert_eq!(
        said,
        [
            json!(["approval", "asked", "queue", null]),
            json!(["approval", "approved_in_part", "signed", "ann"]),
            json!(["approval", "approved", "signed", "bo"]),
            json!(["task", "entered", "queue", "ann, bo"]),
        ]
    );
    let story = gate.place.ask(&["audit", "show", &id]);
    assert!(story.code == Some(0) && story.stdout.contains("entered by ann, bo"), "{story:?}");
    assert!(gate.place.ask(&["audit", "verify"]).stdout.starts_with("intact: "));
}

#[test]
fn what_was_asked_can_be_done_from_another_process_by_its_id() {
    let gate = Gate::new();
    let id = asked_at(&gate.place.ask(&[
        "task",
        "step",
        "T-1",
        "act",
        "--user",
        "dan",
        "--data",
        r#"{"chosen":"S-2"}"#,
    ]));
    assert_eq!(asked_at(&gate.place.ask(&["approvals", "run", &id])), id);
    gate.yes(&id, "cy");
    gate.yes(&id, "ann");
    let ran = gate.place.ask(&["approvals", "run", &id]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "T-1: step act\n"), "{ran:?}");
    let shown: Value =
        serde_json::from_str(&gate.place.ask(&["task", "show", "T-1", "--json"]).stdout).unwrap();
    assert_eq!((&shown["step"], &shown["data"]), (&json!("act"), &json!({"chosen": "S-2"})));
    let again = gate.place.ask(&["approvals", "run", &id]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stderr.contains("was changed since that was asked"), "{again:?}");
    let as_rule = gate.place.ask(&["approvals", "show", &id, "--as-rule"]);
    assert!(as_rule.code == Some(1) && as_rule.stderr.contains("gate of a step"), "{as_rule:?}");
}

#[test]
fn a_task_starts_in_a_gated_step_with_the_same_answers() {
    let gate = Gate::new();
    let start = || gate.place.ask(&["task", "start", "--id", "T-9", "--step", "other", "--user", "dan"]);
    let id = asked_at(&start());
    assert_eq!(asked_at(&start()), id);
    gate.yes(&id, "ann");
    gate.yes(&id, "bo");
    let started = start();
    assert_eq!((started.code, started.stdout.as_str()), (Some(0), "T-9\n"), "{started:?}");
    assert_eq!(gate.step_of("T-9"), "other");
    let random = asked_at(&gate.place.ask(&["task", "start", "--step", "other", "--user", "dan"]));
    gate.yes(&random, "ann");
    gate.yes(&random, "bo");
    let ran = gate.place.ask(&["approvals", "run", &random]);
    assert!(ran.code == Some(0) && ran.stdout.starts_with("task"), "{ran:?}");
}

#[test]
fn a_gate_that_takes_anybodys_yes_waits_where_there_is_no_terminal() {
    let gate = Gate::new();
    let id = asked_at(&gate.enters("T-1", "plain"));
    approve(&gate.place, &id);
    assert_eq!(gate.enters("T-1", "plain").code, Some(0));
    assert_eq!(gate.step_of("T-1"), "plain");
}

#[test]
fn a_yes_at_the_terminal_settles_the_question_that_waits() {
    let gate = Gate::new();
    let id = asked_at(&gate.enters("T-1", "plain"));
    let mut person = Person::start(gate.place.tgw(&["task", "step", "T-1", "plain", "--user", "dan"]));
    person.sees("Type `enter` and enter");
    person.press("enter\r");
    assert_eq!(person.ends().0.code, Some(0));
    assert_eq!(state_of(&gate.place, &id), "used");
}

#[test]
fn an_approver_at_a_terminal_is_told_what_the_answer_is_to() {
    let gate = Gate::new();
    let id = gate.ask();
    let mut person = Person::start(gate.place.tgw(&[
        "approvals",
        "approve",
        &id,
        "--as",
        "ann",
        "--key",
        gate.key("ann"),
    ]));
    let screen = person.sees("yes, let exactly this task in");
    assert!(screen.contains("task T-1 asks to enter the step act"), "{screen}");
    choose(&mut person, "y");
    assert!(person.ends().0.stdout.starts_with(&format!("{id}: approved by `ann`")));
}

#[test]
fn a_no_is_final_for_the_task_as_it_was_shown_and_says_why() {
    let gate = Gate::new();
    let id = gate.ask();
    gate.yes(&id, "ann");
    let no =
        answer(&gate.place, "deny", &id, &["--as", "bo", "--key", gate.key("bo"), "--feedback", "too dear"]);
    assert_eq!(no.code, Some(0), "{no:?}");
    for _ in 0..2 {
        let refused = gate.enters("T-1", "act");
        assert_eq!(refused.code, Some(3), "{refused:?}");
        assert!(
            refused.stderr.contains(&format!("denied the step `act` by bo, `{id}`: too dear")),
            "{refused:?}"
        );
    }
    assert_eq!(gate.place.ask(&["approvals", "run", &id]).code, Some(3));
    // Back where it was, with the same data: still the same question.
    assert_eq!(gate.enters("T-1", "look").code, Some(0));
    assert_eq!(gate.enters("T-1", "act").code, Some(3));
    let other =
        gate.place.ask(&["task", "step", "T-1", "act", "--user", "dan", "--data", r#"{"chosen":"S-2"}"#]);
    assert_ne!(asked_at(&other), id);
}

#[test]
fn a_question_that_was_taken_back_is_asked_anew() {
    let gate = Gate::new();
    let id = gate.ask();
    assert_eq!(gate.place.ask(&["approvals", "revoke", &id]).code, Some(0));
    assert_ne!(gate.ask(), id);
}

#[test]
fn each_file_that_has_a_gate_has_answers_of_its_own() {
    let gate = Gate::new();
    let legal = gate.place.aside(
        "legal.yaml",
        "version: 1\ndefault_verdict: allow\napprovers: {legal: {members: [cy]}}\nsteps: {look: {}, other: {enter: {approval: {by: [legal]}}}}\n",
    );
    let own = gate.place.aside("none", "").with_file_name("policy.yaml");
    let enter = || {
        gate.place.ask(&[
            "task",
            "step",
            "T-1",
            "other",
            "--user",
            "dan",
            "--policy",
            own.to_str().unwrap(),
            "--policy",
            legal.to_str().unwrap(),
        ])
    };
    let id = asked_at(&enter());
    gate.yes(&id, "ann");
    gate.yes(&id, "bo");
    assert_eq!(state_of(&gate.place, &id), "pending");
    assert_eq!(gate.yes(&id, "cy"), format!("{id}: approved"));
    assert_eq!(enter().code, Some(0));
}

#[test]
fn a_program_is_told_of_the_question_and_not_of_the_data() {
    let gate = Gate::under(&format!("{GATED}notify: [sh, -c, 'cat >> $HOME/told; echo >> $HOME/told']\n"));
    let id = gate.ask();
    gate.ask();
    let told = std::fs::read_to_string(gate.place.home().join("told")).unwrap();
    let notice: Value = serde_json::from_str(told.trim_end()).unwrap();
    assert_eq!(
        (&notice["event"], &notice["id"], &notice["enters"]),
        (&json!("approval_asked"), &json!(id), &json!("act"))
    );
    assert_eq!(
        (&notice["task"], &notice["step"], &notice["needs"][0]["count"]),
        (&json!("T-1"), &json!("look"), &json!(2))
    );
    assert!(!told.contains("S-1") && !told.contains("order it"), "{told}");
}

#[test]
fn questions_of_gates_wait_on_a_server_too() {
    let policy = GATED.replace("by: [finance], count: 2, not_requester: true", "expires: 1h");
    let Some(space) = Space::with(TOOLS, &policy).on_server() else { return };
    let start = space.tgw(["task", "start", "--id", "T-1"]).with_files().ended();
    assert_eq!(start.status, Some(0), "{start:?}");
    let enter = || space.tgw(["task", "step", "T-1", "other"]).with_files().ended();
    assert_eq!(enter().status, Some(4));
    let listed: Vec<Value> =
        serde_json::from_str(&space.tgw(["approvals", "list", "--json"]).text()).unwrap();
    let text = |name: &str| listed[0][name].as_str().unwrap().to_owned();
    let (id, digest) = (text("id"), text("question_digest"));
    assert_eq!(space.tgw(["approvals", "approve", &id, "--digest", &digest]).ended().status, Some(0));
    let entered = enter();
    assert_eq!((entered.status, entered.stdout.as_str()), (Some(0), "T-1: step other\n"), "{entered:?}");
    space.intact();
}
