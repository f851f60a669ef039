//! Upstream servers, and how a contract names one of their tools.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::diagnostic::Location;
use crate::expression::Expression;
use crate::ident::{CredentialName, ServerName, ToolName};

use super::{Digest, SandboxRequest};

/// Most bytes of an exposed name: what every provider takes.
const MOST_NAME: usize = 64;

/// An upstream server and everything about how it is run. Serialised it is what a person is shown and a grant binds.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct ServerSpec {
    /// Its name.
    pub name: ServerName,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The folder that an `argv[0]` with a slash is relative to: the manifest's.
    #[serde(skip)]
    pub program_base: PathBuf,
    /// The working directory, relative to the workspace; empty for its root.
    pub cwd: String,
    /// Environment entries.
    pub env: Vec<(String, String)>,
    /// Names passed on from the gateway's own environment.
    pub pass_env: Vec<String>,
    /// Environment names that get a credential.
    pub credentials: Vec<(String, CredentialName)>,
    /// What stands before the names of its tools; empty for nothing.
    #[serde(skip)]
    pub prefix: String,
    /// Folders outside the workspace that it can read in its sandbox: those it is installed in.
    pub installed_in: Vec<PathBuf>,
    /// The sandbox that it asks for. Unless stated it writes nothing in the workspace.
    #[serde(skip)]
    pub sandbox: SandboxRequest,
    /// How long it may take to start and to list its tools.
    #[serde(skip)]
    pub start_timeout: Duration,
    /// How long it may be silent to the newest version's first question before it is asked in the older way.
    #[serde(skip)]
    pub probe_timeout: Duration,
    /// Most bytes of one of its messages.
    #[serde(skip)]
    pub max_message_bytes: usize,
    /// Names under which its tools are exposed instead, by their own.
    #[serde(skip)]
    pub aliases: Vec<(String, String)>,
    /// Where it is written.
    #[serde(skip)]
    pub location: Location,
}

impl ServerSpec {
    /// The name under which one of its tools is exposed.
    ///
    /// # Errors
    /// What is wrong with the name that it would have.
    pub fn exposes(&self, tool: &str) -> Result<ToolName, String> {
        let alias = self.aliases.iter().find(|(own, _)| own == tool).map(|(_, alias)| alias.as_str());
        exposed_name(&self.prefix, tool, alias)
    }
}

/// The name under which a tool is exposed: never cut, never changed, so that it is the same whatever else there is.
///
/// # Errors
/// What is wrong with it.
pub fn exposed_name(prefix: &str, tool: &str, alias: Option<&str>) -> Result<ToolName, String> {
    let name = match alias {
        Some(alias) => alias.to_owned(),
        None if prefix.is_empty() => tool.to_owned(),
        None => format!("{prefix}__{tool}"),
    };
    let shown: String = name.chars().take(100).collect();
    let shown = shown.escape_debug();
    if name.len() > MOST_NAME {
        return Err(format!("the name `{shown}` has {} bytes, and providers take {MOST_NAME}", name.len()));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if let Some(strange) = name.chars().find(|c| !plain(*c)) {
        let strange = strange.escape_debug();
        return Err(format!("the name `{shown}` has `{strange}`, and providers take A-Z a-z 0-9 _ -"));
    }
    match ToolName::parse(&name) {
        Ok(parsed) if parsed.is_reserved() => Err(format!(
            "the name `{shown}` is reserved: names that start with `tgw__` are the gateway's own"
        )),
        Ok(parsed) => Ok(parsed),
        Err(invalid) => Err(invalid.to_string()),
    }
}

/// A tool of an upstream server, as a contract runs it.
#[derive(Debug)]
pub struct McpSpec {
    /// The server.
    pub server: Arc<ServerSpec>,
    /// The tool's own name there.
    pub tool: String,
    /// What was accepted of it: a tool of another digest is another tool.
    pub pinned: Digest,
    /// The version of the protocol that the server spoke when it was accepted.
    pub protocol: Option<String>,
    /// When a result that is an error proves that nothing happened.
    pub no_effect: Option<Expression>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(prefix: &str, tool: &str, alias: Option<&str>) -> Result<String, String> {
        exposed_name(prefix, tool, alias).map(|name| name.to_string())
    }

    #[test]
    fn names_are_stable_and_never_cut_or_changed() {
        assert_eq!(name("mcp__docs", "search", None).as_deref(), Ok("mcp__docs__search"));
        assert_eq!(name("", "search", None).as_deref(), Ok("search"));
        assert_eq!(name("mcp__docs", "a.b", Some("find")).as_deref(), Ok("find"));
        let exact = "a".repeat(64 - "mcp__docs__".len());
        assert_eq!(name("mcp__docs", &exact, None).map(|name| name.len()), Ok(64));
        for (tool, alias) in [
            (format!("{exact}a").as_str(), None),
            ("a.b", None),
            ("a b", None),
            ("é", None),
            ("x", Some("a/b")),
        ] {
            assert!(name("mcp__docs", tool, alias).is_err(), "{tool}");
        }
        assert!(name("", "tgw__search_tools", None).is_err() && name("tgw", "x", None).is_err());
    }
}
