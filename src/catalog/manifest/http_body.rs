//! What a request sends: JSON, text, a form, or a form of several parts.

use crate::catalog::{HttpBodySpec, HttpPart};
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{Fields, Node, NodeValue, expect_text, found};
use crate::expression::Template;

use super::compile::Compiler;
use super::http::{field, named_fields};
use super::probe;
use super::sandbox::relative_inside;

/// Loads what a request with this method sends: `body`, `text`, `form` or `multipart`.
pub(super) fn body(
    fields: &mut Fields<'_>,
    method: &str,
    compiler: &Compiler<'_>,
    report: &mut Report,
) -> Option<HttpBodySpec> {
    let span = fields.node().span;
    let nodes = [
        fields.value("body", report),
        fields.value("text", report),
        fields.value("form", report),
        fields.value("multipart", report),
    ];
    let count = nodes.iter().flatten().count();
    if count > 1 {
        let message = "a request sends one of `body` (JSON), `text`, `form` and `multipart`";
        report.push(Diagnostic::error(span, message));
    }
    if count > 0 && matches!(method, "GET" | "HEAD") {
        let message = format!("a `{method}` request sends nothing");
        report.push(Diagnostic::error(span, message).with_hint("use `query`, or another `method`"));
    }
    match nodes {
        [Some(node), ..] => {
            probe::argument(node, "body", compiler.run(), compiler, report).map(HttpBodySpec::Json)
        }
        [_, Some(node), ..] => {
            compiler.template(node, "`text`", compiler.run(), report).map(HttpBodySpec::Text)
        }
        [_, _, Some(node), _] => named_fields(node, "`form`", compiler, report).map(HttpBodySpec::Form),
        [.., Some(node)] => parts(node, compiler, report).map(HttpBodySpec::Multipart),
        _ => Some(HttpBodySpec::None),
    }
}

fn parts(node: &Node, compiler: &Compiler<'_>, report: &mut Report) -> Option<Vec<(String, HttpPart)>> {
    let NodeValue::Mapping(entries) = &node.value else {
        let message = format!("`multipart` must be a mapping, found {}", found(node));
        report.push(Diagnostic::error(node.span, message));
        return None;
    };
    let loaded: Vec<_> = entries
        .iter()
        .map(|entry| {
            let what = format!("`{}`", entry.key);
            if entry.key.is_empty() {
                report.push(Diagnostic::error(entry.key_span, "a name in `multipart` is empty"));
            }
            let is_file = matches!(&entry.value.value, NodeValue::Mapping(inner)
                if inner.iter().any(|inner| inner.key == "file"));
            let part = if is_file {
                file(&entry.value, &what, compiler, report)
            } else {
                field(&entry.value, &what, compiler, report).map(HttpPart::Field)
            };
            Some((entry.key.clone(), part?))
        })
        .collect();
    loaded.into_iter().collect()
}

fn file(node: &Node, what: &str, compiler: &Compiler<'_>, report: &mut Report) -> Option<HttpPart> {
    let mut fields = Fields::of(node, what, report)?;
    let path = fields.required("file", report).and_then(|node| path(node, compiler, report));
    let filename = fields
        .value("filename", report)
        .map(|node| compiler.template(node, "`filename`", compiler.run(), report));
    let content_type = fields.value("content_type", report).map(|node| {
        let text = expect_text(node, "`content_type`", report)?;
        let plain = text.contains('/') && text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        if !plain {
            let message = format!("`{}` is no content type", text.escape_default());
            report.push(Diagnostic::error(node.span, message).with_hint("write it like `text/csv`"));
        }
        plain.then(|| text.to_owned())
    });
    fields.finish(report);
    Some(HttpPart::File {
        path: path?,
        filename: match filename {
            None => None,
            Some(filename) => Some(filename?),
        },
        content_type: content_type.unwrap_or_else(|| Some("application/octet-stream".to_owned()))?,
    })
}

/// Loads the path of a file that is sent. It is one that rules and checks about paths know of.
fn path(node: &Node, compiler: &Compiler<'_>, report: &mut Report) -> Option<Template> {
    let template = compiler.template(node, "`file`", compiler.run(), report)?;
    let source = template.source();
    if template.expressions().next().is_none() {
        if relative_inside(source) {
            return Some(template);
        }
        let message = format!("`file` must be a path inside the workspace, found `{source}`");
        report.push(Diagnostic::error(node.span, message));
        return None;
    }
    let argument = source
        .trim()
        .strip_prefix("{{")
        .and_then(|rest| rest.strip_suffix("}}"))
        .and_then(|inner| inner.trim().strip_prefix("arguments."));
    if argument.is_some_and(|argument| compiler.is_path(argument)) {
        return Some(template);
    }
    let message = "`file` must be an argument that is declared as a path, so that rules about paths know it";
    report.push(
        Diagnostic::error(node.span, message)
            .with_hint("write `\"{{arguments.path}}\"`, and `format: workspace-path` in its schema"),
    );
    None
}
