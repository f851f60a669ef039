//! The fields of one call, by shape. What is not a field of the shape is never read.

use serde_json::{Map, Value};

use crate::code::{CallError, ErrorCode};
use crate::ident::CallId;
use crate::telemetry::TraceParent;

use super::json::{JsonError, JsonLimits, parse_strict};
use super::{CallRequest, Expectation, Shape};

/// The fields of a call before any of them is checked.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) id: Option<Value>,
    pub(super) name: Option<Value>,
    arguments: Option<Value>,
    expects: Option<Value>,
    traceparent: Option<Value>,
    /// What is wrong with the object itself.
    fault: Option<CallError>,
}

/// The longest name that is carried further; no tool has a longer one.
const MOST_NAME_BYTES: usize = 128;

pub(super) fn malformed(message: impl Into<String>) -> CallError {
    CallError::new(ErrorCode::MalformedCall, message)
}

/// Where a JSON text stands.
#[derive(Clone, Copy)]
pub(super) enum TextOf<'a> {
    /// It is a line of the stream: the number of that line, from 1, and how many bytes of it were skipped.
    Line(u64, usize),
    /// It is the value of this field.
    Field(&'a str),
}

/// Restates a fault of a JSON text as the error of its call.
pub(super) fn malformed_json(error: JsonError, text: TextOf<'_>) -> CallError {
    let mut message = match (text, error.place) {
        (TextOf::Field(field), _) => format!("`{field}`: {error}"),
        (TextOf::Line(number, _), None) => format!("{}, at input line {number}", error.message),
        (TextOf::Line(number, skipped), Some((_, column))) => {
            format!("{}, at input line {number}, column {}", error.message, column + skipped)
        }
    };
    if !error.pointer.is_empty() {
        message.push_str(&format!(", at `{}`", bounded(&error.pointer)));
    }
    let mut found = malformed(message);
    found.hint = error.hint;
    found
}

/// Text of a line as it may stand in a message: short, and with nothing invisible in it.
pub(super) fn bounded(text: &str) -> String {
    const MOST: usize = 80;
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}

/// Reads the fields of one call of `shape`.
pub(super) fn fields(shape: Shape, object: Map<String, Value>) -> Fields {
    match shape {
        Shape::Native => native(object),
        Shape::OpenAiChat => chat(object),
        Shape::OpenAiResponses => responses(object),
        Shape::Anthropic => named(object, "id", "input"),
        Shape::Gemini => inner(object, "functionCall", "id", "args"),
        Shape::Bedrock => inner(object, "toolUse", "toolUseId", "input"),
        Shape::Mcp => mcp(object),
    }
}

fn native(object: Map<String, Value>) -> Fields {
    let mut fields = Fields::default();
    let mut unknown = Vec::new();
    for (key, value) in object {
        match key.as_str() {
            "id" => fields.id = Some(value),
            "name" => fields.name = Some(value),
            "arguments" => fields.arguments = Some(value),
            "expects" => fields.expects = Some(value),
            "traceparent" => fields.traceparent = Some(value),
            _ => unknown.push(key),
        }
    }
    if let Some(first) = unknown.first() {
        let listed: Vec<String> = unknown.iter().take(5).map(|key| format!("`{}`", bounded(key))).collect();
        let more = unknown.len().saturating_sub(listed.len());
        let message = match (unknown.len(), more) {
            (1, _) => format!("unknown key {}", listed.join("")),
            (_, 0) => format!("unknown keys {}", listed.join(", ")),
            (_, more) => format!("unknown keys {} and {more} more", listed.join(", ")),
        };
        fields.fault = Some(malformed(message).with_hint(key_hint(first)));
    }
    fields
}

fn key_hint(key: &str) -> String {
    let meant = match key {
        "args" | "input" | "parameters" | "params" => Some("arguments"),
        "tool" | "tool_name" | "toolName" => Some("name"),
        "call_id" | "tool_use_id" => Some("id"),
        "risk" | "expect" => Some("expects"),
        _ => None,
    };
    match (meant, key) {
        (Some(meant), _) => format!("write `{meant}`"),
        (
            None,
            "principal" | "user" | "agent" | "tenant" | "task" | "step" | "approval" | "approved" | "policy",
        ) => "a call cannot set it: it comes from the harness".to_owned(),
        (None, _) => "a call has `id`, `name`, `arguments`, `expects` and `traceparent`".to_owned(),
    }
}

fn chat(mut object: Map<String, Value>) -> Fields {
    let mut fields = Fields { id: object.remove("id"), ..Fields::default() };
    match object.remove("type") {
        None => {}
        Some(Value::String(kind)) if kind == "function" => {}
        Some(_) => fields.fault = Some(malformed("`type` must be `function`")),
    }
    match object.remove("function") {
        Some(Value::Object(mut function)) => {
            fields.name = function.remove("name");
            fields.arguments = function.remove("arguments");
        }
        _ => fields.fault = Some(malformed("`function` must be an object with `name` and `arguments`")),
    }
    fields
}

fn responses(mut object: Map<String, Value>) -> Fields {
    let id = object.remove("call_id").filter(|id| !id.is_null());
    let mut fields = named(object, "id", "arguments");
    fields.id = id.or(fields.id);
    fields
}

fn named(mut object: Map<String, Value>, id: &str, arguments: &str) -> Fields {
    Fields {
        id: object.remove(id),
        name: object.remove("name"),
        arguments: object.remove(arguments),
        ..Fields::default()
    }
}

fn inner(mut object: Map<String, Value>, wrapper: &str, id: &str, arguments: &str) -> Fields {
    match object.remove(wrapper) {
        Some(Value::Object(call)) => named(call, id, arguments),
        _ => Fields { fault: Some(malformed(format!("`{wrapper}` must be an object"))), ..Fields::default() },
    }
}

fn mcp(mut object: Map<String, Value>) -> Fields {
    let mut fields = Fields { id: object.remove("id"), ..Fields::default() };
    if object.get("jsonrpc").is_some_and(|version| version != "2.0") {
        fields.fault = Some(malformed("`jsonrpc` must be `2.0`"));
    }
    match object.remove("method") {
        Some(Value::String(method)) if method == "tools/call" => {}
        Some(Value::String(method)) => {
            fields.fault =
                Some(malformed(format!("the method `{}` is not a call", bounded(&method))).with_hint(
                    "a stream of calls takes `tools/call` only; `tgw tools --json` lists the tools",
                ));
            return fields;
        }
        _ => {
            fields.fault = Some(malformed("`method` must be `tools/call`"));
            return fields;
        }
    }
    match object.remove("params") {
        Some(Value::Object(mut params)) => {
            fields.name = params.remove("name");
            fields.arguments = params.remove("arguments");
            fields.traceparent = match params.remove("_meta") {
                Some(Value::Object(mut meta)) => meta.remove("traceparent"),
                _ => None,
            };
        }
        _ => fields.fault = Some(malformed("`params` must be an object with `name` and `arguments`")),
    }
    fields
}

/// An id as it was written, and as it is carried.
pub(super) struct WrittenId {
    /// The id, where it can serve as one.
    pub(super) id: Option<CallId>,
    /// The JSON-RPC id, verbatim.
    pub(super) rpc_id: Option<Value>,
    /// What is wrong with it.
    pub(super) fault: Option<CallError>,
}

/// Reads an id. A number is one for JSON-RPC only; elsewhere it still serves to answer under.
pub(super) fn written_id(shape: Shape, id: Option<&Value>) -> WrittenId {
    let mut written = WrittenId { id: None, rpc_id: None, fault: None };
    match id {
        None | Some(Value::Null) => {
            written.rpc_id = (shape == Shape::Gemini).then_some(Value::Null);
        }
        Some(Value::String(text)) => match CallId::parse(text) {
            Ok(id) => written.id = Some(id),
            Err(error) => {
                let message = if text.len() > 80 {
                    "call id is too long or has control characters".to_owned()
                } else {
                    error.to_string()
                };
                written.fault = Some(malformed(message).with_hint("leave `id` out to have one assigned"));
            }
        },
        Some(Value::Number(number)) => {
            written.id = CallId::parse(&number.to_string()).ok();
            if shape != Shape::Mcp || number.is_f64() {
                written.fault = Some(malformed("`id` must be a string"));
            }
        }
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => {
            written.fault = Some(malformed("`id` must be a string"));
        }
    }
    if shape == Shape::Mcp && written.id.is_some() {
        written.rpc_id = id.cloned();
    }
    written
}

/// The name as written, where it could be one.
pub(super) fn written_name(name: Option<&Value>) -> Option<String> {
    name.and_then(Value::as_str)
        .filter(|name| !name.is_empty() && name.len() <= MOST_NAME_BYTES)
        .map(str::to_owned)
}

impl Fields {
    /// Checks the fields and makes the call.
    pub(super) fn into_call(
        self,
        shape: Shape,
        id: CallId,
        rpc_id: Option<Value>,
        limits: JsonLimits,
    ) -> Result<CallRequest, CallError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let name = match self.name {
            Some(Value::String(name)) if name.is_empty() => return Err(malformed("`name` is empty")),
            Some(Value::String(name)) if name.len() > MOST_NAME_BYTES => {
                return Err(malformed(format!("`name` is longer than {MOST_NAME_BYTES} bytes")));
            }
            Some(Value::String(name)) => name,
            Some(_) => return Err(malformed("`name` must be a string")),
            None => {
                return Err(malformed("`name` is missing")
                    .with_hint(r#"a call is {"id":…,"name":…,"arguments":{…}}"#));
            }
        };
        let arguments = arguments(shape, self.arguments, limits)?;
        let expects = self.expects.map(expectation).transpose()?;
        let traceparent = self.traceparent.and_then(traced);
        Ok(CallRequest { id, name, arguments, expects, shape, rpc_id, traceparent })
    }
}

/// The key that holds the arguments, for messages.
fn arguments_key(shape: Shape) -> &'static str {
    match shape {
        Shape::Native | Shape::OpenAiResponses => "arguments",
        Shape::OpenAiChat => "function.arguments",
        Shape::Anthropic => "input",
        Shape::Gemini => "functionCall.args",
        Shape::Bedrock => "toolUse.input",
        Shape::Mcp => "params.arguments",
    }
}

fn arguments(
    shape: Shape,
    written: Option<Value>,
    limits: JsonLimits,
) -> Result<Map<String, Value>, CallError> {
    let key = arguments_key(shape);
    let encoded = matches!(shape, Shape::OpenAiChat | Shape::OpenAiResponses);
    let value = match written {
        None => return Ok(Map::new()),
        Some(Value::String(text)) if encoded => {
            if text.trim_ascii().is_empty() {
                return Ok(Map::new());
            }
            parse_strict(text.as_bytes(), limits)
                .map_err(|error| malformed_json(error, TextOf::Field(key)))?
        }
        Some(value) => value,
    };
    match value {
        Value::Object(object) => Ok(object),
        other => {
            let found = kind_of(&other);
            let mut error = malformed(format!("`{key}` must be an object, found {found}"));
            if other.is_string() {
                error = error.with_hint("send the arguments as an object, not as a string of JSON");
            }
            Err(error)
        }
    }
}

fn expectation(written: Value) -> Result<Expectation, CallError> {
    let Value::Object(mut object) = written else {
        return Err(malformed("`expects` must be an object").with_hint(r#"write {"risk":"read_only"}"#));
    };
    let risk = object.remove("risk");
    if let Some(key) = object.keys().next() {
        return Err(malformed(format!("unknown key `{}` in `expects`", bounded(key)))
            .with_hint("`expects` has `risk`"));
    }
    match risk {
        Some(Value::String(risk))
            if matches!(risk.as_str(), "read_only" | "write" | "external" | "destructive") =>
        {
            Ok(Expectation { risk })
        }
        _ => Err(malformed("`expects.risk` must be `read_only`, `write`, `external` or `destructive`")),
    }
}

/// A place in a trace; one that is none is no reason to refuse a call.
fn traced(written: Value) -> Option<TraceParent> {
    let read = written.as_str().and_then(TraceParent::parse);
    if read.is_none() {
        tracing::warn!("the `traceparent` of a call is not a W3C traceparent, and is ignored");
    }
    read
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
