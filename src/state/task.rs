//! Tasks that the harness or a person keeps in the store, with the step that each is in.

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::{StepName, TaskId, Tenant};

use super::Seal;
use super::seal::Canonical;

/// A task to be kept.
#[derive(Debug, Clone, Copy)]
pub struct NewTask<'a> {
    /// Its id, unique in its tenant for good: a task that ended is not begun again.
    pub id: &'a TaskId,
    /// Its prompt, tools and data, as JSON.
    pub content: &'a str,
    /// The step that it starts in.
    pub step: Option<&'a StepName>,
    /// Who starts it.
    pub by: &'a str,
}

/// What a kept task becomes.
#[derive(Debug, Clone, Copy)]
pub struct MovedTask<'a> {
    /// Its id.
    pub id: &'a TaskId,
    /// The revision that was looked at. Where the task has another one by now, nothing is changed.
    pub from: u64,
    /// Its prompt, tools and data, as JSON.
    pub content: &'a str,
    /// The step that it is in from now on.
    pub step: Option<&'a StepName>,
    /// Whether it ends, which is final.
    pub ends: bool,
    /// Who says so.
    pub by: &'a str,
}

/// A kept task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptTask {
    /// Its tenant.
    pub tenant: Tenant,
    /// Its id.
    pub id: TaskId,
    /// Its prompt, tools and data, as JSON.
    pub content: String,
    /// The step that it is in.
    pub step: Option<StepName>,
    /// How often it was changed, from 1.
    pub revision: u64,
    /// When it was started.
    pub created: Timestamp,
    /// When it was changed last.
    pub changed: Timestamp,
    /// Who changed it last.
    pub by: String,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// Whether it is as the gateway left it.
    pub seal: Seal,
}

/// What tells one state of a kept task from the next: a change of the row that leaves both as they were changes nothing for
/// whoever looked before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskMark {
    /// How often it was changed.
    pub revision: u64,
    /// Its seal.
    pub seal: Option<Digest>,
}

impl KeptTask {
    /// What its seal is over: everything that it says.
    pub(super) fn canonical(&self) -> Canonical {
        // Every field by name: one that is added and not sealed does not compile.
        let Self { tenant, id, content, step, revision, created, changed, by, ended, seal: _ } = self;
        Canonical::new("task")
            .text(tenant.as_str())
            .text(id.as_str())
            .text(content)
            .maybe(step.as_ref().map(StepName::as_str), Canonical::text)
            .number(*revision)
            .number(created.0)
            .number(changed.0)
            .text(by)
            .maybe(ended.map(|at| at.0), Canonical::number)
    }
}
