//! Functions and methods.

use std::ops::Range;
use std::sync::Arc;

use crate::expression::hint::nearest;
use crate::expression::machine::is_pointer;
use crate::expression::node::{Function, Node};
use crate::expression::path::{Case, NormalPath};
use crate::expression::pattern::{self, Pattern};
use crate::expression::syntax::Expr;
use crate::expression::types::{Kinds, Lookup};
use crate::expression::url::{Url, host_matches};
use crate::expression::value::Val;
use crate::expression::{CompileError, Functions, Type};

use super::checker::{Checked, Checker, coerced};
use super::signature::{SIGNATURES, SPECIAL, Signature, Style, UNBUILT};

impl<'e> Checker<'e> {
    pub(super) fn call(
        &mut self,
        expr: &'e Expr,
        target: Option<&'e Expr>,
        name: &'e str,
        name_range: &Range<usize>,
        arguments: &'e [Expr],
    ) -> Checked {
        match (name, target, arguments) {
            ("orValue" | "hasValue" | "value" | "or", Some(target), _) => {
                return self.optional_method(expr, target, name, name_range, arguments);
            }
            ("matches", Some(subject), [pattern]) | ("matches", None, [subject, pattern]) => {
                return self.regex(subject, pattern);
            }
            ("matches_glob", Some(subject), [pattern]) => return self.glob(subject, pattern, Case::Exact),
            ("matches_glob_any_case", Some(subject), [pattern]) => {
                return self.glob(subject, pattern, Case::Folded);
            }
            _ => {}
        }
        let style = if target.is_some() { Style::Method } else { Style::Function };
        let named: Vec<&Signature> = SIGNATURES.iter().filter(|signature| signature.name == name).collect();
        let styled: Vec<&Signature> =
            named.iter().filter(|signature| signature.style == style).copied().collect();
        let Some(first) = styled.first() else {
            let error = unknown(name, name_range, target.is_some(), &named);
            return self.fail(error);
        };
        if first.rule_only && self.declarations.functions != Functions::Rule {
            let message = format!("`{name}` is for policy rules");
            return self.fail(CompileError::new(name_range.clone(), message));
        }
        let given = arguments.len() + usize::from(target.is_some());
        let Some(signature) = styled.iter().find(|signature| signature.parameters.len() == given) else {
            let wanted = first.parameters.len().saturating_sub(usize::from(target.is_some()));
            let found = arguments.len();
            let message = format!("`{name}` takes {wanted} argument{}, found {found}", plural(wanted));
            return self.fail(CompileError::new(expr.range.clone(), message));
        };
        let what = format!("`{name}`");
        let parts = target.into_iter().chain(arguments);
        let mut nodes: Vec<Node> = parts
            .zip(signature.parameters)
            .map(|(part, wanted)| self.value_of(part, *wanted, &what).node)
            .collect();
        for (node, part) in
            nodes.iter_mut().zip(target.into_iter().chain(arguments)).skip(usize::from(target.is_some()))
        {
            self.literal_argument(signature.function, node, part);
        }
        let node = Node::Call { function: signature.function, arguments: nodes.into() };
        Checked { node, value_type: signature.gives.value_type() }
    }

    /// Checks what a literal argument says, so that a misspelt one is not found at the first call only.
    fn literal_argument(&mut self, function: Function, node: &mut Node, part: &'e Expr) {
        let Some(text) = part.as_text() else { return };
        let problem = match function {
            Function::Provenance if !is_pointer(text) => {
                let error = CompileError::new(part.range.clone(), format!("`{text}` is no JSON pointer"));
                self.report(error.with_hint("a pointer starts with a slash: `/recipient`, `/items/0/id`"));
                return;
            }
            Function::Provenance => return self.pointer_exists(text, part),
            Function::Path => NormalPath::parse(text).err(),
            Function::Under(_) => match NormalPath::parse(text) {
                Ok(directory) => {
                    *node = Node::Constant(Val::Path(Arc::new(directory)));
                    None
                }
                Err(problem) => Some(problem),
            },
            Function::Url => Url::parse(text).err(),
            Function::HostMatches => host_matches("", text).err(),
            _ => None,
        };
        if let Some(problem) = problem {
            self.report(CompileError::new(part.range.clone(), problem));
        }
    }

    /// A pointer to an argument that no schema knows would always be `absent`.
    fn pointer_exists(&mut self, pointer: &str, part: &'e Expr) {
        let declarations = self.declarations;
        let Some(variable) = declarations.variables.iter().find(|variable| variable.name == "arguments")
        else {
            return;
        };
        let mut at = variable.value.clone();
        for token in pointer.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            if at.kinds().overlaps(Kinds::LIST) {
                at = at.element();
                continue;
            }
            at = match at.field(&token) {
                Lookup::Field { value, .. } => value,
                Lookup::NoFields => return,
                Lookup::Unknown(known) => {
                    let error = CompileError::new(part.range.clone(), format!("no argument at `{pointer}`"));
                    self.report(match nearest(&token, known.iter().map(String::as_str)) {
                        Some(near) => error.with_hint(format!("did you mean `{near}`?")),
                        None => error,
                    });
                    return;
                }
            };
        }
    }

    fn optional_method(
        &mut self,
        expr: &'e Expr,
        target: &'e Expr,
        name: &'e str,
        name_range: &Range<usize>,
        arguments: &'e [Expr],
    ) -> Checked {
        let checked = self.check(target);
        let Type::Optional(inner) = checked.value_type else {
            let written = self.text(&target.range);
            let error =
                CompileError::new(name_range.clone(), format!("`{written}` is always there: no `{name}`"));
            return self
                .fail(error.with_hint("a part that may be absent is written with `.?`: `x.?f.orValue(d)`"));
        };
        let held = (*inner).clone();
        match (name, arguments) {
            ("hasValue", []) => {
                Checked { node: Node::HasValue(Box::new(checked.node)), value_type: Type::Bool }
            }
            ("value", []) => {
                let node = coerced(Node::OptionalValue(Box::new(checked.node)), &held);
                Checked { node, value_type: held }
            }
            ("orValue", [default]) => {
                let default_part = self.value(default);
                let mut value_type = Type::any_of([held.clone(), default_part.value_type.clone()]);
                let fits = held.may_equal(&default_part.value_type)
                    || default_part.value_type == Type::Null
                    || held == Type::Dynamic;
                if !fits {
                    let message = format!(
                        "`{}` is {held}, its default is {}",
                        self.text(&target.range),
                        default_part.value_type
                    );
                    return self.fail(CompileError::new(default.range.clone(), message));
                }
                // A default keeps a closed set closed: the set and the default.
                if let (Type::OneOf(values), Node::Constant(value)) = (&held, &default_part.node)
                    && let Some(value) = value.to_json()
                {
                    value_type = Type::OneOf(values.iter().cloned().chain([value]).collect());
                } else if held.kinds() == default_part.value_type.kinds() || held.kinds() == Kinds::DOUBLE {
                    value_type = held;
                }
                let node = Node::OrValue(Box::new([checked.node, default_part.node]));
                Checked { node: coerced(node, &value_type), value_type }
            }
            ("or", [other]) => {
                let second = self.check(other);
                let Type::Optional(other_inner) = second.value_type else {
                    let error =
                        CompileError::new(other.range.clone(), "`or` takes another part that may be absent");
                    return self.fail(error.with_hint("a default value is given by `orValue`"));
                };
                let value_type = Type::Optional(Type::any_of([held, (*other_inner).clone()]).into());
                Checked { node: Node::OptionalOr(Box::new([checked.node, second.node])), value_type }
            }
            _ => {
                let wanted = usize::from(matches!(name, "orValue" | "or"));
                let message = format!("`{name}` takes {wanted} argument{}", plural(wanted));
                self.fail(CompileError::new(expr.range.clone(), message))
            }
        }
    }

    fn regex(&mut self, subject: &'e Expr, pattern: &'e Expr) -> Checked {
        let subject = Box::new(self.value_of(subject, Kinds::TEXT, "`matches`").node);
        match self.pattern(pattern, pattern::regex) {
            Some(Pattern::Regex(regex)) => {
                Checked { node: Node::Regex { subject, regex }, value_type: Type::Bool }
            }
            _ => Checked { node: *subject, value_type: Type::Dynamic },
        }
    }

    fn glob(&mut self, subject: &'e Expr, pattern: &'e Expr, case: Case) -> Checked {
        let subject = Box::new(self.value_of(subject, Kinds::PATH, "a glob").node);
        match self.pattern(pattern, |text| pattern::glob(text, case)) {
            Some(Pattern::Glob(glob)) => {
                Checked { node: Node::Glob { subject, glob }, value_type: Type::Bool }
            }
            _ => Checked { node: *subject, value_type: Type::Dynamic },
        }
    }

    /// The compiled form of a literal pattern.
    fn pattern(
        &mut self,
        pattern: &'e Expr,
        compile: impl FnOnce(&str) -> Result<Pattern, String>,
    ) -> Option<Pattern> {
        let Some(text) = pattern.as_text() else {
            let error = CompileError::new(pattern.range.clone(), "a pattern is a text in quotes");
            self.report(
                error.with_hint("it is compiled when the file is loaded, so it cannot come from input"),
            );
            return None;
        };
        match self.syntax.pattern(pattern.range.start, || compile(text)) {
            Ok(compiled) => Some(compiled),
            Err(problem) => {
                let error = CompileError::new(pattern.range.clone(), format!("bad pattern: {problem}"));
                self.report(error.with_hint("a backslash is written `\\\\`, or the text as r\"…\""));
                None
            }
        }
    }
}

fn unknown(name: &str, range: &Range<usize>, method: bool, named: &[&Signature]) -> CompileError {
    if let Some((_, advice)) = UNBUILT.iter().find(|(unbuilt, _)| *unbuilt == name) {
        return CompileError::new(range.clone(), format!("`{name}` is not built")).with_hint(*advice);
    }
    let kind = if method { "method" } else { "function" };
    let error = CompileError::new(range.clone(), format!("unknown {kind} `{name}`"));
    if !named.is_empty() {
        let form = if method { format!("{name}(x)") } else { format!("x.{name}(…)") };
        return error.with_hint(format!("it is written `{form}`"));
    }
    let names = SIGNATURES.iter().map(|signature| signature.name).chain(SPECIAL);
    match nearest(name, names) {
        Some(near) => error.with_hint(format!("did you mean `{near}`?")),
        None => error,
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
