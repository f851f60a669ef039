//! What would run, in full: every template filled before anyone decides.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::catalog::{BuiltinName, OutputFormat, Overflow, ServerSpec, Streams};
use crate::ident::CredentialName;

/// What would run. It is shown to the person, bound by the grant, and executed as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Plan {
    /// Code in the gateway, on the effective arguments.
    Builtin {
        /// Which.
        name: BuiltinName,
        /// The deadline.
        #[serde(serialize_with = "written")]
        timeout: Duration,
    },
    /// A program.
    Command(CommandPlan),
    /// A tool of an upstream server, on the effective arguments.
    Mcp(McpPlan),
}

impl Plan {
    /// How long it may take.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        match self {
            Self::Builtin { timeout, .. } => *timeout,
            Self::Command(plan) => plan.timeout,
            // The server may have to be started first.
            Self::Mcp(plan) => plan.timeout.saturating_add(plan.server.start_timeout),
        }
    }

    /// The credentials that it names, each once.
    #[must_use]
    pub fn credentials(&self) -> Vec<CredentialName> {
        let given = match self {
            Self::Builtin { .. } => return Vec::new(),
            Self::Command(plan) => &plan.credentials,
            Self::Mcp(plan) => &plan.server.credentials,
        };
        let mut names: Vec<CredentialName> = given.iter().map(|(_, name)| name.clone()).collect();
        if let Self::Command(CommandPlan { stdin: StdinPlan::Credential(name), .. }) = self {
            names.push(name.clone());
        }
        names.sort();
        names.dedup();
        names
    }
}

/// Writes a duration as files do.
fn written<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&crate::document::write_duration(*duration))
}

/// How the program is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramSource {
    /// A path, resolved against the manifest's folder.
    Path(PathBuf),
    /// A name, looked up in the gateway's own `PATH`.
    Search(String),
}

impl ProgramSource {
    /// The source of a program as `argv[0]` writes it: with a slash a path below `base`, else a name.
    #[must_use]
    pub fn written(name: &str, base: &Path) -> Self {
        if name.contains('/') { Self::Path(base.join(name)) } else { Self::Search(name.to_owned()) }
    }
}

/// A program's invocation with every template filled. Credentials appear by name only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandPlan {
    /// How the program is found.
    pub program: ProgramSource,
    /// `argv[0]` as written, and the arguments.
    pub argv: Vec<String>,
    /// Relative to the workspace root; empty for the root.
    pub cwd: String,
    /// Environment entries stated by the contract.
    pub env: Vec<(String, String)>,
    /// Names passed on from the gateway's environment.
    pub pass_env: Vec<String>,
    /// Environment names that get a credential.
    pub credentials: Vec<(String, CredentialName)>,
    /// What it reads.
    pub stdin: StdinPlan,
    /// How its output is read.
    #[serde(skip)]
    pub output: OutputFormat,
    /// Which streams are its output.
    #[serde(skip)]
    pub streams: Streams,
    /// Most bytes read of its output.
    #[serde(skip)]
    pub max_output_bytes: usize,
    /// What happens beyond them.
    #[serde(skip)]
    pub on_overflow: Overflow,
    /// The deadline.
    #[serde(serialize_with = "written")]
    pub timeout: Duration,
}

/// A call of an upstream server's tool. Its server is shown and bound as it is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct McpPlan {
    /// The server.
    pub server: Arc<ServerSpec>,
    /// The tool's own name there.
    pub tool: String,
    /// The deadline, from when the server is ready.
    #[serde(serialize_with = "written")]
    pub timeout: Duration,
}

/// What a program reads on its standard input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StdinPlan {
    /// Nothing.
    Empty,
    /// This text.
    Text(String),
    /// The value of this credential.
    Credential(CredentialName),
}
