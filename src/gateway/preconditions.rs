//! What must hold in the system of record before a call: asked once the policy has let it through, shown to whoever approves
//! it, and asked again when it is about to run.

use crate::approval::Checked;
use crate::catalog::{PreconditionSpec, ProbePurpose};
use crate::code::{CallError, ErrorCode, Retry};
use crate::execute::{CancelToken, Look};
use crate::present::Outcome;
use crate::validate::{CallBindings, ValidatedCall};

use super::Gateway;

/// What was seen of one precondition.
pub(super) struct Precondition {
    /// As it is shown to whoever approves the call.
    pub(super) checked: Checked,
    /// Why the call cannot go ahead.
    pub(super) unmet: Option<CallError>,
}

impl Gateway<'_> {
    /// Asks the preconditions of a call, to the first that does not hold.
    ///
    /// # Errors
    /// `PRECONDITION_FAILED` with the contract's own words; `CANCELLED` where the call was stopped meanwhile.
    pub(super) async fn require(
        &self,
        call: &ValidatedCall,
        cancel: &CancelToken,
    ) -> Result<Vec<Checked>, CallError> {
        let mut held = Vec::new();
        for spec in &call.contract().preconditions {
            let Precondition { checked, unmet } = self.precondition(call, spec, cancel).await;
            if cancel.is_cancelled() {
                return Err(CallError::new(ErrorCode::Cancelled, "the call was stopped before it began"));
            }
            if let Some(error) = unmet {
                return Err(error);
            }
            held.push(checked);
        }
        Ok(held)
    }

    /// Asks all preconditions of a call, whether or not they hold.
    pub(super) async fn foresee_preconditions(
        &self,
        call: &ValidatedCall,
        cancel: &CancelToken,
    ) -> Vec<Checked> {
        let mut seen = Vec::new();
        for spec in &call.contract().preconditions {
            seen.push(self.precondition(call, spec, cancel).await.checked);
        }
        seen
    }

    async fn precondition(
        &self,
        call: &ValidatedCall,
        spec: &PreconditionSpec,
        cancel: &CancelToken,
    ) -> Precondition {
        let bindings = self.bindings(call);
        let looked = self.look_ahead(spec, &bindings, cancel).await;
        let checked = |seen, holds| Checked {
            tool: spec.probe.tool.to_string(),
            expect: spec.expect.source().to_owned(),
            seen,
            holds,
        };
        match looked {
            Ok((seen, true)) => Precondition { checked: checked(seen, true), unmet: None },
            Ok((seen, false)) => {
                let error = CallError::new(ErrorCode::PreconditionFailed, spec.message.as_str())
                    .with_hint("nothing was run; send a call for which it holds");
                Precondition { checked: checked(seen, false), unmet: Some(error) }
            }
            Err(why) => {
                let why = self.redactor.borrow().text(&why).into_owned();
                let mut error = CallError::new(
                    ErrorCode::PreconditionFailed,
                    format!("what must hold before the call could not be checked: {why}"),
                )
                .with_hint("nothing was run; send the same call again later");
                error.retry = Retry::Later;
                Precondition { checked: checked(why, false), unmet: Some(error) }
            }
        }
    }

    /// Looks at what a precondition is about: what was seen, and whether it holds.
    async fn look_ahead(
        &self,
        spec: &PreconditionSpec,
        about: &CallBindings<'_>,
        cancel: &CancelToken,
    ) -> Result<(String, bool), String> {
        let asked = spec.probe.fill(about).map_err(|(name, error)| {
            format!("the argument `{name}` of the look cannot be filled: {error}")
        })?;
        let read = |seen: &Outcome| match self.seen_instead(Look::Precondition) {
            Some(holds) => Ok(holds),
            None => seen.answers(&spec.expect, about).map_err(|error| error.to_string()),
        };
        match self.probe(&spec.probe.tool, ProbePurpose::Look, asked, about.call_id, read, cancel).await {
            Ok(Ok(probed)) => match &probed.read {
                Ok(holds) => Ok((probed.value().to_string(), *holds)),
                Err(why) => Err(format!("what was seen has no answer: {why}")),
            },
            Ok(Err(error)) => Err(format!("the look failed: {}", error.message)),
            Err(error) => {
                tracing::error!(%error, "a look could not be recorded");
                Err("the look could not be recorded".to_owned())
            }
        }
    }
}
