//! What a person's answer makes of a call, and what is kept of it.

use std::os::unix::ffi::OsStrExt;

use crate::approval::{
    Answer, Answered, ApprovalId, Extent, Grant, GrantId, Likeness, PendingApproval, Question, StandingGrant,
    render_question,
};
use crate::audit::{ApprovalNote, Entry, PendingRecords, RecordKind};
use crate::authorize::{Consent, PendingCall};
use crate::catalog::Digest;
use crate::code::{CallError, ErrorCode};
use crate::state::{ApprovalState, Batch, Change, Durability, NewStanding, Store, StoreError};
use crate::wire::CallRequest;

use super::Gateway;
use super::answers::given;
use super::commit::{evidence, rules};
use super::finished::{AnswerNote, Finished, Origin, Subject};
use super::redeem::Earlier;

/// The width of a question that is stored rather than shown.
const STORED_WIDTH: usize = 100;

/// What one answer makes of a call.
pub(super) enum Reaction {
    /// It may be authorized again, with this consent.
    Consented { pending: Box<PendingCall>, consent: Box<Consent> },
    /// The person changed the arguments: another call, which goes through the whole pipeline.
    Edited { pending: Box<PendingCall>, request: Box<CallRequest> },
    /// It ends here.
    Refused(Box<Finished>),
    /// It ends here, and so does the run.
    Stopped(Box<Finished>),
}

impl Gateway<'_> {
    /// What an answer makes of the call.
    pub(super) fn answered(
        &self,
        origin: Origin,
        pending: Box<PendingCall>,
        answered: &Answered,
    ) -> Reaction {
        let now = self.session.clock.now();
        let by = self.session.operator.as_str();
        let id = match GrantId::random() {
            Ok(id) => id,
            Err(error) => return self.unasked(origin, pending, error),
        };
        if let Answer::Edit { arguments } = &answered.answer {
            if let Err(error) = self.record_edit(&pending, &id, answered.shown) {
                tracing::error!(%error, "an edit could not be recorded");
                return self.unasked(origin, pending, error.call_error());
            }
            let request = Box::new(CallRequest {
                id: origin.id,
                name: pending.call().contract().name.to_string(),
                arguments: arguments.clone(),
                expects: None,
                shape: origin.shape,
                rpc_id: origin.rpc_id,
                traceparent: None,
            });
            return Reaction::Edited { pending, request };
        }
        if let Some(error) = answered.answer.refusal() {
            let feedback = match &answered.answer {
                Answer::Deny { feedback } => feedback.clone(),
                Answer::Once
                | Answer::ForTask { .. }
                | Answer::Edit { .. }
                | Answer::Stop
                | Answer::Expired => None,
            };
            let note = AnswerNote {
                id: id.to_string(),
                answer: answered.answer.as_str(),
                question: answered.shown,
                by: by.to_owned(),
                feedback,
            };
            let stop = answered.answer == Answer::Stop;
            let error = self.not_begun(pending.call(), error);
            // Only a no is an answer to the same question where it waits; who stops the run has not answered it.
            let settles = matches!(answered.answer, Answer::Deny { .. }).then(|| self.likeness(&pending));
            let mut finished = Box::new(Finished::refused(
                origin,
                Subject::Pending(pending),
                error,
                &self.redactor.borrow(),
            ));
            finished.answer = Some(note);
            finished.settles = settles;
            finished.stop = stop;
            return if stop { Reaction::Stopped(finished) } else { Reaction::Refused(finished) };
        }
        let (grant, standing) = {
            let subject = pending.subject(&self.facts(), self.session.workspace.root());
            let standing =
                GrantId::random().ok().and_then(|id| StandingGrant::from_answer(answered, &subject, id, now));
            (Grant::from_answer(answered, &subject, &id, by, now), standing)
        };
        let Some(grant) = grant else {
            let error = CallError::new(ErrorCode::ApprovalRequired, "the answer is no yes to this call");
            return self.unasked(origin, pending, error);
        };
        if let Some(standing) = standing
            && let Err(error) = self.remember(&standing, pending.call().contract().digest, answered.shown)
        {
            tracing::error!(%error, "an answer could not be remembered");
            return self.unasked(origin, pending, error.call_error());
        }
        Reaction::Consented { pending, consent: Box::new(Consent::Grant(grant)) }
    }

    /// Records that a person changed the arguments, with the arguments as the call had them.
    fn record_edit(&self, pending: &PendingCall, id: &GrantId, question: Digest) -> Result<(), StoreError> {
        let session = self.session;
        let store = self.store.as_ref().map_err(Clone::clone)?;
        let now = session.clock.now();
        let call = pending.call();
        let arguments = serde_json::to_string(call.arguments()).unwrap_or_default();
        let shown = self.redactor.borrow().text(&arguments).into_owned();
        let rules = rules(pending.decision());
        let mut records = PendingRecords::default();
        records.push(&Entry {
            task: Some(&session.task.id),
            step: self.here().step,
            call: Some(call.id().as_str()),
            tool: Some(call.contract().name.as_str()),
            contract: Some(call.contract().digest),
            verdict: Some(pending.decision().verdict),
            rules: &rules,
            arguments: evidence(Some(&arguments), Some(&shown)),
            approval: Some(ApprovalNote {
                id: id.as_str(),
                by: Some(session.operator.as_str()),
                how: "terminal",
                answer: "edited",
                question: Some(question),
            }),
            ..Entry::new(RecordKind::Approval, now, &session.principal)
        })?;
        // The call as the model sent it will not run.
        let settled = Change::SettleLike {
            likeness: self.likeness(pending).0,
            state: ApprovalState::Denied,
            by: session.operator.as_str(),
        };
        let receipts = store.borrow_mut().append(&mut Batch {
            tenant: &session.principal.tenant,
            now,
            durability: Durability::Power,
            changes: &[settled],
            records: &mut records,
        })?;
        tracing::debug!(receipts = receipts.len(), "an edit is recorded");
        Ok(())
    }

    /// Keeps a yes for later calls of its shape, with a record that says so.
    fn remember(
        &self,
        standing: &StandingGrant,
        contract: Digest,
        question: Digest,
    ) -> Result<(), StoreError> {
        let session = self.session;
        let store = self.store.as_ref().map_err(Clone::clone)?;
        let now = session.clock.now();
        let pinned = serde_json::to_string(standing.pinned()).unwrap_or_default();
        let rules = serde_json::to_string(standing.rules()).unwrap_or_default();
        let mut records = PendingRecords::default();
        records.push(&Entry {
            task: Some(&session.task.id),
            step: self.here().step,
            tool: Some(standing.tool()),
            contract: Some(contract),
            approval: Some(ApprovalNote {
                id: standing.id(),
                by: Some(session.operator.as_str()),
                how: "terminal",
                answer: "approved",
                question: Some(question),
            }),
            ..Entry::new(RecordKind::Standing, now, &session.principal)
        })?;
        let change = Change::Remember(NewStanding {
            id: standing.id(),
            principal: &session.principal,
            task: &session.task.id,
            workspace: standing.workspace().as_os_str().as_bytes(),
            tool: standing.tool(),
            contract,
            pinned: &pinned,
            rules: &rules,
            expires: standing.expires(),
            max_uses: Some(StandingGrant::USES),
        });
        let receipts = store.borrow_mut().append(&mut Batch {
            tenant: &session.principal.tenant,
            now,
            durability: Durability::Power,
            changes: &[change],
            records: &mut records,
        })?;
        tracing::debug!(receipts = receipts.len(), "an answer is remembered");
        Ok(())
    }

    /// Answers at once, since nobody is here to ask: with what was said about this very call before, else by storing the
    /// question.
    pub(super) fn queue(&self, origin: Origin, pending: Box<PendingCall>, question: &Question) -> Reaction {
        match self.answered_before(&pending) {
            Earlier::Nothing => self.store_question(origin, pending, question),
            Earlier::Waits(stored) => {
                let mut error = self.asks(&pending, question, &stored.id);
                if let Some(given) = given(&stored, &self.session.approvers) {
                    error.message.push_str(&format!("; so far {given}"));
                }
                let awaits = self.awaiting(&pending, &stored.id, stored.expires);
                let redactor = self.redactor.borrow();
                let mut finished =
                    Box::new(Finished::refused(origin, Subject::Pending(pending), error, &redactor));
                finished.awaits = Some(awaits);
                Reaction::Refused(finished)
            }
            Earlier::Ended(error) => self.unasked(origin, pending, *error),
        }
    }

    /// What the model is told of a question that waits.
    fn asks(&self, pending: &PendingCall, question: &Question, id: &str) -> CallError {
        let why = match question.signed_by() {
            Some(who) => format!("needs signed answers, {who}"),
            None => "needs a person's approval, and no terminal is attached".to_owned(),
        };
        let signs = if question.signed_by().is_some() { " --as NAME --key FILE" } else { "" };
        CallError::new(
            ErrorCode::ApprovalRequired,
            format!("`{}` {why}: {}", pending.call().contract().name, pending.decision().reason()),
        )
        .with_hint(format!(
            "a person sees the question with `tgw approvals show {id}` and answers it with `tgw approvals approve {id}{signs}` or \
             `deny`; then send the same call again, or `tgw approvals run {id}` runs it"
        ))
    }

    /// Stores the question.
    fn store_question(&self, origin: Origin, pending: Box<PendingCall>, question: &Question) -> Reaction {
        let now = self.session.clock.now();
        let id = match ApprovalId::random() {
            Ok(id) => id,
            Err(error) => return self.unasked(origin, pending, error),
        };
        let error = self.asks(&pending, question, id.as_str());
        let stored = {
            let rendered = render_question(question, Extent::Whole, STORED_WIDTH, false, true);
            let subject = pending.subject(&self.facts(), self.session.workspace.root());
            PendingApproval::new(id, pending.call().id(), &subject, self.here().task, &rendered, now)
        };
        self.asked.borrow_mut().insert(stored.id().to_owned());
        let awaits = self.awaiting(&pending, stored.id(), stored.expires());
        let mut finished =
            Box::new(Finished::refused(origin, Subject::Pending(pending), error, &self.redactor.borrow()));
        finished.awaits = Some(awaits);
        finished.question = Some(Box::new(stored));
        Reaction::Refused(finished)
    }

    /// What the call has in common with the same call sent again.
    fn likeness(&self, pending: &PendingCall) -> Likeness {
        let subject = pending.subject(&self.facts(), self.session.workspace.root());
        Likeness::compute(&subject)
    }
}
