//! What an executor brought back, raw. It has no `Debug`, and only this module's siblings read it.

use serde_json::Value;

use crate::catalog::SandboxLevel;
use crate::code::{CallError, Effect};
use crate::workspace::Undone;

/// The raw result of one execution: it may hold secrets, so it can be neither printed nor read outside this stage.
///
/// ```compile_fail,E0277
/// # fn printed(captured: tgw::present::Captured) -> String {
/// format!("{captured:?}")
/// # }
/// ```
///
/// ```compile_fail,E0616
/// # fn read(captured: tgw::present::Captured) {
/// let _ = captured.kind;
/// # }
/// ```
pub struct Captured {
    pub(super) kind: CapturedKind,
}

pub(super) enum CapturedKind {
    Builtin(Result<BuiltinOutput, CallError>),
    Command(CommandCapture),
    Mcp(McpCapture),
    Http(HttpCapture),
}

/// What a builtin brought back.
pub struct BuiltinOutput {
    /// The typed result.
    pub value: Value,
    /// The text for the model, where it is not the value's JSON.
    pub text: Option<String>,
    /// How much there is in all.
    pub total: Option<Value>,
    /// Where the next page starts.
    pub next: Option<Value>,
    /// Whether the value is less than what was asked about.
    pub truncated: bool,
    /// What a person is shown.
    pub display: DisplayBody,
    /// Whether something changed.
    pub effect: Effect,
    /// Remarks that are not errors.
    pub warnings: Vec<String>,
}

/// What a person is shown, before it is redacted and fitted to the terminal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DisplayBody {
    /// Nothing beyond the content.
    #[default]
    Content,
    /// Text as it is.
    Text(String),
    /// Lines of a file, numbered from `first`.
    FileWindow {
        /// The file.
        path: String,
        /// Number of the first line, from 1.
        first: u64,
        /// The lines.
        lines: Vec<String>,
    },
    /// One file before and after.
    Diff {
        /// The file.
        path: String,
        /// Its text before; `None` where it did not exist.
        before: Option<String>,
        /// Its text after; `None` where it no longer exists.
        after: Option<String>,
    },
    /// Rows under headings.
    Table {
        /// Headings.
        columns: Vec<String>,
        /// Cells.
        rows: Vec<Vec<String>>,
    },
}

/// What a command brought back.
pub struct CommandCapture {
    /// Bytes of the output stream.
    pub output: Vec<u8>,
    /// Whether output beyond the cap was dropped.
    pub output_cut: bool,
    /// Bytes of standard error, capped at 64 KiB, where it is not part of the output.
    pub stderr: Vec<u8>,
    /// Whether standard error was cut.
    pub stderr_cut: bool,
    /// How it ended.
    pub end: CommandEnd,
    /// Under which sandbox it ran.
    pub level: SandboxLevel,
    /// Why it may have lacked a program or a permission, where its end or its output says that it did.
    pub advice: Option<String>,
    /// What it made and was undone.
    pub undone: Undone,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandEnd {
    /// It exited with this status.
    Exited(i32),
    /// A signal that the gateway did not send ended it.
    Signalled(i32),
    /// It ended, or was to end, and something that it started could not be ended with it.
    Outlived,
    /// The deadline passed; its process tree was ended.
    TimedOut,
    /// It was cancelled; its process tree was ended.
    Cancelled,
    /// Its output reached the cap and the contract says to fail; its process tree was ended.
    Overflowed,
    /// Its output reached the cap, the contract says to truncate, and going on could change nothing; its process tree
    /// was ended.
    Truncated,
    /// It could not be started: nothing ran.
    NotStarted(CallError),
}

/// What a call of an upstream server brought back.
pub struct McpCapture {
    /// How it ended.
    pub end: McpEnd,
}

/// How a call of an upstream server ended.
pub enum McpEnd {
    /// With this result, as the server sent it.
    Answered(String),
    /// With a JSON-RPC error.
    Refused {
        /// Its code.
        code: i64,
        /// Its message: the server's text.
        message: String,
    },
    /// Nothing of the call went out.
    NotSent(CallError),
    /// The connection ended after something of the call went out; why, in words of the gateway's own.
    Lost(String),
    /// One message was larger than this many bytes, and the connection ended.
    TooLarge(usize),
    /// The deadline passed.
    TimedOut,
    /// It was cancelled.
    Cancelled,
}

/// What a request brought back.
pub struct HttpCapture {
    /// How it ended.
    pub end: HttpEnd,
    /// How many times it was begun: more than once where a lost one was sent again.
    pub sent: u32,
    /// Whether the same effect was, or may have been, asked for before this answer, so that a refusal proves nothing of it.
    pub repeated: bool,
}

/// How a request ended.
pub enum HttpEnd {
    /// Nothing of it was sent.
    NotSent(CallError),
    /// The service answered.
    Answered(HttpAnswer),
    /// It was sent, in part or whole, and no whole answer came back.
    Broken(HttpBreak),
}

/// Why no whole answer came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpBreak {
    /// The connection was lost, or what came over it was no answer.
    Lost,
    /// The service was silent for longer than the contract allows.
    Silent,
    /// The deadline passed.
    TimedOut,
    /// It was cancelled.
    Cancelled,
}

/// An answer.
pub struct HttpAnswer {
    /// Its status.
    pub status: u16,
    /// Its headers: names in lower case, each once, with several values joined by a comma.
    pub headers: Vec<(String, String)>,
    /// Its body, up to the cap.
    pub body: Vec<u8>,
    /// Whether the body beyond the cap was dropped.
    pub cut: bool,
    /// How long the service asks to wait before the next request.
    pub retry_after: Option<std::time::Duration>,
}

impl Captured {
    /// Wraps what a call of an upstream server brought back.
    #[must_use]
    pub fn mcp(capture: McpCapture) -> Self {
        Self { kind: CapturedKind::Mcp(capture) }
    }

    /// Wraps what a builtin brought back.
    #[must_use]
    pub fn builtin(output: Result<BuiltinOutput, CallError>) -> Self {
        Self { kind: CapturedKind::Builtin(output) }
    }

    /// Wraps what a command brought back.
    #[must_use]
    pub fn command(capture: CommandCapture) -> Self {
        Self { kind: CapturedKind::Command(capture) }
    }

    /// Wraps what a request brought back.
    #[must_use]
    pub fn http(capture: HttpCapture) -> Self {
        Self { kind: CapturedKind::Http(capture) }
    }
}
