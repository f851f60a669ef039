//! What a condition says about what is there.
//!
//! `&&` and `||` forgive the errors of their other terms, so in `has(x.f) && x.f > 1` each term may rely on the
//! others, whatever the order: where `has(x.f)` is false, the whole is false. A term never vouches for itself.

use crate::expression::node::Node;
use crate::expression::syntax::{BinaryOperator, Expr, Kind, Literal, Logical, UnaryOperator};

use super::checker::Checker;

/// A place in the input: a variable, and fields or elements from there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathKey<'e> {
    root: Root,
    steps: Vec<Step<'e>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    Slot(usize),
    Local(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step<'e> {
    Field(&'e str),
    Element(i128),
}

impl<'e> PathKey<'e> {
    fn then(mut self, step: Step<'e>) -> Self {
        self.steps.push(step);
        self
    }
}

/// What holds where a condition has a given outcome; `None` where it cannot have it.
type Facts<'e> = Option<Vec<PathKey<'e>>>;

impl<'e> Checker<'e> {
    /// The place that an expression reads, where it is one.
    fn path_of(&self, expr: &'e Expr) -> Option<PathKey<'e>> {
        match &expr.kind {
            Kind::Identifier(name) => {
                let root = match self.local(name) {
                    Some((_, local)) => Root::Local(local.id),
                    None => Root::Slot(self.slot(name)?),
                };
                Some(PathKey { root, steps: Vec::new() })
            }
            Kind::Select { base, field, .. } => Some(self.path_of(base)?.then(Step::Field(field))),
            Kind::Index { base, index, .. } => {
                let step = match &index.kind {
                    Kind::Literal(Literal::Text(text)) => Step::Field(text),
                    Kind::Literal(Literal::Integer(at)) => Step::Element(*at),
                    _ => return None,
                };
                Some(self.path_of(base)?.then(step))
            }
            _ => None,
        }
    }

    fn field_path(&self, base: &'e Expr, field: &'e str) -> Option<PathKey<'e>> {
        Some(self.path_of(base)?.then(Step::Field(field)))
    }

    pub(super) fn is_known(&self, path: &PathKey<'e>) -> bool {
        self.facts.iter().any(|(known, term)| known == path && !self.excluded.contains(term))
    }

    /// Whether a condition around here says that the field is there.
    pub(super) fn is_guarded(&self, base: &'e Expr, field: &'e str) -> bool {
        self.field_path(base, field).is_some_and(|path| self.is_known(&path))
    }

    /// Checks each term of a chain, knowing what the others say.
    pub(super) fn each_term(
        &mut self,
        terms: &'e [Expr],
        outcome: bool,
        mut check: impl FnMut(&mut Self, &'e Expr) -> Node,
    ) -> Box<[Node]> {
        let known = self.facts.len();
        let first_term = self.next_term;
        self.next_term += terms.len();
        for (index, term) in terms.iter().enumerate() {
            for path in self.facts_of(term, outcome).unwrap_or_default() {
                self.facts.push((path, first_term + index));
            }
        }
        let nodes = terms
            .iter()
            .enumerate()
            .map(|(index, term)| {
                self.excluded.push(first_term + index);
                let node = check(self, term);
                self.excluded.pop();
                node
            })
            .collect();
        self.facts.truncate(known);
        nodes
    }

    /// Checks a part that is only evaluated where `condition` has the given outcome.
    pub(super) fn knowing<T>(
        &mut self,
        condition: &'e Expr,
        outcome: bool,
        check: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let known = self.facts.len();
        let term = self.next_term;
        self.next_term += 1;
        for path in self.facts_of(condition, outcome).unwrap_or_default() {
            self.facts.push((path, term));
        }
        let result = check(self);
        self.facts.truncate(known);
        result
    }

    fn facts_of(&self, expr: &'e Expr, outcome: bool) -> Facts<'e> {
        match &expr.kind {
            Kind::Literal(Literal::Bool(value)) if *value != outcome => None,
            Kind::Has { base, field, .. } if outcome => {
                Some(self.field_path(base, field).into_iter().collect())
            }
            Kind::Binary { operator: BinaryOperator::In, operands, .. } if outcome => {
                let [key, base] = &**operands;
                Some(key.as_text().and_then(|key| self.field_path(base, key)).into_iter().collect())
            }
            Kind::Call { target: Some(target), name, .. } if outcome && name == "hasValue" => {
                let mut paths = Vec::new();
                self.optional_chain(target, &mut paths);
                Some(paths)
            }
            Kind::Unary { operator: UnaryOperator::Not, operand } => self.facts_of(operand, !outcome),
            Kind::Logical { operator, terms } => {
                let all_hold = (*operator == Logical::And) == outcome;
                let each = terms.iter().map(|term| self.facts_of(term, outcome));
                if all_hold { each.reduce(both).flatten() } else { each.reduce(either).flatten() }
            }
            Kind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                either(
                    both(self.facts_of(condition, true), self.facts_of(yes, outcome)),
                    both(self.facts_of(condition, false), self.facts_of(no, outcome)),
                )
            }
            _ => Some(Vec::new()),
        }
    }

    /// Every place on the way of `a.?b.?c`: where the end is there, they all are.
    fn optional_chain(&self, expr: &'e Expr, paths: &mut Vec<PathKey<'e>>) {
        if let Kind::Select { base, .. } | Kind::Index { base, .. } = &expr.kind {
            paths.extend(self.path_of(expr));
            self.optional_chain(base, paths);
        }
    }
}

fn both<'e>(left: Facts<'e>, right: Facts<'e>) -> Facts<'e> {
    let mut facts = left?;
    facts.extend(right?);
    Some(facts)
}

fn either<'e>(left: Facts<'e>, right: Facts<'e>) -> Facts<'e> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.into_iter().filter(|path| right.contains(path)).collect()),
        (left, right) => left.or(right),
    }
}
