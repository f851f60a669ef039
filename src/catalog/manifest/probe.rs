//! Probes of a contract: calls that the gateway makes itself to look at the system of record.

use crate::catalog::{JsonTemplate, ProbeSpec};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::document::{Entry, Fields, Node, NodeValue, expect_text, found};
use crate::expression::{Declarations, Placement};
use crate::ident::ToolName;

use super::compile::Compiler;

/// Loads `tool` and `arguments` of a probe. The tool is added to `probes`, to be checked against the whole catalog.
pub(super) fn probe(
    fields: &mut Fields<'_>,
    variables: &Declarations,
    compiler: &Compiler<'_>,
    probes: &mut Vec<(String, Span)>,
    report: &mut Report,
) -> Option<ProbeSpec> {
    let tool = fields.required("tool", report).and_then(|node| {
        let text = expect_text(node, "`tool`", report)?;
        match ToolName::parse(text) {
            Ok(name) => {
                probes.push((text.to_owned(), node.span));
                Some(name)
            }
            Err(invalid) => {
                report.push(Diagnostic::error(node.span, invalid.to_string()));
                None
            }
        }
    });
    let arguments = match fields.value("arguments", report) {
        None => Some(Vec::new()),
        Some(Node { value: NodeValue::Mapping(entries), .. }) => {
            members(entries, variables, compiler, report)
        }
        Some(node) => {
            let message = format!("`arguments` must be a mapping, found {}", found(node));
            report.push(Diagnostic::error(node.span, message));
            None
        }
    };
    Some(ProbeSpec { tool: tool?, arguments: arguments? })
}

fn members(
    entries: &[Entry],
    variables: &Declarations,
    compiler: &Compiler<'_>,
    report: &mut Report,
) -> Option<Vec<(String, JsonTemplate)>> {
    // Every one is looked at, so that all problems are reported.
    let members: Vec<_> = entries
        .iter()
        .map(|entry| {
            Some((entry.key.clone(), argument(&entry.value, &entry.key, variables, compiler, report)?))
        })
        .collect();
    members.into_iter().collect()
}

/// Loads a JSON value with templates in it.
pub(super) fn argument(
    node: &Node,
    name: &str,
    variables: &Declarations,
    compiler: &Compiler<'_>,
    report: &mut Report,
) -> Option<JsonTemplate> {
    match &node.value {
        NodeValue::String(text) if text.contains("{{") => {
            let template =
                compiler.placed(node, &format!("`{name}`"), variables, Placement::Value, report)?;
            Some(JsonTemplate::Template(template))
        }
        NodeValue::Sequence(items) if items.iter().any(is_live) => {
            let items: Vec<_> =
                items.iter().map(|item| argument(item, name, variables, compiler, report)).collect();
            items.into_iter().collect::<Option<_>>().map(JsonTemplate::List)
        }
        NodeValue::Mapping(entries) if is_live(node) => {
            members(entries, variables, compiler, report).map(JsonTemplate::Mapping)
        }
        _ => Some(JsonTemplate::Literal(node.to_json())),
    }
}

/// Whether there is a template in a node.
fn is_live(node: &Node) -> bool {
    match &node.value {
        NodeValue::String(text) => text.contains("{{"),
        NodeValue::Sequence(items) => items.iter().any(is_live),
        NodeValue::Mapping(entries) => entries.iter().any(|entry| is_live(&entry.value)),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) => false,
    }
}
