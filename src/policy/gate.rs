//! The gate of a step: what must hold, and who must say yes, before a task enters it.

use std::borrow::Cow;

use serde_json::Value;

use crate::diagnostic::{Diagnostic, Location, Report};
use crate::document::{Fields, Node};
use crate::expression::{Bindings, Declarations, Expression, Functions, Syntax};
use crate::ident::{RuleId, StepName};

use super::conditions::Compiler;
use super::facts::{Facts, gate_variables};
use super::rules::{condition, text_of};
use super::sections::Context;
use super::terms::approval;
use super::{ApprovalDemand, ApprovalTerms, Policy, Quorum};

/// The gate of a step in one file.
#[derive(Debug, Clone)]
pub struct Gate {
    /// What must hold.
    pub when: Option<Expression>,
    /// How a person is asked.
    pub approval: Option<ApprovalTerms>,
    /// Where it is written.
    pub location: Location,
}

/// What the gates of a step say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entrance {
    /// The task may enter.
    Open,
    /// A person must say so, or several: each file's gate has a demand of its own.
    Ask(ApprovalDemand),
    /// It may not, for this reason.
    Closed(String),
}

/// Reads `enter`.
pub(super) fn gate(node: &Node, context: Context<'_>, report: &mut Report) -> Option<Gate> {
    let mut fields = Fields::of(node, "`enter`", report)?;
    let stated = ["when", "approval"].map(|key| fields.entry(key).is_some());
    if stated == [false, false] {
        report.push(
            Diagnostic::error(node.span, "this gate demands nothing")
                .with_hint("add `when` or `approval`, or take `enter` out"),
        );
    }
    let when = condition("when", &mut fields, report).and_then(|node| compile(node, context, report));
    let asker = RuleId::parse("enter").ok();
    let terms =
        fields.value("approval", report).and_then(|node| approval(node, asker.as_ref(), context, report));
    fields.finish(report);
    let (terms, remember) = terms.map_or((None, Vec::new()), |(terms, remember)| (Some(terms), remember));
    if let Some(span) = remember.first() {
        report.push(
            Diagnostic::error(
                *span,
                "a yes to entering a step is for this one time and cannot be remembered",
            )
            .with_hint("take out `remember`"),
        );
    }
    Some(Gate { when, approval: terms, location: context.locate(node.span) })
}

fn compile(node: &Node, context: Context<'_>, report: &mut Report) -> Option<Expression> {
    let declarations = Declarations { variables: gate_variables(), functions: Functions::Plain };
    let checked = Syntax::parse(text_of(node)?)
        .and_then(|syntax| syntax.check(&declarations, &crate::expression::Type::Bool));
    match checked {
        Ok(expression) => Some(expression),
        Err(errors) => {
            let compiler = Compiler { sources: context.sources, fit: context.fit };
            errors.into_iter().for_each(|error| report.push(compiler.diagnostic(node, error, &[])));
            None
        }
    }
}

impl Policy {
    /// The gates of a step, in the order of the files.
    pub fn gates<'p>(&'p self, step: &'p StepName) -> impl Iterator<Item = &'p Gate> {
        self.documents().iter().filter_map(|document| document.steps.as_ref()?.get(step)?.enter.as_ref())
    }

    /// Every demand for signed answers, of rules and of gates, with its place.
    pub fn quorums(&self) -> impl Iterator<Item = (&Quorum, &Location)> {
        self.documents().iter().flat_map(|document| {
            let rules = document.rules.iter().map(|rule| (&rule.approval, &rule.location));
            let gates = document.steps.iter().flat_map(|steps| steps.values());
            let gates = gates.filter_map(|step| step.enter.as_ref());
            let gates = gates.filter_map(|gate| Some((gate.approval.as_ref()?, &gate.location)));
            rules.chain(gates).filter_map(|(terms, location)| Some((terms.quorum.as_ref()?, location)))
        })
    }

    /// What the gates of a step say to a task; in `facts` its step is the one that it leaves. A condition that cannot be
    /// evaluated keeps the gate closed. Where several files have a gate each must open: the answers that one takes say
    /// nothing of another, and the shortest expiry counts.
    #[must_use]
    pub fn entrance(&self, step: &StepName, facts: &Facts<'_>) -> Entrance {
        let mut asked: Option<ApprovalDemand> = None;
        for gate in self.gates(step) {
            if let Some(when) = &gate.when {
                let condition = || format!("the step `{step}` is entered when `{}`", when.source().trim());
                match when.evaluate_bool(&GateBindings(facts)) {
                    Ok(true) => {}
                    Ok(false) => return Entrance::Closed(format!("{}, and that does not hold", condition())),
                    Err(error) => {
                        return Entrance::Closed(format!(
                            "{}, which cannot be evaluated: {error}",
                            condition()
                        ));
                    }
                }
            }
            if let Some(terms) = &gate.approval {
                let asked = asked.get_or_insert_default();
                asked.quorums.extend(terms.quorum.clone());
                asked.expires = asked.expires.into_iter().chain(terms.expires).min();
            }
        }
        asked.map_or(Entrance::Open, Entrance::Ask)
    }
}

/// The variables of a gate's condition, in the order of [`gate_variables`].
struct GateBindings<'a>(&'a Facts<'a>);

impl Bindings for GateBindings<'_> {
    fn variable(&self, slot: usize) -> Option<Cow<'_, Value>> {
        self.0.named(slot).map(Cow::Borrowed)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::policy::testing::{Caller, TOOLS, catalog, policy};

    fn entrance(files: &[&str], caller: &Caller) -> Entrance {
        let catalog = catalog(TOOLS);
        policy(&catalog, files).entrance(&StepName::parse("act").unwrap(), &caller.facts())
    }

    fn gated(enter: &str) -> String {
        format!("version: 1\nsteps: {{look: {{}}, act: {{enter: {enter}}}}}\n")
    }

    #[test]
    fn a_step_without_a_gate_is_open() {
        assert_eq!(entrance(&["version: 1\nsteps: {act: {}}\n"], &Caller::default()), Entrance::Open);
    }

    #[test]
    fn a_condition_that_does_not_hold_or_cannot_be_evaluated_keeps_the_gate_closed() {
        let mut caller = Caller::default();
        caller.task.data = json!({"n": 0, "list": [1]});
        caller.step = Some(StepName::parse("look").unwrap());
        let cases = [
            ("task.data.n == 0 && step == \"look\"", true),
            ("user == \"ann\" && tenant == \"local\" && agent.name == \"default\"", true),
            ("facts.sandbox == \"confined\"", true),
            ("task.data.n == 1", false),
            ("step == \"act\"", false),
            ("1 / task.data.n == 1", false),
            ("task.data.missing == 1", false),
        ];
        for (when, opens) in cases {
            let found = entrance(&[&gated(&format!("{{when: '{when}'}}"))], &caller);
            assert_eq!(found == Entrance::Open, opens, "{when}: {found:?}");
            assert!(opens || matches!(found, Entrance::Closed(_)), "{when}: {found:?}");
        }
    }

    #[test]
    fn every_gate_must_open_and_each_has_answers_of_its_own() {
        let (open, closed) = (gated("{when: 'true'}"), gated("{when: 'false'}"));
        let asks = gated("{approval: {expires: 2h, count: 2}}");
        let asks_soon = gated("{when: 'true', approval: {expires: 1h, not_requester: true}}");
        let caller = Caller::default();
        for files in [[&*open, &closed], [&closed, &open], [&asks, &closed]] {
            assert!(matches!(entrance(&files, &caller), Entrance::Closed(_)));
        }
        let Entrance::Ask(demand) = entrance(&[&asks, &asks_soon], &caller) else { panic!() };
        let quorums = demand.quorums.iter().map(|quorum| (quorum.count, quorum.not_requester));
        assert_eq!(quorums.collect::<Vec<_>>(), [(2, false), (1, true)]);
        assert_eq!(demand.expires, Some(Duration::from_secs(3600)));
    }
}
