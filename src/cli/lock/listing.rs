//! Asking servers what they offer, and which of it can be exposed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::catalog::{Catalog, Lock, LockFile, LockedTool, ManifestFile, Run, ServerSpec};
use crate::clock::Clock;
use crate::code::CallError;
use crate::diagnostic::{Report, SourceMap};
use crate::execute::{
    CancelToken, Capability, CredentialCommands, ParentEnvironment, ServerContext, Servers, Signals,
    server_profile,
};
use crate::secret::{CredentialCache, NO_PASS_FOR_SERVERS, Sources, resolve};
use crate::workspace::{Protected, Workspace};

use super::super::discover;
use super::super::exit::Failure;
use super::super::run::runtime;

/// Where servers are started.
pub(super) struct Place {
    workspace: Arc<Workspace>,
    environment: ParentEnvironment,
    logs: PathBuf,
}

/// What a server offers.
pub(super) struct Offer {
    pub(super) server: String,
    pub(super) protocol: String,
    pub(super) tools: BTreeMap<String, LockedTool>,
    /// What it lists that is no tool, in words.
    pub(super) broken: Vec<String>,
}

/// A tool that cannot be exposed, and why.
pub(super) struct LeftOut {
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) problem: String,
    pub(super) hint: Option<String>,
}

impl Place {
    pub(super) fn open(root: &Path) -> Result<Self, Failure> {
        let in_use = [discover::state_home().ok(), discover::user_folder()].into_iter().flatten().collect();
        let workspace = Workspace::open(root, Protected { in_use }).map_err(|error| {
            Failure::configuration(format!("cannot open the workspace `{}`: {error}", root.display()))
        })?;
        Ok(Self {
            workspace: Arc::new(workspace),
            environment: ParentEnvironment::current(),
            logs: discover::server_logs(root)?,
        })
    }
}

/// Starts a server, lists its tools, and ends it again.
pub(super) fn list(server: &ServerSpec, catalog: &Catalog, place: &Place) -> Result<Offer, CallError> {
    let profile = server_profile(server, Capability::probe())?;
    let failed = |error: String| CallError::new(crate::code::ErrorCode::BackendUnavailable, error);
    let runtime = runtime().map_err(|failure| failed(failure.message))?;
    let cancel = CancelToken::default();
    let listed = runtime.block_on(async {
        let mut signals = Signals::new().map_err(|error| failed(error.to_string()))?;
        let work = async {
            let commands =
                CredentialCommands { workspace: &place.workspace, environment: &place.environment };
            let environment = |name: &str| place.environment.get(name).map(ToOwned::to_owned);
            let cache = CredentialCache::default();
            let sources = Sources {
                environment: &environment,
                commands: &commands,
                cache: &cache,
                clock: &Clock::System,
                mint: &|_| Err(NO_PASS_FOR_SERVERS),
            };
            let names: Vec<_> = server.credentials.iter().map(|(_, name)| name.clone()).collect();
            let credentials = resolve(&names, catalog.credentials(), &sources).await?;
            let context = ServerContext {
                workspace: &place.workspace,
                environment: &place.environment,
                cancel: &cancel,
                logs: Some(&place.logs),
            };
            Servers::default().list(server, &profile, &credentials, &context).await
        };
        tokio::pin!(work);
        loop {
            tokio::select! {
                listed = &mut work => return listed,
                () = signals.received() => cancel.cancel(),
            }
        }
    })?;
    let mut offer = Offer {
        server: server.name.to_string(),
        protocol: listed.protocol.to_string(),
        tools: BTreeMap::new(),
        broken: Vec::new(),
    };
    let mut twice = Vec::new();
    for (at, text) in listed.tools.iter().enumerate() {
        match LockedTool::read(text.get()) {
            Ok(tool) => {
                if let Some(other) = offer.tools.insert(tool.name.clone(), tool) {
                    twice.push(other.name);
                }
            }
            Err(problem) => {
                offer.broken.push(format!("the tool at place {} of its list is none: {problem}", at + 1))
            }
        }
    }
    for name in twice {
        offer.tools.remove(&name);
        offer.broken.push(format!("the tool `{}` is listed twice", name.escape_debug()));
    }
    Ok(offer)
}

/// Takes out of a lock what cannot be exposed: names that no provider takes, names that two tools would have, and tools
/// whose schemas cannot be held. Which of two comes first decides nothing.
pub(super) fn leave_out(lock: &mut Lock, catalog: &Catalog, manifests: &[ManifestFile]) -> Vec<LeftOut> {
    let mut left = Vec::new();
    let mut taken: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for contract in catalog.contracts() {
        taken.entry(contract.name.to_string()).or_default().push((String::new(), contract.name.to_string()));
    }
    for server in catalog.servers() {
        let Some(locked) = lock.servers.get(server.name.as_str()) else { continue };
        for tool in locked.tools.keys() {
            match server.exposes(tool) {
                Ok(name) => {
                    taken.entry(name.to_string()).or_default().push((server.name.to_string(), tool.clone()));
                }
                Err(problem) => left.push(left_out(server, tool, problem, true)),
            }
        }
    }
    for (name, owners) in taken.iter().filter(|(_, owners)| owners.len() > 1) {
        for (server, tool) in owners {
            let Some(spec) = catalog.servers().iter().find(|spec| spec.name.as_str() == server) else {
                continue;
            };
            let others = owners.iter().filter(|other| *other != &(server.clone(), tool.clone()));
            let others: Vec<String> = others
                .map(|(server, tool)| match server.as_str() {
                    "" => format!("the tool `{tool}` of a manifest"),
                    server => format!("`{tool}` of `{server}`"),
                })
                .collect();
            left.push(left_out(
                spec,
                tool,
                format!("its name would be `{name}`, as that of {}", others.join(", ")),
                true,
            ));
        }
    }
    remove(lock, &left);
    let unusable = unusable(lock, catalog, manifests);
    remove(lock, &unusable);
    left.extend(unusable);
    left
}

fn left_out(server: &ServerSpec, tool: &str, problem: String, renamed: bool) -> LeftOut {
    let hint = renamed.then(|| {
        let key = serde_json::Value::from(tool).to_string();
        format!(
            "give it a name in tools.yaml: `servers: {{{}: {{tools: {{{key}: {{alias: …}}}}}}}}`",
            server.name
        )
    });
    LeftOut { server: server.name.to_string(), tool: tool.to_owned(), problem, hint }
}

fn remove(lock: &mut Lock, left: &[LeftOut]) {
    for one in left {
        if let Some(locked) = lock.servers.get_mut(&one.server) {
            locked.tools.remove(&one.tool);
        }
    }
}

/// What would not become a contract, with the loader's own words.
fn unusable(lock: &Lock, catalog: &Catalog, manifests: &[ManifestFile]) -> Vec<LeftOut> {
    let file = LockFile { name: Arc::from("tgw.lock"), text: Arc::from(lock.write()) };
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    let Ok(loaded) = Catalog::load_locked(manifests, Some(&file), &mut sources, &mut report) else {
        // What the person wrote does not fit: it is said when it is loaded, with its place.
        return Vec::new();
    };
    let is_there = |server: &str, tool: &str| {
        loaded.contracts().iter().any(|contract| match &contract.run {
            Run::Mcp(spec) => spec.server.name.as_str() == server && spec.tool == tool,
            Run::Builtin(_) | Run::Command(_) | Run::Http(_) => false,
        })
    };
    let mut left = Vec::new();
    for server in catalog.servers() {
        let Some(locked) = lock.servers.get(server.name.as_str()) else { continue };
        for tool in locked.tools.keys().filter(|tool| !is_there(server.name.as_str(), tool)) {
            let said = format!("the tool `{tool}` of `{}` cannot be used: ", server.name);
            let problem = report.diagnostics().iter().find_map(|found| found.message.strip_prefix(&said));
            left.push(left_out(server, tool, problem.unwrap_or("it makes no contract").to_owned(), false));
        }
    }
    left
}
