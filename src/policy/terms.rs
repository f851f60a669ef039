//! Reading what a rule says about how a person is asked and where a call runs.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::catalog::{NetworkRule, SandboxLevel};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::document::{Fields, Node, NodeValue, expect_items, expect_text, parse_duration};
use crate::ident::{RuleId, UserName};

use super::names::{Kind, existing};
use super::sections::Context;
use super::{ApprovalTerms, Environment, Quorum};

/// Reads `approval`: the terms, and the place of each alternative of `remember`.
pub(super) fn approval(
    node: &Node,
    rule: Option<&RuleId>,
    context: Context<'_>,
    report: &mut Report,
) -> Option<(ApprovalTerms, Vec<Span>)> {
    let mut fields = Fields::of(node, "`approval`", report)?;
    let quorum = quorum(&mut fields, rule, context, report);
    let expires = fields.value("expires", report).and_then(|node| duration(node, "`expires`", report));
    let remember_node = fields.value("remember", report);
    let (remember, spans) = remember_node.map(|node| alternatives(node, report)).unwrap_or_default();
    fields.finish(report);
    if let (Some(Quorum { count: 2.., .. }), Some(node)) = (&quorum, remember_node) {
        report.push(
            Diagnostic::error(node.span, "a yes that takes several people cannot be remembered")
                .with_hint("take out `remember`, or set `count: 1`"),
        );
    }
    Some((ApprovalTerms { quorum, expires, remember }, spans))
}

/// Reads `by`, `count` and `not_requester`; `None` where they ask for nobody in particular.
fn quorum(
    fields: &mut Fields<'_>,
    rule: Option<&RuleId>,
    context: Context<'_>,
    report: &mut Report,
) -> Option<Quorum> {
    let by = fields.value("by", report).map(|node| groups(node, context, report)).unwrap_or_default();
    let count = fields.integer("count", 1..=100, report);
    let count = count.and_then(|count| u32::try_from(count).ok()).unwrap_or(1);
    let not_requester = fields.bool("not_requester", report).unwrap_or_default();
    if by.is_empty() && count == 1 && !not_requester {
        return None;
    }
    let members: BTreeSet<UserName> = by.iter().flat_map(|group| members(group, context)).collect();
    let most = u32::try_from(members.len()).unwrap_or(u32::MAX);
    if !by.is_empty() && most < count {
        let groups = by.join("` and `");
        let have = if by.len() == 1 { "has" } else { "have" };
        report.push(
            Diagnostic::error(
                fields.node().span,
                format!(
                    "nobody could ever say yes: `{groups}` {have} {most} members, and {count} must agree"
                ),
            )
            .with_hint("name more groups or members, or lower `count`"),
        );
    }
    Some(Quorum { rule: rule?.clone(), by, members, count, not_requester })
}

/// The members of a group: as this file declares it, else who is one in every file that does.
fn members(group: &str, context: Context<'_>) -> Vec<UserName> {
    match context.approvers.and_then(|own| own.get(group)) {
        Some(own) => own.clone(),
        None => context.names.members.get(group).into_iter().flatten().cloned().collect(),
    }
}

fn groups(node: &Node, context: Context<'_>, report: &mut Report) -> Vec<String> {
    let known = Kind { noun: "group of approvers", known: Some(&context.names.approvers), elsewhere: false };
    let items = expect_items(node, "`by`", report).unwrap_or_default();
    items.iter().filter_map(|item| existing(item, known, report)).map(str::to_owned).collect()
}

/// Reads a duration above zero.
pub(super) fn duration(node: &Node, what: &str, report: &mut Report) -> Option<Duration> {
    let NodeValue::String(text) = &node.value else {
        report.push(bad_duration(node, what));
        return None;
    };
    let read = parse_duration(text).filter(|duration| !duration.is_zero());
    if read.is_none() {
        report.push(bad_duration(node, what));
    }
    read
}

fn bad_duration(node: &Node, what: &str) -> Diagnostic {
    Diagnostic::error(node.span, format!("{what} must be a duration above zero"))
        .with_hint("write a whole number and a unit: 1500ms, 30s, 15m, 24h, 30d")
}

/// Reads alternatives, each a list of pointers that are pinned.
fn alternatives(node: &Node, report: &mut Report) -> (Vec<Vec<String>>, Vec<Span>) {
    let items = expect_items(node, "`remember`", report).unwrap_or_default();
    let mut all = Vec::new();
    let mut spans = Vec::new();
    for item in items {
        let NodeValue::Sequence(pointers) = &item.value else {
            report.push(
                Diagnostic::error(item.span, "each alternative of `remember` must be a list of pointers")
                    .with_hint("write two pairs of brackets: `remember: [[/path]]`"),
            );
            continue;
        };
        if pointers.is_empty() {
            report.push(
                Diagnostic::error(item.span, "an alternative that pins nothing would be a yes to any call")
                    .with_hint("name the arguments that stay the same: `[/path]`"),
            );
            continue;
        }
        let read: Vec<Option<String>> = pointers.iter().map(|item| pointer(item, report)).collect();
        if let Some(pins) = read.into_iter().collect() {
            all.push(pins);
            spans.push(item.span);
        }
    }
    (all, spans)
}

fn pointer(node: &Node, report: &mut Report) -> Option<String> {
    let written = expect_text(node, "a pointer", report)?;
    // Every `~` begins one of the two escapes of RFC 6901, section 3.
    let escapes_hold = written.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    if written.starts_with('/') && escapes_hold {
        return Some(written.to_owned());
    }
    report.push(
        Diagnostic::error(node.span, format!("`{written}` is not a pointer to an argument"))
            .with_hint("write `/name`; inside a name, `~1` stands for `/` and `~0` for `~` (RFC 6901)"),
    );
    None
}

/// Reads `environment`.
pub(super) fn environment(node: &Node, report: &mut Report) -> Option<Environment> {
    let mut fields = Fields::of(node, "`environment`", report)?;
    let sandbox = fields.word("sandbox", &["none", "confined", "isolated"], report);
    let network = fields.word("network", &["none", "open"], report);
    if fields.entry("sandbox").is_none() && fields.entry("network").is_none() {
        report.push(
            Diagnostic::error(node.span, "`environment` demands nothing")
                .with_hint("name `sandbox` or `network`, or leave the key out"),
        );
    }
    fields.finish(report);
    let levels = [
        ("none", SandboxLevel::None),
        ("confined", SandboxLevel::Confined),
        ("isolated", SandboxLevel::Isolated),
    ];
    let networks = [("none", NetworkRule::None), ("open", NetworkRule::Open)];
    Some(Environment { sandbox: meaning(sandbox, &levels), network: meaning(network, &networks) })
}

fn meaning<T: Copy>(word: Option<&str>, meanings: &[(&str, T)]) -> Option<T> {
    meanings.iter().find(|(written, _)| Some(*written) == word).map(|(_, meaning)| *meaning)
}
