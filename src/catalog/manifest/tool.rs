//! One tool of a manifest.

use std::time::Duration;

use serde_json::Value;

use crate::catalog::declarations::Told;
use crate::catalog::schema::Role;
use crate::catalog::{Contract, Digest, ExecutionMode, NetworkRule, ObjectSpec, Risk, Run, Timeout, Trust};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::document::{
    Entry, Fields, Node, NodeValue, expect_items, expect_text, expect_texts, parse_duration,
};
use crate::expression::Type;
use crate::ident::{CredentialName, Permission, ToolName};

use super::builtin::{builtin, check_risk, check_schema};
use super::command::command;
use super::compile::Compiler;
use super::errors::errors;
use super::file::{FileContext, Named};
use super::http::http;
use super::idempotency::{check_delivery, check_retries, idempotency, is_keyed};
use super::looks::looks;
use super::operation::{check_looked_up, check_operation};
use super::result::{check_named, pointer, result};
use super::sandbox::sandbox;
use super::schemas::schema;

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
const LONGEST_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// Reports a key that the design knows and this version does not act on: it must not look as if it did.
pub(super) fn unsupported(fields: &mut Fields<'_>, key: &'static str, what: &str, report: &mut Report) {
    if let Some(Entry { key_span, .. }) = fields.entry(key) {
        report.push(
            Diagnostic::error(*key_span, format!("{what} is not supported yet")).with_hint("remove it"),
        );
    }
}

/// Loads one tool. `None` where not even its name can be read.
pub(super) fn contract(node: &Node, context: &FileContext<'_>, report: &mut Report) -> Option<Named> {
    let mut fields = Fields::of(node, "a tool", report)?;
    let name_node = fields.required("name", report);
    let name = name_node.and_then(|node| name(node, context.own, report));
    let span = name_node.map_or(node.span, |node| node.span);
    let mut named = Parts::default();
    let contract = body(node, fields, name.clone(), span, context, &mut named, report);
    let Parts { known_from, probes, credentials } = named;
    Some(Named { name: name?, span, contract, known_from, probes, credentials })
}

/// What a contract refers to outside itself.
#[derive(Default)]
struct Parts {
    known_from: Vec<(String, Span)>,
    probes: Vec<(String, Span)>,
    credentials: Vec<(CredentialName, Span)>,
}

fn name(node: &Node, own: bool, report: &mut Report) -> Option<ToolName> {
    let text = expect_text(node, "`name`", report)?;
    match ToolName::parse(text) {
        Ok(name) if name.is_reserved() && !own => {
            let message =
                format!("the name `{name}` is reserved: names that start with `tgw__` are the gateway's own");
            report.push(Diagnostic::error(node.span, message));
            None
        }
        Ok(name) => Some(name),
        Err(invalid) => {
            report.push(Diagnostic::error(node.span, invalid.to_string()));
            None
        }
    }
}

fn body(
    node: &Node,
    mut fields: Fields<'_>,
    name: Option<ToolName>,
    name_span: Span,
    context: &FileContext<'_>,
    parts: &mut Parts,
    report: &mut Report,
) -> Option<Contract> {
    let owned = |text: &str| text.to_owned();
    let version = fields.text("version", report).map(owned);
    let title = fields.text("title", report).map(owned);
    let description = fields.required_text("description", report).map(owned);
    let use_when = fields.text("use_when", report).map(owned);
    let not_for = fields.text("not_for", report).map(owned);
    let changes = fields.text("changes", report).map(owned);
    let internal = fields.bool("internal", report).unwrap_or(false);

    let stated_risk = stated_risk(&mut fields, report);
    let risk = stated_risk.map_or(Risk::Destructive, |(risk, _)| risk);
    if stated_risk.is_none() && fields.entry("risk").is_none() {
        let warning = Diagnostic::warning(name_span, "`risk` is missing: the tool counts as `destructive`");
        report.push(warning.with_hint("write `risk: read_only`, `write`, `external` or `destructive`"));
    }

    let input_node = fields.required("input_schema", report);
    let input_schema = input_node.map(|node| schema(node, Role::Input, &mut parts.known_from, report));
    let output_schema = fields
        .value("output_schema", report)
        .map(|node| schema(node, Role::Output, &mut parts.known_from, report));
    let anything = Value::Bool(true);
    let compiler = Compiler::new(
        &context.file.text,
        input_schema.as_ref().map_or(&anything, |schema| &schema.json),
        // What a server promises is a part of its value, and not all of it.
        output_schema.as_ref().filter(|_| context.upstream.is_none()).map(|schema| &*schema.json),
        is_keyed(&mut fields),
        told(&mut fields),
    );

    let stated = stated_risk.map(|(risk, _)| risk);
    let idempotency = idempotency(&mut fields, name_span, stated, &compiler, report);
    let looks = looks(&mut fields, risk, &compiler, &mut parts.probes, &mut parts.known_from, report);

    let object = fields.value("object", report).and_then(|node| object(node, &compiler, report));
    let execution_mode = execution_mode(&mut fields, name_span, risk, &compiler, report);
    let timeout = fields.value("timeout", report).map(|node| timeout(node, &compiler, report));
    let permissions =
        fields.value("permissions", report).map(|node| permissions(node, report)).unwrap_or_default();
    let errors =
        fields.value("errors", report).map(|node| errors(node, &compiler, report)).unwrap_or_default();
    let examples = fields.value("examples", report).map(|node| examples(node, report)).unwrap_or_default();

    let sandbox_node = fields.value("sandbox", report);
    let sandbox = sandbox_node.and_then(|node| sandbox(node, report));
    let run = fields.required("run", report).and_then(|node| {
        let run = run(node, context, risk, &compiler, parts, report)?;
        if let Run::Builtin(builtin) = run {
            check_risk(builtin, stated_risk, report);
            if let Some(schema) = input_node {
                check_schema(builtin, schema, report);
            }
        }
        if let (Some(sandbox), Run::Builtin(_) | Run::Http(_)) = (sandbox_node, &run) {
            let what = if matches!(run, Run::Http(_)) { "a request" } else { "a builtin" };
            let message = format!("`sandbox` is for commands: {what} starts no program");
            report.push(Diagnostic::error(sandbox.span, message));
        }
        check_delivery(&idempotency, &run, name_span, report);
        check_retries(&idempotency, &run, risk, name_span, report);
        check_operation(looks.operates, &run, name_span, report);
        let looked_up = matches!(looks.reconcile, Some(Some(_)));
        // One that is stated and wrong is reported for itself.
        let verified = !matches!(looks.verify, Some(None));
        check_looked_up(looks.operates, looked_up, verified, name_span, report);
        Some(run)
    });
    let networked = match run {
        Some(Run::Http(_) | Run::Mcp(_)) => true,
        Some(Run::Command(_)) => {
            sandbox.as_ref().is_some_and(|sandbox| sandbox.network == Some(NetworkRule::Open))
        }
        Some(Run::Builtin(_)) | None => false,
    };
    let stated_egress = fields.bool("egress", report);
    let mut result = result(fields.value("result", report), name_span, report);
    if !context.file.trusted {
        result.trust = Trust::Untrusted;
    }
    let operation = looks.operation.as_ref().and_then(Option::as_ref);
    let named = [
        ("operation.id", operation.map(|operation| operation.id.as_str())),
        ("object.id", object.as_ref().and_then(|object| object.id.as_deref())),
    ];
    let place = fields.entry("result").map_or(name_span, |entry| entry.key_span);
    check_named(&result, &named, place, report);
    fields.finish(report);
    Some(Contract {
        name: name?,
        version,
        title,
        description: description?,
        use_when,
        not_for,
        risk,
        changes,
        object,
        execution_mode,
        timeout: timeout.unwrap_or(Some(Timeout::Fixed(DEFAULT_TIMEOUT)))?,
        permissions,
        input_schema: input_schema?,
        output_schema,
        errors,
        idempotency,
        preconditions: looks.preconditions?,
        operation: looks.operation?,
        reconcile: looks.reconcile?,
        verify: looks.verify?,
        internal,
        run: run?,
        sandbox,
        // A file that nobody vouches for can say that data leaves, never that it does not.
        egress: match stated_egress {
            Some(stated) if context.file.trusted => stated,
            Some(stated) => stated || networked,
            None => networked,
        },
        result,
        examples,
        location: context.sources.locate(name_span),
        digest: Digest::of(node),
    })
}

/// What the outcome of what runs is told by, known before it is loaded.
fn told(fields: &mut Fields<'_>) -> Told {
    match fields.entry("run").map(|entry| &entry.value.value) {
        Some(NodeValue::Mapping(entries)) if entries.iter().any(|entry| entry.key == "http") => Told::Http,
        _ => Told::Exit,
    }
}

fn stated_risk(fields: &mut Fields<'_>, report: &mut Report) -> Option<(Risk, Span)> {
    let words = Risk::ALL.map(Risk::as_str);
    let word = fields.word("risk", &words, report)?;
    let span = fields.entry("risk").map(|entry| entry.value.span)?;
    Risk::parse(word).map(|risk| (risk, span))
}

fn object(node: &Node, compiler: &Compiler<'_>, report: &mut Report) -> Option<ObjectSpec> {
    let mut fields = Fields::of(node, "`object`", report)?;
    let kind = fields.required_text("type", report).map(str::to_owned);
    let before = fields
        .value("before", report)
        .and_then(|node| compiler.template(node, "`before`", compiler.run(), report));
    let id = fields.value("id", report).and_then(|node| pointer(node, "`id`", report));
    fields.finish(report);
    Some(ObjectSpec { kind: kind?, before, id })
}

fn execution_mode(
    fields: &mut Fields<'_>,
    name: Span,
    risk: Risk,
    compiler: &Compiler<'_>,
    report: &mut Report,
) -> ExecutionMode {
    let mode = fields.word("execution_mode", &["parallel", "exclusive"], report);
    let condition = fields.value("parallel_when", report);
    if mode == Some("parallel") {
        if risk != Risk::ReadOnly {
            let message = format!(
                "only `read_only` tools run beside others: this one is `{}` and runs alone",
                risk.as_str()
            );
            let span = fields.entry("execution_mode").map_or(name, |entry| entry.value.span);
            report.push(Diagnostic::warning(span, message).with_hint("write `execution_mode: exclusive`"));
        }
        let when =
            condition.and_then(|node| compiler.condition(node, "`parallel_when`", compiler.run(), report));
        return ExecutionMode::Parallel { when };
    }
    if let Some(condition) = condition {
        let message = "`parallel_when` needs `execution_mode: parallel`";
        report.push(Diagnostic::error(condition.span, message));
    }
    if mode.is_none() && fields.entry("execution_mode").is_none() {
        let warning =
            Diagnostic::warning(name, "`execution_mode` is missing: the tool counts as `exclusive`");
        report.push(warning.with_hint("write `execution_mode: parallel` or `exclusive`"));
    }
    ExecutionMode::Exclusive
}

fn timeout(node: &Node, compiler: &Compiler<'_>, report: &mut Report) -> Option<Timeout> {
    if !matches!(node.value, NodeValue::Mapping(_)) {
        return duration(node, "`timeout`", report).map(Timeout::Fixed);
    }
    let mut fields = Fields::of(node, "`timeout`", report)?;
    let expression = fields
        .required("from", report)
        .and_then(|node| compiler.expression(node, "`from`", compiler.run(), &Type::Int, report));
    let max = fields.required("max", report).and_then(|node| duration(node, "`max`", report));
    fields.finish(report);
    Some(Timeout::From { expression: expression?, max: max? })
}

pub(super) fn duration(node: &Node, what: &str, report: &mut Report) -> Option<Duration> {
    let text = match &node.value {
        NodeValue::Number(number) => &number.to_string(),
        _ => expect_text(node, what, report)?,
    };
    let problem = match parse_duration(text) {
        Some(duration) if duration.is_zero() => format!("{what} must be longer than zero"),
        Some(duration) if duration > LONGEST_TIMEOUT => format!("{what} must be at most 24h, found `{text}`"),
        Some(duration) => return Some(duration),
        None => format!("{what} must be a duration, found `{text}`"),
    };
    report.push(
        Diagnostic::error(node.span, problem).with_hint("write it like `1500ms`, `30s`, `15m` or `24h`"),
    );
    None
}

fn permissions(node: &Node, report: &mut Report) -> Vec<Permission> {
    let mut permissions: Vec<Permission> = Vec::new();
    for (text, node) in expect_texts(node, "`permissions`", report) {
        match Permission::parse(text) {
            Ok(permission) if permissions.contains(&permission) => {
                report.push(Diagnostic::error(
                    node.span,
                    format!("the permission `{permission}` occurs twice"),
                ));
            }
            Ok(permission) => permissions.push(permission),
            Err(invalid) => report.push(Diagnostic::error(node.span, invalid.to_string())),
        }
    }
    permissions
}

fn examples(node: &Node, report: &mut Report) -> Vec<Value> {
    let items = expect_items(node, "`examples`", report).unwrap_or_default();
    let mut examples = Vec::new();
    for item in items {
        let Some(mut fields) = Fields::of(item, "an example", report) else { continue };
        if let Some(arguments) = fields.required("arguments", report) {
            if matches!(arguments.value, NodeValue::Mapping(_)) {
                examples.push(arguments.to_json());
            } else {
                let found = crate::document::found(arguments);
                let message = format!("`arguments` must be a mapping, found {found}");
                report.push(Diagnostic::error(arguments.span, message));
            }
        }
        fields.finish(report);
    }
    examples
}

fn run(
    node: &Node,
    context: &FileContext<'_>,
    risk: Risk,
    compiler: &Compiler<'_>,
    parts: &mut Parts,
    report: &mut Report,
) -> Option<Run> {
    let mut fields = Fields::of(node, "`run`", report)?;
    let builtin_node = fields.value("builtin", report);
    let command_node = fields.value("command", report);
    if let (Some(upstream), Some(node)) = (context.upstream, fields.value("mcp", report)) {
        fields.finish(report);
        return super::upstream::run(node, upstream, risk, compiler, report);
    }
    if let Some(Entry { key_span, .. }) = fields.entry("mcp") {
        let hint = "state the server under `servers` and run `tgw lock`: its tools come by themselves";
        report.push(Diagnostic::error(*key_span, "`run.mcp` is not written by hand").with_hint(hint));
        fields.finish(report);
        return None;
    }
    let http_node = fields.value("http", report);
    let mut later = false;
    for (key, what) in [("container", "`run.container`"), ("agent", "`run.agent`")] {
        later |= fields.entry(key).is_some();
        unsupported(&mut fields, key, what, report);
    }
    fields.finish(report);
    let loaded = match (builtin_node, command_node, http_node) {
        (Some(node), None, None) => builtin(node, context.own, report).map(Run::Builtin),
        (None, None, Some(node)) => {
            http(node, risk, compiler, &mut parts.credentials, report).map(|spec| Run::Http(Box::new(spec)))
        }
        (None, Some(node), None) => command(node, &context.file.base, risk, compiler, report).map(|loaded| {
            parts.credentials.extend(loaded.credentials);
            Run::Command(Box::new(loaded.spec))
        }),
        (None, None, None) if later => None,
        _ => {
            let message = "a tool has exactly one executor";
            report.push(
                Diagnostic::error(node.span, message)
                    .with_hint("write `run: {builtin: …}`, `run: {command: […]}` or `run: {http: {…}}`"),
            );
            None
        }
    };
    loaded.filter(|_| !later)
}
