//! Scope: who sees which tools. One function answers for lists, searches and calls.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::diagnostic::Location;
use crate::ident::{AgentName, Permission, StepName, TaskId, UserName};

use super::{Contract, NamePattern, Risk};

/// How long a task lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskSpan {
    /// As long as the harness says: it was stated, and a later run can state it again.
    Stated,
    /// One run: it was made for a stream of calls.
    Run,
    /// One call: it was made for that, and nothing can come later in it.
    Call,
}

/// The job that the agent works on, as the harness states it.
#[derive(Debug, Clone)]
pub struct TaskContext {
    /// Its id; random where none was given.
    pub id: TaskId,
    /// How long it lasts.
    pub span: TaskSpan,
    /// What it was asked to do.
    pub prompt: Option<String>,
    /// The tools it is narrowed to.
    pub tools: Option<Vec<NamePattern>>,
    /// Its data; an object.
    pub data: Value,
}

/// What narrows the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LimitSource {
    /// The agent's entry in the policy.
    Agent(AgentName),
    /// An agent that the policy does not list, where it lists agents.
    UnlistedAgent(AgentName),
    /// An agent that the policy lists in other versions only.
    AgentVersion {
        /// The agent.
        agent: AgentName,
        /// Its version, where one was stated.
        given: Option<String>,
        /// The versions listed, as the policy writes them.
        listed: String,
    },
    /// The user's roles.
    User(UserName),
    /// The task.
    Task(TaskId),
    /// A task that has ended.
    EndedTask(TaskId),
    /// The step.
    Step(StepName),
}

/// One narrowing. A tool must satisfy every part that is stated.
#[derive(Debug, Clone)]
pub struct Limit {
    /// What narrows.
    pub source: LimitSource,
    /// Names; `None` means any.
    pub tools: Option<Vec<NamePattern>>,
    /// Risks; `None` means any.
    pub risks: Option<Vec<Risk>>,
    /// Permissions held; `None` means every one.
    pub permissions: Option<BTreeSet<Permission>>,
    /// Where it is written.
    pub location: Option<Location>,
}

/// The view of one principal in one task and step: every limit that applies. Limits only narrow.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// The limits.
    pub limits: Vec<Limit>,
}

impl Scope {
    /// The first limit that hides `contract`, or `None` where it is visible.
    ///
    /// Reserved tools (`tgw__*`) are always visible; internal ones never are, which the catalog answers.
    #[must_use]
    pub fn hides(&self, contract: &Contract) -> Option<&Limit> {
        if contract.name.is_reserved() {
            return None;
        }
        self.limits.iter().find(|limit| !limit.admits(contract))
    }
}

impl Limit {
    /// The first permission that the contract needs and that is not held here.
    #[must_use]
    pub fn lacking<'c>(&self, contract: &'c Contract) -> Option<&'c Permission> {
        let held = self.permissions.as_ref()?;
        contract.permissions.iter().find(|permission| !held.contains(*permission))
    }

    fn admits(&self, contract: &Contract) -> bool {
        let named =
            self.tools.as_ref().is_none_or(|tools| tools.iter().any(|p| p.matches(contract.name.as_str())));
        let mild = self.risks.as_ref().is_none_or(|risks| risks.contains(&contract.risk));
        named && mild && self.lacking(contract).is_none()
    }
}
