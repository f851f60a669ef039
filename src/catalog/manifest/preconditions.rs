//! `preconditions`: what must hold in the system of record before a call.

use crate::catalog::{PreconditionSpec, declarations};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::document::{Fields, Node, expect_items};

use super::compile::Compiler;
use super::probe::probe;

/// Most preconditions of one tool, since each is a call of its own before every call.
const MOST: usize = 16;

/// Loads `preconditions`; the tools that look are added to `probes`, to be checked against the whole catalog.
pub(super) fn preconditions(
    node: &Node,
    compiler: &Compiler<'_>,
    probes: &mut Vec<(String, Span)>,
    report: &mut Report,
) -> Option<Vec<PreconditionSpec>> {
    let items = expect_items(node, "`preconditions`", report)?;
    if items.len() > MOST {
        let message = format!("a tool has at most {MOST} preconditions, found {}", items.len());
        report.push(Diagnostic::error(node.span, message));
    }
    let loaded: Vec<_> = items.iter().map(|item| precondition(item, compiler, probes, report)).collect();
    loaded.into_iter().collect()
}

fn precondition(
    node: &Node,
    compiler: &Compiler<'_>,
    probes: &mut Vec<(String, Span)>,
    report: &mut Report,
) -> Option<PreconditionSpec> {
    let mut fields = Fields::of(node, "a precondition", report)?;
    let probe = probe(&mut fields, compiler.run(), compiler, probes, report);
    let expected = declarations::looked_up(compiler.run());
    let expect = fields
        .required("expect", report)
        .and_then(|node| compiler.condition(node, "`expect`", &expected, report));
    let message = fields.required_text("message", report).map(str::to_owned);
    fields.finish(report);
    Some(PreconditionSpec { probe: probe?, expect: expect?, message: message? })
}
