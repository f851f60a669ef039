//! Attacks on tasks: a model, a command or a hand in the store that would choose the step.

use std::process::Child;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::fixture::{script, shell};
use crate::place::Place;

const POLICY: &str = "version: 1\ndefault_verdict: allow\ninitial_step: look\nsteps: {look: {tools: [sh]}, act: {}, other: {}}\n";

/// A place whose one task is in the step `look`.
fn place(sandbox: &str) -> Place {
    let place = Place::new();
    place.configure(&shell(sandbox), POLICY);
    let started = place.ask(&["task", "start", "--id", "T-1"]);
    assert_eq!((started.code, started.stdout.as_str()), (Some(0), "T-1\n"), "{started:?}");
    place
}

fn step(place: &Place) -> Value {
    let shown = place.ask(&["task", "show", "T-1", "--json"]);
    serde_json::from_str::<Value>(&shown.stdout).unwrap()["step"].clone()
}

fn alter(place: &Place, change: &str) {
    Connection::open(place.store()).unwrap().execute_batch(change).unwrap();
}

/// The exit status and the errors of a run in the task.
fn run(place: &Place) -> (Option<i32>, String) {
    let ended = place.run(&["--task", "T-1"], "");
    (ended.code, ended.stderr)
}

#[test]
fn a_command_of_a_call_cannot_change_the_step_with_or_without_a_sandbox() {
    for sandbox in ["{level: none}", "{level: confined}"] {
        let place = place(sandbox);
        let tgw = crate::harness::BINARY;
        let home = place.state().parent().unwrap().display().to_string();
        let aside = place.aside("none", "").parent().unwrap().display().to_string();
        let files = format!("--tools {aside}/tools.yaml --policy {aside}/policy.yaml");
        for words in
            [format!("step T-1 act {files}"), format!("start --id T-2 {files}"), "end T-1".to_owned()]
        {
            for prefix in ["", "env -i PATH=\"$PATH\" ", "setsid -w "] {
                let text = format!(
                    "XDG_STATE_HOME={home} TGW_STEP=act TGW_TASK=T-1 {prefix}{tgw} task {words}; echo done $?"
                );
                let answer = script(&place, &text);
                let said = answer["content"].as_str().unwrap_or_default();
                assert!(!said.contains("done 0"), "{sandbox} {text}: {answer}");
            }
        }
        assert_eq!(step(&place), "look");
    }
}

#[test]
fn no_line_of_a_stream_changes_the_step() {
    let place = place("{level: none}");
    let lines = [
        json!({"name": "sh", "arguments": {"script": "true"}, "step": "act"}),
        json!({"name": "sh", "arguments": {"script": "true"}, "task": "T-1"}),
        json!({"name": "tgw__task", "arguments": {"id": "T-1", "step": "act"}}),
        json!({"name": "tgw__search_tools", "arguments": {"query": "", "step": "act"}}),
        json!({"step": "act"}),
        json!({"task": {"id": "T-1", "step": "act"}}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let ended = place.run(&["--task", "T-1"], text);
    for line in ended.stdout.lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        assert!(answer["error"]["code"].is_string(), "{line}");
    }
    assert_eq!(ended.stdout.lines().count(), lines.len());
    assert_eq!(step(&place), "look");
}

#[test]
fn a_step_that_another_hand_wrote_into_the_store_is_not_believed() {
    for change in [
        "UPDATE task SET step = 'act'",
        "UPDATE task SET content = replace(content, '{}', '{\"chosen\":1}')",
        "UPDATE task SET tenant = 'other'; INSERT INTO task SELECT 'local', id, content, 'act', revision, created, changed, changed_by, ended, seal FROM task",
        "UPDATE task SET seal = NULL, step = 'act'",
        "UPDATE task SET seal = zeroblob(32)",
        "UPDATE task SET revision = 7",
        "UPDATE task SET created = created + 1",
        "UPDATE task SET changed = changed + 1",
        "UPDATE task SET changed_by = 'someone'",
        "UPDATE task SET ended = 1",
    ] {
        let place = place("{level: none}");
        alter(&place, change);
        let (code, errors) = run(&place);
        assert_eq!(code, Some(1), "{change}: {errors}");
        assert!(errors.contains("is not believed"), "{change}: {errors}");
        let moved = place.ask(&["task", "step", "T-1", "other"]);
        assert_eq!(moved.code, Some(1), "{change}: {moved:?}");
    }
}

#[test]
fn an_ended_task_is_not_brought_back_by_taking_its_end_out_of_the_store() {
    let place = place("{level: none}");
    assert_eq!(place.ask(&["task", "end", "T-1"]).code, Some(0));
    alter(&place, "UPDATE task SET ended = NULL");
    assert_eq!(run(&place).0, Some(1));
}

#[test]
fn of_many_that_move_a_task_at_once_none_is_lost() {
    let place = place("{level: none}");
    let racers: Vec<Child> = (0..6)
        .map(|at| {
            let step = if at % 2 == 0 { "act" } else { "other" };
            place
                .tgw(&["task", "step", "T-1", step, "--data", &json!({"by": at}).to_string()])
                .stdin(std::process::Stdio::null())
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut won = 0;
    for racer in racers {
        let ended = racer.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&ended.stderr);
        match ended.status.code() {
            Some(0) => won += 1,
            Some(1) => assert!(errors.contains("was changed meanwhile: it is in step"), "{errors}"),
            other => panic!("{other:?}: {errors}"),
        }
    }
    let shown: Value = serde_json::from_str(&place.ask(&["task", "show", "T-1", "--json"]).stdout).unwrap();
    assert!(won >= 1);
    assert_eq!(shown["revision"], 1 + won);
}

#[test]
fn another_tenant_neither_sees_nor_moves_a_task() {
    let place = place("{level: none}");
    assert_eq!(place.ask(&["task", "show", "T-1", "--tenant", "other"]).code, Some(2));
    assert_eq!(place.ask(&["task", "step", "T-1", "act", "--tenant", "other"]).code, Some(2));
    assert_eq!(place.ask(&["task", "end", "T-1", "--tenant", "other"]).code, Some(2));
    assert_eq!(step(&place), "look");
}

#[test]
fn a_file_that_is_named_like_a_task_does_not_take_its_place() {
    let place = place("{level: none}");
    place.file("T-1", "version: 1\nid: T-1\nstep: act\n");
    let ended =
        place.run(&["--task", "T-1"], "{\"name\":\"tgw__search_tools\",\"arguments\":{\"query\":\"\"}}\n");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(step(&place), "look");
}
