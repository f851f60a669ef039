//! `tgw task`: tasks that the harness or a person keeps in the store, and the step that each is in.

mod change;
mod enter;
mod record;
mod waiting;

pub(crate) use change::as_asked;

use serde_json::{Value, json};

use crate::approval::StoredTask;
use crate::ident::{StepName, TaskId};
use crate::state::{KeptTask, Seal, Store};

use super::arguments::StoreArgs;
use super::exit::{Failure, Outcome};
use super::output::print;
use super::stated_task::unknown;
use super::store::{self, failure};
use super::table;
use super::task_arguments::{TaskArgs, TaskCommand};
use super::within::refuse_in_a_call;

/// Runs one task command.
pub(crate) fn task(arguments: &TaskArgs) -> Outcome {
    match &arguments.command {
        TaskCommand::Start { file, id, step, place } => {
            refuse_in_a_call("change a task")?;
            change::start(file.as_deref(), id.as_deref(), step.as_deref(), place)
        }
        TaskCommand::Step { id, step, data, place } => {
            refuse_in_a_call("change a task")?;
            change::step(id, step, data.as_deref(), place)
        }
        TaskCommand::End { id, store } => {
            refuse_in_a_call("change a task")?;
            change::end(id, store)
        }
        TaskCommand::Show { id: Some(id), json, store, .. } => show(id, *json, store),
        TaskCommand::Show { id: None, json, store, limit } => list(*limit, *json, store),
    }
}

fn task_id(text: &str) -> Result<TaskId, Failure> {
    TaskId::parse(text).map_err(|error| Failure::configuration(format!("the task's id: {error}")))
}

fn list(limit: u64, as_json: bool, arguments: &StoreArgs) -> Outcome {
    let opened = store::open(arguments)?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let tasks = match &opened.store {
        Some(store) => store.tasks(&opened.tenant, limit).map_err(|error| failure(&error))?,
        None => Vec::new(),
    };
    if as_json {
        print(&table::visible_json(&tasks.iter().map(value).collect()))?;
        return Ok(0);
    }
    let rows = tasks.iter().map(|task| {
        vec![
            task.id.to_string(),
            step_text(task.step.as_ref()).to_owned(),
            state_text(task),
            task.revision.to_string(),
            task.changed.rfc3339(),
            task.by.clone(),
        ]
    });
    print(&table::render(&["id", "step", "state", "revision", "since", "by"], rows.collect()))?;
    Ok(0)
}

fn show(id: &str, as_json: bool, arguments: &StoreArgs) -> Outcome {
    let opened = store::open(arguments)?;
    let id = task_id(id)?;
    let found = opened.store.as_ref().map(|store| store.kept_task(&opened.tenant, &id));
    let task = found.transpose().map_err(|error| failure(&error))?.flatten().ok_or_else(|| unknown(&id))?;
    // Nothing runs in it; what is there is shown all the same.
    let status = u8::from(task.seal.doubt().is_some());
    if as_json {
        print(&table::visible_json(&value(&task)))?;
        return Ok(status);
    }
    let content = content(&task);
    let text = |name: &str| content.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut lines = vec![
        ("step", step_text(task.step.as_ref()).to_owned()),
        ("state", state_text(&task)),
        ("revision", format!("{}, since {} by {}", task.revision, task.changed.rfc3339(), task.by)),
        ("started", task.created.rfc3339()),
    ];
    lines.extend(text("prompt").map(|prompt| ("prompt", prompt)));
    for name in ["tools", "data"] {
        lines.extend(
            content.get(name).filter(|value| !value.is_null()).map(|value| (name, value.to_string())),
        );
    }
    let text: String = lines
        .iter()
        .map(|(name, text)| {
            format!("{name:<10}{}\n", table::visible(text.trim_end()).replace('\n', "\n          "))
        })
        .collect();
    print(&format!("{}\n{text}", table::visible(task.id.as_str())))?;
    Ok(status)
}

fn step_text(step: Option<&StepName>) -> &str {
    step.map_or("none", StepName::as_str)
}

fn state_text(task: &KeptTask) -> String {
    match (task.seal.doubt(), task.ended) {
        (Some(why), _) => format!("not believed: {why}"),
        (None, Some(at)) => format!("ended {}", at.rfc3339()),
        (None, None) => "active".to_owned(),
    }
}

/// What is kept of the task; null where that is no JSON.
fn content(task: &KeptTask) -> Value {
    let stored: Option<StoredTask> = serde_json::from_str(&task.content).ok();
    stored.and_then(|stored| serde_json::to_value(stored).ok()).unwrap_or(Value::Null)
}

fn value(task: &KeptTask) -> Value {
    let content = content(task);
    json!({
        "id": task.id, "step": task.step, "revision": task.revision, "by": task.by,
        "created": task.created.rfc3339(), "changed": task.changed.rfc3339(),
        "ended": task.ended.map(|at| at.rfc3339()), "believed": task.seal == Seal::Whole,
        "prompt": content.get("prompt"), "tools": content.get("tools"), "data": content.get("data"),
    })
}
