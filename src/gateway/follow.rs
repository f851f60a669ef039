//! The operations that one run follows beside its calls: those that it began, and those that it took over.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use crate::clock::Timestamp;
use crate::execute::CancelToken;
use crate::state::{EffectState, Store, StoreError, StoredEffect};

use super::Gateway;
use super::finished::Finished;
use super::pursue::Pursued;
use super::pursued::EndOfEffect;

/// Longest pause between two looks at what is due.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// Most operations that one run follows.
const MOST_FOLLOWED: usize = 1024;

/// An operation that a run follows.
struct Followed {
    call: String,
    due: Timestamp,
    /// Whether a call of this run began it.
    own: bool,
    /// Whether it is to be stopped.
    stop: bool,
}

/// The operations that a run follows, by the id of their effect.
#[derive(Default)]
pub(super) struct Following(BTreeMap<String, Followed>);

impl Gateway<'_> {
    /// Follows what calls of this run began, once that is on record.
    pub(super) fn note_begun(&self, finished: &[Box<Finished>]) {
        let mut following = self.following.borrow_mut();
        for one in finished {
            let (Some(ledger), Some(begun)) = (&one.ledger, &one.begun) else { continue };
            if ledger.found.is_none() && following.0.len() < MOST_FOLLOWED {
                let call = one.id().to_string();
                let followed = Followed { call, due: begun.due, own: true, stop: false };
                following.0.insert(ledger.id.clone(), followed);
                if let Some(claim) = &begun.claim {
                    self.claims.borrow_mut().insert(ledger.id.clone(), Arc::clone(claim));
                }
            }
        }
    }

    /// Takes over what earlier processes left under way.
    pub(super) fn take_over(&self, open: &[StoredEffect]) {
        let mut following = self.following.borrow_mut();
        for stored in open.iter().filter(|stored| stored.state.is_pursued()) {
            if following.0.len() < MOST_FOLLOWED {
                let followed =
                    Followed { call: stored.call.clone(), due: stored.due, own: false, stop: false };
                following.0.entry(stored.id.clone()).or_insert(followed);
            }
        }
    }

    /// The effects that are under way elsewhere, the one that is due first in front.
    ///
    /// # Errors
    /// Why the store cannot be read.
    pub fn going_on(&self) -> Result<Vec<StoredEffect>, StoreError> {
        let store = self.store.as_ref().map_err(Clone::clone)?.borrow();
        let tenant = &self.session.principal.tenant;
        let mut open = store.effects(tenant, Some(EffectState::Accepted), MOST_FOLLOWED)?;
        open.extend(store.effects(tenant, Some(EffectState::Working), MOST_FOLLOWED)?);
        open.sort_by_key(|stored| stored.due);
        Ok(open)
    }

    /// Whether this run follows anything.
    #[must_use]
    pub fn follows(&self) -> bool {
        !self.following.borrow().0.is_empty()
    }

    /// Whether something that a call of this run began is not over.
    #[must_use]
    pub fn awaits_operations(&self) -> bool {
        self.following.borrow().0.values().any(|followed| followed.own)
    }

    /// Has the operation of this call stopped at the next look. Returns whether there is one.
    pub fn stop_operation(&self, call: &str) -> bool {
        let mut following = self.following.borrow_mut();
        let found = following.0.values_mut().find(|followed| followed.own && followed.call == call);
        if let Some(followed) = found {
            followed.stop = true;
            true
        } else {
            false
        }
    }

    /// Waits until something is due, no longer than a moment, and looks at all that is. Returns what came to its end.
    pub async fn follow(&self, cancel: &CancelToken) -> Vec<EndOfEffect> {
        let now = self.session.clock.now();
        let next = self.following.borrow().0.values().map(|followed| followed.due).min();
        let pause = next.map_or(LONGEST_PAUSE, |due| Duration::from_millis(due.0.saturating_sub(now.0)));
        tokio::select! {
            () = sleep(pause.min(LONGEST_PAUSE)) => {}
            () = cancel.cancelled() => return Vec::new(),
        }
        self.stop_what_is_to_be(cancel).await;
        let now = self.session.clock.now();
        let due: Vec<String> = {
            let following = self.following.borrow();
            following.0.iter().filter(|(_, one)| one.due <= now).map(|(id, _)| id.clone()).collect()
        };
        let mut ended = Vec::new();
        for id in due {
            if cancel.is_cancelled() {
                break;
            }
            ended.extend(self.follow_one(&id, cancel).await);
        }
        ended
    }

    async fn follow_one(&self, id: &str, cancel: &CancelToken) -> Option<EndOfEffect> {
        let pursued = self.pursue(id, cancel).await;
        let is_left = matches!(pursued, Ok(Pursued::NotNow));
        match pursued {
            Ok(Pursued::Going | Pursued::NotNow) => match self.stored_effect(id) {
                Ok(stored) if stored.state.is_pursued() => {
                    // Another process may look at it just now, or be the only one that can.
                    let soonest = self.session.clock.now().plus(LONGEST_PAUSE);
                    let due =
                        if is_left || stored.owner.is_some() { stored.due.max(soonest) } else { stored.due };
                    if let Some(followed) = self.following.borrow_mut().0.get_mut(id) {
                        followed.due = due;
                    }
                    None
                }
                Ok(stored) => {
                    let own = self.following.borrow().0.get(id).is_some_and(|followed| followed.own);
                    self.let_go(id, "it is over");
                    if own { self.end_seen(stored) } else { None }
                }
                Err(error) => self.look_later(id, &error),
            },
            Ok(Pursued::Ended(ended)) => {
                let own = self.following.borrow_mut().0.remove(id).is_some_and(|followed| followed.own);
                own.then_some(*ended)
            }
            Ok(Pursued::Over(stored)) => {
                let own = self.following.borrow().0.get(id).is_some_and(|followed| followed.own);
                self.let_go(id, "another process saw its end");
                if own { self.end_seen(*stored) } else { None }
            }
            Ok(Pursued::Stuck(why)) => {
                tracing::warn!(effect = id, %why, "an operation is not followed here");
                self.let_go(id, &why)
            }
            Err(error) => self.look_later(id, &error),
        }
    }

    /// A store that cannot be asked now says nothing of the operation.
    fn look_later(&self, id: &str, error: &StoreError) -> Option<EndOfEffect> {
        tracing::warn!(effect = id, %error, "the store could not be asked about an operation");
        let due = self.session.clock.now().plus(LONGEST_PAUSE);
        if let Some(followed) = self.following.borrow_mut().0.get_mut(id) {
            followed.due = due;
        }
        None
    }

    fn let_go(&self, id: &str, why: &str) -> Option<EndOfEffect> {
        self.following.borrow_mut().0.remove(id);
        self.claims.borrow_mut().remove(id);
        tracing::info!(effect = id, why, "an operation is not followed any more");
        None
    }

    async fn stop_what_is_to_be(&self, cancel: &CancelToken) {
        let stopped: Vec<String> = {
            let mut following = self.following.borrow_mut();
            let marked = following.0.iter_mut().filter(|(_, followed)| followed.stop);
            marked
                .map(|(id, followed)| {
                    followed.stop = false;
                    id.clone()
                })
                .collect()
        };
        for id in stopped {
            match self.cancel_operation(&id, cancel).await {
                Ok(Ok(())) => {}
                Ok(Err(why)) => tracing::warn!(effect = %id, %why, "an operation could not be stopped"),
                Err(error) => tracing::warn!(effect = %id, %error, "an operation could not be stopped"),
            }
        }
    }
}
