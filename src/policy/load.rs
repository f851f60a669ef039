//! From policy files to an indexed policy: every problem of every file at once.

use std::sync::Arc;

use crate::catalog::{Catalog, Contract};
use crate::diagnostic::{Diagnostic, Report, SourceId, SourceMap};
use crate::document::{Fields, Node, ReadLimits, read_reporting};

use super::Verdict;
use super::budget::{self, BudgetIndex, BudgetSource};
use super::document::PolicyDocument;
use super::matcher::Index;
use super::names::Names;
use super::personal;
use super::rules::{RuleSource, rules, verdict};
use super::sections::{self, Context};

/// The policy that is used where no file is found. It fits any catalog.
pub const EMBEDDED_POLICY: &str = include_str!("../../policy.yaml");

/// One policy file to load.
#[derive(Debug, Clone)]
pub struct PolicyFile {
    /// The name shown to a person.
    pub name: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
    fit: CatalogFit,
}

impl PolicyFile {
    /// A file that a person wrote for a catalog.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: text.into(), fit: CatalogFit::Exact }
    }

    /// A file that a person keeps for all of their catalogs.
    ///
    /// It may name tools and credentials that the catalog at hand does not have; a name that is near to one of the
    /// catalog's is taken for a slip. A rule that selects none of its tools waits for another catalog.
    #[must_use]
    pub fn of_user(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: text.into(), fit: CatalogFit::Several }
    }

    /// The policy embedded in the binary.
    ///
    /// It loads with any catalog: what it says about arguments that no tool declares, or declares with another type, is
    /// no load error; a condition that does not fit a tool counts against the call.
    #[must_use]
    pub fn embedded() -> Self {
        Self {
            name: Arc::from("<embedded>/policy.yaml"),
            text: Arc::from(EMBEDDED_POLICY),
            fit: CatalogFit::Any,
        }
    }
}

impl PolicyFile {
    /// The same file with another text.
    #[must_use]
    pub fn with_text(&self, text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), ..self.clone() }
    }
}

/// How closely a file must fit the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CatalogFit {
    /// What cannot concern any tool, or cannot be evaluated on one, is a problem.
    Exact,
    /// As exact, but for names of tools and credentials that other catalogs may have.
    Several,
    /// Only what is wrong with any catalog is a problem.
    Any,
}

/// Every policy file, loaded against a catalog.
#[derive(Debug)]
pub struct Policy {
    documents: Vec<PolicyDocument>,
    index: Index,
    budgets: BudgetIndex,
}

impl Policy {
    /// Loads policy files. Each decides by itself; the strictest wins.
    ///
    /// # Errors
    /// `Err(())` when a file cannot be used; the report then holds every problem of every file.
    #[expect(clippy::result_unit_err, reason = "what is wrong is in the report, with its places")]
    pub fn load(
        files: &[PolicyFile],
        catalog: &Catalog,
        sources: &mut SourceMap,
        report: &mut Report,
    ) -> Result<Self, ()> {
        Self::load_for(files, Names::of_catalog(catalog), catalog.contracts(), sources, report)
    }

    /// Reports what is wrong with policy files whatever the catalog says, for where none could be loaded.
    pub fn check(files: &[PolicyFile], sources: &mut SourceMap, report: &mut Report) {
        let files: Vec<PolicyFile> =
            files.iter().map(|file| PolicyFile { fit: CatalogFit::Any, ..file.clone() }).collect();
        // What is wrong is in the report; there is nothing else to learn from it.
        let _incomplete = Self::load_for(&files, Names::default(), &[], sources, report);
    }

    fn load_for(
        files: &[PolicyFile],
        mut names: Names,
        contracts: &[Arc<Contract>],
        sources: &mut SourceMap,
        report: &mut Report,
    ) -> Result<Self, ()> {
        // What others found before must not fail this load.
        let mut found = Report::default();
        let ids: Vec<SourceId> =
            files.iter().map(|file| sources.add(Arc::clone(&file.name), Arc::clone(&file.text))).collect();
        let sources = &*sources;
        let roots: Vec<(&PolicyFile, Option<Node>)> = files
            .iter()
            .zip(ids)
            .map(|(file, id)| (file, read_reporting(id, &file.text, ReadLimits::default(), &mut found)))
            .collect();
        // A rule may name the agents, steps and approvers of any file.
        roots
            .iter()
            .filter_map(|(_, root)| root.as_ref())
            .for_each(|root| sections::declare(root, &mut names));
        let mut documents = Vec::with_capacity(files.len());
        let mut sourced = Vec::with_capacity(files.len());
        let mut budgeted = Vec::with_capacity(files.len());
        for (file, root) in &roots {
            let context = Context { sources, names: &names, fit: file.fit, approvers: None };
            let Some((document, rules, budgets)) =
                root.as_ref().and_then(|root| document(file, root, context, &mut found))
            else {
                continue;
            };
            documents.push(document);
            sourced.push((rules, file.fit));
            budgeted.push((budgets, file.fit));
        }
        let index = Index::build(&sourced, contracts, sources, &mut found);
        budget::check_ids(&documents, budgeted.iter().flat_map(|(budgets, _)| budgets), &mut found);
        let budgets = BudgetIndex::build(&budgeted, contracts, sources, &mut found);
        let failed = found.has_errors();
        found.diagnostics().iter().for_each(|diagnostic| report.push(diagnostic.clone()));
        if failed { Err(()) } else { Ok(Self { documents, index, budgets }) }
    }

    /// The files, in the order they were given.
    #[must_use]
    pub fn documents(&self) -> &[PolicyDocument] {
        &self.documents
    }

    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    pub(super) fn budget_index(&self) -> &BudgetIndex {
        &self.budgets
    }
}

/// One file, with the places of its rules and budgets.
type Read<'n> = (PolicyDocument, Vec<RuleSource<'n>>, Vec<BudgetSource<'n>>);

/// Reads one file. Its rules and budgets are returned apart, with their places.
fn document<'n>(
    file: &PolicyFile,
    root: &'n Node,
    context: Context<'_>,
    report: &mut Report,
) -> Option<Read<'n>> {
    let mut fields = Fields::of(root, "a policy", report)?;
    fields.integer("version", 1..=1, report);
    if fields.entry("version").is_none() {
        report.push(
            Diagnostic::error(root.span, "`version` is missing")
                .with_hint("start the file with `version: 1`"),
        );
    }
    let default_verdict =
        fields.value("default_verdict", report).and_then(|node| verdict(node, "`default_verdict`", report));
    let roles = fields.value("roles", report).map(|node| sections::roles(node, report)).unwrap_or_default();
    let users = fields.value("users", report).map(|node| sections::users(node, &roles, context, report));
    let agents = fields.value("agents", report).map(|node| sections::agents(node, context, report));
    let approvers = fields.value("approvers", report).map(|node| sections::approvers(node, report));
    let approvers = approvers.unwrap_or_default();
    let context = Context { approvers: Some(&approvers), ..context };
    let steps = fields.value("steps", report).map(|node| sections::steps(node, context, report));
    let initial = fields.value("initial_step", report);
    let initial_step = initial.and_then(|node| sections::initial_step(node, steps.as_ref(), report));
    let notify = fields.value("notify", report).map(|node| sections::notify(node, report));
    let personal = fields.value("personal", report).map(|node| personal::personal(node, context, report));
    let credentials =
        fields.value("credentials", report).map(|node| sections::credentials(node, context, report));
    let budgets = fields.value("budgets", report).map(|node| budget::budgets(node, context, report));
    let budgets = budgets.unwrap_or_default();
    let rules = fields.value("rules", report).map(|node| rules(node, context, report)).unwrap_or_default();
    fields.finish(report);
    let document = PolicyDocument {
        name: Arc::clone(&file.name),
        default_verdict: default_verdict.unwrap_or(Verdict::Deny),
        agents,
        users,
        steps,
        initial_step,
        approvers,
        notify: notify.unwrap_or_default(),
        personal: personal.unwrap_or_default(),
        credentials: credentials.unwrap_or_default(),
        rules: rules.iter().map(|source| Arc::clone(&source.rule)).collect(),
        budgets: budgets.iter().map(|source| Arc::clone(&source.budget)).collect(),
    };
    Some((document, rules, budgets))
}

#[cfg(test)]
mod tests;
