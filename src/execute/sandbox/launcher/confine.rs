//! A command with its sandbox, ready to start. The sandbox comes into force in the command's own process, between fork
//! and exec; the launcher is small and has one thread, so forking it is cheap and safe.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Child;

use landlock::RulesetCreated;
use rustix::process::{Resource, Rlimit, geteuid, setrlimit, setsid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities,
};
use seccompiler::BpfProgram;

use crate::execute::process::os_string;

use super::bubblewrap::{Bubblewrap, Placeholder};
use super::filter::{self, Metadata, Objects};
use super::grants::{Access, Grants};
use super::{Confinement, Report, Specification, restrict};

/// A command that has not started.
pub(super) struct Command {
    command: std::process::Command,
    /// Where bubblewrap says how the command ended.
    pub(super) status: Option<File>,
    private: Option<PrivateFolder>,
    placeholders: Vec<Placeholder>,
    /// Handles that the command's process needs until it has started.
    handles: Vec<OwnedFd>,
}

/// What comes into force in the command's process.
struct Restrictions {
    memory: Option<u64>,
    /// The capabilities that a command of root's keeps.
    capabilities: CapabilitySet,
    landlock: Option<RulesetCreated>,
    filters: Vec<BpfProgram>,
}

impl Command {
    /// Opens everything that the sandbox needs.
    pub(super) fn prepare(specification: &Specification, report: &File) -> io::Result<Self> {
        let (program, arguments) = (&specification.program, specification.argv.get(1..).unwrap_or_default());
        let mut restrictions = Restrictions {
            memory: specification.memory,
            capabilities: CapabilitySet::empty(),
            landlock: None,
            filters: Vec::new(),
        };
        let mut made = match &specification.confinement {
            Confinement::Unconfined => Self::of(program, arguments),
            Confinement::Landlock => {
                let private = PrivateFolder::make(&specification.temporary)?;
                let mut grants = Grants::default();
                grants.add_path(&private.path, Access::Write, &[])?;
                restrictions.capabilities = capabilities_for(specification);
                restrictions.landlock = Some(restrict::ruleset(specification, &grants)?);
                restrictions.filters =
                    filter::programs(specification.network, metadata(specification), Objects::Shared)?;
                let mut made = Self::of(program, arguments);
                made.replace_folders(specification, Some(&private.home()), &private.temporary());
                made.private = Some(private);
                made
            }
            Confinement::Bubblewrap { program: bubblewrap } => {
                let wrapped = Bubblewrap::around(specification, arguments)?;
                let mut made = Self::of(bubblewrap, &wrapped.arguments);
                // Its home keeps its name and is empty.
                made.replace_folders(specification, None, Path::new("/tmp"));
                made.placeholders = wrapped.placeholders;
                made.status = Some(wrapped.status);
                made.handles = wrapped.handles;
                made
            }
        };
        if !matches!(specification.confinement, Confinement::Bubblewrap { .. }) {
            if let Some(written) = specification.argv.first() {
                made.command.arg0(written);
            }
            made.command
                .envs(specification.loader.iter().map(|(name, value)| (os_string(name), os_string(value))));
        }
        restrictions.install(&mut made.command, report.try_clone()?);
        Ok(made)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the launcher is the one place that forks, from a small process"
    )]
    fn of(program: &Path, arguments: &[String]) -> Self {
        let mut command = std::process::Command::new(program);
        command.args(arguments);
        Self { command, status: None, private: None, placeholders: Vec::new(), handles: Vec::new() }
    }

    /// Says where home and temporary files are, unless the contract has said so itself.
    fn replace_folders(&mut self, specification: &Specification, home: Option<&Path>, temporary: &Path) {
        let inherited =
            |name: &str, value: Option<&Path>| std::env::var_os(name).map(PathBuf::from).as_deref() == value;
        if let Some(home) = home
            && inherited("HOME", specification.home.as_deref())
        {
            self.command.env("HOME", home);
        }
        if inherited("TMPDIR", None) || inherited("TMPDIR", Some(&specification.temporary)) {
            self.command.env("TMPDIR", temporary);
        }
    }

    /// Starts it.
    pub(super) fn start(&mut self) -> io::Result<Child> {
        self.command.spawn()
    }
}

/// Whether the command may change modes and times: where it may write something, tools that write need to.
fn metadata(specification: &Specification) -> Metadata {
    match specification.workspace.as_ref().is_some_and(|workspace| !workspace.write.is_empty()) {
        true => Metadata::Change,
        false => Metadata::Keep,
    }
}

impl Restrictions {
    /// Makes them come into force when the command starts.
    fn install(mut self, command: &mut std::process::Command, report: File) {
        let enforce =
            move || self.enforce().inspect_err(|error| Report::NoSandbox(error.to_string()).send(&report));
        #[expect(unsafe_code, reason = "restrictions on the command alone must be made in its own process")]
        // SAFETY: the closure runs after fork in a process that had one thread, so no lock can be held by another.
        unsafe {
            command.pre_exec(enforce);
        }
    }

    fn enforce(&mut self) -> io::Result<()> {
        setsid()?;
        let nothing = Rlimit { current: Some(0), maximum: Some(0) };
        setrlimit(Resource::Core, nothing)?;
        if let Some(bytes) = self.memory {
            setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) })?;
        }
        if let Some(ruleset) = self.landlock.take() {
            keep_capabilities(self.capabilities)?;
            ruleset.restrict_self().map_err(io::Error::other)?;
        }
        self.filters.iter().try_for_each(|filter| seccompiler::apply_filter(filter).map_err(io::Error::other))
    }
}

/// None, so that root's command changes nothing about files of others. Where the workspace is another user's, those that
/// let root open files whoever owns them: Landlock says which.
fn capabilities_for(specification: &Specification) -> CapabilitySet {
    let owner = specification.workspace.as_ref().and_then(|workspace| fs::metadata(&workspace.root).ok());
    match owner.is_some_and(|owner| owner.uid() != geteuid().as_raw()) {
        true => CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH,
        false => CapabilitySet::empty(),
    }
}

/// Gives up every other capability for good.
fn keep_capabilities(kept: CapabilitySet) -> io::Result<()> {
    let held = capabilities(None)?.permitted;
    if held.is_empty() {
        return Ok(());
    }
    if held.contains(CapabilitySet::SETPCAP) {
        for capability in (CapabilitySet::all() & !kept).iter() {
            // Bits that this kernel does not know are refused, and cannot be held either.
            let _unknown = remove_capability_from_bounding_set(capability);
        }
    }
    clear_ambient_capability_set()?;
    let left = held & kept;
    Ok(set_capabilities(
        None,
        CapabilitySets { effective: left, permitted: left, inheritable: CapabilitySet::empty() },
    )?)
}

/// A folder of the command's own for its home and its temporary files, deleted with everything in it.
pub(super) struct PrivateFolder {
    path: PathBuf,
}

impl PrivateFolder {
    fn make(parent: &Path) -> io::Result<Self> {
        let mut bytes = [0_u8; 8];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        let path = parent.canonicalize()?.join(format!("tgw-{:016x}", u64::from_ne_bytes(bytes)));
        DirBuilder::new().mode(0o700).create(&path)?;
        let made = Self { path };
        for folder in [made.home(), made.temporary()] {
            DirBuilder::new().mode(0o700).create(folder)?;
        }
        Ok(made)
    }

    fn home(&self) -> PathBuf {
        self.path.join("home")
    }

    fn temporary(&self) -> PathBuf {
        self.path.join("tmp")
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // What cannot be deleted is left to the system, which cleans temporary folders.
        let _left = fs::remove_dir_all(&self.path);
    }
}
