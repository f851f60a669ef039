//! From manifest files to a catalog: every problem of every file at once.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Report, Severity, SourceMap, Span, nearest};
use crate::ident::CredentialName;

use super::manifest::{self, Loaded, Named};
use super::{Contract, CredentialSpec, Lock, Risk, ServerSpec};

/// The manifest of the tools that are shipped with the gateway.
pub const EMBEDDED_MANIFEST: &str = include_str!("../../tools.yaml");

/// The manifest of the gateway's own tools, which every catalog has.
const OWN_MANIFEST: &str = include_str!("own.yaml");

/// One manifest to load.
#[derive(Debug, Clone)]
pub struct ManifestFile {
    /// The name shown to a person.
    pub name: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
    /// The folder that relative paths in it start from.
    pub base: PathBuf,
    /// Whether the person vouches for it. One that nobody vouches for can only be tightened, and is.
    pub trusted: bool,
}

/// The file of accepted upstream tools.
#[derive(Debug, Clone)]
pub struct LockFile {
    /// The name shown to a person.
    pub name: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
}

/// All contracts loaded, ready to look up.
#[derive(Debug)]
pub struct Catalog {
    tools: Vec<Arc<Contract>>,
    by_name: HashMap<Arc<str>, usize>,
    credentials: Vec<CredentialSpec>,
    servers: Vec<Arc<ServerSpec>>,
    /// Where each contract is written, for the checks that run later.
    pub(super) places: Vec<Span>,
}

impl Catalog {
    /// Loads and merges manifests, and adds the gateway's own tools.
    ///
    /// # Errors
    /// `Err(())` when a file cannot be used; the report then holds every problem of every file.
    #[expect(clippy::result_unit_err, reason = "the report says what is wrong, with places")]
    pub fn load(files: &[ManifestFile], sources: &mut SourceMap, report: &mut Report) -> Result<Self, ()> {
        Self::load_locked(files, None, sources, report)
    }

    /// The same, with the tools of upstream servers that a person accepted.
    ///
    /// # Errors
    /// As [`Catalog::load`].
    #[expect(clippy::result_unit_err, reason = "the report says what is wrong, with places")]
    pub fn load_locked(
        files: &[ManifestFile],
        lock: Option<&LockFile>,
        sources: &mut SourceMap,
        report: &mut Report,
    ) -> Result<Self, ()> {
        let before = errors(report);
        let lock = lock.map_or_else(Lock::default, |file| accepted(file, sources, report));
        let own = ManifestFile {
            name: Arc::from("<embedded>/own.yaml"),
            text: Arc::from(OWN_MANIFEST),
            base: PathBuf::new(),
            trusted: true,
        };
        let mut merged = Loaded::default();
        for (file, is_own) in files.iter().map(|file| (file, false)).chain([(&own, true)]) {
            let source = sources.add(Arc::clone(&file.name), Arc::clone(&file.text));
            let loaded = manifest::read(file, source, sources, is_own, &lock, report);
            if !file.trusted {
                refuse_credentials(&loaded.tools, report);
            }
            merged.tools.extend(loaded.tools);
            merged.credentials.extend(loaded.credentials);
            merged.servers.extend(loaded.servers);
            merged.used.extend(loaded.used);
        }
        unique_tools(&merged.tools, sources, report);
        unique_credentials(&merged.credentials, sources, report);
        unique_servers(&merged.servers, sources, report);
        resolve_names(&merged, report);
        if errors(report) > before {
            return Err(());
        }
        let (tools, places): (Vec<_>, Vec<_>) = merged
            .tools
            .into_iter()
            .filter_map(|named| named.contract.map(|contract| (Arc::new(contract), named.span)))
            .unzip();
        let by_name =
            tools.iter().enumerate().map(|(at, tool)| (Arc::from(tool.name.as_str()), at)).collect();
        let credentials = merged.credentials.into_iter().map(|(credential, _)| credential).collect();
        let servers = merged.servers.into_iter().map(|(server, _)| server).collect();
        Ok(Self { tools, by_name, credentials, servers, places })
    }

    /// Every contract, internal ones too, in file order; the gateway's own come last.
    #[must_use]
    pub fn contracts(&self) -> &[Arc<Contract>] {
        &self.tools
    }

    /// The declared credentials.
    #[must_use]
    pub fn credentials(&self) -> &[CredentialSpec] {
        &self.credentials
    }

    /// The declared upstream servers.
    #[must_use]
    pub fn servers(&self) -> &[Arc<ServerSpec>] {
        &self.servers
    }

    /// The contract of this exact name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<Contract>> {
        self.tools.get(*self.by_name.get(name)?)
    }
}

fn errors(report: &Report) -> usize {
    report.diagnostics().iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}

/// What a lock accepts; nothing where it cannot be read, which is an error.
fn accepted(file: &LockFile, sources: &mut SourceMap, report: &mut Report) -> Lock {
    let source = sources.add(Arc::clone(&file.name), Arc::clone(&file.text));
    Lock::read(&file.text).unwrap_or_else(|problem| {
        let problem = Diagnostic::error(Span::new(source, 0..0), format!("not a tgw.lock: {problem}"));
        report.push(problem.with_hint("run `tgw lock`, which writes it anew"));
        Lock::default()
    })
}

fn unique_servers(servers: &[(Arc<ServerSpec>, Span)], sources: &SourceMap, report: &mut Report) {
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for (server, span) in servers {
        if let Some(first) = seen.insert(server.name.as_str(), *span) {
            let message = format!("the server `{}` is declared twice", server.name);
            let hint = format!("the first is at {}", sources.locate(first));
            report.push(Diagnostic::error(*span, message).with_hint(hint));
        }
    }
}

fn unique_tools(tools: &[Named], sources: &SourceMap, report: &mut Report) {
    let mut exact: HashMap<&str, Span> = HashMap::with_capacity(tools.len());
    let mut folded: HashMap<String, &Named> = HashMap::with_capacity(tools.len());
    for tool in tools {
        let name = tool.name.as_str();
        if let Some(first) = exact.get(name) {
            let message = format!("the tool `{name}` is defined twice");
            let hint = format!("the first is at {}", sources.locate(*first));
            report.push(Diagnostic::error(tool.span, message).with_hint(hint));
            continue;
        }
        exact.insert(name, tool.span);
        let shape = name.to_ascii_lowercase().replace(['-', '.'], "_");
        if let Some(other) = folded.get(&shape) {
            let message = format!("`{name}` and `{}` are two tools that a model will confuse", other.name);
            let hint = format!("the other is at {}; rename one of them", sources.locate(other.span));
            report.push(Diagnostic::warning(tool.span, message).with_hint(hint));
        } else {
            folded.insert(shape, tool);
        }
    }
}

fn unique_credentials(credentials: &[(CredentialSpec, Span)], sources: &SourceMap, report: &mut Report) {
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for (credential, span) in credentials {
        if let Some(first) = seen.insert(credential.name.as_str(), *span) {
            let message = format!("the credential `{}` is declared twice", credential.name);
            let hint = format!("the first is at {}", sources.locate(first));
            report.push(Diagnostic::error(*span, message).with_hint(hint));
        }
    }
}

/// A tool that nobody vouches for gets no credential, whoever declared it.
fn refuse_credentials(tools: &[Named], report: &mut Report) {
    for (name, span) in tools.iter().flat_map(|tool| &tool.credentials) {
        let message = format!("a manifest that nobody vouches for cannot use the credential `{name}`");
        report.push(Diagnostic::error(*span, message));
    }
}

/// Checks that the credentials and tools which contracts name are there.
fn resolve_names(loaded: &Loaded, report: &mut Report) {
    let declared = || loaded.credentials.iter().map(|(credential, _)| &credential.name);
    let is_declared = |name: &CredentialName| declared().any(|known| known == name);
    for (name, span) in loaded.tools.iter().flat_map(|tool| &tool.credentials).chain(&loaded.used) {
        if !is_declared(name) {
            let problem = Diagnostic::error(*span, format!("the credential `{name}` is not declared"));
            let near = nearest(name.as_str(), declared().map(CredentialName::as_str));
            report.push(problem.with_hint(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "declare it under `credentials`".to_owned(),
            }));
        }
    }
    let referred = || loaded.tools.iter().flat_map(|tool| tool.known_from.iter().chain(&tool.probes));
    if referred().next().is_none() {
        return;
    }
    let names: std::collections::HashSet<&str> = loaded.tools.iter().map(|tool| tool.name.as_str()).collect();
    for (name, span) in referred().filter(|(name, _)| !names.contains(name.as_str())) {
        let problem = Diagnostic::error(*span, format!("there is no tool `{name}`"));
        report.push(match nearest(name, loaded.tools.iter().map(|tool| tool.name.as_str())) {
            Some(near) => problem.with_hint(format!("did you mean `{near}`?")),
            None => problem,
        });
    }
    for (name, span) in loaded.tools.iter().flat_map(|tool| &tool.probes) {
        let named = loaded.tools.iter().find(|tool| tool.name.as_str() == name);
        let looks = named.and_then(|tool| tool.contract.as_ref());
        if looks.is_some_and(|contract| contract.risk != Risk::ReadOnly) {
            let message = format!("`{name}` changes something, and a look-up must not");
            report.push(Diagnostic::error(*span, message).with_hint("name a tool that is `read_only`"));
        }
        if looks.is_some_and(|contract| !contract.preconditions.is_empty()) {
            let message =
                format!("`{name}` has `preconditions` of its own, which are not asked for a look-up");
            report.push(Diagnostic::error(*span, message).with_hint("name a tool without preconditions"));
        }
    }
}

#[cfg(test)]
mod tests;
