//! From what was typed and found to a session.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::catalog::{Catalog, Contract, Lock, LockFile, ManifestFile, TaskContext, TaskSpan};
use crate::clock::Clock;
use crate::diagnostic::{Report, SourceMap};
use crate::execute::ParentEnvironment;
use crate::ident::{AgentName, InvalidName, Principal, StepName, Tenant, UserName};
use crate::policy::{Policy, PolicyFile};
use crate::session::{GatheredFacts, LaterPositions, Session};
use crate::state::trust::TrustStore;
use crate::state::{InvalidServer, PassKeys, Place, SealKey, Server, SqlStore, StoreError};
use crate::workspace::{Protected, Workspace};

use super::arguments::SessionArgs;
use super::discover::{self, Found, Kind, Origin, flag_or_variable, path_or_variable};
use super::exit::Failure;
use super::output::warn;
use super::stated_task::{self, Beginning, Purpose, StatedTask};

/// A session and how it came to be.
pub(crate) struct Loaded {
    /// The session.
    pub(crate) session: Session,
    /// The manifests found.
    pub(crate) tools: Found,
    /// The policies found.
    pub(crate) policies: Found,
    /// The lock found.
    pub(crate) lock: Found,
    /// The store of this workspace.
    pub(crate) state: Place,
    /// The folder of all state.
    pub(crate) home: PathBuf,
    /// What a display must not overwrite.
    pub(crate) in_use: InUse,
    /// Warnings of the files.
    pub(crate) report: Report,
    /// The texts that the warnings point into.
    pub(crate) sources: SourceMap,
}

/// The files and folders that a run stands on.
pub(crate) struct InUse {
    paths: Vec<PathBuf>,
    /// The store, where it is a file.
    state: Option<PathBuf>,
}

impl InUse {
    /// Whether a path is one of them, or lies below one.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        let path = real(path);
        // The store has files beside it, whose names begin as its own does.
        let beside = self.state.as_deref().map(real).is_some_and(|state| {
            path.parent() == state.parent()
                && match (path.file_name(), state.file_name()) {
                    (Some(name), Some(store)) => {
                        name.as_encoded_bytes().starts_with(store.as_encoded_bytes())
                    }
                    _ => false,
                }
        });
        beside || self.paths.iter().any(|used| path.starts_with(real(used)))
    }
}

/// The real path of what is there, or of where it would be.
fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    absolute.canonicalize().unwrap_or_else(|_| match (absolute.parent(), absolute.file_name()) {
        (Some(parent), Some(name)) => {
            parent.canonicalize().unwrap_or_else(|_| parent.to_path_buf()).join(name)
        }
        _ => absolute,
    })
}

impl Loaded {
    /// Logs what the files were warned about.
    pub(crate) fn log_warnings(&self) {
        if !self.report.diagnostics().is_empty() {
            tracing::warn!("{}", self.report.render(&self.sources, false).trim_end());
        }
    }

    /// The key that stored answers are sealed with: in the state home, wherever the store is.
    pub(crate) fn seal_key(&self) -> SealKey {
        SealKey::new(&self.home)
    }

    /// The store, where there is one: looking makes none.
    pub(crate) fn existing_store(&self) -> Result<Option<SqlStore>, StoreError> {
        SqlStore::open_existing(&self.state, self.session.workspace.root(), self.seal_key())
    }

    /// Says that the session is for one call: a task made for it ends with it.
    pub(crate) fn for_one_call(&mut self) {
        if self.session.task.span == TaskSpan::Run {
            self.session.task.span = TaskSpan::Call;
        }
    }

    /// Tells the person, on stderr, which files of the workspace were passed over.
    pub(crate) fn warn_untrusted(&self) {
        warn_untrusted([&self.tools, &self.policies, &self.lock]);
        for server in self.session.catalog.servers() {
            let known = |contract: &Arc<Contract>| contract.server() == Some(&server.name);
            if !self.session.catalog.contracts().iter().any(known) {
                let hint = format!("look at them with `tgw lock {}`", server.name);
                warn(
                    &format!("no tool of the server `{}` is accepted, so that none is visible", server.name),
                    Some(&hint),
                );
            }
        }
    }
}

fn warn_untrusted(found: [&Found; 3]) {
    for path in found.into_iter().filter_map(|found| found.untrusted.as_ref()) {
        let shown = path.display();
        let hint = format!("read it, then run `tgw trust {shown}`");
        warn(&format!("`{shown}` is not trusted and was not used"), Some(&hint));
    }
}

/// Finds, reads and checks everything a session stands on.
///
/// # Errors
/// Everything wrong with the files at once, or the first thing wrong with what was typed.
pub(crate) fn load(arguments: &SessionArgs) -> Result<Loaded, Failure> {
    load_as(arguments, None, Purpose::Run)
}

/// The same, for a command in which no call runs.
///
/// # Errors
/// As [`load`].
pub(crate) fn look(arguments: &SessionArgs) -> Result<Loaded, Failure> {
    load_as(arguments, None, Purpose::Look)
}

/// Who calls, in which task and step, where a stored call says so rather than what was typed.
pub(crate) struct Identity {
    /// Who is behind the call.
    pub(crate) principal: Principal,
    /// The task.
    pub(crate) task: TaskContext,
    /// The step.
    pub(crate) step: Option<StepName>,
}

/// The same, for a call that brings who called it.
///
/// # Errors
/// As [`load`].
pub(crate) fn load_as(
    arguments: &SessionArgs,
    identity: Option<Identity>,
    purpose: Purpose,
) -> Result<Loaded, Failure> {
    let root = discover::workspace_root(arguments.workspace.as_deref())?;
    let home = discover::state_home()?;
    let trust = TrustStore::new(&home);
    let state = store_place(arguments.state.as_deref(), &root)?;
    let tools = discover::find(Kind::Tools, &arguments.tools, &root, &trust)?;
    let policies = discover::find(Kind::Policy, &arguments.policy, &root, &trust)?;
    let lock = discover::find_lock(arguments.lock.as_deref(), &root, &trust)?;
    let named_task = match identity {
        Some(_) => None,
        None => path_or_variable(arguments.task.as_deref(), "TGW_TASK"),
    };

    let mut sources = SourceMap::default();
    let mut report = Report::default();
    let (catalog, policy) =
        compile(&tools, &policies, &lock, &root, &mut sources, &mut report).inspect_err(|_| {
            // A policy may name what only a file has that was passed over: that must be said first.
            warn_untrusted([&tools, &policies, &lock]);
        })?;

    let mut in_use: Vec<PathBuf> = [&tools, &policies, &lock]
        .into_iter()
        .flat_map(|found| found.files.iter().filter_map(|file| file.path.clone()))
        .collect();
    in_use.extend(named_task.clone().filter(|named| stated_task::is_file(named)));
    in_use.extend(["tools.yaml", "policy.yaml", "tgw.lock"].map(|name| root.join(name)));
    in_use.push(home.clone());
    let written_by_no_display = InUse {
        paths: in_use.iter().cloned().chain(discover::user_folder()).collect(),
        state: state.file().map(Path::to_path_buf),
    };
    in_use.extend(state.file().and_then(Path::parent).map(Path::to_path_buf));
    in_use.extend(discover::user_folder());
    let workspace = Workspace::open(&root, Protected { in_use }).map_err(|error| {
        Failure::configuration(format!("cannot open the workspace `{}`: {error}", root.display()))
    })?;

    let (principal, stated, step) = match identity {
        Some(Identity { principal, task, step }) => (principal, StatedTask::Asked(task, step), None),
        None => {
            (principal(arguments, &state)?, StatedTask::read(named_task.as_deref())?, typed_step(arguments)?)
        }
    };
    let store = || {
        SqlStore::open_existing(&state, workspace.root(), SealKey::new(&home))
            .map_err(|error| super::store::failure(&error))
    };
    let Beginning { task, step, scope, kept } =
        stated_task::begin(stated, step, store, &policy, &principal, purpose)?;
    let stated_facts = facts(arguments)?;
    Ok(Loaded {
        session: Session {
            catalog,
            policy: Arc::new(policy),
            workspace: Arc::new(workspace),
            principal,
            operator: UserName::parse(&operating_system_user()).map_err(named("user"))?,
            approvers: super::approvers::load()?,
            task,
            step,
            scope,
            kept,
            later: LaterPositions::default(),
            environment: ParentEnvironment::current(),
            pass_keys: PassKeys::new(&home),
            server_logs: Some(discover::server_logs(&root)?),
            clock: Clock::System,
            facts: Arc::new(GatheredFacts::new(stated_facts)),
        },
        tools,
        policies,
        lock,
        state,
        home,
        in_use: written_by_no_display,
        report,
        sources,
    })
}

/// The store named by flag or variable, else the workspace's own below the state folder.
pub(crate) fn store_place(flag: Option<&Path>, root: &Path) -> Result<Place, Failure> {
    match path_or_variable(flag, "TGW_STATE") {
        Some(named) if Place::is_address(&named.to_string_lossy()) => {
            server(&named.to_string_lossy()).map(Place::from)
        }
        Some(named) => {
            let absolute = std::path::absolute(&named).map_err(|error| {
                Failure::configuration(format!("`{}` is not a path: {error}", named.display()))
            })?;
            Ok(Place::File(if absolute.extension().is_some_and(|extension| extension == "db") {
                absolute
            } else {
                absolute.join("state.db")
            }))
        }
        None => {
            crate::state::state_path(root, &|name| std::env::var_os(name)).map(Place::File).map_err(|error| {
                Failure::configuration(error.to_string())
                    .with_hint("set HOME, or name a store with `--state`")
            })
        }
    }
}

/// The server of an address, with the password from PGPASSWORD where the address has none.
///
/// # Errors
/// What is wrong with the address.
pub(crate) fn server(address: &str) -> Result<Server, Failure> {
    let server: Server = address
        .parse()
        .map_err(|InvalidServer { problem, hint }| Failure::configuration(problem).with_hint(hint))?;
    Ok(server.or_password(std::env::var("PGPASSWORD").ok()))
}

/// Reads the files found. What is wrong with them is in `report`, and in the failure as a person reads it.
pub(crate) fn compile(
    tools: &Found,
    policies: &Found,
    lock: &Found,
    root: &Path,
    sources: &mut SourceMap,
    report: &mut Report,
) -> Result<(Catalog, Policy), Failure> {
    let manifests = discover::manifests(tools, root);
    let lock = lock
        .files
        .first()
        .map(|file| LockFile { name: Arc::clone(&file.name), text: Arc::clone(&file.text) });
    let files = policy_files(policies);
    let Ok(catalog) = Catalog::load_locked(&manifests, lock.as_ref(), sources, report) else {
        Policy::check(&files, sources, report);
        return Err(Failure::configuration(report.render(sources, false)));
    };
    match Policy::load(&files, &catalog, sources, report) {
        Ok(policy) => Ok((catalog, policy)),
        Err(()) => Err(Failure::configuration(report.render(sources, false))),
    }
}

/// The policy files found, each as closely as it must fit the catalog.
pub(crate) fn policy_files(policies: &Found) -> Vec<PolicyFile> {
    let file = |file: &discover::FoundFile| match file.origin {
        Origin::Embedded => PolicyFile::embedded(),
        Origin::User => PolicyFile::of_user(Arc::clone(&file.name), Arc::clone(&file.text)),
        Origin::Flag | Origin::Environment | Origin::Workspace => {
            PolicyFile::new(Arc::clone(&file.name), Arc::clone(&file.text))
        }
    };
    policies.files.iter().map(file).collect()
}

/// What keeps one file from being loaded, as a person reads it. Whether it goes with the other files is not looked at.
pub(crate) fn problems(kind: Kind, path: &Path, text: &str) -> Option<String> {
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    let (name, text) = (Arc::from(path.display().to_string()), Arc::from(text));
    match kind {
        Kind::Tools => {
            let base = path.parent().unwrap_or(path).to_path_buf();
            // What is wrong is in the report.
            let _refused =
                Catalog::load(&[ManifestFile { name, text, base, trusted: true }], &mut sources, &mut report);
        }
        Kind::Lock => return Lock::read(&text).err(),
        Kind::Policy => Policy::check(&[PolicyFile::new(name, text)], &mut sources, &mut report),
    }
    report.has_errors().then(|| report.render(&sources, false))
}

/// Who is behind the calls.
pub(crate) fn principal(arguments: &SessionArgs, place: &Place) -> Result<Principal, Failure> {
    let agent =
        flag_or_variable(arguments.agent.as_deref(), "TGW_AGENT")?.unwrap_or_else(|| "default".to_owned());
    let (agent, version) = match agent.split_once('@') {
        Some((name, version)) => (name, Some(version.to_owned())),
        None => (agent.as_str(), None),
    };
    let user = match flag_or_variable(arguments.user.as_deref(), "TGW_USER")? {
        Some(user) => user,
        None => operating_system_user(),
    };
    Ok(Principal {
        user: UserName::parse(&user).map_err(named("--user"))?,
        agent: AgentName::parse(agent).map_err(named("--agent"))?,
        agent_version: version,
        tenant: tenant(arguments.tenant.as_deref(), place)?,
    })
}

/// The tenant, `local` unless stated.
pub(crate) fn tenant(flag: Option<&str>, place: &Place) -> Result<Tenant, Failure> {
    let tenant = match (flag_or_variable(flag, "TGW_TENANT")?, place) {
        (Some(named), _) => named,
        (None, Place::File(_)) => "local".to_owned(),
        (None, Place::Server(_)) => {
            return Err(Failure::configuration("a store on a server is shared, and no tenant is named")
                .with_hint("say whose part of it is meant with `--tenant` or TGW_TENANT"));
        }
    };
    Tenant::parse(&tenant).map_err(named("--tenant"))
}

fn named(flag: &'static str) -> impl Fn(InvalidName) -> Failure {
    move |error| Failure::configuration(format!("`{flag}`: {error}"))
}

/// The name that the operating system gives this process's user; a variable would be anyone's word.
pub(crate) fn operating_system_user() -> String {
    let uid = rustix::process::getuid().as_raw().to_string();
    let entries = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    entries
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields.get(2) == Some(&uid.as_str()))
        .and_then(|fields| fields.first().map(|name| (*name).to_owned()))
        .unwrap_or_else(|| format!("uid-{uid}"))
}

/// The step that was typed.
fn typed_step(arguments: &SessionArgs) -> Result<Option<StepName>, Failure> {
    let typed = flag_or_variable(arguments.step.as_deref(), "TGW_STEP")?;
    typed.map(|name| StepName::parse(&name).map_err(named("--step"))).transpose()
}

fn facts(arguments: &SessionArgs) -> Result<Map<String, Value>, Failure> {
    let Some(text) = &arguments.facts else { return Ok(Map::new()) };
    match crate::wire::parse_strict(text.as_bytes(), crate::wire::JsonLimits::default()) {
        Ok(Value::Object(facts)) => Ok(facts),
        Ok(_) => Err(Failure::configuration("`--facts` is not a JSON object")),
        Err(error) => Err(Failure::configuration(format!("`--facts` is not valid: {error}"))),
    }
}
