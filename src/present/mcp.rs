//! From what a server answered to an outcome, and to what a model reads of it.

use serde_json::{Value, json};

use crate::catalog::{Contract, McpSpec, OutputFormat, ResultSpec, Risk};
use crate::code::{CallError, Effect, ErrorCode, Status};
use crate::validate::CallBindings;

use super::captured::{McpCapture, McpEnd};
use super::decode::{Decoded, Problem, decode};
use super::interpret::refused;
use super::judge::{Judgement, unproven};
use super::outcome::{Outcome, Shown};

/// JSON-RPC errors that say that a request was not taken up: no request, no such method or tool, no such arguments, a
/// capability or a version that is missing.
const NOT_TAKEN_UP: [i64; 6] = [-32700, -32600, -32601, -32602, -32021, -32022];

/// Most bytes of a server's question that are said in a warning.
const ASKED_BYTES: usize = 500;

/// Reads what a server answered.
///
/// A result is the value, unchanged. One with `isError` is a failed read; for a tool that changes something it is unknown,
/// since a server says so of what it began as well, unless the contract's `no_effect` holds of it.
pub(super) fn mcp(
    capture: McpCapture,
    spec: &McpSpec,
    contract: &Contract,
    bindings: &CallBindings<'_>,
) -> Outcome {
    let risk = contract.risk;
    match capture.end {
        McpEnd::NotSent(error) => refused(error),
        McpEnd::Answered(result) => answered(result, spec, contract, bindings),
        McpEnd::Refused { code, message: said } => {
            let message = format!("the server refused the call with code {code}");
            let mut judgement = if NOT_TAKEN_UP.contains(&code) {
                let error =
                    CallError::new(ErrorCode::ExecutionFailed, format!("{message}, before it was taken up"));
                Judgement { status: Status::Failed, effect: Effect::None, error: Some(error) }
            } else {
                unproven(ErrorCode::ExecutionFailed, message, risk)
            };
            advise(&mut judgement, "the content is what the server says of it");
            let mut outcome = ended(judgement);
            outcome.value = json!({ "code": code, "message": said });
            outcome
        }
        McpEnd::Lost(why) => ended(unproven(ErrorCode::ExecutionFailed, why, risk)),
        McpEnd::TooLarge(cap) => {
            let message = format!("the server sent more than {cap} bytes at once, the most that is taken");
            ended(unproven(ErrorCode::ResultTooLarge, message, risk))
        }
        McpEnd::TimedOut => {
            let message = "the deadline passed and the server was told so".to_owned();
            ended(unproven(ErrorCode::Timeout, message, risk))
        }
        McpEnd::Cancelled => {
            let message = "the call was cancelled and the server was told so".to_owned();
            ended(unproven(ErrorCode::Cancelled, message, risk))
        }
    }
}

fn ended(judgement: Judgement) -> Outcome {
    Outcome::ended(judgement.status, judgement.effect, judgement.error)
}

fn advise(judgement: &mut Judgement, hint: &str) {
    if let Some(error) = &mut judgement.error {
        error.hint.get_or_insert_with(|| hint.to_owned());
    }
}

/// What kind of result it is.
enum Kind {
    Complete,
    Error,
    /// It asks for input first.
    Asks,
    Strange(&'static str),
}

fn kind(value: &Value, problem: Option<&Problem>) -> Kind {
    if problem.is_some() {
        return Kind::Strange("it is not JSON with each key once");
    }
    if !value.is_object() {
        return Kind::Strange("it is not an object");
    }
    match value.get("resultType").map(Value::as_str) {
        None | Some(Some("complete")) => {}
        Some(Some("input_required")) => return Kind::Asks,
        Some(_) => return Kind::Strange("its `resultType` is unknown"),
    }
    match value.get("isError") {
        None | Some(Value::Bool(false)) => Kind::Complete,
        Some(Value::Bool(true)) => Kind::Error,
        Some(_) => Kind::Strange("its `isError` is neither true nor false"),
    }
}

fn answered(result: String, spec: &McpSpec, contract: &Contract, bindings: &CallBindings<'_>) -> Outcome {
    let Decoded { value, raw, problem, warnings } =
        decode(result.into_bytes(), false, false, OutputFormat::Json);
    let bindings = CallBindings { value: Some(&value), ..*bindings };
    let quiet = || spec.no_effect.as_ref().is_some_and(|when| when.evaluate_bool(&bindings) == Ok(true));
    let risk = contract.risk;
    let mut asked = None;
    let mut judgement = match kind(&value, problem.as_ref()) {
        Kind::Complete => {
            let effect = if risk == Risk::ReadOnly || quiet() { Effect::None } else { Effect::Happened };
            Judgement { status: Status::Succeeded, effect, error: None }
        }
        Kind::Error => {
            let message = "the server reports an error".to_owned();
            let proven = risk == Risk::ReadOnly || quiet();
            let judged = if proven { Risk::ReadOnly } else { risk };
            let mut judgement = unproven(ErrorCode::ExecutionFailed, message, judged);
            advise(
                &mut judgement,
                "the content is what the server says of it: find the reason there before calling again",
            );
            judgement
        }
        Kind::Asks => {
            let effect = if risk == Risk::ReadOnly || quiet() { Effect::None } else { Effect::Possible };
            asked = Some(question(&value));
            Judgement { status: Status::InputRequired, effect, error: None }
        }
        Kind::Strange(what) => {
            let message = format!("the server's result is not what the protocol says: {what}");
            unproven(ErrorCode::InvalidResult, message, risk)
        }
    };
    if judgement.error.is_some() {
        // A condition that cannot be evaluated names nothing.
        let named = contract.errors.iter().find(|named| named.when.evaluate_bool(&bindings) == Ok(true));
        if let Some(named) = named {
            judgement.name(&named.code, &named.message, named.hint.as_deref(), named.retry);
        }
    }
    let taken = contract.operation.as_deref().filter(|_| judgement.effect == Effect::Happened);
    let accepted = taken.map(|spec| (spec, spec.accepted_when.evaluate_bool(&bindings)));
    let mut outcome = Outcome::ended(judgement.status, judgement.effect, judgement.error);
    outcome.shown = shown(&value);
    outcome.value = value;
    outcome.raw = raw;
    outcome.withheld = problem.is_some();
    outcome.warnings = warnings;
    outcome.warnings.extend(asked);
    if let Some((spec, accepted)) = accepted {
        outcome.accept(spec, accepted);
    }
    outcome
}

/// What a server asks before it goes on, in a warning: nothing is sent to it.
fn question(value: &Value) -> String {
    let asked = value.get("inputRequests").and_then(Value::as_object);
    let messages =
        asked.into_iter().flatten().filter_map(|(_, request)| request.pointer("/params/message")?.as_str());
    let words = messages.collect::<Vec<_>>().join("; ");
    let words = crate::text::head(&words, ASKED_BYTES);
    format!(
        "the server asks for input before it goes on, and nothing was sent to it: {}",
        if words.is_empty() { "it does not say what for".into() } else { crate::text::escape(words) }
    )
}

/// What a server promises is in the structured part of its result.
pub(super) fn promised(value: &Value) -> &Value {
    value.get("structuredContent").unwrap_or(&Value::Null)
}

/// Drops the texts of a result of which structured fields are hidden: servers repeat them there.
pub(super) fn drop_repeated(value: &mut Value, spec: &ResultSpec, warnings: &mut Vec<String>) {
    if spec.redact.iter().any(|pointer| !pointer.starts_with("/content"))
        && let Some(content) = value.get_mut("content").and_then(Value::as_array_mut)
        && !content.is_empty()
    {
        content.clear();
        warnings.push("the server's text is withheld, since it may repeat hidden fields".to_owned());
    }
}

/// What a model reads: texts as they are, anything else by its kind, type and size. It is taken from one place of the value
/// where that says it all, so that what does not fit can be paged.
fn shown(value: &Value) -> Shown {
    let blocks: &[Value] = value.get("content").and_then(Value::as_array).map_or(&[], Vec::as_slice);
    let structured = value.get("structuredContent").filter(|structured| !structured.is_null());
    let path = match (blocks, structured) {
        ([], Some(_)) => Some("$.structuredContent"),
        ([only], None) => text_of(only).map(|_| "$.content[0].text"),
        ([only], Some(structured)) if text_of(only).is_some_and(|text| mirrors(text, structured)) => {
            Some("$.structuredContent")
        }
        _ => None,
    };
    if path.is_some() {
        return Shown { select: path, ..Shown::default() };
    }
    if blocks.is_empty() {
        return Shown::default();
    }
    let mut lines: Vec<String> = Vec::new();
    let mut repeated = false;
    for (at, block) in blocks.iter().enumerate() {
        match text_of(block) {
            Some(text) => {
                repeated |= structured.is_some_and(|structured| mirrors(text, structured));
                lines.push(text.to_owned());
            }
            None => lines.push(described(at, block)),
        }
    }
    lines.extend(structured.filter(|_| !repeated).map(Value::to_string));
    Shown { text: Some(lines.join("\n")), ..Shown::default() }
}

fn text_of(block: &Value) -> Option<&str> {
    (block.get("type")?.as_str()? == "text").then(|| block.get("text")?.as_str()).flatten()
}

/// Whether a text is the structured part once more.
fn mirrors(text: &str, structured: &Value) -> bool {
    text.trim_start().starts_with(['{', '[', '"', '-', 't', 'f'])
        && serde_json::from_str::<Value>(text).is_ok_and(|parsed| parsed == *structured)
}

/// A block that is no text, in one line: data is named by its place and size, and not put into a text.
fn described(at: usize, block: &Value) -> String {
    let text = |pointer: &str| block.pointer(pointer).and_then(Value::as_str);
    let kind = text("/type").unwrap_or("unknown");
    let word = |text: &str| crate::text::escape(crate::text::head(text, ASKED_BYTES)).into_owned();
    let bytes = |data: &str| data.trim_end_matches('=').len() * 3 / 4;
    let place = format!("/content/{at}");
    match kind {
        "image" | "audio" => {
            let (media, data) =
                (text("/mimeType").unwrap_or("unknown type"), text("/data").unwrap_or_default());
            format!("[{kind}: {}, {} bytes, at {place}/data]", word(media), bytes(data))
        }
        "resource_link" => {
            let name =
                text("/title").or(text("/name")).map(|name| format!("{}, ", word(name))).unwrap_or_default();
            let media = text("/mimeType").map(|media| format!(", {}", word(media))).unwrap_or_default();
            format!("[link: {name}{}{media}]", word(text("/uri").unwrap_or_default()))
        }
        "resource" => {
            let address = word(text("/resource/uri").unwrap_or_default());
            match (text("/resource/text"), text("/resource/blob")) {
                (Some(own), _) => format!("[resource: {address}]\n{own}"),
                (None, blob) => {
                    let media = text("/resource/mimeType").unwrap_or("unknown type");
                    let size = bytes(blob.unwrap_or_default());
                    format!("[resource: {address}, {}, {size} bytes, at {place}/resource/blob]", word(media))
                }
            }
        }
        other => format!("[{}: {} bytes of JSON, at {place}]", word(other), block.to_string().len()),
    }
}
