//! Starting a task, putting it into a step, ending it: each is one transaction with its record.

use std::path::Path;

use serde_json::{Map, Value};

use crate::approval::{StoredCall, StoredTask};
use crate::catalog::{TaskContext, TaskSpan};
use crate::ident::{Principal, StepName, TaskId};
use crate::state::{
    Change, KeptTask, MovedTask, NewTask, Refusal, SqlStore, Store, StoreError, StoredApproval,
};

use super::enter::{Entering, Passed, entered};
use super::record::Record;
use super::{step_text, task_id};
use crate::cli::arguments::{SessionArgs, StoreArgs};
use crate::cli::discover::{self, Origin};
use crate::cli::exit::{Failure, Outcome};
use crate::cli::output::print;
use crate::cli::session::{self, Identity, Loaded, operating_system_user};
use crate::cli::stated_task::{Purpose, known_step, nameable, not_believed, random_id, unknown};
use crate::cli::store::{self, failure};
use crate::cli::task_arguments::TaskPlaceArgs;
use crate::cli::task_file::read_task;
use crate::session::NoPosition;

/// Most bytes of what is kept of a task.
const MOST_CONTENT: usize = 1 << 20;

/// Keeps a task.
pub(super) fn start(
    file: Option<&Path>,
    id: Option<&str>,
    step: Option<&str>,
    place: &TaskPlaceArgs,
) -> Outcome {
    let (task, file_step) = match file {
        Some(file) => {
            let found = discover::read_named(file, Origin::Flag)?;
            read_task(&found.name, &found.text)?
        }
        None => {
            let id = id.map_or_else(|| random_id("task"), task_id)?;
            let data = Value::Object(Map::new());
            (TaskContext { id, span: TaskSpan::Stated, prompt: None, tools: None, data }, None)
        }
    };
    nameable(&task.id)?;
    let loaded = load(&place.session(), &task, None)?;
    let policy = &loaded.session.policy;
    let step = match step.map(step_name).transpose()?.or(file_step) {
        Some(step) => Some(known_step(step, policy)?),
        None => policy.initial_step().cloned(),
    };
    begin(&loaded, &task, step.as_ref())
}

/// Keeps a task whose first step is known.
fn begin(loaded: &Loaded, task: &TaskContext, step: Option<&StepName>) -> Outcome {
    let content = content(task)?;
    let mut store = store::create(loaded)?.map_err(|error| failure(&error))?;
    let kept =
        store.kept_task(&loaded.session.principal.tenant, &task.id).map_err(|error| failure(&error))?;
    if kept.is_some() {
        return Err(taken(&task.id));
    }
    let entering = Entering { loaded, task, revision: 0, from: None, to: step };
    let passed = asked(&mut store, &entering)?;
    let by = operating_system_user();
    let change = Change::StartTask(NewTask { id: &task.id, content: &content, step, by: &by });
    let record = Record { principal: &loaded.session.principal, task: &task.id, step, from: None };
    match record.commit(&mut store, change, &passed, "started") {
        Err(StoreError::Refused(Refusal::TaskExists)) => return Err(taken(&task.id)),
        committed => committed.map_err(|error| failure(&error))?,
    }
    print(&format!("{}\n", task.id))?;
    Ok(0)
}

/// Puts a task into a step.
pub(super) fn step(id: &str, step: &str, data: Option<&str>, place: &TaskPlaceArgs) -> Outcome {
    let id = task_id(id)?;
    let found = store::open(&place.store())?;
    let (store, kept, mut task) = usable(found.store, &found.tenant, &id)?;
    if let Some(data) = data {
        merge(&mut task.data, data)?;
    }
    let loaded = load(&place.session(), &task, None)?;
    let step = known_step(step_name(step)?, &loaded.session.policy)?;
    put(store, &loaded, &kept, &task, &step)
}

/// Does what was asked about at a gate, for whom and with the data with which it was asked. The gate is asked again, and
/// finds the answers.
pub(crate) fn as_asked(
    question: &StoredApproval,
    call: &StoredCall,
    step: &str,
    arguments: &SessionArgs,
    place: &StoreArgs,
) -> Outcome {
    let task = call.task.context(&question.task);
    let load = || load(arguments, &task, Some(question.principal.clone()));
    if call.revision() == 0 {
        let loaded = load()?;
        let step = known_step(step_name(step)?, &loaded.session.policy)?;
        return begin(&loaded, &task, Some(&step));
    }
    let found = store::open(place)?;
    let (store, kept, _) = usable(found.store, &found.tenant, &question.task)?;
    if kept.revision != call.revision() {
        return Err(Failure::failed(format!("the task `{}` was changed since that was asked", kept.id))
            .with_hint(format!(
                "`tgw task step {} {step}` asks as it stands now; `tgw task show` shows it",
                kept.id
            )));
    }
    let loaded = load()?;
    let step = known_step(step_name(step)?, &loaded.session.policy)?;
    put(store, &loaded, &kept, &task, &step)
}

/// Puts a kept task into a step, through its gate.
fn put(
    mut store: SqlStore,
    loaded: &Loaded,
    kept: &KeptTask,
    task: &TaskContext,
    step: &StepName,
) -> Outcome {
    let id = &kept.id;
    let content = content(task)?;
    let entering =
        Entering { loaded, task, revision: kept.revision, from: kept.step.as_ref(), to: Some(step) };
    let passed = asked(&mut store, &entering)?;
    let by = operating_system_user();
    let change = Change::MoveTask(MovedTask {
        id,
        from: kept.revision,
        content: &content,
        step: Some(step),
        ends: false,
        by: &by,
    });
    let record = Record {
        principal: &loaded.session.principal,
        task: id,
        step: Some(step),
        from: Some(step_text(kept.step.as_ref())),
    };
    moved(record.commit(&mut store, change, &passed, "entered"), &store, kept)?;
    print(&format!("{id}: step {step}\n"))?;
    Ok(0)
}

/// Ends a task.
pub(super) fn end(id: &str, arguments: &StoreArgs) -> Outcome {
    let id = task_id(id)?;
    let found = store::open(arguments)?;
    let (mut store, kept, _) = usable(found.store, &found.tenant, &id)?;
    let by = operating_system_user();
    let principal = person(&by, &kept)?;
    let change = Change::MoveTask(MovedTask {
        id: &id,
        from: kept.revision,
        content: &kept.content,
        step: kept.step.as_ref(),
        ends: true,
        by: &by,
    });
    let record = Record { principal: &principal, task: &id, step: kept.step.as_ref(), from: None };
    moved(record.commit(&mut store, change, &Passed::Open, "ended"), &store, &kept)?;
    print(&format!("{id}: ended\n"))?;
    Ok(0)
}

/// What a command about a task stands on. Nothing runs in it.
fn load(
    arguments: &SessionArgs,
    task: &TaskContext,
    principal: Option<Principal>,
) -> Result<Loaded, Failure> {
    let principal = match principal {
        Some(principal) => principal,
        None => {
            let root = discover::workspace_root(arguments.workspace.as_deref())?;
            let store = session::store_place(arguments.state.as_deref(), &root)?;
            session::principal(arguments, &store)?
        }
    };
    let identity = Identity { principal, task: task.clone(), step: None };
    let loaded = session::load_as(arguments, Some(identity), Purpose::Look)?;
    loaded.warn_untrusted();
    loaded.log_warnings();
    Ok(loaded)
}

/// A kept task that can still be moved.
fn usable(
    store: Option<SqlStore>,
    tenant: &crate::ident::Tenant,
    id: &TaskId,
) -> Result<(SqlStore, KeptTask, TaskContext), Failure> {
    let store = store.ok_or_else(|| unknown(id))?;
    let kept = store.kept_task(tenant, id).map_err(|error| failure(&error))?.ok_or_else(|| unknown(id))?;
    if let Some(why) = kept.seal.doubt() {
        return Err(not_believed(id, NoPosition::NotBelieved(why)));
    }
    if let Some(at) = kept.ended {
        return Err(Failure::failed(format!("the task `{id}` has ended, at {}", at.rfc3339()))
            .with_hint("start another one with `tgw task start`"));
    }
    let stored: StoredTask =
        serde_json::from_str(&kept.content).map_err(|_| not_believed(id, NoPosition::Unreadable))?;
    let task = stored.context(id);
    Ok((store, kept, task))
}

fn step_name(text: &str) -> Result<StepName, Failure> {
    StepName::parse(text).map_err(|error| Failure::configuration(format!("the step: {error}")))
}

fn content(task: &TaskContext) -> Result<String, Failure> {
    let text =
        serde_json::to_string(&StoredTask::of(task)).map_err(|error| Failure::failed(error.to_string()))?;
    if text.len() > MOST_CONTENT {
        return Err(Failure::configuration(format!("the task has more than {MOST_CONTENT} bytes"))
            .with_hint("keep large data elsewhere, and name it in the task"));
    }
    Ok(text)
}

/// Takes in what was typed, name by name.
fn merge(data: &mut Value, typed: &str) -> Result<(), Failure> {
    let limits = crate::wire::JsonLimits::default();
    let members = match crate::wire::parse_strict(typed.as_bytes(), limits) {
        Ok(Value::Object(members)) => members,
        Ok(_) => return Err(Failure::configuration("`--data` is not a JSON object")),
        Err(error) => return Err(Failure::configuration(format!("`--data` is not valid: {error}"))),
    };
    let Value::Object(data) = data else { return Err(Failure::failed("the task's data are no object")) };
    for (name, value) in members {
        match value {
            Value::Null => drop(data.remove(&name)),
            value => drop(data.insert(name, value)),
        }
    }
    Ok(())
}

/// Asks the gates; a no is on record before it is said.
fn asked(store: &mut SqlStore, entering: &Entering<'_>) -> Result<Passed, Failure> {
    entered(store, entering).or_else(|refused| {
        // What was stored with a record of its own needs no second one.
        if refused.recorded {
            return Err(refused.failure);
        }
        let record = Record {
            principal: &entering.loaded.session.principal,
            task: &entering.task.id,
            step: entering.to,
            from: Some(step_text(entering.from)),
        };
        record.refuse(store, refused.code, &refused.failure.message).map_err(|error| failure(&error))?;
        Err(refused.failure)
    })
}

/// The person at the terminal: no agent of theirs does this.
fn person(operator: &str, kept: &KeptTask) -> Result<Principal, Failure> {
    let named = |error: crate::ident::InvalidName| Failure::failed(error.to_string());
    Ok(Principal {
        user: crate::ident::UserName::parse(operator).map_err(named)?,
        agent: crate::ident::AgentName::parse("person").map_err(named)?,
        agent_version: None,
        tenant: kept.tenant.clone(),
    })
}

fn taken(id: &TaskId) -> Failure {
    Failure::failed(format!("there is a task `{id}` already"))
        .with_hint("a task that ended is not begun again: take another id; `tgw task show` lists them")
}

/// What came of a change: one that came too late is told where the task is now.
fn moved(committed: Result<(), StoreError>, store: &SqlStore, kept: &KeptTask) -> Result<(), Failure> {
    match committed {
        Err(StoreError::Refused(Refusal::TaskMoved | Refusal::TaskEnded)) => {
            let now = store.kept_task(&kept.tenant, &kept.id).map_err(|error| failure(&error))?;
            let now = now.map_or_else(
                || "it is gone".to_owned(),
                |now| format!("it is in step {} ({})", step_text(now.step.as_ref()), super::state_text(&now)),
            );
            Err(Failure::failed(format!("the task `{}` was changed meanwhile: {now}", kept.id))
                .with_hint("nothing was changed by this command; look at it, then say again what is to be"))
        }
        committed => committed.map_err(|error| failure(&error)),
    }
}
