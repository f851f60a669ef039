//! From raw bytes to an outcome: did it succeed, by the contract's own condition.

use serde_json::{Value, json};

use crate::catalog::{CommandSpec, Contract, Risk, Run};
use crate::code::{CallError, Effect, ErrorCode, Status};
use crate::validate::CallBindings;

use super::captured::CapturedKind;
use super::decode::{Decoded, Problem, decode};
use super::http::http;
use super::judge::{Conditions, judge};
use super::mcp::{mcp, promised};
use super::outcome::Shown;
use super::{BuiltinOutput, Captured, CommandCapture, CommandEnd, Outcome, schema};

/// Above this, an exit status says with a shell that a signal ended a part of the command.
const SHELL_SIGNAL: i32 = 128;

/// Reads what an executor brought back, by the contract's own conditions.
///
/// `bindings` are those of the call; `value` and `exit` are filled in here. A read that went wrong is `failed`, with
/// its own code. A write that began and neither succeeded nor provably did nothing is `unknown`: silence, a signal or
/// an exit status that the contract does not explain prove nothing.
#[must_use]
pub fn interpret(captured: Captured, contract: &Contract, bindings: &CallBindings<'_>) -> Outcome {
    let mut outcome = match (captured.kind, &contract.run) {
        (CapturedKind::Builtin(Ok(output)), _) => builtin(output),
        (CapturedKind::Builtin(Err(error)), _) => refused(error),
        (CapturedKind::Command(capture), Run::Command(spec)) => command(capture, spec, contract, bindings),
        (CapturedKind::Mcp(capture), Run::Mcp(spec)) => mcp(capture, spec, contract, bindings),
        (CapturedKind::Http(capture), Run::Http(spec)) => http(capture, spec, contract, bindings),
        (CapturedKind::Command(_) | CapturedKind::Mcp(_) | CapturedKind::Http(_), _) => Outcome::ended(
            Status::Failed,
            Effect::Possible,
            Some(CallError::new(
                ErrorCode::Internal,
                "a contract was answered by another executor than its own",
            )),
        ),
    };
    keep_promise(&mut outcome, contract);
    if outcome.effect == Effect::Happened {
        outcome.object = object(contract, bindings, &outcome.value);
    }
    outcome
}

fn builtin(output: BuiltinOutput) -> Outcome {
    let mut outcome = Outcome::ended(Status::Succeeded, output.effect, None);
    outcome.value = output.value;
    outcome.warnings = output.warnings;
    outcome.shown = Shown {
        text: output.text,
        select: None,
        total: output.total,
        next: output.next,
        truncated: output.truncated,
        display: output.display,
    };
    outcome
}

/// A builtin's error carries its own status; only one that says so leaves an effect open.
pub(super) fn refused(error: CallError) -> Outcome {
    let status = error.code.status();
    let effect = if status == Status::Unknown { Effect::Possible } else { Effect::None };
    Outcome::ended(status, effect, Some(error))
}

fn command(
    capture: CommandCapture,
    spec: &CommandSpec,
    contract: &Contract,
    bindings: &CallBindings<'_>,
) -> Outcome {
    if let CommandEnd::NotStarted(error) = capture.end {
        // It printed nothing, so that there is no value to decode, keep or withhold.
        return Outcome::ended(error.code.status(), Effect::None, Some(error));
    }
    let cut = capture.output_cut || matches!(capture.end, CommandEnd::Overflowed | CommandEnd::Truncated);
    let silent = capture.output.is_empty();
    // What was ended, or reports that a part of it was, may have had more to write.
    let torn = cut || !matches!(capture.end, CommandEnd::Exited(..=SHELL_SIGNAL));
    let Decoded { value, raw, problem, warnings } = decode(capture.output, cut, torn, spec.output);
    let exit = match capture.end {
        CommandEnd::Exited(status) => Some(json!({ "status": status })),
        CommandEnd::Signalled(_)
        | CommandEnd::Outlived
        | CommandEnd::TimedOut
        | CommandEnd::Cancelled
        | CommandEnd::Overflowed
        | CommandEnd::Truncated
        | CommandEnd::NotStarted(_) => None,
    };
    let bindings = CallBindings { value: Some(&value), exit: exit.as_ref(), ..*bindings };
    let conditions = conditions(&capture.end, spec, &bindings);
    let mut judgement = judge(&capture.end, contract.risk, &conditions, spec.max_output_bytes);
    let taken = contract.operation.as_deref().filter(|_| judgement.effect == Effect::Happened);
    let accepted = taken.map(|spec| (spec, spec.accepted_when.evaluate_bool(&bindings)));
    if judgement.error.is_some() && exit.is_some() {
        // A condition that cannot be evaluated names nothing.
        let named = contract.errors.iter().find(|named| named.when.evaluate_bool(&bindings) == Ok(true));
        if let Some(named) = named {
            judgement.name(&named.code, &named.message, named.hint.as_deref(), named.retry);
        }
    }
    let mut warnings = warnings;
    if let (Some(error), Some(advice)) = (&mut judgement.error, capture.advice) {
        // An error whose effect is open, or that the contract names, has advice of its own.
        match error.hint {
            None => error.hint = Some(advice),
            Some(_) => warnings.push(advice),
        }
    }
    if let Some(error) = judgement.error.as_mut().filter(|error| error.contract_code.is_none()) {
        let quiet = silent && capture.stderr.is_empty();
        error.hint = error.hint.take().or_else(|| advice(error.code, &capture.end, quiet).map(str::to_owned));
    }
    let mut outcome = Outcome::ended(judgement.status, judgement.effect, judgement.error);
    outcome.value = value;
    outcome.raw = raw;
    outcome.cut = cut;
    outcome.torn = torn;
    outcome.stderr = capture.stderr;
    outcome.stderr_cut = capture.stderr_cut;
    outcome.warnings = warnings;
    outcome.warnings.extend(capture.undone.warnings());
    if let (Some(problem), Status::Succeeded) = (problem, outcome.status) {
        let (code, message) = match problem {
            Problem::NotJson(message) => {
                (ErrorCode::InvalidResult, format!("the output is not valid JSON: {message}"))
            }
            Problem::Cut => (
                ErrorCode::ResultTooLarge,
                format!(
                    "the output is larger than {} bytes and is no whole JSON any more",
                    spec.max_output_bytes
                ),
            ),
        };
        break_promise(&mut outcome, contract.risk, code, message);
    }
    if let Some((spec, accepted)) = accepted {
        outcome.accept(spec, accepted);
    }
    outcome
}

/// What to do about a command that failed, where neither the contract nor the executor says it.
fn advice(code: ErrorCode, end: &CommandEnd, is_silent: bool) -> Option<&'static str> {
    match end {
        _ if code != ErrorCode::ExecutionFailed => None,
        CommandEnd::Signalled(_) => Some(
            "a crash ends a command so, or a limit of memory or processes: ask for less, or ask the person to look",
        ),
        CommandEnd::Outlived => Some("ask the person to look for them and to end them before calling again"),
        _ if is_silent => {
            Some("it printed nothing: change its arguments or what it works on before calling again")
        }
        _ => Some("the content is what it printed: find the reason there before calling again"),
    }
}

fn conditions(end: &CommandEnd, spec: &CommandSpec, bindings: &CallBindings<'_>) -> Conditions {
    let CommandEnd::Exited(status) = end else {
        return Conditions { success: Ok(false), no_effect: false };
    };
    let success = spec.success.as_ref().map_or(Ok(*status == 0), |condition| {
        condition.evaluate_bool(bindings).map_err(|error| error.to_string())
    });
    let no_effect =
        spec.no_effect.as_ref().is_some_and(|condition| condition.evaluate_bool(bindings) == Ok(true));
    Conditions { success, no_effect }
}

pub(super) fn keep_promise(outcome: &mut Outcome, contract: &Contract) {
    if outcome.status != Status::Succeeded || outcome.withheld {
        return;
    }
    let value = match &contract.run {
        Run::Mcp(_) => promised(&outcome.value),
        Run::Builtin(_) | Run::Command(_) | Run::Http(_) => &outcome.value,
    };
    if let Some(Err(message)) = contract.output_schema.as_ref().map(|promised| schema::check(promised, value))
    {
        break_promise(outcome, contract.risk, ErrorCode::InvalidResult, message);
    }
}

/// Withholds a value that is not what the contract promises. A read is worth nothing without it and failed; an effect
/// happened all the same.
pub(super) fn break_promise(outcome: &mut Outcome, risk: Risk, code: ErrorCode, message: String) {
    outcome.withheld = true;
    if risk == Risk::ReadOnly {
        outcome.status = code.status();
        outcome.error = Some(CallError::new(code, message));
    } else {
        outcome.warnings.push(format!("{message}; the content is withheld"));
    }
}

/// The object that an effect made or changed: named by the value, else by the arguments.
pub(super) fn object(contract: &Contract, bindings: &CallBindings<'_>, value: &Value) -> Option<Value> {
    let spec = contract.object.as_ref()?;
    let named = spec.id.as_deref().and_then(|pointer| value.pointer(pointer)).filter(|id| !id.is_null());
    let id = match (named, &spec.before) {
        (Some(id), _) => id.clone(),
        (None, Some(before)) => before.render_value(bindings).ok()?,
        (None, None) => return Some(json!({ "type": spec.kind })),
    };
    Some(json!({ "type": spec.kind, "id": id }))
}
