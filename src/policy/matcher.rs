//! The index: which rules can concern a tool, with their conditions compiled for it.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::catalog::Contract;
use crate::diagnostic::{Diagnostic, Report, SourceMap, nearest};
use crate::ident::ToolName;

use super::Verdict;
use super::conditions::{Clause, Compiler, ToolArguments};
use super::document::{CallSelector, Rule};
use super::facts::{RuleBindings, tool_value};
use super::load::CatalogFit;
use super::rules::RuleSource;

/// The rules of every tool. Rules that cannot concern a tool cost its calls nothing.
#[derive(Debug)]
pub(super) struct Index {
    tools: HashMap<ToolName, ToolRules>,
}

/// The rules that can concern one tool.
#[derive(Debug)]
pub(super) struct ToolRules {
    contract: Arc<Contract>,
    /// What `tool` is in conditions.
    pub(super) value: Value,
    /// By file, in the order of the files.
    pub(super) files: Vec<FileRules>,
}

/// The rules of one file that can concern one tool.
#[derive(Debug, Default)]
pub(super) struct FileRules {
    pub(super) rules: Vec<ToolRule>,
    /// Rules that select the tool but read this argument, which it does not declare.
    pub(super) inapplicable: Vec<(Arc<Rule>, Arc<str>)>,
}

/// One rule on one tool.
#[derive(Debug)]
pub(super) struct ToolRule {
    pub(super) rule: Arc<Rule>,
    pub(super) when: Clause,
    pub(super) unless: Clause,
    /// The alternatives of `remember` whose pointers the tool declares.
    pub(super) remember: Option<Arc<[Vec<String>]>>,
}

/// What became of a rule on a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Consideration {
    /// It counts.
    Counts,
    /// It counts because a condition could not be evaluated.
    CountsByFailure(String),
    /// It allows, and so does not count because a condition could not be evaluated.
    Withdrawn(String),
    /// A selector leaves the call out.
    LeftOut(CallSelector),
    /// Its `when` is false.
    WhenFalse,
    /// Its `unless` is true.
    UnlessTrue,
}

impl Index {
    /// Compiles the rules of every file for every tool of the catalog.
    pub(super) fn build(
        files: &[(Vec<RuleSource<'_>>, CatalogFit)],
        contracts: &[Arc<Contract>],
        sources: &SourceMap,
        report: &mut Report,
    ) -> Self {
        let arguments: Vec<ToolArguments> = contracts.iter().map(|c| ToolArguments::of(c)).collect();
        let mut tools: Vec<ToolRules> = contracts
            .iter()
            .map(|contract| ToolRules {
                contract: Arc::clone(contract),
                value: tool_value(contract),
                files: files.iter().map(|_| FileRules::default()).collect(),
            })
            .collect();
        for (at, (rules, fit)) in files.iter().enumerate() {
            let compiler = Compiler { sources, fit: *fit };
            for source in rules {
                let mut selected = Vec::new();
                let mut selected_arguments = Vec::new();
                for (tool, arguments) in tools.iter_mut().zip(&arguments) {
                    if source.rule.selectors.select_tool(&tool.contract)
                        && let Some(file) = tool.files.get_mut(at)
                    {
                        selected.push(file);
                        selected_arguments.push(arguments);
                    }
                }
                add_rule(source, &compiler, selected, &selected_arguments, report);
            }
        }
        Self { tools: tools.into_iter().map(|tool| (tool.contract.name.clone(), tool)).collect() }
    }

    /// The rules of a tool, where the policy was loaded for this very contract.
    pub(super) fn get(&self, contract: &Contract) -> Option<&ToolRules> {
        self.tools.get(contract.name.as_str()).filter(|tool| tool.contract.digest == contract.digest)
    }
}

/// Adds one rule to each tool that it selects.
fn add_rule(
    source: &RuleSource<'_>,
    compiler: &Compiler<'_>,
    selected: Vec<&mut FileRules>,
    arguments: &[&ToolArguments],
    report: &mut Report,
) {
    let rule = &source.rule;
    if selected.is_empty() && compiler.fit == CatalogFit::Exact {
        report.push(Diagnostic::warning(source.span, format!("the rule `{}` selects no tool", rule.id)));
    }
    check_remember(source, compiler.fit, arguments, report);
    let when = compiler.clauses(source.when, arguments, report);
    let unless = compiler.clauses(source.unless, arguments, report);
    let (Some(when), Some(unless)) = (when, unless) else { return };
    for (((file, arguments), when), unless) in selected.into_iter().zip(arguments).zip(when).zip(unless) {
        let undeclared = match (&when, &unless, rule.verdict) {
            (Clause::Undeclared(argument), _, _) | (_, Clause::Undeclared(argument), Verdict::Allow) => {
                Some(Arc::clone(argument))
            }
            // An exception that cannot be evaluated on this tool does not exempt it.
            _ => None,
        };
        match undeclared {
            Some(argument) => file.inapplicable.push((Arc::clone(rule), argument)),
            None => {
                let remember = remembered(rule, arguments);
                file.rules.push(ToolRule { rule: Arc::clone(rule), when, unless, remember });
            }
        }
    }
}

/// An alternative whose pointers no selected tool declares all of can never be offered.
fn check_remember(
    source: &RuleSource<'_>,
    fit: CatalogFit,
    arguments: &[&ToolArguments],
    report: &mut Report,
) {
    if fit == CatalogFit::Any || arguments.is_empty() {
        return;
    }
    for (pins, span) in source.rule.approval.remember.iter().zip(&source.remember) {
        if !arguments.iter().any(|tool| offers(tool, pins)) {
            let shown = pins.join("`, `");
            let unknown = pins.iter().find(|pin| !arguments.iter().any(|tool| tool.declares_pointer(pin)));
            let meant = unknown.and_then(|pin| {
                let word = pin.strip_prefix('/')?;
                nearest(word, arguments.iter().flat_map(|tool| tool.names()))
            });
            let question = meant.map(|meant| format!("did you mean `/{meant}`? ")).unwrap_or_default();
            report.push(
                Diagnostic::error(*span, format!("no tool that this rule selects declares `{shown}`"))
                    .with_hint(format!(
                        "{question}an alternative is offered only for tools that declare every argument it pins"
                    )),
            );
        }
    }
}

fn offers(tool: &ToolArguments, pins: &[String]) -> bool {
    pins.iter().all(|pointer| tool.declares_pointer(pointer))
}

fn remembered(rule: &Rule, tool: &ToolArguments) -> Option<Arc<[Vec<String>]>> {
    let offered: Vec<_> = rule.approval.remember.iter().filter(|pins| offers(tool, pins)).cloned().collect();
    (!offered.is_empty()).then(|| offered.into())
}

impl ToolRule {
    /// Whether the rule counts for a call. Selectors are asked first, since they cost least.
    pub(super) fn consider(&self, bindings: &RuleBindings<'_>) -> Consideration {
        let facts = bindings.facts;
        if let Some(selector) = self.rule.selectors.leave_out(facts.principal, facts.step) {
            return Consideration::LeftOut(selector);
        }
        let failure = match holds(&self.when, bindings) {
            Ok(Some(false)) => return Consideration::WhenFalse,
            Ok(Some(true) | None) => None,
            Err(problem) => Some(format!("`when` cannot be evaluated: {problem}")),
        };
        let failure = match (holds(&self.unless, bindings), failure) {
            (Ok(Some(true)), _) => return Consideration::UnlessTrue,
            (Ok(Some(false) | None), failure) | (Err(_), failure @ Some(_)) => failure,
            (Err(problem), None) => Some(format!("`unless` cannot be evaluated: {problem}")),
        };
        match (failure, self.rule.verdict) {
            (None, _) => Consideration::Counts,
            (Some(failure), Verdict::Allow) => Consideration::Withdrawn(failure),
            (Some(failure), Verdict::RequireApproval | Verdict::Deny) => {
                Consideration::CountsByFailure(failure)
            }
        }
    }
}

/// Whether a clause holds; `None` where there is none.
fn holds(clause: &Clause, bindings: &RuleBindings<'_>) -> Result<Option<bool>, String> {
    match clause {
        Clause::Absent | Clause::Undeclared(_) => Ok(None),
        Clause::Checked(expression) => {
            expression.evaluate_bool(bindings).map(Some).map_err(|error| error.to_string())
        }
        Clause::Unusable(problem) => Err(problem.as_ref().to_owned()),
    }
}
