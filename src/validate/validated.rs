//! The stage type: a call whose arguments hold.

use std::sync::Arc;

use serde_json::Value;

use crate::catalog::{Contract, ExecutionMode, ResolvedCall, Risk, TaskContext};
use crate::code::{CallError, ErrorCode, Violation};
use crate::ident::{CallId, Principal, StepName};
use crate::wire::Shape;
use crate::workspace::{Workspace, WorkspacePath};

use super::violations::{MOST_LISTED, violations};
use super::{CallBindings, Plan, checks, fill, prepare};

/// A call whose arguments satisfy the contract, with defaults applied and the plan made. Only [`validate`] makes one.
///
/// A request that was never resolved cannot be validated:
///
/// ```compile_fail,E0308
/// # use tgw::validate::{ValidationContext, validate};
/// # fn unresolved(request: tgw::wire::CallRequest, context: &ValidationContext<'_>) {
/// let _ = validate(request, context);
/// # }
/// ```
///
/// and a validated call can neither be put together nor used twice:
///
/// ```compile_fail,E0451
/// # use tgw::validate::{Plan, ValidatedCall};
/// # fn forged(earlier: ValidatedCall, plan: Plan) -> ValidatedCall {
/// ValidatedCall { plan, ..earlier }
/// # }
/// ```
///
/// ```compile_fail,E0599
/// # fn twice(call: tgw::validate::ValidatedCall) {
/// let _again = call.clone();
/// # }
/// ```
#[derive(Debug)]
pub struct ValidatedCall {
    call: Parts,
    paths: Vec<(String, WorkspacePath)>,
    plan: Plan,
}

/// What a call is made of, whether or not it holds.
#[derive(Debug)]
struct Parts {
    id: CallId,
    contract: Arc<Contract>,
    /// As effective as they have become: an object.
    arguments: Value,
    defaulted: Vec<String>,
    shape: Shape,
    rpc_id: Option<Value>,
}

/// A call that did not hold, and why.
#[derive(Debug)]
pub struct Rejected {
    /// Why.
    pub error: CallError,
    call: Parts,
}

/// When a call is looked at, which decides whether facts that may still change count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// Ahead of its turn: an earlier call of the batch may yet make the file that this one reads. What must exist and
    /// what must be known is left for later; where a path leads is not.
    Provisional,
    /// At its turn: everything counts.
    Now,
}

/// What validation knows besides the call.
pub struct ValidationContext<'a> {
    /// The workspace that paths are checked against.
    pub workspace: &'a Workspace,
    /// Who is behind the call.
    pub principal: &'a Principal,
    /// The task.
    pub task: &'a TaskContext,
    /// The step.
    pub step: Option<&'a StepName>,
    /// Whether a value occurs in an earlier result of this tool for this tenant, at this JSONPath.
    pub known: &'a dyn Fn(&str, &str, &Value) -> bool,
    /// Whether it is the call's turn.
    pub timing: Timing,
}

/// Checks a call's arguments against its contract, applies defaults, makes the server-side checks and the plan.
///
/// # Errors
/// `INVALID_ARGUMENTS` with every violation; `PATH_OUTSIDE_WORKSPACE`; `FILE_NOT_FOUND` where a needed path is not there;
/// `PERMISSION_DENIED` for a protected path. A violation goes before a fault of a path, and of several the gravest is named.
pub fn validate(call: ResolvedCall, context: &ValidationContext<'_>) -> Result<ValidatedCall, Box<Rejected>> {
    let (id, arguments, contract, shape, rpc_id) = call.into_parts();
    let arguments = Value::Object(arguments);
    begin(Parts { id, contract, arguments, defaulted: Vec::new(), shape, rpc_id }, context)
}

fn begin(mut call: Parts, context: &ValidationContext<'_>) -> Result<ValidatedCall, Box<Rejected>> {
    match satisfy_schema(&mut call) {
        Ok(()) => finish(call, context),
        Err(error) => Err(Box::new(Rejected { error, call })),
    }
}

impl ValidatedCall {
    /// Makes the server-side checks and the plan again, at the call's turn: what they saw may have changed.
    ///
    /// # Errors
    /// As [`validate`].
    pub fn revalidate(self, context: &ValidationContext<'_>) -> Result<Self, Box<Rejected>> {
        finish(self.call, context)
    }

    /// The call's id.
    #[must_use]
    pub fn id(&self) -> &CallId {
        &self.call.id
    }

    /// The contract.
    #[must_use]
    pub fn contract(&self) -> &Arc<Contract> {
        &self.call.contract
    }

    /// The effective arguments: an object.
    #[must_use]
    pub fn arguments(&self) -> &Value {
        &self.call.arguments
    }

    /// Pointers of the arguments that the contract's defaults supplied.
    #[must_use]
    pub fn defaulted(&self) -> &[String] {
        &self.call.defaulted
    }

    /// The effective arguments with the places that their paths lead to, where a path passes through a symbolic link;
    /// `None` where every path leads where it says.
    ///
    /// A rule about a path, and a yes to one, must hold for the place and not only for one spelling of it.
    #[must_use]
    pub fn led_arguments(&self) -> Option<Value> {
        let mut led: Option<Value> = None;
        for (pointer, place) in &self.paths {
            let spelt = self.call.arguments.pointer(pointer).and_then(Value::as_str);
            if spelt.and_then(|text| WorkspacePath::parse(text).ok()).as_ref() == Some(place) {
                continue;
            }
            let arguments = led.get_or_insert_with(|| self.call.arguments.clone());
            if let Some(argument) = arguments.pointer_mut(pointer) {
                *argument = Value::from(place.as_argument());
            }
        }
        led
    }

    /// The paths that arguments name, by the argument's pointer, links followed when they were checked.
    #[must_use]
    pub fn paths(&self) -> &[(String, WorkspacePath)] {
        &self.paths
    }

    /// What would run.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The format it came in, and the id to answer under where that is another.
    #[must_use]
    pub fn shape(&self) -> (Shape, Option<&Value>) {
        (self.call.shape, self.call.rpc_id.as_ref())
    }

    /// Whether the call may run beside others: a read whose contract says so and whose condition holds.
    ///
    /// A condition that cannot be evaluated means no.
    #[must_use]
    pub fn is_parallel(&self, bindings: &CallBindings<'_>) -> bool {
        self.contract().risk == Risk::ReadOnly
            && match &self.contract().execution_mode {
                ExecutionMode::Exclusive => false,
                ExecutionMode::Parallel { when: None } => true,
                ExecutionMode::Parallel { when: Some(when) } => when.evaluate_bool(bindings).unwrap_or(false),
            }
    }

    /// The variables of the contract's expressions for this call.
    #[must_use]
    pub fn bindings<'a>(&'a self, context: &ValidationContext<'a>) -> CallBindings<'a> {
        fill::bindings(self.arguments(), self.id(), context)
    }
}

impl Rejected {
    /// The call's id.
    #[must_use]
    pub fn id(&self) -> &CallId {
        &self.call.id
    }

    /// The contract.
    #[must_use]
    pub fn contract(&self) -> &Arc<Contract> {
        &self.call.contract
    }

    /// The arguments, with defaults applied.
    #[must_use]
    pub fn arguments(&self) -> &Value {
        &self.call.arguments
    }

    /// The format it came in, and the id to answer under where that is another.
    #[must_use]
    pub fn shape(&self) -> (Shape, Option<&Value>) {
        (self.call.shape, self.call.rpc_id.as_ref())
    }
}

/// Applies defaults and checks the schema.
fn satisfy_schema(call: &mut Parts) -> Result<(), CallError> {
    let schema = &call.contract.input_schema;
    // The loader has looked at the schema; what it cannot see is a defect of the contract, not of the call.
    let compiled = schema.compiled().map_err(|error| {
        CallError::new(
            ErrorCode::Internal,
            format!("the input schema of `{}` is unusable: {error}", call.contract.name),
        )
    })?;
    call.defaulted = prepare::apply_defaults(compiled.annotations(), &mut call.arguments);
    prepare::spell_integers(compiled.annotations(), &mut call.arguments);
    if compiled.is_valid(&call.arguments) {
        return Ok(());
    }
    Err(invalid(&call.contract, violations(compiled, &schema.json, &call.arguments)))
}

/// Makes the server-side checks and the plan of a call whose schema holds.
fn finish(call: Parts, context: &ValidationContext<'_>) -> Result<ValidatedCall, Box<Rejected>> {
    let outcome = checked(&call, context).and_then(|paths| {
        let bindings = fill::bindings(&call.arguments, &call.id, context);
        fill::plan(&call.contract, &bindings, context.workspace, context.timing).map(|plan| (paths, plan))
    });
    match outcome {
        Ok((paths, plan)) => Ok(ValidatedCall { call, paths, plan }),
        Err(error) => Err(Box::new(Rejected { error, call })),
    }
}

fn checked(call: &Parts, context: &ValidationContext<'_>) -> Result<Vec<(String, WorkspacePath)>, CallError> {
    let Ok(compiled) = call.contract.input_schema.compiled() else {
        return Err(CallError::new(ErrorCode::Internal, "the input schema is unusable"));
    };
    let findings = checks::check(compiled.annotations(), &call.arguments, context);
    match (findings.violations.is_empty(), findings.path_error) {
        (true, None) => Ok(findings.paths),
        (true, Some(error)) => Err(error),
        (false, _) => {
            let mut violations = findings.violations;
            violations.sort_by(|a, b| (&a.pointer, &a.expected).cmp(&(&b.pointer, &b.expected)));
            violations.dedup();
            Err(invalid(&call.contract, violations))
        }
    }
}

/// `INVALID_ARGUMENTS` for these violations, with an example where the contract has a short one.
fn invalid(contract: &Contract, mut violations: Vec<Violation>) -> CallError {
    const MOST_EXAMPLE_BYTES: usize = 300;
    let message = summary(&violations);
    violations.truncate(MOST_LISTED);
    let example = contract.examples.first().map(Value::to_string);
    let hint = match example.filter(|example| example.len() <= MOST_EXAMPLE_BYTES) {
        Some(example) => format!("correct what is listed and call again; arguments that hold: `{example}`"),
        None => "correct what is listed and call again".to_owned(),
    };
    CallError::new(ErrorCode::InvalidArguments, message).with_hint(hint).with_violations(violations)
}

/// The first violation in words, and how many there are.
pub(super) fn summary(violations: &[Violation]) -> String {
    let Some(first) = violations.first() else { return "the arguments do not satisfy the schema".to_owned() };
    let place = if first.pointer.is_empty() { "the arguments" } else { first.pointer.as_str() };
    let place: String = crate::text::escape(place).chars().take(200).collect();
    let place = if first.pointer.is_empty() { place } else { format!("`{place}`") };
    let mut message = format!("{place}: expected {}, found {}", first.expected, first.found);
    match violations.len() {
        1 => {}
        2 => message.push_str(", and 1 more violation"),
        count if count <= MOST_LISTED => message.push_str(&format!(", and {} more violations", count - 1)),
        count => message.push_str(&format!(
            ", and {} more violations, of which {} are listed",
            count - 1,
            MOST_LISTED - 1
        )),
    }
    message
}

#[cfg(test)]
mod tests;
