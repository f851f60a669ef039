//! Reading arguments that the contract's schema has checked. Nothing here relies on that check for safety.

use serde_json::Value;

use crate::code::{CallError, ErrorCode, Violation};

/// Arguments of one call.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a>(&'a Value);

impl<'a> Arguments<'a> {
    pub(super) fn new(value: &'a Value) -> Self {
        Self(value)
    }

    pub(super) fn text(self, name: &str) -> Result<&'a str, CallError> {
        self.optional_text(name)?.ok_or_else(|| violation(name, "a string", "nothing"))
    }

    pub(super) fn optional_text(self, name: &str) -> Result<Option<&'a str>, CallError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(violation(name, "a string", kind(other))),
        }
    }

    pub(super) fn flag(self, name: &str) -> Result<bool, CallError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(violation(name, "true or false", kind(other))),
        }
    }

    /// A whole number from 1 to `most`.
    pub(super) fn count(self, name: &str, default: u64, most: u64) -> Result<u64, CallError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(default),
            Some(value) => match value.as_u64() {
                Some(number) if (1..=most).contains(&number) => Ok(number),
                _ => Err(violation(name, &format!("a whole number from 1 to {most}"), &shown(value))),
            },
        }
    }
}

/// One argument that is not what it must be.
pub(super) fn violation(name: &str, expected: &str, found: &str) -> CallError {
    CallError::new(
        ErrorCode::InvalidArguments,
        format!("argument `/{name}` must be {expected}, found {found}"),
    )
    .with_violations(vec![Violation {
        pointer: format!("/{name}"),
        expected: expected.to_owned(),
        found: found.to_owned(),
        hint: None,
    }])
}

fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        other => kind(other).to_owned(),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
