//! A line of input, decoded: calls in any of the shapes that models and harnesses send.

use serde_json::{Map, Value};

use crate::code::CallError;
use crate::ident::CallId;
use crate::telemetry::TraceParent;

/// Whose format a call came in; its result is answered in kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `{"id","name","arguments"}`.
    Native,
    /// OpenAI chat completions `tool_calls`.
    OpenAiChat,
    /// OpenAI Responses `function_call`.
    OpenAiResponses,
    /// Anthropic `tool_use`.
    Anthropic,
    /// Gemini `functionCall`.
    Gemini,
    /// Bedrock `toolUse`.
    Bedrock,
    /// MCP `tools/call`.
    Mcp,
}

/// What the model's side says it expects of the tool. It can only tighten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// The strictest risk it expects, as written: `read_only`, `write`, `external` or `destructive`.
    pub risk: String,
}

/// A request to run one tool, as it came: nothing in it has been checked against a catalog.
#[derive(Debug, Clone)]
pub struct CallRequest {
    /// The id under which the result is returned.
    pub id: CallId,
    /// The name it asks for, as written.
    pub name: String,
    /// The arguments, as written.
    pub arguments: Map<String, Value>,
    /// What it expects of the tool.
    pub expects: Option<Expectation>,
    /// The format it came in.
    pub shape: Shape,
    /// The id to answer under as its shape wrote it, where that is not [`CallRequest::id`]: a JSON-RPC id for
    /// [`Shape::Mcp`], and `null` for [`Shape::Gemini`] where the call had none.
    pub rpc_id: Option<Value>,
    /// Where it stands in a trace, as its harness wrote it into the line.
    pub traceparent: Option<TraceParent>,
}

/// One call of a line, or why it is none. Either way it gets exactly one result.
#[derive(Debug)]
pub struct Incoming {
    /// The id to answer under: as written where one could be read, else assigned.
    pub id: CallId,
    /// Whether the id was written; an assigned one needs no [`IdRegister::claim`](super::IdRegister::claim).
    pub id_given: bool,
    /// The name as written, where one could be read.
    pub name: Option<String>,
    /// The format it came in, as far as it could be recognised.
    pub shape: Shape,
    /// As [`CallRequest::rpc_id`].
    pub rpc_id: Option<Value>,
    /// The call.
    pub call: Result<CallRequest, CallError>,
}

/// What a line is.
#[derive(Debug)]
pub enum Line {
    /// A call, or a batch of them: the calls of one model turn, in order.
    Calls(Vec<Incoming>),
    /// `{"cancel": id}`.
    Cancel(CallId),
    /// Only white space.
    Empty,
}
