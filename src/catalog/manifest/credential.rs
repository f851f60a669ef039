//! `credentials`: names, and where their values come from when they are needed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::catalog::{CredentialSource, CredentialSpec, MintSpec};
use crate::diagnostic::{Diagnostic, Report, SourceMap, Span};
use crate::document::{Fields, Node, NodeValue, expect_text, expect_texts, found};
use crate::ident::CredentialName;

use super::environment;
use super::tool::{duration, unsupported};

/// Loads the credentials of a manifest.
pub(super) fn credentials(
    node: &Node,
    base: &Path,
    sources: &SourceMap,
    report: &mut Report,
) -> Vec<(CredentialSpec, Span)> {
    let NodeValue::Mapping(entries) = &node.value else {
        let message = format!("`credentials` must be a mapping, found {}", found(node));
        report.push(Diagnostic::error(node.span, message));
        return Vec::new();
    };
    let mut loaded = Vec::new();
    for entry in entries {
        let name = match CredentialName::parse(&entry.key) {
            Ok(name) => Some(name),
            Err(invalid) => {
                report.push(Diagnostic::error(entry.key_span, invalid.to_string()));
                None
            }
        };
        let Some(mut fields) =
            Fields::of(&entry.value, format_args!("the credential `{}`", entry.key), report)
        else {
            continue;
        };
        let source = fields.required("source", report).and_then(|node| source(node, base, report));
        let cache = fields.value("cache", report).and_then(|node| cache(node, source.as_ref(), report));
        fields.finish(report);
        if let (Some(name), Some(source)) = (name, source) {
            let location = sources.locate(entry.key_span);
            loaded.push((CredentialSpec { name, source, cache, location }, entry.key_span));
        }
    }
    loaded
}

fn cache(node: &Node, source: Option<&CredentialSource>, report: &mut Report) -> Option<Duration> {
    let kept = duration(node, "`cache`", report)?;
    if !matches!(source, None | Some(CredentialSource::Command(_))) {
        let message = "`cache` is for the source `command`";
        report.push(
            Diagnostic::error(node.span, message).with_hint("every other source is looked at for each call"),
        );
    }
    Some(kept)
}

fn source(node: &Node, base: &Path, report: &mut Report) -> Option<CredentialSource> {
    let mut fields = Fields::of(node, "`source`", report)?;
    let mut found = Vec::new();
    if let Some(node) = fields.value("env", report)
        && let Some(name) = expect_text(node, "`env`", report)
        && environment::check(name, node, report)
    {
        found.push(CredentialSource::Env(name.to_owned()));
    }
    if let Some(node) = fields.value("file", report)
        && let Some(path) = expect_text(node, "`file`", report)
    {
        found.push(CredentialSource::File(in_folder(base, path)));
    }
    if let Some(node) = fields.value("command", report) {
        let words: Vec<String> =
            expect_texts(node, "`command`", report).into_iter().map(|(word, _)| word.to_owned()).collect();
        if !words.is_empty() {
            found.push(CredentialSource::Command(words));
        }
    }
    if let Some(node) = fields.value("mint", report) {
        found.extend(mint(node, report).map(CredentialSource::Mint));
    }
    for later in ["keyring", "oauth"] {
        unsupported(&mut fields, later, &format!("the credential source `{later}`"), report);
    }
    let stated = match &node.value {
        NodeValue::Mapping(entries) => entries.len(),
        _ => 0,
    };
    fields.finish(report);
    if stated != 1 {
        let message = "a credential has exactly one source";
        report
            .push(Diagnostic::error(node.span, message).with_hint("one of `env`, `file`, `command`, `mint`"));
        return None;
    }
    found.pop()
}

fn mint(node: &Node, report: &mut Report) -> Option<MintSpec> {
    let mut fields = Fields::of(node, "`mint`", report)?;
    let audience = fields.required("audience", report).and_then(|node| party(node, "`audience`", report));
    let issuer = match fields.value("issuer", report) {
        None => Some(MintSpec::ISSUER.to_owned()),
        Some(node) => party(node, "`issuer`", report),
    };
    let lifetime = fields.required("lifetime", report).and_then(|node| lifetime(node, report));
    fields.finish(report);
    Some(MintSpec { audience: audience?, issuer: issuer?, lifetime: lifetime? })
}

/// The name of one side of a pass, which both sides compare letter by letter.
fn party(node: &Node, what: &str, report: &mut Report) -> Option<String> {
    const MOST_BYTES: usize = 256;
    let text = expect_text(node, what, report)?;
    if text.is_empty() || text.len() > MOST_BYTES || text.chars().any(|c| c.is_control() || c.is_whitespace())
    {
        let message = format!("{what} must be 1 to {MOST_BYTES} bytes without white space");
        report.push(Diagnostic::error(node.span, message).with_hint("such as `purchasing`, or an address"));
        return None;
    }
    Some(text.to_owned())
}

fn lifetime(node: &Node, report: &mut Report) -> Option<Duration> {
    let lifetime = duration(node, "`lifetime`", report)?;
    if lifetime.subsec_nanos() != 0 || lifetime > MintSpec::LONGEST {
        let message = "`lifetime` must be whole seconds, from `1s` to `1h`";
        report.push(Diagnostic::error(node.span, message).with_hint("`60s` is enough for most backends"));
        return None;
    }
    Some(lifetime)
}

fn in_folder(base: &Path, path: &str) -> PathBuf {
    base.join(path)
}
