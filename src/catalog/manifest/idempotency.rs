//! `idempotency`: how a repeated call is recognised.

use crate::catalog::{HttpAuth, Idempotency, KeyRetry, KeySpec, Risk, Run, SendAs};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::document::{Fields, Node, NodeValue, expect_text, found};

use super::compile::Compiler;
use super::environment;
use super::http::header_name;

/// Whether a tool's fields state an effect key, so that its expressions may read it.
pub(super) fn is_keyed(fields: &mut Fields<'_>) -> bool {
    let stated = fields.entry("idempotency").map(|entry| &entry.value.value);
    matches!(stated, Some(NodeValue::Mapping(entries)) if entries.iter().any(|entry| entry.key == "key"))
}

/// Loads `idempotency` of a tool with this risk, `None` where it states none.
pub(super) fn idempotency(
    fields: &mut Fields<'_>,
    name: Span,
    risk: Option<Risk>,
    compiler: &Compiler<'_>,
    report: &mut Report,
) -> Idempotency {
    let Some(node) = fields.value("idempotency", report) else {
        if fields.entry("idempotency").is_none() && matches!(risk, Some(Risk::External | Risk::Destructive)) {
            let message = "an `external` or `destructive` tool must say how a repeated call is recognised";
            let hint =
                "write `idempotency: {key: \"{{…}}\"}`, or `idempotency: none` where nothing recognises one";
            report.push(Diagnostic::error(name, message).with_hint(hint));
        }
        return Idempotency::Unstated;
    };
    match &node.value {
        NodeValue::String(text) if text == "none" => Idempotency::Unrecognised,
        NodeValue::Mapping(_) => {
            if risk == Some(Risk::ReadOnly) {
                let message = "a `read_only` tool has no effect that a key could name";
                report.push(Diagnostic::error(node.span, message).with_hint("remove `idempotency`"));
            }
            // What does not load is an error, and the contract goes with it.
            stated(node, compiler, report)
                .map_or(Idempotency::Unrecognised, |spec| Idempotency::Key(Box::new(spec)))
        }
        _ => {
            let message = format!("`idempotency` must be `none` or a mapping, found {}", found(node));
            report.push(Diagnostic::error(node.span, message));
            Idempotency::Unrecognised
        }
    }
}

fn stated(node: &Node, compiler: &Compiler<'_>, report: &mut Report) -> Option<KeySpec> {
    let mut fields = Fields::of(node, "`idempotency`", report)?;
    let key = fields.required("key", report).and_then(|node| {
        let template = compiler.template(node, "`key`", compiler.call(), report)?;
        if template.expressions().next().is_none() {
            let message = "`key` reads nothing of the call, so that all calls of the tool would be one";
            let hint = "name what makes it another effect, such as `\"{{arguments.request_ref}}\"`";
            report.push(Diagnostic::error(node.span, message).with_hint(hint));
        }
        Some(template)
    });
    let send_as = fields.value("send_as", report).and_then(|node| send_as(node, report));
    let retry = match fields.word("retry", &["never", "safe"], report) {
        Some("safe") => KeyRetry::Safe,
        _ => KeyRetry::Never,
    };
    fields.finish(report);
    Some(KeySpec { key: key?, send_as, retry })
}

fn send_as(node: &Node, report: &mut Report) -> Option<SendAs> {
    let mut fields = Fields::of(node, "`send_as`", report)?;
    let variable = fields.value("env", report);
    let header = fields.value("header", report);
    fields.finish(report);
    match (variable, header) {
        (Some(node), None) => {
            let text = expect_text(node, "`env`", report)?;
            if text == "PATH" {
                let message = "`PATH` is always the gateway's own";
                report.push(Diagnostic::error(node.span, message).with_hint("choose another variable"));
                return None;
            }
            environment::check(text, node, report).then(|| SendAs::Environment(text.to_owned()))
        }
        (None, Some(node)) => {
            let text = expect_text(node, "`header`", report)?;
            header_name(text, node, report).map(SendAs::Header)
        }
        (None, None) | (Some(_), Some(_)) => {
            let message = "`send_as` has either `env`, for a command, or `header`, for a request";
            report.push(Diagnostic::error(node.span, message));
            None
        }
    }
}

/// Checks that the key can get to what runs the call in the stated way.
pub(super) fn check_delivery(idempotency: &Idempotency, run: &Run, name: Span, report: &mut Report) {
    let Some(way) = idempotency.key().and_then(|spec| spec.send_as.as_ref()) else { return };
    let mut refuse = |message: String, hint: &str| {
        report.push(Diagnostic::error(name, message).with_hint(hint));
    };
    match (way, run) {
        (_, Run::Builtin(_)) => {
            refuse(
                "a builtin asks nobody who would know the key of `send_as`".to_owned(),
                "remove `send_as`",
            );
        }
        (_, Run::Mcp(_)) => refuse(
            "`send_as` is for commands and requests: a server gets the key as an argument, or not at all"
                .to_owned(),
            "remove `send_as`",
        ),
        (SendAs::Header(_), Run::Command(_)) => {
            refuse("`send_as.header` is for `run.http`".to_owned(), "write `send_as: {env: NAME}`");
        }
        (SendAs::Environment(_), Run::Http(_)) => {
            refuse(
                "`send_as.env` is for `run.command`".to_owned(),
                "write `send_as: {header: Idempotency-Key}`",
            );
        }
        (SendAs::Environment(variable), Run::Command(command)) => {
            let stated = command.env.iter().map(|entry| entry.name.as_str());
            let injected = command.credentials.iter().map(|(name, _)| name.as_str());
            let mut set = stated.chain(injected).chain(command.pass_env.iter().map(String::as_str));
            if set.any(|set| set == variable) {
                refuse(
                    format!("the variable `{variable}` is set by `run` too, so that it has no one value"),
                    "choose another variable for `send_as`",
                );
            }
        }
        (SendAs::Header(header), Run::Http(http)) => {
            let own = match &http.auth {
                Some(HttpAuth::Header { name, .. }) => Some(name),
                _ => None,
            };
            let mut set = http.headers.iter().map(|(name, _)| name).chain(own);
            if set.any(|set| set.eq_ignore_ascii_case(header)) {
                refuse(
                    format!("the header `{header}` is set by `run` too, so that it has no one value"),
                    "choose another header for `send_as`",
                );
            }
        }
    }
}

/// Checks that a request is sent again only where that changes nothing more.
pub(super) fn check_retries(
    idempotency: &Idempotency,
    run: &Run,
    risk: Risk,
    name: Span,
    report: &mut Report,
) {
    let Run::Http(http) = run else { return };
    if http.retries > 0 && risk != Risk::ReadOnly && !idempotency.retry_is_safe() {
        let message =
            "`retries` of a request that changes something need a key by which the service knows it";
        let hint = "write `idempotency: {key: …, send_as: {header: …}, retry: safe}`, or remove `retries`";
        report.push(Diagnostic::error(name, message).with_hint(hint));
    }
}
