//! Arguments made effective: defaults put in, whole numbers spelled as such.

use serde_json::{Number, Value};

use crate::catalog::annotations::{self, Annotations, PlaceId};
use crate::wire::escape_token;

/// The most steps of one walk; a schema that needs more says the same thing many times over.
const MOST_STEPS: usize = 100_000;

/// Puts in the defaults of absent properties and returns their pointers, in the order of the schema.
///
/// A default of a nested object counts where the object is there, or is itself put in. Branches (`anyOf`, `oneOf`,
/// `then`) supply none, since it is not known which of them holds.
pub(super) fn apply_defaults(annotations: &Annotations, arguments: &mut Value) -> Vec<String> {
    let mut walk = Defaults { annotations, applied: Vec::new(), steps: MOST_STEPS };
    if annotations.has_defaults {
        walk.fill(Annotations::ROOT, arguments, &Place::Root);
    }
    walk.applied
}

/// Where in the arguments a walk stands. It is spelled out only where a default was put in.
enum Place<'p> {
    Root,
    Field(&'p Place<'p>, &'p str),
    Item(&'p Place<'p>, usize),
}

impl Place<'_> {
    fn pointer(&self) -> String {
        let mut pointer = String::with_capacity(32);
        self.spell(&mut pointer);
        pointer
    }

    fn spell(&self, pointer: &mut String) {
        match self {
            Self::Root => {}
            Self::Field(outer, name) => {
                outer.spell(pointer);
                pointer.push('/');
                pointer.push_str(&escape_token(name));
            }
            Self::Item(outer, index) => {
                outer.spell(pointer);
                pointer.push_str(&format!("/{index}"));
            }
        }
    }
}

struct Defaults<'a> {
    annotations: &'a Annotations,
    applied: Vec<String>,
    steps: usize,
}

impl Defaults<'_> {
    fn fill(&mut self, place: PlaceId, value: &mut Value, at: &Place<'_>) {
        let Some(steps) = self.steps.checked_sub(1) else { return };
        self.steps = steps;
        let Some(place) = self.annotations.place(place) else { return };
        match value {
            Value::Object(object) => {
                for (name, property) in &place.properties {
                    if self.annotations.place(*property).is_some_and(annotations::Place::is_plain) {
                        continue;
                    }
                    let at = Place::Field(at, name);
                    if let Some(inner) = object.get_mut(name) {
                        self.fill(*property, inner, &at);
                    } else if let Some(mut default) = self.default_of(*property) {
                        self.applied.push(at.pointer());
                        self.fill(*property, &mut default, &at);
                        object.insert(name.clone(), default);
                    }
                }
                if !place.other_properties.is_empty() {
                    let listed = |name: &str| place.properties.iter().any(|(known, _)| known == name);
                    for (name, inner) in object.iter_mut().filter(|(name, _)| !listed(name)) {
                        let at = Place::Field(at, name);
                        place.other_properties.iter().for_each(|other| self.fill(*other, inner, &at));
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    let at = Place::Item(at, index);
                    match place.leading_items.get(index) {
                        Some(leading) => self.fill(*leading, item, &at),
                        None => place.items.iter().for_each(|rest| self.fill(*rest, item, &at)),
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        for also in &place.also {
            self.fill(*also, value, at);
        }
    }

    /// The default of a place, its own or one that holds for the same value.
    fn default_of(&mut self, place: PlaceId) -> Option<Value> {
        self.steps = self.steps.checked_sub(1)?;
        let place = self.annotations.place(place)?;
        place.default.clone().or_else(|| place.also.iter().find_map(|also| self.default_of(*also)))
    }
}

/// Spells whole numbers as integers where the schema wants an integer: `5.0` becomes `5`.
///
/// JSON Schema takes both for an integer; what runs the call reads one of them.
pub(super) fn spell_integers(annotations: &Annotations, arguments: &mut Value) {
    if annotations.has_integers && has_decimal(arguments) {
        Integers { annotations, steps: MOST_STEPS }.spell(Annotations::ROOT, arguments);
    }
}

fn has_decimal(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(items) => items.iter().any(has_decimal),
        Value::Object(object) => object.values().any(has_decimal),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

struct Integers<'a> {
    annotations: &'a Annotations,
    steps: usize,
}

impl Integers<'_> {
    fn spell(&mut self, place: PlaceId, value: &mut Value) {
        let Some(steps) = self.steps.checked_sub(1) else { return };
        self.steps = steps;
        let Some(place) = self.annotations.place(place) else { return };
        match value {
            Value::Number(number) if place.integer => {
                if let Some(whole) = number.as_f64().filter(|_| number.is_f64()).and_then(whole) {
                    *number = whole;
                }
            }
            Value::Object(object) => {
                for (name, inner) in object.iter_mut() {
                    match place.properties.iter().find(|(known, _)| known == name) {
                        Some((_, property)) => self.spell(*property, inner),
                        None => place.other_properties.iter().for_each(|other| self.spell(*other, inner)),
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    match place.leading_items.get(index) {
                        Some(leading) => self.spell(*leading, item),
                        None => place.items.iter().for_each(|rest| self.spell(*rest, item)),
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        for same in place.also.iter().chain(&place.perhaps) {
            self.spell(*same, value);
        }
    }
}

/// The integer that a decimal is, within the range where each has one spelling.
fn whole(decimal: f64) -> Option<Number> {
    const MOST: f64 = 9_007_199_254_740_992.0;
    if decimal.fract() != 0.0 || decimal.abs() > MOST {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the value is whole and within 2^53")]
    Some(Number::from(decimal as i64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn prepared(schema: Value, mut arguments: Value) -> (Value, Vec<String>) {
        let annotations = Annotations::of(&schema).unwrap();
        let applied = apply_defaults(&annotations, &mut arguments);
        spell_integers(&annotations, &mut arguments);
        (arguments, applied)
    }

    #[test]
    fn absent_properties_get_their_defaults_and_present_ones_keep_theirs() {
        let schema = json!({"properties": {
            "a": {"default": 1}, "b": {"default": null}, "c": {"default": {"x": 1}}, "d": {},
        }});
        assert_eq!(
            prepared(schema.clone(), json!({"a": null})),
            (json!({"a": null, "b": null, "c": {"x": 1}}), vec!["/b".to_owned(), "/c".to_owned()])
        );
        assert_eq!(prepared(schema, json!({"a": 2, "b": 3, "c": {}, "d": 4})).1, Vec::<String>::new());
    }

    #[test]
    fn nested_defaults_need_their_object() {
        let schema = json!({"properties": {
            "window": {"properties": {"from/to": {"default": 1}}},
            "list": {"items": {"properties": {"n": {"default": 0}}}},
            "whole": {"default": {}, "properties": {"deep": {"default": true}}},
        }});
        assert_eq!(
            prepared(schema.clone(), json!({})),
            (json!({"whole": {"deep": true}}), vec!["/whole".to_owned(), "/whole/deep".to_owned()])
        );
        assert_eq!(
            prepared(schema, json!({"window": {}, "list": [{}, {"n": 5}], "whole": 7})),
            (
                json!({"window": {"from/to": 1}, "list": [{"n": 0}, {"n": 5}], "whole": 7}),
                vec!["/window/from~1to".to_owned(), "/list/0/n".to_owned()]
            )
        );
    }

    #[test]
    fn references_and_all_of_supply_defaults_and_branches_do_not() {
        let schema = json!({
            "$defs": {"limit": {"type": "integer", "default": 10}},
            "allOf": [{"properties": {"b": {"default": 2}}}],
            "anyOf": [{"properties": {"c": {"default": 3}}}],
            "properties": {"a": {"$ref": "#/$defs/limit"}},
        });
        assert_eq!(prepared(schema, json!({})).0, json!({"a": 10, "b": 2}));
    }

    #[test]
    fn recursive_schemas_end() {
        let tree = json!({"$defs": {"node": {"properties": {"n": {"default": 1}, "next": {"$ref": "#/$defs/node"}}}},
            "$ref": "#/$defs/node"});
        assert_eq!(
            prepared(tree, json!({"next": {"next": {}}})).0,
            json!({"next": {"next": {"n": 1}, "n": 1}, "n": 1})
        );
    }

    #[test]
    fn whole_numbers_are_spelled_as_integers_where_one_is_wanted() {
        let schema = json!({"properties": {
            "i": {"type": "integer"}, "n": {"type": "number"}, "b": {"type": ["integer", "number"]},
            "l": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        }});
        let (arguments, _) =
            prepared(schema, json!({"i": -0.0, "n": 5.0, "b": 5.0, "l": [2.0, 2.5, 1e300, 3]}));
        assert_eq!(arguments.to_string(), r#"{"i":0,"n":5.0,"b":5.0,"l":[2,2.5,1e+300,3]}"#);
    }
}
