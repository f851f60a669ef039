//! The keywords of JSON Schema drafts 2020-12 and 07, and of this gateway.

/// A dialect of JSON Schema that input and output schemas may be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::catalog) enum Draft {
    /// Draft 07.
    Draft07,
    /// Draft 2020-12, which a schema without `$schema` is read as.
    Draft202012,
}

/// The draft that a `$schema` names.
pub(in crate::catalog) fn draft_of(uri: &str) -> Option<Draft> {
    match uri.trim_end_matches('#') {
        "https://json-schema.org/draft/2020-12/schema" | "http://json-schema.org/draft/2020-12/schema" => {
            Some(Draft::Draft202012)
        }
        "http://json-schema.org/draft-07/schema" | "https://json-schema.org/draft-07/schema" => {
            Some(Draft::Draft07)
        }
        _ => None,
    }
}

/// Whether a subschema looks at the same value as its parent, or at a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// At the same value: a loop of these never ends.
    InPlace,
    /// At a part of it.
    Deeper,
}

/// What a keyword's value must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A type name, or a list of them.
    Types,
    /// A schema.
    Schema(Step),
    /// A mapping of names to schemas.
    SchemaMap(Step),
    /// A mapping of regular expressions to schemas.
    PatternMap,
    /// A list of schemas, not empty.
    SchemaList(Step),
    /// In draft 07 a schema or a list of schemas.
    SchemaOrList,
    /// In draft 07 a mapping of names to schemas or to lists of names.
    Dependencies,
    /// A list of different names.
    Names,
    /// A mapping of names to lists of names.
    NamesMap,
    /// A list of values, not empty.
    Values,
    /// A number.
    Number,
    /// A number above zero.
    Positive,
    /// A whole number from zero.
    Count,
    /// A truth value.
    Flag,
    /// Text.
    Text,
    /// A regular expression.
    Pattern,
    /// The name of a format.
    Format,
    /// A reference within this schema.
    Reference,
    /// The draft; at the root only.
    SchemaUri,
    /// An identifier; at the root only.
    Id,
    /// What must exist at a path.
    Exists,
    /// Where a value must have been seen.
    Known,
    /// Anything.
    Any,
    /// A keyword that changes what references mean.
    Refused,
}

const KEYWORDS: &[(&str, Form)] = &[
    ("$anchor", Form::Refused),
    ("$comment", Form::Text),
    ("$defs", Form::SchemaMap(Step::Deeper)),
    ("$dynamicAnchor", Form::Refused),
    ("$dynamicRef", Form::Refused),
    ("$id", Form::Id),
    ("$recursiveAnchor", Form::Refused),
    ("$recursiveRef", Form::Refused),
    ("$ref", Form::Reference),
    ("$schema", Form::SchemaUri),
    ("$vocabulary", Form::Refused),
    ("additionalItems", Form::Schema(Step::Deeper)),
    ("additionalProperties", Form::Schema(Step::Deeper)),
    ("allOf", Form::SchemaList(Step::InPlace)),
    ("anyOf", Form::SchemaList(Step::InPlace)),
    ("const", Form::Any),
    ("contains", Form::Schema(Step::Deeper)),
    ("contentEncoding", Form::Text),
    ("contentMediaType", Form::Text),
    ("contentSchema", Form::Schema(Step::Deeper)),
    ("default", Form::Any),
    ("definitions", Form::SchemaMap(Step::Deeper)),
    ("dependencies", Form::Dependencies),
    ("dependentRequired", Form::NamesMap),
    ("dependentSchemas", Form::SchemaMap(Step::InPlace)),
    ("deprecated", Form::Flag),
    ("description", Form::Text),
    ("else", Form::Schema(Step::InPlace)),
    ("enum", Form::Values),
    ("examples", Form::Any),
    ("exclusiveMaximum", Form::Number),
    ("exclusiveMinimum", Form::Number),
    ("format", Form::Format),
    ("if", Form::Schema(Step::InPlace)),
    ("items", Form::SchemaOrList),
    ("maxContains", Form::Count),
    ("maxItems", Form::Count),
    ("maxLength", Form::Count),
    ("maxProperties", Form::Count),
    ("maximum", Form::Number),
    ("minContains", Form::Count),
    ("minItems", Form::Count),
    ("minLength", Form::Count),
    ("minProperties", Form::Count),
    ("minimum", Form::Number),
    ("multipleOf", Form::Positive),
    ("not", Form::Schema(Step::InPlace)),
    ("oneOf", Form::SchemaList(Step::InPlace)),
    ("pattern", Form::Pattern),
    ("patternProperties", Form::PatternMap),
    ("prefixItems", Form::SchemaList(Step::Deeper)),
    ("properties", Form::SchemaMap(Step::Deeper)),
    ("propertyNames", Form::Schema(Step::Deeper)),
    ("readOnly", Form::Flag),
    ("required", Form::Names),
    ("then", Form::Schema(Step::InPlace)),
    ("title", Form::Text),
    ("type", Form::Types),
    ("unevaluatedItems", Form::Schema(Step::Deeper)),
    ("unevaluatedProperties", Form::Schema(Step::Deeper)),
    ("uniqueItems", Form::Flag),
    ("writeOnly", Form::Flag),
    ("x-tgw-exists", Form::Exists),
    ("x-tgw-known", Form::Known),
];

/// The form of a keyword's value.
pub(super) fn form(keyword: &str) -> Option<Form> {
    let at = KEYWORDS.binary_search_by(|(known, _)| (*known).cmp(keyword)).ok()?;
    KEYWORDS.get(at).map(|(_, form)| *form)
}

/// Every keyword.
pub(super) fn keywords() -> impl Iterator<Item = &'static str> {
    KEYWORDS.iter().map(|(keyword, _)| *keyword)
}

/// The type names of JSON Schema.
pub(super) const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];

/// The formats that are checked.
pub(super) const FORMATS: [&str; 20] = [
    "date",
    "date-time",
    "duration",
    "email",
    "glob",
    "hostname",
    "idn-email",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
    "workspace-path",
];

/// What `x-tgw-exists` may ask for.
pub(super) const EXISTS: [&str; 5] = ["file", "directory", "any", "none", "file_or_none"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_so_that_every_keyword_is_found() {
        assert!(KEYWORDS.is_sorted_by(|(a, _), (b, _)| a < b));
        assert!(keywords().all(|keyword| form(keyword).is_some()));
        assert_eq!(form("typ"), None);
    }
}
