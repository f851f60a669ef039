//! Asking a person about a call, and what their answer makes of it.

use std::time::Duration;

use serde_json::Value;

use crate::approval::{
    Answer, Answered, ApprovalId, AskRequest, CancelCause, Extent, Grant, GrantId, PendingApproval, Place,
    Question, StandingGrant, cancellation, render_question,
};
use crate::audit::{ApprovalNote, Entry, PendingRecords, RecordKind};
use crate::authorize::{Consent, PendingCall};
use crate::catalog::Digest;
use crate::code::{CallError, ErrorCode};
use crate::execute::{CancelToken, resolve_profile};
use crate::state::{Batch, Change, Durability, NewStanding, Store, StoreError};
use crate::wire::CallRequest;

use super::commit::{evidence, rules};
use super::finished::{AnswerNote, Finished, Origin, Subject};
use super::run::starts_program;
use super::{Admission, Gateway};

/// How long a question stands in a terminal where no rule says otherwise.
const TERMINAL_STANDS: Duration = Duration::from_secs(60 * 60);

/// The width of a question that is stored rather than shown.
const STORED_WIDTH: usize = 100;

/// What a person's answer makes of a call.
pub enum Asked {
    /// It may be authorized again, with this consent.
    Consented {
        /// The call.
        pending: Box<PendingCall>,
        /// The consent.
        consent: Box<Consent>,
    },
    /// The person changed the arguments: another call, which goes through the whole pipeline.
    Edited(Box<CallRequest>),
    /// It ends here.
    Refused(Box<Finished>),
    /// It ends here, and so does the run.
    Stopped(Box<Finished>),
}

impl Gateway<'_> {
    /// Asks about a call until there is a clear answer, and runs it with a yes.
    pub async fn ask_and_run(&self, pending: Box<PendingCall>, cancel: CancelToken) -> Box<Finished> {
        let mut pending = pending;
        let mut edited = false;
        loop {
            // An edited call, or one that changed meanwhile, is decided and asked about like any other.
            let admission = match self.ask(pending, &cancel).await {
                Asked::Consented { pending, consent } => self.readmit(pending.into_call(), *consent),
                Asked::Edited(request) => {
                    edited = true;
                    self.admit(*request, Consent::None)
                }
                Asked::Refused(finished) | Asked::Stopped(finished) => return marked(finished, edited),
            };
            match admission {
                Admission::Finished(finished) => return marked(finished, edited),
                Admission::Ready { call, .. } => return marked(self.run(call, cancel).await, edited),
                Admission::Ask(again) => pending = again,
            }
        }
    }

    /// Asks about a call: in the terminal, or, where nobody can answer there, by storing the question.
    pub async fn ask(&self, pending: Box<PendingCall>, cancel: &CancelToken) -> Asked {
        let origin = Origin::of_call(pending.call());
        if cancel.is_cancelled() {
            let error =
                CallError::new(ErrorCode::Cancelled, "the call was stopped before a person was asked");
            return self.unasked(origin, pending, error);
        }
        let place = match self.place(&pending) {
            Ok(place) => place,
            Err(error) => return self.unasked(origin, pending, error),
        };
        let question = {
            let subject = pending.subject(&self.facts, self.session.workspace.root());
            Question::new(&subject, place, &self.redactor.borrow())
        };
        if question.signed_by().is_some() || self.interaction.is_none() {
            return self.store_question(origin, pending, &question);
        }
        let stands =
            pending.decision().approval().and_then(|demand| demand.terms.expires).unwrap_or(TERMINAL_STANDS);
        match self.prompt(question, pending.call().arguments().clone(), stands, cancel).await {
            Ok(answered) if cancel.is_cancelled() && !answered.answer.is_yes() => {
                let error =
                    CallError::new(ErrorCode::Cancelled, "the call was stopped while a person was asked");
                self.unasked(origin, pending, error)
            }
            Ok(answered) => self.answered(origin, pending, &answered),
            Err(error) => self.unasked(origin, pending, error),
        }
    }

    /// Where the call would run.
    fn place(&self, pending: &PendingCall) -> Result<Option<Place>, CallError> {
        if !starts_program(pending.call().plan()) {
            return Ok(None);
        }
        let environment = &pending.decision().environment;
        let profile = resolve_profile(pending.call().contract(), environment, self.session.capability())?;
        Ok(Some(Place { sandbox: profile.level(), network: profile.network() }))
    }

    /// Prompts on a thread of its own, since a terminal is read by waiting; the answer's time is decided here.
    async fn prompt(
        &self,
        question: Question,
        arguments: Value,
        stands: Duration,
        cancel: &CancelToken,
    ) -> Result<Answered, CallError> {
        let internal = || CallError::new(ErrorCode::Internal, "the question could not be asked");
        let Some(interaction) = self.interaction.clone() else { return Err(internal()) };
        let (handle, cancellation) = cancellation().map_err(|_| internal())?;
        self.asking.set(true);
        let mut prompt = tokio::task::spawn_blocking(move || {
            interaction.ask(&AskRequest { question: &question, arguments: &arguments }, &cancellation)
        });
        let ended = tokio::select! {
            ended = &mut prompt => ended,
            () = tokio::time::sleep(stands) => {
                handle.cancel(CancelCause::Expired);
                prompt.await
            }
            () = cancel.cancelled() => {
                handle.cancel(CancelCause::Stopped);
                prompt.await
            }
        };
        self.asking.set(false);
        ended.map_err(|_| internal())
    }

    /// What an answer makes of the call.
    fn answered(&self, origin: Origin, pending: Box<PendingCall>, answered: &Answered) -> Asked {
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
            return Asked::Edited(Box::new(CallRequest {
                id: origin.id,
                name: pending.call().contract().name.to_string(),
                arguments: arguments.clone(),
                expects: None,
                shape: origin.shape,
                rpc_id: origin.rpc_id,
            }));
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
            let mut finished = Box::new(Finished::refused(
                origin,
                Subject::Pending(pending),
                error,
                &self.redactor.borrow(),
            ));
            finished.answer = Some(note);
            finished.stop = stop;
            return if stop { Asked::Stopped(finished) } else { Asked::Refused(finished) };
        }
        let (grant, standing) = {
            let subject = pending.subject(&self.facts, self.session.workspace.root());
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
        Asked::Consented { pending, consent: Box::new(Consent::Grant(grant)) }
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
            step: session.step.as_ref(),
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
        let receipts = store.borrow_mut().append(&mut Batch {
            tenant: &session.principal.tenant,
            now,
            durability: Durability::Power,
            changes: &[],
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
            step: session.step.as_ref(),
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

    /// Stores the question and answers at once: nobody is here to ask.
    fn store_question(&self, origin: Origin, pending: Box<PendingCall>, question: &Question) -> Asked {
        let now = self.session.clock.now();
        let id = match ApprovalId::random() {
            Ok(id) => id,
            Err(error) => return self.unasked(origin, pending, error),
        };
        let why = match question.signed_by() {
            Some(who) => format!("needs signed answers of {who}, which are not supported yet"),
            None => "needs a person's approval, and no terminal is attached".to_owned(),
        };
        let error = CallError::new(
            ErrorCode::ApprovalRequired,
            format!("`{}` {why}: {}", pending.call().contract().name, pending.decision().reason()),
        )
        .with_hint(format!(
            "a person sees the question with `tgw approvals show {id}`, and is asked when the call is sent from a terminal"
        ));
        let stored = {
            let rendered = render_question(question, Extent::Whole, STORED_WIDTH, false, true);
            let subject = pending.subject(&self.facts, self.session.workspace.root());
            PendingApproval::new(id, pending.call().id(), &subject, &rendered, now)
        };
        let mut finished =
            Box::new(Finished::refused(origin, Subject::Pending(pending), error, &self.redactor.borrow()));
        finished.question = Some(Box::new(stored));
        Asked::Refused(finished)
    }

    fn unasked(&self, origin: Origin, pending: Box<PendingCall>, error: CallError) -> Asked {
        let finished = Finished::refused(origin, Subject::Pending(pending), error, &self.redactor.borrow());
        Asked::Refused(Box::new(finished))
    }
}

/// Says in the result that the arguments are not the ones that the model sent.
fn marked(mut finished: Box<Finished>, edited: bool) -> Box<Finished> {
    if edited {
        finished.presented.warn("a person changed the arguments of this call before it was decided");
    }
    finished
}
