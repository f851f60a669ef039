//! Following what is under way elsewhere to its end: one look at a time, by one process at a time.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::catalog::{Contract, OperationSpec, OperationState, ProbePurpose, Timeout, VerifySpec};
use crate::clock::Timestamp;
use crate::code::{CallError, ErrorCode};
use crate::execute::CancelToken;
use crate::present::{Claim, Outcome, rests_on_hidden};
use crate::state::{
    Batch, Change, ClaimedEffect, Durability, EffectState, Liveness, NoRecords, Pursuit, Refusal, Store,
    StoreError, StoredEffect, liveness,
};
use crate::validate::CallBindings;

use super::Gateway;
use super::heard::Heard;
use super::kept::KeptCall;
use super::pursued::EndOfEffect;
use super::verify::{Sight, Verification};

/// How long after its deadline a look counts as under way.
const LEASE_MARGIN: Duration = Duration::from_secs(30);

/// Why an effect is neither followed nor stopped under another contract.
const CHANGED: &str =
    "its contract is not the one that it began under, and what that says of it is not known";

/// Why an effect is not verified by a process that does not know its value.
const UNSEEN: &str =
    "it rests on a part of the result that is hidden where it is kept, and the process that had it is gone";

/// What one look at an effect that is under way elsewhere came to.
pub enum Pursued {
    /// It is not under way elsewhere any more.
    Over(Box<StoredEffect>),
    /// It is not due, or another process looks at it.
    NotNow,
    /// It goes on.
    Going,
    /// It came to its end.
    Ended(Box<EndOfEffect>),
    /// It cannot be followed here, and why.
    Stuck(String),
}

/// What a look makes of an effect.
pub(super) enum Step {
    Going { state: EffectState, pursuit: Pursuit, pause: Duration, deadline: Timestamp },
    Ended { outcome: Box<Outcome>, verification: Option<Verification> },
}

impl Gateway<'_> {
    /// Looks once at an effect that is under way elsewhere, where it is due and no other process does.
    ///
    /// # Errors
    /// Why the store cannot be used; [`Refusal::UnknownEffect`] for an id that names none.
    pub async fn pursue(&self, id: &str, cancel: &CancelToken) -> Result<Pursued, StoreError> {
        let stored = self.stored_effect(id)?;
        if !stored.state.is_pursued() {
            return Ok(Pursued::Over(Box::new(stored)));
        }
        let Some(contract) = self.session.catalog.find(&stored.tool) else {
            return Ok(Pursued::Stuck("its tool is not in this catalog".to_owned()));
        };
        if contract.digest != stored.contract {
            return self.leave_to_a_person(&stored, contract);
        }
        let verifies = stored.pursuit.as_ref().is_some_and(|pursuit| pursuit.claimed.is_some());
        let looks_with = match (&contract.verify, &contract.operation) {
            (Some(verify), _) if verifies => &verify.probe.tool,
            (_, Some(operation)) if !verifies => &operation.poll.tool,
            _ => {
                return Ok(Pursued::Stuck(
                    "its contract does not say any more how it is followed".to_owned(),
                ));
            }
        };
        if self.is_for_another(&stored, contract) || !self.claim(&stored, looks_with.as_str())? {
            return Ok(Pursued::NotNow);
        }
        // What another process saw between the two is known now.
        let stored = self.stored_effect(id)?;
        let workspace = self.session.workspace.root();
        let kept = match KeptCall::of(&stored, contract, workspace) {
            Ok(kept) => kept,
            Err(why) => return Ok(Pursued::Stuck(why.to_owned())),
        };
        let about = kept.bindings(workspace);
        let step = self.step(&stored, contract, &about, cancel).await?;
        match step {
            Step::Going { state, pursuit, pause, deadline } => {
                self.record_progress(&stored, state, &pursuit, self.jittered(pause)?, deadline)?;
                Ok(Pursued::Going)
            }
            Step::Ended { outcome, verification } => {
                let recorded = self.record_end(&stored, contract, *outcome, verification);
                if !matches!(recorded, Err(StoreError::Unavailable(_))) {
                    self.claims.borrow_mut().remove(id);
                }
                match recorded {
                    Ok(ended) => Ok(Pursued::Ended(Box::new(ended))),
                    Err(StoreError::Refused(Refusal::EffectSettled)) => {
                        Ok(Pursued::Over(Box::new(self.stored_effect(id)?)))
                    }
                    Err(error) => Err(error),
                }
            }
        }
    }

    /// What the call was let through under is not what the contract says now: its words for an end may mean something else.
    /// Nothing is asked; when its time is over it is not known, so that a person can settle it.
    fn leave_to_a_person(&self, stored: &StoredEffect, contract: &Contract) -> Result<Pursued, StoreError> {
        if self.session.clock.now() < stored.deadline {
            return Ok(Pursued::Stuck(CHANGED.to_owned()));
        }
        if !self.claim(stored, contract.name.as_str())? {
            return Ok(Pursued::NotNow);
        }
        let outcome = Outcome::without_value(lost(CHANGED));
        match self.record_end(stored, contract, outcome, None) {
            Ok(ended) => Ok(Pursued::Ended(Box::new(ended))),
            Err(StoreError::Refused(Refusal::EffectSettled)) => {
                Ok(Pursued::Over(Box::new(self.stored_effect(&stored.id)?)))
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn stored_effect(&self, id: &str) -> Result<StoredEffect, StoreError> {
        let store = self.store.as_ref().map_err(Clone::clone)?.borrow();
        Ok(store.effect(&self.session.principal.tenant, id)?.ok_or(Refusal::UnknownEffect)?)
    }

    /// Whether only the process that knows what is hidden in the kept value can verify it, and still has its time.
    fn is_for_another(&self, stored: &StoredEffect, contract: &Contract) -> bool {
        let kept = stored.pursuit.as_ref().and_then(|pursuit| pursuit.claimed.as_ref());
        let (Some(kept), Some(spec)) = (kept, contract.verify.as_deref()) else { return false };
        // Its last look begins near the deadline.
        self.session.clock.now() < stored.deadline.plus(spec.every)
            && rests_on_hidden(spec, kept)
            && !self.claims.borrow().contains_key(&stored.id)
    }

    /// Takes the right to look, for as long as a look may take.
    fn claim(&self, stored: &StoredEffect, tool: &str) -> Result<bool, StoreError> {
        let store = self.store.as_ref().map_err(Clone::clone)?;
        let now = self.session.clock.now();
        let takes =
            self.session.catalog.find(tool).map_or(Duration::ZERO, |contract| match &contract.timeout {
                Timeout::Fixed(longest) | Timeout::From { max: longest, .. } => *longest,
            });
        let gone =
            stored.owner.as_deref().filter(|owner| *owner == self.owner || liveness(owner) == Liveness::Dead);
        let claimed = store.borrow_mut().append(&mut Batch {
            tenant: &self.session.principal.tenant,
            now,
            durability: Durability::Kill,
            changes: &[Change::ClaimEffect(ClaimedEffect {
                id: &stored.id,
                owner: &self.owner,
                gone,
                lease: now.plus(takes).plus(LEASE_MARGIN),
            })],
            records: &mut NoRecords,
        });
        match claimed {
            Ok(_) => Ok(true),
            Err(StoreError::Refused(Refusal::EffectHeld)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn step(
        &self,
        stored: &StoredEffect,
        contract: &Contract,
        about: &CallBindings<'_>,
        cancel: &CancelToken,
    ) -> Result<Step, StoreError> {
        let pursuit = stored.pursuit.clone().unwrap_or_default();
        match (&pursuit.claimed, contract.verify.as_deref(), contract.operation.as_deref()) {
            (Some(value), Some(spec), _) => {
                let claim = self.claims.borrow().get(&stored.id).cloned();
                let mut outcome = match &claim {
                    Some(claim) => claim.outcome(),
                    None => Outcome::happened_as_kept(value.clone(), contract, about),
                };
                if claim.is_none() && rests_on_hidden(spec, value) {
                    let verification = Verification::unreached(UNSEEN.to_owned());
                    verification.judge(&mut outcome);
                    return Ok(Step::Ended { outcome: Box::new(outcome), verification: Some(verification) });
                }
                Ok(self.confirm(spec, outcome, pursuit, stored.deadline, about, cancel).await)
            }
            (None, _, Some(spec)) => {
                let operation = pursuit.operation.clone().unwrap_or(Value::Null);
                let about = CallBindings { operation: Some(&operation), ..*about };
                self.poll(stored, contract, spec, pursuit, &about, cancel).await
            }
            _ => Ok(Step::Ended {
                outcome: Box::new(Outcome::without_value(lost("nothing says any more how it is followed"))),
                verification: None,
            }),
        }
    }

    async fn poll(
        &self,
        stored: &StoredEffect,
        contract: &Contract,
        spec: &OperationSpec,
        mut pursuit: Pursuit,
        about: &CallBindings<'_>,
        cancel: &CancelToken,
    ) -> Result<Step, StoreError> {
        let (heard, pace) = self.ask(spec, about, cancel).await?;
        let ended = |error: CallError| {
            Ok(Step::Ended { outcome: Box::new(Outcome::without_value(error)), verification: None })
        };
        let (state, said, needs_input) = match heard {
            Heard::Said(OperationState::Accepted, word, _) => (stored.state, word, false),
            Heard::Said(OperationState::Working, word, _) => (EffectState::Working, word, false),
            Heard::Said(OperationState::InputRequired, word, _) => (EffectState::Working, word, true),
            Heard::Said(OperationState::Succeeded, _, value) => {
                return Ok(self.claimed(&stored.id, contract, value, pursuit, about, cancel).await);
            }
            Heard::Said(OperationState::Failed, word, _) => {
                return ended(CallError::new(
                    ErrorCode::ExecutionFailed,
                    format!("the backend ended the operation as `{word}`, and nothing happened"),
                ));
            }
            Heard::Said(OperationState::Cancelled, word, _) => {
                return ended(CallError::new(
                    ErrorCode::Cancelled,
                    format!("the backend stopped the operation as `{word}`, and nothing happened"),
                ));
            }
            Heard::Said(OperationState::Unknown, word, _) => {
                return ended(lost(&format!("the backend ended the operation as `{word}`")));
            }
            // Who stops looking has heard nothing.
            Heard::Nothing(_) if cancel.is_cancelled() => {
                let (state, deadline) = (stored.state, stored.deadline);
                return Ok(Step::Going { state, pursuit, pause: spec.interval, deadline });
            }
            Heard::Nothing(why) => (stored.state, why, pursuit.needs_input),
        };
        if self.session.clock.now() >= stored.deadline {
            return ended(lost("the operation did not come to its end in its time"));
        }
        (pursuit.said, pursuit.needs_input) = (Some(said), needs_input);
        let left = stored.deadline.0.saturating_sub(self.session.clock.now().0);
        let pause = spec.pause(pace).min(Duration::from_millis(left));
        Ok(Step::Going { state, pursuit, pause, deadline: stored.deadline })
    }

    /// The backend says that it happened: that is verified where the contract says how.
    async fn claimed(
        &self,
        id: &str,
        contract: &Contract,
        value: Value,
        mut pursuit: Pursuit,
        about: &CallBindings<'_>,
        cancel: &CancelToken,
    ) -> Step {
        let mut kept = value.clone();
        let outcome = Outcome::happened(value, contract, about);
        let Some(spec) = contract.verify.as_deref() else {
            return Step::Ended { outcome: Box::new(outcome), verification: None };
        };
        let deadline = self.session.clock.now().plus(spec.within);
        crate::present::hide_fields(&mut kept, contract);
        let kept = Claim::kept(kept, &outcome);
        let claim = rests_on_hidden(spec, &kept).then(|| Arc::new(Claim::of(&outcome)));
        pursuit.claimed = Some(kept);
        let step = self.confirm(spec, outcome, pursuit, deadline, about, cancel).await;
        if let (Step::Going { .. }, Some(claim)) = (&step, claim) {
            self.claims.borrow_mut().insert(id.to_owned(), claim);
        }
        step
    }

    async fn confirm(
        &self,
        spec: &VerifySpec,
        mut outcome: Outcome,
        mut pursuit: Pursuit,
        deadline: Timestamp,
        about: &CallBindings<'_>,
        cancel: &CancelToken,
    ) -> Step {
        let verification = self.look_once(spec, &outcome, about, cancel).await;
        let agrees = matches!(verification.sight, Sight::Agrees);
        // Who stops looking decides nothing.
        let stopped = cancel.is_cancelled();
        if !agrees && (stopped || self.session.clock.now().plus(spec.every) <= deadline) {
            if !stopped {
                pursuit.said = Some(verification.words());
            }
            return Step::Going { state: EffectState::Working, pursuit, pause: spec.every, deadline };
        }
        verification.judge(&mut outcome);
        Step::Ended { outcome: Box::new(outcome), verification: Some(verification) }
    }

    /// A moment after a pause, and up to a tenth of it more, so that many processes do not ask at once.
    pub(super) fn jittered(&self, pause: Duration) -> Result<Timestamp, StoreError> {
        let [byte] = self.random.borrow_mut().draw::<1>()?;
        let more = pause.mul_f64(f64::from(byte) / 2550.0);
        Ok(self.session.clock.now().plus(pause).plus(more))
    }

    /// Asks the backend to stop an operation, as its contract says. What becomes of it is seen like any other end.
    ///
    /// # Errors
    /// The inner one: why it cannot be asked, or how it refused. The outer one: why the store cannot be used.
    pub async fn cancel_operation(
        &self,
        id: &str,
        cancel: &CancelToken,
    ) -> Result<Result<(), String>, StoreError> {
        let stored = self.stored_effect(id)?;
        if !stored.state.is_pursued() {
            return Ok(Err(format!("it is {}, and not under way elsewhere", stored.state.as_str())));
        }
        let contract = self.session.catalog.find(&stored.tool);
        let Some((contract, spec)) = contract.and_then(|contract| {
            let spec = contract.operation.as_deref()?.cancel.as_ref()?;
            Some((contract, spec))
        }) else {
            return Ok(Err("its contract does not say how it is stopped".to_owned()));
        };
        if contract.digest != stored.contract {
            return Ok(Err(CHANGED.to_owned()));
        }
        let Some(operation) = stored.pursuit.as_ref().and_then(|pursuit| pursuit.operation.as_ref()) else {
            return Ok(Err("it is being verified, and there is no operation to stop".to_owned()));
        };
        let workspace = self.session.workspace.root();
        let kept = match KeptCall::of(&stored, contract, workspace) {
            Ok(kept) => kept,
            Err(why) => return Ok(Err(why.to_owned())),
        };
        let about = CallBindings { operation: Some(operation), ..kept.bindings(workspace) };
        let asked = match spec.fill(&about) {
            Ok(asked) => asked,
            Err((name, error)) => return Ok(Err(format!("`{name}` cannot be filled: {error}"))),
        };
        let purpose = ProbePurpose::Cancel;
        let asked = self.probe(&spec.tool, purpose, asked, about.call_id, |_| (), cancel).await?;
        Ok(asked.map(|_| ()).map_err(|error| error.message))
    }
}

fn lost(why: &str) -> CallError {
    CallError::new(ErrorCode::OutcomeUnknown, format!("{why}; whether its effect happened is not known"))
        .with_hint("look at the state of the object before anything else; do not send the call again")
}
