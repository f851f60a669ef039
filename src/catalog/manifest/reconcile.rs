//! `reconcile`: how an outcome that is not known is looked up.

use crate::catalog::{AbsenceSpec, ReconcileSpec, Risk, declarations};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::document::{Fields, Node};
use crate::expression::Declarations;

use super::compile::Compiler;
use super::probe::probe;
use super::result::pointer;
use super::tool::duration;

/// Loads `reconcile`; the tool that looks is added to `probes`, to be checked against the whole catalog.
pub(super) fn reconcile(
    node: &Node,
    risk: Risk,
    compiler: &Compiler<'_>,
    probes: &mut Vec<(String, Span)>,
    report: &mut Report,
) -> Option<ReconcileSpec> {
    if risk == Risk::ReadOnly {
        let message = "`reconcile` is for tools that change something, and this one is `read_only`";
        report.push(Diagnostic::error(node.span, message));
    }
    let mut fields = Fields::of(node, "`reconcile`", report)?;
    let asked = declarations::look_up(compiler.run());
    let probe = probe(&mut fields, &asked, compiler, probes, report);
    let found_when = fields
        .required("found_when", report)
        .and_then(|node| compiler.condition(node, "`found_when`", &declarations::looked_up(&asked), report));
    let value = fields.value("value", report).map(|node| pointer(node, "`value`", report));
    let absence = fields.value("absence", report).map(|node| absence(node, &asked, compiler, report));
    fields.finish(report);
    Some(ReconcileSpec {
        probe: probe?,
        found_when: found_when?,
        value: match value {
            None => None,
            Some(pointer) => Some(pointer?),
        },
        absence: match absence {
            None => None,
            Some(absence) => Some(absence?),
        },
    })
}

fn absence(
    node: &Node,
    asked: &Declarations,
    compiler: &Compiler<'_>,
    report: &mut Report,
) -> Option<AbsenceSpec> {
    let mut fields = Fields::of(node, "`absence`", report)?;
    let when = fields
        .required("when", report)
        .and_then(|node| compiler.condition(node, "`when`", &declarations::looked_up(asked), report));
    let proves_after =
        fields.required("proves_after", report).and_then(|node| duration(node, "`proves_after`", report));
    fields.finish(report);
    Some(AbsenceSpec { when: when?, proves_after: proves_after? })
}
