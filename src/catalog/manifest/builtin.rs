//! `run.builtin`: a contract may narrow what a builtin takes, never widen it.

use crate::catalog::builtin::{ArgumentKind, BuiltinArgument};
use crate::catalog::schema::compare;
use crate::catalog::{BuiltinName, Risk};
use crate::diagnostic::{Diagnostic, Report, Span, nearest};
use crate::document::{Entry, Node, NodeValue, expect_text};

/// Which builtin a contract runs. The gateway's own are only for the gateway's own manifest.
pub(super) fn builtin(node: &Node, own: bool, report: &mut Report) -> Option<BuiltinName> {
    let text = expect_text(node, "`builtin`", report)?;
    let offered = |name: &&BuiltinName| own || !name.as_str().starts_with("tgw__");
    if let Some(name) = BuiltinName::parse(text).filter(|name| offered(&name)) {
        return Some(name);
    }
    let names = BuiltinName::ALL.iter().filter(offered).map(|name| name.as_str());
    let problem = Diagnostic::error(node.span, format!("there is no builtin `{text}`"));
    report.push(match nearest(text, names) {
        Some(near) => problem.with_hint(format!("did you mean `{near}`?")),
        None => problem,
    });
    None
}

/// Checks that the stated risk is no milder than what the builtin does.
pub(super) fn check_risk(name: BuiltinName, stated: Option<(Risk, Span)>, report: &mut Report) {
    let least = name.least_risk();
    if let Some((risk, span)) = stated
        && risk < least
    {
        let message = format!("`{}` is at least `{}`", name.as_str(), least.as_str());
        report.push(Diagnostic::error(span, message));
    }
}

/// Checks that the input schema is closed and offers no argument, type or bound beyond the builtin's own.
pub(super) fn check_schema(name: BuiltinName, schema: &Node, report: &mut Report) {
    let NodeValue::Mapping(keywords) = &schema.value else { return };
    if value(keywords, "additionalProperties").map(|node| &node.value) != Some(&NodeValue::Bool(false)) {
        let message = format!("the schema of the builtin `{}` must be closed", name.as_str());
        report.push(Diagnostic::error(schema.span, message).with_hint("add `additionalProperties: false`"));
    }
    let properties: &[Entry] = match value(keywords, "properties").map(|node| &node.value) {
        Some(NodeValue::Mapping(properties)) => properties,
        _ => &[],
    };
    for property in properties {
        match name.arguments().iter().find(|argument| argument.name == property.key) {
            Some(argument) => check_argument(argument, property, report),
            None => {
                let message = format!("the builtin `{}` takes no `{}`", name.as_str(), property.key);
                let problem = Diagnostic::error(property.key_span, message);
                let names = name.arguments().iter().map(|argument| argument.name);
                report.push(match nearest(&property.key, names) {
                    Some(near) => problem.with_hint(format!("did you mean `{near}`?")),
                    None => problem,
                });
            }
        }
    }
    let required = value(keywords, "required");
    for argument in name.arguments().iter().filter(|argument| argument.required) {
        let listed = match required.map(|node| &node.value) {
            Some(NodeValue::Sequence(items)) => {
                items.iter().any(|i| i.value == NodeValue::String(argument.name.into()))
            }
            _ => false,
        };
        if !listed {
            let span = required.map_or(schema.span, |node| node.span);
            let message =
                format!("the builtin `{}` needs `{}` among `required`", name.as_str(), argument.name);
            report.push(Diagnostic::error(span, message));
        }
    }
}

fn check_argument(argument: &BuiltinArgument, property: &Entry, report: &mut Report) {
    let NodeValue::Mapping(keywords) = &property.value.value else {
        let message = format!("the schema of `{}` must be a mapping", argument.name);
        report.push(Diagnostic::error(property.value.span, message));
        return;
    };
    let is = |keyword: &str, wanted: &str| {
        value(keywords, keyword).is_some_and(|node| node.value == NodeValue::String(wanted.to_owned()))
    };
    let type_name = match argument.kind {
        ArgumentKind::Path | ArgumentKind::Text | ArgumentKind::Word(_) => "string",
        ArgumentKind::Count(..) => "integer",
        ArgumentKind::Flag => "boolean",
    };
    let span = property.key_span;
    if !is("type", type_name) {
        report.push(Diagnostic::error(span, format!("`{}` must have `type: {type_name}`", argument.name)));
    }
    match argument.kind {
        ArgumentKind::Path if !is("format", "workspace-path") => {
            report.push(Diagnostic::error(
                span,
                format!("`{}` must have `format: workspace-path`", argument.name),
            ));
        }
        ArgumentKind::Word(words) => {
            let narrow = match value(keywords, "enum").map(|node| &node.value) {
                Some(NodeValue::Sequence(items)) => items.iter().all(|item| match &item.value {
                    NodeValue::String(word) => words.contains(&word.as_str()),
                    _ => false,
                }),
                _ => false,
            };
            if !narrow {
                let message = format!("`{}` must have an `enum` out of {}", argument.name, words.join(", "));
                report.push(Diagnostic::error(span, message));
            }
        }
        ArgumentKind::Count(least, most) => {
            let bound = |keyword: &str| match value(keywords, keyword).map(|node| &node.value) {
                Some(NodeValue::Number(number)) => Some(number.clone()),
                _ => None,
            };
            if bound("minimum").is_none_or(|minimum| compare(&minimum, &least.into()).is_lt()) {
                let message = format!("`{}` must have a `minimum` of at least {least}", argument.name);
                report.push(Diagnostic::error(span, message));
            }
            let has_bound = most < i64::MAX as u64;
            if has_bound && bound("maximum").is_none_or(|maximum| compare(&maximum, &most.into()).is_gt()) {
                let message = format!("`{}` must have a `maximum` of at most {most}", argument.name);
                report.push(Diagnostic::error(span, message));
            }
        }
        ArgumentKind::Path | ArgumentKind::Text | ArgumentKind::Flag => {}
    }
}

fn value<'n>(entries: &'n [Entry], key: &str) -> Option<&'n Node> {
    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
}
