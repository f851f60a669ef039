//! What a call may see on the way: files that it does not name and comes across.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::catalog::{Contract, TaskContext};
use crate::ident::{Principal, StepName};
use crate::validate::ValidatedCall;

use super::decide::decide_arguments;
use super::{FactSource, Facts, Policy, Verdict};

/// The argument that names where a tool looks.
const PATH: &str = "path";

/// Answers, for one call, whether the policy would let the same call name a path.
///
/// A search over a folder reads files that the call does not name; a rule that denies a file by its path must hold for
/// them too, or it could be walked around by asking for the folder. It owns what it decides on, so that a walk can ask
/// from a thread of its own.
pub struct Sight {
    policy: Arc<Policy>,
    contract: Arc<Contract>,
    arguments: Mutex<Value>,
    principal: Principal,
    task: TaskContext,
    step: Option<StepName>,
    facts: Arc<dyn FactSource + Send + Sync>,
}

impl Sight {
    /// The sight of a call that was let through.
    #[must_use]
    pub fn of(
        policy: Arc<Policy>,
        call: &ValidatedCall,
        facts: &Facts<'_>,
        source: Arc<dyn FactSource + Send + Sync>,
    ) -> Self {
        Self {
            policy,
            contract: Arc::clone(call.contract()),
            arguments: Mutex::new(call.arguments().clone()),
            principal: facts.principal.clone(),
            task: facts.task.clone(),
            step: facts.step.cloned(),
            facts: source,
        }
    }

    /// Whether the policy would not deny the call if it named this path. A tool that takes no path cannot be asked about
    /// one, and sees what it comes across.
    #[must_use]
    pub fn shows(&self, path: &str) -> bool {
        let properties = self.contract.input_schema.json.get("properties");
        if properties.and_then(|properties| properties.get(PATH)).is_none() {
            return true;
        }
        let mut arguments = self.arguments.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(arguments) = arguments.as_object_mut() {
            arguments.insert(PATH.to_owned(), Value::from(path));
        }
        let facts = Facts::new(&self.principal, &self.task, self.step.as_ref(), &*self.facts);
        decide_arguments(&self.policy, &self.contract, &arguments, &facts).verdict != Verdict::Deny
    }
}
