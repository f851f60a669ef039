//! Tasks that the store keeps: the step is the harness's or a person's, and a run follows it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};

use crate::harness::{Space, call, code, message, status};

const TOOLS: &str = r#"version: 1
tools:
  - name: search
    description: Looks.
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: [echo, found]}
    sandbox: {level: none}
    result: {trust: trusted}
  - name: order
    description: Orders.
    risk: external
    execution_mode: exclusive
    idempotency: none
    input_schema: {type: object, additionalProperties: false, required: [ref], properties: {ref: {type: string}}}
    run: {command: [sh, -c, 'echo "$1" >> m/orders', sh, "{{arguments.ref}}"]}
    sandbox: {level: none, write: [m]}
    result: {trust: trusted}
"#;

const POLICY: &str = r#"version: 1
default_verdict: allow
initial_step: compare
steps:
  compare: {tools: [search]}
  draft: {tools: [order, search], enter: {when: 'has(task.data.chosen) && step == "compare"'}}
  execute: {tools: [order], enter: {approval: {expires: 1h}}}
  sealed: {enter: {approval: {by: [finance]}}}
approvers: {finance: {members: [ann]}}
"#;

fn space() -> Space {
    let space = Space::with(TOOLS, POLICY);
    space.write("m/orders", "");
    space
        .write_beside("files/task.yaml", "version: 1\nid: T-1\nprompt: compare them\ndata: {known: [S-1]}\n");
    space
}

fn started() -> Space {
    let space = space();
    let file = space.beside("files/task.yaml").display().to_string();
    space.tgw(["task", "start", &file]).with_files().stdout("T-1\n").holds();
    space
}

fn enter(space: &Space, step: &str, data: &str) {
    space
        .tgw(["task", "step", "T-1", step, "--data", data])
        .with_files()
        .stdout(&format!("T-1: step {step}\n"))
        .holds();
}

fn shown(space: &Space) -> Value {
    serde_json::from_str(&space.tgw(["task", "show", "T-1", "--json"]).text()).unwrap()
}

fn visible(space: &Space) -> Vec<String> {
    let text = space.tgw(["tools", "--json"]).with_files().and(&["--task", "T-1"]).text();
    let tools: Vec<Value> = serde_json::from_str(&text).unwrap();
    let names = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
    names.filter(|name| !name.starts_with("tgw__")).collect()
}

fn one(space: &Space, name: &str, arguments: &Value) -> Value {
    space.stream(&[&call("c", name, arguments)]).and(&["--task", "T-1"]).answers().remove(0)
}

/// A stream that stays open between lines.
struct Stream {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Stream {
    fn of(space: &Space, more: &[&str]) -> Self {
        let mut child = space.tgw(["run"]).with_files().and(&["--task", "T-1"]).and(more).start();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    fn send(&mut self, name: &str, arguments: &Value) {
        let line = json!({"name": name, "arguments": arguments});
        self.input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, name: &str, arguments: &Value) -> Value {
        self.send(name, arguments);
        self.next()
    }

    fn end(self) {
        let Self { mut child, input, .. } = self;
        drop(input);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_task_starts_in_the_first_step_and_its_list_changes_with_the_step() {
    let space = started();
    assert_eq!(visible(&space), ["search"]);
    let denied = one(&space, "order", &json!({"ref": "A"}));
    assert_eq!(code(&denied), "PERMISSION_DENIED");
    assert_eq!(message(&denied), "the step `compare` does not include `order`");
    enter(&space, "draft", r#"{"chosen":"S-1"}"#);
    assert_eq!(visible(&space), ["search", "order"]);
    assert_eq!(status(&one(&space, "order", &json!({"ref": "A"}))), "succeeded");
    let task = shown(&space);
    assert_eq!(
        (&task["step"], &task["revision"], &task["believed"]),
        (&json!("draft"), &json!(2), &json!(true))
    );
    assert_eq!(task["data"], json!({"chosen": "S-1", "known": ["S-1"]}));
    space.intact();
}

#[test]
fn a_gate_whose_condition_does_not_hold_stays_closed_and_that_is_on_record() {
    let space = started();
    space
        .tgw(["task", "step", "T-1", "draft"])
        .with_files()
        .status(3)
        .stderr(
            "error: the step `draft` is entered when `has(task.data.chosen) && step == \"compare\"`, and that does not hold\n\
             hint: `tgw task show` shows the task's data; `--data` adds to them\n",
        )
        .holds();
    assert_eq!(shown(&space)["revision"], 1);
    let records = space.records();
    let record = &records.last().unwrap()["record"];
    assert_eq!(record["code"], "PERMISSION_DENIED");
    assert_eq!(
        (&record["kind"], &record["task"], &record["step"]),
        (&json!("task"), &json!("T-1"), &json!("draft"))
    );
}

#[test]
fn a_gate_that_asks_needs_a_terminal_and_one_that_asks_approvers_more_than_that() {
    let space = started();
    for step in ["execute", "sealed"] {
        let ended = space.tgw(["task", "step", "T-1", step]).with_files().ended();
        assert_eq!((ended.status, ended.stdout.as_str()), (Some(4), ""), "{}", ended.stderr);
    }
    assert_eq!(shown(&space)["step"], "compare");
}

#[test]
fn a_running_stream_follows_the_task() {
    let space = started();
    let mut stream = Stream::of(&space, &[]);
    assert_eq!(code(&stream.ask("order", &json!({"ref": "A"}))), "PERMISSION_DENIED");
    enter(&space, "draft", r#"{"chosen":1}"#);
    assert_eq!(status(&stream.ask("order", &json!({"ref": "B"}))), "succeeded");
    let found = stream.ask("tgw__search_tools", &json!({"query": "order"}));
    assert!(found.to_string().contains("Orders."), "{found}");
    enter(&space, "compare", "{}");
    let denied = stream.ask("order", &json!({"ref": "C"}));
    assert_eq!(message(&denied), "the step `compare` does not include `order`");
    space.tgw(["task", "end", "T-1"]).stdout("T-1: ended\n").holds();
    let over = stream.ask("search", &json!({}));
    assert_eq!(
        (code(&over), message(&over)),
        ("PERMISSION_DENIED", "the task `T-1` has ended, so `search` may not be used in it")
    );
    stream.end();
    assert_eq!(space.read("m/orders").unwrap(), "B\n");
    let records = space.records();
    let orders = records.iter().map(|record| &record["record"]).filter(|record| record["tool"] == "order");
    let steps: Vec<&str> = orders.map(|record| record["step"].as_str().unwrap()).collect();
    assert_eq!(steps, ["compare", "draft", "draft", "compare"]);
}

#[test]
fn a_call_that_waits_for_an_answer_ends_with_its_step() {
    let space = started();
    space.write_beside(
        "files/policy.yaml",
        format!("{POLICY}rules: [{{id: ask, verdict: require_approval, tools: [order]}}]\n"),
    );
    enter(&space, "draft", r#"{"chosen":1}"#);
    let mut stream = Stream::of(&space, &["--wait-approvals"]);
    let asked = stream.ask("order", &json!({"ref": "A"}));
    assert_eq!(status(&asked), "input_required");
    enter(&space, "compare", "{}");
    let ended = stream.next();
    assert_eq!((&ended["event"], code(&ended)), (&json!("resolved"), "PERMISSION_DENIED"), "{ended}");
    stream.end();
    let questions: Vec<Value> =
        serde_json::from_str(&space.tgw(["approvals", "list", "--json"]).text()).unwrap();
    assert_eq!(questions[0]["state"], "revoked");
    assert_eq!(space.read("m/orders").unwrap(), "");
}

#[test]
fn a_task_is_not_kept_under_an_id_that_cannot_name_it() {
    let space = started();
    for id in ["T/2", "/", "T.yaml", "a.yml", ".json", "-T"] {
        let stated = format!("--id={id}");
        let ended = space.tgw(["task", "start", &stated]).with_files().ended();
        assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""), "{id}");
        assert!(ended.stderr.contains(&format!("a kept task cannot have the id `{id}`")), "{}", ended.stderr);
        assert!(ended.stderr.contains("give it an id such as"), "{}", ended.stderr);
        // Nor one from a file.
        let file = space.beside("files/named.yaml").display().to_string();
        std::fs::write(&file, json!({"version": 1, "id": id}).to_string()).unwrap();
        let ended = space.tgw(["task", "start", &file]).with_files().ended();
        assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""), "{id}: {}", ended.stderr);
    }
    let tasks: Vec<Value> = serde_json::from_str(&space.tgw(["task", "show", "--json"]).text()).unwrap();
    assert_eq!(tasks.len(), 1);
    for id in ["T-2", "T.2", "yaml", "T:2"] {
        space.tgw(["task", "start", "--id", id]).with_files().stdout(&format!("{id}\n")).holds();
        space.tgw(["run", "--task", id]).with_files().lines_in(&[]).holds();
    }
}

#[test]
fn an_ended_task_starts_nothing_and_is_not_begun_again() {
    let space = started();
    space.tgw(["task", "end", "T-1"]).stdout("T-1: ended\n").holds();
    let file = space.beside("files/task.yaml").display().to_string();
    for (arguments, expected) in [
        (vec!["run", "--task", "T-1"], 2),
        (vec!["call", "search", "{}", "--task", "T-1"], 2),
        (vec!["task", "step", "T-1", "draft"], 1),
        (vec!["task", "start", &file], 1),
    ] {
        let ended = space.tgw(arguments.clone()).with_files().ended();
        assert_eq!(
            (ended.status, ended.stdout.as_str()),
            (Some(expected), ""),
            "{arguments:?}: {}",
            ended.stderr
        );
    }
    let check = space
        .tgw(["check"])
        .with_files()
        .and(&["--task", "T-1"])
        .stdin(call("c", "search", &json!({})) + "\n")
        .text();
    assert!(check.contains("PERMISSION_DENIED"), "{check}");
}

#[test]
fn a_kept_task_has_one_step_whatever_is_typed() {
    let space = started();
    let file = space.beside("files/task.yaml").display().to_string();
    for (arguments, variable, wanted) in [
        (vec!["run", "--task", "T-1", "--step", "draft"], None, "the step of the task `T-1` is in the store"),
        (vec!["run", "--task", "T-1"], Some("draft"), "the step of the task `T-1` is in the store"),
        (vec!["run", "--task", &file], None, "the task `T-1` is kept in the store"),
        (vec!["run", "--task", "T-9"], None, "the store keeps no task `T-9`"),
    ] {
        let mut run = space.tgw(arguments.clone()).with_files();
        if let Some(step) = variable {
            run = run.variable("TGW_STEP", step);
        }
        let ended = run.ended();
        assert_eq!(ended.status, Some(2), "{arguments:?}");
        assert!(ended.stderr.contains(wanted), "{arguments:?}: {}", ended.stderr);
    }
}

#[test]
fn a_step_with_a_gate_is_entered_through_it_only() {
    let space = space();
    space.write_beside("files/there.yaml", "version: 1\nid: T-2\nstep: execute\n");
    let file = space.beside("files/there.yaml").display().to_string();
    for arguments in [
        vec!["run", "--step", "execute"],
        vec!["run", "--task", &file],
        vec!["call", "order", r#"{"ref":"A"}"#, "--step", "draft"],
    ] {
        let ended = space.tgw(arguments.clone()).with_files().ended();
        assert_eq!(ended.status, Some(2), "{arguments:?}");
        assert!(ended.stderr.contains("has a gate"), "{arguments:?}: {}", ended.stderr);
    }
    // The start of a task is an entry as any other.
    let ended = space.tgw(["task", "start", &file]).with_files().ended();
    assert_eq!(ended.status, Some(4), "{}", ended.stderr);
    // Nothing runs in a look.
    let text = space.tgw(["tools"]).with_files().and(&["--step", "execute"]).text();
    assert!(text.contains("order"), "{text}");
}
