//! One manifest: its version, credentials and tools.

use std::sync::Arc;

use crate::catalog::{Contract, CredentialSpec, Lock, ManifestFile, ServerSpec};
use crate::diagnostic::{Diagnostic, Report, SourceId, SourceMap, Span};
use crate::document::{Fields, Node, NodeValue, ReadLimits, found, read_reporting};
use crate::ident::{CredentialName, ToolName};

use super::credential::credentials;
use super::server::servers;
use super::tool::contract;
use super::upstream::{self, Upstream};

/// What every part of a file is loaded with.
#[derive(Clone, Copy)]
pub(super) struct FileContext<'a> {
    pub(super) file: &'a ManifestFile,
    pub(super) sources: &'a SourceMap,
    /// Whether it is the gateway's own manifest, the only one that may use the reserved names.
    pub(super) own: bool,
    /// The tool of a server that is being made into a contract.
    pub(super) upstream: Option<Upstream<'a>>,
}

/// A tool that has at least a name. The contract is missing where the rest has errors.
pub(in crate::catalog) struct Named {
    pub(in crate::catalog) name: ToolName,
    pub(in crate::catalog) span: Span,
    pub(in crate::catalog) contract: Option<Contract>,
    /// Tools that its schemas refer to, and the one that cancels its operations.
    pub(in crate::catalog) known_from: Vec<(String, Span)>,
    /// Tools that its look-ups call.
    pub(in crate::catalog) probes: Vec<(String, Span)>,
    /// Credentials that it uses.
    pub(in crate::catalog) credentials: Vec<(CredentialName, Span)>,
}

/// What a manifest holds.
#[derive(Default)]
pub(in crate::catalog) struct Loaded {
    pub(in crate::catalog) tools: Vec<Named>,
    pub(in crate::catalog) credentials: Vec<(CredentialSpec, Span)>,
    pub(in crate::catalog) servers: Vec<(Arc<ServerSpec>, Span)>,
    /// Credentials that its servers use.
    pub(in crate::catalog) used: Vec<(CredentialName, Span)>,
}

/// Loads one manifest, whose text is `source`.
pub(in crate::catalog) fn read(
    file: &ManifestFile,
    source: SourceId,
    sources: &SourceMap,
    own: bool,
    lock: &Lock,
    report: &mut Report,
) -> Loaded {
    let mut loaded = Loaded::default();
    let Some(root) = read_reporting(source, &file.text, ReadLimits::default(), report) else { return loaded };
    let Some(mut fields) = Fields::of(&root, "a manifest", report) else { return loaded };
    version(&mut fields, report);
    let context = FileContext { file, sources, own, upstream: None };
    if let Some(node) = fields.value("servers", report) {
        if file.trusted {
            for server in servers(node, &context, report) {
                let locked = lock.servers.get(server.spec.name.as_str());
                loaded.tools.extend(upstream::tools(&server, locked, &context, report));
                loaded.used.extend(server.credentials);
                loaded.servers.push((server.spec, server.span));
            }
        } else {
            let message = "a manifest that nobody vouches for cannot declare servers";
            report
                .push(Diagnostic::error(node.span, message).with_hint("declare them in a file of your own"));
        }
    }
    if let Some(node) = fields.value("credentials", report) {
        if file.trusted {
            loaded.credentials = credentials(node, &file.base, sources, report);
        } else {
            let message = "a manifest that nobody vouches for cannot declare credentials";
            report
                .push(Diagnostic::error(node.span, message).with_hint("declare them in a file of your own"));
        }
    }
    let tools = match fields.entry("servers") {
        // Where there are servers, there may be no tools besides.
        Some(_) => fields.value("tools", report),
        None => fields.required("tools", report),
    };
    if let Some(node) = tools {
        match &node.value {
            // No tools is a manifest too: it adds none.
            NodeValue::Sequence(items) => {
                loaded.tools.extend(items.iter().filter_map(|item| contract(item, &context, report)));
            }
            _ => report
                .push(Diagnostic::error(node.span, format!("`tools` must be a list, found {}", found(node)))),
        }
    }
    fields.finish(report);
    loaded
}

fn version(fields: &mut Fields<'_>, report: &mut Report) {
    let Some(node) = fields.required("version", report) else { return };
    let is_one = |node: &Node| matches!(&node.value, NodeValue::Number(number) if number.as_u64() == Some(1));
    if !is_one(node) {
        let message = format!("`version` must be 1, found {}", found(node));
        report.push(Diagnostic::error(node.span, message));
    }
}
