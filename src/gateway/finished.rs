//! A call at its end: what it was, and what became of it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::approval::{Likeness, PendingApproval};
use crate::authorize::{AuthorizedCall, DeniedCall, HeldCall, PendingCall, UnmetCall};
use crate::catalog::{Contract, Digest, SandboxLevel};
use crate::clock::Timestamp;
use crate::code::CallError;
use crate::execute::SpentCall;
use crate::ident::{CallId, StepName};
use crate::policy::Decision;
use crate::present::{Claim, Presented, refuse};
use crate::secret::{CredentialUse, Redactor};
use crate::state::{EffectState, Pursuit};
use crate::text::json_text;
use crate::validate::{Plan, Rejected, ValidatedCall};
use crate::wire::{CallRequest, Incoming, Shape};

use super::verify::Verification;

/// Where a result goes: the call's id, and the format it came in.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The call's id.
    pub id: CallId,
    /// The tool as the call wrote it.
    pub tool: Option<String>,
    /// The format.
    pub shape: Shape,
    /// The id as the format wrote it, where it differs.
    pub rpc_id: Option<Value>,
}

impl Origin {
    /// Of what came in, call or not.
    #[must_use]
    pub fn of(incoming: &Incoming) -> Self {
        Self {
            id: incoming.id.clone(),
            tool: incoming.name.clone(),
            shape: incoming.shape,
            rpc_id: incoming.rpc_id.clone(),
        }
    }

    /// Of a request.
    #[must_use]
    pub fn of_request(request: &CallRequest) -> Self {
        Self {
            id: request.id.clone(),
            tool: Some(request.name.clone()),
            shape: request.shape,
            rpc_id: request.rpc_id.clone(),
        }
    }

    /// Of a validated call.
    pub(super) fn of_call(call: &ValidatedCall) -> Self {
        let (shape, rpc_id) = call.shape();
        Self {
            id: call.id().clone(),
            tool: Some(call.contract().name.to_string()),
            shape,
            rpc_id: rpc_id.cloned(),
        }
    }
}

/// How far a call came, with what is known about it there.
pub(super) enum Subject {
    /// It was no call, or named no tool.
    None,
    /// Its tool exists and is not visible, or the call expected another risk.
    Contract(Arc<Contract>),
    /// Its arguments do not hold.
    Rejected(Box<Rejected>),
    /// Scope and arguments hold, and the policy denies.
    Denied(Box<DeniedCall>),
    /// The policy does not deny it, and something in the world stands in its way.
    Unmet(Box<UnmetCall>),
    /// A person was to be asked.
    Pending(Box<PendingCall>),
    /// The policy does not deny it, and the ledger knows its effect.
    Held(Box<HeldCall>),
    /// It was let through, and could not begin.
    Unstarted(Box<AuthorizedCall>),
    /// It ran.
    Spent(Box<SpentCall>),
}

impl Subject {
    pub(super) fn contract(&self) -> Option<&Arc<Contract>> {
        match self {
            Self::None => None,
            Self::Contract(contract) => Some(contract),
            Self::Rejected(rejected) => Some(rejected.contract()),
            Self::Denied(_)
            | Self::Unmet(_)
            | Self::Pending(_)
            | Self::Held(_)
            | Self::Unstarted(_)
            | Self::Spent(_) => self.call().map(ValidatedCall::contract),
        }
    }

    pub(super) fn call(&self) -> Option<&ValidatedCall> {
        match self {
            Self::None | Self::Contract(_) | Self::Rejected(_) => None,
            Self::Denied(denied) => Some(denied.call()),
            Self::Unmet(unmet) => Some(unmet.call()),
            Self::Pending(pending) => Some(pending.call()),
            Self::Held(held) => Some(held.call()),
            Self::Unstarted(authorized) => Some(authorized.call()),
            Self::Spent(spent) => Some(spent.call()),
        }
    }

    pub(super) fn decision(&self) -> Option<&Decision> {
        match self {
            Self::None | Self::Contract(_) | Self::Rejected(_) => None,
            Self::Denied(denied) => Some(denied.decision()),
            Self::Unmet(unmet) => Some(unmet.decision()),
            Self::Pending(pending) => Some(pending.decision()),
            Self::Held(held) => Some(held.decision()),
            Self::Unstarted(authorized) => Some(authorized.decision()),
            Self::Spent(spent) => Some(spent.decision()),
        }
    }

    /// The arguments as JSON text: the effective ones where validation got that far.
    pub(super) fn arguments(&self) -> Option<String> {
        match self {
            Self::Rejected(rejected) => Some(json_text(rejected.arguments())),
            Self::None | Self::Contract(_) => None,
            Self::Denied(_)
            | Self::Unmet(_)
            | Self::Pending(_)
            | Self::Held(_)
            | Self::Unstarted(_)
            | Self::Spent(_) => self.call().map(|call| json_text(call.arguments())),
        }
    }

    pub(super) fn plan(&self) -> Option<&Plan> {
        self.call().map(ValidatedCall::plan)
    }

    /// Whether the intent is on record already.
    pub(super) fn intent(&self) -> Option<Digest> {
        match self {
            Self::Spent(spent) => spent.intent(),
            Self::None
            | Self::Contract(_)
            | Self::Rejected(_)
            | Self::Denied(_)
            | Self::Unmet(_)
            | Self::Pending(_)
            | Self::Held(_)
            | Self::Unstarted(_) => None,
        }
    }
}

/// What a person said to a question, for the record.
pub(super) struct AnswerNote {
    pub(super) id: String,
    pub(super) answer: &'static str,
    pub(super) question: Digest,
    pub(super) by: String,
    pub(super) feedback: Option<String>,
}

/// An effect of the ledger, as a call at its end knows it.
pub(super) struct LedgerEntry {
    pub(super) id: String,
    pub(super) attempt: u64,
    /// Its state, where the call found it so rather than made it so.
    pub(super) found: Option<EffectState>,
}

/// An effect that goes on after its call was answered.
pub(super) struct Begun {
    pub(super) pursuit: Pursuit,
    /// When it is looked at next.
    pub(super) due: Timestamp,
    /// When it counts as not known.
    pub(super) deadline: Timestamp,
    /// What is to be verified, where that rests on what is hidden in the kept value.
    pub(super) claim: Option<Arc<Claim>>,
}

/// A call at its end. It is answered once its record is committed.
pub struct Finished {
    pub(super) origin: Origin,
    pub(super) subject: Subject,
    pub(super) presented: Presented,
    /// The step that the call ran in.
    pub(super) step: Option<StepName>,
    pub(super) sandbox: Option<SandboxLevel>,
    pub(super) credentials: Vec<CredentialUse>,
    pub(super) reference: Option<String>,
    pub(super) question: Option<Box<PendingApproval>>,
    pub(super) answer: Option<AnswerNote>,
    pub(super) elapsed: Option<Duration>,
    pub(super) stop: bool,
    /// The effect of the ledger that it is about.
    pub(super) ledger: Option<LedgerEntry>,
    /// Whether it was answered with the recorded outcome of an earlier call.
    pub(super) replayed: bool,
    /// The call that it was made for, where the gateway made it itself.
    pub(super) parent: Option<CallId>,
    /// What is left to do about its effect, which goes on elsewhere.
    pub(super) begun: Option<Begun>,
    /// What the last look at its effect saw, where one was made.
    pub(super) verification: Option<Verification>,
    /// Questions about the same call that its end answers with no.
    pub(super) settles: Option<Likeness>,
    /// What it waits for, where a person's answer may yet come.
    pub(super) awaits: Option<Box<Awaited>>,
    /// Whether it was answered `input_required` before.
    resolved: bool,
    edited: bool,
}

/// A call that was answered `input_required`, and the question that it waits for.
#[derive(Debug)]
pub struct Awaited {
    /// The approval's id.
    pub id: String,
    /// The call, as it is sent through the pipeline again.
    pub request: CallRequest,
    /// The contract that it was asked under.
    pub contract: Digest,
    /// When the question ends.
    pub expires: Timestamp,
}

impl Finished {
    pub(super) fn new(origin: Origin, subject: Subject, presented: Presented) -> Self {
        Self {
            origin,
            subject,
            presented,
            step: None,
            sandbox: None,
            credentials: Vec::new(),
            reference: None,
            question: None,
            answer: None,
            elapsed: None,
            stop: false,
            ledger: None,
            replayed: false,
            parent: None,
            begun: None,
            verification: None,
            settles: None,
            awaits: None,
            resolved: false,
            edited: false,
        }
    }

    pub(super) fn refused(
        mut origin: Origin,
        subject: Subject,
        error: CallError,
        redactor: &Redactor,
    ) -> Self {
        // A name that no contract has is the model's own text, like any other.
        if subject.contract().is_none() {
            origin.tool = origin.tool.map(|written| redactor.text(&written).into_owned());
        }
        Self::new(origin, subject, refuse(error, redactor))
    }

    /// Says in the result, once, that the arguments are not the ones that the model sent, where they are not.
    #[must_use]
    pub fn with_edit(mut self: Box<Self>, edited: bool) -> Box<Self> {
        if edited && !std::mem::replace(&mut self.edited, true) {
            self.presented.warn("a person changed the arguments of this call before it was decided");
        }
        self
    }

    /// Says that the call was answered `input_required` before, so that this is an event and no answer.
    #[must_use]
    pub fn as_resolved(mut self: Box<Self>) -> Box<Self> {
        self.resolved = true;
        self
    }

    pub(super) fn is_resolved(&self) -> bool {
        self.resolved
    }

    /// The tool's name as the call wrote it.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.origin.tool.as_deref()
    }

    /// The call's id.
    #[must_use]
    pub fn id(&self) -> &CallId {
        &self.origin.id
    }

    /// What the model and the person see of it.
    #[must_use]
    pub fn presented(&self) -> &Presented {
        &self.presented
    }

    /// What the call is about, for a heading: redacted and escaped. It is made when someone looks.
    #[must_use]
    pub fn headline(&self, redactor: &Redactor) -> Option<String> {
        self.subject.call().and_then(|call| crate::present::subject(call.arguments(), redactor))
    }

    /// The contract, where the call got that far.
    #[must_use]
    pub fn contract(&self) -> Option<&Arc<Contract>> {
        self.subject.contract()
    }

    /// How long it ran, without the time that a person took; `None` where nothing ran.
    #[must_use]
    pub fn elapsed(&self) -> Option<Duration> {
        self.elapsed
    }

    /// The reference under which its value is kept.
    #[must_use]
    pub fn reference(&self) -> Option<&str> {
        self.reference.as_deref()
    }

    /// Whether a person was asked, or would have had to be.
    #[must_use]
    pub fn was_asked(&self) -> bool {
        self.question.is_some()
            || self.answer.is_some()
            || matches!(&self.subject, Subject::Spent(spent) if spent.was_asked())
    }

    /// Whether the person said to stop everything.
    #[must_use]
    pub fn stops_the_run(&self) -> bool {
        self.stop
    }
}
