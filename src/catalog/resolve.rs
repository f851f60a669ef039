//! From a call to its contract: does the tool exist, and may this principal see it.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::code::{CallError, ErrorCode};
use crate::diagnostic::nearest;
use crate::ident::CallId;
use crate::text::{escape, fit};
use crate::wire::{CallRequest, Expectation, Shape};

use super::{Catalog, Contract, Limit, LimitSource, ProbePurpose, Risk, Scope};

/// Most columns of a model's own words in a message.
const SHOWN: usize = 80;

/// A call whose tool exists and is visible. Only [`Catalog::resolve`] makes one.
///
/// Another module cannot put one together:
///
/// ```compile_fail,E0451
/// # use std::sync::Arc;
/// # use tgw::{catalog::{Contract, ResolvedCall}, wire::CallRequest};
/// # fn forged(request: CallRequest, contract: Arc<Contract>) -> ResolvedCall {
/// let CallRequest { id, arguments, shape, rpc_id, .. } = request;
/// ResolvedCall { id, arguments, contract, shape, rpc_id }
/// # }
/// ```
///
/// nor use one twice:
///
/// ```compile_fail,E0599
/// # fn twice(call: tgw::catalog::ResolvedCall) {
/// let _again = call.clone();
/// # }
/// ```
#[derive(Debug)]
pub struct ResolvedCall {
    id: CallId,
    arguments: Map<String, Value>,
    contract: Arc<Contract>,
    shape: Shape,
    rpc_id: Option<Value>,
}

/// What is left of a call that was refused before it was resolved, so that it can be answered and recorded.
#[derive(Debug)]
pub struct Unresolved {
    /// The error.
    pub error: CallError,
    /// The contract, where the tool exists.
    pub contract: Option<Arc<Contract>>,
}

impl Catalog {
    /// Looks the tool up and checks that `scope` shows it.
    ///
    /// # Errors
    /// `UNKNOWN_TOOL` (also for an internal tool) with the nearest visible name; `PERMISSION_DENIED` naming the
    /// limit that hides it; `MALFORMED_CALL` for an expectation that names no risk; `EXPECTATION_MISMATCH` where the
    /// call expected a milder risk.
    pub fn resolve(&self, request: CallRequest, scope: &Scope) -> Result<ResolvedCall, Unresolved> {
        let Some(contract) = self.find(&request.name).filter(|contract| !contract.internal) else {
            return Err(Unresolved { error: self.unknown(&request.name, scope), contract: None });
        };
        let refused = |error| Unresolved { error, contract: Some(Arc::clone(contract)) };
        if let Some(limit) = scope.hides(contract) {
            return Err(refused(hidden(contract, limit)));
        }
        if let Some(expectation) = &request.expects {
            expected(contract, expectation).map_err(refused)?;
        }
        let CallRequest { id, arguments, shape, rpc_id, .. } = request;
        Ok(ResolvedCall { id, arguments, contract: Arc::clone(contract), shape, rpc_id })
    }

    /// Resolves a call of the gateway's own, for which no scope counts.
    ///
    /// # Errors
    /// `UNKNOWN_TOOL` where there is none of this name; `INTERNAL` where a look would change something.
    pub(crate) fn resolve_probe(
        &self,
        name: &str,
        purpose: ProbePurpose,
        arguments: Map<String, Value>,
        id: CallId,
    ) -> Result<ResolvedCall, CallError> {
        let contract = self.find(name).ok_or_else(|| {
            CallError::new(ErrorCode::UnknownTool, format!("there is no tool `{}`", shown(name)))
        })?;
        if !purpose.permits(contract.risk) {
            return Err(CallError::new(ErrorCode::Internal, "a look-up would change something"));
        }
        Ok(ResolvedCall { id, arguments, contract: Arc::clone(contract), shape: Shape::Native, rpc_id: None })
    }

    /// The contracts that `scope` shows, in the catalog's order: what every list and search is made from.
    pub fn visible<'c>(&'c self, scope: &'c Scope) -> impl Iterator<Item = &'c Arc<Contract>> {
        self.contracts().iter().filter(|contract| !contract.internal && scope.hides(contract).is_none())
    }

    fn unknown(&self, name: &str, scope: &Scope) -> CallError {
        let error = CallError::new(ErrorCode::UnknownTool, format!("there is no tool `{}`", shown(name)));
        let near = nearest(name, self.visible(scope).map(|contract| contract.name.as_str()));
        error.with_hint(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "search for a tool with `tgw__search_tools`".to_owned(),
        })
    }
}

/// Why `scope` does not show a contract, for a call that was resolved under another one; `None` where it shows it.
pub(crate) fn refusal(contract: &Contract, scope: &Scope) -> Option<CallError> {
    scope.hides(contract).map(|limit| hidden(contract, limit))
}

/// A model's own words, bounded and without characters that cannot be seen.
fn shown(text: &str) -> String {
    fit(&escape(text.get(..text.floor_char_boundary(4 * SHOWN)).unwrap_or_default()), SHOWN, true)
}

/// Names the limit and never the tools that others see.
fn hidden(contract: &Contract, limit: &Limit) -> CallError {
    let name = &contract.name;
    let (message, hint) = match &limit.source {
        LimitSource::Agent(agent) => match limit.lacking(contract) {
            Some(permission) => (
                format!("the agent `{agent}` lacks the permission `{permission}` that `{name}` needs"),
                "ask a person to give it to this agent",
            ),
            None => (
                format!("the agent `{agent}` may not use `{name}`"),
                "use a tool that is listed for this agent",
            ),
        },
        LimitSource::UnlistedAgent(agent) => (
            format!("the agent `{agent}` is not listed in the policy, so it may use no tool"),
            "ask a person to list it",
        ),
        LimitSource::AgentVersion { agent, given, listed } => (
            format!(
                "the agent `{agent}` is listed in the policy for versions `{}` only, and {}",
                shown(listed),
                given_version(given.as_deref())
            ),
            "ask a person to start it in a version that is listed, as `--agent NAME@VERSION`",
        ),
        LimitSource::User(user) => {
            let what = limit.lacking(contract).map_or_else(
                || "a permission".to_owned(),
                |permission| format!("the permission `{permission}`"),
            );
            (format!("the user `{user}` lacks {what} that `{name}` needs"), "ask a person who has it")
        }
        LimitSource::Task(task) => (
            format!("the task `{}` is narrowed to other tools than `{name}`", shown(task.as_str())),
            "use a tool of this task",
        ),
        LimitSource::EndedTask(task) => (
            format!("the task `{}` has ended, so `{name}` may not be used in it", shown(task.as_str())),
            "stop; what is still to be done needs another task",
        ),
        LimitSource::Step(step) => {
            (format!("the step `{step}` does not include `{name}`"), "use a tool of this step")
        }
    };
    CallError::new(ErrorCode::PermissionDenied, message).with_hint(hint)
}

fn given_version(given: Option<&str>) -> String {
    given.map_or_else(
        || "no version of it was stated".to_owned(),
        |version| format!("it was started as version `{}`", shown(version)),
    )
}

fn expected(contract: &Contract, expectation: &Expectation) -> Result<(), CallError> {
    let Some(most) = Risk::parse(&expectation.risk) else {
        let message = format!("`expects.risk` cannot be `{}`", shown(&expectation.risk));
        return Err(CallError::new(ErrorCode::MalformedCall, message)
            .with_hint("write `read_only`, `write`, `external` or `destructive`"));
    };
    if contract.risk <= most {
        return Ok(());
    }
    let message = format!(
        "`{}` is `{}`, and the call expects at most `{}`",
        contract.name,
        contract.risk.as_str(),
        most.as_str()
    );
    Err(CallError::new(ErrorCode::ExpectationMismatch, message)
        .with_hint("choose a milder tool, or expect what this one does"))
}

impl ResolvedCall {
    /// The call's id.
    #[must_use]
    pub fn id(&self) -> &CallId {
        &self.id
    }

    /// The contract.
    #[must_use]
    pub fn contract(&self) -> &Arc<Contract> {
        &self.contract
    }

    /// The arguments as written.
    #[must_use]
    pub fn arguments(&self) -> &Map<String, Value> {
        &self.arguments
    }

    /// Takes it apart; only the next stage does.
    pub(crate) fn into_parts(self) -> (CallId, Map<String, Value>, Arc<Contract>, Shape, Option<Value>) {
        (self.id, self.arguments, self.contract, self.shape, self.rpc_id)
    }
}

#[cfg(test)]
mod tests;
