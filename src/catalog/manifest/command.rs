//! `run.command`: a program without a shell.

use std::path::Path;
use std::sync::Arc;

use crate::catalog::{
    ArgumentPart, CommandSpec, EnvironmentEntry, OutputFormat, Overflow, Risk, StdinSpec, Streams,
};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::document::{Fields, Node, NodeValue, expect_items, expect_text, expect_texts, found};
use crate::expression::{Declarations, Template, Type};
use crate::ident::CredentialName;

use super::compile::Compiler;
use super::environment;
use super::sandbox::relative_inside;

/// Most bytes of output that a contract may ask for.
const MOST_OUTPUT: u64 = 256 << 20;
const DEFAULT_OUTPUT: usize = 8 << 20;

/// A command, and the credentials it names with their places.
pub(super) struct LoadedCommand {
    pub(super) spec: CommandSpec,
    pub(super) credentials: Vec<(CredentialName, Span)>,
}

/// Loads `run.command`: a list is short for its `argv`.
pub(super) fn command(
    node: &Node,
    base: &Path,
    risk: Risk,
    compiler: &Compiler<'_>,
    report: &mut Report,
) -> Option<LoadedCommand> {
    if matches!(node.value, NodeValue::Sequence(_)) {
        let argv = argv(node, compiler, report)?;
        return Some(LoadedCommand { spec: plain(argv, base), credentials: Vec::new() });
    }
    let mut fields = Fields::of(node, "`command`", report)?;
    let argv = fields.required("argv", report).and_then(|node| self::argv(node, compiler, report));
    let mut credentials = Vec::new();
    let cwd = fields.value("cwd", report).and_then(|node| cwd(node, compiler, report));
    let env = fields.value("env", report).map(|node| env(node, compiler, report)).unwrap_or_default();
    let pass_env = fields.value("pass_env", report).map(|node| pass_env(node, report)).unwrap_or_default();
    let injected = fields
        .value("credentials", report)
        .map(|node| injected(node, &mut credentials, report))
        .unwrap_or_default();
    let stdin = fields.value("stdin", report).map(|node| stdin(node, compiler, &mut credentials, report));
    let output = match fields.word("output", &["text", "json", "json_lines"], report) {
        Some("json") => OutputFormat::Json,
        Some("json_lines") => OutputFormat::JsonLines,
        _ => OutputFormat::Text,
    };
    let streams = match fields.word("streams", &["stdout", "merged"], report) {
        Some("merged") => Streams::Merged,
        _ => Streams::Stdout,
    };
    let success = fields
        .value("success", report)
        .and_then(|node| compiler.condition(node, "`success`", compiler.outcome(), report));
    let no_effect = fields.value("no_effect", report).and_then(|node| {
        if risk == Risk::ReadOnly {
            let message = "`no_effect` is for tools that change something, and this one is `read_only`";
            report.push(Diagnostic::error(node.span, message));
        }
        compiler.condition(node, "`no_effect`", compiler.outcome(), report)
    });
    let most = fields.integer("max_output_bytes", 1..=MOST_OUTPUT, report);
    let on_overflow = match fields.word("on_overflow", &["truncate", "fail"], report) {
        Some("fail") => Overflow::Fail,
        Some(_) => Overflow::Truncate,
        // Half a JSON value is none.
        None if output == OutputFormat::Json => Overflow::Fail,
        None => Overflow::Truncate,
    };
    fields.finish(report);
    let names = env.iter().map(|e| e.name.as_str()).chain(injected.iter().map(|(n, _)| n.as_str()));
    once(names.chain(pass_env.iter().map(String::as_str)), node, report);
    let spec = CommandSpec {
        cwd,
        env,
        pass_env,
        credentials: injected,
        stdin: stdin.flatten().unwrap_or(StdinSpec::Empty),
        output,
        streams,
        success,
        no_effect,
        max_output_bytes: most.and_then(|most| usize::try_from(most).ok()).unwrap_or(DEFAULT_OUTPUT),
        on_overflow,
        ..plain(argv?, base)
    };
    Some(LoadedCommand { spec, credentials })
}

fn plain(argv: Vec<ArgumentPart>, base: &Path) -> CommandSpec {
    CommandSpec {
        argv,
        program_base: base.to_owned(),
        cwd: None,
        env: Vec::new(),
        pass_env: Vec::new(),
        credentials: Vec::new(),
        stdin: StdinSpec::Empty,
        output: OutputFormat::Text,
        streams: Streams::Stdout,
        success: None,
        no_effect: None,
        max_output_bytes: DEFAULT_OUTPUT,
        on_overflow: Overflow::Truncate,
    }
}

fn argv(node: &Node, compiler: &Compiler<'_>, report: &mut Report) -> Option<Vec<ArgumentPart>> {
    let items = expect_items(node, "`argv`", report)?;
    let (program, _) = items.split_first()?;
    let literal = match &program.value {
        NodeValue::String(text) => !text.contains("{{"),
        _ => false,
    };
    if !literal {
        let message = "the program in `argv` must be written out, not filled in";
        report.push(Diagnostic::error(program.span, message).with_hint("make one tool for each program"));
    }
    refuse_shell_script(items, report);
    let parts: Vec<Option<ArgumentPart>> = items.iter().map(|item| part(item, compiler, report)).collect();
    parts.into_iter().collect::<Option<Vec<_>>>().filter(|_| literal)
}

/// A placeholder inside the script of a shell would be parsed again by that shell: one value becomes many words.
fn refuse_shell_script(items: &[Node], report: &mut Report) {
    const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "ksh", "fish", "busybox", "env"];
    let text = |node: &Node| match &node.value {
        NodeValue::String(text) => Some(text.clone()),
        _ => None,
    };
    let is_shell = |word: &str| SHELLS.contains(&word.rsplit('/').next().unwrap_or(word));
    let Some(shell) = items.iter().filter_map(text).position(|word| is_shell(&word)) else { return };
    let mut script = false;
    for item in items.iter().skip(shell + 1) {
        let Some(word) = text(item) else { continue };
        if script {
            if word.contains("{{") {
                let message = "a placeholder inside a shell script would be run as part of it";
                report.push(
                    Diagnostic::error(item.span, message)
                        .with_hint("pass the value as an argument after the script and write \"$1\" in it"),
                );
            }
            return;
        }
        script = word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    }
}

fn part(node: &Node, compiler: &Compiler<'_>, report: &mut Report) -> Option<ArgumentPart> {
    if !matches!(node.value, NodeValue::Mapping(_)) {
        return compiler.template(node, "an argument", compiler.run(), report).map(ArgumentPart::One);
    }
    let mut fields = Fields::of(node, "an argument", report)?;
    let when = fields.value("when", report);
    let each = fields.value("each", report);
    let args = fields.required("args", report);
    fields.finish(report);
    match (when, each) {
        (Some(when), None) => {
            let when = compiler.condition(when, "`when`", compiler.run(), report);
            let variables = when.as_ref().map(|when| compiler.guarded_by(when));
            let args = templates(args?, variables.as_ref().unwrap_or(compiler.run()), compiler, report);
            Some(ArgumentPart::When { when: when?, args: args? })
        }
        (None, Some(each)) => {
            let list = Type::List(Arc::new(Type::Dynamic));
            // Without its list nothing is known about `item`, so that its reads could only be reported wrongly.
            let each = compiler.expression(each, "`each`", compiler.run(), &list, report)?;
            let args = templates(args?, &compiler.each(&each), compiler, report)?;
            Some(ArgumentPart::Each { each, args })
        }
        (None, None) | (Some(_), Some(_)) => {
            let message = "a part of `argv` has either `when` or `each`, and `args`";
            report.push(Diagnostic::error(node.span, message));
            None
        }
    }
}

fn templates(
    node: &Node,
    variables: &Declarations,
    compiler: &Compiler<'_>,
    report: &mut Report,
) -> Option<Vec<Template>> {
    let items = expect_items(node, "`args`", report)?;
    let compiled: Vec<Option<Template>> =
        items.iter().map(|item| compiler.template(item, "an argument", variables, report)).collect();
    compiled.into_iter().collect()
}

fn cwd(node: &Node, compiler: &Compiler<'_>, report: &mut Report) -> Option<Template> {
    let text = expect_text(node, "`cwd`", report)?;
    if !text.contains("{{") && !relative_inside(text) {
        let message = format!("`cwd` must be a path inside the workspace, found `{text}`");
        report.push(
            Diagnostic::error(node.span, message)
                .with_hint("write it relative to the workspace, without `..`"),
        );
        return None;
    }
    compiler.template(node, "`cwd`", compiler.run(), report)
}

fn env(node: &Node, compiler: &Compiler<'_>, report: &mut Report) -> Vec<EnvironmentEntry> {
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
        if let (Some(value), true) = (compiler.template(&entry.value, &what, compiler.run(), report), named) {
            loaded.push(EnvironmentEntry { name: entry.key.clone(), value });
        }
    }
    loaded
}

pub(super) fn pass_env(node: &Node, report: &mut Report) -> Vec<String> {
    let names = expect_texts(node, "`pass_env`", report);
    names
        .into_iter()
        .filter(|(name, node)| environment::check(name, node, report))
        .map(|(n, _)| n.to_owned())
        .collect()
}

pub(super) fn injected(
    node: &Node,
    used: &mut Vec<(CredentialName, Span)>,
    report: &mut Report,
) -> Vec<(String, CredentialName)> {
    let NodeValue::Mapping(entries) = &node.value else {
        let message = format!("`credentials` must be a mapping, found {}", found(node));
        report.push(Diagnostic::error(node.span, message).with_hint("write `VARIABLE: credential`"));
        return Vec::new();
    };
    let mut loaded = Vec::new();
    for entry in entries {
        let key = Node { value: NodeValue::String(entry.key.clone()), span: entry.key_span };
        let named = environment::check(&entry.key, &key, report);
        if let (Some(credential), true) = (credential(&entry.value, used, report), named) {
            loaded.push((entry.key.clone(), credential));
        }
    }
    loaded
}

fn credential(
    node: &Node,
    used: &mut Vec<(CredentialName, Span)>,
    report: &mut Report,
) -> Option<CredentialName> {
    let text = expect_text(node, "a credential", report)?;
    match CredentialName::parse(text) {
        Ok(name) => {
            used.push((name.clone(), node.span));
            Some(name)
        }
        Err(invalid) => {
            report.push(Diagnostic::error(node.span, invalid.to_string()));
            None
        }
    }
}

fn stdin(
    node: &Node,
    compiler: &Compiler<'_>,
    used: &mut Vec<(CredentialName, Span)>,
    report: &mut Report,
) -> Option<StdinSpec> {
    if !matches!(node.value, NodeValue::Mapping(_)) {
        return compiler.template(node, "`stdin`", compiler.run(), report).map(StdinSpec::Template);
    }
    let mut fields = Fields::of(node, "`stdin`", report)?;
    let name = fields.required("credential", report).and_then(|node| credential(node, used, report));
    fields.finish(report);
    name.map(StdinSpec::Credential)
}

/// A variable that two places set has no one value.
pub(super) fn once<'n>(names: impl Iterator<Item = &'n str>, node: &Node, report: &mut Report) {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            let message =
                format!("the variable `{name}` is set twice among `env`, `pass_env` and `credentials`");
            report.push(Diagnostic::error(node.span, message));
        }
    }
}
