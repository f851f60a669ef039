//! What a call leaves to be followed, and what is said of it until it is over.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::code::Status;
use crate::execute::CancelToken;
use crate::present::{Claim, Presented, rests_on_hidden};
use crate::state::{EffectState, Pursuit, StoreError, StoredEffect};

use super::finished::{Begun, Finished};
use super::verify::Verification;
use super::{Gateway, LookedUp, Pursued};

impl Gateway<'_> {
    /// What a call that ends now leaves to be followed; `None` where its effect is over.
    pub(super) fn begun(
        &self,
        finished: &Finished,
        operation: Option<Value>,
        pace: Option<Duration>,
        verification: Option<&Verification>,
        claim: Option<Claim>,
    ) -> Option<Begun> {
        let contract = finished.contract()?;
        let now = self.session.clock.now();
        let begun = |pursuit, pause: Duration, lasts| Begun {
            pursuit,
            due: self.jittered(pause).unwrap_or_else(|_| now.plus(pause)),
            deadline: now.plus(lasts),
            claim: None,
        };
        match finished.presented().status() {
            Status::Accepted => {
                let spec = contract.operation.as_deref()?;
                let pursuit = Pursuit { operation, ..Pursuit::default() };
                Some(begun(pursuit, spec.pause(pace).min(spec.timeout), spec.timeout))
            }
            Status::Working => {
                let spec = contract.verify.as_deref()?;
                let kept = Claim::kept_of(finished.presented().stored());
                let claim = claim.filter(|_| rests_on_hidden(spec, &kept));
                let pursuit = Pursuit { claimed: Some(kept), ..Pursuit::default() };
                let begun = begun(pursuit, spec.every, verification?.left?);
                Some(Begun { claim: claim.map(Arc::new), ..begun })
            }
            Status::Succeeded
            | Status::Failed
            | Status::Denied
            | Status::InputRequired
            | Status::Unknown
            | Status::Cancelled => None,
        }
    }

    /// What is said of an effect that an earlier call began and that goes on elsewhere.
    pub(super) fn under_way_still(&self, stored: &StoredEffect) -> Presented {
        let pursuit = stored.pursuit.as_ref();
        let status = match stored.state {
            EffectState::Accepted => Status::Accepted,
            _ if pursuit.is_some_and(|pursuit| pursuit.needs_input) => Status::InputRequired,
            _ => Status::Working,
        };
        let operation = pursuit.and_then(|pursuit| pursuit.operation.clone());
        let mut presented = Presented::under_way(status, operation, &self.redactor.borrow());
        if let Some(said) = pursuit.and_then(|pursuit| pursuit.said.as_deref()) {
            presented.warn(format!("last heard of it: {}", crate::text::escape(said)));
        }
        presented
    }

    /// Looks at an effect that goes on elsewhere, where it is due.
    pub(super) async fn look_after(
        &self,
        stored: &StoredEffect,
        cancel: &CancelToken,
    ) -> Result<LookedUp, StoreError> {
        let going = |why: &str| Ok(LookedUp::Nothing(why.to_owned()));
        match self.pursue(&stored.id, cancel).await? {
            Pursued::Ended(_) => Ok(LookedUp::Settled(self.stored_effect(&stored.id)?.state)),
            Pursued::Over(now) => Ok(LookedUp::Settled(now.state)),
            Pursued::Going => going("it goes on elsewhere"),
            Pursued::NotNow => going("it goes on elsewhere, and is not due or looked at by another process"),
            Pursued::Stuck(why) => Ok(LookedUp::Nothing(why)),
        }
    }
}

impl Finished {
    /// What a result line says of an effect that goes on elsewhere.
    pub(super) fn operation(&self) -> Option<Value> {
        let ledger = self.ledger.as_ref()?;
        let goes_on = self.begun.is_some() || ledger.found.is_some_and(EffectState::is_pursued);
        goes_on.then(|| {
            let mut operation = Map::new();
            if let Some(id) = self.presented.operation() {
                operation.insert("id".to_owned(), id.clone());
            }
            operation.insert("effect".to_owned(), ledger.id.as_str().into());
            Value::Object(operation)
        })
    }
}
