//! The thorough checks of examples and defaults, which compile every schema and so are not made at every start.

use serde_json::Value;

use crate::diagnostic::{Diagnostic, Report};

use super::{Catalog, CompiledSchema};

/// Deepest place in a schema where a default is looked for.
const DEEPEST: usize = 64;

impl Catalog {
    /// Checks that every schema compiles, that every example satisfies its tool's input schema, and that every default
    /// satisfies the schema that states it.
    ///
    /// This costs milliseconds, so that it is for `doctor`, `lint` and tests.
    pub fn check_examples(&self, report: &mut Report) {
        for (contract, place) in self.contracts().iter().zip(&self.places) {
            let schemas = [
                ("input_schema", Some(&contract.input_schema)),
                ("output_schema", contract.output_schema.as_ref()),
            ];
            for (name, schema) in
                schemas.iter().filter_map(|(name, schema)| schema.map(|schema| (name, schema)))
            {
                match CompiledSchema::compile(&schema.json) {
                    Ok(schema) => {
                        if *name == "input_schema" {
                            check(&schema, contract.name.as_str(), &contract.examples, *place, report);
                        }
                    }
                    Err(problem) => {
                        let message =
                            format!("the `{name}` of `{}` does not compile: {problem}", contract.name);
                        report.push(Diagnostic::error(*place, message));
                    }
                }
                let mut defaults = Vec::new();
                collect_defaults(&schema.json, 0, &mut defaults);
                for (default, local) in defaults {
                    check_default(default, local, &schema.json, contract.name.as_str(), *place, report);
                }
            }
        }
    }
}

fn check(
    schema: &CompiledSchema,
    tool: &str,
    examples: &[Value],
    place: crate::diagnostic::Span,
    report: &mut Report,
) {
    for (number, example) in examples.iter().enumerate() {
        for error in schema.validator().iter_errors(example) {
            let pointer = error.instance_path().to_string();
            let message = format!("example {} of `{tool}` is not valid at `{pointer}`: {error}", number + 1);
            report.push(Diagnostic::error(place, message));
        }
    }
}

/// Every default of a schema with the schema that states it.
fn collect_defaults<'s>(schema: &'s Value, depth: usize, found: &mut Vec<(&'s Value, &'s Value)>) {
    if depth > DEEPEST {
        return;
    }
    match schema {
        Value::Object(keywords) => {
            if let Some(default) = keywords.get("default") {
                found.push((default, schema));
            }
            let data = ["default", "const", "enum", "examples"];
            for (_, inner) in keywords.iter().filter(|(key, _)| !data.contains(&key.as_str())) {
                collect_defaults(inner, depth + 1, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_defaults(item, depth + 1, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn check_default(
    default: &Value,
    local: &Value,
    root: &Value,
    tool: &str,
    place: crate::diagnostic::Span,
    report: &mut Report,
) {
    // A property may be called `default`; only a schema has one that means something.
    let Value::Object(keywords) = local else { return };
    let mut alone = keywords.clone();
    for definitions in ["$defs", "definitions", "$schema"] {
        if let Some(shared) = root.get(definitions) {
            alone.insert(definitions.to_owned(), shared.clone());
        }
    }
    if let Ok(schema) = CompiledSchema::compile(&Value::Object(alone))
        && let Err(error) = schema.validator().validate(default)
    {
        report.push(Diagnostic::error(
            place,
            format!("a default of `{tool}` does not fit its schema: {error}"),
        ));
    }
}
