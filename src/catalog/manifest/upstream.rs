//! From an accepted tool of a server, and what the manifest says of it, to a contract like any other.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::catalog::{Digest, LockedServer, LockedTool, McpSpec, Risk, Run, ServerSpec, declarations};
use crate::diagnostic::{Diagnostic, Report, Severity, Span};
use crate::document::{Entry, Fields, Node, NodeValue};

use super::compile::Compiler;
use super::file::{FileContext, Named};
use super::server::LoadedServer;
use super::tool::contract;

/// What the contract at hand is a tool of.
#[derive(Clone, Copy)]
pub(super) struct Upstream<'a> {
    spec: &'a Arc<ServerSpec>,
    tool: &'a LockedTool,
    protocol: Option<&'a str>,
}

/// What only the server may say, and what holds for all its tools.
const FOREIGN: [(&str, &str); 7] = [
    ("name", "write `alias` for another name"),
    ("title", "it is the server's, as tgw.lock has it"),
    ("description", "it is the server's, as tgw.lock has it; add `use_when` and `not_for`"),
    ("input_schema", "it is the server's, as tgw.lock has it; a rule can narrow what is allowed"),
    ("output_schema", "it is the server's, as tgw.lock has it"),
    ("run", "the server runs it"),
    ("sandbox", "write it for the whole server"),
];

/// Makes the contracts of a server's accepted tools.
///
/// What the manifest says wrongly is an error. A tool that cannot be used for what the server says of it is left out, with a
/// warning: one server must not keep all others from working.
pub(super) fn tools(
    server: &LoadedServer<'_>,
    locked: Option<&LockedServer>,
    context: &FileContext<'_>,
    report: &mut Report,
) -> Vec<Named> {
    for overlay in server.overlays {
        check_overlay(overlay, report);
        if locked.is_some_and(|locked| !locked.tools.contains_key(&overlay.key)) {
            let message = format!("tgw.lock accepts no tool `{}` of `{}`", overlay.key, server.spec.name);
            let hint = format!("`tgw lock {}` shows what there is", server.spec.name);
            report.push(Diagnostic::warning(overlay.key_span, message).with_hint(hint));
        }
    }
    let Some(locked) = locked else {
        let message =
            format!("no tool of the server `{}` is accepted yet, so that none is visible", server.spec.name);
        let hint = format!("run `tgw lock {}`", server.spec.name);
        report.push(Diagnostic::warning(server.span, message).with_hint(hint));
        return Vec::new();
    };
    let mut loaded = Vec::new();
    for tool in locked.tools.values() {
        match one(server, locked, tool, context, report) {
            Ok(named) => loaded.push(named),
            Err(Some(problem)) => {
                let message =
                    format!("the tool `{}` of `{}` cannot be used: {problem}", tool.name, server.spec.name);
                report.push(Diagnostic::warning(server.span, message));
            }
            Err(None) => {}
        }
    }
    loaded
}

fn check_overlay(overlay: &Entry, report: &mut Report) {
    let NodeValue::Mapping(entries) = &overlay.value.value else {
        let message = format!("what is said of the tool `{}` must be a mapping", overlay.key);
        report.push(Diagnostic::error(overlay.value.span, message));
        return;
    };
    for entry in entries {
        if let Some((key, hint)) = FOREIGN.iter().find(|(key, _)| *key == entry.key) {
            let message = format!("`{key}` is not for a tool of a server");
            report.push(Diagnostic::error(entry.key_span, message).with_hint(*hint));
        }
    }
}

/// Makes one contract. The inner error says what of the server's own words cannot be used; without one the report has it.
fn one(
    server: &LoadedServer<'_>,
    locked: &LockedServer,
    tool: &LockedTool,
    context: &FileContext<'_>,
    report: &mut Report,
) -> Result<Named, Option<String>> {
    let spec = &server.spec;
    let name = spec.exposes(&tool.name).map_err(Some)?;
    for schema in ["inputSchema", "outputSchema"] {
        // Only a person's own schema may ask the gateway to look at files or at earlier results.
        if tool.pinned.get(schema).is_some_and(has_own_keyword) {
            return Err(Some(format!("its `{schema}` has keywords of the gateway's own")));
        }
    }
    let overlay = server.overlays.iter().find(|overlay| overlay.key == tool.name);
    let said: &[Entry] = match overlay.map(|overlay| &overlay.value.value) {
        Some(NodeValue::Mapping(entries)) => entries,
        _ => &[],
    };
    // What is wrong at the name is wrong with what the person says.
    let place = overlay.map_or(server.span, |overlay| overlay.key_span);
    let node = written(server, tool, Node { value: NodeValue::String(name.to_string()), span: place }, said);
    let upstream = Upstream { spec, tool, protocol: locked.protocol.as_deref() };
    let context = FileContext { upstream: Some(upstream), ..*context };
    let mut found = Report::default();
    let named = contract(&node, &context, &mut found);
    let mut problem = None;
    for diagnostic in found.diagnostics().iter().cloned() {
        if diagnostic.span != server.span {
            report.push(diagnostic);
        } else if diagnostic.severity == Severity::Error {
            problem.get_or_insert(diagnostic.message);
        }
    }
    if let Some(problem) = problem {
        return Err(Some(problem));
    }
    let mut named = named.ok_or(None)?;
    match &mut named.contract {
        Some(contract) => contract.sandbox = Some(spec.sandbox.clone()),
        None => return Err(None),
    }
    Ok(named)
}

/// Whether a key anywhere in a schema is one of the gateway's own keywords.
fn has_own_keyword(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.iter().any(|(key, value)| key.starts_with("x-tgw-") || has_own_keyword(value))
        }
        Value::Array(items) => items.iter().any(has_own_keyword),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The contract as it would be written in a manifest: what the server says, then what the person says, then the strictest.
fn written(server: &LoadedServer<'_>, tool: &LockedTool, name: Node, said: &[Entry]) -> Node {
    let span = server.span;
    let made = |key: &str, value: &Value| Entry::new(key, Node::from_json(value, span));
    let description =
        tool.text("description").or(tool.text("title")).unwrap_or("(the server does not describe it)");
    let mut entries = vec![Entry::new("name", name), made("description", &json!(description))];
    if let Some(title) = tool.text("title") {
        entries.push(made("title", &json!(title)));
    }
    for (key, own) in [("input_schema", "inputSchema"), ("output_schema", "outputSchema")] {
        entries.extend(tool.pinned.get(own).map(|schema| made(key, schema)));
    }
    let mut run = vec![
        made("server", &json!(server.spec.name.as_str())),
        made("started", &json!(started(server, span).to_string())),
        made("tool", &json!(tool.name)),
        made("pinned", &json!(tool.digest.to_string())),
    ];
    for entry in said {
        match entry.key.as_str() {
            "alias" => {}
            "no_effect" => run.push(entry.clone()),
            "result" => entries.push(with_trust(entry)),
            _ => entries.push(entry.clone()),
        }
    }
    let states = |key: &str| said.iter().any(|entry| entry.key == key);
    let risk = said.iter().find(|entry| entry.key == "risk").map(|entry| &entry.value.value);
    let keyless = ![Risk::ReadOnly, Risk::Write]
        .iter()
        .any(|mild| risk == Some(&NodeValue::String(mild.as_str().to_owned())));
    let strictest = [
        ("risk", json!("destructive"), true),
        ("execution_mode", json!("exclusive"), true),
        ("idempotency", json!("none"), keyless),
        ("egress", json!(true), true),
        ("result", json!({ "trust": "untrusted" }), true),
    ];
    for (key, value, applies) in strictest {
        if applies && !states(key) {
            entries.push(made(key, &value));
        }
    }
    if let Some(timeout) = server.timeout.filter(|_| !states("timeout")) {
        entries.push(Entry { key: "timeout".to_owned(), key_span: timeout.span, value: timeout.clone() });
    }
    let mcp = Node { value: NodeValue::Mapping(run), span };
    let run = Node { value: NodeValue::Mapping(vec![Entry::new("mcp", mcp)]), span };
    entries.push(Entry::new("run", run));
    Node { value: NodeValue::Mapping(entries), span }
}

/// What is said of a result is said of a stranger's words, unless the person vouches for them.
fn with_trust(entry: &Entry) -> Entry {
    let mut entry = entry.clone();
    if let NodeValue::Mapping(entries) = &mut entry.value.value
        && !entries.iter().any(|entry| entry.key == "trust")
    {
        let untrusted = Node { value: NodeValue::String("untrusted".to_owned()), span: entry.value.span };
        entries.push(Entry::new("trust", untrusted));
    }
    entry
}

/// The digest of how the server is started: a yes to a tool is none to another program.
fn started(server: &LoadedServer<'_>, span: Span) -> Digest {
    let entries = server.stated.iter().map(|entry| (*entry).clone()).collect();
    Digest::of(&Node { value: NodeValue::Mapping(entries), span })
}

/// `run.mcp`, which only this module writes.
pub(super) fn run(
    node: &Node,
    upstream: Upstream<'_>,
    risk: Risk,
    compiler: &Compiler<'_>,
    report: &mut Report,
) -> Option<Run> {
    let mut fields = Fields::of(node, "`mcp`", report)?;
    for key in ["server", "started", "tool", "pinned"] {
        fields.entry(key);
    }
    let no_effect = fields.value("no_effect", report).and_then(|node| {
        if risk == Risk::ReadOnly {
            let message = "`no_effect` is for tools that change something, and this one is `read_only`";
            report.push(Diagnostic::error(node.span, message));
        }
        compiler.condition(node, "`no_effect`", &declarations::valued(compiler.run(), None), report)
    });
    fields.finish(report);
    Some(Run::Mcp(Box::new(McpSpec {
        server: Arc::clone(upstream.spec),
        tool: upstream.tool.name.clone(),
        pinned: upstream.tool.digest,
        protocol: upstream.protocol.map(str::to_owned),
        no_effect,
    })))
}

#[cfg(test)]
mod tests;
