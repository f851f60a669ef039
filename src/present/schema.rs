//! Whether a value is what the contract's output schema promises.

use serde_json::Value;

use crate::catalog::Schema;

/// Most bytes of a pointer named in a message.
const POINTER_BYTES: usize = 120;

/// Checks a value against an output schema.
///
/// # Errors
/// Where it first breaks the schema, without quoting the value; also a schema that cannot be compiled, since then
/// nothing proves that the promise was kept.
pub(super) fn check(schema: &Schema, value: &Value) -> Result<(), String> {
    let compiled = schema.compiled().map_err(|_| "the output schema cannot be compiled".to_owned())?;
    compiled.validator().validate(value).map_err(|error| {
        let pointer = error.instance_path().to_string();
        if pointer.is_empty() {
            "the value as a whole breaks the output schema".to_owned()
        } else {
            format!(
                "the value at `{}` breaks the output schema",
                crate::text::escape(crate::text::head(&pointer, POINTER_BYTES))
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema(json: Value) -> Schema {
        Schema::new(json)
    }

    #[test]
    fn a_broken_promise_names_the_place_and_not_the_value() {
        let schema = schema(json!({"type": "object", "properties": {"id": {"type": "integer"}}}));
        assert_eq!(check(&schema, &json!({"id": 1})), Ok(()));
        assert_eq!(
            check(&schema, &json!({"id": "secret"})),
            Err("the value at `/id` breaks the output schema".to_owned())
        );
        assert_eq!(
            check(&schema, &json!("secret")),
            Err("the value as a whole breaks the output schema".to_owned())
        );
    }

    #[test]
    fn a_schema_that_cannot_be_compiled_promises_nothing() {
        assert!(check(&schema(json!({"type": 5})), &json!(1)).is_err());
    }
}
