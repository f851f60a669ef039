//! Everything that a schema has against the arguments, in plain words.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use crate::catalog::CompiledSchema;
use crate::code::Violation;
use crate::diagnostic::nearest;
use crate::wire::escape_token;

use super::mend::unquoted;
use super::wording::{alternatives, count, format_name, found, named, one_of, shortened, type_name, wanted};

/// The most violations that are listed.
pub(super) const MOST_LISTED: usize = 50;

/// The most values that are looked at one by one; larger arguments get their first violation only.
const MOST_VALUES: usize = 5_000;

/// Every violation of the schema, by pointer. Empty where the arguments are valid.
pub(super) fn violations(schema: &CompiledSchema, json: &Value, arguments: &Value) -> Vec<Violation> {
    let mut listing = Listing { schema: json, arguments, found: Vec::new() };
    if values(arguments, MOST_VALUES).is_some() {
        for error in schema.validator().iter_errors(arguments) {
            listing.add(&error);
        }
    } else if let Err(error) = schema.validator().validate(arguments) {
        listing.add(&error);
    }
    let mut found = listing.found;
    found.sort_by(|a, b| (&a.pointer, &a.expected).cmp(&(&b.pointer, &b.expected)));
    found.dedup();
    found
}

/// What is left of `room` after the values of a tree; `None` where there are more.
fn values(value: &Value, room: usize) -> Option<usize> {
    let room = room.checked_sub(1)?;
    match value {
        Value::Array(items) => items.iter().try_fold(room, |room, item| values(item, room)),
        Value::Object(object) => object.values().try_fold(room, |room, item| values(item, room)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Some(room),
    }
}

struct Listing<'a> {
    schema: &'a Value,
    arguments: &'a Value,
    found: Vec<Violation>,
}

impl Listing<'_> {
    fn add(&mut self, error: &ValidationError<'_>) {
        let pointer = error.instance_path().as_str();
        match error.kind() {
            ValidationErrorKind::Required { property: Value::String(name) } => {
                self.missing(error, pointer, name)
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                for name in unexpected {
                    self.unknown(error, pointer, name);
                }
            }
            ValidationErrorKind::PropertyNames { error: inner } => {
                let name = inner.instance().as_str().unwrap_or_default();
                self.push(
                    format!("{pointer}/{}", escape_token(name)),
                    format!("a name that is {}", expected(inner)),
                    found(inner.instance()),
                    None,
                );
            }
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                self.branches(pointer, context, error);
            }
            ValidationErrorKind::Type { kind: TypeKind::Single(name) } => {
                let meant = unquoted(error.instance()).filter(|value| match name.as_str() {
                    "integer" => value.is_i64() || value.is_u64(),
                    "number" => value.is_number(),
                    "boolean" => value.is_boolean(),
                    _ => false,
                });
                let hint = meant.map(|_| "write it without quotes".to_owned());
                self.push(pointer.to_owned(), expected(error), found(error.instance()), hint);
            }
            _ => self.push(pointer.to_owned(), expected(error), found(error.instance()), None),
        }
    }

    fn push(&mut self, pointer: String, expected: String, found: String, hint: Option<String>) {
        self.found.push(Violation { pointer, expected, found, hint });
    }

    fn missing(&mut self, error: &ValidationError<'_>, pointer: &str, name: &str) {
        let properties = self.properties_beside(error);
        let expected = properties.and_then(|all| all.get(name)).map_or_else(|| "a value".to_owned(), wanted);
        let misspelt = error.instance().as_object().and_then(|object| {
            let unknown = object.keys().filter(|key| !properties.is_some_and(|all| all.contains_key(*key)));
            nearest(name, unknown.map(String::as_str))
        });
        let noun = noun(pointer);
        let hint = match misspelt {
            Some(given) => format!("rename `{}` to `{}`", shortened(given), shortened(name)),
            None => format!("add the {noun} `{}`", shortened(name)),
        };
        self.push(format!("{pointer}/{}", escape_token(name)), expected, "nothing".to_owned(), Some(hint));
    }

    fn unknown(&mut self, error: &ValidationError<'_>, pointer: &str, name: &str) {
        let noun = noun(pointer);
        let known = self.properties_beside(error);
        let mut hint = format!("unknown {noun} `{}`", shortened(name));
        let given = error.instance().as_object();
        match known.map(|all| nearest(name, all.keys().map(String::as_str))) {
            Some(Some(meant)) if !given.is_some_and(|object| object.contains_key(meant)) => {
                hint.push_str(&format!(": did you mean `{}`?", shortened(meant)));
            }
            Some(_) => match known.map(|all| all.keys().map(|key| format!("`{}`", shortened(key)))) {
                Some(names) if names.len() > 0 => {
                    hint.push_str(&format!(
                        ": leave it out; there are {}",
                        alternatives(names).replace(" or ", " and ")
                    ));
                }
                _ => hint.push_str(": leave it out; there are none here"),
            },
            None => hint.push_str(": leave it out"),
        }
        let value = given.and_then(|object| object.get(name)).map_or_else(|| "a value".to_owned(), found);
        self.push(
            format!("{pointer}/{}", escape_token(name)),
            format!("no {noun} of this name"),
            value,
            Some(hint),
        );
    }

    /// The `properties` of the subschema that raised the error.
    fn properties_beside(&self, error: &ValidationError<'_>) -> Option<&serde_json::Map<String, Value>> {
        let (subschema, _) = error.schema_path().as_str().rsplit_once('/')?;
        self.schema.pointer(subschema)?.get("properties")?.as_object()
    }

    /// Says of `anyOf` and `oneOf` what helps most: what is wrong with the one branch that was plainly meant, or what
    /// the branches want.
    fn branches(
        &mut self,
        pointer: &str,
        context: &[Vec<ValidationError<'static>>],
        error: &ValidationError<'_>,
    ) {
        let meant: Vec<_> =
            context.iter().filter(|errors| !errors.iter().any(|e| is_mismatch(e, pointer))).collect();
        if let [only] = meant.as_slice() {
            for inner in *only {
                self.add(inner);
            }
            return;
        }
        let considered: Vec<_> = if meant.is_empty() { context.iter().collect() } else { meant };
        let words = considered.into_iter().filter_map(|errors| {
            let first = errors.iter().find(|e| is_mismatch(e, pointer)).or_else(|| errors.first())?;
            let within = first.instance_path().as_str().strip_prefix(pointer).unwrap_or_default();
            let mut wanted = match first.kind() {
                ValidationErrorKind::Required { property } => format!("an object with {}", named(property)),
                ValidationErrorKind::AdditionalProperties { .. } => {
                    "an object without unknown fields".to_owned()
                }
                ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
                    "one of several forms".to_owned()
                }
                _ => expected(first),
            };
            if !within.is_empty() {
                wanted.push_str(&format!(" at `{}`", shortened(within)));
            }
            Some(wanted)
        });
        let words = alternatives(words);
        let value = self.arguments.pointer(pointer).map_or_else(|| found(error.instance()), found);
        self.push(pointer.to_owned(), words, value, None);
    }
}

/// Whether the error says that the branch was not the one meant: another type, or another tag.
fn is_mismatch(error: &ValidationError<'_>, pointer: &str) -> bool {
    let path = error.instance_path().as_str();
    match error.kind() {
        ValidationErrorKind::Type { .. } => path == pointer,
        ValidationErrorKind::Constant { .. } => true,
        ValidationErrorKind::Enum { .. } => path == pointer,
        _ => false,
    }
}

fn noun(pointer: &str) -> &'static str {
    if pointer.is_empty() { "argument" } else { "field" }
}

/// What the keyword that raised the error wants.
fn expected(error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(name) } => type_name(name.as_str()).to_owned(),
        Kind::Type { kind: TypeKind::Multiple(names) } => {
            alternatives(names.iter().map(|name| type_name(name.as_str()).to_owned()))
        }
        Kind::Enum { options } => one_of(options),
        Kind::Constant { expected_value } => named(expected_value),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("at least {}", count(*limit, "character", "characters")),
        Kind::MaxLength { limit } => format!("at most {}", count(*limit, "character", "characters")),
        Kind::MinItems { limit } => format!("at least {}", count(*limit, "item", "items")),
        Kind::MaxItems { limit } => format!("at most {}", count(*limit, "item", "items")),
        Kind::AdditionalItems { limit } => format!("at most {}", count(*limit as u64, "item", "items")),
        Kind::MinProperties { limit } => format!("at least {}", count(*limit, "field", "fields")),
        Kind::MaxProperties { limit } => format!("at most {}", count(*limit, "field", "fields")),
        Kind::UniqueItems => "items that differ from each other".to_owned(),
        Kind::Pattern { pattern } => format!("text matching `{}`", shortened(pattern)),
        Kind::Format { format } => format_name(format),
        Kind::Contains => "a list that contains a certain item".to_owned(),
        Kind::FalseSchema => "nothing here".to_owned(),
        Kind::Not { .. } => "something that the schema does not rule out".to_owned(),
        Kind::OneOfMultipleValid { .. } => {
            "exactly one of several forms, and it fits more than one".to_owned()
        }
        Kind::ContentEncoding { content_encoding } => format!("text in `{}`", shortened(content_encoding)),
        Kind::ContentMediaType { content_media_type } => {
            format!("text of type `{}`", shortened(content_media_type))
        }
        Kind::UnevaluatedItems { .. } => "no further items".to_owned(),
        other => format!("what `{}` of the schema asks for", other.keyword()),
    }
}
