//! What a look-up brought back about an effect.

use serde_json::Value;

use crate::code::{Effect, Status};
use crate::expression::{EvaluationError, Expression};
use crate::validate::CallBindings;

use super::Outcome;

impl Outcome {
    /// Whether a condition holds over the value of this look-up. `bindings` are those of the call that it is about; `value` is
    /// filled in here.
    ///
    /// # Errors
    /// Why the condition has no answer.
    pub fn answers(
        &self,
        condition: &Expression,
        bindings: &CallBindings<'_>,
    ) -> Result<bool, EvaluationError> {
        condition.evaluate_bool(&CallBindings { value: Some(&self.value), ..*bindings })
    }

    /// The outcome of an effect that a look-up found. The value is the look-up's own, presented before.
    #[must_use]
    pub fn found(value: Value) -> Self {
        let mut outcome = Self::ended(Status::Succeeded, Effect::Happened, None);
        outcome.value = value;
        outcome
    }
}
