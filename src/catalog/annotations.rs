//! What a schema says beyond JSON Schema, laid out so that a walk along a value meets it: defaults, server-side checks.
//!
//! The layout is a graph, since references may be recursive. A schema that says nothing of the kind costs a call nothing.

use std::collections::HashMap;
use std::fmt;

use serde_json::{Map, Value};

/// What must, or must not, be at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existence {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// Either.
    Any,
    /// Nothing yet.
    None,
    /// A regular file, or nothing yet.
    FileOrNone,
}

impl Existence {
    /// Reads the value of `x-tgw-exists`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "file" => Self::File,
            "directory" => Self::Directory,
            "any" => Self::Any,
            "none" => Self::None,
            "file_or_none" => Self::FileOrNone,
            _ => return None,
        })
    }
}

/// A check that the gateway makes itself, after the schema holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerCheck {
    /// A path in the workspace: format `workspace-path`, `x-tgw-exists`.
    Path(Option<Existence>),
    /// A glob pattern: format `glob`.
    Glob,
    /// A regular expression that runs in linear time: format `regex`.
    Regex,
    /// A value that came from somewhere: `x-tgw-known`.
    Known {
        /// The tool whose results hold such values.
        tool: String,
        /// The JSONPath at which they hold them.
        path: String,
    },
}

/// An annotated place of a schema.
#[derive(Debug, Default)]
pub(crate) struct Place {
    pub(crate) checks: Vec<ServerCheck>,
    pub(crate) default: Option<Value>,
    /// Whether a whole number is wanted, however it is spelled.
    pub(crate) integer: bool,
    pub(crate) properties: Vec<(String, PlaceId)>,
    /// Properties that are not listed.
    pub(crate) other_properties: Vec<PlaceId>,
    pub(crate) leading_items: Vec<PlaceId>,
    /// Items after the leading ones.
    pub(crate) items: Vec<PlaceId>,
    /// What holds for the same value as well.
    pub(crate) also: Vec<PlaceId>,
    /// What may hold for the same value: branches. Their checks count, their defaults do not.
    pub(crate) perhaps: Vec<PlaceId>,
}

impl Place {
    /// Whether no default can be found here or further in.
    pub(crate) fn is_plain(&self) -> bool {
        self.default.is_none()
            && self.properties.is_empty()
            && self.other_properties.is_empty()
            && self.leading_items.is_empty()
            && self.items.is_empty()
            && self.also.is_empty()
    }
}

/// The index of a place.
pub(crate) type PlaceId = usize;

/// Every annotated place of a schema.
#[derive(Debug, Default)]
pub(crate) struct Annotations {
    places: Vec<Place>,
    pub(crate) has_checks: bool,
    pub(crate) has_defaults: bool,
    pub(crate) has_integers: bool,
    /// Whether a value must be known from earlier results.
    pub(crate) looks_back: bool,
}

/// Why a schema's annotations cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnnotationError(pub(crate) String);

impl fmt::Display for AnnotationError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Annotations {
    /// Lays a schema out.
    pub(crate) fn of(schema: &Value) -> Result<Self, AnnotationError> {
        let mut layout = Layout { root: schema, found: Self::default(), references: HashMap::new() };
        layout.place(schema, 0)?;
        let mut heights = vec![None; layout.found.places.len()];
        for id in 0..heights.len() {
            layout.found.height(id, 0, &mut heights)?;
        }
        Ok(layout.found)
    }

    /// How many places in a row hold for the same value, which bounds how deep a walk goes without getting further.
    fn height(
        &self,
        id: PlaceId,
        depth: usize,
        heights: &mut [Option<usize>],
    ) -> Result<usize, AnnotationError> {
        if let Some(Some(known)) = heights.get(id) {
            return Ok(*known);
        }
        let mut height = 1;
        if let Some(place) = self.places.get(id).filter(|_| depth <= MOST_IN_PLACE) {
            for same in place.also.iter().chain(&place.perhaps) {
                height = height.max(1 + self.height(*same, depth + 1, heights)?);
            }
        } else {
            height = usize::MAX;
        }
        if height > MOST_IN_PLACE {
            return Err(AnnotationError("references lead back to the same value without end".to_owned()));
        }
        if let Some(unknown) = heights.get_mut(id) {
            *unknown = Some(height);
        }
        Ok(height)
    }

    /// The place of the whole value.
    pub(crate) const ROOT: PlaceId = 0;

    pub(crate) fn place(&self, id: PlaceId) -> Option<&Place> {
        self.places.get(id)
    }
}

/// Deeper schemas are refused; the loader has a lower bound of its own.
const MOST_DEPTH: usize = 128;

/// The most subschemas in a row for the same value.
const MOST_IN_PLACE: usize = 32;

struct Layout<'s> {
    root: &'s Value,
    found: Annotations,
    references: HashMap<&'s str, PlaceId>,
}

impl<'s> Layout<'s> {
    fn place(&mut self, schema: &'s Value, depth: usize) -> Result<PlaceId, AnnotationError> {
        let id = self.found.places.len();
        self.found.places.push(Place::default());
        self.fill(id, schema, depth)?;
        Ok(id)
    }

    fn fill(&mut self, id: PlaceId, schema: &'s Value, depth: usize) -> Result<(), AnnotationError> {
        if depth > MOST_DEPTH {
            return Err(AnnotationError(format!("the schema is nested more than {MOST_DEPTH} levels deep")));
        }
        // `true` and `false` say nothing.
        let Value::Object(schema) = schema else { return Ok(()) };
        let mut place = Place {
            checks: checks(schema)?,
            default: schema.get("default").cloned(),
            integer: wants_integer(schema),
            ..Place::default()
        };
        self.found.has_checks |= !place.checks.is_empty();
        self.found.looks_back |= place.checks.iter().any(|check| matches!(check, ServerCheck::Known { .. }));
        self.found.has_defaults |= place.default.is_some();
        self.found.has_integers |= place.integer;
        for (keyword, value) in schema {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties {
                        place.properties.push((name.clone(), self.place(property, depth + 1)?));
                    }
                }
                ("patternProperties", Value::Object(patterns)) => {
                    for property in patterns.values() {
                        place.other_properties.push(self.place(property, depth + 1)?);
                    }
                }
                ("additionalProperties" | "unevaluatedProperties", property) => {
                    place.other_properties.push(self.place(property, depth + 1)?);
                }
                ("prefixItems" | "items", Value::Array(leading)) => {
                    for item in leading {
                        place.leading_items.push(self.place(item, depth + 1)?);
                    }
                }
                ("items" | "additionalItems" | "unevaluatedItems", item) => {
                    place.items.push(self.place(item, depth + 1)?);
                }
                ("allOf", Value::Array(parts)) => {
                    for part in parts {
                        place.also.push(self.place(part, depth + 1)?);
                    }
                }
                ("anyOf" | "oneOf", Value::Array(branches)) => {
                    for branch in branches {
                        place.perhaps.push(self.place(branch, depth + 1)?);
                    }
                }
                ("then" | "else", branch) => place.perhaps.push(self.place(branch, depth + 1)?),
                ("dependentSchemas" | "dependencies", Value::Object(branches)) => {
                    for branch in branches.values().filter(|branch| branch.is_object()) {
                        place.perhaps.push(self.place(branch, depth + 1)?);
                    }
                }
                ("$ref", Value::String(reference)) => {
                    if let Some(target) = self.reference(reference, depth)? {
                        place.also.push(target);
                    }
                }
                ("$dynamicRef" | "$recursiveRef", _) => self.refuse_checks(self.root, keyword)?,
                ("not" | "if" | "contains" | "propertyNames", inner) => self.refuse_checks(inner, keyword)?,
                _ => {}
            }
        }
        if let Some(empty) = self.found.places.get_mut(id) {
            *empty = place;
        }
        Ok(())
    }

    fn reference(&mut self, reference: &'s str, depth: usize) -> Result<Option<PlaceId>, AnnotationError> {
        if let Some(known) = self.references.get(reference) {
            return Ok(Some(*known));
        }
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let Some(target) = target else {
            // The schema itself may still hold by this reference; a check would be lost behind it.
            self.refuse_checks(self.root, "$ref")?;
            return Ok(None);
        };
        // Known before it is filled, so that a recursive reference finds it.
        let id = self.found.places.len();
        self.found.places.push(Place::default());
        self.references.insert(reference, id);
        self.fill(id, target, depth + 1)?;
        Ok(Some(id))
    }

    /// Refuses a schema whose checks stand where no walk along a value meets them.
    fn refuse_checks(&self, schema: &Value, keyword: &str) -> Result<(), AnnotationError> {
        if holds_checks(schema)? {
            return Err(AnnotationError(format!("a check of the gateway cannot stand under `{keyword}`")));
        }
        Ok(())
    }
}

fn holds_checks(schema: &Value) -> Result<bool, AnnotationError> {
    match schema {
        Value::Object(object) => {
            if !checks(object)?.is_empty() {
                return Ok(true);
            }
            for value in object.values() {
                if holds_checks(value)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Value::Array(items) => {
            for item in items {
                if holds_checks(item)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(false),
    }
}

fn checks(schema: &Map<String, Value>) -> Result<Vec<ServerCheck>, AnnotationError> {
    let mut found = Vec::new();
    let format = schema.get("format").and_then(Value::as_str);
    let existence = match schema.get("x-tgw-exists") {
        None => None,
        Some(value) => Some(value.as_str().and_then(Existence::parse).ok_or_else(|| {
            AnnotationError(
                "`x-tgw-exists` must be `file`, `directory`, `any`, `none` or `file_or_none`".to_owned(),
            )
        })?),
    };
    match format {
        Some("workspace-path") => found.push(ServerCheck::Path(existence)),
        _ if existence.is_some() => found.push(ServerCheck::Path(existence)),
        Some("glob") => found.push(ServerCheck::Glob),
        Some("regex") => found.push(ServerCheck::Regex),
        _ => {}
    }
    if let Some(known) = schema.get("x-tgw-known") {
        let text = |key: &str| known.get(key).and_then(Value::as_str).map(str::to_owned);
        match (text("tool"), text("path")) {
            (Some(tool), Some(path)) => found.push(ServerCheck::Known { tool, path }),
            _ => return Err(AnnotationError("`x-tgw-known` must have a `tool` and a `path`".to_owned())),
        }
    }
    Ok(found)
}

fn wants_integer(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == "integer",
        Some(Value::Array(names)) => {
            names.iter().any(|name| name == "integer") && !names.iter().any(|name| name == "number")
        }
        _ => false,
    }
}
