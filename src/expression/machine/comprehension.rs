//! Macros over the elements of a list or the keys of an object.

use std::borrow::Cow;

use crate::expression::node::MacroNode;
use crate::expression::syntax::Macro;
use crate::expression::value::Val;

use super::run::{Fault, Machine};

impl<'a> Machine<'a> {
    /// Runs a macro over its elements.
    pub(super) fn comprehension(&mut self, node: &'a MacroNode) -> Result<Val<'a>, Fault<'a>> {
        let elements = self.value(&node.range)?;
        match &elements {
            Val::JsonList(items) => self.run_macro(node, items.iter().map(Val::from_json)),
            Val::JsonObject(map) => self.run_macro(node, map.keys().map(|key| Val::Text(Cow::Borrowed(key)))),
            Val::List(items) => self.run_macro(node, items.iter().cloned()),
            Val::Object(entries) => {
                self.run_macro(node, entries.iter().map(|(key, _)| Val::Text(key.clone())))
            }
            other => Err(Fault::kinds("a list or an object", other.kind())),
        }
    }

    fn run_macro(
        &mut self,
        node: &'a MacroNode,
        elements: impl Iterator<Item = Val<'a>>,
    ) -> Result<Val<'a>, Fault<'a>> {
        let mut made = Vec::new();
        let mut matches = 0_usize;
        let mut fault = None;
        for element in elements {
            self.charge(node.cost)?;
            self.locals.push(element.clone());
            let outcome = self.run_body(node, element);
            self.locals.pop();
            match (node.kind, outcome) {
                (_, Err(Fault::Steps)) => return Err(Fault::Steps),
                (Macro::All, Ok(Some(Val::Bool(false)))) => return Ok(Val::Bool(false)),
                (Macro::Exists, Ok(Some(Val::Bool(true)))) => return Ok(Val::Bool(true)),
                (Macro::All | Macro::Exists, Err(other)) => {
                    fault.get_or_insert(other);
                }
                (_, Err(other)) => return Err(other),
                (Macro::ExistsOne, Ok(Some(_))) => matches += 1,
                (Macro::Map | Macro::Filter, Ok(Some(value))) => made.push(value),
                (_, Ok(_)) => {}
            }
        }
        match (node.kind, fault) {
            (_, Some(fault)) => Err(fault),
            (Macro::All, None) => Ok(Val::Bool(true)),
            (Macro::Exists, None) => Ok(Val::Bool(false)),
            (Macro::ExistsOne, None) => Ok(Val::Bool(matches == 1)),
            (Macro::Map | Macro::Filter, None) => Ok(Val::List(made.into())),
        }
    }

    /// What one element contributes; `None` for nothing.
    fn run_body(&mut self, node: &'a MacroNode, element: Val<'a>) -> Result<Option<Val<'a>>, Fault<'a>> {
        match node.kind {
            Macro::All | Macro::Exists => self.boolean(&node.body).map(|value| Some(Val::Bool(value))),
            Macro::ExistsOne | Macro::Filter => Ok(self.boolean(&node.body)?.then_some(element)),
            Macro::Map => match &node.filter {
                Some(filter) if !self.boolean(filter)? => Ok(None),
                _ => self.value(&node.body).map(Some),
            },
        }
    }
}
