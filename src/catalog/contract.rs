//! A contract: everything a manifest says about one tool, resolved and valid.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::diagnostic::Location;
use crate::expression::{Expression, Template};
use crate::ident::{CredentialName, Permission, ServerName, ToolName};

use super::masks::Masks;
use super::{
    BuiltinName, CommandSpec, Digest, HttpSpec, Idempotency, McpSpec, OperationSpec, PreconditionSpec,
    ReconcileSpec, SandboxRequest, VerifySpec,
};

/// What a tool may do to the world, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Changes nothing.
    ReadOnly,
    /// Changes something that can be changed back.
    Write,
    /// Changes something outside the gateway's reach.
    External,
    /// Destroys something.
    Destructive,
}

impl Risk {
    /// Every risk, mildest first.
    pub const ALL: [Self; 4] = [Self::ReadOnly, Self::Write, Self::External, Self::Destructive];

    /// The risk as it is written in files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read_only",
            Self::Write => "write",
            Self::External => "external",
            Self::Destructive => "destructive",
        }
    }

    /// Reads the form written in files.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|risk| risk.as_str() == text)
    }
}

/// The full description of one tool.
#[derive(Debug)]
pub struct Contract {
    /// What a model calls it.
    pub name: ToolName,
    /// The contract's version, as the author numbers it.
    pub version: Option<String>,
    /// A short name for people.
    pub title: Option<String>,
    /// What it does, for the model.
    pub description: String,
    /// When to use it.
    pub use_when: Option<String>,
    /// What to use another tool for.
    pub not_for: Option<String>,
    /// What it may do; a missing one counts as destructive.
    pub risk: Risk,
    /// What it changes, in words.
    pub changes: Option<String>,
    /// The object that a call concerns.
    pub object: Option<ObjectSpec>,
    /// Whether calls may run beside others.
    pub execution_mode: ExecutionMode,
    /// How long a call may take.
    pub timeout: Timeout,
    /// What a principal must hold to see it.
    pub permissions: Vec<Permission>,
    /// The arguments it takes.
    pub input_schema: Schema,
    /// The value it promises.
    pub output_schema: Option<Schema>,
    /// Failures that have a name of their own.
    pub errors: Vec<ContractError>,
    /// How a repeated call is recognised.
    pub idempotency: Idempotency,
    /// What must hold before a call.
    pub preconditions: Vec<PreconditionSpec>,
    /// How work that a backend accepts and finishes later is followed.
    pub operation: Option<Box<OperationSpec>>,
    /// How an outcome that is not known is looked up.
    pub reconcile: Option<Box<ReconcileSpec>>,
    /// How a success is checked.
    pub verify: Option<Box<VerifySpec>>,
    /// Whether it is for the gateway's own probes only.
    pub internal: bool,
    /// What runs it.
    pub run: Run,
    /// The sandbox it asks for; `None` where it says nothing.
    pub sandbox: Option<SandboxRequest>,
    /// Whether a call can carry data off this machine.
    pub egress: bool,
    /// How its result is presented.
    pub result: ResultSpec,
    /// Example arguments, each valid.
    pub examples: Vec<Value>,
    /// Where it is written.
    pub location: Location,
    /// SHA-256 over the canonical JSON of the contract as written.
    pub digest: Digest,
}

/// The object that a call concerns.
#[derive(Debug)]
pub struct ObjectSpec {
    /// Its type.
    pub kind: String,
    /// Its identity before the call, from the arguments.
    pub before: Option<Template>,
    /// A pointer to its identity in the value.
    pub id: Option<String>,
}

/// Whether calls may run beside others.
#[derive(Debug)]
pub enum ExecutionMode {
    /// Alone.
    Exclusive,
    /// Beside other parallel calls, where it is read-only and the condition holds.
    Parallel {
        /// Absent means always. False or an error means exclusive.
        when: Option<Expression>,
    },
}

/// How long a call may take.
#[derive(Debug)]
pub enum Timeout {
    /// Always the same.
    Fixed(Duration),
    /// From the arguments, in milliseconds, at most `max`.
    From {
        /// Milliseconds.
        expression: Expression,
        /// The most it can be.
        max: Duration,
    },
}

/// A JSON Schema, compiled on first use.
///
/// The loader has checked it: a known draft, no reference out of the file, patterns in linear time, bounded depth.
pub struct Schema {
    /// The schema as written.
    pub json: Arc<Value>,
    /// The compiled form.
    pub compiled: OnceLock<super::CompiledSchema>,
}

impl fmt::Debug for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Schema").field(&self.json).finish()
    }
}

/// A failure that the contract gives a name of its own.
#[derive(Debug)]
pub struct ContractError {
    /// The name, as the model sees it.
    pub code: String,
    /// When it applies; over `arguments`, `value`, and `exit` or `http`.
    pub when: Expression,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
    /// Whether to try again.
    pub retry: crate::code::Retry,
}

impl Contract {
    /// The upstream server that it comes from.
    #[must_use]
    pub fn server(&self) -> Option<&ServerName> {
        match &self.run {
            Run::Mcp(spec) => Some(&spec.server.name),
            Run::Builtin(_) | Run::Command(_) | Run::Http(_) => None,
        }
    }

    /// Whether its paths are names to act on (it moves or deletes them), so that a symbolic link in the last place is meant
    /// itself and not what it leads to.
    #[must_use]
    pub fn acts_on_names(&self) -> bool {
        match &self.run {
            Run::Builtin(name) => name.acts_on_names(),
            Run::Command(_) | Run::Http(_) | Run::Mcp(_) => false,
        }
    }
}

/// What runs a call.
#[derive(Debug)]
pub enum Run {
    /// Code in the gateway.
    Builtin(BuiltinName),
    /// A program.
    Command(Box<CommandSpec>),
    /// A tool of an upstream server.
    Mcp(Box<McpSpec>),
    /// A request to a service.
    Http(Box<HttpSpec>),
}

/// How far a result's text is vouched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// All of it.
    Trusted,
    /// None of it.
    Untrusted,
    /// The values at these pointers (`*` for any element), and nothing else.
    Fields(Vec<String>),
}

/// Which end of a text is kept when it is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The beginning.
    Head,
    /// The end.
    Tail,
}

/// How a result is presented.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultSpec {
    /// How far it is vouched for.
    pub trust: Trust,
    /// RFC 9535 JSONPath of the part that the model sees.
    pub select: Option<String>,
    /// Most bytes of content.
    pub max_bytes: usize,
    /// Most rows of content, for lists.
    pub max_rows: Option<usize>,
    /// Which end is kept.
    pub keep: Keep,
    /// Columns of the table shown to a person.
    pub table: Vec<String>,
    /// Pointer to the rows of that table.
    pub rows: Option<String>,
    /// Pointers (`*` for any element) whose values are hidden from everyone.
    pub redact: Vec<String>,
    /// Kinds of text that are hidden, or shown, wherever they stand.
    pub masks: Masks,
}

impl Default for ResultSpec {
    fn default() -> Self {
        Self {
            trust: Trust::Untrusted,
            select: None,
            max_bytes: 32 << 10,
            max_rows: None,
            keep: Keep::Head,
            table: Vec::new(),
            rows: None,
            redact: Vec::new(),
            masks: Masks::default(),
        }
    }
}

/// A credential's name and where its value comes from. The value is never held here.
#[derive(Debug, Clone)]
pub struct CredentialSpec {
    /// The name.
    pub name: CredentialName,
    /// The source.
    pub source: CredentialSource,
    /// How long a process keeps what a program printed; without it the program runs for each call.
    pub cache: Option<std::time::Duration>,
    /// Where it is written.
    pub location: Location,
}

/// Where a credential's value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CredentialSource {
    /// A variable of the gateway's environment.
    Env(String),
    /// A file, absolute or relative to the manifest; its final newline is dropped.
    File(std::path::PathBuf),
    /// What a program prints; its final newline is dropped.
    Command(Vec<String>),
    /// A pass that the gateway makes and signs for one call.
    Mint(MintSpec),
}

impl CredentialSource {
    /// Its kind, as the audit names it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Env(_) => "env",
            Self::File(_) => "file",
            Self::Command(_) => "command",
            Self::Mint(_) => "mint",
        }
    }
}

/// What every pass of a credential says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MintSpec {
    /// For whom: the backend that checks it.
    pub audience: String,
    /// By whom: the name under which backends know this gateway.
    pub issuer: String,
    /// How long it holds, in whole seconds from 1 to [`MintSpec::LONGEST`].
    pub lifetime: std::time::Duration,
}

impl MintSpec {
    /// The issuer where none is stated.
    pub const ISSUER: &str = "tgw";
    /// The longest lifetime of a pass. A key that was rotated out is published for as long.
    pub const LONGEST: std::time::Duration = std::time::Duration::from_secs(3600);
}
