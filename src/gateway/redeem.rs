//! Stored questions on their way back: what became of one, and what its answer is worth for a call.

use crate::approval::{Answer, Binding, Grant, GrantMismatch, StoredCall};
use crate::audit::RecordKind;
use crate::authorize::{Consent, PendingCall};
use crate::code::{CallError, ErrorCode};
use crate::state::{ApprovalState, Refusal, Store, StoreError, StoredApproval};
use crate::text;
use crate::wire::CallRequest;

use super::finished::{Finished, Origin, Subject};
use super::known::Doubt;
use super::{Admission, Gateway};

/// Most stored questions about one call that are looked at.
const MOST_ASKED: usize = 64;

/// Why a yes counts no more, or never did, though its row is as tgw wrote it.
const TOO_FEW: &str = "too few signed answers of those who may give one hold";

/// What became of a stored question.
pub enum Settled {
    /// Nobody has answered.
    Waiting,
    /// It ends the call.
    Ended(Box<CallError>),
    /// A yes that was not spent.
    Consented(Box<Grant>),
}

/// What earlier questions about the very same call say.
pub(super) enum Earlier {
    /// Nothing that counts now.
    Nothing,
    /// The same call waits under this question.
    Waits(Box<StoredApproval>),
    /// It was answered, and not with a yes.
    Ended(Box<CallError>),
}

impl Gateway<'_> {
    /// What became of a stored question.
    ///
    /// # Errors
    /// Why the store cannot be read.
    pub fn settled(&self, id: &str) -> Result<Settled, StoreError> {
        let store = self.store.as_ref().map_err(Clone::clone)?;
        let stored = store.borrow().approval(&self.session.principal.tenant, id)?;
        let Some(stored) = stored else {
            let error =
                CallError::new(ErrorCode::ApprovalExpired, "the question is not in the store any more");
            return Ok(Settled::Ended(Box::new(error)));
        };
        if let Some(why) = stored.seal.doubt() {
            self.doubt_question(&stored, why);
            return Ok(Settled::Ended(Box::new(not_believed(why))));
        }
        let stored = self.counted(&mut store.borrow_mut(), stored)?;
        Ok(match stored.state_at(self.session.clock.now()) {
            ApprovalState::Pending => Settled::Waiting,
            ApprovalState::Approved => match self.yes(&stored) {
                Some(grant) => Settled::Consented(Box::new(grant)),
                None if stored.spent.is_some() => Settled::Ended(Box::new(used())),
                None => {
                    self.doubt_question(&stored, TOO_FEW);
                    Settled::Ended(Box::new(not_believed(TOO_FEW)))
                }
            },
            state @ (ApprovalState::Denied | ApprovalState::Expired | ApprovalState::Revoked) => {
                Settled::Ended(Box::new(refusal(&stored, state)))
            }
        })
    }

    /// Settles a stored call with the yes that was given to it: everything is decided again, and a yes that does not cover
    /// the call as it stands now is worth nothing.
    pub fn redeem(
        &self,
        request: CallRequest,
        asked_under: crate::catalog::Digest,
        grant: Grant,
    ) -> Admission {
        let known = self.session.catalog.find(&request.name);
        if let Some(contract) = known.filter(|contract| contract.digest != asked_under) {
            let error = CallError::new(
                ErrorCode::ContractChanged,
                format!("the contract of `{}` has changed since the call was approved", contract.name),
            )
            .with_hint("send the call again, and it is asked anew under the present contract");
            return self.refused(Origin::of_request(&request), Subject::Contract(contract.clone()), error);
        }
        match self.admit(request, Consent::Grant(grant)) {
            Admission::Ask(pending) => {
                let origin = Origin::of_call(pending.call());
                let error = CallError::new(
                    ErrorCode::ApprovalRequired,
                    "the approval was given for another call, or what it rested on has changed",
                )
                .with_hint("send the call again, and it is asked anew as it stands now");
                self.refused(origin, Subject::Pending(pending), error)
            }
            admission @ (Admission::Finished(_) | Admission::Open(_) | Admission::Ready { .. }) => admission,
        }
    }

    /// A call that ends with what became of its question.
    #[must_use]
    pub fn end_of(&self, request: &CallRequest, error: CallError) -> Box<Finished> {
        let contract = self.session.catalog.find(&request.name);
        let subject = contract.map_or(Subject::None, |contract| Subject::Contract(contract.clone()));
        Box::new(Finished::refused(Origin::of_request(request), subject, error, &self.redactor.borrow()))
    }

    /// A yes that the store holds for exactly this call and that was not spent. One that is not believed is noted on the
    /// call and in the audit.
    pub(super) fn approved_before(&self, pending: &mut PendingCall) -> Option<Grant> {
        let now = self.session.clock.now();
        let asked = self.counted_all(self.asked_before(pending));
        for stored in asked.iter().filter(|stored| stored.state == ApprovalState::Approved) {
            if let Some(why) = stored.seal.doubt() {
                self.doubt_question(stored, why);
                pending.doubt_once(format!("`{}`: {why}", text::head(&stored.id, super::known::SHOWN_ID)));
            }
        }
        let believed = asked.iter().filter(|stored| {
            stored.seal.doubt().is_none() && stored.state == ApprovalState::Approved && now < stored.expires
        });
        for stored in believed {
            if stored.spent.is_some() {
                continue;
            }
            let subject = pending.subject(&self.facts(), self.session.workspace.root());
            match self.yes(stored) {
                Some(grant) if grant.check(&subject, now) != Err(GrantMismatch::NeedsSignature) => {
                    return Some(grant);
                }
                Some(_) | None => {}
            }
            self.doubt_question(stored, TOO_FEW);
            pending.doubt_once(format!("`{}`: {TOO_FEW}", text::head(&stored.id, super::known::SHOWN_ID)));
        }
        None
    }

    /// What earlier questions about the very same call say where nobody is there to be asked anew.
    pub(super) fn answered_before(&self, pending: &PendingCall) -> Earlier {
        let now = self.session.clock.now();
        let mut asked = self.asked_before(pending);
        asked.retain(|stored| stored.seal.doubt().is_none());
        let last =
            asked.iter().filter(|stored| stored.answered.is_some()).max_by_key(|stored| stored.answered);
        // A no holds until the question's own end; after that the world may look different to the person.
        if let Some(stored) =
            last.filter(|stored| stored.state == ApprovalState::Denied && now < stored.expires)
        {
            return Earlier::Ended(Box::new(refusal(stored, ApprovalState::Denied)));
        }
        let call = pending.call().id().as_str();
        for stored in &asked {
            match stored.state_at(now) {
                ApprovalState::Pending if same_call(stored, call) || self.half_answered(stored) => {
                    return Earlier::Waits(Box::new(stored.clone()));
                }
                // Another run that made its own task is another job.
                ApprovalState::Expired if stored.task == self.session.task.id => {
                    return Earlier::Ended(Box::new(refusal(stored, ApprovalState::Expired)));
                }
                ApprovalState::Pending
                | ApprovalState::Approved
                | ApprovalState::Denied
                | ApprovalState::Expired
                | ApprovalState::Revoked => {}
            }
        }
        Earlier::Nothing
    }

    /// Whether a question of another run has signed answers: who gave them is not to be asked about the same thing twice.
    /// Within a run, each call of another id is one more that is to happen.
    fn half_answered(&self, stored: &StoredApproval) -> bool {
        stored.answers.is_some() && !self.asked.borrow().contains(&stored.id)
    }

    /// The same with what was signed counted here. One that cannot be written waits on.
    fn counted_all(&self, asked: Vec<StoredApproval>) -> Vec<StoredApproval> {
        let Ok(store) = &self.store else { return asked };
        let count = |stored: StoredApproval| {
            self.counted(&mut store.borrow_mut(), stored.clone()).unwrap_or_else(|error| {
                tracing::error!(%error, "signed answers could not be counted");
                stored
            })
        };
        asked.into_iter().map(count).collect()
    }

    fn asked_before(&self, pending: &PendingCall) -> Vec<StoredApproval> {
        let Ok(store) = &self.store else { return Vec::new() };
        let binding = Binding::compute(&pending.subject(&self.facts(), self.session.workspace.root()));
        let found = store.borrow().approvals_for(&self.session.principal.tenant, binding.0, MOST_ASKED);
        found.unwrap_or_else(|error| {
            tracing::error!(%error, "stored questions could not be read");
            Vec::new()
        })
    }

    /// Puts on record, once in a run, that the answer to a stored question was not believed.
    fn doubt_question(&self, stored: &StoredApproval, why: &str) {
        let doubt = Doubt {
            what: "stored",
            how: "queue",
            kind: RecordKind::Approval,
            id: &stored.id,
            tool: &stored.tool,
            contract: None,
        };
        self.record_doubt(&doubt, why);
    }
}

fn same_call(stored: &StoredApproval, id: &str) -> bool {
    StoredCall::from_json(&stored.call, stored.question).is_ok_and(|call| call.id == id)
}

/// The error of a call whose question ended without a yes.
fn refusal(stored: &StoredApproval, state: ApprovalState) -> CallError {
    let said = match state {
        ApprovalState::Denied => Answer::Deny { feedback: stored.feedback.clone() }.refusal(),
        ApprovalState::Expired => Answer::Expired.refusal(),
        ApprovalState::Pending | ApprovalState::Approved | ApprovalState::Revoked => None,
    };
    said.unwrap_or_else(|| {
        CallError::new(ErrorCode::ApprovalDenied, Refusal::ApprovalRevoked.to_string())
            .with_hint("send the call again only if it is still to happen; it is asked anew")
    })
}

fn not_believed(why: &str) -> CallError {
    CallError::new(ErrorCode::ApprovalRequired, format!("the stored question is not believed: {why}"))
        .with_hint("send the call again, and it is asked anew")
}

fn used() -> CallError {
    CallError::new(ErrorCode::ApprovalRequired, "the approval was used: the call ran with it")
        .with_hint("`tgw effects list` shows how it ended; send the call again only if it is to happen once more, and it is asked anew")
}
