//! Calls that wait for a person's answer in another process, while the stream goes on.

use std::time::Duration;

use crate::authorize::Consent;
use crate::catalog::Digest;
use crate::code::{CallError, ErrorCode};
use crate::execute::CancelToken;
use crate::gateway::{Admission, Awaited, Finished, Settled};
use crate::ident::CallId;
use crate::wire::CallRequest;

use super::entry::{Entry, State};
use super::{QUEUE, Scheduler};

/// How often the store is looked at for answers.
const LOOK: Duration = Duration::from_millis(500);

/// Most calls that wait for answers at once; with that many no further line is read.
const MOST_AWAITED: usize = 1024;

impl Scheduler<'_, '_> {
    /// Whether another line of input may be taken.
    pub(super) fn takes_more(&self) -> bool {
        self.queue.len() < QUEUE && self.awaited.len() < MOST_AWAITED && !self.stopping
    }

    /// Takes over the calls whose questions were stored. A stream that ends waits for nobody. Returns whether it gave
    /// some up.
    pub(super) fn take_awaited(&mut self) -> bool {
        let asked = self.gateway.take_awaited();
        if self.awaited.is_empty() && !asked.is_empty() {
            self.next_look = tokio::time::Instant::now() + LOOK;
        }
        self.awaited.extend(asked);
        let given_up = self.stopping && !self.awaited.is_empty();
        if given_up {
            for awaited in std::mem::take(&mut self.awaited) {
                self.give_up(&awaited);
            }
        }
        given_up
    }

    /// Looks for answers.
    pub(super) fn look(&mut self) {
        self.next_look = tokio::time::Instant::now() + LOOK;
        for awaited in std::mem::take(&mut self.awaited) {
            if let Some(error) = self.gateway.left_behind(&awaited) {
                self.take_back(&awaited);
                self.end_awaited(&awaited, error);
                continue;
            }
            match self.gateway.settled(&awaited.id) {
                Ok(Settled::Waiting) => self.awaited.push(awaited),
                Ok(Settled::Consented(grant)) => {
                    let state = State::Waiting {
                        request: Box::new(awaited.request),
                        consent: Box::new(Consent::Grant(*grant)),
                        asked: true,
                    };
                    self.resume(awaited.contract, state);
                }
                Ok(Settled::Ended(error)) => self.end_awaited(&awaited, *error),
                Err(error) if self.gateway.is_over(&awaited) => {
                    self.end_awaited(&awaited, error.call_error())
                }
                Err(error) => {
                    tracing::warn!(%error, "the store could not be looked at for answers");
                    self.awaited.push(awaited);
                }
            }
        }
    }

    /// Settles a call at its turn: one that was answered before with the yes that it was given.
    pub(super) fn admitted(&self, request: CallRequest, consent: Consent) -> Admission {
        let resumed = self.queue.get(self.started).and_then(|entry| entry.resumed);
        match (consent, resumed) {
            (Consent::Grant(grant), Some(contract)) => self.gateway.redeem(request, contract, grant),
            (consent, _) => self.gateway.admit(request, consent),
        }
    }

    /// Cancels the call of this id where it waits for an answer. Returns whether there was one.
    pub(super) fn cancel_awaited(&mut self, id: &CallId) -> bool {
        let Some(at) = self.awaited.iter().position(|awaited| awaited.request.id == *id) else {
            return false;
        };
        let awaited = self.awaited.remove(at);
        self.give_up(&awaited);
        true
    }

    fn take_back(&self, awaited: &Awaited) {
        if let Err(error) = self.gateway.withdraw(awaited) {
            tracing::info!(%error, "the question of a call that ends could not be taken back");
        }
    }

    fn give_up(&mut self, awaited: &Awaited) {
        self.take_back(awaited);
        let error = CallError::new(ErrorCode::Cancelled, "the call was stopped before a person answered");
        self.end_awaited(awaited, error);
    }

    fn end_awaited(&mut self, awaited: &Awaited, error: CallError) {
        let finished: Box<Finished> = self.gateway.end_of(&awaited.request, error);
        self.resume(awaited.contract, State::Done(finished));
    }

    fn resume(&mut self, contract: Digest, state: State) {
        let id = match &state {
            State::Waiting { request, .. } => request.id.clone(),
            State::Done(finished) => finished.id().clone(),
            State::Running => return,
        };
        self.queue.push_back(Entry {
            id,
            state,
            cancel: CancelToken::default(),
            batch: None,
            edited: false,
            resumed: Some(contract),
        });
        self.pass_done();
    }
}
