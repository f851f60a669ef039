//! Equality, order, membership and arithmetic.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use crate::expression::node::{Node, Order};
use crate::expression::number::{Numeric, in_range};
use crate::expression::syntax::BinaryOperator;
use crate::expression::value::{MAX_DEPTH, Val};

use super::{Fault, Machine};

impl<'a> Machine<'a> {
    pub(super) fn equal(&mut self, left: &Val<'a>, right: &Val<'a>) -> Result<bool, Fault<'a>> {
        self.equal_within(left, right, MAX_DEPTH)
    }

    /// Deep equality: numbers by value, objects whatever the order of their keys.
    fn equal_within(&mut self, left: &Val<'a>, right: &Val<'a>, depth: usize) -> Result<bool, Fault<'a>> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(Fault::value(format!("nested deeper than {MAX_DEPTH}")));
        };
        match (left, right) {
            (Val::Text(left), Val::Text(right)) => {
                if left.len() != right.len() {
                    return Ok(false);
                }
                self.charge_text(left.len())?;
                Ok(left == right)
            }
            (Val::Int(_) | Val::Double(_), Val::Int(_) | Val::Double(_)) => {
                Ok(match (left.numeric(), right.numeric()) {
                    (Some(left), Some(right)) => left.compare(right) == Some(Ordering::Equal),
                    _ => false,
                })
            }
            (Val::Bool(left), Val::Bool(right)) => Ok(left == right),
            (Val::Null, Val::Null) => Ok(true),
            (Val::Path(left), Val::Path(right)) => Ok(left == right),
            (Val::Url(left), Val::Url(right)) => Ok(left == right),
            (Val::JsonList(_) | Val::List(_), Val::JsonList(_) | Val::List(_)) => {
                if length(left) != length(right) {
                    return Ok(false);
                }
                for (left, right) in items(left).zip(items(right)) {
                    self.charge(1)?;
                    if !self.equal_within(&left, &right, depth)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Val::JsonObject(_) | Val::Object(_), Val::JsonObject(_) | Val::Object(_)) => {
                if length(left) != length(right) {
                    return Ok(false);
                }
                for (key, value) in entries(left) {
                    self.charge(1)?;
                    let Some(other) = get(right, &key) else { return Ok(false) };
                    if !self.equal_within(&value, &other, depth)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    pub(super) fn order(&mut self, order: Order, left: &Val<'a>, right: &Val<'a>) -> Result<bool, Fault<'a>> {
        let ordering = match (left, right) {
            (Val::Text(left), Val::Text(right)) => {
                self.charge_text(left.len().min(right.len()))?;
                Some(left.cmp(right))
            }
            _ => match (left.numeric(), right.numeric()) {
                (Some(left), Some(right)) => left.compare(right),
                _ => {
                    let message =
                        format!("{} and {} have no order", left.kind().describe(), right.kind().describe());
                    return Err(Fault::Type(message.into()));
                }
            },
        };
        let Some(ordering) = ordering else { return Err(Fault::Arithmetic("not a number")) };
        Ok(match order {
            Order::Less => ordering.is_lt(),
            Order::LessEqual => ordering.is_le(),
            Order::Greater => ordering.is_gt(),
            Order::GreaterEqual => ordering.is_ge(),
        })
    }

    /// `item in container`: an element of a list, or a key of an object.
    pub(super) fn contained(&mut self, item: &Val<'a>, container: &'a Node) -> Result<bool, Fault<'a>> {
        let made;
        let container = match container {
            Node::Constant(value) => value,
            other => {
                made = self.value(other)?;
                &made
            }
        };
        match container {
            Val::JsonList(_) | Val::List(_) => {
                self.charge(length(container) as u64)?;
                for element in items(container) {
                    if self.equal(item, &element)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Val::JsonObject(_) | Val::Object(_) => match item {
                Val::Text(key) => Ok(get(container, key).is_some()),
                other => Err(Fault::kinds("a key of an object", other.kind())),
            },
            other => Err(Fault::kinds("a list or an object after `in`", other.kind())),
        }
    }

    pub(super) fn negate(&mut self, value: &Val<'a>) -> Result<Val<'a>, Fault<'a>> {
        match value {
            Val::Int(value) => in_range(-value).map(Val::Int).ok_or(OVERFLOW),
            Val::Double(value) => Ok(Val::Double(-value)),
            other => Err(Fault::kinds("a number after `-`", other.kind())),
        }
    }

    pub(super) fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: Val<'a>,
        right: Val<'a>,
    ) -> Result<Val<'a>, Fault<'a>> {
        match (left.numeric(), right.numeric()) {
            (Some(Numeric::Int(left)), Some(Numeric::Int(right))) => whole(operator, left, right),
            (Some(left), Some(right)) => match (left.to_double(), right.to_double()) {
                (Some(left), Some(right)) => decimal(operator, left, right),
                _ => Err(Fault::Arithmetic("an integer is too long to be a decimal number without rounding")),
            },
            _ if operator == BinaryOperator::Add => self.concatenate(left, right),
            _ => Err(unsuited(operator, &left, &right)),
        }
    }

    fn concatenate(&mut self, left: Val<'a>, right: Val<'a>) -> Result<Val<'a>, Fault<'a>> {
        match (&left, &right) {
            (Val::Text(first), Val::Text(second)) => {
                self.charge_text(first.len() + second.len())?;
                let mut text = String::with_capacity(first.len() + second.len());
                text.push_str(first);
                text.push_str(second);
                Ok(Val::Text(Cow::Owned(text)))
            }
            (Val::JsonList(_) | Val::List(_), Val::JsonList(_) | Val::List(_)) => {
                self.charge((length(&left) + length(&right)) as u64)?;
                Ok(Val::List(items(&left).chain(items(&right)).collect()))
            }
            _ => Err(unsuited(BinaryOperator::Add, &left, &right)),
        }
    }
}

const OVERFLOW: Fault<'static> = Fault::Arithmetic("the result is outside the 64-bit integers");

fn whole<'a>(operator: BinaryOperator, left: i128, right: i128) -> Result<Val<'a>, Fault<'a>> {
    // Products of two 64-bit integers fit into i128, so only the range of the result is to be checked.
    let result = match operator {
        BinaryOperator::Add => left.checked_add(right),
        BinaryOperator::Subtract => left.checked_sub(right),
        BinaryOperator::Multiply => left.checked_mul(right),
        BinaryOperator::Divide | BinaryOperator::Remainder if right == 0 => {
            return Err(Fault::Arithmetic("a division by zero"));
        }
        BinaryOperator::Divide => left.checked_div(right),
        BinaryOperator::Remainder => left.checked_rem(right),
        _ => None,
    };
    result.and_then(in_range).map(Val::Int).ok_or(OVERFLOW)
}

fn decimal<'a>(operator: BinaryOperator, left: f64, right: f64) -> Result<Val<'a>, Fault<'a>> {
    let result = match operator {
        BinaryOperator::Add => left + right,
        BinaryOperator::Subtract => left - right,
        BinaryOperator::Multiply => left * right,
        BinaryOperator::Divide if right == 0.0 => return Err(Fault::Arithmetic("a division by zero")),
        BinaryOperator::Divide => left / right,
        _ => return Err(Fault::Arithmetic("`%` takes integers")),
    };
    if result.is_finite() {
        Ok(Val::Double(result))
    } else {
        Err(Fault::Arithmetic("the result is outside the decimal numbers"))
    }
}

fn unsuited<'a>(operator: BinaryOperator, left: &Val<'_>, right: &Val<'_>) -> Fault<'a> {
    let (left, right) = (left.kind().describe(), right.kind().describe());
    Fault::Type(format!("`{}` does not take {left} and {right}", operator.as_str()).into())
}

/// Elements of a list, entries of an object; 0 for anything else.
pub(super) fn length(value: &Val<'_>) -> usize {
    match value {
        Val::JsonList(items) => items.len(),
        Val::List(items) => items.len(),
        Val::JsonObject(map) => map.len(),
        Val::Object(entries) => entries.len(),
        _ => 0,
    }
}

/// The elements of a list.
pub(super) fn items<'v, 'a>(value: &'v Val<'a>) -> impl Iterator<Item = Val<'a>> + use<'v, 'a> {
    let (json, made): (&'a [Value], &'v [Val<'a>]) = match value {
        Val::JsonList(items) => (items, &[]),
        Val::List(items) => (&[], items),
        _ => (&[], &[]),
    };
    json.iter().map(Val::from_json).chain(made.iter().cloned())
}

fn entries<'v, 'a>(value: &'v Val<'a>) -> Box<dyn Iterator<Item = (Cow<'a, str>, Val<'a>)> + 'v> {
    match value {
        Val::JsonObject(map) => {
            let map: &'a serde_json::Map<String, Value> = map;
            Box::new(map.iter().map(|(key, value)| (Cow::Borrowed(key.as_str()), Val::from_json(value))))
        }
        Val::Object(entries) => Box::new(entries.iter().cloned()),
        _ => Box::new(std::iter::empty()),
    }
}

fn get<'a>(value: &Val<'a>, key: &str) -> Option<Val<'a>> {
    match value {
        Val::JsonObject(map) => map.get(key).map(Val::from_json),
        Val::Object(entries) => {
            entries.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
        }
        _ => None,
    }
}
