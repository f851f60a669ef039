//! Why each rule about a tool counted or not: what `tgw check` shows.

use std::sync::Arc;

use serde_json::Value;

use crate::catalog::Contract;
use crate::validate::ValidatedCall;

use super::conditions::Clause;
use super::document::CallSelector;
use super::facts::{Facts, RuleBindings};
use super::matcher::{Consideration, ToolRule};
use super::{Policy, Rule};

/// What became of one rule on one call.
#[derive(Debug, Clone)]
pub struct RuleExplanation {
    /// The rule, with its text and place.
    pub rule: Arc<Rule>,
    /// Whether it counted, and why not.
    pub outcome: RuleVerdict,
    /// What its conditions read, as written, with the values found. Empty where no condition was evaluated. The values
    /// are not redacted.
    pub values: Vec<(String, String)>,
}

/// Whether a rule counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleVerdict {
    /// It counted.
    Counted,
    /// It counted because a condition could not be evaluated, for this reason.
    CountedByFailure(String),
    /// It allows and did not count because a condition could not be evaluated, for this reason.
    NotCountedByFailure(String),
    /// A selector leaves the call out.
    NotSelected(CallSelector),
    /// It reads this argument, which the tool does not declare.
    NotApplicable(String),
    /// Its `when` is false.
    WhenFalse,
    /// Its `unless` is true.
    UnlessTrue,
}

impl RuleVerdict {
    /// Whether the rule had a say.
    #[must_use]
    pub fn counted(&self) -> bool {
        match self {
            Self::Counted | Self::CountedByFailure(_) => true,
            Self::NotCountedByFailure(_)
            | Self::NotSelected(_)
            | Self::NotApplicable(_)
            | Self::WhenFalse
            | Self::UnlessTrue => false,
        }
    }
}

impl std::fmt::Display for RuleVerdict {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Counted => formatter.write_str("counted"),
            Self::CountedByFailure(problem) => write!(formatter, "counted, read strictly: {problem}"),
            Self::NotCountedByFailure(problem) => {
                write!(formatter, "did not count, read strictly: {problem}")
            }
            Self::NotSelected(selector) => write!(formatter, "`{}` leaves this call out", selector.as_str()),
            Self::NotApplicable(argument) => write!(formatter, "the tool does not declare `{argument}`"),
            Self::WhenFalse => formatter.write_str("`when` is false"),
            Self::UnlessTrue => formatter.write_str("`unless` is true"),
        }
    }
}

/// Explains every rule that can concern the call's tool, in file order: the ones that apply first, then the others.
///
/// A rule that counts only for the place that a path leads to is explained for that place.
#[must_use]
pub fn explain(policy: &Policy, call: &ValidatedCall, facts: &Facts<'_>) -> Vec<RuleExplanation> {
    let mut explanations = explain_arguments(policy, call.contract(), call.arguments(), facts);
    for led in [call.led_arguments(), call.link_target_arguments()].into_iter().flatten() {
        // The same rules in the same order.
        let for_place = explain_arguments(policy, call.contract(), &led, facts);
        for (known, for_place) in explanations.iter_mut().zip(for_place) {
            if !known.outcome.counted() && for_place.outcome.counted() {
                *known = for_place;
            }
        }
    }
    explanations
}

/// Explains for arguments that hold.
pub(super) fn explain_arguments(
    policy: &Policy,
    contract: &Contract,
    arguments: &Value,
    facts: &Facts<'_>,
) -> Vec<RuleExplanation> {
    let Some(tool) = policy.index().get(contract) else { return Vec::new() };
    let bindings = RuleBindings { arguments, tool: &tool.value, facts, provenance: None };
    let mut explanations = Vec::new();
    for file in &tool.files {
        explanations.extend(file.rules.iter().map(|rule| explain_rule(rule, &bindings)));
        explanations.extend(file.inapplicable.iter().map(|(rule, argument)| RuleExplanation {
            rule: Arc::clone(rule),
            outcome: RuleVerdict::NotApplicable(argument.as_ref().to_owned()),
            values: Vec::new(),
        }));
    }
    explanations
}

fn explain_rule(rule: &ToolRule, bindings: &RuleBindings<'_>) -> RuleExplanation {
    let consideration = rule.consider(bindings);
    let clauses: &[&Clause] = match &consideration {
        Consideration::LeftOut(_) => &[],
        Consideration::WhenFalse => &[&rule.when],
        Consideration::Counts
        | Consideration::CountsByFailure(_)
        | Consideration::Withdrawn(_)
        | Consideration::UnlessTrue => &[&rule.when, &rule.unless],
    };
    let mut values: Vec<(String, String)> = Vec::new();
    for expression in clauses.iter().filter_map(|clause| clause.expression()) {
        for (read, value) in expression.trace(bindings) {
            if !values.iter().any(|(known, _)| *known == read) {
                values.push((read, value));
            }
        }
    }
    let outcome = match consideration {
        Consideration::Counts => RuleVerdict::Counted,
        Consideration::CountsByFailure(problem) => RuleVerdict::CountedByFailure(problem),
        Consideration::Withdrawn(problem) => RuleVerdict::NotCountedByFailure(problem),
        Consideration::LeftOut(selector) => RuleVerdict::NotSelected(selector),
        Consideration::WhenFalse => RuleVerdict::WhenFalse,
        Consideration::UnlessTrue => RuleVerdict::UnlessTrue,
    };
    RuleExplanation { rule: Arc::clone(&rule.rule), outcome, values }
}
