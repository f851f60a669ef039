//! Evaluation over JSON in place, bounded in steps.

use std::borrow::Cow;

use serde_json::Value;

use super::Expression;
use super::machine::{Fault, Machine};

/// Most steps of one evaluation. An element that a macro visits costs as many as its body has operations, and
/// every 64 bytes of text that a function reads or makes cost one.
pub(super) const MAX_STEPS: u64 = 1_000_000;

/// Where an expression's variables come from. Variables are asked for only when they are read.
pub trait Bindings {
    /// The value of the variable in this slot of the declarations; `None` is an evaluation error.
    ///
    /// A borrowed value is read in place. An owned one is taken apart at every read: keep it small.
    fn variable(&self, slot: usize) -> Option<Cow<'_, Value>>;

    /// The provenance of the argument at or below an RFC 6901 pointer.
    fn provenance(&self, pointer: &str) -> &'static str {
        let _ = pointer;
        "untrusted"
    }

    /// Pointers of the arguments whose provenance is `untrusted`.
    fn untrusted_arguments(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Why an expression could not be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    /// A variable has no value here.
    #[error("`{0}` has no value here")]
    Unbound(String),
    /// A field or element is not there.
    #[error("no field `{0}`")]
    NoField(String),
    /// Values of types that the operation does not take.
    #[error("{0}")]
    Type(String),
    /// A value of the right type that the operation cannot use: a path that climbs out, a url without a host.
    #[error("{0}")]
    Value(String),
    /// A number leaves the 64-bit ranges, or a division by zero.
    #[error("{0}")]
    Arithmetic(String),
    /// The bound on steps was reached.
    #[error("the expression takes more than {0} steps")]
    Steps(u64),
}

impl From<Fault<'_>> for EvaluationError {
    fn from(fault: Fault<'_>) -> Self {
        match fault {
            Fault::Unbound(name) => Self::Unbound(name.to_owned()),
            Fault::NoField(name) => Self::NoField(name.into_owned()),
            Fault::Type(message) => Self::Type(message.into_string()),
            Fault::Value(message) => Self::Value(message.into_string()),
            Fault::Arithmetic(message) => Self::Arithmetic(message.to_owned()),
            Fault::Steps => Self::Steps(MAX_STEPS),
        }
    }
}

/// What an expression evaluated to.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated(pub Value);

impl Expression {
    /// Evaluates an expression whose type is `bool`.
    ///
    /// # Errors
    /// [`EvaluationError`]; the caller decides what an error means (in a policy: the strict reading).
    pub fn evaluate_bool(&self, bindings: &dyn Bindings) -> Result<bool, EvaluationError> {
        Ok(Machine::new(self, bindings).boolean(self.node())?)
    }

    /// Evaluates an expression of any type to JSON. Paths and urls become text.
    ///
    /// # Errors
    /// [`EvaluationError`].
    pub fn evaluate(&self, bindings: &dyn Bindings) -> Result<Value, EvaluationError> {
        let value = Machine::new(self, bindings).value(self.node())?;
        value.to_json().ok_or_else(|| EvaluationError::Arithmetic("the result is no JSON number".to_owned()))
    }

    /// Evaluates a bare path to the very JSON that is stored there, `None` where the expression is none.
    pub(super) fn splice<'a>(
        &'a self,
        bindings: &'a dyn Bindings,
    ) -> Option<Result<Cow<'a, Value>, EvaluationError>> {
        Machine::new(self, bindings).splice(self.node()).map(|found| found.map_err(EvaluationError::from))
    }

    /// The values that the expression reads, for explaining its result: each path or provenance as written in
    /// CEL, with its value as JSON of at most 120 characters, `absent`, or why it cannot be read.
    ///
    /// What a macro reads of its elements is not listed; the list it goes over is. Values are not redacted.
    #[must_use]
    pub fn trace(&self, bindings: &dyn Bindings) -> Vec<(String, String)> {
        super::trace::trace(self, bindings)
    }
}
