//! From the bytes of a line to its calls. It never fails: what is no call becomes one that carries its error.

use serde_json::{Map, Value};

use crate::code::CallError;
use crate::ident::CallId;

use super::fields::{TextOf, fields, malformed, malformed_json, written_id, written_name};
use super::json::{JsonError, JsonLimits, parse_strict};
use super::message::{Recognised, recognise};
use super::salvage::salvage;
use super::{Incoming, Line, Shape};

/// The most calls of one line. Beyond it the line gets one answer, so that a short line cannot ask for a long reply.
const MOST_CALLS: usize = 1024;

/// Decodes one line; `number` is its place in the input, from 1. Ids that are missing are taken from `assign`.
///
/// It never fails: what cannot be understood becomes one [`Incoming`] with its error, and as many as there are calls
/// where they can be told apart. Whether an id was used before is for [`IdRegister`](super::IdRegister) to say.
pub fn decode_line(
    bytes: &[u8],
    number: u64,
    limits: JsonLimits,
    assign: &mut dyn FnMut() -> CallId,
) -> Line {
    let skipped = bytes.len() - bytes.trim_ascii_start().len();
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() {
        return Line::Empty;
    }
    let mut decoder = Decoder { number, limits, assign, calls: Vec::with_capacity(1) };
    match parse_strict(bytes, limits) {
        Ok(Value::Object(object)) => {
            if let Some(cancelled) = decoder.object(object) {
                return Line::Cancel(cancelled);
            }
        }
        Ok(Value::Array(items)) => decoder.batch(items),
        Ok(_) => decoder.refuse_line(malformed("a line must be one JSON object, or an array of them")),
        Err(error) => decoder.broken(bytes, error, TextOf::Line(number, skipped)),
    }
    Line::Calls(decoder.calls)
}

/// What a line that is longer than the bound, and was not kept, is answered as; `number` is its place in the input.
#[must_use]
pub fn long_line(id: CallId, number: u64, limits: JsonLimits) -> Incoming {
    let message = format!("the line is longer than {} bytes{}", limits.bytes, at_line(number));
    let error = malformed(message).with_hint("send less in one call: name a file instead of its content");
    Incoming { id, id_given: false, name: None, shape: Shape::Native, rpc_id: None, call: Err(error) }
}

struct Decoder<'a> {
    /// The line's place in the input.
    number: u64,
    limits: JsonLimits,
    assign: &'a mut dyn FnMut() -> CallId,
    calls: Vec<Incoming>,
}

impl Decoder<'_> {
    /// Decodes an object; returns the id where it cancels one.
    fn object(&mut self, object: Map<String, Value>) -> Option<CallId> {
        match recognise(object) {
            Recognised::Call(shape, object) => self.call(shape, object, None),
            Recognised::Message(shape, calls) if self.calls.len() + calls.len() > MOST_CALLS => {
                self.refuse(shape, None, too_many());
            }
            Recognised::Message(shape, calls) => {
                for call in calls {
                    self.item(shape, call);
                }
            }
            Recognised::NoCall(shape, object) => {
                let hint = "send a message only where the model calls a tool in it";
                self.refuse(shape, own_id(&object), malformed("no call in this message").with_hint(hint));
            }
            Recognised::Ambiguous(shapes, object) => {
                let message = match shapes.as_slice() {
                    [shape] => format!("the object holds {} calls in several places", shape_name(*shape)),
                    shapes => {
                        let names: Vec<&str> = shapes.iter().copied().map(shape_name).collect();
                        format!("the object can be read in several ways: {}", names.join(", "))
                    }
                };
                self.refuse(
                    Shape::Native,
                    own_id(&object),
                    malformed(message).with_hint("send one shape an object"),
                );
            }
            Recognised::Cancel(object) => match cancelled(&object) {
                Some(id) => return Some(id),
                None => {
                    let error = malformed("`cancel` must be the id of a call, and the only key");
                    self.refuse(Shape::Native, own_id(&object), error.with_hint(r#"write {"cancel":"c1"}"#));
                }
            },
        }
        None
    }

    fn batch(&mut self, items: Vec<Value>) {
        if items.is_empty() {
            return self.refuse_line(malformed("the batch is empty"));
        }
        if items.len() > MOST_CALLS {
            return self.refuse_line(too_many());
        }
        for item in items {
            match item {
                Value::Object(object) => {
                    if self.object(object).is_some() {
                        self.refuse_line(malformed("`cancel` stands on a line of its own"));
                    }
                }
                _ => self.refuse_line(malformed("each element of a batch must be an object")),
            }
        }
    }

    /// One call of a message.
    fn item(&mut self, shape: Shape, item: Value) {
        match item {
            Value::Object(object) => self.call(shape, object, None),
            _ => self.refuse(shape, None, malformed("each call of a message must be an object")),
        }
    }

    /// One call; `fault` is what is already known to be wrong with its line, and says which line that is.
    fn call(&mut self, shape: Shape, object: Map<String, Value>, fault: Option<CallError>) {
        let fields = fields(shape, object);
        let written = written_id(shape, fields.id.as_ref());
        let name = written_name(fields.name.as_ref());
        let id_given = written.id.is_some();
        let id = written.id.unwrap_or_else(|| (self.assign)());
        let call = match (fault, written.fault) {
            (Some(fault), _) => Err(fault),
            (None, Some(fault)) => Err(self.placed(fault)),
            (None, None) => fields
                .into_call(shape, id.clone(), written.rpc_id.clone(), self.limits)
                .map_err(|error| self.placed(error)),
        };
        self.calls.push(Incoming { id, id_given, name, shape, rpc_id: written.rpc_id, call });
    }

    /// A line that is not strict JSON: one answer for each call that can still be told apart, all of them refused.
    fn broken(&mut self, bytes: &[u8], error: JsonError, line: TextOf<'_>) {
        let on_id =
            error.pointer.rsplit('/').next().is_some_and(|key| matches!(key, "id" | "call_id" | "toolUseId"));
        let fault = malformed_json(error, line);
        let Some(value) = salvage(bytes, self.limits) else { return self.answer(Shape::Native, None, fault) };
        let objects = match value {
            Value::Array(items) if items.len() <= MOST_CALLS => items,
            Value::Array(_) => Vec::new(),
            value => vec![value],
        };
        let mut found = Vec::new();
        for value in objects {
            let Value::Object(object) = value else { continue };
            match recognise(object) {
                Recognised::Call(shape, object) => found.push((shape, object)),
                Recognised::Message(shape, items) => {
                    found.extend(items.into_iter().filter_map(|item| match item {
                        Value::Object(object) => Some((shape, object)),
                        _ => None,
                    }));
                }
                Recognised::NoCall(..) | Recognised::Ambiguous(..) | Recognised::Cancel(_) => {}
            }
        }
        // An id that occurs twice could be either, and too many calls get one answer.
        if found.is_empty() || found.len() > MOST_CALLS || on_id {
            return self.answer(Shape::Native, None, fault);
        }
        for (shape, object) in found {
            self.call(shape, object, Some(fault.clone()));
        }
    }

    /// Refuses what is no call, and says in which line it stands.
    fn refuse(&mut self, shape: Shape, id: Option<CallId>, error: CallError) {
        let error = self.placed(error);
        self.answer(shape, id, error);
    }

    fn placed(&self, mut error: CallError) -> CallError {
        error.message.push_str(&at_line(self.number));
        error
    }

    fn answer(&mut self, shape: Shape, id: Option<CallId>, error: CallError) {
        let id_given = id.is_some();
        let id = id.unwrap_or_else(|| (self.assign)());
        self.calls.push(Incoming { id, id_given, name: None, shape, rpc_id: None, call: Err(error) });
    }

    fn refuse_line(&mut self, error: CallError) {
        self.refuse(Shape::Native, None, error);
    }
}

/// The id that an object has whatever its shape.
fn own_id(object: &Map<String, Value>) -> Option<CallId> {
    object.get("id").and_then(Value::as_str).and_then(|id| CallId::parse(id).ok())
}

fn cancelled(object: &Map<String, Value>) -> Option<CallId> {
    match object.get("cancel") {
        Some(Value::String(id)) if object.len() == 1 => CallId::parse(id).ok(),
        Some(Value::Number(id)) if object.len() == 1 && !id.is_f64() => CallId::parse(&id.to_string()).ok(),
        _ => None,
    }
}

fn at_line(number: u64) -> String {
    format!(", at input line {number}")
}

fn too_many() -> CallError {
    malformed(format!("a line holds at most {MOST_CALLS} calls")).with_hint("send them in several lines")
}

fn shape_name(shape: Shape) -> &'static str {
    match shape {
        Shape::Native => "native",
        Shape::OpenAiChat => "OpenAI chat",
        Shape::OpenAiResponses => "OpenAI Responses",
        Shape::Anthropic => "Anthropic",
        Shape::Gemini => "Gemini",
        Shape::Bedrock => "Bedrock",
        Shape::Mcp => "MCP",
    }
}

#[cfg(test)]
mod tests;
