//! `verify`: how a success is checked in the system of record.

use std::time::Duration;

use crate::catalog::{Risk, VerifySpec, declarations};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::document::{Entry, Fields, Node};

use super::compile::Compiler;
use super::probe::probe;
use super::tool::duration;

/// How often is looked where the contract does not say.
const USUAL_PAUSE: Duration = Duration::from_secs(1);

/// Most looks within the time, since each is a call and a record of its own.
const MOST_LOOKS: u128 = 1000;

/// Loads `verify`; the tool that looks is added to `probes`, to be checked against the whole catalog.
pub(super) fn verify(
    node: &Node,
    risk: Risk,
    compiler: &Compiler<'_>,
    probes: &mut Vec<(String, Span)>,
    report: &mut Report,
) -> Option<VerifySpec> {
    if risk == Risk::ReadOnly {
        let message = "`verify` is for tools that change something, and this one is `read_only`";
        report.push(Diagnostic::error(node.span, message));
    }
    let mut fields = Fields::of(node, "`verify`", report)?;
    let kept = declarations::look_up(compiler.run());
    let asked = declarations::valued(&kept, compiler.output());
    let probe = probe(&mut fields, &asked, compiler, probes, report);
    let expected = declarations::verified(&kept, compiler.output());
    let expect = fields
        .required("expect", report)
        .and_then(|node| compiler.condition(node, "`expect`", &expected, report));
    if let Some(expect) = expect.as_ref().filter(|expect| !expect.reads("value")) {
        let message =
            format!("`expect` does not read `value`, so that nothing is checked: `{}`", expect.source());
        let span = fields.entry("expect").map_or(node.span, |entry| entry.value.span);
        report
            .push(Diagnostic::error(span, message).with_hint("compare what the probe brought back, `value`"));
    }
    let within = fields.value("within", report).map(|node| duration(node, "`within`", report));
    let every = fields.value("every", report).map(|node| duration(node, "`every`", report));
    if let (Some(Entry { key_span, .. }), None) = (fields.entry("every"), within) {
        let message = "`every` says how often is looked `within` a time, and there is none";
        report
            .push(Diagnostic::error(*key_span, message).with_hint("write `within: 30s`, or remove `every`"));
    }
    let within = within.unwrap_or(Some(Duration::ZERO));
    let every = every.unwrap_or(Some(USUAL_PAUSE));
    if let (Some(within), Some(every)) = (within, every)
        && within.as_millis() / every.as_millis().max(1) > MOST_LOOKS
    {
        let span = fields.entry("within").map_or(node.span, |entry| entry.value.span);
        let message = format!("that is more than {MOST_LOOKS} looks, each with a record of its own");
        report.push(
            Diagnostic::error(span, message).with_hint("shorten `within`, or look less often: `every`"),
        );
    }
    fields.finish(report);
    Some(VerifySpec { probe: probe?, expect: expect?, within: within?, every: every? })
}
