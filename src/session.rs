//! Everything that holds for one run: the same for each of its calls.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use crate::approval::Approvers;
use crate::catalog::{Catalog, Scope, TaskContext};
use crate::clock::Clock;
use crate::execute::{Capability, ParentEnvironment};
use crate::ident::{Principal, StepName, UserName};
use crate::policy::{FactSource, Facts, Policy};
use crate::workspace::Workspace;

/// What one run stands on. Nothing in it comes from a call.
pub struct Session {
    /// The tools there are.
    pub catalog: Catalog,
    /// The policy.
    pub policy: Arc<Policy>,
    /// Where calls work.
    pub workspace: Arc<Workspace>,
    /// Who is behind the calls.
    pub principal: Principal,
    /// The person at the terminal, as the operating system names them.
    pub operator: UserName,
    /// Who may sign answers.
    pub approvers: Approvers,
    /// The task.
    pub task: TaskContext,
    /// The step.
    pub step: Option<StepName>,
    /// The view of this principal in this task and step.
    pub scope: Scope,
    /// The gateway's own environment, as commands may inherit it.
    pub environment: ParentEnvironment,
    /// Time.
    pub clock: Clock,
    /// What rules may read as `facts`.
    pub facts: Arc<GatheredFacts>,
}

impl Session {
    /// What this machine offers to confine commands.
    pub fn capability(&self) -> &'static Capability {
        Capability::probe()
    }

    /// The facts that the policy decides on.
    #[must_use]
    pub fn rule_facts(&self) -> Facts<'_> {
        Facts::new(&self.principal, &self.task, self.step.as_ref(), &*self.facts)
    }
}

/// What the harness stated about the world, and what the gateway itself knows, which wins.
///
/// It is gathered when a rule first reads it: looking at what the machine offers takes time that most runs never need.
#[derive(Debug, Default)]
pub struct GatheredFacts {
    stated: Map<String, Value>,
    gathered: OnceLock<Value>,
}

impl GatheredFacts {
    /// Facts on top of what the harness stated.
    #[must_use]
    pub fn new(stated: Map<String, Value>) -> Self {
        Self { stated, gathered: OnceLock::new() }
    }
}

impl FactSource for GatheredFacts {
    fn facts(&self) -> &Value {
        self.gathered.get_or_init(|| {
            let mut facts = self.stated.clone();
            let level = serde_json::to_value(Capability::probe().best()).unwrap_or(Value::Null);
            facts.insert("sandbox".to_owned(), level);
            Value::Object(facts)
        })
    }
}
