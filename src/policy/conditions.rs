//! Compiling conditions: each is checked against the arguments of every tool that its rule selects.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use crate::catalog::Contract;
use crate::diagnostic::{Diagnostic, Report, SourceMap, Span, nearest};
use crate::document::{Node, span_within};
use crate::expression::{CompileError, Expression, Field, ObjectType, Syntax, Type};

use super::facts::declarations;
use super::load::CatalogFit;
use super::names::suggest;
use super::rules::text_of;

/// Most parts of a schema that are looked through for one argument.
const MOST_SUBSCHEMAS: usize = 1_000;

/// A condition on one tool.
#[derive(Debug, Clone)]
pub(super) enum Clause {
    /// None is written.
    Absent,
    /// It holds where it evaluates to true.
    Checked(Arc<Expression>),
    /// It reads an argument that the tool does not declare.
    Undeclared(Arc<str>),
    /// It cannot be evaluated on this tool, for this reason.
    Unusable(Arc<str>),
}

impl Clause {
    /// The expression, where there is one that fits the tool.
    pub(super) fn expression(&self) -> Option<&Expression> {
        match self {
            Self::Checked(expression) => Some(expression),
            Self::Absent | Self::Undeclared(_) | Self::Unusable(_) => None,
        }
    }
}

/// The arguments of a tool as conditions see them.
#[derive(Debug)]
pub(super) struct ToolArguments {
    name: String,
    schema: Arc<Value>,
    /// Made when the first condition asks: most tools are concerned by few conditions.
    object: OnceCell<Arc<ObjectType>>,
}

impl ToolArguments {
    pub(super) fn of(contract: &Contract) -> Self {
        let name = contract.name.as_str().to_owned();
        Self { name, schema: Arc::clone(&contract.input_schema.json), object: OnceCell::new() }
    }

    fn object(&self) -> &Arc<ObjectType> {
        self.object.get_or_init(|| match Type::of_arguments(&self.schema) {
            Type::Object(object) => object,
            // Arguments are always an object; of this one nothing is known.
            _ => Arc::new(ObjectType { fields: Vec::new(), open: true }),
        })
    }

    /// The names of the arguments declared in every branch.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.object().fields.iter().map(|field| field.name.as_str())
    }

    /// Whether an argument of this name is declared, be it in one branch of the schema only.
    pub(super) fn declares(&self, argument: &str) -> bool {
        field(self.object(), argument).is_some()
            || (self.object().open && mentions(&self.schema, argument, MOST_SUBSCHEMAS))
    }

    /// Whether an RFC 6901 pointer leads to something that the schema declares.
    pub(super) fn declares_pointer(&self, pointer: &str) -> bool {
        let mut tokens = pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"));
        let first = tokens.next().and_then(|name| field(self.object(), &name));
        let Some(first) = first else { return false };
        let mut schema = Some(first);
        for token in tokens {
            schema = match schema {
                Some(Type::Object(object)) => match field(object, &token) {
                    None if !object.open => return false,
                    found => found,
                },
                Some(Type::List(item)) if token.parse::<usize>().is_ok() => Some(item),
                Some(Type::Dynamic | Type::Union(_)) | None => None,
                Some(_) => return false,
            };
        }
        true
    }

    /// The type that a condition is checked against which reads only `fields` of the arguments, or all of them.
    ///
    /// Tools that declare these alike share one compiled condition.
    fn narrowed(&self, fields: Option<&[(String, Range<usize>)]>) -> Type {
        match fields {
            // A condition that reads no argument is the same for every tool.
            Some([]) => anything(),
            None => Type::Object(Arc::clone(self.object())),
            Some(names) => {
                let read = |field: &&Field| names.iter().any(|(name, _)| *name == field.name);
                let fields = self.object().fields.iter().filter(read).cloned().collect();
                Type::Object(Arc::new(ObjectType { fields, open: self.object().open }))
            }
        }
    }
}

/// Whether a schema declares a property in a branch that its type does not tell: an alternative, a condition, a
/// reference. Beyond `visits` subschemas it counts as declared, so that rules apply.
fn mentions(root: &Value, property: &str, visits: usize) -> bool {
    let mut pending = vec![root];
    for _ in 0..visits {
        let Some(schema) = pending.pop() else { return false };
        if schema.get("properties").is_some_and(|properties| properties.get(property).is_some()) {
            return true;
        }
        let branches = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array());
        let conditions = ["if", "then", "else"].into_iter().filter_map(|key| schema.get(key));
        let reference = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
        pending.extend(branches.flatten().chain(conditions).chain(reference.and_then(|at| root.pointer(at))));
    }
    !pending.is_empty()
}

/// The type of a declared field.
fn field<'a>(object: &'a ObjectType, name: &str) -> Option<&'a Type> {
    object.fields.iter().find(|field| field.name == name).map(|field| &field.value)
}

/// What the conditions of one file are compiled with.
pub(super) struct Compiler<'a> {
    pub(super) sources: &'a SourceMap,
    pub(super) fit: CatalogFit,
}

/// A condition checked against one type of arguments, for every tool that has it.
struct Variant<'a> {
    arguments: Type,
    checked: Result<Arc<Expression>, Vec<CompileError>>,
    tools: Vec<&'a str>,
}

impl Compiler<'_> {
    /// Compiles a condition for each of `selected`, in their order.
    ///
    /// `None` means that it is wrong whatever the tool; the report says why.
    pub(super) fn clauses(
        &self,
        written: Option<&Node>,
        selected: &[&ToolArguments],
        report: &mut Report,
    ) -> Option<Vec<Clause>> {
        self.typed_clauses(written, selected, &Type::Bool, report)
    }

    /// The same for an expression of another type.
    pub(super) fn typed_clauses(
        &self,
        written: Option<&Node>,
        selected: &[&ToolArguments],
        expected: &Type,
        report: &mut Report,
    ) -> Option<Vec<Clause>> {
        let Some((written, text)) = written.and_then(|node| Some((node, text_of(node)?))) else {
            return Some(vec![Clause::Absent; selected.len()]);
        };
        let syntax = match Syntax::parse(text) {
            Ok(syntax) => syntax,
            Err(errors) => {
                errors.into_iter().for_each(|error| report.push(self.diagnostic(written, error, &[])));
                return None;
            }
        };
        let named = syntax.fields_named("arguments");
        if self.fit != CatalogFit::Any
            && !selected.is_empty()
            && !self.declared(written, &named, selected, report)
        {
            return None;
        }
        let fields =
            if syntax.reads("arguments") { syntax.fields_read("arguments") } else { Some(Vec::new()) };
        let mut variants: Vec<Variant<'_>> = Vec::new();
        let mut clauses = Vec::with_capacity(selected.len());
        for tool in selected {
            clauses.push(match named.iter().find(|(name, _)| !tool.declares(name)) {
                Some((undeclared, _)) => Clause::Undeclared(Arc::from(undeclared.as_str())),
                None => {
                    let arguments = tool.narrowed(fields.as_deref());
                    variant(&syntax, arguments, expected, &tool.name, &mut variants)
                }
            });
        }
        if variants.is_empty() {
            // No tool is there to check it against; what is wrong whatever the arguments are is found all the same.
            variant(&syntax, anything(), expected, "", &mut variants);
        }
        match self.fit {
            CatalogFit::Several if selected.is_empty() => {}
            CatalogFit::Exact | CatalogFit::Several => self.report_variants(written, &variants, report),
            CatalogFit::Any => {}
        }
        Some(clauses)
    }

    /// Whether each argument that a condition names is declared by a tool, and all of them by one.
    fn declared(
        &self,
        written: &Node,
        named: &[(String, Range<usize>)],
        selected: &[&ToolArguments],
        report: &mut Report,
    ) -> bool {
        let known = || selected.iter().flat_map(|tool| &tool.object().fields);
        let mut all = true;
        for (name, range) in named.iter().filter(|(name, _)| !selected.iter().any(|tool| tool.declares(name)))
        {
            all = false;
            let message = format!("no tool that this rule selects declares the argument `{name}`");
            let span = self.place(written, range.clone());
            let near = nearest(name, known().map(|field| field.name.as_str()));
            report.push(suggest(Diagnostic::error(span, message), near, || {
                "select the tools that the condition is about with `tools:`".to_owned()
            }));
        }
        if all && !selected.iter().any(|tool| named.iter().all(|(name, _)| tool.declares(name))) {
            let message =
                "no tool that this rule selects declares all of the arguments that this condition reads";
            report.push(
                Diagnostic::error(written.span, message).with_hint("write one rule for each kind of tool"),
            );
            all = false;
        }
        all
    }

    /// Reports what is wrong with a condition, each problem once, naming tools where it is not wrong on all.
    fn report_variants(&self, written: &Node, variants: &[Variant<'_>], report: &mut Report) {
        let mut problems: Vec<(&CompileError, Vec<&str>, usize)> = Vec::new();
        for variant in variants {
            for error in variant.checked.as_ref().err().into_iter().flatten() {
                match problems.iter_mut().find(|(known, _, _)| *known == error) {
                    Some((_, tools, times)) => {
                        tools.extend(&variant.tools);
                        *times += 1;
                    }
                    None => problems.push((error, variant.tools.clone(), 1)),
                }
            }
        }
        for (error, tools, times) in problems {
            // What is wrong with every tool is wrong with the condition itself.
            let tools = if times == variants.len() { &[] } else { tools.as_slice() };
            report.push(self.diagnostic(written, error.clone(), tools));
        }
    }

    fn place(&self, written: &Node, range: Range<usize>) -> Span {
        let source = self.sources.get(written.span.source);
        source.map_or(written.span, |source| span_within(&source.text, written, range))
    }

    pub(super) fn diagnostic(&self, written: &Node, error: CompileError, tools: &[&str]) -> Diagnostic {
        let span = self.place(written, error.range);
        let message = match tools {
            [] => error.message,
            [tool] => format!("for the tool `{tool}`: {}", error.message),
            [first, rest @ ..] => {
                format!("for the tool `{first}` and {} more: {}", rest.len(), error.message)
            }
        };
        let diagnostic = Diagnostic::error(span, message);
        match error.hint {
            Some(hint) => diagnostic.with_hint(hint),
            None => diagnostic,
        }
    }
}

/// Arguments of which nothing is known.
fn anything() -> Type {
    Type::Object(Arc::new(ObjectType { fields: Vec::new(), open: true }))
}

/// The condition on a tool, checked once for all tools with these arguments.
fn variant<'t>(
    syntax: &Syntax,
    arguments: Type,
    expected: &Type,
    tool: &'t str,
    variants: &mut Vec<Variant<'t>>,
) -> Clause {
    if let Some(known) = variants.iter_mut().find(|variant| variant.arguments == arguments) {
        known.tools.push(tool);
        return known.clause();
    }
    let checked = syntax.check(&declarations(arguments.clone()), expected).map(Arc::new);
    let new = Variant { arguments, checked, tools: vec![tool] };
    let clause = new.clause();
    variants.push(new);
    clause
}

impl Variant<'_> {
    fn clause(&self) -> Clause {
        match &self.checked {
            Ok(expression) => Clause::Checked(Arc::clone(expression)),
            Err(errors) => {
                let first = errors.first().map_or("it does not fit the tool", |error| error.message.as_str());
                Clause::Unusable(Arc::from(first))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(schema: Value) -> ToolArguments {
        ToolArguments { name: "t".to_owned(), schema: Arc::new(schema), object: OnceCell::new() }
    }

    #[test]
    fn an_argument_is_declared_wherever_the_schema_names_it() {
        let path = json!({"properties": {"path": {"type": "string"}}});
        let cases = [
            (json!({"type": "object", "properties": {"path": {}}}), true),
            (json!({"type": "object", "properties": {"file": {}}}), false),
            (json!({"type": "object"}), false),
            (json!({"type": "object", "oneOf": [{"required": ["a"]}, path]}), true),
            (json!({"type": "object", "if": {}, "then": path}), true),
            (json!({"$ref": "#/$defs/x", "$defs": {"x": {"allOf": [path]}}}), true),
            (json!({"$ref": "#", "type": "object"}), true),
            (json!({"type": "object", "additionalProperties": false, "properties": {"file": {}}}), false),
        ];
        for (schema, expected) in cases {
            assert_eq!(tool(schema.clone()).declares("path"), expected, "{schema}");
        }
    }

    #[test]
    fn a_pointer_is_declared_as_far_as_the_schema_tells() {
        let tool = tool(json!({"type": "object", "additionalProperties": false, "properties": {
            "a": {"type": "object", "additionalProperties": false, "properties": {"b/c": {"type": "string"}}},
            "list": {"type": "array", "items": {"type": "string"}},
            "open": {"type": "object"},
            "text": {"type": "string"}
        }}));
        for pointer in ["/a", "/a/b~1c", "/list/0", "/list", "/open/x/y", "/text"] {
            assert!(tool.declares_pointer(pointer), "{pointer}");
        }
        for pointer in ["/b", "/a/b", "/a/b~1c/d", "/list/x", "/list/0/x", "/text/x", ""] {
            assert!(!tool.declares_pointer(pointer), "{pointer}");
        }
    }
}
