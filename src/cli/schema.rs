//! `tgw schema`: the JSON Schemas of both kinds of line.

use super::exit::Outcome;
use super::operator_arguments::{SchemaArgs, SchemaChoice};
use super::output::print;

/// Prints one schema.
pub(crate) fn schema(arguments: &SchemaArgs) -> Outcome {
    print(match arguments.line {
        SchemaChoice::Call => crate::wire::CALL_SCHEMA,
        SchemaChoice::Result => crate::wire::RESULT_SCHEMA,
        SchemaChoice::Event => crate::wire::EVENT_SCHEMA,
    })?;
    Ok(0)
}
