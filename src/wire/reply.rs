//! A result as one line, in the shape that its call came in.

use serde_json::Value;

use crate::code::{CallError, Effect, Status};
use crate::text::JsonObject;

use super::Shape;
use super::provider::encode_provider;

/// Everything a result line may say, in the order of its keys; what is absent, false or empty has none.
///
/// The gateway alone builds one, from a finished call.
#[derive(Debug, Clone)]
pub struct ReplyView<'a> {
    /// The call's id.
    pub id: &'a str,
    /// The tool's name, as the call wrote it.
    pub tool: Option<&'a str>,
    /// What happened to the call.
    pub status: Status,
    /// Whether something changed.
    pub effect: Effect,
    /// `verified` or `unverified`, for an effect that succeeded.
    pub verification: Option<&'a str>,
    /// The object that an effect made or changed.
    pub object: Option<&'a Value>,
    /// What a backend works on: `{"id","effect"}`, its own id of it and the effect's.
    pub operation: Option<&'a Value>,
    /// The bounded text that the model sees.
    pub content: Option<&'a str>,
    /// Whether the content is less than the whole.
    pub truncated: bool,
    /// How much there is in all: `{"lines":412}`, `{"bytes":…}`, `{"rows":…}`.
    pub total: Option<&'a Value>,
    /// Where the next page starts: `{"offset":201}`.
    pub next: Option<&'a Value>,
    /// The reference under which the whole value is kept.
    pub result: Option<&'a str>,
    /// Whether this is the recorded outcome of an earlier call.
    pub replayed: bool,
    /// What the person approving asked to pass on, and other remarks that are not errors.
    pub warnings: &'a [String],
    /// The error.
    pub error: Option<&'a CallError>,
    /// The hash of the call's last audit record; absent only when no record could be written.
    pub receipt: Option<&'a str>,
}

/// Appends the line for `reply` in `shape` to `out`, with its final newline.
///
/// `rpc_id` is [`CallRequest::rpc_id`](super::CallRequest::rpc_id). A provider's shape has only that provider's fields: the
/// text is the content of a call that succeeded, followed by notes in brackets (that it is cut, and how to go on;
/// warnings), and for any other call its status, effect, error and content as one JSON object.
pub fn encode_reply(reply: &ReplyView<'_>, shape: Shape, rpc_id: Option<&Value>, out: &mut Vec<u8>) {
    let start = out.len();
    let written = match shape {
        Shape::Native => {
            encode_native(reply, out);
            Ok(())
        }
        provider => encode_provider(reply, provider, rpc_id, out),
    };
    if written.is_err() {
        // No type here can fail to serialise; a line that is whole beats one that stops in the middle.
        out.truncate(start);
        out.extend_from_slice(br#"{"status":"unknown","effect":"possible"}"#);
    }
    out.push(b'\n');
}

/// Appends the line that says what became of a call which was answered `input_required` before, with its final newline:
/// the native fields after `"event":"resolved"`, whatever the shape of the call.
pub fn encode_resolved(reply: &ReplyView<'_>, out: &mut Vec<u8>) {
    let mut line = JsonObject::begin(out);
    line.text("event", "resolved");
    fields(reply, line);
    out.push(b'\n');
}

/// Appends the result as one JSON object, without the newline.
pub(super) fn encode_native(reply: &ReplyView<'_>, out: &mut Vec<u8>) {
    fields(reply, JsonObject::begin(out));
}

fn fields(reply: &ReplyView<'_>, mut line: JsonObject<'_>) {
    line.text("id", reply.id);
    line.maybe_text("tool", reply.tool);
    line.value("status", &reply.status);
    line.value("effect", &reply.effect);
    line.maybe_text("verification", reply.verification);
    line.maybe("object", reply.object);
    line.maybe("operation", reply.operation);
    line.maybe_text("content", reply.content);
    line.maybe("truncated", reply.truncated.then_some(true));
    line.maybe("total", reply.total);
    line.maybe("next", reply.next);
    line.maybe_text("result", reply.result);
    line.maybe("replayed", reply.replayed.then_some(true));
    line.maybe("warnings", Some(reply.warnings).filter(|warnings| !warnings.is_empty()));
    if let Some(error) = reply.error {
        encode_error(error, line.object("error"));
    }
    line.maybe_text("receipt", reply.receipt);
    line.end();
}

/// Writes an error as [`CallError`] serializes, which is what other shapes hold; it is most of the line of a refused call.
fn encode_error(error: &CallError, mut object: JsonObject<'_>) {
    object.text("code", error.contract_code.as_deref().unwrap_or(error.code.as_str()));
    object.text("message", &error.message);
    object.maybe_text("hint", error.hint.as_deref());
    object.value("retry", &error.retry);
    object.maybe("violations", Some(&error.violations).filter(|violations| !violations.is_empty()));
    object.end();
}

#[cfg(test)]
mod tests;
