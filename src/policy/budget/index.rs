//! What a call takes from the budgets of a policy. Pure: what was taken before is another matter.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::catalog::Contract;
use crate::code::{CallError, ErrorCode, Retry};
use crate::diagnostic::{Diagnostic, Report, SourceMap, Span};
use crate::expression::Type;
use crate::ident::ToolName;
use crate::policy::Policy;
use crate::policy::conditions::{Clause, Compiler, ToolArguments};
use crate::policy::facts::{Facts, RuleBindings, tool_value};
use crate::policy::load::CatalogFit;
use crate::validate::ValidatedCall;

use super::document::{Budget, BudgetSource, MOST, Per};

/// Longest value of a `group`, in bytes of JSON.
const MOST_GROUP: usize = 256;

/// What one call takes from one budget.
#[derive(Debug, Clone)]
pub struct Charge {
    /// The budget.
    pub budget: Arc<Budget>,
    /// Whose it is: the task, agent, user or tenant of the call.
    pub subject: String,
    /// The value of its `group`, as JSON text.
    pub group: Option<String>,
    /// What the call takes.
    pub amount: u64,
}

/// The budgets of every tool that has one.
#[derive(Debug, Default)]
pub(in crate::policy) struct BudgetIndex {
    tools: HashMap<ToolName, ToolBudgets>,
}

#[derive(Debug)]
struct ToolBudgets {
    /// What `tool` is in expressions.
    value: Value,
    budgets: Vec<ToolBudget>,
}

#[derive(Debug)]
struct ToolBudget {
    budget: Arc<Budget>,
    sum: Clause,
    group: Clause,
}

impl BudgetIndex {
    /// Compiles the budgets of every file for every tool that they select.
    pub(in crate::policy) fn build(
        files: &[(Vec<BudgetSource<'_>>, CatalogFit)],
        contracts: &[Arc<Contract>],
        sources: &SourceMap,
        report: &mut Report,
    ) -> Self {
        let mut index = Self::default();
        for (budgets, fit) in files {
            let compiler = Compiler { sources, fit: *fit };
            for source in budgets {
                let selects = |contract: &&Arc<Contract>| source.budget.rule.selectors.select_tool(contract);
                let selected: Vec<&Arc<Contract>> = contracts.iter().filter(selects).collect();
                if selected.is_empty() && *fit == CatalogFit::Exact {
                    let message = format!("the budget `{}` selects no tool", source.budget.rule.id);
                    report.push(Diagnostic::warning(source.span, message));
                }
                index.add(source, &compiler, &selected, report);
            }
        }
        index
    }

    fn add(
        &mut self,
        source: &BudgetSource<'_>,
        compiler: &Compiler<'_>,
        selected: &[&Arc<Contract>],
        report: &mut Report,
    ) {
        let arguments: Vec<ToolArguments> =
            selected.iter().map(|contract| ToolArguments::of(contract)).collect();
        let arguments: Vec<&ToolArguments> = arguments.iter().collect();
        let sum = compiler.typed_clauses(source.sum, &arguments, &Type::Int, report);
        let group = compiler.typed_clauses(source.group, &arguments, &Type::Dynamic, report);
        let (Some(sums), Some(groups)) = (sum, group) else { return };
        for ((contract, sum), group) in selected.iter().zip(sums).zip(groups) {
            for (clause, node) in [(&sum, source.sum), (&group, source.group)] {
                let span = node.map_or(source.span, |node| node.span);
                check_clause(clause, contract, span, compiler.fit, report);
            }
            let tool = self.tools.entry(contract.name.clone());
            let tool =
                tool.or_insert_with(|| ToolBudgets { value: tool_value(contract), budgets: Vec::new() });
            tool.budgets.push(ToolBudget { budget: Arc::clone(&source.budget), sum, group });
        }
    }
}

/// A budget that cannot be computed for a tool that it selects would have to stop every call of it.
fn check_clause(clause: &Clause, contract: &Contract, span: Span, fit: CatalogFit, report: &mut Report) {
    let problem = match clause {
        Clause::Undeclared(argument) => {
            format!("the tool `{}` declares no argument `{argument}`", contract.name)
        }
        Clause::Checked(expression) if !may_be_scalar(expression.value_type()) => {
            "a budget is split by text, an integer or true and false".to_owned()
        }
        Clause::Absent | Clause::Checked(_) | Clause::Unusable(_) => return,
    };
    if fit != CatalogFit::Any {
        report.push(
            Diagnostic::error(span, problem)
                .with_hint("select the tools that the budget is about with `tools:`"),
        );
    }
}

fn may_be_scalar(value_type: &Type) -> bool {
    match value_type {
        Type::Dynamic | Type::Bool | Type::Int | Type::String | Type::OneOf(_) | Type::Path | Type::Url => {
            true
        }
        Type::Union(types) => types.iter().any(may_be_scalar),
        Type::Null | Type::Double | Type::List(_) | Type::Object(_) | Type::Optional(_) => false,
    }
}

impl Policy {
    /// What a call takes from each budget that it falls under, in file order.
    ///
    /// # Errors
    /// `BUDGET_EXCEEDED` where a budget cannot be computed for the call: what cannot be counted is not free.
    pub fn charges(&self, call: &ValidatedCall, facts: &Facts<'_>) -> Result<Vec<Charge>, CallError> {
        let Some(tool) = self.budget_index().tools.get(call.contract().name.as_str()) else {
            return Ok(Vec::new());
        };
        let bindings =
            RuleBindings { arguments: call.arguments(), tool: &tool.value, facts, provenance: None };
        let falls_under =
            |one: &&ToolBudget| one.budget.rule.selectors.leave_out(facts.principal, facts.step).is_none();
        tool.budgets
            .iter()
            .filter(falls_under)
            .map(|one| one.charge(&bindings).map_err(|problem| uncountable(&one.budget, &problem)))
            .collect()
    }

    /// The budgets of every file, in order.
    pub fn budgets(&self) -> impl Iterator<Item = &Arc<Budget>> {
        self.documents().iter().flat_map(|document| &document.budgets)
    }
}

impl ToolBudget {
    fn charge(&self, bindings: &RuleBindings<'_>) -> Result<Charge, String> {
        let amount = match evaluate(&self.sum, bindings)? {
            None => 1,
            Some(value) => value
                .as_u64()
                .filter(|amount| *amount <= MOST)
                .ok_or_else(|| format!("its sum is no whole number from 0 to {MOST}"))?,
        };
        let group = match evaluate(&self.group, bindings)? {
            None => None,
            Some(value @ (Value::String(_) | Value::Bool(_))) => Some(value.to_string()),
            Some(Value::Number(number)) if number.is_i64() || number.is_u64() => Some(number.to_string()),
            Some(_) => return Err("its group is neither text nor an integer nor true or false".to_owned()),
        };
        if group.as_ref().is_some_and(|group| group.len() > MOST_GROUP) {
            return Err(format!("its group is longer than {MOST_GROUP} bytes"));
        }
        let facts = bindings.facts;
        let subject = match self.budget.per {
            Per::Task => facts.task.id.as_str(),
            Per::Agent => facts.principal.agent.as_str(),
            Per::User => facts.principal.user.as_str(),
            Per::Tenant => facts.principal.tenant.as_str(),
        };
        Ok(Charge { budget: Arc::clone(&self.budget), subject: subject.to_owned(), group, amount })
    }
}

/// The value of an expression; `None` where none is written.
fn evaluate(clause: &Clause, bindings: &RuleBindings<'_>) -> Result<Option<Value>, String> {
    match clause {
        Clause::Absent => Ok(None),
        Clause::Checked(expression) => {
            expression.evaluate(bindings).map(Some).map_err(|error| error.to_string())
        }
        Clause::Undeclared(argument) => Err(format!("the tool declares no argument `{argument}`")),
        Clause::Unusable(problem) => Err(problem.as_ref().to_owned()),
    }
}

fn uncountable(budget: &Budget, problem: &str) -> CallError {
    let message = format!("the budget `{}` cannot be computed for this call: {problem}", budget.rule.id);
    let mut error = CallError::new(ErrorCode::BudgetExceeded, message)
        .with_hint("what cannot be counted is not run; change what the budget reads");
    error.retry = Retry::ChangedCall;
    error
}
