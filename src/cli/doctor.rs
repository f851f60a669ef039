//! `tgw doctor`: what was found, what is trusted, what this machine can do.

mod answers;
mod credential;
mod programs;

use std::os::fd::AsFd;
use std::path::Path;

use serde_json::{Value, json};

use crate::diagnostic::{Report, Severity, SourceMap};
use crate::execute::Capability;
use crate::state::Store;
use crate::state::trust::TrustStore;

use super::arguments::SessionArgs;
use super::discover::{self, Found, Kind, Origin};
use super::display::is_terminal;
use super::exit::{Failure, Outcome};
use super::operator_arguments::DoctorArgs;
use super::output::print;
use super::session;
use super::table;

/// What a finding means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// As it should be.
    Good,
    /// Calls run; a person should look.
    Warning,
    /// It keeps calls from running.
    Problem,
}

impl State {
    fn as_str(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }

    /// As a person sees it: what must be mended stands out.
    fn shown(self) -> &'static str {
        match self {
            Self::Problem => "PROBLEM",
            state @ (Self::Good | Self::Warning) => state.as_str(),
        }
    }
}

/// One line of the report.
struct Finding {
    area: &'static str,
    state: State,
    text: String,
    hint: Option<String>,
}

impl Finding {
    fn new(area: &'static str, state: State, text: impl Into<String>) -> Self {
        Self { area, state, text: text.into(), hint: None }
    }

    fn problem(area: &'static str, failure: Failure) -> Self {
        Self { area, state: State::Problem, text: failure.message, hint: failure.hint }
    }

    fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Prints the report; exit status 1 where something keeps calls from running.
pub(crate) fn doctor(arguments: &DoctorArgs) -> Outcome {
    let mut findings = Vec::new();
    match session::look(&arguments.session) {
        Ok(loaded) => session_findings(&loaded, &mut findings),
        Err(failure) => what_stops(&arguments.session, failure, &mut findings),
    }
    machine(&mut findings);

    let healthy = findings.iter().all(|finding| finding.state != State::Problem);
    if arguments.json {
        let values: Vec<Value> = findings.iter().map(as_value).collect();
        print(&format!("{}\n", json!({ "healthy": healthy, "findings": values })))?;
    } else {
        let rows = findings
            .iter()
            .map(|finding| {
                let hint = finding.hint.iter().map(|hint| format!("; hint: {hint}")).collect::<String>();
                vec![
                    finding.area.to_owned(),
                    finding.state.shown().to_owned(),
                    format!("{}{hint}", finding.text),
                ]
            })
            .collect();
        print(&table::render(&["area", "state", "finding"], rows))?;
    }
    Ok(u8::from(!healthy))
}

fn as_value(finding: &Finding) -> Value {
    let mut value = json!({
        "area": finding.area, "state": finding.state.as_str(), "good": finding.state != State::Problem,
        "text": finding.text,
    });
    if let (Some(map), Some(hint)) = (value.as_object_mut(), &finding.hint) {
        map.insert("hint".to_owned(), Value::from(hint.as_str()));
    }
    value
}

/// The findings where a session can start.
fn session_findings(loaded: &session::Loaded, findings: &mut Vec<Finding>) {
    let session = &loaded.session;
    let root = session.workspace.root();
    findings.push(Finding::new("workspace", State::Good, root.display().to_string()));
    for (what, found) in [("tools", &loaded.tools), ("policy", &loaded.policies), ("lock", &loaded.lock)] {
        files(what, found, findings);
    }
    findings.push(Finding::new(
        "tools",
        State::Good,
        format!("{} contracts", session.catalog.contracts().len()),
    ));
    let principal = &session.principal;
    let who = format!("user {}, agent {}, tenant {}", principal.user, principal.agent, principal.tenant);
    let mut callable = session
        .catalog
        .contracts()
        .iter()
        .filter(|contract| !contract.internal && !contract.name.is_reserved())
        .peekable();
    let hidden =
        callable.peek().is_some() && callable.all(|contract| session.scope.hides(contract).is_some());
    findings.push(if hidden {
        Finding::new(
            "principal",
            State::Warning,
            format!("{who}: every tool is hidden, so nothing can be called"),
        )
        .with_hint("`tgw tools --all` says what hides each tool")
    } else {
        Finding::new("principal", State::Good, who)
    });
    let step = session.step.as_ref().map_or("none", |step| step.as_str());
    findings.push(Finding::new("task", State::Good, format!("{}, step {step}", session.task.id)));
    let mut thorough = Report::default();
    session.catalog.check_examples(&mut thorough);
    // Too slow for every start, and a sign that a tool or rule is not what its author meant.
    let examples = session.policy.check_examples(&session.catalog);
    remarks(&loaded.report, &loaded.sources, findings);
    remarks(&thorough, &loaded.sources, findings);
    for diagnostic in &examples {
        findings.push(remark(diagnostic, &loaded.sources));
    }
    for server in session.catalog.servers() {
        findings.extend(programs::of_server(server, &session.environment, root));
    }
    for contract in session.catalog.contracts() {
        findings.extend(programs::of_tool(contract, &session.environment, root));
        findings.extend(contract.result.masks.shown.iter().map(|waiver| {
            let text = format!("{}: `{}` is shown: {}", contract.name, waiver.kind, waiver.reason);
            Finding::new("redaction", State::Good, format!("{text} ({})", contract.location))
        }));
    }
    for spec in session.catalog.credentials() {
        findings.push(credential::finding(spec, session, root));
    }
    answers::approvers(&session.policy, findings);
    store(loaded, findings);
}

/// The findings where no session can start: everything that can still be looked at, and what is wrong.
fn what_stops(arguments: &SessionArgs, failure: Failure, findings: &mut Vec<Finding>) {
    let known = findings.len();
    let problems =
        |findings: &[Finding]| findings.iter().skip(known).any(|finding| finding.state == State::Problem);
    match discover::workspace_root(arguments.workspace.as_deref()) {
        Err(failure) => findings.push(Finding::problem("workspace", failure)),
        Ok(root) => {
            findings.push(Finding::new("workspace", State::Good, root.display().to_string()));
            match discover::state_home() {
                Err(failure) => findings.push(Finding::problem("state", failure)),
                Ok(home) => configuration(arguments, &root, &TrustStore::new(&home), findings),
            }
        }
    }
    // What was typed, or the task's file.
    if !problems(findings) {
        findings.push(Finding::problem("session", failure));
    }
}

/// What is found and what is wrong with it, by file.
fn configuration(arguments: &SessionArgs, root: &Path, trust: &TrustStore, findings: &mut Vec<Finding>) {
    let mut look = |area, found: Result<Found, Failure>| match found {
        Ok(found) => {
            files(area, &found, findings);
            Some(found)
        }
        Err(failure) => {
            findings.push(Finding::problem(area, failure));
            None
        }
    };
    let tools = look("tools", discover::find(Kind::Tools, &arguments.tools, root, trust));
    let policies = look("policy", discover::find(Kind::Policy, &arguments.policy, root, trust));
    let lock = look("lock", discover::find_lock(arguments.lock.as_deref(), root, trust));
    let (Some(tools), Some(policies), Some(lock)) = (tools, policies, lock) else { return };
    let (mut sources, mut report) = (SourceMap::default(), Report::default());
    // What is wrong is in the report.
    let _refused = session::compile(&tools, &policies, &lock, root, &mut sources, &mut report);
    remarks(&report, &sources, findings);
}

/// What this machine can do.
fn machine(findings: &mut Vec<Finding>) {
    let streams = [
        ("stdin", is_terminal(std::io::stdin().as_fd())),
        ("stdout", is_terminal(std::io::stdout().as_fd())),
        ("stderr", is_terminal(std::io::stderr().as_fd())),
    ];
    let shown = streams
        .map(|(name, yes)| format!("{name} {}", if yes { "terminal" } else { "no terminal" }))
        .join(", ");
    findings.push(Finding::new("terminal", State::Good, shown));
    let asking = if std::fs::File::open("/dev/tty").is_ok() {
        "a person can be asked"
    } else {
        "none: what needs a person is answered input_required"
    };
    findings.push(Finding::new("terminal", State::Good, format!("controlling: {asking}")));
    for (level, available, detail) in Capability::probe().describe() {
        let level =
            serde_json::to_value(level).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default();
        let available = if available { "available" } else { "not available" };
        findings.push(Finding::new("sandbox", State::Good, format!("{level}: {available}, {detail}")));
    }
}

fn files(what: &'static str, found: &Found, findings: &mut Vec<Finding>) {
    for file in &found.files {
        let origin = match file.origin {
            Origin::Flag => "named on the command line",
            Origin::Environment => "named by the environment",
            Origin::Workspace => "of the workspace, trusted",
            Origin::User => "of the user",
            Origin::Embedded => "embedded in the binary",
        };
        findings.push(Finding::new(what, State::Good, format!("{} ({origin})", file.name)));
    }
    if let Some(path) = &found.untrusted {
        let text = format!("{} is not trusted and not obeyed", path.display());
        let hint = format!("read it, then run `tgw trust {}`", path.display());
        findings.push(Finding::new(what, State::Warning, text).with_hint(hint));
    }
}

fn remarks(report: &Report, sources: &SourceMap, findings: &mut Vec<Finding>) {
    findings.extend(report.diagnostics().iter().map(|diagnostic| remark(diagnostic, sources)));
}

fn remark(diagnostic: &crate::diagnostic::Diagnostic, sources: &SourceMap) -> Finding {
    let state = match diagnostic.severity {
        Severity::Warning => State::Warning,
        Severity::Error => State::Problem,
    };
    let place = sources.locate(diagnostic.span);
    let mut finding = Finding::new("files", state, format!("{place}: {}", diagnostic.message));
    finding.hint.clone_from(&diagnostic.hint);
    finding
}

fn store(loaded: &session::Loaded, findings: &mut Vec<Finding>) {
    let place = &loaded.state;
    let store = match loaded.existing_store() {
        Ok(Some(store)) => store,
        Ok(None) => {
            return findings.push(Finding::new(
                "state",
                State::Good,
                format!("{place}: made at the first call"),
            ));
        }
        Err(error) => {
            return findings.push(Finding::new("state", State::Problem, format!("{place}: {error}")));
        }
    };
    findings.push(match store.describe() {
        Ok(found) => Finding::new(
            "state",
            State::Good,
            format!(
                "{}: {} bytes, schema {}, {} records, {} results, {} questions wait",
                found.place,
                found.bytes,
                found.schema_version,
                found.records,
                found.results,
                found.pending_approvals
            ),
        ),
        Err(error) => Finding::new("state", State::Problem, format!("{place}: {error}")),
    });
    answers::seals(&store, &loaded.session.principal.tenant, findings);
}
