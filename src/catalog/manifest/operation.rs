//! `operation`: how work that a backend accepts and finishes later is followed to its end.

use std::time::Duration;

use crate::catalog::{OperationSpec, OperationState, Risk, Run, declarations};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::document::{Fields, Node, NodeValue, expect_word, found};

use super::compile::Compiler;
use super::probe::probe;
use super::result::pointer;
use super::tool::duration;

/// How often is asked where the contract does not say.
const USUAL_INTERVAL: Duration = Duration::from_secs(5);

/// Most polls of one operation, since each is a call and a record of its own.
const MOST_POLLS: u128 = 100_000;

/// Loads `operation`. The tool that asks is added to `probes`; the one that cancels, which may change something, to `others`.
pub(super) fn operation(
    node: &Node,
    risk: Risk,
    compiler: &Compiler<'_>,
    probes: &mut Vec<(String, Span)>,
    others: &mut Vec<(String, Span)>,
    report: &mut Report,
) -> Option<OperationSpec> {
    if risk == Risk::ReadOnly {
        let message = "`operation` is for tools that change something, and this one is `read_only`";
        report.push(Diagnostic::error(node.span, message));
    }
    let mut fields = Fields::of(node, "`operation`", report)?;
    let accepted_when = fields
        .required("accepted_when", report)
        .and_then(|node| compiler.condition(node, "`accepted_when`", &compiler.taken(), report));
    let id = fields.required("id", report).and_then(|node| pointer(node, "`id`", report));
    let interval = match fields.value("interval", report) {
        None => Some(USUAL_INTERVAL),
        Some(node) => duration(node, "`interval`", report),
    };
    let timeout = fields.required("timeout", report).and_then(|node| duration(node, "`timeout`", report));
    if let (Some(interval), Some(timeout)) = (interval, timeout)
        && timeout.as_millis() / interval.as_millis().max(1) > MOST_POLLS
    {
        let message = format!("that is more than {MOST_POLLS} polls, each with a record of its own");
        report.push(Diagnostic::error(node.span, message).with_hint("poll less often: `interval`"));
    }
    let asked = declarations::operated(&declarations::look_up(compiler.run()));
    let poll = fields.required("poll", report).and_then(|node| {
        let mut fields = Fields::of(node, "`poll`", report)?;
        let poll = probe(&mut fields, &asked, compiler, probes, report);
        fields.finish(report);
        poll
    });
    let cancel = fields.value("cancel", report).map(|node| {
        let mut fields = Fields::of(node, "`cancel`", report)?;
        let cancel = probe(&mut fields, &asked, compiler, others, report);
        fields.finish(report);
        cancel
    });
    let state = fields.required("state", report).and_then(|node| state(node, report));
    let value = fields.value("value", report).map(|node| pointer(node, "`value`", report));
    fields.finish(report);
    let (pointer, states) = state?;
    Some(OperationSpec {
        accepted_when: accepted_when?,
        id: id?,
        interval: interval?,
        timeout: timeout?,
        poll: poll?,
        cancel: match cancel {
            None => None,
            Some(cancel) => Some(cancel?),
        },
        pointer,
        states,
        value: match value {
            None => None,
            Some(value) => Some(value?),
        },
    })
}

fn state(node: &Node, report: &mut Report) -> Option<(String, Vec<(String, OperationState)>)> {
    let mut fields = Fields::of(node, "`state`", report)?;
    let pointer = fields.required("pointer", report).and_then(|node| pointer(node, "`pointer`", report));
    let map = fields.required("map", report).and_then(|node| map(node, report));
    fields.finish(report);
    Some((pointer?, map?))
}

fn map(node: &Node, report: &mut Report) -> Option<Vec<(String, OperationState)>> {
    let NodeValue::Mapping(entries) = &node.value else {
        report.push(Diagnostic::error(node.span, format!("`map` must be a mapping, found {}", found(node))));
        return None;
    };
    let words = OperationState::WORDS.map(|(word, _)| word);
    let mut states = Vec::new();
    for entry in entries {
        let word = expect_word(&entry.value, format!("`{}`", entry.key), &words, report);
        let known = OperationState::WORDS.iter().find(|(known, _)| word == Some(*known));
        states.extend(known.map(|(_, state)| (entry.key.clone(), *state)));
    }
    if !states.iter().any(|(_, state)| *state == OperationState::Succeeded) {
        let message = "no word of the backend means `succeeded`, so that no operation could end well";
        report.push(Diagnostic::error(node.span, message).with_hint("add the word to `map`"));
    }
    Some(states)
}

/// Checks that an operation that is looked up is verified too: what a look-up finds may not be over.
pub(super) fn check_looked_up(
    operates: bool,
    looked_up: bool,
    verified: bool,
    name: Span,
    report: &mut Report,
) {
    if operates && looked_up && !verified {
        let message = "`reconcile` finds an operation whether it is over or not, and nothing says when it is";
        report.push(Diagnostic::error(name, message).with_hint("add `verify`, or take `reconcile` out"));
    }
}

/// Checks that what runs the call can bring back an operation.
pub(super) fn check_operation(stated: bool, run: &Run, name: Span, report: &mut Report) {
    if stated && matches!(run, Run::Builtin(_)) {
        let message = "`operation` is for commands and requests: a builtin has done its work when it returns";
        report.push(Diagnostic::error(name, message).with_hint("remove `operation`"));
    }
}
