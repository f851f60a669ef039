//! How a contract runs a program: argv, environment, streams, and the sandbox it asks for.

use serde::Serialize;

use crate::expression::{Expression, Template};
use crate::ident::CredentialName;

/// A program and everything about how it is run.
#[derive(Debug)]
pub struct CommandSpec {
    /// The program and its arguments.
    pub argv: Vec<ArgumentPart>,
    /// The folder that an `argv[0]` with a slash is relative to: the manifest's.
    pub program_base: std::path::PathBuf,
    /// The working directory, inside the workspace.
    pub cwd: Option<Template>,
    /// Environment entries.
    pub env: Vec<EnvironmentEntry>,
    /// Names passed on from the gateway's own environment.
    pub pass_env: Vec<String>,
    /// Environment names that get a credential.
    pub credentials: Vec<(String, CredentialName)>,
    /// What it reads.
    pub stdin: StdinSpec,
    /// How its output is read.
    pub output: OutputFormat,
    /// Which streams are its output.
    pub streams: Streams,
    /// When it succeeded; absent means exit status 0.
    pub success: Option<Expression>,
    /// When it provably did nothing.
    pub no_effect: Option<Expression>,
    /// Most bytes read of its output.
    pub max_output_bytes: usize,
    /// What happens beyond them.
    pub on_overflow: Overflow,
}

/// One element of an argv.
#[derive(Debug)]
pub enum ArgumentPart {
    /// One argument.
    One(Template),
    /// Some arguments, where a condition holds.
    When {
        /// The condition.
        when: Expression,
        /// The arguments.
        args: Vec<Template>,
    },
    /// Some arguments for each item of a list, with `item` bound.
    Each {
        /// The list.
        each: Expression,
        /// The arguments for one item.
        args: Vec<Template>,
    },
}

/// One entry of a child's environment.
#[derive(Debug)]
pub struct EnvironmentEntry {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Template,
}

/// What a command reads on its standard input.
#[derive(Debug)]
pub enum StdinSpec {
    /// Nothing: end of file at once.
    Empty,
    /// A rendered template.
    Template(Template),
    /// A credential.
    Credential(CredentialName),
}

/// How output is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// Text.
    Text,
    /// One JSON value.
    Json,
    /// One JSON value a line.
    JsonLines,
}

/// Which streams make up the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streams {
    /// Standard output; standard error is kept for the audit and the display.
    Stdout,
    /// Both, in the order they arrive.
    Merged,
}

/// What happens beyond the output cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// The rest is dropped and the result says so.
    Truncate,
    /// A read fails with `RESULT_TOO_LARGE`.
    Fail,
}

/// How strongly a command is confined, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxLevel {
    /// Not at all.
    None,
    /// Landlock and seccomp: files, network, signals.
    Confined,
    /// Own namespaces through bubblewrap.
    Isolated,
}

/// Whether a command may use the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkRule {
    /// Whatever the machine has.
    Open,
    /// None at all.
    None,
}

/// The sandbox a contract or a rule asks for: a minimum.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxRequest {
    /// At least this level.
    pub level: Option<SandboxLevel>,
    /// Paths in the workspace it may read; `None` means all of it.
    pub read: Option<Vec<String>>,
    /// Paths in the workspace it may write; `None` means all of it above `read_only`, none at `read_only`.
    pub write: Option<Vec<String>>,
    /// The network; `None` means none.
    pub network: Option<NetworkRule>,
    /// Most memory, in MiB.
    pub memory_mb: Option<u64>,
    /// Most processes.
    pub processes: Option<u64>,
}
