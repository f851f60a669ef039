//! Driving the real binary: a suite's calls go in as lines, and every answer is held against what is expected.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::break_call::{Breakage, break_call};
use crate::replay;
use crate::suite::{Suite, Tool, list, text};

/// What became of a suite.
#[derive(Default)]
pub(crate) struct Driven {
    pub name: String,
    pub tools: usize,
    pub calls: usize,
    pub succeeded: usize,
    /// How many break their own schema.
    pub excepted: usize,
    pub refused: BTreeMap<Breakage, usize>,
    /// What is no surprise and yet not plain: reason, how often.
    pub exceptions: BTreeMap<String, usize>,
    pub surprises: Vec<String>,
}

impl Driven {
    fn except(&mut self, reason: String) {
        *self.exceptions.entry(reason).or_default() += 1;
    }
}

/// How much of a recorded result came back.
enum Returned {
    Whole,
    /// Recordings hold passwords and reset links, and whatever looks like one is hidden from the model.
    Redacted,
    Other,
}

fn returned(content: &str, recorded: &str) -> Returned {
    if content == recorded {
        return Returned::Whole;
    }
    let Ok(placeholder) = regex::Regex::new(r"\[secret:[a-z_]+#[0-9]+\]") else { return Returned::Other };
    let mut parts = placeholder.split(content);
    let mut rest = parts.next().and_then(|first| recorded.strip_prefix(first));
    let mut last = None;
    for part in parts {
        rest = rest.and_then(|rest| rest.split_once(part)).map(|(_, rest)| rest);
        last = Some(part);
    }
    match (rest, last) {
        (Some(rest), Some(last)) if rest.is_empty() || last.is_empty() => Returned::Redacted,
        _ => Returned::Other,
    }
}

/// Runs every recorded call, and every way to break one.
pub(crate) fn drive(suite: &Suite) -> Result<Driven, Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    for folder in ["workspace", "recorded", "state"] {
        std::fs::create_dir(place.path().join(folder))?;
    }
    let mut driven = Driven {
        name: suite.name.clone(),
        tools: suite.tools.len(),
        calls: suite.calls.len(),
        exceptions: suite.set_aside.clone(),
        ..Driven::default()
    };
    write_configuration(suite, place.path())?;
    let schemas: HashMap<&str, &Value> =
        suite.tools.iter().map(|tool| (tool.name.as_str(), &tool.schema)).collect();
    run_recorded(suite, &schemas, place.path(), &mut driven)?;
    run_broken(suite, &schemas, place.path(), &mut driven)?;
    Ok(driven)
}

fn run_recorded(
    suite: &Suite,
    schemas: &HashMap<&str, &Value>,
    place: &Path,
    driven: &mut Driven,
) -> Result<(), Box<dyn Error>> {
    let mut lines = Vec::new();
    for (at, call) in suite.calls.iter().enumerate() {
        replay::record(&format!("c{at}"), call, &place.join("recorded"))?;
        lines.push(json!({"id": format!("c{at}"), "name": call.tool, "arguments": call.arguments}));
    }
    for (call, answer) in suite.calls.iter().zip(gateway(&lines, place)?) {
        let schema = schemas.get(call.tool.as_str());
        let faults =
            schema.map(|schema| faults(schema, &Value::Object(call.arguments.clone()))).unwrap_or_default();
        let refused = answer.pointer("/error/code") == Some(&json!("INVALID_ARGUMENTS"));
        let surprise = match (faults.first(), text(&answer, "status") == "succeeded") {
            (None, true) => match returned(&text(&answer, "content"), &call.result) {
                Returned::Whole => {
                    driven.succeeded += 1;
                    None
                }
                Returned::Redacted => {
                    driven.succeeded += 1;
                    driven.except("result returned with what looks like a token hidden".to_owned());
                    None
                }
                Returned::Other => Some("another result than was recorded"),
            },
            (Some(fault), false) if refused => {
                // A second opinion, from the validator by itself, says that the recording is at fault.
                driven.excepted += 1;
                driven.except(format!("recorded call breaks its own schema: {fault}"));
                None
            }
            (Some(_), _) => Some("let through, though it breaks its schema"),
            (None, false) => Some("a recorded call did not succeed"),
        };
        if let Some(surprise) = surprise {
            driven.surprises.push(format!("{}: {surprise}: {} {answer}", call.origin, json!(call.arguments)));
        }
    }
    Ok(())
}

fn run_broken(
    suite: &Suite,
    schemas: &HashMap<&str, &Value>,
    place: &Path,
    driven: &mut Driven,
) -> Result<(), Box<dyn Error>> {
    let (mut lines, mut expected) = (Vec::new(), Vec::new());
    for call in &suite.calls {
        let Some(schema) = schemas.get(call.tool.as_str()) else { continue };
        if !faults(schema, &Value::Object(call.arguments.clone())).is_empty() {
            continue;
        }
        for broken in break_call(schema, &call.arguments) {
            lines.push(
                json!({"id": format!("b{}", lines.len()), "name": call.tool, "arguments": broken.arguments}),
            );
            expected.push((call, broken));
        }
    }
    for ((call, broken), answer) in expected.iter().zip(gateway(&lines, place)?) {
        let refused = answer.pointer("/error/code") == Some(&json!("INVALID_ARGUMENTS"));
        let violations = answer.get("error").map(|error| list(error, "violations")).unwrap_or_default();
        if refused && violations.iter().any(|violation| text(violation, "pointer") == broken.pointer) {
            *driven.refused.entry(broken.how).or_default() += 1;
        } else {
            let (how, at) = (broken.how, &broken.pointer);
            driven
                .surprises
                .push(format!("{}: broken ({how:?} at `{at}`) and not refused there: {answer}", call.origin));
        }
    }
    Ok(())
}

/// What the validator by itself has against arguments.
fn faults(schema: &Value, arguments: &Value) -> Vec<String> {
    match jsonschema::validator_for(schema) {
        Ok(validator) => validator
            .iter_errors(arguments)
            .map(|error| format!("{}: {error}", error.instance_path().as_str()))
            .collect(),
        Err(error) => vec![format!("the schema is unusable: {error}")],
    }
}

/// Runs lines through `tgw run`; one answer each, in order.
fn gateway(lines: &[Value], place: &Path) -> Result<Vec<Value>, Box<dyn Error>> {
    let calls = place.join("calls.jsonl");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&calls, text)?;
    #[expect(clippy::disallowed_methods, reason = "it starts tgw itself, as a harness does")]
    let output = Command::new(binary()?)
        .arg("run")
        .args([
            "--tools",
            "tools.yaml",
            "--policy",
            "policy.yaml",
            "--workspace",
            "workspace",
            "--state",
            "state",
        ])
        .stdin(File::open(&calls)?)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", place)
        .current_dir(place)
        .output()?;
    if !output.status.success() {
        return Err(format!(
            "`tgw run` ended with {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )
        .into());
    }
    let answers: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(serde_json::from_slice)
        .collect::<Result<_, _>>()?;
    if answers.len() != lines.len() {
        return Err(format!("{} calls got {} answers", lines.len(), answers.len()).into());
    }
    Ok(answers)
}

/// The gateway beside this program: `target/…/tgw` beside `target/…/examples/corpus`.
fn binary() -> Result<PathBuf, Box<dyn Error>> {
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(Path::parent).ok_or("this program is in no target folder")?;
    let binary = folder.join("tgw");
    if binary.is_file() {
        Ok(binary)
    } else {
        Err("there is no `tgw` beside this program: run `cargo build` first".into())
    }
}

/// Manifest and policy. JSON is YAML.
fn write_configuration(suite: &Suite, place: &Path) -> Result<(), Box<dyn Error>> {
    let own = std::env::current_exe()?;
    let tools: Vec<Value> =
        suite.tools.iter().map(|tool| contract(tool, &own, &place.join("recorded"))).collect();
    std::fs::write(place.join("tools.yaml"), json!({"version": 1, "tools": tools}).to_string())?;
    std::fs::write(place.join("policy.yaml"), json!({"version": 1, "default_verdict": "allow"}).to_string())?;
    Ok(())
}

fn contract(tool: &Tool, own: &Path, recorded: &Path) -> Value {
    let argv = [own.to_string_lossy(), "replay".into(), recorded.to_string_lossy(), "{{call.id}}".into()];
    let mut contract = json!({
        "name": tool.name,
        "version": "1.0.0",
        "description": tool.description,
        "risk": if tool.changes { "external" } else { "read_only" },
        "execution_mode": if tool.changes { "exclusive" } else { "parallel" },
        "egress": false,
        "timeout": "60s",
        "input_schema": tool.schema,
        "run": {"command": {"argv": argv, "stdin": "{{json(arguments)}}"}},
        // What is tried here is the way of the arguments and the result, not the sandbox.
        "sandbox": {"level": "none"},
        "result": {"trust": "untrusted", "content": {"max_bytes": 1 << 20, "max_rows": 100_000}},
    });
    if tool.changes
        && let Some(contract) = contract.as_object_mut()
    {
        contract.insert("idempotency".to_owned(), json!("none"));
    }
    contract
}
