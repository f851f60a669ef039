//! From a JSON Schema to a type.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::types::Kinds;
use super::{Field, ObjectType, Type};

/// Deepest nesting of schemas that is followed; below it everything is dynamic.
const MAX_DEPTH: usize = 24;
/// Most schemas visited for one type, references expanded.
const MAX_VISITS: usize = 4_000;

impl Type {
    /// The type that a JSON Schema describes, for schemas whose references were already checked to stay inside.
    ///
    /// Anything the type language cannot say is [`Type::Dynamic`], never a narrower guess. A schema that does not
    /// state a `type` says nothing about one. References that lead back into themselves end in `Dynamic`.
    #[must_use]
    pub fn from_schema(schema: &Value) -> Self {
        Reader { root: schema, depth: 0, visits: 0, references: Vec::new() }.read(schema)
    }

    /// The type of a call's effective arguments: [`from_schema`](Self::from_schema), always an object, and a
    /// property with a `default` is always there.
    #[must_use]
    pub fn of_arguments(schema: &Value) -> Self {
        let mut object = match Self::from_schema(schema) {
            Self::Object(object) => Arc::unwrap_or_clone(object),
            _ => {
                let mut stated = schema.clone();
                if let Value::Object(keywords) = &mut stated {
                    keywords.insert("type".to_owned(), Value::from("object"));
                }
                match Self::from_schema(&stated) {
                    Self::Object(object) => Arc::unwrap_or_clone(object),
                    _ => ObjectType { fields: Vec::new(), open: true },
                }
            }
        };
        for field in &mut object.fields {
            let declared = schema.get("properties").and_then(|properties| properties.get(&field.name));
            field.required |= declared.is_some_and(|property| property.get("default").is_some());
        }
        Self::Object(Arc::new(object))
    }
}

struct Reader<'a> {
    root: &'a Value,
    depth: usize,
    visits: usize,
    /// The references being followed, so that one that leads back is seen.
    references: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn read(&mut self, schema: &'a Value) -> Type {
        let Value::Object(keywords) = schema else { return Type::Dynamic };
        self.visits += 1;
        if self.depth >= MAX_DEPTH || self.visits > MAX_VISITS {
            return Type::Dynamic;
        }
        self.depth += 1;
        let found = self.keywords(keywords);
        self.depth -= 1;
        found
    }

    /// Every keyword narrows, so leaving one out is safe and each one understood is intersected.
    fn keywords(&mut self, keywords: &'a Map<String, Value>) -> Type {
        let mut found = self.stated(keywords);
        if let Some(Value::String(reference)) = keywords.get("$ref") {
            found = intersect(found, self.reference(reference));
        }
        if let Some(Value::Array(all)) = keywords.get("allOf") {
            for one in all {
                found = intersect(found, self.read(one));
            }
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(choices)) = keywords.get(keyword) {
                let members: Vec<Type> = choices.iter().map(|choice| self.read(choice)).collect();
                found = intersect(found, Type::any_of(members));
            }
        }
        found
    }

    fn stated(&mut self, keywords: &'a Map<String, Value>) -> Type {
        let values = match (keywords.get("const"), keywords.get("enum")) {
            (Some(value), _) => std::slice::from_ref(value),
            (None, Some(Value::Array(values))) => values.as_slice(),
            _ => &[],
        };
        if !values.is_empty() && values.iter().all(|value| !value.is_object() && !value.is_array()) {
            return Type::OneOf(values.into());
        }
        match keywords.get("type") {
            Some(Value::String(name)) => self.named(name, keywords),
            Some(Value::Array(names)) => {
                let widest = names.iter().any(|name| name == "number");
                let names =
                    names.iter().filter_map(Value::as_str).filter(|name| !widest || *name != "integer");
                let members: Vec<Type> = names.map(|name| self.named(name, keywords)).collect();
                Type::any_of(members)
            }
            _ => Type::Dynamic,
        }
    }

    fn named(&mut self, name: &str, keywords: &'a Map<String, Value>) -> Type {
        match name {
            "null" => Type::Null,
            "boolean" => Type::Bool,
            "integer" => Type::Int,
            "number" => Type::Double,
            "string" => Type::String,
            "array" => {
                let tuple = keywords.contains_key("prefixItems");
                match keywords.get("items") {
                    Some(items) if !tuple => Type::list_of(self.read(items)),
                    _ => Type::list_of(Type::Dynamic),
                }
            }
            "object" => Type::Object(Arc::new(self.object(keywords))),
            _ => Type::Dynamic,
        }
    }

    fn object(&mut self, keywords: &'a Map<String, Value>) -> ObjectType {
        let closed = ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .any(|keyword| keywords.get(*keyword) == Some(&Value::Bool(false)));
        let required: Vec<&str> = keywords
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let mut fields: Vec<Field> = Vec::new();
        if let Some(Value::Object(properties)) = keywords.get("properties") {
            for (name, property) in properties {
                let required = required.contains(&name.as_str());
                fields.push(Field { name: name.clone(), value: self.read(property), required });
            }
        }
        for name in required {
            if !fields.iter().any(|field| field.name == name) {
                fields.push(Field { name: name.to_owned(), value: Type::Dynamic, required: true });
            }
        }
        // `unevaluatedProperties` looks through `$ref` and `allOf`, whose fields are not listed here.
        let composed = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "$dynamicRef"]
            .iter()
            .any(|keyword| keywords.contains_key(*keyword));
        let shut = keywords.get("additionalProperties") == Some(&Value::Bool(false)) || !composed;
        ObjectType { fields, open: !(closed && shut) || keywords.contains_key("patternProperties") }
    }

    fn reference(&mut self, reference: &'a str) -> Type {
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let Some(target) = target.filter(|_| !self.references.contains(&reference)) else {
            return Type::Dynamic;
        };
        self.references.push(reference);
        let found = self.read(target);
        self.references.pop();
        found
    }
}

/// A type that holds every value of both. Each of the two does, so the more telling one is kept.
fn intersect(left: Type, right: Type) -> Type {
    match (left, right) {
        (Type::Dynamic, other) | (other, Type::Dynamic) => other,
        (Type::Object(left), Type::Object(right)) => Type::Object(Arc::new(merge(&left, &right))),
        (Type::Union(members), right) => {
            let kept: Vec<Type> = members.iter().filter(|member| member.may_equal(&right)).cloned().collect();
            if kept.is_empty() { right } else { Type::any_of(kept) }
        }
        (left, Type::OneOf(values))
            if left.kinds().overlaps(Kinds::JSON) && !matches!(left, Type::OneOf(_)) =>
        {
            Type::OneOf(values)
        }
        (left, _) => left,
    }
}

fn merge(left: &ObjectType, right: &ObjectType) -> ObjectType {
    let mut fields = left.fields.clone();
    for field in &right.fields {
        match fields.iter_mut().find(|known| known.name == field.name) {
            Some(known) => {
                known.required |= field.required;
                known.value = intersect(known.value.clone(), field.value.clone());
            }
            None => fields.push(field.clone()),
        }
    }
    ObjectType { fields, open: left.open && right.open }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(schema: Value) -> String {
        fn show(kind: &Type) -> String {
            match kind {
                Type::Object(object) => {
                    let mut parts: Vec<String> = object
                        .fields
                        .iter()
                        .map(|f| {
                            format!("{}{}: {}", f.name, if f.required { "" } else { "?" }, show(&f.value))
                        })
                        .collect();
                    if object.open {
                        parts.push("…".to_owned());
                    }
                    format!("{{{}}}", parts.join(", "))
                }
                Type::List(item) => format!("[{}]", show(item)),
                Type::Union(members) => members.iter().map(show).collect::<Vec<_>>().join(" | "),
                other => other.to_string(),
            }
        }
        show(&Type::from_schema(&schema))
    }

    #[test]
    fn what_a_schema_says_is_what_the_type_says() {
        let cases = [
            (json!({}), "dynamic"),
            (json!(true), "dynamic"),
            (json!({"type": "integer"}), "int"),
            (json!({"type": "number"}), "double"),
            (json!({"type": ["integer", "number"]}), "double"),
            (json!({"type": ["string", "null"]}), "string | null"),
            (json!({"type": "strng"}), "dynamic"),
            (json!({"enum": ["a", 1, null]}), "one of \"a\", 1, null"),
            (json!({"type": "string", "const": "a"}), "one of \"a\""),
            (json!({"enum": [["a"]]}), "dynamic"),
            (json!({"type": "array", "items": {"type": "string"}}), "[string]"),
            (
                json!({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}}),
                "[dynamic]",
            ),
            (json!({"type": "array", "items": [{"type": "string"}]}), "[dynamic]"),
            (json!({"properties": {"a": {"type": "string"}}}), "dynamic"),
            (
                json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["a", "c"]}),
                "{a: string, b?: dynamic, c: dynamic, …}",
            ),
            (
                json!({"type": "object", "additionalProperties": false, "properties": {"a": {"type": "boolean"}}}),
                "{a?: bool}",
            ),
            (json!({"type": "object", "additionalProperties": {"type": "string"}}), "{…}"),
            (
                json!({"type": "object", "additionalProperties": false, "patternProperties": {"^x": {}}}),
                "{…}",
            ),
            (
                json!({"type": "object", "unevaluatedProperties": false, "allOf": [{"properties": {"a": {}}}]}),
                "{…}",
            ),
        ];
        for (schema, expected) in cases {
            assert_eq!(shown(schema.clone()), expected, "{schema}");
        }
    }

    #[test]
    fn combined_schemas_are_never_narrower_than_they_say() {
        let cases = [
            (json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}), "string | int"),
            (json!({"oneOf": [{"type": "string"}, {}]}), "dynamic"),
            (json!({"allOf": [{"description": "x"}, {"type": "string"}]}), "string"),
            (
                json!({"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
                "{a?: string, …}",
            ),
            (
                json!({"allOf": [
                    {"type": "object", "properties": {"a": {"type": "string"}}},
                    {"type": "object", "properties": {"a": {}, "b": {"type": "integer"}}, "required": ["a"]}
                ]}),
                "{a: string, b?: int, …}",
            ),
            (json!({"type": ["string", "null"], "enum": ["a", null]}), "one of \"a\", null"),
            (json!({"not": {"type": "string"}}), "dynamic"),
        ];
        for (schema, expected) in cases {
            assert_eq!(shown(schema.clone()), expected, "{schema}");
        }
    }

    #[test]
    fn references_are_followed_and_bounded() {
        let schema = json!({
            "$defs": {
                "name": {"type": "string"},
                "tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}, "name": {"$ref": "#/$defs/name"}}},
                "odd~/name": {"type": "integer"},
            },
            "type": "object",
            "properties": {"t": {"$ref": "#/$defs/tree"}, "n": {"$ref": "#/$defs/odd~0~1name"}, "far": {"$ref": "http://x/y"}, "gone": {"$ref": "#/$defs/z"}},
        });
        assert_eq!(
            shown(schema),
            "{t?: {left?: dynamic, name?: string, …}, n?: int, far?: dynamic, gone?: dynamic, …}"
        );
        let mut doubling = json!({"type": "object", "$defs": {"d0": {"type": "string"}}, "properties": {"x": {"$ref": "#/$defs/d60"}}});
        for level in 1..=60 {
            let below = json!({"$ref": format!("#/$defs/d{}", level - 1)});
            doubling["$defs"][format!("d{level}")] =
                json!({"type": "object", "properties": {"a": below, "b": below, "c": below}});
        }
        assert!(matches!(Type::from_schema(&doubling), Type::Object(_)));
        let mut deep = json!({"type": "string"});
        for _ in 0..100 {
            deep = json!({"type": "array", "items": deep});
        }
        assert!(matches!(Type::from_schema(&deep), Type::List(_)));
    }

    #[test]
    fn arguments_are_an_object_and_defaults_are_there() {
        let kind =
            Type::of_arguments(&json!({"properties": {"a": {"type": "integer", "default": 1}, "b": {}}}));
        let Type::Object(object) = kind else { panic!("{kind}") };
        assert_eq!(object.fields.iter().map(|f| f.required).collect::<Vec<_>>(), [true, false]);
        assert!(object.open);
    }
}
