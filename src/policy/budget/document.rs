//! One budget, and reading `budgets`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Timestamp;
use crate::diagnostic::{Diagnostic, Location, Report, Span};
use crate::document::{Fields, Node, expect_text, expect_word};
use crate::ident::RuleId;
use crate::policy::rules::{condition, selectors, text_of};
use crate::policy::sections::{Context, list, parsed};
use crate::policy::terms::{approval, duration};
use crate::policy::{Environment, PolicyDocument, Rule, RuleExamples, Verdict};

/// The highest limit, and the most that one call may take: sums of them stay far from the end of 64-bit integers.
pub(in crate::policy) const MOST: u64 = 1_000_000_000_000_000;

/// What several calls may do together.
#[derive(Debug)]
pub struct Budget {
    /// Its id, selectors, reason and place, and the verdict on a call that would go over it.
    pub rule: Arc<Rule>,
    /// Whose it is.
    pub per: Per,
    /// The most that calls may take together.
    pub limit: u64,
    /// What a call takes: the value of this expression, or one where there is none.
    pub sum: Option<String>,
    /// What splits it: each value of this expression has a budget of its own.
    pub group: Option<String>,
    /// How long what was taken counts; for good where it is not stated.
    pub window: Option<Duration>,
}

impl Budget {
    /// The instant after which what was taken counts at `now`; `None` where all of it counts.
    #[must_use]
    pub fn since(&self, now: Timestamp) -> Option<Timestamp> {
        let window = u64::try_from(self.window?.as_millis()).unwrap_or(u64::MAX);
        now.0.checked_sub(window).map(Timestamp)
    }
}

/// Whose budget it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    /// Each task has its own.
    Task,
    /// Each agent, in all of its versions.
    Agent,
    /// Each user.
    User,
    /// All calls of the tenant share it.
    Tenant,
}

impl Per {
    const ALL: [Self; 4] = [Self::Task, Self::Agent, Self::User, Self::Tenant];

    /// The word that files use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Agent => "agent",
            Self::User => "user",
            Self::Tenant => "tenant",
        }
    }
}

/// A budget with the places that later problems point to.
#[derive(Debug)]
pub(in crate::policy) struct BudgetSource<'n> {
    pub(in crate::policy) budget: Arc<Budget>,
    pub(in crate::policy) span: Span,
    pub(in crate::policy) sum: Option<&'n Node>,
    pub(in crate::policy) group: Option<&'n Node>,
}

/// Reads `budgets`. One with a problem is left out; the report then has an error, so that nothing is loaded.
pub(in crate::policy) fn budgets<'n>(
    node: &'n Node,
    context: Context<'_>,
    report: &mut Report,
) -> Vec<BudgetSource<'n>> {
    list(node, "`budgets`", report).iter().filter_map(|item| budget(item, context, report)).collect()
}

fn budget<'n>(node: &'n Node, context: Context<'_>, report: &mut Report) -> Option<BudgetSource<'n>> {
    let mut fields = Fields::of(node, "a budget", report)?;
    let id_node = fields.required("id", report);
    let span = id_node.map_or(node.span, |node| node.span);
    let id = id_node
        .and_then(|node| expect_text(node, "`id`", report))
        .and_then(|text| parsed(RuleId::parse(text), span, report));
    let selectors = selectors(&mut fields, context, report);
    let per = fields
        .required("per", report)
        .and_then(|node| expect_word(node, "`per`", &Per::ALL.map(Per::as_str), report))
        .and_then(|word| Per::ALL.into_iter().find(|per| per.as_str() == word));
    let (limit, sum) = measure(&mut fields, node.span, report);
    let group = condition("group", &mut fields, report);
    let window = fields.value("window", report).and_then(|node| duration(node, "`window`", report));
    let over = fields.word("over", &["deny", "require_approval"], report).and_then(Verdict::parse);
    let over = over.unwrap_or(Verdict::Deny);
    let reason = fields.text("reason", report).map(str::to_owned);
    let approval_key = fields.entry("approval").map(|entry| entry.key_span);
    if let (Some(span), Verdict::Deny | Verdict::Allow) = (approval_key, over) {
        report.push(
            Diagnostic::error(span, "`approval` belongs to a budget that is `over: require_approval`")
                .with_hint("add `over: require_approval`, or take `approval` out"),
        );
    }
    let terms =
        fields.value("approval", report).and_then(|node| approval(node, id.as_ref(), context, report));
    fields.finish(report);
    let (terms, remember) = terms.unwrap_or_default();
    if let Some(span) = remember.first() {
        report.push(
            Diagnostic::error(*span, "a yes to going over a budget is for one call and cannot be remembered")
                .with_hint("take out `remember`, or raise the limit"),
        );
    }
    let written = |node: Option<&Node>| node.and_then(text_of).map(str::to_owned);
    let rule = Rule {
        id: id?,
        verdict: over,
        reason,
        selectors,
        approval: terms,
        environment: Environment::default(),
        when: None,
        unless: None,
        examples: RuleExamples::default(),
        location: context.locate(span),
    };
    let budget = Budget {
        rule: Arc::new(rule),
        per: per?,
        limit: limit?,
        sum: written(sum),
        group: written(group),
        window,
    };
    Some(BudgetSource { budget: Arc::new(budget), span, sum, group })
}

/// Reads `count`, or `sum` and `limit`.
fn measure<'n>(fields: &mut Fields<'n>, span: Span, report: &mut Report) -> (Option<u64>, Option<&'n Node>) {
    let stated = ["count", "sum", "limit"].map(|key| fields.entry(key).is_some());
    let problem = match stated {
        [true, false, false] | [false, true, true] => None,
        [false, false, _] => {
            Some(("a budget counts calls or sums what they take", "add `count: 3`, or `sum` and `limit`"))
        }
        [false, true, false] => Some(("`limit` is missing", "state the most that the sum may reach")),
        [true, true, _] => Some(("a budget has either `count` or `sum`", "write two budgets")),
        [true, false, true] => Some(("`limit` belongs to `sum`", "`count: 3` is a limit by itself")),
    };
    if let Some((message, hint)) = problem {
        report.push(Diagnostic::error(span, message).with_hint(hint));
    }
    let count = fields.integer("count", 0..=MOST, report);
    let limit = fields.integer("limit", 0..=MOST, report);
    let sum = condition("sum", fields, report);
    (count.or(limit), sum)
}

/// Reports ids that stand for two things: a budget is known by its id, in every file, process and machine.
pub(in crate::policy) fn check_ids<'b, 'n: 'b>(
    documents: &'b [PolicyDocument],
    budgets: impl Iterator<Item = &'b BudgetSource<'n>>,
    report: &mut Report,
) {
    let rules = documents.iter().flat_map(|document| &document.rules);
    let mut seen: BTreeMap<&RuleId, &Location> = rules.map(|rule| (&rule.id, &rule.location)).collect();
    for source in budgets {
        let rule = &source.budget.rule;
        if let Some(earlier) = seen.insert(&rule.id, &rule.location) {
            let message = format!("the id `{}` is used twice", rule.id);
            report.push(Diagnostic::error(source.span, message).with_hint(format!(
                "the other one is at {earlier}; a budget is known by its id among the rules and budgets of all files"
            )));
        }
    }
}
