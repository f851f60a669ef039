//! From an answer to an outcome, by the contract's conditions and what the status says by its definition.

use serde_json::{Map, Value, json};

use crate::catalog::{Contract, HttpSpec, OutputFormat, Overflow, Risk, SendAs};
use crate::code::{CallError, Effect, ErrorCode, Status};
use crate::validate::CallBindings;

use super::decode::{Decoded, Problem, decode};
use super::http_status::{described, error_of, is_refusal};
use super::interpret::break_promise;
use super::judge::Judgement;
use super::{HttpAnswer, HttpBreak, HttpCapture, HttpEnd, Outcome};

/// Most bytes of a failed answer's body that the record keeps.
const MOST_EVIDENCE: usize = 64 << 10;

/// Reads what a request brought back.
pub(super) fn http(
    capture: HttpCapture,
    spec: &HttpSpec,
    contract: &Contract,
    bindings: &CallBindings<'_>,
) -> Outcome {
    let HttpCapture { end, sent, repeated } = capture;
    let mut outcome = match end {
        HttpEnd::NotSent(error) => Outcome::ended(error.code.status(), Effect::None, Some(error)),
        HttpEnd::Broken(why) => broken(why, contract.risk),
        HttpEnd::Answered(answer) => answered(answer, repeated, spec, contract, bindings),
    };
    if sent > 1 {
        outcome.warnings.push(format!("the request was sent {sent} times, since an earlier one was lost"));
    }
    outcome
}

fn broken(why: HttpBreak, risk: Risk) -> Outcome {
    let (code, message) = match why {
        HttpBreak::Lost => {
            (ErrorCode::BackendUnavailable, "the connection was lost before the whole answer came")
        }
        HttpBreak::Silent => {
            (ErrorCode::BackendUnavailable, "the service was silent for longer than its contract allows")
        }
        HttpBreak::TimedOut => (ErrorCode::Timeout, "the deadline passed before the whole answer came"),
        HttpBreak::Cancelled => (ErrorCode::Cancelled, "the call was cancelled before the whole answer came"),
    };
    let judgement = unsuccessful(CallError::new(code, message), risk, false);
    Outcome::ended(judgement.status, judgement.effect, judgement.error)
}

fn answered(
    answer: HttpAnswer,
    repeated: bool,
    spec: &HttpSpec,
    contract: &Contract,
    bindings: &CallBindings<'_>,
) -> Outcome {
    let HttpAnswer { status, headers, body, cut, retry_after } = answer;
    let format = spec.output.unwrap_or_else(|| usual_format(&headers, &body));
    let evidence = body.get(..body.len().min(MOST_EVIDENCE)).unwrap_or_default().to_vec();
    let evidence_cut = cut || body.len() > MOST_EVIDENCE;
    let Decoded { value, raw, problem, warnings } = match (body.is_empty(), format) {
        // An answer without a body, such as 204, has no value; it is no broken one.
        (true, OutputFormat::Json) if !cut => {
            Decoded { value: Value::Null, raw: None, problem: None, warnings: Vec::new() }
        }
        _ => match encoding(&headers) {
            None => decode(body, cut, cut, format),
            Some(name) => {
                let why = format!("it is encoded as `{name}`, which was not asked for");
                Decoded {
                    value: Value::Null,
                    raw: Some(body),
                    problem: Some(Problem::NotJson(why)),
                    warnings: Vec::new(),
                }
            }
        },
    };
    let http = told(status, &headers);
    let bindings = CallBindings { value: Some(&value), http: Some(&http), ..*bindings };
    let success = match &spec.success {
        None => Ok((200..300).contains(&status)),
        Some(condition) => condition.evaluate_bool(&bindings).map_err(|error| error.to_string()),
    };
    let is_keyed =
        matches!(contract.idempotency.key().and_then(|key| key.send_as.as_ref()), Some(SendAs::Header(_)));
    let no_effect = match &spec.no_effect {
        Some(condition) => condition.evaluate_bool(&bindings) == Ok(true),
        // A refusal is about this request, not about an earlier one that may have got through.
        None => success != Ok(true) && !repeated && is_refusal(status, is_keyed, retry_after),
    };
    let mut judgement = match success {
        Ok(true) => {
            let quiet = contract.risk == Risk::ReadOnly || no_effect;
            let effect = if quiet { Effect::None } else { Effect::Happened };
            Judgement { status: Status::Succeeded, effect, error: None }
        }
        Ok(false) => unsuccessful(failure(status, retry_after), contract.risk, no_effect),
        Err(problem) => unsuccessful(
            CallError::new(
                ErrorCode::ExecutionFailed,
                format!(
                    "the service answered {} and the success condition has no answer: {problem}",
                    described(status)
                ),
            ),
            contract.risk,
            no_effect,
        ),
    };
    let taken = contract.operation.as_deref().filter(|_| judgement.effect == Effect::Happened);
    let accepted = taken.map(|spec| (spec, spec.accepted_when.evaluate_bool(&bindings)));
    if judgement.error.is_some() {
        // A condition that cannot be evaluated names nothing.
        let named = contract.errors.iter().find(|named| named.when.evaluate_bool(&bindings) == Ok(true));
        if let Some(named) = named {
            judgement.name(&named.code, &named.message, named.hint.as_deref(), named.retry);
        }
    }
    let succeeded = judgement.status == Status::Succeeded;
    let mut outcome = Outcome::ended(judgement.status, judgement.effect, judgement.error);
    outcome.pace = retry_after;
    if succeeded {
        (outcome.value, outcome.raw, outcome.cut, outcome.torn) = (value, raw, cut, cut);
        outcome.warnings = warnings;
    } else {
        // What a service says of a failure is for the record: the model is told what the contract makes of it.
        (outcome.stderr, outcome.stderr_cut, outcome.withheld) = (evidence, evidence_cut, true);
    }
    let fails = spec.on_overflow.unwrap_or(match format {
        OutputFormat::Json => Overflow::Fail,
        OutputFormat::Text | OutputFormat::JsonLines => Overflow::Truncate,
    }) == Overflow::Fail;
    let most = spec.max_response_bytes;
    if succeeded && cut && fails {
        let message = format!("the answer is larger than {most} bytes, the most that its contract takes");
        break_promise(&mut outcome, contract.risk, ErrorCode::ResultTooLarge, message);
    } else if let (Some(problem), true) = (problem, succeeded) {
        let (code, message) = match problem {
            Problem::NotJson(message) => {
                (ErrorCode::InvalidResult, format!("the answer cannot be read: {message}"))
            }
            Problem::Cut => (
                ErrorCode::ResultTooLarge,
                format!("the answer is larger than {most} bytes and is no whole JSON any more"),
            ),
        };
        break_promise(&mut outcome, contract.risk, code, message);
    }
    if let Some((spec, accepted)) = accepted {
        outcome.accept(spec, accepted);
    }
    outcome
}

/// A read that went wrong failed; so did an effect that provably did not happen. Any other is not known.
fn unsuccessful(error: CallError, risk: Risk, proven: bool) -> Judgement {
    if risk == Risk::ReadOnly || proven {
        return Judgement { status: error.code.status(), effect: Effect::None, error: Some(error) };
    }
    let error = CallError::new(
        ErrorCode::OutcomeUnknown,
        format!("{}; whether its effect happened is not known", error.message),
    )
    .with_hint("look at the state of the object before anything else; do not send the call again");
    Judgement { status: Status::Unknown, effect: Effect::Possible, error: Some(error) }
}

fn failure(status: u16, retry_after: Option<std::time::Duration>) -> CallError {
    if (200..300).contains(&status) {
        let message = format!("the service answered {} and what it said is no success", described(status));
        return CallError::new(ErrorCode::ExecutionFailed, message);
    }
    error_of(status, retry_after)
}

/// JSON where the content type says so, else text.
fn usual_format(headers: &[(String, String)], body: &[u8]) -> OutputFormat {
    let stated = headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.as_str());
    let Some(stated) = stated else {
        return if body.is_empty() { OutputFormat::Json } else { OutputFormat::Text };
    };
    let kind = stated.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "application/json" => OutputFormat::Json,
        "application/x-ndjson" | "application/jsonl" => OutputFormat::JsonLines,
        kind if kind.ends_with("+json") => OutputFormat::Json,
        _ => OutputFormat::Text,
    }
}

/// How a body is encoded that was to come as it is.
fn encoding(headers: &[(String, String)]) -> Option<String> {
    let stated = headers.iter().find(|(name, _)| name == "content-encoding").map(|(_, value)| value.trim());
    stated
        .filter(|stated| !stated.is_empty() && !stated.eq_ignore_ascii_case("identity"))
        .map(|stated| crate::text::escape(crate::text::head(stated, 32)).into_owned())
}

/// `http` for the contract's conditions.
fn told(status: u16, headers: &[(String, String)]) -> Value {
    let headers: Map<String, Value> =
        headers.iter().map(|(name, value)| (name.clone(), Value::String(value.clone()))).collect();
    json!({ "status": status, "headers": headers })
}
