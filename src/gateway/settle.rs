//! Settling what an earlier call left open, before the same effect is tried again.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::audit::{Entry, LedgerNote, PendingRecords, RecordKind};
use crate::authorize::{AuthorizedCall, HeldCall};
use crate::code::{CallError, ErrorCode};
use crate::execute::CancelToken;
use crate::state::{
    Batch, Change, Durability, EffectState, Receipt, Refusal, SettledEffect, Settlement, Store, StoreError,
    StoredEffect,
};

use super::finished::{Finished, Origin, Subject};
use super::ledger::{Held, may_go_out_again, timeout};
use super::look_up::LookedUp;
use super::{Admission, Gateway};

/// How often another process is asked whether its effect has come to an end, first and later.
const FIRST_LOOK: Duration = Duration::from_millis(5);
const LATER_LOOK: Duration = Duration::from_millis(200);

/// Most effects that are looked up at once.
const MOST_OPEN: usize = 64;

/// Longest that the start of a run looks up what earlier runs left open.
const MOST_RECOVERY: Duration = Duration::from_secs(10);

/// What became of an attempt to run a call.
pub(super) enum Attempt {
    /// It ended.
    Finished(Box<Finished>),
    /// Another call took its effect key or what was left of a budget, or the task was moved: it is to be decided again.
    Overtaken(Box<AuthorizedCall>),
}

impl Gateway<'_> {
    /// Settles what is open about the effect of a call, then answers it from the ledger or runs it.
    ///
    /// A call whose effect is under way elsewhere waits for its end, no longer than its own deadline.
    pub async fn settle_and_run(&self, held: Box<HeldCall>, cancel: CancelToken) -> Box<Finished> {
        let waits = Instant::now() + timeout(held.call().plan());
        let mut held = held;
        loop {
            let origin = Origin::of_call(held.call());
            if let Some(ended) = self.wait(&held, waits, &cancel).await {
                return self.ended(origin, held, ended);
            }
            let (call, consent) = held.into_parts();
            match self.readmit(call, consent) {
                Admission::Finished(finished) => return finished,
                Admission::Open(again) => held = again,
                Admission::Ask(pending) => return Box::pin(self.ask_and_run(pending, cancel)).await,
                Admission::Ready { call, .. } => match self.attempt(call, &cancel).await {
                    Attempt::Finished(finished) => return finished,
                    Attempt::Overtaken(call) => held = Box::new(call.hold()),
                },
            }
        }
    }

    /// Waits until a call may be admitted again; `Some` where that will not be.
    async fn wait(&self, held: &HeldCall, until: Instant, cancel: &CancelToken) -> Option<Ended> {
        let mut pause = FIRST_LOOK;
        loop {
            let call = held.call();
            let key = self.effect_key(call)?;
            let stored = match self.holder(call, &key) {
                Ok(Held::Open(stored)) => stored,
                Ok(Held::Free) => return None,
                Ok(Held::Known(stored)) => return Some(Ended::Known(stored)),
                Ok(Held::Conflict(stored)) => return Some(Ended::Conflict(stored)),
                Err(error) => return Some(Ended::Refused(error.call_error())),
            };
            if cancel.is_cancelled() {
                let error = CallError::new(ErrorCode::Cancelled, "the call was stopped before it began");
                return Some(Ended::Refused(error));
            }
            match stored.state {
                EffectState::Running if self.is_lost(&stored, self.session.clock.now()) => {
                    if let Err(error) = self.lose(&stored) {
                        return Some(Ended::Refused(error.call_error()));
                    }
                }
                EffectState::Running if Instant::now() >= until => return Some(Ended::Known(stored)),
                EffectState::Running => {
                    tokio::select! {
                        () = sleep(pause) => {}
                        () = cancel.cancelled() => {}
                    }
                    pause = (pause * 2).min(LATER_LOOK);
                }
                EffectState::Unknown => match self.look_up(&stored, cancel).await {
                    Ok(LookedUp::Settled(_)) => {}
                    Ok(LookedUp::Nothing(why)) => {
                        tracing::info!(effect = %stored.id, %why, "an effect stays unknown");
                        if !may_go_out_again(held.call().contract(), &stored) {
                            return Some(Ended::Known(stored));
                        }
                        self.looked_up.borrow_mut().insert(stored.id.clone());
                    }
                    Err(error) => return Some(Ended::Refused(error.call_error())),
                },
                EffectState::Succeeded
                | EffectState::Failed
                | EffectState::Accepted
                | EffectState::Working => return Some(Ended::Known(stored)),
            }
        }
    }

    fn ended(&self, origin: Origin, held: Box<HeldCall>, ended: Ended) -> Box<Finished> {
        match ended {
            Ended::Known(stored) => self.replayed(origin, held, &stored),
            Ended::Conflict(stored) => self.conflict(origin, held, &stored),
            Ended::Refused(error) => {
                Box::new(Finished::refused(origin, Subject::Held(held), error, &self.redactor.borrow()))
            }
        }
    }

    /// Records which effects were lost, and looks up what is not known where its contract says how: no more than a bounded
    /// number, within a bounded time.
    pub async fn recover(&self) {
        let work = async {
            match self.going_on() {
                Ok(open) => self.take_over(&open),
                Err(error) => tracing::warn!(%error, "what goes on elsewhere could not be read"),
            }
            if let Err(error) = self.reconcile(None, &CancelToken::default()).await {
                tracing::warn!(%error, "what earlier runs left open could not be looked up");
            }
        };
        if tokio::time::timeout(MOST_RECOVERY, work).await.is_err() {
            tracing::warn!(
                "what earlier runs left open takes long to look up; `tgw effects reconcile` goes on with it"
            );
        }
    }

    /// Looks up the effects that are not settled, or one of them, and returns what came of each.
    ///
    /// # Errors
    /// Why the store cannot be used; [`Refusal::UnknownEffect`] for an id that names none.
    pub async fn reconcile(
        &self,
        id: Option<&str>,
        cancel: &CancelToken,
    ) -> Result<Vec<(StoredEffect, LookedUp)>, StoreError> {
        let tenant = &self.session.principal.tenant;
        let open = {
            let store = self.store.as_ref().map_err(Clone::clone)?.borrow();
            match id {
                Some(id) => vec![store.effect(tenant, id)?.ok_or(Refusal::UnknownEffect)?],
                None => store.unsettled_effects(tenant, MOST_OPEN)?,
            }
        };
        let mut results = Vec::new();
        for stored in open {
            if cancel.is_cancelled() {
                break;
            }
            let looked = self.look_again(&stored, cancel).await?;
            results.push((stored, looked));
        }
        Ok(results)
    }

    async fn look_again(&self, stored: &StoredEffect, cancel: &CancelToken) -> Result<LookedUp, StoreError> {
        match stored.state {
            EffectState::Succeeded | EffectState::Failed => Ok(LookedUp::Settled(stored.state)),
            EffectState::Unknown => self.look_up(stored, cancel).await,
            EffectState::Accepted | EffectState::Working => self.look_after(stored, cancel).await,
            EffectState::Running if !self.is_lost(stored, self.session.clock.now()) => {
                Ok(LookedUp::Nothing("it is under way".to_owned()))
            }
            EffectState::Running => {
                self.lose(stored)?;
                let tenant = &self.session.principal.tenant;
                let now = {
                    let store = self.store.as_ref().map_err(Clone::clone)?.borrow();
                    store.effect(tenant, &stored.id)?.ok_or(Refusal::UnknownEffect)?
                };
                match now.state {
                    EffectState::Unknown => self.look_up(&now, cancel).await,
                    EffectState::Running | EffectState::Accepted | EffectState::Working => {
                        Ok(LookedUp::Nothing("it is under way again".to_owned()))
                    }
                    EffectState::Succeeded | EffectState::Failed => Ok(LookedUp::Settled(now.state)),
                }
            }
        }
    }

    /// Records which effects were lost: whoever carried them out is gone, or has had its time.
    pub(super) fn lose_overdue(&self) -> Result<(), StoreError> {
        let open = {
            let store = self.store.as_ref().map_err(Clone::clone)?.borrow();
            store.unsettled_effects(&self.session.principal.tenant, MOST_OPEN)?
        };
        let now = self.session.clock.now();
        let lost =
            open.iter().filter(|stored| stored.state == EffectState::Running && self.is_lost(stored, now));
        lost.into_iter().try_for_each(|stored| self.lose(stored))
    }

    /// Records that an effect's process is gone, or its time over: whether it happened is not known.
    pub(super) fn lose(&self, stored: &StoredEffect) -> Result<(), StoreError> {
        let settled = SettledEffect {
            id: &stored.id,
            attempt: stored.attempt,
            state: EffectState::Unknown,
            how: Settlement::Lost,
            code: Some(ErrorCode::OutcomeUnknown.as_str()),
            outcome: None,
        };
        self.record_settlement(stored, settled, None, &[])
    }

    /// Settles an effect with a record that says so. Where another process was faster, nothing is left to do.
    pub(super) fn record_settlement(
        &self,
        stored: &StoredEffect,
        settled: SettledEffect<'_>,
        by: Option<&str>,
        notes: &[(&str, &str)],
    ) -> Result<(), StoreError> {
        let store = self.store.as_ref().map_err(Clone::clone)?;
        match settle_effect(&mut *store.borrow_mut(), stored, settled, by, notes, self.session.clock.now()) {
            Ok(receipt) => {
                tracing::debug!(%receipt, "an effect is settled");
                Ok(())
            }
            Err(StoreError::Refused(refusal)) => {
                tracing::debug!(%refusal, "the effect was settled by another process");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

/// Settles an effect with a record that says so, and returns its receipt.
///
/// # Errors
/// [`StoreError::Refused`] where it is settled already, else why the store cannot be written.
pub fn settle_effect(
    store: &mut dyn Store,
    stored: &StoredEffect,
    settled: SettledEffect<'_>,
    by: Option<&str>,
    notes: &[(&str, &str)],
    now: crate::clock::Timestamp,
) -> Result<Receipt, StoreError> {
    let mut records = PendingRecords::default();
    records.push(&Entry {
        task: Some(&stored.task),
        call: Some(&stored.call),
        tool: Some(&stored.tool),
        contract: Some(stored.contract),
        ledger: Some(LedgerNote {
            id: settled.id,
            attempt: settled.attempt,
            state: settled.state.as_str(),
            how: settled.how.as_str(),
            by,
        }),
        code: settled.code,
        notes,
        ..Entry::new(RecordKind::Effect, now, &stored.principal)
    })?;
    let receipts = store.append(&mut Batch {
        tenant: &stored.principal.tenant,
        now,
        durability: Durability::Power,
        changes: &[Change::SettleEffect(settled)],
        records: &mut records,
    })?;
    receipts.first().copied().ok_or_else(|| StoreError::Unavailable("the store gave no receipt".to_owned()))
}

/// Why a held call is answered without being admitted again.
enum Ended {
    Known(Box<StoredEffect>),
    Conflict(Box<StoredEffect>),
    Refused(CallError),
}
