//! A schema's compiled form, made on first use and kept.

use serde_json::Value;

use super::Schema;
use super::annotations::Annotations;

/// A schema ready to check values.
#[derive(Debug)]
pub struct CompiledSchema {
    validator: jsonschema::Validator,
    annotations: Annotations,
}

/// Why a schema cannot be compiled: the schema itself is at fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SchemaError(String);

/// The formats that are known and checked elsewhere, or that only describe a value.
const FORMATS_TAKEN_AS_THEY_ARE: [&str; 15] = [
    // Checked by the gateway after the schema holds.
    "workspace-path",
    "glob",
    "regex",
    // Descriptions of OpenAPI.
    "int32",
    "int64",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float",
    "double",
    "byte",
    "binary",
    "password",
];

/// The formats that came after draft 07, and are checked there too.
const FORMATS_SINCE_DRAFT_07: [&str; 2] = ["duration", "uuid"];

fn is_draft_07(schema: &Value) -> bool {
    let draft = schema.get("$schema").and_then(Value::as_str);
    draft.is_some_and(|uri| uri.contains("json-schema.org/draft-07/"))
}

/// The largest compiled pattern, in bytes.
const MOST_PATTERN_BYTES: usize = 1 << 20;

impl CompiledSchema {
    /// Compiles a schema of the draft it names, 2020-12 where it names none.
    ///
    /// Formats are checked, and unknown ones refused; patterns run in linear time; no reference leaves the schema.
    ///
    /// # Errors
    /// [`SchemaError`] for a schema that breaks its draft or one of these rules, or whose `x-tgw-…` keywords are wrong.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        let annotations = Annotations::of(schema).map_err(|error| SchemaError(error.to_string()))?;
        let patterns = jsonschema::PatternOptions::regex().size_limit(MOST_PATTERN_BYTES);
        let mut options = jsonschema::options()
            .offline()
            .should_validate_formats(true)
            .should_ignore_unknown_formats(false)
            .with_pattern_options(patterns);
        for format in FORMATS_TAKEN_AS_THEY_ARE {
            options = options.with_format(format, |_: &str| true);
        }
        if is_draft_07(schema) {
            for format in FORMATS_SINCE_DRAFT_07 {
                let modern = jsonschema::options().should_validate_formats(true);
                let modern = modern.build(&serde_json::json!({"format": format}));
                let modern = modern.map_err(|error| SchemaError(error.to_string()))?;
                options = options.with_format(format, move |text: &str| modern.is_valid(&Value::from(text)));
            }
        }
        let validator = options.build(schema).map_err(|error| {
            let path = error.instance_path().as_str().to_owned();
            SchemaError(if path.is_empty() { error.to_string() } else { format!("{error}, at `{path}`") })
        })?;
        Ok(Self { validator, annotations })
    }

    /// Whether a value satisfies the schema.
    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }

    /// The compiled validator.
    #[must_use]
    pub fn validator(&self) -> &jsonschema::Validator {
        &self.validator
    }

    pub(crate) fn annotations(&self) -> &Annotations {
        &self.annotations
    }
}

impl Schema {
    /// A schema that is compiled when it is first used.
    #[must_use]
    pub fn new(json: impl Into<std::sync::Arc<Value>>) -> Self {
        Self { json: json.into(), compiled: std::sync::OnceLock::new() }
    }

    /// The compiled form.
    ///
    /// # Errors
    /// [`SchemaError`], each time, where the schema cannot be compiled.
    pub fn compiled(&self) -> Result<&CompiledSchema, SchemaError> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(compiled);
        }
        let compiled = CompiledSchema::compile(&self.json)?;
        Ok(self.compiled.get_or_init(|| compiled))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fault(schema: Value) -> String {
        CompiledSchema::compile(&schema).unwrap_err().to_string()
    }

    #[test]
    fn the_draft_is_the_one_that_the_schema_names() {
        let old =
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]});
        assert!(!CompiledSchema::compile(&old).unwrap().is_valid(&json!([1])));
        let new = json!({"prefixItems": [{"type": "string"}]});
        assert!(!CompiledSchema::compile(&new).unwrap().is_valid(&json!([1])));
    }

    #[test]
    fn formats_are_checked_and_unknown_ones_refused() {
        let schema = CompiledSchema::compile(&json!({"format": "date-time"})).unwrap();
        assert!(schema.is_valid(&json!("2026-11-30T12:00:00Z")));
        assert!(!schema.is_valid(&json!("yesterday")));
        assert!(CompiledSchema::compile(&json!({"format": "worspace-path"})).is_err());
        let old = json!({"$schema": "http://json-schema.org/draft-07/schema#", "format": "uuid"});
        assert!(!CompiledSchema::compile(&old).unwrap().is_valid(&json!("x")));
    }

    #[test]
    fn patterns_run_in_linear_time_and_references_stay_inside() {
        assert!(CompiledSchema::compile(&json!({"pattern": "(?=a)b"})).is_err());
        assert!(CompiledSchema::compile(&json!({"pattern": "(a{1000}){1000}"})).is_err());
        assert!(CompiledSchema::compile(&json!({"$ref": "https://example.com/schema.json"})).is_err());
        assert!(CompiledSchema::compile(&json!({"$ref": "file:///etc/passwd"})).is_err());
    }

    #[test]
    fn the_gateways_keywords_are_checked() {
        assert_eq!(
            fault(json!({"properties": {"a": {"x-tgw-exists": "maybe"}}})),
            "`x-tgw-exists` must be `file`, `directory`, `any`, `none` or `file_or_none`"
        );
        assert_eq!(
            fault(json!({"x-tgw-known": {"tool": "t"}})),
            "`x-tgw-known` must have a `tool` and a `path`"
        );
    }

    #[test]
    fn a_check_where_no_walk_meets_it_is_refused() {
        for (keyword, schema) in [
            ("not", json!({"not": {"format": "workspace-path"}})),
            ("contains", json!({"contains": {"properties": {"a": {"x-tgw-exists": "file"}}}})),
            ("propertyNames", json!({"propertyNames": {"format": "workspace-path"}})),
            ("$ref", json!({"$ref": "#name", "$defs": {"a": {"$anchor": "name", "format": "glob"}}})),
        ] {
            assert_eq!(fault(schema), format!("a check of the gateway cannot stand under `{keyword}`"));
        }
    }

    #[test]
    fn references_that_never_get_further_are_refused() {
        for schema in [
            json!({"$ref": "#"}),
            json!({"allOf": [{"anyOf": [{"$ref": "#/$defs/a"}]}], "$defs": {"a": {"$ref": "#"}}}),
        ] {
            assert_eq!(fault(schema), "references lead back to the same value without end");
        }
        let tree = json!({"properties": {"next": {"$ref": "#"}}});
        assert!(CompiledSchema::compile(&tree).is_ok());
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = (0..200).fold(json!({}), |inner, _| json!({"properties": {"a": inner}}));
        assert_eq!(fault(deep), "the schema is nested more than 128 levels deep");
    }
}
