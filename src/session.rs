//! Everything that holds for one run: the same for each of its calls.

mod position;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use crate::approval::Approvers;
use crate::catalog::{Catalog, Scope, TaskContext};
use crate::clock::Clock;
use crate::execute::{Capability, ParentEnvironment};
use crate::ident::{Principal, StepName, UserName};
use crate::policy::{FactSource, Facts, Policy};
use crate::state::{PassKeys, TaskMark};
use crate::workspace::Workspace;

pub use position::{Here, LaterPositions, NoPosition, Position};

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
    /// The task, as it was when the run began.
    pub task: TaskContext,
    /// The step that it was in.
    pub step: Option<StepName>,
    /// The view of this principal in that task and step.
    pub scope: Scope,
    /// What the store said of the task then; `None` for one that is not kept.
    pub kept: Option<TaskMark>,
    /// Where the task was moved to since.
    pub later: LaterPositions,
    /// The gateway's own environment, as commands may inherit it.
    pub environment: ParentEnvironment,
    /// What passes are signed with.
    pub pass_keys: PassKeys,
    /// Where upstream servers log to; `None` for nowhere.
    pub server_logs: Option<PathBuf>,
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

    /// The facts that the policy decides on in a place of the task.
    #[must_use]
    pub fn facts_at<'s>(&'s self, here: Here<'s>) -> Facts<'s> {
        Facts::new(&self.principal, here.task, here.step, &*self.facts)
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
