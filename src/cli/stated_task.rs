//! The task that a run begins in: kept in the store, stated in a file, or made for the run.

use std::path::Path;

use serde_json::{Map, Value};

use crate::catalog::{Scope, TaskContext, TaskSpan};
use crate::diagnostic::nearest;
use crate::ident::{Principal, StepName, TaskId};
use crate::policy::Policy;
use crate::session::{NoPosition, Position};
use crate::state::{KeptTask, Seal, SqlStore, Store, TaskMark};

use super::discover::{self, Origin};
use super::exit::Failure;
use super::store::failure;

/// What a session is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Calls may run in it.
    Run,
    /// Nothing runs in it.
    Look,
}

/// A task as it was stated.
pub(crate) enum StatedTask {
    /// By the id of one that the store keeps.
    Kept(TaskId),
    /// In a file, or made for the run.
    Given(TaskContext, Option<StepName>),
    /// By a stored call.
    Asked(TaskContext, Option<StepName>),
}

impl StatedTask {
    /// Reads what `--task` or its variable says. A value with a `/`, or with the ending of a file, is a file, so that no file
    /// which happens to lie somewhere takes the place of a task's id.
    pub(crate) fn read(stated: Option<&Path>) -> Result<Self, Failure> {
        let Some(stated) = stated else { return made_for_a_run() };
        if is_file(stated) {
            let found = discover::read_named(stated, Origin::Flag)?;
            let (task, step) = super::task_file::read_task(&found.name, &found.text)?;
            return Ok(Self::Given(task, step));
        }
        let id = TaskId::parse(&stated.to_string_lossy())
            .map_err(|error| Failure::configuration(format!("`--task`: {error}")))?;
        Ok(Self::Kept(id))
    }
}

/// Whether what `--task` says is a file.
pub(crate) fn is_file(stated: &Path) -> bool {
    let text = stated.as_os_str().as_encoded_bytes();
    text.contains(&b'/') || [".yaml", ".yml", ".json"].iter().any(|ending| text.ends_with(ending.as_bytes()))
}

/// The id of a task that is to be kept: one that `--task` can name.
///
/// # Errors
/// What it would be taken for.
pub(crate) fn nameable(id: &TaskId) -> Result<(), Failure> {
    let why = if is_file(Path::new(id.as_str())) {
        "`--task` takes what has a `/`, or ends in `.yaml`, `.yml` or `.json`, for a file"
    } else if crate::text::escape(id.as_str()) != id.as_str() {
        "it has characters that cannot be seen"
    } else if id.as_str().starts_with('-') {
        "what starts with `-` is taken for an option"
    } else {
        return Ok(());
    };
    Err(Failure::configuration(format!(
        "a kept task cannot have the id `{}`: {why}",
        crate::text::escape(id.as_str())
    ))
    .with_hint("give it an id such as `T-1`"))
}

fn made_for_a_run() -> Result<StatedTask, Failure> {
    let id = random_id("run")?;
    let data = Value::Object(Map::new());
    Ok(StatedTask::Given(TaskContext { id, span: TaskSpan::Run, prompt: None, tools: None, data }, None))
}

/// A task's id that no other has.
pub(crate) fn random_id(prefix: &str) -> Result<TaskId, Failure> {
    TaskId::parse(&format!("{prefix}-{:016x}", super::run::random_run()?))
        .map_err(|error| Failure::failed(error.to_string()))
}

/// Where a run begins.
pub(crate) struct Beginning {
    pub(crate) task: TaskContext,
    pub(crate) step: Option<StepName>,
    pub(crate) scope: Scope,
    pub(crate) kept: Option<TaskMark>,
}

/// Finds where a run begins. `step` is what was typed.
///
/// # Errors
/// Where the task is not to be believed or has ended, where two things state the step, where the policy does not know it, or
/// where it has a gate that nobody went through.
pub(crate) fn begin(
    stated: StatedTask,
    step: Option<StepName>,
    store: impl FnOnce() -> Result<Option<SqlStore>, Failure>,
    policy: &Policy,
    principal: &Principal,
    purpose: Purpose,
) -> Result<Beginning, Failure> {
    let (task, task_step) = match stated {
        StatedTask::Kept(id) => {
            let found = kept(store()?, principal, &id)?.ok_or_else(|| unknown(&id))?;
            if step.is_some() {
                return Err(Failure::configuration(format!("the step of the task `{id}` is in the store"))
                    .with_hint(format!(
                        "leave `--step` and TGW_STEP out, or change it with `tgw task step {id} STEP`"
                    )));
            }
            return resume(&found, policy, principal, purpose);
        }
        StatedTask::Given(task, task_step) => {
            if task.span == TaskSpan::Stated
                && let Some((found, _)) = kept(store()?, principal, &task.id)?
            {
                let message = format!("the task `{}` is kept in the store", found.id);
                return Err(Failure::configuration(message)
                    .with_hint(format!("name it by its id: `--task {}`", found.id)));
            }
            (task, task_step)
        }
        StatedTask::Asked(task, task_step) => {
            if let Some(found) = kept(store()?, principal, &task.id)? {
                return resume(&found, policy, principal, purpose);
            }
            (task, task_step)
        }
    };
    let step = match step.or(task_step) {
        Some(step) => Some(known_step(step, policy)?),
        None => policy.initial_step().cloned(),
    };
    if let Some(step) = step.as_ref().filter(|_| purpose == Purpose::Run)
        && let Some(gate) = policy.gates(step).next()
    {
        let message =
            format!("the step `{step}` has a gate ({}), and this task did not go through it", gate.location);
        return Err(Failure::configuration(message).with_hint(
            "keep the task with `tgw task start`, enter the step with `tgw task step`, and name the task's id with `--task`",
        ));
    }
    let scope = policy.scope(principal, &task, step.as_ref());
    Ok(Beginning { task, step, scope, kept: None })
}

/// A kept task with its mark, which comes first: a change between the two reads shows itself at the next look.
fn kept(
    store: Option<SqlStore>,
    principal: &Principal,
    id: &TaskId,
) -> Result<Option<(KeptTask, TaskMark)>, Failure> {
    let Some(store) = store else { return Ok(None) };
    let mark = store.task_mark(&principal.tenant, id).map_err(|error| failure(&error))?;
    let task = store.kept_task(&principal.tenant, id).map_err(|error| failure(&error))?;
    Ok(task.zip(mark))
}

fn resume(
    (kept, mark): &(KeptTask, TaskMark),
    policy: &Policy,
    principal: &Principal,
    purpose: Purpose,
) -> Result<Beginning, Failure> {
    let id = &kept.id;
    let position = Position::of_kept(kept, policy, principal).map_err(|problem| not_believed(id, problem))?;
    if purpose == Purpose::Run {
        if kept.ended.is_some() {
            return Err(Failure::configuration(format!("the task `{id}` has ended"))
                .with_hint("start another one with `tgw task start`"));
        }
        if let Some(step) = position.step.clone().filter(|_| !policy.steps().is_empty()) {
            known_step(step, policy)?;
        }
    }
    let Position { task, step, scope } = position;
    Ok(Beginning { task, step, scope, kept: Some(*mark) })
}

/// What is said of a kept task that cannot be used.
pub(crate) fn not_believed(id: &TaskId, problem: NoPosition) -> Failure {
    let why = match problem {
        NoPosition::NotBelieved(why) => why,
        NoPosition::Unreadable => "it cannot be read",
    };
    let hint = if Some(why) == Seal::Unchecked.doubt() {
        "nothing runs in it without that file: put it back from a copy, or start another task with `tgw task start`"
    } else {
        "nothing runs in it; start another one with `tgw task start`"
    };
    Failure::failed(format!("the stored task `{id}` is not believed: {why}")).with_hint(hint)
}

/// There is no such task.
pub(crate) fn unknown(id: &TaskId) -> Failure {
    Failure::configuration(format!("the store keeps no task `{id}`")).with_hint(
        "start it with `tgw task start`, or write a file as `./FILE`; `tgw task show` lists the tasks there are",
    )
}

/// A step that the policy has.
pub(crate) fn known_step(step: StepName, policy: &Policy) -> Result<StepName, Failure> {
    if policy.has_step(&step) { Ok(step) } else { Err(unknown_step(&step, policy)) }
}

fn unknown_step(step: &StepName, policy: &Policy) -> Failure {
    let steps: Vec<&str> = policy.steps().into_iter().map(StepName::as_str).collect();
    if steps.is_empty() {
        return Failure::configuration(format!("the policy has no steps, so there is no step `{step}`"))
            .with_hint("leave the step out, or name a policy that has steps with `--policy`");
    }
    let meant = nearest(step.as_str(), steps.iter().copied());
    let question = meant.map(|meant| format!("did you mean `{meant}`? ")).unwrap_or_default();
    Failure::configuration(format!("the policy has no step `{step}`"))
        .with_hint(format!("{question}it has `{}`", steps.join("`, `")))
}
