//! What a call may touch on the way: files that it does not name and comes across.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::catalog::{Contract, TaskContext};
use crate::ident::{Principal, StepName};
use crate::validate::ValidatedCall;
use crate::workspace::WorkspacePath;

use super::decide::decide_arguments;
use super::{FactSource, Facts, Policy, Verdict};

/// Answers, for one call, whether the policy would let the same call name another path.
///
/// A search over a folder reads files that the call does not name, and a folder that is moved or deleted takes them along;
/// a rule about a file's path must hold for them too, or it could be walked around by naming the folder. What the call comes
/// across may therefore need no more than the call itself was given: where the call was allowed it must be allowed, and
/// where a person was asked it must not be denied. It owns what it decides on, so that a walk can ask from a thread of
/// its own.
pub struct Sight {
    policy: Arc<Policy>,
    contract: Arc<Contract>,
    arguments: Mutex<Value>,
    verdict: Verdict,
    principal: Principal,
    task: TaskContext,
    step: Option<StepName>,
    facts: Arc<dyn FactSource + Send + Sync>,
}

impl Sight {
    /// The sight of a call that this verdict was given to.
    #[must_use]
    pub fn of(
        policy: Arc<Policy>,
        call: &ValidatedCall,
        verdict: Verdict,
        facts: &Facts<'_>,
        source: Arc<dyn FactSource + Send + Sync>,
    ) -> Self {
        Self {
            policy,
            contract: Arc::clone(call.contract()),
            arguments: Mutex::new(call.arguments().clone()),
            verdict,
            principal: facts.principal.clone(),
            task: facts.task.clone(),
            step: facts.step.cloned(),
            facts: source,
        }
    }

    /// Whether the call could name these paths in the arguments of these names. A tool that takes none of them cannot be
    /// asked about one, and sees what it comes across.
    #[must_use]
    pub fn covers(&self, places: &[(&str, &WorkspacePath)]) -> bool {
        let properties = self.contract.input_schema.json.get("properties");
        let declared = |name: &str| properties.and_then(|properties| properties.get(name)).is_some();
        if !places.iter().any(|(name, _)| declared(name)) {
            return true;
        }
        let mut arguments = self.arguments.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(arguments) = arguments.as_object_mut() {
            for (name, path) in places.iter().filter(|(name, _)| declared(name)) {
                arguments.insert((*name).to_owned(), Value::from(path.as_argument()));
            }
        }
        let facts = Facts::new(&self.principal, &self.task, self.step.as_ref(), &*self.facts);
        decide_arguments(&self.policy, &self.contract, &arguments, &facts).verdict <= self.verdict
    }
}
