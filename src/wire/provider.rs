//! Results in the shapes of the model APIs: only the fields that each API knows.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;

use crate::code::{CallError, Effect, Status};

use super::reply::encode_native;
use super::{ReplyView, Shape};

/// Appends the result in a provider's shape, without the newline.
pub(super) fn encode_provider(
    reply: &ReplyView<'_>,
    shape: Shape,
    rpc_id: Option<&Value>,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let mut serializer = serde_json::Serializer::new(&mut *out);
    let text = Text::of(reply)?;
    let id = reply.id;
    match shape {
        Shape::Native => {
            encode_native(reply, out);
            Ok(())
        }
        Shape::OpenAiChat => {
            OpenAiChat { role: "tool", tool_call_id: id, content: &text.joined() }.serialize(&mut serializer)
        }
        Shape::OpenAiResponses => {
            OpenAiResponses { kind: "function_call_output", call_id: id, output: &text.joined() }
                .serialize(&mut serializer)
        }
        Shape::Anthropic => Anthropic {
            kind: "tool_result",
            tool_use_id: id,
            content: TypedBlocks(&text),
            is_error: text.is_error,
        }
        .serialize(&mut serializer),
        Shape::Gemini => {
            let id = (!rpc_id.is_some_and(Value::is_null)).then_some(id);
            let name = reply.tool.unwrap_or_default();
            let function_response = GeminiResponse { id, name, response: GeminiOutput(&text) };
            Gemini { function_response }.serialize(&mut serializer)
        }
        Shape::Bedrock => {
            let status = if text.is_error { "error" } else { "success" };
            let tool_result = BedrockResult { tool_use_id: id, content: BareBlocks(&text), status };
            Bedrock { tool_result }.serialize(&mut serializer)
        }
        Shape::Mcp => {
            let result = McpResult { content: TypedBlocks(&text), is_error: text.is_error };
            match rpc_id {
                Some(id) => Mcp { jsonrpc: "2.0", id, result }.serialize(&mut serializer),
                None => Mcp { jsonrpc: "2.0", id, result }.serialize(&mut serializer),
            }
        }
    }
}

/// What the model reads: the text, and the notes about it.
struct Text<'a> {
    body: std::borrow::Cow<'a, str>,
    notes: Vec<String>,
    is_error: bool,
}

impl<'a> Text<'a> {
    fn of(reply: &ReplyView<'a>) -> serde_json::Result<Self> {
        let is_error = match reply.status {
            // What a backend took and finishes later is not an error.
            Status::Succeeded | Status::Accepted | Status::Working => false,
            Status::Failed | Status::Denied | Status::InputRequired | Status::Unknown | Status::Cancelled => {
                true
            }
        };
        Ok(match (reply.status, reply.content) {
            (Status::Succeeded, Some(content)) => {
                Self { body: content.into(), notes: notes(reply), is_error }
            }
            _ => {
                Self { body: serde_json::to_string(&Account::of(reply))?.into(), notes: Vec::new(), is_error }
            }
        })
    }

    fn joined(&self) -> std::borrow::Cow<'_, str> {
        if self.notes.is_empty() {
            return std::borrow::Cow::Borrowed(&self.body);
        }
        let mut text = self.body.clone().into_owned();
        for note in &self.notes {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(note);
        }
        text.into()
    }

    fn blocks(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.body).chain(self.notes.iter().map(String::as_str))
    }
}

/// The native line without what only a harness needs: the account of a call that has no plain content.
#[derive(Serialize)]
struct Account<'a> {
    status: Status,
    effect: Effect,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    replayed: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a CallError>,
}

impl<'a> Account<'a> {
    fn of(reply: &ReplyView<'a>) -> Self {
        Self {
            status: reply.status,
            effect: reply.effect,
            verification: reply.verification,
            object: reply.object,
            operation: reply.operation,
            content: reply.content,
            truncated: reply.truncated,
            total: reply.total,
            next: reply.next,
            result: reply.result,
            replayed: reply.replayed,
            warnings: reply.warnings,
            error: reply.error,
        }
    }
}

/// The notes after a content: `[truncated: 412 lines in all; next offset 201; result r_1]`, `[replayed]`, `[warning: …]`.
fn notes(reply: &ReplyView<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if reply.truncated || reply.next.is_some() {
        let mut facts = Vec::new();
        for (name, amount) in reply.total.and_then(Value::as_object).into_iter().flatten() {
            facts.push(format!("{amount} {name} in all"));
        }
        for (name, place) in reply.next.and_then(Value::as_object).into_iter().flatten() {
            facts.push(format!("next {name} {place}"));
        }
        facts.extend(reply.result.map(|reference| format!("result {reference}")));
        notes.push(if facts.is_empty() {
            "[truncated]".to_owned()
        } else {
            format!("[truncated: {}]", facts.join("; "))
        });
    }
    if reply.replayed {
        notes.push("[replayed: the recorded outcome of an earlier call]".to_owned());
    }
    notes.extend(reply.warnings.iter().map(|warning| format!("[warning: {warning}]")));
    notes
}

#[derive(Serialize)]
struct OpenAiChat<'a> {
    role: &'static str,
    tool_call_id: &'a str,
    content: &'a str,
}

#[derive(Serialize)]
struct OpenAiResponses<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    call_id: &'a str,
    output: &'a str,
}

#[derive(Serialize)]
struct Anthropic<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    tool_use_id: &'a str,
    content: TypedBlocks<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Gemini<'a> {
    function_response: GeminiResponse<'a>,
}

#[derive(Serialize)]
struct GeminiResponse<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'a str,
    response: GeminiOutput<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bedrock<'a> {
    tool_result: BedrockResult<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BedrockResult<'a> {
    tool_use_id: &'a str,
    content: BareBlocks<'a>,
    status: &'static str,
}

#[derive(Serialize)]
struct Mcp<'a, I> {
    jsonrpc: &'static str,
    id: I,
    result: McpResult<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct McpResult<'a> {
    content: TypedBlocks<'a>,
    is_error: bool,
}

/// `[{"type":"text","text":…}]`.
struct TypedBlocks<'a>(&'a Text<'a>);

impl Serialize for TypedBlocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Block<'t> {
            #[serde(rename = "type")]
            kind: &'static str,
            text: &'t str,
        }
        serializer.collect_seq(self.0.blocks().map(|text| Block { kind: "text", text }))
    }
}

/// `[{"text":…}]`.
struct BareBlocks<'a>(&'a Text<'a>);

impl Serialize for BareBlocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Block<'t> {
            text: &'t str,
        }
        serializer.collect_seq(self.0.blocks().map(|text| Block { text }))
    }
}

/// `{"output":…}` or `{"error":…}`, with the notes beside it.
struct GeminiOutput<'a>(&'a Text<'a>);

impl Serialize for GeminiOutput<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(if self.0.is_error { "error" } else { "output" }, &*self.0.body)?;
        if !self.0.notes.is_empty() {
            map.serialize_entry("notes", &self.0.notes)?;
        }
        map.end()
    }
}
