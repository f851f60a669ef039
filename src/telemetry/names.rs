//! Every name that telemetry uses. Those of the semantic conventions for generative AI and MCP are still being developed:
//! where they change, they change here.

/// What kind of work a span is about.
pub(super) const OPERATION: &str = "gen_ai.operation.name";
/// The one kind of work that there is here; also how the name of a call's span begins.
pub(super) const EXECUTE_TOOL: &str = "execute_tool";
pub(super) const TOOL: &str = "gen_ai.tool.name";
pub(super) const TOOL_TYPE: &str = "gen_ai.tool.type";
/// A tool whose arguments the model writes, and that runs on the harness's side.
pub(super) const FUNCTION: &str = "function";
pub(super) const CALL_ID: &str = "gen_ai.tool.call.id";
/// The error code of a call that did not succeed.
pub(super) const ERROR: &str = "error.type";
pub(super) const MCP_METHOD: &str = "mcp.method.name";
pub(super) const TOOLS_CALL: &str = "tools/call";
pub(super) const JSON_RPC_ID: &str = "jsonrpc.request.id";

pub(super) const RISK: &str = "tgw.tool.risk";
pub(super) const VERDICT: &str = "tgw.verdict";
pub(super) const STATUS: &str = "tgw.status";
pub(super) const EFFECT: &str = "tgw.effect";
pub(super) const REPLAYED: &str = "tgw.replayed";
/// On a series that stands for all that came after there were too many.
pub(super) const OVERFLOW: &str = "otel.metric.overflow";

/// The tool of every call that names none that there is: what a model makes up must not become a name of its own.
pub(super) const UNKNOWN_TOOL: &str = "_OTHER";

/// How long tools ran, in seconds.
pub(super) const DURATION: &str = "gen_ai.execute_tool.duration";
/// How many calls were answered.
pub(super) const CALLS: &str = "tgw.calls";

/// The stages of a call, as names of spans below its own.
pub(super) const DECIDE: &str = "tgw.decide";
pub(super) const AWAIT_APPROVAL: &str = "tgw.await_approval";
pub(super) const RUN: &str = "tgw.run";
pub(super) const VERIFY: &str = "tgw.verify";

pub(super) const SERVICE: &str = "service.name";
pub(super) const SERVICE_VERSION: &str = "service.version";
/// The scope of everything that is exported, and the name of the service where none is stated.
pub(super) const TGW: &str = "tgw";
