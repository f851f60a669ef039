//! Operators between two values.

use crate::expression::hint::{field_text, nearest};
use crate::expression::node::{Node, Order};
use crate::expression::number::Numeric;
use crate::expression::syntax::{BinaryOperator, Expr, Kind};
use crate::expression::types::{Kinds, Lookup};
use crate::expression::value::Val;
use crate::expression::{CompileError, Type};

use super::checker::{Checked, Checker};

impl<'e> Checker<'e> {
    pub(super) fn binary(
        &mut self,
        expr: &'e Expr,
        operator: BinaryOperator,
        left: &'e Expr,
        right: &'e Expr,
    ) -> Checked {
        match operator {
            BinaryOperator::Equal => self.equality(expr, false, left, right),
            BinaryOperator::NotEqual => self.equality(expr, true, left, right),
            BinaryOperator::Less => self.order(expr, Order::Less, operator, left, right),
            BinaryOperator::LessEqual => self.order(expr, Order::LessEqual, operator, left, right),
            BinaryOperator::Greater => self.order(expr, Order::Greater, operator, left, right),
            BinaryOperator::GreaterEqual => self.order(expr, Order::GreaterEqual, operator, left, right),
            BinaryOperator::In => self.membership(left, right),
            BinaryOperator::Subtract => match self.hyphenated(expr) {
                Some(error) => self.fail(error),
                None => self.arithmetic(expr, operator, left, right),
            },
            BinaryOperator::Add
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Remainder => self.arithmetic(expr, operator, left, right),
        }
    }

    fn equality(&mut self, expr: &'e Expr, negated: bool, left: &'e Expr, right: &'e Expr) -> Checked {
        let (first, second) = (self.value(left), self.value(right));
        if let Some(error) = self.never_equal(left, &first, right, &second) {
            let range = expr.range.clone();
            return self.fail(CompileError { range, ..error });
        }
        let operands = Box::new([first.node, second.node]);
        Checked { node: Node::Equal { negated, operands }, value_type: Type::Bool }
    }

    /// Why two values can never be equal.
    fn never_equal(
        &self,
        left: &Expr,
        first: &Checked,
        right: &Expr,
        second: &Checked,
    ) -> Option<CompileError> {
        let sides = [(left, first, second), (right, second, first)];
        for (place, typed, constant) in sides {
            let Node::Constant(value) = &constant.node else { continue };
            let Some(value) = value.to_json() else { continue };
            if typed.value_type.may_be(&value) || matches!(typed.node, Node::Constant(_)) {
                continue;
            }
            let written = self.text(&place.range);
            let error = CompileError::new(
                place.range.clone(),
                format!("`{written}` is {} and never {value}", typed.value_type),
            );
            return Some(match (&typed.value_type, &value) {
                (Type::OneOf(known), serde_json::Value::String(word)) => {
                    match nearest(word, known.iter().filter_map(serde_json::Value::as_str)) {
                        Some(near) => error.with_hint(format!("did you mean \"{near}\"?")),
                        None => error,
                    }
                }
                (_, serde_json::Value::Null) => {
                    error.with_hint("whether it is there at all is asked by `has(…)`")
                }
                (Type::Path, serde_json::Value::String(_)) => {
                    error.with_hint(format!("compare paths with paths: `path({value})`"))
                }
                (Type::Url, serde_json::Value::String(_)) => {
                    error.with_hint(format!("compare urls with urls: `url({value})`, or its `.host()`"))
                }
                (Type::Int | Type::Double, serde_json::Value::String(text))
                    if text.parse::<f64>().is_ok() =>
                {
                    error.with_hint("write the number without quotes")
                }
                _ => error,
            });
        }
        if first.value_type.may_equal(&second.value_type) {
            return None;
        }
        let message = format!(
            "`{}` is {} and `{}` is {}: they are never equal",
            self.text(&left.range),
            first.value_type,
            self.text(&right.range),
            second.value_type
        );
        Some(CompileError::new(left.range.start..right.range.end, message))
    }

    fn order(
        &mut self,
        expr: &'e Expr,
        order: Order,
        operator: BinaryOperator,
        left: &'e Expr,
        right: &'e Expr,
    ) -> Checked {
        let (first, second) = (self.value(left), self.value(right));
        let (a, b) = (first.value_type.kinds(), second.value_type.kinds());
        let both = |kinds: Kinds| a.overlaps(kinds) && b.overlaps(kinds);
        if !both(Kinds::NUMBER) && !both(Kinds::TEXT) {
            return self.unsuited(expr, operator, &first.value_type, &second.value_type);
        }
        let operands = Box::new([first.node, second.node]);
        Checked { node: Node::Order { operator: order, operands }, value_type: Type::Bool }
    }

    fn unsuited(&mut self, expr: &Expr, operator: BinaryOperator, left: &Type, right: &Type) -> Checked {
        let message = format!("`{}` does not take {left} and {right}", operator.as_str());
        let error = CompileError::new(expr.range.clone(), message);
        let (a, b) = (left.kinds(), right.kinds());
        let mixed = |one: Kinds, other: Kinds| (a == one && b == other) || (a == other && b == one);
        let error = if mixed(Kinds::INT, Kinds::DOUBLE) {
            error.with_hint("make both decimal: `double(…)`, or both whole: `int(…)`")
        } else if operator == BinaryOperator::Add && (a == Kinds::TEXT || b == Kinds::TEXT) {
            error.with_hint("make it text: `string(…)`")
        } else {
            error
        };
        self.fail(error)
    }

    fn membership(&mut self, left: &'e Expr, right: &'e Expr) -> Checked {
        let item = self.value(left);
        if let Kind::List(elements) = &right.kind {
            // Each element is compared by itself, so that the message points at the one that cannot match.
            for element in elements {
                let checked = self.silently(|checker| checker.value(element));
                if let Some(error) = self.never_equal(left, &item, element, &checked) {
                    self.report(CompileError { range: element.range.clone(), ..error });
                }
            }
        }
        let kinds = Kinds::LIST.or(Kinds::OBJECT);
        let container = self.value_of(right, kinds, "`in`");
        let holder = &container.value_type;
        if holder.kinds() == Kinds::LIST && !matches!(right.kind, Kind::List(_)) {
            let element = holder.element();
            if !item.value_type.may_equal(&element) {
                let written = self.text(&left.range);
                let message = format!("`{written}` is {} and never in a list of {element}", item.value_type);
                self.report(CompileError::new(left.range.clone(), message));
            }
        } else if holder.kinds() == Kinds::OBJECT {
            if !item.value_type.kinds().overlaps(Kinds::TEXT) {
                let message = format!("a key of an object is a string, not {}", item.value_type);
                self.report(CompileError::new(left.range.clone(), message));
            } else if let Some(key) = left.as_text() {
                self.look_up(&holder.clone(), right, key, &left.range);
            }
        }
        Checked { node: Node::In(Box::new([item.node, container.node])), value_type: Type::Bool }
    }

    fn arithmetic(
        &mut self,
        expr: &'e Expr,
        operator: BinaryOperator,
        left: &'e Expr,
        right: &'e Expr,
    ) -> Checked {
        let (mut first, mut second) = (self.value(left), self.value(right));
        promote(&mut first, &second);
        promote(&mut second, &first);
        let (a, b) = (first.value_type.kinds(), second.value_type.kinds());
        let both = |kinds: Kinds| a.overlaps(kinds) && b.overlaps(kinds);
        let integers_only = operator == BinaryOperator::Remainder;
        let joins = operator == BinaryOperator::Add;
        // Int with double is only possible where one of the two is not known for sure: then it is promoted at
        // run time, because the spelling of a number in JSON must not decide whether a rule works.
        let fixed = |kinds: Kinds| kinds == Kinds::INT || kinds == Kinds::DOUBLE;
        let mixed = fixed(a) && fixed(b) && a != b;
        let numbers = both(if integers_only { Kinds::INT } else { Kinds::NUMBER }) && !mixed;
        let texts = joins && both(Kinds::TEXT);
        let lists = joins && both(Kinds::LIST);
        if !numbers && !texts && !lists {
            return self.unsuited(expr, operator, &first.value_type, &second.value_type);
        }
        let value_type = if a == b && fixed(a) {
            if a == Kinds::INT { Type::Int } else { Type::Double }
        } else if a == Kinds::TEXT && b == Kinds::TEXT {
            Type::String
        } else if a == Kinds::LIST && b == Kinds::LIST {
            Type::list_of(Type::any_of([first.value_type.element(), second.value_type.element()]))
        } else {
            Type::Dynamic
        };
        let operands = Box::new([first.node, second.node]);
        Checked { node: Node::Arithmetic { operator, operands }, value_type }
    }

    /// `arguments.issue-number` is a subtraction of an unknown variable; most likely a name was meant.
    fn hyphenated(&mut self, expr: &'e Expr) -> Option<CompileError> {
        let mut parts = Vec::new();
        let mut start = expr;
        while let Kind::Binary { operator: BinaryOperator::Subtract, operands, .. } = &start.kind {
            let [left, right] = &**operands;
            let Kind::Identifier(name) = &right.kind else { return None };
            if self.slot(name).is_some() || self.local(name).is_some() {
                return None;
            }
            parts.push(name.as_str());
            start = left;
        }
        let Kind::Select { base, field, optional: false, .. } = &start.kind else { return None };
        parts.push(field);
        parts.reverse();
        let name = parts.join("-");
        let base_type = self.silently(|checker| checker.check(base).value_type);
        let declared = |name: &str| match base_type.field(name) {
            Lookup::Field { required, .. } => required || base_type.kinds() != Kinds::OBJECT,
            Lookup::Unknown(_) | Lookup::NoFields => false,
        };
        if declared(field) && !matches!(base_type.field(&name), Lookup::Field { .. }) {
            return None;
        }
        let written = self.text(&base.range);
        let error = CompileError::new(expr.range.clone(), format!("`{written}.{name}` is a subtraction"));
        Some(error.with_hint(format!("a name with a dash is written `{}`", field_text(written, &name))))
    }
}

/// An integer literal beside a decimal number is that decimal number.
fn promote(literal: &mut Checked, beside: &Checked) {
    if beside.value_type == Type::Double
        && let Node::Constant(Val::Int(value)) = literal.node
        && let Some(double) = Numeric::Int(value).to_double()
    {
        *literal = Checked { node: Node::Constant(Val::Double(double)), value_type: Type::Double };
    }
}
