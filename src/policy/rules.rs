//! Reading rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::catalog::NamePattern;
use crate::diagnostic::{Diagnostic, Location, Report, Span};
use crate::document::{Fields, Node, expect_text};
use crate::ident::RuleId;

use super::load::CatalogFit;
use super::names::{Kind, patterns};
use super::sections::{Context, list, parsed, risks};
use super::terms::{approval, environment};
use super::{Rule, Selectors, Verdict, samples};

/// A rule with the places that later problems point to.
#[derive(Debug)]
pub(super) struct RuleSource<'n> {
    pub(super) rule: Arc<Rule>,
    /// The place of its id.
    pub(super) span: Span,
    pub(super) when: Option<&'n Node>,
    pub(super) unless: Option<&'n Node>,
    /// The place of each alternative of `approval.remember`.
    pub(super) remember: Vec<Span>,
}

/// Reads `rules`. A rule with a problem is left out; the report then has an error, so that nothing is loaded.
pub(super) fn rules<'n>(node: &'n Node, context: Context<'_>, report: &mut Report) -> Vec<RuleSource<'n>> {
    let items = list(node, "`rules`", report);
    let mut seen: BTreeMap<RuleId, Location> = BTreeMap::new();
    let mut rules = Vec::with_capacity(items.len());
    for item in items {
        let Some(source) = rule(item, context, report) else { continue };
        if let Some(earlier) = seen.get(&source.rule.id) {
            let message = format!("the rule id `{}` is used twice in this file", source.rule.id);
            report.push(
                Diagnostic::error(source.span, message).with_hint(format!("the other one is at {earlier}")),
            );
        }
        seen.entry(source.rule.id.clone()).or_insert_with(|| source.rule.location.clone());
        rules.push(source);
    }
    rules
}

fn rule<'n>(node: &'n Node, context: Context<'_>, report: &mut Report) -> Option<RuleSource<'n>> {
    let mut fields = Fields::of(node, "a rule", report)?;
    let id_node = fields.required("id", report);
    let span = id_node.map_or(node.span, |node| node.span);
    let id = id_node
        .and_then(|node| expect_text(node, "`id`", report))
        .and_then(|text| parsed(RuleId::parse(text), span, report));
    let verdict = fields.required("verdict", report).and_then(|node| verdict(node, "`verdict`", report));
    let selectors = selectors(&mut fields, context, report);
    let when = condition("when", &mut fields, report);
    let unless = condition("unless", &mut fields, report);
    let reason = fields.text("reason", report).map(str::to_owned);
    let approval_key = fields.entry("approval").map(|entry| entry.key_span);
    if let (Some(span), Some(Verdict::Allow | Verdict::Deny)) = (approval_key, verdict) {
        report.push(
            Diagnostic::error(span, "`approval` belongs to a rule whose verdict is `require_approval`")
                .with_hint("change the verdict, or take `approval` out"),
        );
    }
    let approval =
        fields.value("approval", report).and_then(|node| approval(node, id.as_ref(), context, report));
    let environment = fields.value("environment", report).and_then(|node| environment(node, report));
    let examples = fields.value("examples", report).and_then(|node| samples::read(node, context, report));
    fields.finish(report);
    let (approval, remember) = approval.unwrap_or_default();
    let written = |node: Option<&Node>| node.and_then(text_of).map(str::to_owned);
    let rule = Rule {
        id: id?,
        verdict: verdict?,
        reason,
        selectors,
        approval,
        environment: environment.unwrap_or_default(),
        when: written(when),
        unless: written(unless),
        examples: examples.unwrap_or_default(),
        location: context.locate(span),
    };
    Some(RuleSource { rule: Arc::new(rule), span, when, unless, remember })
}

/// Reads a verdict.
pub(super) fn verdict(node: &Node, what: &str, report: &mut Report) -> Option<Verdict> {
    let words = Verdict::ALL.map(Verdict::as_str);
    crate::document::expect_word(node, what, &words, report).and_then(Verdict::parse)
}

/// The node of a condition, which is text.
pub(super) fn condition<'n>(
    key: &'static str,
    fields: &mut Fields<'n>,
    report: &mut Report,
) -> Option<&'n Node> {
    let node = fields.value(key, report)?;
    expect_text(node, format!("`{key}`"), report)?;
    Some(node)
}

/// The text of a node that holds text.
pub(super) fn text_of(node: &Node) -> Option<&str> {
    if let crate::document::NodeValue::String(text) = &node.value { Some(text) } else { None }
}

/// Reads what a rule or a budget is about.
pub(super) fn selectors(fields: &mut Fields<'_>, context: Context<'_>, report: &mut Report) -> Selectors {
    let names = context.names;
    let tools = context.tools(fields, report);
    let mut named =
        |key: &'static str, noun: &str, known: Option<&BTreeSet<String>>| -> Option<Vec<NamePattern>> {
            let node = fields.value(key, report)?;
            patterns(node, &format!("`{key}`"), Kind { noun, known, elsewhere: false }, report)
        };
    // A file for several catalogs may name the servers of another one.
    let servers = names.servers.as_ref().filter(|_| context.fit == CatalogFit::Exact);
    let servers = named("servers", "server", servers);
    let agents = named("agents", "agent", names.agents.as_ref());
    let steps = named("steps", "step", Some(&names.steps));
    let users = named("users", "user", names.users.as_ref());
    let tenants = named("tenants", "tenant", None);
    Selectors { tools, risks: risks(fields, report), servers, agents, steps, users, tenants }
}
