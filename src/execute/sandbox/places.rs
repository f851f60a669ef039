//! From a profile to a specification: what the sandbox's words mean on this machine and in this workspace.

use std::path::{Path, PathBuf};

use crate::catalog::{NetworkRule, SandboxLevel};
use crate::code::{CallError, ErrorCode};
use crate::execute::ParentEnvironment;
use crate::execute::process::{ChildEnvironment, LoaderVariables};
use crate::workspace::{Access, ProtectedNames, Workspace, WorkspacePath};

use super::guarded::{Guarded, guarded};
use super::launcher::{Aftermath, Confinement, Network, Specification, WorkspacePlaces};
use super::private::private;
use super::{Capability, SandboxProfile, toolchain};

/// What is to be undone after a command of this profile; `None` for one that is not to write the workspace.
///
/// To be called before it starts: this is where what is there already is looked at.
pub(in crate::execute) fn aftermath(profile: &SandboxProfile, workspace: &Workspace) -> Option<Aftermath> {
    let places = profile.write();
    (!places.is_empty()).then(|| Aftermath {
        root: workspace.root().to_owned(),
        in_use: workspace.protected().in_use.clone(),
        before: ProtectedNames::look(workspace, places.iter().map(String::as_str)),
    })
}

/// Puts together what a launcher is told. `environment` loses the variables of the dynamic loader, and gets those of
/// toolchains that have a default.
///
/// # Errors
/// `SANDBOX_UNAVAILABLE` when the level is no longer to be had.
pub(in crate::execute) fn specification(
    profile: &SandboxProfile,
    program: &Path,
    argv: &[String],
    workspace: &Workspace,
    parent: &ParentEnvironment,
    environment: &mut ChildEnvironment,
    aftermath: Option<Aftermath>,
) -> Result<Specification, CallError> {
    let loader = environment.take_loader_variables();
    let confinement = match profile.level() {
        SandboxLevel::None => {
            return Ok(Specification { aftermath, ..unconfined(profile, program, argv, loader) });
        }
        SandboxLevel::Confined => Confinement::Landlock,
        SandboxLevel::Isolated => {
            let program = Capability::probe().bubblewrap().ok_or_else(|| {
                CallError::new(
                    ErrorCode::SandboxUnavailable,
                    "sandbox level `isolated` is not available here",
                )
            })?;
            Confinement::Bubblewrap { program: program.to_owned() }
        }
    };
    let mut readable = search_folders(parent, workspace.root());
    let Guarded { mut hidden, unwritable } = guarded(workspace);
    for folder in profile.toolchains().iter().filter_map(|variable| toolchain::folder(variable, parent)) {
        // The command's home is another one, so a default below the home has to be said.
        if let Some(path) = folder.path.to_str() {
            environment.set(folder.variable, path.as_bytes());
        }
        hidden.extend(folder.hidden);
        readable.push(folder.path);
    }
    readable.push(program.to_owned());
    // A folder that the person put into `PATH`, or whose toolchain the contract passes on, is meant to be read.
    let secret = private().iter().filter(|path| !readable.iter().any(|meant| meant.starts_with(path)));
    hidden.extend(secret.cloned());
    Ok(Specification {
        workspace: Some(WorkspacePlaces {
            root: workspace.root().to_owned(),
            read: profile.read().to_vec(),
            write: profile.write().iter().filter(|place| !is_protected(workspace, place)).cloned().collect(),
            unwritable,
        }),
        aftermath,
        readable,
        hidden,
        network: match profile.network() {
            NetworkRule::Open => Network::Open,
            NetworkRule::None => Network::None,
        },
        home: parent.home(),
        temporary: parent.temporary(),
        confinement,
        ..unconfined(profile, program, argv, loader)
    })
}

/// A specification with limits and nothing else.
fn unconfined(
    profile: &SandboxProfile,
    program: &Path,
    argv: &[String],
    loader: LoaderVariables,
) -> Specification {
    Specification {
        confinement: Confinement::Unconfined,
        program: program.to_owned(),
        argv: argv.to_vec(),
        loader,
        workspace: None,
        aftermath: None,
        readable: Vec::new(),
        hidden: Vec::new(),
        network: Network::Open,
        memory: profile.memory_mb().map(|mebibytes| mebibytes.saturating_mul(1 << 20)),
        processes: profile.processes(),
        home: None,
        temporary: PathBuf::new(),
    }
}

/// Whether a place that a contract lets a command write is protected, so that it is not even made.
fn is_protected(workspace: &Workspace, place: &str) -> bool {
    WorkspacePath::parse(place).is_ok_and(|path| workspace.protection(&path, Access::Write).is_some())
}

/// The folders of `PATH`, in which commands may look for other programs. One that would open the home folder or the
/// workspace does not count.
fn search_folders(parent: &ParentEnvironment, root: &Path) -> Vec<PathBuf> {
    let home = parent.home();
    std::env::split_paths(parent.get("PATH").unwrap_or_default())
        .filter(|folder| folder.is_absolute() && folder.is_dir())
        .filter(|folder| {
            folder.canonicalize().is_ok_and(|real| {
                !toolchain::holds(&real, home.as_deref())
                    && !root.starts_with(&real)
                    && !real.starts_with(root)
            })
        })
        .collect()
}
