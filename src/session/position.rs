//! Where a run stands: the task, its step, and what is visible there. The store may move a kept task while a run goes on.

use std::sync::OnceLock;

use crate::approval::StoredTask;
use crate::catalog::{Limit, LimitSource, Scope, TaskContext};
use crate::ident::{Principal, StepName};
use crate::policy::Policy;
use crate::state::KeptTask;

/// A place in a task.
#[derive(Debug)]
pub struct Position {
    /// The task, with its data as they are there.
    pub task: TaskContext,
    /// The step.
    pub step: Option<StepName>,
    /// The view of the principal in that task and step.
    pub scope: Scope,
}

/// Why a kept task is no place to be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPosition {
    /// It is not as the gateway left it.
    NotBelieved(&'static str),
    /// What it says cannot be read.
    Unreadable,
}

impl Position {
    /// The position of a kept task. One that ended is a place where nothing is visible.
    ///
    /// # Errors
    /// [`NoPosition`], where the task is not to be believed.
    pub fn of_kept(kept: &KeptTask, policy: &Policy, principal: &Principal) -> Result<Self, NoPosition> {
        if let Some(why) = kept.seal.doubt() {
            return Err(NoPosition::NotBelieved(why));
        }
        let content: StoredTask = serde_json::from_str(&kept.content).map_err(|_| NoPosition::Unreadable)?;
        let task = content.context(&kept.id);
        let mut scope = policy.scope(principal, &task, kept.step.as_ref());
        if kept.ended.is_some() {
            let source = LimitSource::EndedTask(kept.id.clone());
            let ended =
                Limit { source, tools: Some(Vec::new()), risks: None, permissions: None, location: None };
            // The first limit is the one that a refusal names.
            scope.limits.insert(0, ended);
        }
        Ok(Self { task, step: kept.step.clone(), scope })
    }
}

/// Where a run stands now, borrowed from its session.
#[derive(Debug, Clone, Copy)]
pub struct Here<'s> {
    /// The task.
    pub task: &'s TaskContext,
    /// The step.
    pub step: Option<&'s StepName>,
    /// What is visible.
    pub scope: &'s Scope,
}

/// The positions that a run came to after its first. They stay, since calls that began in one still refer to it.
#[derive(Debug, Default)]
pub struct LaterPositions(OnceLock<Box<Later>>);

#[derive(Debug)]
struct Later {
    position: Position,
    next: LaterPositions,
}

impl LaterPositions {
    /// Keeps a position as the last one.
    pub fn push(&self, position: Position) -> Here<'_> {
        let mut end = self;
        while let Some(later) = end.0.get() {
            end = &later.next;
        }
        let later = end.0.get_or_init(|| Box::new(Later { position, next: Self::default() }));
        let Position { task, step, scope } = &later.position;
        Here { task, step: step.as_ref(), scope }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::catalog::TaskSpan;
    use crate::ident::TaskId;

    use super::*;

    fn position(id: &str, step: &str) -> Position {
        let task = TaskContext {
            id: TaskId::parse(id).unwrap(),
            span: TaskSpan::Stated,
            prompt: None,
            tools: None,
            data: json!({}),
        };
        Position { task, step: Some(StepName::parse(step).unwrap()), scope: Scope::default() }
    }

    #[test]
    fn earlier_positions_stay_when_later_ones_come() {
        let later = LaterPositions::default();
        let here: Vec<Here<'_>> = ["a", "b", "c"].map(|step| later.push(position("t", step))).into();
        let steps: Vec<&str> = here.iter().map(|here| here.step.unwrap().as_str()).collect();
        assert_eq!(steps, ["a", "b", "c"]);
    }
}
