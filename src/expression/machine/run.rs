//! Walking a checked expression.

use std::borrow::Cow;

use serde_json::Value;

use crate::expression::evaluate::MAX_STEPS;
use crate::expression::node::Node;
use crate::expression::number::Numeric;
use crate::expression::types::Kinds;
use crate::expression::value::{MAX_DEPTH, Val, lookup};
use crate::expression::{Bindings, Expression};

/// Why an evaluation stopped. It borrows what it can, since `&&` and `||` throw faults away.
#[derive(Debug)]
pub(in crate::expression) enum Fault<'a> {
    Unbound(&'a str),
    NoField(Cow<'a, str>),
    Type(Box<str>),
    Value(Box<str>),
    Arithmetic(&'static str),
    Steps,
}

impl Fault<'_> {
    pub(super) fn kinds(wanted: &str, found: Kinds) -> Self {
        Self::Type(format!("expected {wanted}, found {}", found.describe()).into())
    }

    pub(super) fn value(message: impl Into<String>) -> Self {
        Self::Value(message.into().into())
    }
}

/// One evaluation.
pub(in crate::expression) struct Machine<'a> {
    expression: &'a Expression,
    pub(super) bindings: &'a dyn Bindings,
    pub(super) locals: Vec<Val<'a>>,
    steps: u64,
}

/// JSON where it stands, or a value that was made.
enum Place<'a> {
    Json(&'a Value),
    Made(Val<'a>),
}

impl<'a> Place<'a> {
    fn into_value(self) -> Val<'a> {
        match self {
            Self::Json(value) => Val::from_json(value),
            Self::Made(value) => value,
        }
    }
}

impl<'a> Machine<'a> {
    pub(in crate::expression) fn new(expression: &'a Expression, bindings: &'a dyn Bindings) -> Self {
        Self { expression, bindings, locals: Vec::new(), steps: 0 }
    }

    /// Spends steps.
    pub(super) fn charge(&mut self, steps: u64) -> Result<(), Fault<'a>> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > MAX_STEPS { Err(Fault::Steps) } else { Ok(()) }
    }

    /// Spends steps for reading or making text.
    pub(super) fn charge_text(&mut self, bytes: usize) -> Result<(), Fault<'a>> {
        self.charge(bytes as u64 / 64)
    }

    /// Evaluates a condition.
    pub(in crate::expression) fn boolean(&mut self, node: &'a Node) -> Result<bool, Fault<'a>> {
        match node {
            Node::And(terms) => self.logical(terms, false),
            Node::Or(terms) => self.logical(terms, true),
            Node::Not(operand) => Ok(!self.boolean(operand)?),
            Node::Has { base, name } => Ok(self.field_of(base, name)?.is_some()),
            Node::HasValue(optional) => Ok(self.optional_value(optional)?.is_some()),
            Node::Equal { negated, operands } => {
                let [left, right] = &**operands;
                let (left, right) = (self.value(left)?, self.value(right)?);
                Ok(self.equal(&left, &right)? != *negated)
            }
            Node::Order { operator, operands } => {
                let [left, right] = &**operands;
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.order(*operator, &left, &right)
            }
            Node::In(operands) => {
                let [item, container] = &**operands;
                let item = self.value(item)?;
                self.contained(&item, container)
            }
            _ => match self.value(node)? {
                Val::Bool(value) => Ok(value),
                other => Err(Fault::kinds("a condition", other.kind())),
            },
        }
    }

    /// `&&` and `||`: a term that decides makes the faults of the others irrelevant.
    fn logical(&mut self, terms: &'a [Node], decisive: bool) -> Result<bool, Fault<'a>> {
        let mut fault = None;
        for term in terms {
            match self.boolean(term) {
                Ok(value) if value == decisive => return Ok(decisive),
                Ok(_) => {}
                Err(Fault::Steps) => return Err(Fault::Steps),
                Err(other) => {
                    fault.get_or_insert(other);
                }
            }
        }
        fault.map_or(Ok(!decisive), Err)
    }

    /// Evaluates any part that is not optional.
    pub(in crate::expression) fn value(&mut self, node: &'a Node) -> Result<Val<'a>, Fault<'a>> {
        match node {
            Node::Constant(value) => Ok(borrow_constant(value)),
            Node::Variable(_) | Node::Local(_) | Node::Field { .. } | Node::Index(_) => {
                self.place(node).map(Place::into_value)
            }
            Node::AsInt(part) => Ok(match self.value(part)? {
                Val::Double(value)
                    if value.trunc() == value && value.abs() < 18_446_744_073_709_551_616.0 =>
                {
                    crate::expression::number::in_range(value as i128).map_or(Val::Double(value), Val::Int)
                }
                other => other,
            }),
            Node::AsDouble(part) => match self.value(part)? {
                Val::Int(value) => Numeric::Int(value).to_double().map(Val::Double).ok_or(Fault::Arithmetic(
                    "an integer is too long to be a decimal number without rounding",
                )),
                other => Ok(other),
            },
            Node::Negate(operand) => {
                let value = self.value(operand)?;
                self.negate(&value)
            }
            Node::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                if self.boolean(condition)? { self.value(yes) } else { self.value(no) }
            }
            Node::Arithmetic { operator, operands } => {
                let [left, right] = &**operands;
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.arithmetic(*operator, left, right)
            }
            Node::OrValue(parts) => {
                let [optional, default] = &**parts;
                match self.optional_value(optional)? {
                    Some(value) => Ok(value),
                    None => self.value(default),
                }
            }
            Node::OptionalValue(optional) => {
                self.optional_value(optional)?.ok_or(Fault::NoField(Cow::Borrowed("value")))
            }
            Node::Regex { subject, regex } => {
                let text = self.text(subject)?;
                self.charge_text(text.len())?;
                Ok(Val::Bool(regex.is_match(&text)))
            }
            Node::Glob { subject, glob } => {
                let path = self.path(subject)?;
                self.charge_text(path.as_str().len())?;
                glob.matches(&path).map(Val::Bool).map_err(Fault::value)
            }
            Node::Call { function, arguments } => self.call(*function, arguments),
            Node::List(items) => {
                self.charge(items.len() as u64)?;
                Ok(Val::List(items.iter().map(|item| self.value(item)).collect::<Result<_, _>>()?))
            }
            Node::Object(entries) => {
                self.charge(entries.len() as u64)?;
                let entry =
                    |(name, value): &'a (Box<str>, Node)| Ok((Cow::Borrowed(&**name), self.value(value)?));
                Ok(Val::Object(entries.iter().map(entry).collect::<Result<_, _>>()?))
            }
            Node::Macro(node) => self.comprehension(node),
            Node::And(_)
            | Node::Or(_)
            | Node::Not(_)
            | Node::Has { .. }
            | Node::HasValue(_)
            | Node::Equal { .. }
            | Node::Order { .. }
            | Node::In(_) => self.boolean(node).map(Val::Bool),
            Node::OptionalField { .. } | Node::OptionalIndex(_) | Node::OptionalOr(_) => {
                self.optional_value(node)?.ok_or(Fault::NoField(Cow::Borrowed("value")))
            }
        }
    }

    /// The stored JSON that a bare path leads to, untouched.
    pub(in crate::expression) fn splice(
        &mut self,
        node: &'a Node,
    ) -> Option<Result<Cow<'a, Value>, Fault<'a>>> {
        match node {
            Node::AsInt(part) | Node::AsDouble(part) => self.splice(part),
            // An owned variable as a whole needs no detour through our own values.
            Node::Variable(slot) => Some(self.bindings.variable(*slot).ok_or_else(|| self.unbound(*slot))),
            Node::Field { .. } | Node::Index(_) => Some(self.place(node).and_then(|place| match place {
                Place::Json(value) => Ok(Cow::Borrowed(value)),
                Place::Made(value) => {
                    value.to_json().map(Cow::Owned).ok_or(Fault::Arithmetic("the value is no JSON number"))
                }
            })),
            _ => None,
        }
    }

    fn unbound(&self, slot: usize) -> Fault<'a> {
        Fault::Unbound(self.expression.variable_name(slot))
    }

    fn place(&mut self, node: &'a Node) -> Result<Place<'a>, Fault<'a>> {
        match node {
            Node::Variable(slot) => match self.bindings.variable(*slot) {
                Some(Cow::Borrowed(value)) => Ok(Place::Json(value)),
                Some(Cow::Owned(value)) => Val::from_owned(value, MAX_DEPTH)
                    .map(Place::Made)
                    .ok_or_else(|| Fault::value(format!("nested deeper than {MAX_DEPTH}"))),
                None => Err(self.unbound(*slot)),
            },
            Node::Local(index) => match self.locals.get(*index) {
                Some(value) => Ok(Place::Made(value.clone())),
                None => Err(Fault::Unbound("a macro's variable")),
            },
            Node::Field { base, name } => {
                let base = self.place(base)?;
                field(&base, name)?.ok_or(Fault::NoField(Cow::Borrowed(name)))
            }
            Node::Index(parts) => {
                let [base, index] = &**parts;
                let base = self.place(base)?;
                let index = self.value(index)?;
                element(&base, &index)?.ok_or_else(|| Fault::NoField(Cow::Owned(key_text(&index))))
            }
            _ => self.value(node).map(Place::Made),
        }
    }

    /// A field that may be absent.
    pub(in crate::expression) fn field_of(
        &mut self,
        base: &'a Node,
        name: &'a str,
    ) -> Result<Option<Val<'a>>, Fault<'a>> {
        let base = self.place(base)?;
        Ok(field(&base, name)?.map(Place::into_value))
    }

    /// Evaluates an optional part.
    pub(in crate::expression) fn optional_value(
        &mut self,
        node: &'a Node,
    ) -> Result<Option<Val<'a>>, Fault<'a>> {
        Ok(self.optional(node)?.map(Place::into_value))
    }

    fn optional(&mut self, node: &'a Node) -> Result<Option<Place<'a>>, Fault<'a>> {
        match node {
            Node::OptionalField { base, name } => match self.optional(base)? {
                // Absence and null both end a chain of optional fields.
                None | Some(Place::Json(Value::Null) | Place::Made(Val::Null)) => Ok(None),
                Some(base) => field(&base, name),
            },
            Node::OptionalIndex(parts) => {
                let [base, index] = &**parts;
                match self.optional(base)? {
                    None | Some(Place::Json(Value::Null) | Place::Made(Val::Null)) => Ok(None),
                    Some(base) => element(&base, &self.value(index)?),
                }
            }
            Node::OptionalOr(parts) => {
                let [first, second] = &**parts;
                match self.optional(first)? {
                    None => self.optional(second),
                    found => Ok(found),
                }
            }
            _ => self.place(node).map(Some),
        }
    }
}

/// A constant as a value of this evaluation, its text borrowed.
fn borrow_constant<'a>(value: &'a Val<'static>) -> Val<'a> {
    match value {
        Val::Text(text) => Val::Text(Cow::Borrowed(text)),
        other => other.clone(),
    }
}

fn field<'a>(base: &Place<'a>, name: &str) -> Result<Option<Place<'a>>, Fault<'a>> {
    match base {
        Place::Json(Value::Object(map)) => Ok(lookup(map, name).map(Place::Json)),
        Place::Made(Val::JsonObject(map)) => Ok(lookup(map, name).map(Place::Json)),
        Place::Made(Val::Object(entries)) => {
            Ok(entries.iter().find(|(key, _)| key == name).map(|(_, value)| Place::Made(value.clone())))
        }
        Place::Json(other) => Err(no_fields(name, Val::from_json(other).kind())),
        Place::Made(other) => Err(no_fields(name, other.kind())),
    }
}

fn no_fields<'a>(name: &str, found: Kinds) -> Fault<'a> {
    Fault::kinds(&format!("an object with the field `{name}`"), found)
}

/// An element by its index, or a field by its name.
fn element<'a>(base: &Place<'a>, index: &Val<'a>) -> Result<Option<Place<'a>>, Fault<'a>> {
    if let Val::Text(name) = index {
        return field(base, name);
    }
    let at = match index {
        Val::Int(at) => usize::try_from(*at).ok(),
        Val::Double(at) if at.trunc() == *at => usize::try_from(*at as i128).ok(),
        other => return Err(Fault::kinds("an index", other.kind())),
    };
    let items = match base {
        Place::Json(Value::Array(items)) => items.as_slice(),
        Place::Made(Val::JsonList(items)) => items,
        Place::Made(Val::List(items)) => {
            return Ok(at.and_then(|at| items.get(at)).map(|item| Place::Made(item.clone())));
        }
        Place::Json(other) => return Err(Fault::kinds("a list", Val::from_json(other).kind())),
        Place::Made(other) => return Err(Fault::kinds("a list", other.kind())),
    };
    Ok(at.and_then(|at| items.get(at)).map(Place::Json))
}

fn key_text(index: &Val<'_>) -> String {
    match index {
        Val::Text(text) => crate::expression::path::shorten(text),
        other => other.to_json().map_or_else(String::new, |json| json.to_string()),
    }
}
