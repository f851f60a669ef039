//! Deciding without running: the same stages as a run, and nothing is recorded, asked or changed.

use serde::Serialize;
use serde_json::Value;

use crate::catalog::{Contract, NetworkRule, SandboxLevel};
use crate::clock::Timestamp;
use crate::code::{CallError, ErrorCode, Violation};
use crate::execute::resolve_profile;
use crate::policy::{Decision, DefaultVerdict, RuleExplanation, Verdict, Weighed, decide, explain, weigh};
use crate::validate::{Plan, Timing, ValidatedCall, validate};
use crate::wire::CallRequest;

use super::Gateway;
use super::run::starts_program;

/// What would be decided about a call.
pub struct Check {
    /// The call's id.
    pub id: String,
    /// The tool as the call wrote it.
    pub tool: Option<String>,
    /// How far it got.
    pub stage: Stage,
}

/// How far a call got, with what is known there.
pub enum Stage {
    /// It was refused before the policy was asked, or although the policy does not deny it.
    Refused {
        /// Why.
        error: CallError,
    },
    /// The policy was asked.
    Decided {
        /// The call.
        call: Box<ValidatedCall>,
        /// What it said.
        decision: Box<Decision>,
        /// What it would take from budgets, and what others have taken. Looking takes nothing.
        budgets: Vec<Weighed>,
        /// The budget that it would go over and may not.
        exceeded: Option<CallError>,
        /// Where it would run, for a call that starts a program.
        place: Option<Result<(SandboxLevel, NetworkRule), CallError>>,
    },
}

impl Gateway<'_> {
    /// Decides a call and runs nothing.
    #[must_use]
    pub fn check(&self, request: CallRequest) -> Check {
        let (id, tool) = (request.id.to_string(), Some(request.name.clone()));
        let refused = |error| Check { id: id.clone(), tool: tool.clone(), stage: Stage::Refused { error } };
        if let Err(error) = self.catch_up() {
            return refused(error);
        }
        let resolved = match self.session.catalog.resolve(request, self.here().scope) {
            Ok(resolved) => resolved,
            Err(unresolved) => return refused(unresolved.error),
        };
        let call = match self.validating(Timing::Now, |context| validate(resolved, context)) {
            Ok(call) => call,
            Err(rejected) => return refused(rejected.error),
        };
        let decision = decide(&self.session.policy, &call, &self.facts());
        let budgets = match decision.verdict {
            Verdict::Deny => Vec::new(),
            Verdict::Allow | Verdict::RequireApproval => match self.weighed(&call) {
                Ok(weighed) => weighed,
                Err(error) => return refused(error),
            },
        };
        let (decision, exceeded) = match weigh(decision, &budgets) {
            Ok(decision) => (decision, None),
            Err(over) => (over.0, Some(over.1)),
        };
        if exceeded.is_some() {
            let (call, decision) = (Box::new(call), Box::new(decision));
            return Check {
                id,
                tool,
                stage: Stage::Decided { call, decision, budgets, exceeded, place: None },
            };
        }
        if decision.verdict != Verdict::Deny
            && let Some(error) = call.obstacle()
        {
            return refused(error.clone());
        }
        // What a folder takes along has a say in whether it may be moved or deleted.
        if decision.verdict != Verdict::Deny
            && call.contract().acts_on_names()
            && let Err(error) = self.preview(&call, &decision)
        {
            return refused(error);
        }
        let place = starts_program(call.plan()).then(|| {
            resolve_profile(call.contract(), &decision.environment, self.session.capability())
                .map(|profile| (profile.level(), profile.network()))
        });
        Check {
            id,
            tool,
            stage: Stage::Decided {
                call: Box::new(call),
                decision: Box::new(decision),
                budgets,
                exceeded,
                place,
            },
        }
    }

    /// Every rule that was considered for a call, and why it counted or not. Values are redacted.
    #[must_use]
    pub fn explain(&self, call: &ValidatedCall) -> Vec<RuleExplanation> {
        explain(&self.session.policy, call, &self.facts())
    }
}

/// The line of one check.
#[derive(Serialize)]
struct CheckLine<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<ErrorCode>,
    rules: Vec<RuleLine<'a>>,
    #[serde(skip_serializing_if = "<[DefaultVerdict]>::is_empty")]
    defaults: &'a [DefaultVerdict],
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    #[serde(skip_serializing_if = "<[Violation]>::is_empty")]
    violations: &'a [Violation],
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    would_run: Option<WouldRun<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    budgets: Vec<BudgetLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preconditions: Option<&'static str>,
}

/// What a call would take from a budget, and what is used of it.
#[derive(Serialize)]
struct BudgetLine<'a> {
    id: &'a str,
    per: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    limit: u64,
    used: u64,
    takes: u64,
    over: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    frees: Option<String>,
}

#[derive(Serialize)]
struct RuleLine<'a> {
    id: &'a str,
    verdict: Verdict,
    file: &'a str,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// What would run where.
#[derive(Serialize)]
struct WouldRun<'a> {
    #[serde(flatten)]
    plan: &'a Plan,
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<SandboxLevel>,
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<NetworkRule>,
}

impl Check {
    /// What would be said of something that is no call.
    #[must_use]
    pub fn refused(id: String, tool: Option<String>, error: CallError) -> Self {
        Self { id, tool, stage: Stage::Refused { error } }
    }

    /// The contract, where the call got that far.
    #[must_use]
    pub fn contract(&self) -> Option<&Contract> {
        match &self.stage {
            Stage::Refused { .. } => None,
            Stage::Decided { call, .. } => Some(call.contract()),
        }
    }

    /// Appends the check as one line of JSON.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let reason;
        let line = match &self.stage {
            Stage::Refused { error } => CheckLine {
                id: &self.id,
                tool: self.tool.as_deref(),
                verdict: Verdict::Deny,
                code: Some(error.code),
                rules: Vec::new(),
                defaults: &[],
                reason: &error.message,
                hint: error.hint.as_deref(),
                violations: &error.violations,
                arguments: None,
                would_run: None,
                budgets: Vec::new(),
                preconditions: None,
            },
            Stage::Decided { call, decision, budgets, exceeded, place } => {
                reason = decision.reason();
                let unplaced =
                    exceeded.as_ref().or_else(|| place.as_ref().and_then(|place| place.as_ref().err()));
                let placed = place.as_ref().and_then(|place| place.as_ref().ok());
                let code = match (decision.verdict, unplaced) {
                    (Verdict::Deny, _) => Some(ErrorCode::PermissionDenied),
                    (_, Some(error)) => Some(error.code),
                    (Verdict::RequireApproval, None) => Some(ErrorCode::ApprovalRequired),
                    (Verdict::Allow, None) => None,
                };
                CheckLine {
                    id: &self.id,
                    tool: self.tool.as_deref(),
                    verdict: if exceeded.is_some() { Verdict::Deny } else { decision.verdict },
                    code,
                    rules: rule_lines(decision),
                    defaults: &decision.defaults,
                    reason: unplaced.map_or(reason.as_str(), |error| error.message.as_str()),
                    hint: unplaced.and_then(|error| error.hint.as_deref()),
                    violations: &[],
                    arguments: Some(call.arguments()),
                    would_run: Some(WouldRun {
                        plan: call.plan(),
                        sandbox: placed.map(|(level, _)| *level),
                        network: placed.map(|(_, network)| *network),
                    }),
                    budgets: budgets.iter().map(budget_line).collect(),
                    preconditions: Some("not_evaluated"),
                }
            }
        };
        if serde_json::to_writer(&mut *out, &line).is_ok() {
            out.push(b'\n');
        }
    }
}

fn budget_line(weighed: &Weighed) -> BudgetLine<'_> {
    let budget = &weighed.charge.budget;
    BudgetLine {
        id: budget.rule.id.as_str(),
        per: budget.per.as_str(),
        group: weighed.charge.group.as_deref(),
        limit: budget.limit,
        used: weighed.used,
        takes: weighed.charge.amount,
        over: weighed.is_over(),
        frees: weighed.frees.map(Timestamp::rfc3339),
    }
}

fn rule_lines(decision: &Decision) -> Vec<RuleLine<'_>> {
    decision
        .determined_by
        .iter()
        .map(|outcome| RuleLine {
            id: outcome.id().as_str(),
            verdict: outcome.verdict(),
            file: &outcome.location().file,
            line: outcome.location().line,
            error: outcome.error(),
        })
        .collect()
}
