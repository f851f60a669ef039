//! Walking the tree: names, literals, macros and the result.

use std::borrow::Cow;
use std::ops::Range;

use crate::expression::node::{MacroNode, Node};
use crate::expression::syntax::{Expr, Kind, Literal, Logical, Macro, Syntax, UnaryOperator};
use crate::expression::types::Kinds;
use crate::expression::value::Val;
use crate::expression::{CompileError, Declarations, Type};

use super::facts::PathKey;
use crate::expression::hint::{listed, nearest};

/// Macros inside the body of macros: each level multiplies the work by the length of a list.
const MAX_MACROS: usize = 2;
/// Most problems that are reported for one expression.
const MAX_ERRORS: usize = 32;

/// Where the expression stands, which decides what a hint can propose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::expression) enum Surroundings {
    Condition,
    Template,
}

/// A part that was checked.
pub(super) struct Checked {
    pub(super) node: Node,
    pub(super) value_type: Type,
}

/// A variable of a macro.
pub(super) struct Local<'e> {
    pub(super) name: &'e str,
    pub(super) value_type: Type,
    /// Unique in the expression, so that knowledge about one is not taken for another of the same name.
    pub(super) id: usize,
}

/// One check of one expression.
pub(in crate::expression) struct Checker<'e> {
    pub(super) syntax: &'e Syntax,
    pub(super) declarations: &'e Declarations,
    pub(super) surroundings: Surroundings,
    pub(super) locals: Vec<Local<'e>>,
    next_local: usize,
    /// What is known to be there, and the term that says so.
    pub(super) facts: Vec<(PathKey<'e>, usize)>,
    pub(super) next_term: usize,
    /// The terms being checked, whose own words do not count.
    pub(super) excluded: Vec<usize>,
    errors: Vec<CompileError>,
}

impl<'e> Checker<'e> {
    pub(in crate::expression) fn new(
        syntax: &'e Syntax,
        declarations: &'e Declarations,
        surroundings: Surroundings,
    ) -> Self {
        Self {
            syntax,
            declarations,
            surroundings,
            locals: Vec::new(),
            next_local: 0,
            facts: Vec::new(),
            next_term: 0,
            excluded: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Checks the whole expression against the type that is wanted.
    ///
    /// # Errors
    /// Every problem, in the order of their places.
    pub(in crate::expression) fn finish(
        mut self,
        expected: &Type,
    ) -> Result<(Node, Type), Vec<CompileError>> {
        let root = self.syntax.root();
        let checked = self.value(root);
        let found = &checked.value_type;
        let fits = *expected == Type::Dynamic
            || (found.kinds().overlaps(expected.kinds()) && found.may_equal(expected));
        if !fits && self.errors.is_empty() {
            let error = CompileError::new(root.range.clone(), format!("expected {expected}, found {found}"));
            self.errors.push(match (expected, found) {
                (Type::Bool, Type::String | Type::OneOf(_)) => error.with_hint("compare it: `… == \"…\"`"),
                (Type::Bool, _) => error.with_hint("compare it: `… == …`, `… > …`"),
                (Type::Int, Type::Double) => error.with_hint("round it: `int(…)`"),
                _ => error,
            });
        }
        if self.errors.is_empty() {
            return Ok((checked.node, checked.value_type));
        }
        self.errors.sort_by_key(|error| (error.range.start, error.range.end));
        self.errors.dedup();
        self.errors.truncate(MAX_ERRORS);
        Err(self.errors)
    }

    /// The text that was written at a place.
    pub(super) fn text(&self, range: &Range<usize>) -> &'e str {
        self.syntax.source().get(range.clone()).unwrap_or_default()
    }

    pub(super) fn report(&mut self, error: CompileError) {
        self.errors.push(error);
    }

    /// Reports a problem; what failed counts as dynamic, so that one mistake is one message.
    pub(super) fn fail(&mut self, error: CompileError) -> Checked {
        self.errors.push(error);
        Checked { node: Node::Constant(Val::Null), value_type: Type::Dynamic }
    }

    /// Runs a check of which only the result matters, not the problems.
    pub(super) fn silently<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        let known = self.errors.len();
        let result = check(self);
        self.errors.truncate(known);
        result
    }

    /// Checks a part that must be a value, not an optional.
    pub(super) fn value(&mut self, expr: &'e Expr) -> Checked {
        let checked = self.check(expr);
        if let Type::Optional(_) = checked.value_type {
            let error = CompileError::new(
                expr.range.clone(),
                format!("`{}` may hold no value", self.text(&expr.range)),
            );
            return self.fail(error.with_hint("open it: `….orValue(default)` or `….hasValue()`"));
        }
        checked
    }

    /// Checks a part that must be a value of certain kinds.
    pub(super) fn value_of(&mut self, expr: &'e Expr, wanted: Kinds, what: &str) -> Checked {
        let checked = self.value(expr);
        if checked.value_type.kinds().overlaps(wanted) {
            return checked;
        }
        let written = self.text(&expr.range);
        let message =
            format!("{what} takes {}, but `{written}` is {}", wanted.describe(), checked.value_type);
        let error = CompileError::new(expr.range.clone(), message);
        self.fail(match wanted {
            Kinds::PATH => error.with_hint(format!("make it a path: `path({written})`")),
            Kinds::URL => error.with_hint(format!("make it a url: `url({written})`")),
            _ => error,
        })
    }

    /// Checks a part that must be a condition.
    pub(super) fn condition(&mut self, expr: &'e Expr, what: &str) -> Node {
        self.value_of(expr, Kinds::BOOL, what).node
    }

    pub(super) fn check(&mut self, expr: &'e Expr) -> Checked {
        match &expr.kind {
            Kind::Literal(literal) => literal_node(literal),
            Kind::Identifier(name) => self.name(name, expr.range.clone()),
            Kind::Select { base, field, field_range, optional } => {
                self.select(expr, base, field, field_range, *optional)
            }
            Kind::Has { base, field, field_range } => self.has(base, field, field_range),
            Kind::Index { base, index, optional } => self.index(expr, base, index, *optional),
            Kind::Call { target, name, name_range, arguments } => {
                self.call(expr, target.as_deref(), name, name_range, arguments)
            }
            Kind::Unary { operator: UnaryOperator::Not, operand } => {
                let node = Node::Not(Box::new(self.condition(operand, "`!`")));
                Checked { node, value_type: Type::Bool }
            }
            Kind::Unary { operator: UnaryOperator::Negate, operand } => {
                let checked = self.value_of(operand, Kinds::NUMBER, "`-`");
                Checked { node: Node::Negate(Box::new(checked.node)), value_type: checked.value_type }
            }
            Kind::Binary { operator, operands, .. } => {
                let [left, right] = &**operands;
                self.binary(expr, *operator, left, right)
            }
            Kind::Logical { operator, terms } => self.logical(*operator, terms),
            Kind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                self.conditional(condition, yes, no)
            }
            Kind::List(items) => self.list(items),
            Kind::Map(entries) => self.map(entries),
            Kind::Macro { kind, range, variable, filter, body } => {
                self.macro_call(expr, *kind, range, variable, filter.as_deref(), body)
            }
        }
    }

    /// The innermost variable of a macro with this name, and its place on the stack.
    pub(super) fn local(&self, name: &str) -> Option<(usize, &Local<'e>)> {
        self.locals.iter().enumerate().rfind(|(_, local)| local.name == name)
    }

    /// The declared variable of this name, by slot.
    pub(super) fn slot(&self, name: &str) -> Option<usize> {
        self.declarations.variables.iter().position(|variable| variable.name == name)
    }

    fn name(&mut self, name: &'e str, range: Range<usize>) -> Checked {
        if let Some((index, local)) = self.local(name) {
            let value_type = local.value_type.clone();
            return Checked { node: coerced(Node::Local(index), &value_type), value_type };
        }
        let declarations = self.declarations;
        if let Some((slot, variable)) =
            declarations.variables.iter().enumerate().find(|(_, variable)| variable.name == name)
        {
            let node = coerced(Node::Variable(slot), &variable.value);
            return Checked { node, value_type: variable.value.clone() };
        }
        let names: Vec<&str> = declarations
            .variables
            .iter()
            .map(|variable| variable.name.as_str())
            .filter(|name| !name.is_empty())
            .chain(self.locals.iter().map(|local| local.name))
            .collect();
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("text needs quotes; the variables here are {}", listed(names.iter().copied())),
        };
        self.fail(CompileError::new(range, format!("unknown variable `{name}`")).with_hint(hint))
    }

    fn logical(&mut self, operator: Logical, terms: &'e [Expr]) -> Checked {
        let what = match operator {
            Logical::And => "`&&`",
            Logical::Or => "`||`",
        };
        let nodes: Box<[Node]> =
            self.each_term(terms, operator == Logical::And, |checker, term| checker.condition(term, what));
        let node = match operator {
            Logical::And => Node::And(nodes),
            Logical::Or => Node::Or(nodes),
        };
        Checked { node, value_type: Type::Bool }
    }

    fn conditional(&mut self, condition: &'e Expr, yes: &'e Expr, no: &'e Expr) -> Checked {
        let test = self.condition(condition, "`?:`");
        let yes = self.knowing(condition, true, |checker| checker.value(yes));
        let no = self.knowing(condition, false, |checker| checker.value(no));
        Checked {
            node: Node::Conditional(Box::new([test, yes.node, no.node])),
            value_type: Type::any_of([yes.value_type, no.value_type]),
        }
    }

    fn list(&mut self, items: &'e [Expr]) -> Checked {
        let checked: Vec<Checked> = items.iter().map(|item| self.value(item)).collect();
        let item_type = Type::any_of(checked.iter().map(|item| item.value_type.clone()));
        let nodes: Vec<Node> = checked.into_iter().map(|item| item.node).collect();
        let constant = nodes.iter().all(|node| matches!(node, Node::Constant(_)));
        let node = if constant {
            let values = nodes.into_iter().filter_map(|node| match node {
                Node::Constant(value) => Some(value),
                _ => None,
            });
            Node::Constant(Val::List(values.collect()))
        } else {
            Node::List(nodes.into())
        };
        Checked { node, value_type: Type::list_of(item_type) }
    }

    fn map(&mut self, entries: &'e [(Expr, Expr)]) -> Checked {
        let mut fields = Vec::new();
        let mut nodes: Vec<(Box<str>, Node)> = Vec::new();
        for (key, value) in entries {
            let checked = self.value(value);
            let Some(name) = key.as_text() else {
                self.report(CompileError::new(key.range.clone(), "a key of an object is a text in quotes"));
                continue;
            };
            if nodes.iter().any(|(known, _)| **known == *name) {
                self.report(CompileError::new(key.range.clone(), format!("`{name}` is there twice")));
                continue;
            }
            fields.push(crate::expression::Field {
                name: name.to_owned(),
                value: checked.value_type,
                required: true,
            });
            nodes.push((name.into(), checked.node));
        }
        let object = crate::expression::ObjectType { fields, open: false };
        Checked { node: Node::Object(nodes.into()), value_type: Type::Object(object.into()) }
    }

    fn macro_call(
        &mut self,
        expr: &'e Expr,
        kind: Macro,
        range: &'e Expr,
        variable: &'e str,
        filter: Option<&'e Expr>,
        body: &'e Expr,
    ) -> Checked {
        let over = self.value_of(range, Kinds::LIST.or(Kinds::OBJECT), "a macro");
        if self.locals.len() >= MAX_MACROS {
            let message = format!("macros nested deeper than {MAX_MACROS}");
            return self.fail(
                CompileError::new(expr.range.clone(), message)
                    .with_hint("each level multiplies the work: use `in`, or split the condition"),
            );
        }
        let kinds = over.value_type.kinds();
        let element = match (kinds.overlaps(Kinds::LIST), kinds.overlaps(Kinds::OBJECT)) {
            (false, true) => Type::String,
            (true, false) => over.value_type.element(),
            _ => Type::Dynamic,
        };
        self.next_local += 1;
        self.locals.push(Local { name: variable, value_type: element.clone(), id: self.next_local });
        let filter = filter.map(|filter| (self.condition(filter, "`map`"), filter));
        let (body, body_type) = match kind {
            Macro::Map => {
                let checked = match filter.as_ref() {
                    Some((_, condition)) => self.knowing(condition, true, |checker| checker.value(body)),
                    None => self.value(body),
                };
                (checked.node, checked.value_type)
            }
            Macro::All | Macro::Exists | Macro::ExistsOne | Macro::Filter => {
                (self.condition(body, "the macro"), Type::Bool)
            }
        };
        self.locals.pop();
        let filter = filter.map(|(node, _)| node);
        let cost = body.count() + filter.as_ref().map_or(0, Node::count);
        let value_type = match kind {
            Macro::All | Macro::Exists | Macro::ExistsOne => Type::Bool,
            Macro::Filter => Type::list_of(element),
            Macro::Map => Type::list_of(body_type),
        };
        let node = Node::Macro(Box::new(MacroNode { kind, range: over.node, filter, body, cost }));
        Checked { node, value_type }
    }
}

/// A place that JSON is read from, as its type says: the spelling of a number does not matter.
pub(super) fn coerced(node: Node, value_type: &Type) -> Node {
    let kinds = value_type.kinds();
    match (kinds.overlaps(Kinds::INT), kinds.overlaps(Kinds::DOUBLE)) {
        (true, false) => Node::AsInt(Box::new(node)),
        (false, true) => Node::AsDouble(Box::new(node)),
        _ => node,
    }
}

fn literal_node(literal: &Literal) -> Checked {
    let (value, value_type) = match literal {
        Literal::Null => (Val::Null, Type::Null),
        Literal::Bool(value) => (Val::Bool(*value), Type::Bool),
        Literal::Integer(value) => (Val::Int(*value), Type::Int),
        Literal::Decimal(value) => (Val::Double(*value), Type::Double),
        Literal::Text(text) => (Val::Text(Cow::Owned(text.clone())), Type::String),
    };
    Checked { node: Node::Constant(value), value_type }
}
