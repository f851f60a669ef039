//! Which sandbox a call gets: the strictest of what contract and policy ask, on what the machine has.

use serde::Serialize;

use crate::catalog::{Contract, NetworkRule, Risk, Run, SandboxLevel, SandboxRequest, ServerSpec};
use crate::code::{CallError, ErrorCode};
use crate::policy::Environment;

use super::Capability;

/// The sandbox of one call, resolved. A person is shown it, a grant binds it, and the executor puts it in place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SandboxProfile {
    level: SandboxLevel,
    network: NetworkRule,
    read: Vec<String>,
    write: Vec<String>,
    toolchains: Vec<String>,
    memory_mb: Option<u64>,
    processes: Option<u64>,
}

impl SandboxProfile {
    /// No sandbox and no limits.
    #[must_use]
    pub fn none() -> Self {
        Self {
            level: SandboxLevel::None,
            network: NetworkRule::Open,
            read: Vec::new(),
            write: Vec::new(),
            toolchains: Vec::new(),
            memory_mb: None,
            processes: None,
        }
    }

    /// The level.
    #[must_use]
    pub fn level(&self) -> SandboxLevel {
        self.level
    }

    /// The network that the command has. At level `none` it is always open.
    #[must_use]
    pub fn network(&self) -> NetworkRule {
        self.network
    }

    /// Paths in the workspace that the command can read; the root is `.`. Without meaning at level `none`.
    #[must_use]
    pub fn read(&self) -> &[String] {
        &self.read
    }

    /// Paths in the workspace that the command can write; the root is `.`. Without meaning at level `none`.
    #[must_use]
    pub fn write(&self) -> &[String] {
        &self.write
    }

    /// Variables that the contract passes on and that name a toolchain's folder, which the command can read.
    #[must_use]
    pub fn toolchains(&self) -> &[String] {
        &self.toolchains
    }

    /// Most memory of each of its processes, in MiB.
    #[must_use]
    pub fn memory_mb(&self) -> Option<u64> {
        self.memory_mb
    }

    /// Most processes at one time.
    #[must_use]
    pub fn processes(&self) -> Option<u64> {
        self.processes
    }

    #[cfg(test)]
    pub(super) fn allow_toolchain(&mut self, variable: &str) {
        self.toolchains.push(variable.to_owned());
    }

    /// Whether a launcher is needed between the gateway and the command.
    pub(in crate::execute) fn is_bare(&self) -> bool {
        self.level == SandboxLevel::None && self.memory_mb.is_none() && self.processes.is_none()
    }
}

/// Resolves the sandbox of a call.
///
/// Where neither contract nor policy names a level, the best one of the machine is taken. Where one does, it is the
/// lowest level of the machine that is at least the stricter of the two. The network is open only where the contract
/// opens it and no rule closes it. Without `write`, the workspace is writable above `read_only` and not at it.
///
/// # Errors
/// `SANDBOX_UNAVAILABLE` when the machine has no such level, or when a rule closes the network and no level of the
/// machine can.
pub fn resolve_profile(
    contract: &Contract,
    demand: &Environment,
    capability: &Capability,
) -> Result<SandboxProfile, CallError> {
    let passed: &[String] = match &contract.run {
        Run::Command(command) => &command.pass_env,
        Run::Mcp(spec) => &spec.server.pass_env,
        Run::Builtin(_) | Run::Http(_) => &[],
    };
    resolve(contract.sandbox.clone().unwrap_or_default(), contract.risk, passed, demand, capability)
}

/// Resolves the sandbox of a server that is started for no call: the one that its calls get where no rule asks for more.
///
/// # Errors
/// As [`resolve_profile`].
pub fn server_profile(server: &ServerSpec, capability: &Capability) -> Result<SandboxProfile, CallError> {
    let demand = Environment::default();
    resolve(server.sandbox.clone(), Risk::ReadOnly, &server.pass_env, &demand, capability)
}

fn resolve(
    request: SandboxRequest,
    risk: Risk,
    passed: &[String],
    demand: &Environment,
    capability: &Capability,
) -> Result<SandboxProfile, CallError> {
    let network = match (request.network, demand.network) {
        (Some(NetworkRule::Open), None | Some(NetworkRule::Open)) => NetworkRule::Open,
        _ => NetworkRule::None,
    };
    let level = match request.level.max(demand.sandbox) {
        None => capability.best(),
        Some(wanted) => capability
            .lowest_from(wanted)
            .ok_or_else(|| unavailable(format!("sandbox level `{}` is not available here", name(wanted))))?,
    };
    let level = match (level, demand.network) {
        (SandboxLevel::None, Some(NetworkRule::None)) => {
            capability.lowest_from(SandboxLevel::Confined).ok_or_else(|| {
                unavailable("no sandbox here can close the network, as a rule demands".to_owned())
            })?
        }
        _ => level,
    };
    let write = match (request.write, risk) {
        (Some(paths), _) => paths,
        (None, Risk::ReadOnly) => Vec::new(),
        (None, Risk::Write | Risk::External | Risk::Destructive) => vec![".".to_owned()],
    };
    Ok(SandboxProfile {
        level,
        network: if level == SandboxLevel::None { NetworkRule::Open } else { network },
        read: request.read.unwrap_or_else(|| vec![".".to_owned()]),
        write,
        toolchains: passed.iter().filter(|name| super::toolchain::is_known(name)).cloned().collect(),
        memory_mb: request.memory_mb,
        processes: request.processes,
    })
}

fn unavailable(message: String) -> CallError {
    CallError::new(ErrorCode::SandboxUnavailable, message)
        .with_hint("`tgw doctor` shows the sandbox levels of this machine and what is missing")
}

/// The level as it is written in files.
pub(super) fn name(level: SandboxLevel) -> &'static str {
    match level {
        SandboxLevel::None => "none",
        SandboxLevel::Confined => "confined",
        SandboxLevel::Isolated => "isolated",
    }
}

#[cfg(test)]
pub(super) mod tests;
