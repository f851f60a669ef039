//! Fields, elements, and whether they are there.

use std::ops::Range;

use crate::expression::hint::{field_text, is_name, listed, nearest};
use crate::expression::node::Node;
use crate::expression::syntax::Expr;
use crate::expression::types::{Kinds, Lookup};
use crate::expression::{CompileError, Type};

use super::checker::{Checked, Checker, Surroundings, coerced};

/// How a field is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// `.f`: it must be there.
    Plain,
    /// `.?f`: it may be absent.
    Optional,
}

impl<'e> Checker<'e> {
    pub(super) fn select(
        &mut self,
        expr: &'e Expr,
        base: &'e Expr,
        field: &'e str,
        field_range: &Range<usize>,
        optional: bool,
    ) -> Checked {
        let access = if optional { Access::Optional } else { Access::Plain };
        self.field(expr, base, field, field_range, access)
    }

    fn field(
        &mut self,
        expr: &'e Expr,
        base: &'e Expr,
        field: &'e str,
        field_range: &Range<usize>,
        access: Access,
    ) -> Checked {
        let checked = self.check(base);
        let (base_type, chained) = match checked.value_type {
            Type::Optional(inner) => ((*inner).clone(), true),
            other => (other, false),
        };
        let Some((value_type, required)) = self.look_up(&base_type, base, field, field_range) else {
            return Checked {
                node: Node::Constant(crate::expression::value::Val::Null),
                value_type: Type::Dynamic,
            };
        };
        let (base_node, name) = (Box::new(checked.node), field.into());
        if chained || access == Access::Optional {
            let value_type = Type::Optional(value_type.into());
            return Checked { node: Node::OptionalField { base: base_node, name }, value_type };
        }
        if !required && !self.is_guarded(base, field) {
            return self.absent(expr, base, field, &value_type);
        }
        Checked { node: coerced(Node::Field { base: base_node, name }, &value_type), value_type }
    }

    pub(super) fn has(&mut self, base: &'e Expr, field: &'e str, field_range: &Range<usize>) -> Checked {
        let checked = self.value(base);
        if self.look_up(&checked.value_type, base, field, field_range).is_none() {
            return Checked { node: checked.node, value_type: Type::Dynamic };
        }
        let node = Node::Has { base: Box::new(checked.node), name: field.into() };
        Checked { node, value_type: Type::Bool }
    }

    pub(super) fn index(
        &mut self,
        expr: &'e Expr,
        base: &'e Expr,
        index: &'e Expr,
        optional: bool,
    ) -> Checked {
        if let Some(field) = index.as_text() {
            let access = if optional { Access::Optional } else { Access::Plain };
            return self.field(expr, base, field, &index.range, access);
        }
        let checked = self.check(base);
        let (base_type, chained) = match checked.value_type {
            Type::Optional(inner) => ((*inner).clone(), true),
            other => (other, false),
        };
        let key = self.value(index);
        let (holder, by) = (base_type.kinds(), key.value_type.kinds());
        let in_list = holder.overlaps(Kinds::LIST) && by.overlaps(Kinds::NUMBER);
        let in_object = holder.overlaps(Kinds::OBJECT) && by.overlaps(Kinds::TEXT);
        if !in_list && !in_object {
            let written = self.text(&base.range);
            let message = format!("`{written}` is {base_type} and takes no index of type {}", key.value_type);
            return self.fail(CompileError::new(expr.range.clone(), message));
        }
        let value_type = if in_object { Type::Dynamic } else { base_type.element() };
        let parts = Box::new([checked.node, key.node]);
        if chained || optional {
            return Checked {
                node: Node::OptionalIndex(parts),
                value_type: Type::Optional(value_type.into()),
            };
        }
        Checked { node: coerced(Node::Index(parts), &value_type), value_type }
    }

    /// The type of a field and whether it is always there; reports one that cannot be.
    pub(super) fn look_up(
        &mut self,
        base_type: &Type,
        base: &Expr,
        field: &str,
        range: &Range<usize>,
    ) -> Option<(Type, bool)> {
        let written = self.text(&base.range);
        let error = match base_type.field(field) {
            Lookup::Field { value, required } => return Some((value, required)),
            Lookup::NoFields => {
                let message = format!("`{written}` is {base_type} and has no field `{field}`");
                CompileError::new(range.clone(), message)
            }
            Lookup::Unknown(known) => {
                let names = || known.iter().map(String::as_str);
                let hint = match nearest(field, names()) {
                    Some(near) => format!("did you mean `{}`?", field_text(written, near)),
                    None => format!("its fields are {}", listed(names())),
                };
                CompileError::new(range.clone(), format!("`{written}` has no field `{field}`"))
                    .with_hint(hint)
            }
        };
        self.report(error);
        None
    }

    fn absent(&mut self, expr: &Expr, base: &Expr, field: &str, value_type: &Type) -> Checked {
        let base = self.text(&base.range);
        let (guard, lenient) = if is_name(field) {
            (format!("has({base}.{field})"), format!("{base}.?{field}"))
        } else {
            let quoted = serde_json::Value::from(field);
            (format!("{quoted} in {base}"), format!("{base}[?{quoted}]"))
        };
        let kinds = value_type.kinds();
        let default = match value_type {
            Type::Dynamic => "\"\"",
            _ if kinds.overlaps(Kinds::TEXT) => "\"\"",
            _ if kinds.overlaps(Kinds::LIST) => "[]",
            _ if kinds.overlaps(Kinds::OBJECT) => "{}",
            _ if kinds.overlaps(Kinds::BOOL) => "false",
            _ if kinds.overlaps(Kinds::DOUBLE) => "0.0",
            _ => "0",
        };
        let hint = match self.surroundings {
            Surroundings::Condition => {
                format!("guard it: `{guard} && …`, or give a default: `{lenient}.orValue({default})`")
            }
            Surroundings::Template => format!(
                "give a default: `{lenient}.orValue({default})`, or, in argv, leave the argument out: `{{when: {guard}, args: […]}}`"
            ),
        };
        let message = format!("`{}` may be absent", self.text(&expr.range));
        self.fail(CompileError::new(expr.range.clone(), message).with_hint(hint))
    }
}
