//! Reading the examples that a rule's author wrote.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::diagnostic::Report;
use crate::document::{Fields, Node, expect_items, expect_word};
use crate::ident::{AgentName, InvalidName, StepName, ToolName, UserName};

use super::document::{RuleExample, RuleExamples};
use super::names::existing;
use super::sections::{Context, entries, parsed};

/// The provenances that an example may state.
const PROVENANCES: [&str; 7] = ["untrusted", "model", "trusted", "task", "contract", "person", "absent"];

/// Reads `examples`.
pub(super) fn read(node: &Node, context: Context<'_>, report: &mut Report) -> Option<RuleExamples> {
    let mut fields = Fields::of(node, "`examples`", report)?;
    let mut calls = |key: &'static str, report: &mut Report| {
        let items = fields.value(key, report).and_then(|node| expect_items(node, format!("`{key}`"), report));
        items.unwrap_or_default().iter().filter_map(|item| example(item, context, report)).collect()
    };
    let examples = RuleExamples { matching: calls("match", report), not_matching: calls("no_match", report) };
    fields.finish(report);
    Some(examples)
}

fn example(node: &Node, context: Context<'_>, report: &mut Report) -> Option<RuleExample> {
    let mut fields = Fields::of(node, "an example", report)?;
    let tool = fields.required("tool", report).and_then(|node| existing(node, context.tool(), report));
    let arguments = object("arguments", &mut fields, report);
    let provenance = fields.value("provenance", report).map(|node| provenance(node, report));
    let user = name("user", &mut fields, UserName::parse, report);
    let agent = name("agent", &mut fields, AgentName::parse, report);
    let step = name("step", &mut fields, StepName::parse, report);
    let data = object("data", &mut fields, report);
    let facts = object("facts", &mut fields, report);
    fields.finish(report);
    Some(RuleExample {
        tool: ToolName::parse(tool?).ok()?,
        arguments: Value::Object(arguments),
        provenance: provenance.unwrap_or_default(),
        user,
        agent,
        step,
        data,
        facts,
        span: node.span,
    })
}

fn provenance(node: &Node, report: &mut Report) -> BTreeMap<String, &'static str> {
    let stated = entries(node, "`provenance`", report).iter().filter_map(|entry| {
        let written = expect_word(&entry.value, "a provenance", &PROVENANCES, report)?;
        let word = PROVENANCES.iter().find(|word| **word == written)?;
        Some((entry.key.clone(), *word))
    });
    stated.collect()
}

fn name<N>(
    key: &'static str,
    fields: &mut Fields<'_>,
    parse: fn(&str) -> Result<N, InvalidName>,
    report: &mut Report,
) -> Option<N> {
    let text = fields.text(key, report)?;
    parsed(parse(text), fields.node().span, report)
}

fn object(key: &'static str, fields: &mut Fields<'_>, report: &mut Report) -> Map<String, Value> {
    let Some(node) = fields.value(key, report) else { return Map::new() };
    entries(node, &format!("`{key}`"), report)
        .iter()
        .map(|entry| (entry.key.clone(), entry.value.to_json()))
        .collect()
}
