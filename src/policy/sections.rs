//! Reading what a policy file says about agents, users, steps, approvers and credentials.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{NamePattern, Risk};
use crate::diagnostic::{Diagnostic, Location, Report, SourceMap, Span};
use crate::document::{
    Entry, Fields, Node, NodeValue, expect_items, expect_text, expect_texts, expect_word, found,
};
use crate::ident::{AgentName, CredentialName, InvalidName, Permission, StepName, UserName};

use super::VersionRequirement;
use super::document::{AgentEntry, CredentialLimit, StepEntry, UserEntry};
use super::gate::gate;
use super::load::CatalogFit;
use super::names::{Kind, Names, existing, patterns};

/// What reading a file needs besides the file.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) sources: &'a SourceMap,
    pub(super) names: &'a Names,
    pub(super) fit: CatalogFit,
    /// The groups of approvers that this file declares, once they are read.
    pub(super) approvers: Option<&'a BTreeMap<String, Vec<UserName>>>,
}

impl Context<'_> {
    pub(super) fn locate(&self, span: Span) -> Location {
        self.sources.locate(span)
    }

    /// What is said about the name of a tool.
    pub(super) fn tool(&self) -> Kind<'_> {
        self.of_catalog("tool", self.names.tools.as_ref())
    }

    fn of_catalog<'n>(&'n self, noun: &'n str, known: Option<&'n BTreeSet<String>>) -> Kind<'n> {
        Kind { noun, known, elsewhere: self.fit == CatalogFit::Several }
    }

    pub(super) fn tools(&self, fields: &mut Fields<'_>, report: &mut Report) -> Option<Vec<NamePattern>> {
        let kind = self.tool();
        fields.value("tools", report).and_then(|node| patterns(node, "`tools`", kind, report))
    }
}

/// Reads `risks`.
pub(super) fn risks(fields: &mut Fields<'_>, report: &mut Report) -> Option<Vec<Risk>> {
    let words = Risk::ALL.map(Risk::as_str);
    let items = fields.value("risks", report).and_then(|node| expect_items(node, "`risks`", report))?;
    let read = |item| expect_word(item, "an element of `risks`", &words, report).and_then(Risk::parse);
    let risks: Vec<Option<Risk>> = items.iter().map(read).collect();
    risks.into_iter().collect()
}

/// The elements of a list that may be empty.
pub(super) fn list<'n>(node: &'n Node, what: &str, report: &mut Report) -> &'n [Node] {
    match &node.value {
        NodeValue::Sequence(items) => items,
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Number(_)
        | NodeValue::String(_)
        | NodeValue::Mapping(_) => {
            report
                .push(Diagnostic::error(node.span, format!("{what} must be a list, found {}", found(node))));
            &[]
        }
    }
}

/// The entries of a mapping.
pub(super) fn entries<'n>(node: &'n Node, what: &str, report: &mut Report) -> &'n [Entry] {
    match &node.value {
        NodeValue::Mapping(entries) => entries,
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Number(_)
        | NodeValue::String(_)
        | NodeValue::Sequence(_) => {
            report.push(Diagnostic::error(
                node.span,
                format!("{what} must be a mapping, found {}", found(node)),
            ));
            &[]
        }
    }
}

/// A name, or the problem with it.
pub(super) fn parsed<N>(result: Result<N, InvalidName>, span: Span, report: &mut Report) -> Option<N> {
    result.map_err(|error| report.push(Diagnostic::error(span, error.to_string()))).ok()
}

/// Reads a mapping whose keys are names, and which hides everything when it is empty.
fn named<'n, N: Ord, T>(
    node: &'n Node,
    what: &str,
    report: &mut Report,
    parse: fn(&str) -> Result<N, InvalidName>,
    mut read: impl FnMut(&'n Entry, &mut Report) -> Option<T>,
) -> BTreeMap<N, T> {
    let entries = entries(node, what, report);
    if matches!(&node.value, NodeValue::Mapping(entries) if entries.is_empty()) {
        report.push(
            Diagnostic::error(node.span, format!("{what} is empty"))
                .with_hint("what is not listed sees nothing; to limit nothing, leave the key out"),
        );
    }
    let mut all = BTreeMap::new();
    for entry in entries {
        let name = parsed(parse(&entry.key), entry.key_span, report);
        if let (Some(value), Some(name)) = (read(entry, report), name) {
            all.insert(name, value);
        }
    }
    all
}

fn permissions(node: &Node, report: &mut Report) -> BTreeSet<Permission> {
    let mut all = BTreeSet::new();
    for item in list(node, "`permissions`", report) {
        let written = expect_text(item, "a permission", report);
        all.extend(written.and_then(|text| parsed(Permission::parse(text), item.span, report)));
    }
    all
}

/// `agents`: who sees which tools.
pub(super) fn agents(
    node: &Node,
    context: Context<'_>,
    report: &mut Report,
) -> BTreeMap<AgentName, AgentEntry> {
    named(node, "`agents`", report, AgentName::parse, |entry, report| {
        let mut fields = Fields::of(&entry.value, "an agent", report)?;
        let agent = AgentEntry {
            versions: fields.value("versions", report).and_then(|node| versions(node, report)),
            tools: context.tools(&mut fields, report),
            permissions: fields.value("permissions", report).map(|node| permissions(node, report)),
            location: context.locate(entry.key_span),
        };
        fields.finish(report);
        Some(agent)
    })
}

fn versions(node: &Node, report: &mut Report) -> Option<VersionRequirement> {
    match VersionRequirement::parse(expect_text(node, "`versions`", report)?) {
        Ok(requirement) => Some(requirement),
        Err(problem) => {
            report.push(
                Diagnostic::error(node.span, format!("`versions` cannot be read: {problem}"))
                    .with_hint("write comparisons of dotted numbers, joined by commas: \">=1.2, <2\""),
            );
            None
        }
    }
}

/// `roles`: the permissions of each.
pub(super) fn roles(node: &Node, report: &mut Report) -> BTreeMap<String, BTreeSet<Permission>> {
    let mut all = BTreeMap::new();
    for entry in entries(node, "`roles`", report) {
        let Some(mut fields) = Fields::of(&entry.value, "a role", report) else { continue };
        let held = fields.required("permissions", report).map(|node| permissions(node, report));
        fields.finish(report);
        all.insert(entry.key.clone(), held.unwrap_or_default());
    }
    all
}

/// `users`: the permissions of each, through roles.
pub(super) fn users(
    node: &Node,
    roles: &BTreeMap<String, BTreeSet<Permission>>,
    context: Context<'_>,
    report: &mut Report,
) -> BTreeMap<UserName, UserEntry> {
    let known: BTreeSet<String> = roles.keys().cloned().collect();
    named(node, "`users`", report, UserName::parse, |entry, report| {
        let mut fields = Fields::of(&entry.value, "a user", report)?;
        let mut held = BTreeSet::new();
        let items = fields.required("roles", report).map(|node| list(node, "`roles`", report));
        for item in items.unwrap_or_default() {
            let role = existing(item, Kind { noun: "role", known: Some(&known), elsewhere: false }, report);
            held.extend(role.and_then(|role| roles.get(role)).into_iter().flatten().cloned());
        }
        fields.finish(report);
        Some(UserEntry { permissions: held, location: context.locate(entry.key_span) })
    })
}

/// `steps`: what each shows.
pub(super) fn steps(node: &Node, context: Context<'_>, report: &mut Report) -> BTreeMap<StepName, StepEntry> {
    named(node, "`steps`", report, StepName::parse, |entry, report| {
        let mut fields = Fields::of(&entry.value, "a step", report)?;
        let step = StepEntry {
            tools: context.tools(&mut fields, report),
            risks: risks(&mut fields, report),
            enter: fields.value("enter", report).and_then(|node| gate(node, context, report)),
            location: context.locate(entry.key_span),
        };
        fields.finish(report);
        Some(step)
    })
}

/// `initial_step`: one of this file's steps.
pub(super) fn initial_step(
    node: &Node,
    steps: Option<&BTreeMap<StepName, StepEntry>>,
    report: &mut Report,
) -> Option<StepName> {
    let known = steps.into_iter().flatten().map(|(name, _)| name.as_str().to_owned()).collect();
    let written = existing(node, Kind { noun: "step", known: Some(&known), elsewhere: false }, report)?;
    StepName::parse(written).ok()
}

/// `approvers`: the members of each group.
pub(super) fn approvers(node: &Node, report: &mut Report) -> BTreeMap<String, Vec<UserName>> {
    let mut all = BTreeMap::new();
    for entry in entries(node, "`approvers`", report) {
        let Some(mut fields) = Fields::of(&entry.value, "a group of approvers", report) else { continue };
        let listed = fields.required("members", report).map(|node| expect_texts(node, "`members`", report));
        let members = listed
            .into_iter()
            .flatten()
            .filter_map(|(member, node)| parsed(UserName::parse(member), node.span, report));
        all.insert(entry.key.clone(), members.collect());
        fields.finish(report);
    }
    all
}

/// `notify`: a program and its arguments.
pub(super) fn notify(node: &Node, report: &mut Report) -> Vec<String> {
    let argv = expect_texts(node, "`notify`", report);
    if let Some((program, node)) =
        argv.first().filter(|(name, _)| name.contains('/') && !name.starts_with('/'))
    {
        let message = format!("`{program}` is neither a name nor an absolute path");
        report.push(
            Diagnostic::error(node.span, message)
                .with_hint("what it is relative to would depend on where tgw is started"),
        );
    }
    argv.into_iter().map(|(word, _)| word.to_owned()).collect()
}

/// `credentials`: which tools and agents may use the ones listed.
pub(super) fn credentials(node: &Node, context: Context<'_>, report: &mut Report) -> Vec<CredentialLimit> {
    let items = list(node, "`credentials`", report);
    items.iter().filter_map(|item| credential(item, context, report)).collect()
}

fn credential(node: &Node, context: Context<'_>, report: &mut Report) -> Option<CredentialLimit> {
    let mut fields = Fields::of(node, "a credential limit", report)?;
    let known = context.of_catalog("credential", context.names.credentials.as_ref());
    let name = fields.required("credential", report).and_then(|node| existing(node, known, report));
    if fields.entry("tools").is_none() && fields.entry("agents").is_none() {
        report.push(
            Diagnostic::error(node.span, "this limit names no tools and no agents, so it limits nothing")
                .with_hint("add `tools: [...]` or `agents: [...]`"),
        );
    }
    let tools = context.tools(&mut fields, report);
    let listed = Kind { noun: "agent", known: context.names.agents.as_ref(), elsewhere: false };
    let agents = fields.value("agents", report).and_then(|node| patterns(node, "`agents`", listed, report));
    fields.finish(report);
    let credential = CredentialName::parse(name?).ok()?;
    Some(CredentialLimit { credential, tools, agents, location: context.locate(node.span) })
}

/// Takes in the names that a file declares, whatever else is wrong with it.
pub(super) fn declare(root: &Node, into: &mut Names) {
    let NodeValue::Mapping(entries) = &root.value else { return };
    for entry in entries {
        let NodeValue::Mapping(declared) = &entry.value.value else { continue };
        let keys = declared.iter().map(|entry| entry.key.clone());
        match entry.key.as_str() {
            "agents" => into.agents.get_or_insert_default().extend(keys),
            "users" => into.users.get_or_insert_default().extend(keys),
            "steps" => into.steps.extend(keys),
            "approvers" => {
                into.approvers.extend(keys);
                declared.iter().for_each(|group| declare_members(group, into));
            }
            _ => {}
        }
    }
}

/// Takes in who is a member of a group. Where several files declare it, only who is one in all of them is.
fn declare_members(group: &Entry, into: &mut Names) {
    let NodeValue::Mapping(entries) = &group.value.value else { return };
    let listed = entries.iter().find(|entry| entry.key == "members").map(|entry| &entry.value.value);
    let Some(NodeValue::Sequence(items)) = listed else { return };
    let member = |item: &Node| match &item.value {
        NodeValue::String(text) => UserName::parse(text).ok(),
        _ => None,
    };
    let members: BTreeSet<UserName> = items.iter().filter_map(member).collect();
    into.members
        .entry(group.key.clone())
        .and_modify(|known| known.retain(|name| members.contains(name)))
        .or_insert(members);
}
