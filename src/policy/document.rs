//! The parts of a policy, valid.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::catalog::{Contract, NamePattern, NetworkRule, Risk, SandboxLevel};
use crate::diagnostic::{Location, Span};
use crate::ident::{AgentName, CredentialName, Permission, Principal, RuleId, StepName, ToolName, UserName};

use super::{Budget, Gate, PersonalData, Quorum, Verdict, VersionRequirement};

/// One rule. Its conditions are compiled into the policy's index.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its id, unique in its file.
    pub id: RuleId,
    /// What it says.
    pub verdict: Verdict,
    /// Why, for the person and the model.
    pub reason: Option<String>,
    /// What it selects.
    pub selectors: Selectors,
    /// How the person is asked, for `require_approval`.
    pub approval: ApprovalTerms,
    /// What it demands of the place where the call runs.
    pub environment: Environment,
    /// `when` as written.
    pub when: Option<String>,
    /// `unless` as written.
    pub unless: Option<String>,
    /// What its author expects of it.
    pub examples: RuleExamples,
    /// Where it is written.
    pub location: Location,
}

/// What a rule selects. A part that is absent selects everything; a part that is stated is never empty.
#[derive(Debug, Clone, Default)]
pub struct Selectors {
    /// Tools by name.
    pub tools: Option<Vec<NamePattern>>,
    /// Tools by risk.
    pub risks: Option<Vec<Risk>>,
    /// Tools by upstream server.
    pub servers: Option<Vec<NamePattern>>,
    /// Agents.
    pub agents: Option<Vec<NamePattern>>,
    /// Steps.
    pub steps: Option<Vec<NamePattern>>,
    /// Users.
    pub users: Option<Vec<NamePattern>>,
    /// Tenants.
    pub tenants: Option<Vec<NamePattern>>,
}

/// A selector that depends on the call rather than on the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallSelector {
    /// `agents`.
    Agents,
    /// `steps`.
    Steps,
    /// `users`.
    Users,
    /// `tenants`.
    Tenants,
}

impl CallSelector {
    /// The key under which it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agents => "agents",
            Self::Steps => "steps",
            Self::Users => "users",
            Self::Tenants => "tenants",
        }
    }
}

impl Selectors {
    /// Whether the selectors that depend on the tool alone select `contract`.
    ///
    /// The gateway's own tools are selected only by a name that starts with `tgw__`.
    #[must_use]
    pub fn select_tool(&self, contract: &Contract) -> bool {
        let name = contract.name.as_str();
        let named = match &self.tools {
            None => !contract.name.is_reserved(),
            Some(tools) => tools.iter().any(|pattern| {
                pattern.matches(name)
                    && (!contract.name.is_reserved() || pattern.as_str().starts_with("tgw__"))
            }),
        };
        let risky = self.risks.as_ref().is_none_or(|risks| risks.contains(&contract.risk));
        let served = self.servers.as_ref().is_none_or(|servers| {
            contract
                .server()
                .is_some_and(|server| servers.iter().any(|pattern| pattern.matches(server.as_str())))
        });
        named && risky && served
    }

    /// The first selector that leaves out a call by `principal` in `step`, or `None` where all of them select it.
    #[must_use]
    pub fn leave_out(&self, principal: &Principal, step: Option<&StepName>) -> Option<CallSelector> {
        let names = |patterns: &Option<Vec<NamePattern>>, name: Option<&str>| {
            patterns
                .as_ref()
                .is_none_or(|patterns| name.is_some_and(|name| patterns.iter().any(|p| p.matches(name))))
        };
        if !names(&self.agents, Some(principal.agent.as_str())) {
            Some(CallSelector::Agents)
        } else if !names(&self.steps, step.map(StepName::as_str)) {
            Some(CallSelector::Steps)
        } else if !names(&self.users, Some(principal.user.as_str())) {
            Some(CallSelector::Users)
        } else if !names(&self.tenants, Some(principal.tenant.as_str())) {
            Some(CallSelector::Tenants)
        } else {
            None
        }
    }
}

/// How a person is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalTerms {
    /// Who must say yes, with signed answers only; `None` where anybody who is asked may.
    pub quorum: Option<Quorum>,
    /// How long the question stands.
    pub expires: Option<Duration>,
    /// Alternatives for "yes for this task": each a list of argument pointers that are pinned.
    pub remember: Vec<Vec<String>>,
}

/// What a rule demands of the place where a call runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Environment {
    /// At least this sandbox.
    pub sandbox: Option<SandboxLevel>,
    /// The network.
    pub network: Option<NetworkRule>,
}

impl Environment {
    /// The stricter of each demand.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        // Both enumerations are ordered from weakest to strictest, and `None` sorts below every demand.
        Self { sandbox: self.sandbox.max(other.sandbox), network: self.network.max(other.network) }
    }
}

/// A credential limited to some tools and agents. Where a credential has several limits, one of them must hold.
#[derive(Debug, Clone)]
pub struct CredentialLimit {
    /// The credential.
    pub credential: CredentialName,
    /// The tools that may use it; `None` means any.
    pub tools: Option<Vec<NamePattern>>,
    /// The agents that may use it; `None` means any.
    pub agents: Option<Vec<NamePattern>>,
    /// Where it is written.
    pub location: Location,
}

/// What a policy lets an agent see.
#[derive(Debug, Clone)]
pub struct AgentEntry {
    /// The versions meant; others count as unlisted.
    pub versions: Option<VersionRequirement>,
    /// The tools it sees; `None` means any.
    pub tools: Option<Vec<NamePattern>>,
    /// The permissions it holds; `None` means every one.
    pub permissions: Option<BTreeSet<Permission>>,
    /// Where it is written.
    pub location: Location,
}

/// What a user holds.
#[derive(Debug, Clone)]
pub struct UserEntry {
    /// The permissions of all of the user's roles.
    pub permissions: BTreeSet<Permission>,
    /// Where it is written.
    pub location: Location,
}

/// What a step shows.
#[derive(Debug, Clone)]
pub struct StepEntry {
    /// The tools it shows; `None` means any.
    pub tools: Option<Vec<NamePattern>>,
    /// The risks it shows; `None` means any.
    pub risks: Option<Vec<Risk>>,
    /// What must be before a task enters it.
    pub enter: Option<Gate>,
    /// Where it is written.
    pub location: Location,
}

/// One valid policy file.
#[derive(Debug)]
pub struct PolicyDocument {
    /// The name shown to a person.
    pub name: Arc<str>,
    /// The verdict where no rule matches.
    pub default_verdict: Verdict,
    /// The agents, where the file lists them.
    pub agents: Option<BTreeMap<AgentName, AgentEntry>>,
    /// The users, where the file lists them.
    pub users: Option<BTreeMap<UserName, UserEntry>>,
    /// The steps, where the file lists them.
    pub steps: Option<BTreeMap<StepName, StepEntry>>,
    /// The step that a task starts in.
    pub initial_step: Option<StepName>,
    /// The members of each group of approvers.
    pub approvers: BTreeMap<String, Vec<UserName>>,
    /// The program that is told of each question that is stored, with its arguments; empty where there is none.
    pub notify: Vec<String>,
    /// Personal data that is hidden from results.
    pub personal: PersonalData,
    /// Credentials that are limited.
    pub credentials: Vec<CredentialLimit>,
    /// The rules, in file order.
    pub rules: Vec<Arc<Rule>>,
    /// The budgets, in file order.
    pub budgets: Vec<Arc<Budget>>,
}

/// What a rule's author expects of it.
#[derive(Debug, Clone, Default)]
pub struct RuleExamples {
    /// Calls that the rule counts for.
    pub matching: Vec<RuleExample>,
    /// Calls that it does not count for.
    pub not_matching: Vec<RuleExample>,
}

/// One example call.
#[derive(Debug, Clone)]
pub struct RuleExample {
    /// The tool.
    pub tool: ToolName,
    /// Its arguments; an object. Those left out take the schema's defaults.
    pub arguments: Value,
    /// The provenance of arguments, by pointer.
    pub provenance: BTreeMap<String, &'static str>,
    /// The user, where it matters.
    pub user: Option<UserName>,
    /// The agent, where it matters.
    pub agent: Option<AgentName>,
    /// The step, where it matters.
    pub step: Option<StepName>,
    /// The task's data, where it matters.
    pub data: Map<String, Value>,
    /// The facts, where they matter.
    pub facts: Map<String, Value>,
    /// Where it is written.
    pub span: Span,
}
