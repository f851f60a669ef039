//! `task.yaml`: the job that the harness states.

use serde_json::{Map, Value};

use crate::catalog::{NamePattern, TaskContext, TaskSpan};
use crate::diagnostic::{Diagnostic, Report, SourceMap, Span};
use crate::document::{Entry, Node, NodeValue, ReadLimits, read};
use crate::ident::{StepName, TaskId};

use super::exit::Failure;

/// Reads a task file: `version, id, prompt, step?, tools?, data?`.
///
/// # Errors
/// Every problem of the file at once.
pub(crate) fn read_task(name: &str, text: &str) -> Result<(TaskContext, Option<StepName>), Failure> {
    let mut sources = SourceMap::default();
    let mut report = Report::default();
    let source = sources.add(name, text);
    let parsed = match read(source, text, ReadLimits::default()) {
        Ok(root) => parse(&root, &mut report),
        Err(error) => {
            error.diagnostics.into_iter().for_each(|diagnostic| report.push(diagnostic));
            None
        }
    };
    match parsed {
        Some(task) if !report.has_errors() => Ok(task),
        _ => Err(Failure::configuration(report.render(&sources, false))),
    }
}

fn parse(root: &Node, report: &mut Report) -> Option<(TaskContext, Option<StepName>)> {
    let NodeValue::Mapping(entries) = &root.value else {
        report.push(
            Diagnostic::error(root.span, "a task file is a mapping").with_hint("start with `version: 1`"),
        );
        return None;
    };
    let (mut version, mut id, mut prompt, mut step, mut tools) = (false, None, None, None, None);
    let mut data = Value::Object(Map::new());
    for entry in entries {
        match entry.key.as_str() {
            "version" => version = check_version(&entry.value, report),
            "id" => id = text(entry, report).and_then(|(text, span)| name(TaskId::parse(text), span, report)),
            "prompt" => prompt = text(entry, report).map(|(text, _)| text.to_owned()),
            "step" => {
                step = text(entry, report).and_then(|(text, span)| name(StepName::parse(text), span, report))
            }
            "tools" => tools = patterns(entry, report),
            "data" => match &entry.value.value {
                NodeValue::Mapping(_) => data = entry.value.to_json(),
                _ => report.push(Diagnostic::error(entry.value.span, "`data` must be a mapping")),
            },
            other => report.push(
                Diagnostic::error(entry.key_span, format!("unknown key `{}`", other.escape_debug()))
                    .with_hint("a task has version, id, prompt, step, tools and data"),
            ),
        }
    }
    if !version {
        report.push(Diagnostic::error(root.span, "`version: 1` is missing"));
    }
    let Some(id) = id else {
        report.push(Diagnostic::error(root.span, "`id` is missing"));
        return None;
    };
    Some((TaskContext { id, span: TaskSpan::Stated, prompt, tools, data }, step))
}

fn check_version(node: &Node, report: &mut Report) -> bool {
    if node.to_json() == 1 {
        return true;
    }
    report.push(Diagnostic::error(node.span, "`version` must be 1"));
    // It is there, and wrong: one problem is enough.
    true
}

fn text<'n>(entry: &'n Entry, report: &mut Report) -> Option<(&'n str, Span)> {
    match &entry.value.value {
        NodeValue::String(text) => Some((text, entry.value.span)),
        _ => {
            report.push(
                Diagnostic::error(entry.value.span, format!("`{}` must be text", entry.key))
                    .with_hint("quote it"),
            );
            None
        }
    }
}

fn name<T>(parsed: Result<T, crate::ident::InvalidName>, span: Span, report: &mut Report) -> Option<T> {
    parsed.map_err(|error| report.push(Diagnostic::error(span, error.to_string()))).ok()
}

fn patterns(entry: &Entry, report: &mut Report) -> Option<Vec<NamePattern>> {
    let NodeValue::Sequence(items) = &entry.value.value else {
        report.push(Diagnostic::error(entry.value.span, "`tools` must be a list of names"));
        return None;
    };
    if items.is_empty() {
        report.push(
            Diagnostic::error(entry.value.span, "`tools` is empty")
                .with_hint("name at least one tool, or leave it out for all"),
        );
    }
    let mut tools = Vec::new();
    for item in items {
        match &item.value {
            NodeValue::String(text) => tools.push(NamePattern::new(text.clone())),
            _ => report.push(Diagnostic::error(item.span, "a tool's name must be text")),
        }
    }
    Some(tools)
}
