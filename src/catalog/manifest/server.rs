//! `servers`: upstream servers, and how each is started.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::catalog::{ServerSpec, exposed_name};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::document::{Entry, Fields, Node, NodeValue, expect_text, expect_texts, found};
use crate::ident::{CredentialName, ServerName};

use super::command::{injected, once, pass_env};
use super::environment;
use super::file::FileContext;
use super::sandbox::{relative_inside, sandbox};
use super::tool::duration;

const START: Duration = Duration::from_secs(30);
const PROBE: Duration = Duration::from_secs(2);
const MESSAGE: u64 = 32 << 20;
const MOST_MESSAGE: u64 = 256 << 20;

/// What a manifest says of a server, and where.
pub(super) struct LoadedServer<'n> {
    pub(super) spec: Arc<ServerSpec>,
    pub(super) span: Span,
    /// All of it but for what it says of single tools.
    pub(super) stated: Vec<&'n Entry>,
    /// How long its tools may take, where it says so.
    pub(super) timeout: Option<&'n Node>,
    /// What it says of single tools, by their own names.
    pub(super) overlays: &'n [Entry],
    pub(super) credentials: Vec<(CredentialName, Span)>,
}

/// Loads `servers`.
pub(super) fn servers<'n>(
    node: &'n Node,
    context: &FileContext<'_>,
    report: &mut Report,
) -> Vec<LoadedServer<'n>> {
    let NodeValue::Mapping(entries) = &node.value else {
        let message = format!("`servers` must be a mapping, found {}", found(node));
        report.push(Diagnostic::error(node.span, message).with_hint("write `name: {command: […]}`"));
        return Vec::new();
    };
    entries.iter().filter_map(|entry| server(entry, context, report)).collect()
}

fn server<'n>(entry: &'n Entry, context: &FileContext<'_>, report: &mut Report) -> Option<LoadedServer<'n>> {
    let name = match ServerName::parse(&entry.key) {
        Ok(name) => Some(name),
        Err(invalid) => {
            report.push(Diagnostic::error(entry.key_span, invalid.to_string()));
            None
        }
    };
    let mut fields = Fields::of(&entry.value, format_args!("the server `{}`", entry.key), report)?;
    let mut used = Vec::new();
    let command = fields.required("command", report).and_then(|node| command(node, report));
    let credentials =
        fields.value("credentials", report).map(|node| injected(node, &mut used, report)).unwrap_or_default();
    let prefix = match fields.value("prefix", report) {
        Some(Node { value: NodeValue::String(text), .. }) if text.is_empty() => Some(String::new()),
        Some(node) => expect_text(node, "`prefix`", report).and_then(|text| prefix(text, node, report)),
        None => Some(format!("mcp__{}", entry.key)),
    };
    let installed_in = fields
        .value("installed_in", report)
        .map(|node| folders(node, &context.file.base, report))
        .unwrap_or_default();
    let mut sandbox =
        fields.value("sandbox", report).and_then(|node| sandbox(node, report)).unwrap_or_default();
    // It lives longer than a call, and what it leaves in the workspace would be nobody's.
    sandbox.write.get_or_insert_default();
    let mut time = |key: &'static str, usual: Duration| match fields.value(key, report) {
        Some(node) => duration(node, &format!("`{key}`"), report),
        None => Some(usual),
    };
    let start_timeout = time("start_timeout", START);
    let probe_timeout = time("probe_timeout", PROBE);
    let message = fields.integer("max_message_bytes", 1024..=MOST_MESSAGE, report).unwrap_or(MESSAGE);
    let timeout = fields.value("timeout", report);
    let overlays = fields.value("tools", report).map(|node| overlays(node, report)).unwrap_or_default();
    fields.finish(report);
    let Command { argv, cwd, env, pass_env } = command?;
    let stated = env.iter().map(|(name, _)| name.as_str());
    let given = credentials.iter().map(|(name, _)| name.as_str());
    once(stated.chain(given).chain(pass_env.iter().map(String::as_str)), &entry.value, report);
    let spec = ServerSpec {
        name: name?,
        argv,
        program_base: context.file.base.clone(),
        cwd,
        env,
        pass_env,
        credentials,
        prefix: prefix?,
        installed_in,
        sandbox,
        start_timeout: start_timeout?,
        probe_timeout: probe_timeout?,
        max_message_bytes: usize::try_from(message).ok()?,
        aliases: aliases(overlays, report),
        location: context.sources.locate(entry.key_span),
    };
    let NodeValue::Mapping(all) = &entry.value.value else { return None };
    Some(LoadedServer {
        spec: Arc::new(spec),
        span: entry.key_span,
        stated: all.iter().filter(|entry| entry.key != "tools").collect(),
        timeout,
        overlays,
        credentials: used,
    })
}

struct Command {
    argv: Vec<String>,
    cwd: String,
    env: Vec<(String, String)>,
    pass_env: Vec<String>,
}

/// How it is started. Nothing of a call gets there, so nothing is filled in.
fn command(node: &Node, report: &mut Report) -> Option<Command> {
    if matches!(node.value, NodeValue::Sequence(_)) {
        let argv = argv(node, report)?;
        return Some(Command { argv, cwd: String::new(), env: Vec::new(), pass_env: Vec::new() });
    }
    let mut fields = Fields::of(node, "`command`", report)?;
    let argv = fields.required("argv", report).and_then(|node| argv(node, report));
    let cwd = match fields.value("cwd", report) {
        None => Some(String::new()),
        Some(node) => expect_text(node, "`cwd`", report).and_then(|text| {
            let inside = relative_inside(text);
            if !inside {
                let message = format!("`cwd` must be a path inside the workspace, found `{text}`");
                report.push(
                    Diagnostic::error(node.span, message)
                        .with_hint("write it relative to the workspace, without `..`"),
                );
            }
            inside.then(|| if text == "." { String::new() } else { text.to_owned() })
        }),
    };
    let env = fields.value("env", report).map(|node| env(node, report)).unwrap_or_default();
    let pass_env = fields.value("pass_env", report).map(|node| pass_env(node, report)).unwrap_or_default();
    fields.finish(report);
    Some(Command { argv: argv?, cwd: cwd?, env, pass_env })
}

fn argv(node: &Node, report: &mut Report) -> Option<Vec<String>> {
    let texts = expect_texts(node, "`argv`", report);
    let count = match &node.value {
        NodeValue::Sequence(items) => items.len(),
        _ => 0,
    };
    let plain: Vec<String> = texts
        .into_iter()
        .filter(|(text, node)| literal(text, node, report))
        .map(|(text, _)| text.to_owned())
        .collect();
    (count > 0 && plain.len() == count).then_some(plain)
}

fn literal(text: &str, node: &Node, report: &mut Report) -> bool {
    let problem = if text.contains("{{") {
        "nothing can be filled in here: a server starts once, for no call in particular"
    } else if text.contains('\0') {
        "it holds a NUL character"
    } else {
        return true;
    };
    report.push(Diagnostic::error(node.span, problem));
    false
}

fn env(node: &Node, report: &mut Report) -> Vec<(String, String)> {
    let NodeValue::Mapping(entries) = &node.value else {
        report.push(Diagnostic::error(node.span, format!("`env` must be a mapping, found {}", found(node))));
        return Vec::new();
    };
    let mut loaded = Vec::new();
    for entry in entries {
        let key = Node { value: NodeValue::String(entry.key.clone()), span: entry.key_span };
        let named = environment::check(&entry.key, &key, report);
        if entry.key == "PATH" {
            let message = "`PATH` is always the gateway's own";
            report.push(
                Diagnostic::error(entry.key_span, message).with_hint("write the program's path in `argv`"),
            );
        }
        let what = format!("`{}`", entry.key);
        if let Some(text) = expect_text(&entry.value, what, report)
            && literal(text, &entry.value, report)
            && named
        {
            loaded.push((entry.key.clone(), text.to_owned()));
        }
    }
    loaded
}

/// Folders, absolute or relative to the manifest.
fn folders(node: &Node, base: &Path, report: &mut Report) -> Vec<PathBuf> {
    let texts = expect_texts(node, "`installed_in`", report);
    texts
        .into_iter()
        .filter(|(text, node)| literal(text, node, report))
        .map(|(text, _)| base.join(text))
        .collect()
}

fn prefix(text: &str, node: &Node, report: &mut Report) -> Option<String> {
    match exposed_name(text, "x", None) {
        Ok(_) => Some(text.to_owned()),
        Err(problem) => {
            report.push(Diagnostic::error(
                node.span,
                format!("`prefix` cannot stand before a name: {problem}"),
            ));
            None
        }
    }
}

fn overlays<'n>(node: &'n Node, report: &mut Report) -> &'n [Entry] {
    match &node.value {
        NodeValue::Mapping(entries) => entries,
        _ => {
            let message =
                format!("`tools` must be a mapping of the server's own names, found {}", found(node));
            report.push(Diagnostic::error(node.span, message).with_hint("write `search: {risk: read_only}`"));
            &[]
        }
    }
}

fn aliases(overlays: &[Entry], report: &mut Report) -> Vec<(String, String)> {
    let mut aliases = Vec::new();
    for overlay in overlays {
        let NodeValue::Mapping(entries) = &overlay.value.value else { continue };
        let Some(alias) = entries.iter().find(|entry| entry.key == "alias") else { continue };
        let Some(text) = expect_text(&alias.value, "`alias`", report) else { continue };
        match exposed_name("", &overlay.key, Some(text)) {
            Ok(_) => aliases.push((overlay.key.clone(), text.to_owned())),
            Err(problem) => report.push(Diagnostic::error(alias.value.span, problem)),
        }
    }
    aliases
}
