//! What a look at the system of record makes of an outcome.

use serde_json::{Map, Value};

use crate::catalog::ProbeSpec;
use crate::code::{CallError, Effect, ErrorCode, Status};
use crate::expression::{EvaluationError, Expression};
use crate::validate::CallBindings;

use super::Outcome;

impl Outcome {
    /// Whether it says that an effect happened, which a look can confirm or contradict.
    #[must_use]
    pub fn claims_effect(&self) -> bool {
        self.status == Status::Succeeded && self.effect == Effect::Happened
    }

    /// What a probe about this outcome is asked. `bindings` are those of the call; `value` is filled in here.
    ///
    /// # Errors
    /// The argument that cannot be filled, and why.
    pub fn fill(
        &self,
        probe: &ProbeSpec,
        bindings: &CallBindings<'_>,
    ) -> Result<Map<String, Value>, (String, EvaluationError)> {
        probe.fill(&CallBindings { value: Some(&self.value), ..*bindings })
    }

    /// Whether an expectation holds over the value of this look, `value`, and that of the call that it is about, `result`.
    ///
    /// # Errors
    /// Why the expectation has no answer.
    pub fn shows(
        &self,
        call: &Self,
        expect: &Expression,
        bindings: &CallBindings<'_>,
    ) -> Result<bool, EvaluationError> {
        let bindings = CallBindings { value: Some(&self.value), result: Some(&call.value), ..*bindings };
        expect.evaluate_bool(&bindings)
    }

    /// A look confirmed the effect.
    pub fn confirm(&mut self) {
        self.verified = true;
    }

    /// The effect is not known to have happened, whatever the tool said: the error says why.
    pub fn doubt(&mut self, error: CallError) {
        (self.status, self.effect) = (Status::Unknown, Effect::Possible);
        self.error = Some(error);
    }

    /// Proof that an attempt did nothing says nothing of an earlier one whose end is not known: the effect may have happened
    /// then.
    pub fn doubt_earlier(&mut self) {
        if self.effect != Effect::None {
            return;
        }
        let why = self.error.take().map(|error| format!(" ({})", error.message)).unwrap_or_default();
        self.doubt(
            CallError::new(
                ErrorCode::OutcomeUnknown,
                format!(
                    "this attempt did nothing{why}, and an earlier one under the same effect key may have had its effect"
                ),
            )
            .with_hint("look at the state of the object before anything else"),
        );
    }
}
