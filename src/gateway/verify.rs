//! Checking in the system of record what a call says of itself.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::approval::canonical;
use crate::audit::VerificationNote;
use crate::catalog::{Contract, ProbePurpose, VerifySpec};
use crate::code::{CallError, ErrorCode};
use crate::execute::{CancelToken, Look};
use crate::present::Outcome;
use crate::validate::CallBindings;

use super::Gateway;
use super::ledger::sha256;

/// What was seen of an effect that its call says happened.
pub(super) enum Sight {
    /// It is as it was to be.
    Agrees,
    /// It is not.
    Disagrees,
    /// Nothing, and why.
    Unreached(String),
}

/// The last look at an effect, for the record.
pub(super) struct Verification {
    pub(super) sight: Sight,
    /// The id of the probe that saw something, and what it saw as canonical JSON, redacted.
    seen: Option<(String, String)>,
    looks: u64,
    /// How long it is to be looked at from now on, where that is left to whoever follows the effect.
    pub(super) left: Option<Duration>,
}

impl Verification {
    /// No look was made, and why.
    pub(super) fn unreached(why: String) -> Self {
        Self { sight: Sight::Unreached(why), seen: None, looks: 0, left: None }
    }

    /// What the record says of it: the digest of what was seen, under the record's own key.
    pub(super) fn note(&self) -> VerificationNote<'_> {
        VerificationNote {
            result: match self.sight {
                Sight::Agrees => "agrees",
                Sight::Disagrees => "disagrees",
                Sight::Unreached(_) => "unreached",
            },
            probe: self.seen.as_ref().map(|(probe, _)| probe.as_str()),
            looks: self.looks,
            evidence: self.seen.as_ref().map(|(_, seen)| sha256(seen.as_bytes())),
        }
    }

    /// What was seen.
    pub(super) fn evidence(&self) -> Option<&str> {
        self.seen.as_ref().map(|(_, seen)| seen.as_str())
    }

    /// What the last look means while more are to come.
    pub(super) fn words(&self) -> String {
        match &self.sight {
            Sight::Agrees => "the system of record agrees".to_owned(),
            Sight::Disagrees => "the system of record does not show it yet".to_owned(),
            Sight::Unreached(why) => why.clone(),
        }
    }

    /// Puts on an outcome what the last look says of it.
    pub(super) fn judge(&self, outcome: &mut Outcome) {
        match &self.sight {
            Sight::Agrees => outcome.confirm(),
            Sight::Disagrees => outcome.doubt(
                CallError::new(
                    ErrorCode::VerificationFailed,
                    "the tool reported success, and a look at the system of record disagrees",
                )
                .with_hint(LOOK_FIRST),
            ),
            Sight::Unreached(why) => outcome.doubt(
                CallError::new(
                    ErrorCode::OutcomeUnknown,
                    format!("the tool reported success, and that could not be checked: {why}"),
                )
                .with_hint(LOOK_FIRST),
            ),
        }
    }
}

const LOOK_FIRST: &str = "look at the state of the object before anything else; do not send the call again";

impl Gateway<'_> {
    /// Checks an outcome that says that an effect happened, for as long as its contract gives it, and puts on it what was
    /// seen. After `held`, or where the call is stopped, what is left of that time is for whoever follows the effect: the
    /// outcome is postponed. `None` where there is nothing to check.
    pub(super) async fn verify(
        &self,
        contract: &Contract,
        outcome: &mut Outcome,
        about: &CallBindings<'_>,
        held: Duration,
        cancel: &CancelToken,
    ) -> Option<Verification> {
        let spec = contract.verify.as_deref().filter(|_| outcome.claims_effect())?;
        let until = Instant::now() + spec.within;
        // A double's clock does not move while it is waited for.
        let held = if self.stand_in.is_some() { Duration::ZERO } else { held };
        let answered = Instant::now() + held;
        let mut looks = 0;
        loop {
            let mut last = self.look_once(spec, outcome, about, cancel).await;
            looks += 1;
            last.looks = looks;
            let next = Instant::now() + spec.every;
            if matches!(last.sight, Sight::Agrees) || next > until {
                last.judge(outcome);
                return Some(last);
            }
            if next > answered || cancel.is_cancelled() {
                outcome.postpone();
                last.left = Some(until.saturating_duration_since(Instant::now()));
                return Some(last);
            }
            tokio::select! {
                () = sleep(spec.every) => {}
                () = cancel.cancelled() => {}
            }
        }
    }

    /// Looks once. What cannot be recorded was not seen.
    pub(super) async fn look_once(
        &self,
        spec: &VerifySpec,
        outcome: &Outcome,
        about: &CallBindings<'_>,
        cancel: &CancelToken,
    ) -> Verification {
        let unreached =
            |why: String| Verification { sight: Sight::Unreached(why), seen: None, looks: 1, left: None };
        let asked = match outcome.fill(&spec.probe, about) {
            Ok(asked) => asked,
            Err((name, error)) => {
                return unreached(format!("the argument `{name}` of the look cannot be filled: {error}"));
            }
        };
        let read = |seen: &Outcome| match self.seen_instead(Look::Verified) {
            Some(agrees) => Ok(agrees),
            None => seen.shows(outcome, &spec.expect, about).map_err(|error| error.to_string()),
        };
        match self.probe(&spec.probe.tool, ProbePurpose::Look, asked, about.call_id, read, cancel).await {
            Ok(Ok(probed)) => {
                let evidence = canonical(probed.value());
                let sight = match probed.read {
                    Ok(true) => Sight::Agrees,
                    Ok(false) => Sight::Disagrees,
                    Err(why) => Sight::Unreached(format!("what was seen has no answer: {why}")),
                };
                Verification { sight, seen: Some((probed.id.to_string(), evidence)), looks: 1, left: None }
            }
            Ok(Err(error)) => unreached(format!("the look failed: {}", error.message)),
            Err(error) => {
                tracing::error!(%error, "a look could not be recorded");
                unreached("the look could not be recorded".to_owned())
            }
        }
    }
}
