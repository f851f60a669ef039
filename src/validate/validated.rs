//! The stage type: a call whose arguments hold.

use std::sync::Arc;

use serde_json::Value;

use crate::catalog::{Contract, ExecutionMode, ResolvedCall, Risk, TaskContext};
use crate::code::{CallError, ErrorCode, Violation};
use crate::ident::{CallId, Principal, StepName};
use crate::wire::Shape;
use crate::workspace::{Workspace, WorkspacePath};

use super::checks::{Faults, LinkUse};
use super::mend::mended;
use super::violations::{MOST_LISTED, violations};
use super::{CallBindings, Plan, checks, fill, prepare};

/// A call whose arguments satisfy the contract, with defaults applied and the plan made. Only [`validate`] makes one.
///
/// What a look at the world showed to stand in its way (a file that is not there, a value that nothing returned) is kept
/// back until the policy has been asked: a caller that is denied learns nothing from it. [`ValidatedCall::obstacle`] says it.
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
    link_targets: Vec<(String, WorkspacePath)>,
    effect_key: Option<String>,
    plan: Plan,
    obstacle: Option<CallError>,
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
/// `INVALID_ARGUMENTS` with every violation that the arguments alone show, `PATH_OUTSIDE_WORKSPACE` for a path that is
/// written so. A violation goes before a fault of a path, and of several the gravest is named. What only a look at the
/// world shows is no error yet: see [`ValidatedCall::obstacle`].
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
        self.with_places(&self.paths)
    }

    /// As [`ValidatedCall::led_arguments`] for the links that the call acts on themselves, by moving or deleting them: the
    /// arguments with the places that these lead to; `None` where it acts on no link that leads anywhere.
    #[must_use]
    pub fn link_target_arguments(&self) -> Option<Value> {
        if self.link_targets.is_empty() { None } else { self.with_places(&self.link_targets) }
    }

    /// The arguments with places put in where they are spelt otherwise.
    fn with_places(&self, places: &[(String, WorkspacePath)]) -> Option<Value> {
        let mut led: Option<Value> = None;
        for (pointer, place) in places {
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

    /// What a look at the world showed to stand in the way; `None` where nothing does. It is for callers only that the
    /// policy does not deny: `FILE_NOT_FOUND` where a needed path is not there, `PATH_OUTSIDE_WORKSPACE` where a link
    /// leaves, `PERMISSION_DENIED` for a protected path, `INVALID_ARGUMENTS` for a value that nothing returned.
    #[must_use]
    pub fn obstacle(&self) -> Option<&CallError> {
        self.obstacle.as_ref()
    }

    /// The paths that arguments name, by the argument's pointer, links followed when they were checked.
    #[must_use]
    pub fn paths(&self) -> &[(String, WorkspacePath)] {
        &self.paths
    }

    /// The effect key, where the contract states one.
    #[must_use]
    pub fn effect_key(&self) -> Option<&str> {
        self.effect_key.as_deref()
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
        CallBindings { effect_key: self.effect_key(), ..fill::bindings(self.arguments(), self.id(), context) }
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
    let violations = violations(compiled, &schema.json, &call.arguments);
    let held = mended(&call.contract, compiled, &call.arguments, &call.defaulted, &violations);
    Err(invalid(&call.contract, violations, held))
}

/// Makes the server-side checks and the plan of a call whose schema holds.
fn finish(call: Parts, context: &ValidationContext<'_>) -> Result<ValidatedCall, Box<Rejected>> {
    let Ok(compiled) = call.contract.input_schema.compiled() else {
        let error = CallError::new(ErrorCode::Internal, "the input schema is unusable");
        return Err(Box::new(Rejected { error, call }));
    };
    let links = if call.contract.acts_on_names() { LinkUse::Itself } else { LinkUse::Follow };
    let findings = checks::check(compiled.annotations(), &call.arguments, links, context);
    let planned = match summed_up(&call.contract, findings.spelling) {
        Some(error) => Err(error),
        None => {
            let bindings = fill::bindings(&call.arguments, &call.id, context);
            fill::effect_key(&call.contract, &bindings).and_then(|key| {
                let bindings = CallBindings { effect_key: key.as_deref(), ..bindings };
                let (plan, unplaced) =
                    fill::plan(&call.contract, &bindings, context.workspace, context.timing)?;
                Ok((key, plan, unplaced))
            })
        }
    };
    match planned {
        Ok((effect_key, plan, unplaced)) => {
            let obstacle = summed_up(&call.contract, findings.world).or(unplaced);
            let (paths, link_targets) = (findings.paths, findings.link_targets);
            Ok(ValidatedCall { call, paths, link_targets, effect_key, plan, obstacle })
        }
        Err(error) => Err(Box::new(Rejected { error, call })),
    }
}

/// One error for all faults: the violations, else the gravest fault of a path.
fn summed_up(contract: &Contract, faults: Faults) -> Option<CallError> {
    let mut violations = faults.violations;
    if violations.is_empty() {
        return faults.path_error;
    }
    violations.sort_by(|a, b| (&a.pointer, &a.expected).cmp(&(&b.pointer, &b.expected)));
    violations.dedup();
    Some(invalid(contract, violations, None))
}

/// `INVALID_ARGUMENTS` for these violations, with arguments that hold: the caller's own, mended, else the contract's example,
/// where they are short.
fn invalid(contract: &Contract, mut violations: Vec<Violation>, held: Option<Value>) -> CallError {
    const MOST_EXAMPLE_BYTES: usize = 300;
    let message = summary(&violations);
    violations.truncate(MOST_LISTED);
    let example = held.as_ref().or_else(|| contract.examples.first()).map(Value::to_string);
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
