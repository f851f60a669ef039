//! Work that a backend accepts and finishes later: what a call brought back of it, and its end.

use serde_json::Value;

use crate::catalog::{Contract, OperationSpec, OperationState};
use crate::code::{CallError, Effect, ErrorCode, Status};
use crate::expression::EvaluationError;
use crate::validate::CallBindings;

use super::Outcome;
use super::interpret::{keep_promise, object, refused};

/// Longest id of an operation, in bytes.
const MOST_ID: usize = 512;

impl Outcome {
    /// The outcome of a call that succeeded, where a backend may only have accepted it.
    pub(super) fn accept(&mut self, spec: &OperationSpec, accepted: Result<bool, EvaluationError>) {
        match accepted {
            Ok(false) => {}
            Ok(true) => match self.value.pointer(&spec.id).filter(|id| names_something(id)) {
                Some(id) => {
                    self.operation = Some(id.clone());
                    (self.status, self.effect) = (Status::Accepted, Effect::Possible);
                }
                None => self.doubt(unclear(
                    "the backend accepted it and named no operation, so that its end cannot be seen",
                )),
            },
            Err(why) => {
                self.doubt(unclear(&format!("whether the backend only accepted it has no answer: {why}")));
            }
        }
    }

    /// The backend's id of the operation that a call began, exactly as it was given.
    #[must_use]
    pub fn operation(&self) -> Option<&Value> {
        self.operation.as_ref()
    }

    /// What this poll says of an operation, with the backend's own word for it.
    #[must_use]
    pub fn operation_state(&self, spec: &OperationSpec) -> Option<(OperationState, String)> {
        spec.state(&self.value)
    }

    /// An effect that is said to have happened. The value was presented before.
    #[must_use]
    pub fn happened(value: Value, contract: &Contract, bindings: &CallBindings<'_>) -> Self {
        let mut outcome = Self::found(value);
        keep_promise(&mut outcome, contract);
        outcome.object = object(contract, bindings, &outcome.value);
        outcome
    }

    /// An end without a value: the error says of which kind.
    #[must_use]
    pub fn without_value(error: CallError) -> Self {
        refused(error)
    }

    /// What the tool says is left to be verified.
    pub fn postpone(&mut self) {
        (self.status, self.effect) = (Status::Working, Effect::Possible);
    }
}

fn unclear(why: &str) -> CallError {
    CallError::new(ErrorCode::OutcomeUnknown, why)
        .with_hint("look at the state of the object before anything else; do not send the call again")
}

/// Whether a value can be the id of an operation.
fn names_something(id: &Value) -> bool {
    match id {
        Value::String(text) => {
            !text.trim().is_empty() && text.len() <= MOST_ID && !text.chars().any(char::is_control)
        }
        Value::Number(_) => true,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}
