//! What is known of a call that may not run.

use crate::code::CallError;
use crate::policy::Decision;
use crate::validate::ValidatedCall;

use super::{DeniedCall, UnmetCall};

impl UnmetCall {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &ValidatedCall {
        &self.call
    }

    /// The decision that did not deny it.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// What stands in the way.
    #[must_use]
    pub fn error(&self) -> &CallError {
        &self.error
    }
}

impl DeniedCall {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &ValidatedCall {
        &self.call
    }

    /// The decision that denies.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The error as the model sees it.
    #[must_use]
    pub fn error(&self) -> &CallError {
        &self.error
    }
}
