//! The decision: a pure function of a validated call, a policy and facts.

use std::sync::Arc;

use crate::catalog::Contract;
use crate::validate::ValidatedCall;

use super::decision::{Decision, DefaultVerdict, RuleOutcome, Verdict, Withheld};
use super::facts::{Facts, RuleBindings};
use super::matcher::{Consideration, ToolRule};
use super::{Environment, Policy};

/// Decides a call.
///
/// Every rule that selects the call, whose `when` is true and whose `unless` is not, counts; the strictest verdict wins,
/// whatever the order. A condition that cannot be evaluated counts against the call. With no match, the file's default
/// decides, which is [`Verdict::Deny`] unless stated: silence is not permission. A contract that the policy was not
/// loaded for is denied, and so is a call with a credential that a file keeps from its tool or agent. Where a path passes
/// through a symbolic link, the place that it leads to is decided about as well, and so is the place that a link leads to
/// which the call moves or deletes; the strictest of all wins.
pub fn decide(policy: &Policy, call: &ValidatedCall, facts: &Facts<'_>) -> Decision {
    let decision = decide_arguments(policy, call.contract(), call.arguments(), facts);
    [call.led_arguments(), call.link_target_arguments()]
        .into_iter()
        .flatten()
        .fold(decision, |decision, led| decision.join(decide_arguments(policy, call.contract(), &led, facts)))
        .withholding(policy.withheld(&call.plan().credentials(), call.contract(), facts.principal))
}

/// Decides for arguments that hold.
pub(super) fn decide_arguments(
    policy: &Policy,
    contract: &Contract,
    arguments: &serde_json::Value,
    facts: &Facts<'_>,
) -> Decision {
    let Some(tool) = policy.index().get(contract) else { return Decision::uncovered() };
    let bindings = RuleBindings { arguments, tool: &tool.value, facts, provenance: None };
    let mut tally = Tally::default();
    let reserved = contract.name.is_reserved();
    if reserved {
        tally.raise(Verdict::Allow);
    }
    for (document, file) in policy.documents().iter().zip(&tool.files) {
        let mut silent = true;
        for rule in &file.rules {
            match rule.consider(&bindings) {
                Consideration::Counts => tally.count(rule, None),
                Consideration::CountsByFailure(problem) => tally.count(rule, Some(problem)),
                Consideration::Withdrawn(_)
                | Consideration::LeftOut(_)
                | Consideration::WhenFalse
                | Consideration::UnlessTrue => continue,
            }
            silent = false;
        }
        if silent && !reserved {
            tally.fall_back(&document.name, document.default_verdict);
        }
    }
    tally.finish()
}

/// What was found so far: only what the strictest verdict rests on is kept.
#[derive(Debug, Default)]
struct Tally {
    verdict: Option<Verdict>,
    determined_by: Vec<RuleOutcome>,
    defaults: Vec<DefaultVerdict>,
    environment: Environment,
}

impl Tally {
    fn count(&mut self, rule: &ToolRule, error: Option<String>) {
        self.environment = self.environment.join(rule.rule.environment);
        if self.raise(rule.rule.verdict) {
            let remember = rule.remember.clone();
            self.determined_by.push(RuleOutcome { rule: Arc::clone(&rule.rule), error, remember });
        }
    }

    fn fall_back(&mut self, file: &Arc<str>, verdict: Verdict) {
        if self.raise(verdict) {
            self.defaults.push(DefaultVerdict { file: Arc::clone(file), verdict });
        }
    }

    /// Takes a verdict in, and returns whether it is the strictest so far.
    fn raise(&mut self, verdict: Verdict) -> bool {
        if self.verdict.is_none_or(|strictest| verdict > strictest) {
            self.verdict = Some(verdict);
            self.determined_by.clear();
            self.defaults.clear();
        }
        self.verdict == Some(verdict)
    }

    fn finish(self) -> Decision {
        let Some(verdict) = self.verdict else { return Decision::uncovered() };
        Decision {
            verdict,
            determined_by: self.determined_by,
            defaults: self.defaults,
            withheld: Vec::new(),
            environment: self.environment,
        }
    }
}

impl Decision {
    /// The strictest of two decisions about one call.
    fn join(mut self, other: Self) -> Self {
        let environment = self.environment.join(other.environment);
        match other.verdict.cmp(&self.verdict) {
            std::cmp::Ordering::Greater => self = other,
            std::cmp::Ordering::Equal => {
                let new = |outcome: &RuleOutcome| !self.determined_by.iter().any(|known| known == outcome);
                let added: Vec<RuleOutcome> = other.determined_by.into_iter().filter(new).collect();
                self.determined_by.extend(added);
            }
            std::cmp::Ordering::Less => {}
        }
        self.environment = environment;
        self
    }

    /// The decision with the credentials that the call may not have: the strictest verdict, and what it now rests on.
    fn withholding(mut self, withheld: Vec<Withheld>) -> Self {
        if withheld.is_empty() {
            return self;
        }
        if self.verdict != Verdict::Deny {
            self.verdict = Verdict::Deny;
            self.determined_by.clear();
            self.defaults.clear();
        }
        self.withheld = withheld;
        self
    }

    /// The decision where no policy speaks.
    fn uncovered() -> Self {
        Self {
            verdict: Verdict::Deny,
            determined_by: Vec::new(),
            defaults: Vec::new(),
            withheld: Vec::new(),
            environment: Environment::default(),
        }
    }
}

#[cfg(test)]
mod tests;
