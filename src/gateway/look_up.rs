//! Looking an effect up where its outcome is not known: a call that the gateway itself makes, and records as its own.

use serde_json::Value;

use crate::catalog::{Contract, ProbePurpose, ReconcileSpec};
use crate::execute::{CancelToken, Look};
use crate::present::{Outcome, PresentLimits, Presented, present};
use crate::state::{EffectState, Liveness, SettledEffect, Settlement, StoreError, StoredEffect, liveness};
use crate::validate::CallBindings;

use super::Gateway;
use super::kept::KeptCall;
use super::verify::Sight;

/// What came of looking an effect up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookedUp {
    /// It is settled now.
    Settled(EffectState),
    /// It is as unknown as before, and why.
    Nothing(String),
}

/// What a look-up saw.
enum Seen {
    Found(Box<Presented>),
    Absent,
    Unclear(String),
}

impl Gateway<'_> {
    /// Looks an effect up by its contract's own way, and settles it where that tells.
    ///
    /// # Errors
    /// Why the store cannot be used.
    pub(super) async fn look_up(
        &self,
        stored: &StoredEffect,
        cancel: &CancelToken,
    ) -> Result<LookedUp, StoreError> {
        let nothing = |why: &str| Ok(LookedUp::Nothing(why.to_owned()));
        let Some(contract) = self.session.catalog.find(&stored.tool) else {
            return nothing("its tool is not in this catalog");
        };
        let Some(spec) = contract.reconcile.as_deref() else {
            return nothing("its contract states no look-up");
        };
        let workspace = self.session.workspace.root();
        let kept = match KeptCall::of(stored, contract, workspace) {
            Ok(kept) => kept,
            Err(why) => return nothing(why),
        };
        match self.look(contract, spec, &kept.bindings(workspace), cancel).await? {
            Seen::Found(presented) => {
                let outcome = presented.record(None);
                let settled = SettledEffect {
                    id: &stored.id,
                    attempt: stored.attempt,
                    state: EffectState::Succeeded,
                    how: Settlement::Reconciled,
                    code: None,
                    outcome: outcome.as_deref(),
                };
                self.record_settlement(stored, settled, None, &[])?;
                Ok(LookedUp::Settled(EffectState::Succeeded))
            }
            Seen::Absent => self.absent(spec, stored),
            Seen::Unclear(why) => Ok(LookedUp::Nothing(why)),
        }
    }

    /// A look-up that found nothing proves that nothing happened only where the contract says so, after its delay, and where
    /// whoever began the effect cannot go on with it.
    fn absent(&self, spec: &ReconcileSpec, stored: &StoredEffect) -> Result<LookedUp, StoreError> {
        let nothing = |why: String| Ok(LookedUp::Nothing(why));
        let Some(absence) = &spec.absence else {
            return nothing("the look-up did not find it, which proves nothing".to_owned());
        };
        let proves = stored.changed.plus(absence.proves_after);
        if self.session.clock.now() < proves {
            return nothing(format!(
                "the look-up found nothing, which proves nothing before {}",
                proves.rfc3339()
            ));
        }
        if stored
            .owner
            .as_deref()
            .is_some_and(|owner| owner != self.owner && liveness(owner) == Liveness::Alive)
        {
            return nothing(
                "the look-up found nothing, and the process that began the effect still lives".to_owned(),
            );
        }
        let settled = SettledEffect {
            id: &stored.id,
            attempt: stored.attempt,
            state: EffectState::Failed,
            how: Settlement::Reconciled,
            code: None,
            outcome: None,
        };
        self.record_settlement(stored, settled, None, &[])?;
        Ok(LookedUp::Settled(EffectState::Failed))
    }

    async fn look(
        &self,
        contract: &Contract,
        spec: &ReconcileSpec,
        about: &CallBindings<'_>,
        cancel: &CancelToken,
    ) -> Result<Seen, StoreError> {
        let asked = match spec.probe.fill(about) {
            Ok(asked) => asked,
            Err((name, error)) => {
                return Ok(Seen::Unclear(format!("the look-up's `{name}` cannot be filled: {error}")));
            }
        };
        let read = |outcome: &Outcome| self.sighting(outcome, spec, about);
        let probed =
            match self.probe(&spec.probe.tool, ProbePurpose::Look, asked, about.call_id, read, cancel).await?
            {
                Ok(probed) => probed,
                Err(error) => return Ok(Seen::Unclear(format!("the look-up failed: {}", error.message))),
            };
        match &probed.read {
            Ok(Sighting::Found) => {}
            Ok(Sighting::Absent) => return Ok(Seen::Absent),
            Ok(Sighting::Neither) => {
                return Ok(Seen::Unclear("the look-up did not find it, which proves nothing".to_owned()));
            }
            Err(why) => return Ok(Seen::Unclear(format!("what the look-up found has no answer: {why}"))),
        }
        let value = match &spec.value {
            Some(pointer) => probed.value().pointer(pointer).cloned().unwrap_or(Value::Null),
            None => probed.value().clone(),
        };
        let mut outcome = Outcome::found(value);
        if let Some(verify) = contract.verify.as_deref() {
            let verification = self.look_once(verify, &outcome, about, cancel).await;
            match verification.sight {
                Sight::Agrees => outcome.confirm(),
                Sight::Disagrees => {
                    return Ok(Seen::Unclear(
                        "the look-up found it, and its verification disagrees".to_owned(),
                    ));
                }
                Sight::Unreached(why) => {
                    return Ok(Seen::Unclear(format!("the look-up found it, and {why}")));
                }
            }
        }
        let found = present(outcome, contract, &self.redactor_of(contract), PresentLimits::default());
        Ok(Seen::Found(Box::new(found)))
    }
}

/// What a look-up saw of an effect.
enum Sighting {
    Found,
    Absent,
    Neither,
}

impl Gateway<'_> {
    fn sighting(
        &self,
        outcome: &Outcome,
        spec: &ReconcileSpec,
        about: &CallBindings<'_>,
    ) -> Result<Sighting, String> {
        let holds = |look, condition| match self.seen_instead(look) {
            Some(holds) => Ok(holds),
            None => outcome.answers(condition, about).map_err(|error| error.to_string()),
        };
        if holds(Look::Found, &spec.found_when)? {
            return Ok(Sighting::Found);
        }
        match &spec.absence {
            Some(absence) if holds(Look::Absent, &absence.when)? => Ok(Sighting::Absent),
            Some(_) | None => Ok(Sighting::Neither),
        }
    }

    /// What a double saw, where one stands in for every backend.
    pub(super) fn seen_instead(&self, look: Look) -> Option<bool> {
        self.stand_in.and_then(|stand_in| stand_in.sees(look))
    }
}
