//! Asking a backend how far an operation is.

use std::time::Duration;

use serde_json::Value;

use crate::catalog::{OperationSpec, OperationState, ProbePurpose};
use crate::execute::CancelToken;
use crate::present::Outcome;
use crate::state::StoreError;
use crate::validate::CallBindings;

use super::Gateway;

/// What a poll heard.
pub(super) enum Heard {
    Said(OperationState, String, Value),
    Nothing(String),
}

impl Gateway<'_> {
    /// Asks once, and hears besides how long the backend wants to be left alone.
    pub(super) async fn ask(
        &self,
        spec: &OperationSpec,
        about: &CallBindings<'_>,
        cancel: &CancelToken,
    ) -> Result<(Heard, Option<Duration>), StoreError> {
        let asked = match spec.poll.fill(about) {
            Ok(asked) => asked,
            Err((name, error)) => {
                let why = format!("the argument `{name}` of the poll cannot be filled: {error}");
                return Ok((Heard::Nothing(why), None));
            }
        };
        let mut pace = None;
        let read = |seen: &Outcome| {
            pace = seen.pace();
            seen.operation_state(spec)
        };
        let look = ProbePurpose::Look;
        let heard = match self.probe(&spec.poll.tool, look, asked, about.call_id, read, cancel).await? {
            Err(error) => Heard::Nothing(format!("the backend could not be asked: {}", error.message)),
            Ok(probed) => match &probed.read {
                None => Heard::Nothing("the backend said nothing that the contract knows".to_owned()),
                Some((state, word)) => {
                    let value = match &spec.value {
                        Some(pointer) => probed.value().pointer(pointer).cloned().unwrap_or(Value::Null),
                        None => probed.value().clone(),
                    };
                    Heard::Said(*state, word.clone(), value)
                }
            },
        };
        Ok((heard, pace))
    }
}
