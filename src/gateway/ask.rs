//! Asking a person about a call until there is a clear answer.

use std::time::Duration;

use serde_json::Value;

use crate::approval::{
    Answered, AskRequest, CancelCause, Checked, Place, Question, RefusedEdit, cancellation,
};
use crate::authorize::{Consent, PendingCall};
use crate::catalog::TaskSpan;
use crate::code::{CallError, ErrorCode};
use crate::execute::{CancelToken, resolve_profile};
use crate::telemetry::Phase;
use crate::validate::Timing;
use crate::wire::CallRequest;

use super::answer::Reaction;
use super::finished::{Finished, Origin, Subject};
use super::run::starts_program;
use super::{Admission, Gateway};

/// How long a question stands in a terminal where no rule says otherwise.
const TERMINAL_STANDS: Duration = Duration::from_secs(60 * 60);

/// Why a yes for the task is not offered about a call that names none.
const NOT_REMEMBERED: &str = "a yes cannot be remembered here: the call names no task, so nothing can come later in it \
                              (name one with `--task`)";

/// What a person's answer makes of a call.
pub enum Asked {
    /// It may be authorized again, with this consent.
    Consented {
        /// The call.
        pending: Box<PendingCall>,
        /// The consent.
        consent: Box<Consent>,
        /// What the person made of the request, where they changed the arguments.
        edited: Option<Box<CallRequest>>,
    },
    /// The person changed the arguments, and nobody need be asked about the call that came of it.
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
            // A call that changed meanwhile is decided and asked about like any other.
            let admission = match self.ask_at(Timing::Now, pending, &cancel).await {
                Asked::Consented { pending, consent, edited: changed } => {
                    edited |= changed.is_some();
                    self.readmit(pending.into_call(), *consent)
                }
                Asked::Edited(request) => {
                    edited = true;
                    self.admit(*request, Consent::None)
                }
                Asked::Refused(finished) | Asked::Stopped(finished) => return finished.with_edit(edited),
            };
            match admission {
                Admission::Finished(finished) => return finished.with_edit(edited),
                Admission::Ready { call, .. } => return self.run(call, cancel).await.with_edit(edited),
                Admission::Ask(again) => pending = again,
                Admission::Open(held) => {
                    return Box::pin(self.settle_and_run(held, cancel)).await.with_edit(edited);
                }
            }
        }
    }

    /// Asks about a call ahead of its turn, until there is a clear answer.
    pub async fn ask_ahead(&self, pending: Box<PendingCall>, cancel: &CancelToken) -> Asked {
        self.ask_at(Timing::Provisional, pending, cancel).await
    }

    /// Asks until the answer is one about a call that can run. A person who edits a call into one that is refused is told
    /// so at once and decides again: the model hears of the outcome only.
    async fn ask_at(&self, timing: Timing, pending: Box<PendingCall>, cancel: &CancelToken) -> Asked {
        let (mut pending, mut edited, mut refused) = (pending, None, None);
        loop {
            match self.ask_once(timing, pending, refused.take(), cancel).await {
                Reaction::Consented { pending, consent } => {
                    return Asked::Consented { pending, consent, edited };
                }
                Reaction::Edited { pending: before, request } => {
                    match self.admit_at(timing, (*request).clone(), Consent::None) {
                        Admission::Ready { .. } | Admission::Open(_) => return Asked::Edited(request),
                        Admission::Ask(changed) => {
                            pending = changed;
                            edited = Some(request);
                        }
                        Admission::Finished(finished) => {
                            pending = before;
                            refused = Some(refused_edit(&finished, &request));
                        }
                    }
                }
                Reaction::Refused(finished) => return Asked::Refused(finished.with_edit(edited.is_some())),
                Reaction::Stopped(finished) => return Asked::Stopped(finished.with_edit(edited.is_some())),
            }
        }
    }

    /// Asks about a call: in the terminal, or, where nobody can answer there, by storing the question.
    async fn ask_once(
        &self,
        timing: Timing,
        pending: Box<PendingCall>,
        refused: Option<RefusedEdit>,
        cancel: &CancelToken,
    ) -> Reaction {
        let origin = Origin::of_call(pending.call());
        if cancel.is_cancelled() {
            let error =
                CallError::new(ErrorCode::Cancelled, "the call was stopped before a person was asked");
            return self.unasked(origin, pending, error);
        }
        let checked = match timing {
            // An earlier call of the batch may yet make it hold.
            Timing::Provisional => self.foresee_preconditions(pending.call(), cancel).await,
            Timing::Now => match self.require(pending.call(), cancel).await {
                Ok(checked) => checked,
                Err(error) => return self.unmet(origin, pending, error),
            },
        };
        let question = match self.question(&pending, checked) {
            Ok(question) => question,
            Err(error) => return self.unasked(origin, pending, error),
        };
        if question.signed_by().is_some() || self.interaction.is_none() {
            return self.queue(origin, pending, &question);
        }
        let stands =
            pending.decision().approval().and_then(|demand| demand.expires).unwrap_or(TERMINAL_STANDS);
        let arguments = pending.call().arguments().clone();
        let stage = self.telemetry.enter(Phase::AwaitApproval);
        let answered = self.prompt(question, arguments, refused, stands, cancel).await;
        self.telemetry.leave(&origin.id, stage);
        match answered {
            Ok(answered) if cancel.is_cancelled() && !answered.answer.is_yes() => {
                let error =
                    CallError::new(ErrorCode::Cancelled, "the call was stopped while a person was asked");
                self.unasked(origin, pending, error)
            }
            Ok(answered) => self.answered(origin, pending, &answered),
            Err(error) => self.unasked(origin, pending, error),
        }
    }

    fn question(&self, pending: &PendingCall, checked: Vec<Checked>) -> Result<Question, CallError> {
        let place = self.place(pending)?;
        let subject = pending.subject(&self.facts(), self.session.workspace.root());
        let question = Question::new(&subject, place, &self.redactor.borrow()).noting(
            pending.doubts().iter().map(|doubt| format!("a remembered answer was not believed: {doubt}")).chain(
                self.open_attempt(pending.call()).map(|stored| {
                    format!(
                        "an earlier attempt under the same effect key may have had its effect: `tgw effects show {}`",
                        stored.id
                    )
                }),
            ),
        );
        let question = question.with_checks(checked);
        Ok(match self.session.task.span {
            TaskSpan::Stated | TaskSpan::Run => question,
            TaskSpan::Call => question.for_this_call_only(NOT_REMEMBERED),
        })
    }

    /// Where the call would run.
    fn place(&self, pending: &PendingCall) -> Result<Option<Place>, CallError> {
        if self.stand_in.is_some() || !starts_program(pending.call().plan()) {
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
        refused: Option<RefusedEdit>,
        stands: Duration,
        cancel: &CancelToken,
    ) -> Result<Answered, CallError> {
        let internal = || CallError::new(ErrorCode::Internal, "the question could not be asked");
        let Some(interaction) = self.interaction.clone() else { return Err(internal()) };
        let (handle, cancellation) = cancellation().map_err(|_| internal())?;
        self.asking.set(true);
        let mut prompt = tokio::task::spawn_blocking(move || {
            let request =
                AskRequest { question: &question, arguments: &arguments, refused: refused.as_ref() };
            interaction.ask(&request, &cancellation)
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

    /// A call that nobody is asked about, since what must hold before it does not.
    fn unmet(&self, origin: Origin, pending: Box<PendingCall>, error: CallError) -> Reaction {
        let error = self.not_begun(pending.call(), error);
        let subject = Subject::Unmet(Box::new(pending.unmet(error.clone())));
        Reaction::Refused(Box::new(Finished::refused(origin, subject, error, &self.redactor.borrow())))
    }

    pub(super) fn unasked(&self, origin: Origin, pending: Box<PendingCall>, error: CallError) -> Reaction {
        let error = self.not_begun(pending.call(), error);
        let finished = Finished::refused(origin, Subject::Pending(pending), error, &self.redactor.borrow());
        Reaction::Refused(Box::new(finished))
    }
}

/// What a person is told of the call that their edit made.
fn refused_edit(finished: &Finished, request: &CallRequest) -> RefusedEdit {
    let unknown = || CallError::new(ErrorCode::Internal, "the edited call was refused");
    RefusedEdit {
        arguments: Value::Object(request.arguments.clone()),
        error: finished.presented().error().cloned().unwrap_or_else(unknown),
    }
}
