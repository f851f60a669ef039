//! From what was typed and found to a session.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::catalog::{Catalog, ManifestFile, TaskContext};
use crate::clock::Clock;
use crate::diagnostic::{Report, SourceMap};
use crate::execute::ParentEnvironment;
use crate::ident::{AgentName, InvalidName, Principal, StepName, TaskId, Tenant, UserName};
use crate::policy::{Policy, PolicyFile};
use crate::session::{GatheredFacts, Session};
use crate::state::trust::TrustStore;
use crate::workspace::{Protected, Workspace};

use super::arguments::SessionArgs;
use super::discover::{self, Found, Kind, Origin, flag_or_variable, path_or_variable};
use super::exit::Failure;

/// A session and how it came to be.
pub(crate) struct Loaded {
    /// The session.
    pub(crate) session: Session,
    /// The manifests found.
    pub(crate) tools: Found,
    /// The policies found.
    pub(crate) policies: Found,
    /// The store of this workspace.
    pub(crate) state: PathBuf,
    /// Warnings of the files.
    pub(crate) report: Report,
    /// The texts that the warnings point into.
    pub(crate) sources: SourceMap,
}

impl Loaded {
    /// Logs what the files were warned about.
    pub(crate) fn log_warnings(&self) {
        if !self.report.diagnostics().is_empty() {
            tracing::warn!("{}", self.report.render(&self.sources, false).trim_end());
        }
    }

    /// Tells the person, on stderr, which files of the workspace were passed over.
    pub(crate) fn warn_untrusted(&self) {
        warn_untrusted(&self.tools, &self.policies);
    }
}

fn warn_untrusted(tools: &Found, policies: &Found) {
    use std::io::Write;
    for path in [&tools.untrusted, &policies.untrusted].into_iter().flatten() {
        // A closed stderr leaves nobody to tell.
        let _ = writeln!(
            std::io::stderr(),
            "warning: `{0}` is not trusted and was not used\nhint: read it, then run `tgw trust {0}`",
            path.display()
        );
    }
}

/// Finds, reads and checks everything a session stands on.
///
/// # Errors
/// Everything wrong with the files at once, or the first thing wrong with what was typed.
pub(crate) fn load(arguments: &SessionArgs) -> Result<Loaded, Failure> {
    let root = discover::workspace_root(arguments.workspace.as_deref())?;
    let home = discover::state_home()?;
    let trust = TrustStore::new(&home);
    let state = store_path(arguments.state.as_deref(), &root)?;
    let tools = discover::find(Kind::Tools, &arguments.tools, &root, &trust)?;
    let policies = discover::find(Kind::Policy, &arguments.policy, &root, &trust)?;
    let task_file = path_or_variable(arguments.task.as_deref(), "TGW_TASK");

    let mut sources = SourceMap::default();
    let mut report = Report::default();
    let (catalog, policy) =
        compile(&tools, &policies, &root, &mut sources, &mut report).inspect_err(|_| {
            // A policy may name what only a file has that was passed over: that must be said first.
            warn_untrusted(&tools, &policies);
        })?;

    let mut in_use: Vec<PathBuf> = [&tools, &policies]
        .into_iter()
        .flat_map(|found| found.files.iter().filter_map(|file| file.path.clone()))
        .collect();
    in_use.extend(task_file.clone());
    in_use.extend(["tools.yaml", "policy.yaml"].map(|name| root.join(name)));
    in_use.push(home);
    in_use.extend(state.parent().map(Path::to_path_buf));
    in_use.extend(discover::user_folder());
    let workspace = Workspace::open(&root, Protected { in_use }).map_err(|error| {
        Failure::configuration(format!("cannot open the workspace `{}`: {error}", root.display()))
    })?;

    let principal = principal(arguments)?;
    let (task, task_step) = task(task_file.as_deref())?;
    let step = step(arguments, task_step, &policy)?;
    let scope = policy.scope(&principal, &task, step.as_ref());
    let stated_facts = facts(arguments)?;
    Ok(Loaded {
        session: Session {
            catalog,
            policy: Arc::new(policy),
            workspace: Arc::new(workspace),
            principal,
            operator: UserName::parse(&operating_system_user()).map_err(named("user"))?,
            task,
            step,
            scope,
            environment: ParentEnvironment::current(),
            clock: Clock::System,
            facts: Arc::new(GatheredFacts::new(stated_facts)),
        },
        tools,
        policies,
        state,
        report,
        sources,
    })
}

/// The store named by flag or variable, else the workspace's own below the state folder.
pub(crate) fn store_path(flag: Option<&Path>, root: &Path) -> Result<PathBuf, Failure> {
    match path_or_variable(flag, "TGW_STATE") {
        Some(named) if named.to_string_lossy().contains("://") => {
            Err(Failure::configuration("stores behind an address are not supported yet")
                .with_hint("name a folder or a .db file"))
        }
        Some(named) => {
            let absolute = std::path::absolute(&named).map_err(|error| {
                Failure::configuration(format!("`{}` is not a path: {error}", named.display()))
            })?;
            Ok(if absolute.extension().is_some_and(|extension| extension == "db") {
                absolute
            } else {
                absolute.join("state.db")
            })
        }
        None => crate::state::state_path(root, &|name| std::env::var_os(name)).map_err(|error| {
            Failure::configuration(error.to_string()).with_hint("set HOME, or name a store with `--state`")
        }),
    }
}

fn compile(
    tools: &Found,
    policies: &Found,
    root: &Path,
    sources: &mut SourceMap,
    report: &mut Report,
) -> Result<(Catalog, Policy), Failure> {
    let manifests: Vec<ManifestFile> = tools
        .files
        .iter()
        .map(|file| ManifestFile {
            name: Arc::clone(&file.name),
            text: Arc::clone(&file.text),
            base: file
                .path
                .as_deref()
                .and_then(Path::parent)
                .map_or_else(|| root.to_path_buf(), Path::to_path_buf),
            trusted: true,
        })
        .collect();
    let files: Vec<PolicyFile> = policies
        .files
        .iter()
        .map(|file| match file.origin {
            Origin::Embedded => PolicyFile::embedded(),
            Origin::Flag | Origin::Environment | Origin::Workspace | Origin::User => {
                PolicyFile::new(Arc::clone(&file.name), Arc::clone(&file.text))
            }
        })
        .collect();
    let Ok(catalog) = Catalog::load(&manifests, sources, report) else {
        return Err(Failure::configuration(report.render(sources, false)));
    };
    match Policy::load(&files, &catalog, sources, report) {
        Ok(policy) => Ok((catalog, policy)),
        Err(()) => Err(Failure::configuration(report.render(sources, false))),
    }
}

/// Who is behind the calls.
fn principal(arguments: &SessionArgs) -> Result<Principal, Failure> {
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
        tenant: tenant(arguments.tenant.as_deref())?,
    })
}

/// The tenant, `local` unless stated.
pub(crate) fn tenant(flag: Option<&str>) -> Result<Tenant, Failure> {
    let tenant = flag_or_variable(flag, "TGW_TENANT")?.unwrap_or_else(|| "local".to_owned());
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

fn step(
    arguments: &SessionArgs,
    task_step: Option<StepName>,
    policy: &Policy,
) -> Result<Option<StepName>, Failure> {
    let stated = flag_or_variable(arguments.step.as_deref(), "TGW_STEP")?
        .map(|name| StepName::parse(&name).map_err(named("--step")))
        .transpose()?
        .or(task_step);
    match stated {
        Some(step) if policy.has_step(&step) => Ok(Some(step)),
        Some(step) => Err(Failure::configuration(format!("the policy has no step `{step}`"))
            .with_hint("name one of the steps of the policy, or leave it out")),
        None => Ok(policy.initial_step().cloned()),
    }
}

fn facts(arguments: &SessionArgs) -> Result<Map<String, Value>, Failure> {
    let Some(text) = &arguments.facts else { return Ok(Map::new()) };
    match crate::wire::parse_strict(text.as_bytes(), crate::wire::JsonLimits::default()) {
        Ok(Value::Object(facts)) => Ok(facts),
        Ok(_) => Err(Failure::configuration("`--facts` is not a JSON object")),
        Err(error) => Err(Failure::configuration(format!("`--facts` is not valid: {error}"))),
    }
}

/// The task of the file, or one made for this run.
fn task(file: Option<&Path>) -> Result<(TaskContext, Option<StepName>), Failure> {
    let Some(path) = file else {
        let mut random = [0_u8; 8];
        getrandom::fill(&mut random).map_err(|error| Failure::failed(format!("no randomness: {error}")))?;
        let id = format!("run-{:016x}", u64::from_le_bytes(random));
        let id = TaskId::parse(&id).map_err(named("task"))?;
        return Ok((TaskContext { id, prompt: None, tools: None, data: Value::Object(Map::new()) }, None));
    };
    let found = discover::read_named(path, Origin::Flag)?;
    super::task_file::read_task(&found.name, &found.text)
}
