//! What would run, in full: every template filled before anyone decides.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use serde_json::Value;

use crate::catalog::{
    BuiltinName, HttpAuth, HttpProxy, HttpTls, Network, OutputFormat, Overflow, Redirects, ServerSpec,
    Streams,
};
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
    /// A request to a service.
    Http(HttpPlan),
}

impl Plan {
    /// How long it may take.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        match self {
            Self::Builtin { timeout, .. } => *timeout,
            Self::Command(plan) => plan.timeout,
            Self::Http(plan) => plan.timeout,
            // The server may have to be started first.
            Self::Mcp(plan) => plan.timeout.saturating_add(plan.server.start_timeout),
        }
    }

    /// The credentials that it names, each once.
    #[must_use]
    pub fn credentials(&self) -> Vec<CredentialName> {
        let mut names: Vec<CredentialName> = match self {
            Self::Builtin { .. } => Vec::new(),
            Self::Command(plan) => {
                let stdin = match &plan.stdin {
                    StdinPlan::Credential(name) => Some(name),
                    StdinPlan::Empty | StdinPlan::Text(_) => None,
                };
                plan.credentials.iter().map(|(_, name)| name).chain(stdin).cloned().collect()
            }
            Self::Http(plan) => plan.credentials().cloned().collect(),
            Self::Mcp(plan) => plan.server.credentials.iter().map(|(_, name)| name.clone()).collect(),
        };
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

/// A request with every template filled. Credentials appear by name only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HttpPlan {
    /// The method.
    pub method: String,
    /// The whole address, encoded; a credential that is a parameter is not in it.
    pub url: String,
    /// Headers, among them the effect key where the contract sends it so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// Under whose name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<HttpAuth>,
    /// What is sent.
    #[serde(skip_serializing_if = "HttpBody::is_none")]
    pub body: HttpBody,
    /// The private networks that it may reach.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<Network>,
    /// Through which proxy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<HttpProxy>,
    /// Certificates that are not the system's.
    #[serde(skip_serializing_if = "HttpTls::is_empty")]
    pub tls: HttpTls,
    /// Which redirects are followed.
    #[serde(skip_serializing_if = "Redirects::is_none")]
    pub redirects: Redirects,
    /// Whether the effect key is among the headers, so that the service can tell a repetition.
    #[serde(skip)]
    pub is_keyed: bool,
    /// How long making a connection may take.
    #[serde(skip)]
    pub connect_timeout: Duration,
    /// How long the service may be silent.
    #[serde(skip)]
    pub read_timeout: Option<Duration>,
    /// How often a request that was lost is sent once more.
    #[serde(skip)]
    pub retries: u8,
    /// Most bytes read of the answer's body.
    #[serde(skip)]
    pub max_response_bytes: usize,
    /// The deadline.
    #[serde(serialize_with = "written")]
    pub timeout: Duration,
}

impl HttpPlan {
    /// The credentials that it names.
    pub fn credentials(&self) -> impl Iterator<Item = &CredentialName> {
        let proxy = self.proxy.as_ref().and_then(|proxy| proxy.basic.as_ref());
        let shown = self.auth.iter().map(HttpAuth::credential).chain(proxy);
        shown.chain(&self.tls.roots).chain(&self.tls.identity)
    }
}

/// What a request sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HttpBody {
    /// Nothing.
    None,
    /// JSON.
    Json(Value),
    /// Text.
    Text(String),
    /// A form, by name and value.
    Form(Vec<(String, String)>),
    /// A form of several parts.
    Multipart(Vec<HttpPartPlan>),
}

impl HttpBody {
    /// Whether nothing is sent.
    #[must_use]
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}

/// One part of a form of several parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum HttpPartPlan {
    /// A value.
    Field {
        /// The field.
        name: String,
        /// Its value.
        value: String,
    },
    /// A file.
    File {
        /// The field.
        name: String,
        /// Its path in the workspace.
        file: String,
        /// The name that is sent.
        filename: String,
        /// What it is.
        content_type: String,
    },
}
