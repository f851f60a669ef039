//! The question: everything a person needs to know of a call, redacted, before it is laid out.

use std::time::Duration;

use serde_json::Value;

use crate::catalog::{NetworkRule, Risk, SandboxLevel};
use crate::policy::Quorum;
use crate::present::{DisplayBody, redacted_body};
use crate::secret::Redactor;
use crate::validate::{CommandPlan, HttpPlan, McpPlan, Plan, ProgramSource, StdinPlan};

use super::request::{redacted_request, request_credentials};
use super::{Reason, Subject};

/// Where a command would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// How strongly it is confined.
    pub sandbox: SandboxLevel,
    /// Whether it may use the network.
    pub network: NetworkRule,
}

/// A question about one call. It owns all it shows, so that it can be asked from a thread of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    pub(super) tool: String,
    pub(super) title: Option<String>,
    pub(super) version: Option<String>,
    pub(super) risk: Risk,
    pub(super) changes: Option<String>,
    pub(super) principal: String,
    pub(super) task: String,
    pub(super) arguments: Vec<Argument>,
    pub(super) runs: Runs,
    pub(super) place: Option<Place>,
    pub(super) credentials: Vec<String>,
    pub(super) reasons: Vec<Reason>,
    pub(super) preview: Option<DisplayBody>,
    pub(super) alternatives: Vec<Alternative>,
    pub(super) signed: Option<String>,
    pub(super) notes: Vec<String>,
    pub(super) checks: Vec<Checked>,
}

/// What the gateway saw in the system of record for this call: redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The tool that looked.
    pub tool: String,
    /// What was to hold.
    pub expect: String,
    /// What was seen, as JSON, or why nothing was.
    pub seen: String,
    /// Whether it holds.
    pub holds: bool,
}

/// One effective argument.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) value: Value,
    /// Whose text it is.
    pub(super) provenance: &'static str,
    /// Pointers below it that the contract's defaults supplied.
    pub(super) defaulted: Vec<String>,
}

/// What would really run.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Runs {
    Builtin { name: String, timeout: Duration },
    Command(CommandPlan),
    Mcp(McpPlan),
    Http(HttpPlan),
}

/// One way to say yes for the task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// Its index among the terms' `remember` alternatives.
    pub index: usize,
    /// What it pins, as `pointer = value`.
    pub pinned: Vec<String>,
    /// The arguments it leaves free.
    pub free: Vec<String>,
}

impl Question {
    /// Makes the question about a call; every string is redacted here, once.
    #[must_use]
    pub fn new(subject: &Subject<'_>, place: Option<Place>, redactor: &Redactor) -> Self {
        let clean = |text: &str| redactor.text(text).into_owned();
        let contract = subject.contract;
        let mut arguments = subject.arguments.clone();
        redactor.value(&mut arguments);
        let principal = subject.principal;
        let version = principal
            .agent_version
            .as_ref()
            .map(|version| format!(" {}", clean(version)))
            .unwrap_or_default();
        let step = subject.step.map(|step| format!(", step {step}")).unwrap_or_default();
        Self {
            tool: contract.name.to_string(),
            title: contract.title.clone(),
            version: contract.version.clone(),
            risk: contract.risk,
            changes: contract.changes.clone(),
            principal: format!(
                "{} through agent {}{version}, tenant {}",
                principal.user, principal.agent, principal.tenant
            ),
            task: format!("{}{step}", subject.task),
            alternatives: alternatives(subject, &arguments),
            arguments: shown_arguments(arguments, subject.defaulted),
            runs: match subject.plan {
                Plan::Builtin { name, timeout } => {
                    Runs::Builtin { name: name.as_str().to_owned(), timeout: *timeout }
                }
                Plan::Command(command) => Runs::Command(redacted_command(command, redactor)),
                // What is written in a manifest and what a person accepted hold no argument of a call.
                Plan::Mcp(plan) => Runs::Mcp(plan.clone()),
                Plan::Http(request) => Runs::Http(redacted_request(request, redactor)),
            },
            place,
            credentials: credentials(subject.plan),
            reasons: reasons(subject, &clean),
            preview: subject.preview.map(|preview| redacted_body(preview.display.clone(), redactor)),
            signed: signed(subject),
            notes: Vec::new(),
            checks: Vec::new(),
        }
    }

    /// Adds what the person should know besides: it is the gateway's own word.
    #[must_use]
    pub fn noting(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// Adds what was looked at before the person is asked.
    #[must_use]
    pub fn with_checks(mut self, checks: Vec<Checked>) -> Self {
        self.checks = checks;
        self
    }

    /// The question without the ways to say yes for the task, and with the reason where there were any.
    #[must_use]
    pub fn for_this_call_only(mut self, why: &str) -> Self {
        if !std::mem::take(&mut self.alternatives).is_empty() {
            self.notes.push(why.to_owned());
        }
        self
    }

    /// The ways to say yes for the task.
    #[must_use]
    pub fn alternatives(&self) -> &[Alternative] {
        &self.alternatives
    }

    /// Whose signed answers are needed, where nothing said at a terminal is a yes.
    #[must_use]
    pub fn signed_by(&self) -> Option<&str> {
        self.signed.as_deref()
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }
}

fn shown_arguments(arguments: Value, defaulted: &[String]) -> Vec<Argument> {
    let Value::Object(members) = arguments else { return Vec::new() };
    let argument = |(name, value): (String, Value)| {
        let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        let provenance = if defaulted.contains(&pointer) { "contract" } else { "untrusted" };
        let below = format!("{pointer}/");
        let defaulted = defaulted.iter().filter(|known| known.starts_with(&below)).cloned().collect();
        Argument { name, value, provenance, defaulted }
    };
    members.into_iter().map(argument).collect()
}

fn redacted_command(command: &CommandPlan, redactor: &Redactor) -> CommandPlan {
    let clean = |text: &String| redactor.text(text).into_owned();
    CommandPlan {
        argv: command.argv.iter().map(clean).collect(),
        cwd: clean(&command.cwd),
        env: command.env.iter().map(|(name, value)| (clean(name), clean(value))).collect(),
        stdin: match &command.stdin {
            StdinPlan::Text(text) => StdinPlan::Text(clean(text)),
            StdinPlan::Empty => StdinPlan::Empty,
            StdinPlan::Credential(name) => StdinPlan::Credential(name.clone()),
        },
        program: match &command.program {
            ProgramSource::Search(name) => ProgramSource::Search(clean(name)),
            ProgramSource::Path(path) => ProgramSource::Path(path.clone()),
        },
        ..command.clone()
    }
}

fn credentials(plan: &Plan) -> Vec<String> {
    match plan {
        Plan::Builtin { .. } => Vec::new(),
        Plan::Mcp(plan) => {
            plan.server.credentials.iter().map(|(variable, name)| format!("{name} as {variable}")).collect()
        }
        Plan::Command(command) => {
            let named = command.credentials.iter().map(|(variable, name)| format!("{name} as {variable}"));
            let stdin = match &command.stdin {
                StdinPlan::Credential(name) => Some(format!("{name} on standard input")),
                StdinPlan::Empty | StdinPlan::Text(_) => None,
            };
            named.chain(stdin).collect()
        }
        Plan::Http(request) => request_credentials(request),
    }
}

fn reasons(subject: &Subject<'_>, clean: &impl Fn(&str) -> String) -> Vec<Reason> {
    let redacted = |reason: &Reason| Reason { reason: reason.reason.as_deref().map(clean), ..reason.clone() };
    subject.reasons.iter().map(redacted).collect()
}

fn alternatives(subject: &Subject<'_>, redacted: &Value) -> Vec<Alternative> {
    let Some(demand) = &subject.demand else { return Vec::new() };
    if subject.needs_signed_answers() {
        return Vec::new();
    }
    let names: Vec<&String> =
        redacted.as_object().map(|members| members.keys().collect()).unwrap_or_default();
    let alternative = |(index, pointers): (usize, &Vec<String>)| Alternative {
        index,
        pinned: pointers
            .iter()
            .map(|pointer| match redacted.pointer(pointer) {
                Some(value) => format!("{pointer} = {value}"),
                None => format!("{pointer} absent"),
            })
            .collect(),
        // An argument of which only a part is pinned is free in the rest.
        free: names
            .iter()
            .map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1")))
            .filter(|pointer| !pointers.contains(pointer))
            .collect(),
    };
    demand.remember.iter().enumerate().map(alternative).collect()
}

fn signed(subject: &Subject<'_>) -> Option<String> {
    let quorums = subject.quorums();
    (!quorums.is_empty()).then(|| in_words(quorums))
}

/// What several rules ask for, each once.
pub(super) fn in_words(quorums: &[Quorum]) -> String {
    let mut words: Vec<String> = quorums.iter().map(ToString::to_string).collect();
    words.sort();
    words.dedup();
    words.join("; and ")
}
