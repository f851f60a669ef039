//! The walk over a schema.

use crate::diagnostic::{Diagnostic, Report, Span, nearest};
use crate::document::{Entry, Node, NodeValue, expect_bool, expect_items, expect_text, expect_word, found};

use super::defaults::keyword;
use super::keyword::{Draft, Form, Step, TYPES, draft_of, form, keywords};
use super::reference::{self, Vertex};
use super::{defaults, pattern};

/// Most subschemas of one schema.
const MOST_SUBSCHEMAS: usize = 10_000;

/// What a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::catalog) enum Role {
    /// The arguments of a tool: an object.
    Input,
    /// The value of a tool.
    Output,
}

/// What the walk found besides problems.
#[derive(Debug, Default)]
pub(in crate::catalog) struct Checked {
    /// The tools that `x-tgw-known` names, and where.
    pub(in crate::catalog) known_from: Vec<(String, Span)>,
}

/// Checks a schema and reports every problem with its place.
pub(in crate::catalog) fn check(root: &Node, role: Role, report: &mut Report) -> Checked {
    let draft =
        entry(root, "$schema").and_then(|node| text(node)).and_then(draft_of).unwrap_or(Draft::Draft202012);
    let mut walk = Walk {
        draft,
        vertices: Vec::new(),
        pointer: has_reference(root).then(String::new),
        checked: Checked::default(),
        report,
    };
    walk.schema(root, true);
    if role == Role::Input {
        walk.input_root(root);
    }
    let Walk { mut vertices, checked, report, .. } = walk;
    reference::check(&mut vertices, report);
    checked
}

pub(super) struct Walk<'r> {
    draft: Draft,
    pub(super) vertices: Vec<Vertex>,
    /// The pointer of the subschema at hand, kept only where references need it.
    pointer: Option<String>,
    pub(super) checked: Checked,
    pub(super) report: &'r mut Report,
}

impl Walk<'_> {
    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report.push(Diagnostic::error(span, message));
    }

    pub(super) fn error_with_hint(
        &mut self,
        span: Span,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.report.push(Diagnostic::error(span, message).with_hint(hint));
    }

    fn input_root(&mut self, root: &Node) {
        if entry(root, "type").and_then(text) != Some("object") && matches!(root.value, NodeValue::Mapping(_))
        {
            let span = entry(root, "type").map_or(root.span, |node| node.span);
            self.error_with_hint(
                span,
                "an input schema must have `type: object`",
                "arguments are always an object",
            );
        }
    }

    /// Checks one schema. The reader bounds the nesting of a document, and with it this recursion.
    fn schema(&mut self, node: &Node, root: bool) -> Option<usize> {
        if self.vertices.len() >= MOST_SUBSCHEMAS {
            if self.vertices.len() == MOST_SUBSCHEMAS {
                self.error(node.span, format!("the schema has more than {MOST_SUBSCHEMAS} parts"));
                self.vertices.push(self.vertex(node.span));
            }
            return None;
        }
        let at = self.vertices.len();
        self.vertices.push(self.vertex(node.span));
        match &node.value {
            NodeValue::Bool(_) if !root => {}
            NodeValue::Mapping(entries) => {
                for entry in entries {
                    self.keyword(at, entry, entries, root);
                }
                self.together(entries);
            }
            _ => {
                let what = if root {
                    "a schema must be a mapping"
                } else {
                    "a schema must be a mapping, true or false"
                };
                self.error(node.span, format!("{what}, found {}", found(node)));
            }
        }
        Some(at)
    }

    fn vertex(&self, span: Span) -> Vertex {
        Vertex {
            pointer: self.pointer.clone().unwrap_or_default(),
            span,
            in_place: Vec::new(),
            deeper: Vec::new(),
            reference: None,
        }
    }

    /// Checks the subschema under `tokens` and notes how its parent `at` reaches it.
    fn child(&mut self, at: usize, tokens: &[&str], node: &Node, step: Step) {
        let length = self.pointer.as_ref().map(String::len);
        if let Some(pointer) = &mut self.pointer {
            for token in tokens {
                pointer.push('/');
                pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
            }
        }
        let child = self.schema(node, false);
        if let (Some(pointer), Some(length)) = (&mut self.pointer, length) {
            pointer.truncate(length);
        }
        if let (Some(child), Some(vertex)) = (child, self.vertices.get_mut(at)) {
            match step {
                Step::InPlace => vertex.in_place.push(child),
                Step::Deeper => vertex.deeper.push(child),
            }
        }
    }

    fn keyword(&mut self, at: usize, entry: &Entry, siblings: &[Entry], root: bool) {
        let (name, node) = (entry.key.as_str(), &entry.value);
        let what = Quoted(name);
        let Some(form) = form(name) else { return self.unknown(entry) };
        match form {
            Form::Any => {}
            Form::Types => self.types(node),
            Form::Schema(step) => self.child(at, &[name], node, step),
            Form::SchemaMap(step) => {
                for inner in self.mapping(node, what) {
                    self.child(at, &[name, &inner.key], &inner.value, step);
                }
            }
            Form::PatternMap => {
                for inner in self.mapping(node, what) {
                    if let Some(problem) = pattern::problem(&inner.key) {
                        self.error(inner.key_span, problem);
                    }
                    self.child(at, &[name, &inner.key], &inner.value, Step::Deeper);
                }
            }
            Form::SchemaList(step) => self.list(at, name, node, step),
            Form::SchemaOrList => match (&node.value, self.draft) {
                (NodeValue::Sequence(_), Draft::Draft07) => self.list(at, name, node, Step::Deeper),
                (NodeValue::Sequence(_), Draft::Draft202012) => {
                    let message = "`items` must be one schema in draft 2020-12";
                    self.error_with_hint(node.span, message, "use `prefixItems` for a list of schemas");
                }
                _ => self.child(at, &[name], node, Step::Deeper),
            },
            Form::Dependencies => self.dependencies(at, entry),
            Form::Names => self.names(node, what),
            Form::NamesMap => {
                for inner in self.mapping(node, what) {
                    self.names(&inner.value, what);
                }
            }
            Form::Values => {
                expect_items(node, what, self.report);
            }
            Form::Number | Form::Positive => self.number(node, what, form == Form::Positive),
            Form::Count => {
                crate::document::expect_integer(node, what, 0..=u64::MAX, self.report);
            }
            Form::Flag => {
                expect_bool(node, what, self.report);
            }
            Form::Text => {
                if !matches!(node.value, NodeValue::String(_)) {
                    self.error(node.span, format!("{what} must be text, found {}", found(node)));
                }
            }
            Form::Pattern => {
                if let Some(problem) = expect_text(node, what, self.report).and_then(pattern::problem) {
                    let hint = "patterns run in linear time: no look-around and no back-references";
                    self.error_with_hint(node.span, problem, hint);
                }
            }
            Form::Format => self.format(node),
            Form::Reference => self.reference(at, node),
            Form::SchemaUri => self.schema_uri(node, root),
            Form::Id => {
                if !root {
                    self.error(entry.key_span, "`$id` is supported at the root of a schema only");
                }
            }
            Form::Exists => self.exists(entry, siblings),
            Form::Known => self.known(node),
            Form::Refused => {
                let hint = "use `$ref: '#/$defs/name'`";
                self.error_with_hint(entry.key_span, format!("{what} is not supported"), hint);
            }
        }
    }

    fn unknown(&mut self, entry: &Entry) {
        let name = entry.key.as_str();
        let near = nearest(name, keywords());
        if name.starts_with("x-tgw-") {
            let hint = near.map_or("known: `x-tgw-exists`, `x-tgw-known`".to_owned(), |n| {
                format!("did you mean `{n}`?")
            });
            self.error_with_hint(entry.key_span, format!("unknown keyword `{name}`"), hint);
        } else if let Some(near) = near.filter(|_| !name.starts_with("x-")) {
            let message = format!("`{name}` is not a keyword of JSON Schema and checks nothing");
            let warning = Diagnostic::warning(entry.key_span, message);
            self.report.push(warning.with_hint(format!("did you mean `{near}`?")));
        }
    }

    fn mapping<'n>(&mut self, node: &'n Node, what: Quoted<'_>) -> &'n [Entry] {
        if let NodeValue::Mapping(entries) = &node.value {
            return entries;
        }
        self.error(node.span, format!("{what} must be a mapping, found {}", found(node)));
        &[]
    }

    fn list(&mut self, at: usize, name: &str, node: &Node, step: Step) {
        let items = expect_items(node, Quoted(name), self.report).unwrap_or_default();
        for (index, item) in items.iter().enumerate() {
            self.child(at, &[name, &index.to_string()], item, step);
        }
    }

    fn types(&mut self, node: &Node) {
        match &node.value {
            NodeValue::Sequence(items) if !items.is_empty() => {
                for item in items {
                    expect_word(item, "a type", &TYPES, self.report);
                }
            }
            NodeValue::Null => {
                self.error_with_hint(
                    node.span,
                    "`type` has no value",
                    "write \"null\" in quotes for the null type",
                );
            }
            _ => {
                expect_word(node, "`type`", &TYPES, self.report);
            }
        }
    }

    fn names(&mut self, node: &Node, what: Quoted<'_>) {
        let NodeValue::Sequence(items) = &node.value else {
            let hint = "list the required names beside `properties`";
            return self.error_with_hint(
                node.span,
                format!("{what} must be a list of names, found {}", found(node)),
                hint,
            );
        };
        let mut seen = std::collections::HashSet::new();
        for item in items {
            match &item.value {
                NodeValue::String(name) if seen.insert(name.as_str()) => {}
                NodeValue::String(name) => self.error(item.span, format!("`{name}` occurs twice in {what}")),
                _ => self.error(item.span, format!("a name in {what} must be text, found {}", found(item))),
            }
        }
    }

    fn number(&mut self, node: &Node, what: Quoted<'_>, positive: bool) {
        match &node.value {
            NodeValue::Number(number) if !positive || number.as_f64().is_some_and(|value| value > 0.0) => {}
            _ => {
                let kind = if positive { "a number above zero" } else { "a number" };
                self.error(node.span, format!("{what} must be {kind}, found {}", found(node)));
            }
        }
    }

    fn dependencies(&mut self, at: usize, entry: &Entry) {
        if self.draft == Draft::Draft202012 {
            let message = "`dependencies` checks nothing in draft 2020-12";
            let hint = "use `dependentRequired` or `dependentSchemas`";
            self.report.push(Diagnostic::warning(entry.key_span, message).with_hint(hint));
        }
        for inner in self.mapping(&entry.value, Quoted("dependencies")) {
            match &inner.value.value {
                NodeValue::Sequence(_) => self.names(&inner.value, Quoted("dependencies")),
                _ => self.child(at, &["dependencies", &inner.key], &inner.value, Step::InPlace),
            }
        }
    }

    /// What keywords of one schema say about each other.
    fn together(&mut self, entries: &[Entry]) {
        if let Some(value) = keyword(entries, "default")
            && let Some(problem) = defaults::problem(value, entries)
        {
            self.error(value.span, problem);
        }
        let closed =
            keyword(entries, "additionalProperties").is_some_and(|node| node.value == NodeValue::Bool(false));
        let (Some(NodeValue::Sequence(required)), true, None) = (
            keyword(entries, "required").map(|node| &node.value),
            closed,
            keyword(entries, "patternProperties"),
        ) else {
            return;
        };
        let declared: Vec<&str> = match keyword(entries, "properties").map(|node| &node.value) {
            Some(NodeValue::Mapping(properties)) => {
                properties.iter().map(|entry| entry.key.as_str()).collect()
            }
            _ => Vec::new(),
        };
        for item in required {
            if let Some(name) = text(item)
                && !declared.contains(&name)
            {
                let message = format!("`{name}` is required and is not in `properties`, so no value fits");
                let error = Diagnostic::error(item.span, message);
                self.report.push(match nearest(name, declared.iter().copied()) {
                    Some(near) => error.with_hint(format!("did you mean `{near}`?")),
                    None => error,
                });
            }
        }
    }
}

/// The name of a keyword in backticks.
#[derive(Clone, Copy)]
pub(super) struct Quoted<'a>(&'a str);

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "`{}`", self.0)
    }
}

/// Whether a reference stands anywhere below, so that the pointers of subschemas matter.
fn has_reference(node: &Node) -> bool {
    match &node.value {
        NodeValue::Mapping(entries) => {
            entries.iter().any(|entry| entry.key == "$ref" || has_reference(&entry.value))
        }
        NodeValue::Sequence(items) => items.iter().any(has_reference),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) | NodeValue::String(_) => false,
    }
}

fn entry<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    match &node.value {
        NodeValue::Mapping(entries) => {
            entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
        }
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Number(_)
        | NodeValue::String(_)
        | NodeValue::Sequence(_) => None,
    }
}

/// The text of a text node.
pub(super) fn text(node: &Node) -> Option<&str> {
    match &node.value {
        NodeValue::String(text) => Some(text),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Number(_)
        | NodeValue::Sequence(_)
        | NodeValue::Mapping(_) => None,
    }
}
