//! The record that must exist before an effect begins.

use crate::approval::{Grant, GrantSource, Likeness};
use crate::audit::{ApprovalNote, Entry, PendingRecords, RecordKind};
use crate::authorize::{AuthorizedCall, Consent, Journal};
use crate::catalog::{Digest, SandboxLevel};
use crate::code::{CallError, Effect};
use crate::ident::CallId;
use crate::secret::CredentialUse;
use crate::state::{ApprovalState, Batch, Change, Durability, Refusal, Store, StoreError};

use super::Gateway;
use super::budgets::spent_text;
use super::commit::{evidence, rules};
use super::pass::credential_notes;
use super::reservation::Reservation;

/// Writes the intent of one call: the consent is spent and the record is made in one durable transaction.
pub(super) struct IntentJournal<'j, 's> {
    gateway: &'j Gateway<'s>,
    sandbox: Option<SandboxLevel>,
    credentials: &'j [CredentialUse],
    reservation: Option<&'j Reservation>,
    parent: Option<&'j CallId>,
    overtaken: bool,
}

impl Journal for IntentJournal<'_, '_> {
    fn record_intent(&mut self, call: &AuthorizedCall) -> Result<Digest, CallError> {
        self.write(call).map_err(|error| {
            self.overtaken = matches!(
                error,
                StoreError::Refused(Refusal::KeyTaken | Refusal::BudgetExceeded | Refusal::TaskMoved)
            );
            if self.overtaken {
                tracing::debug!(%error, "something else was faster");
            } else {
                tracing::error!(%error, "an intent could not be written");
            }
            error.call_error()
        })
    }
}

impl<'j, 's> IntentJournal<'j, 's> {
    pub(super) fn new(
        gateway: &'j Gateway<'s>,
        sandbox: Option<SandboxLevel>,
        credentials: &'j [CredentialUse],
        reservation: Option<&'j Reservation>,
    ) -> Self {
        Self { gateway, sandbox, credentials, reservation, parent: None, overtaken: false }
    }

    /// The same for a call that the gateway makes itself, for the sake of another.
    pub(super) fn made_for(mut self, call: &'j CallId) -> Self {
        self.parent = Some(call);
        self
    }

    /// Whether nothing was written because something else was faster: another call holds the effect key or took what was left
    /// of a budget, or the task was moved. The call is to be decided again.
    pub(super) fn was_overtaken(&self) -> bool {
        self.overtaken
    }
}

impl IntentJournal<'_, '_> {
    fn write(&self, authorized: &AuthorizedCall) -> Result<Digest, StoreError> {
        let gateway = self.gateway;
        let session = gateway.session;
        let store = gateway.store.as_ref().map_err(Clone::clone)?;
        let now = session.clock.now();
        let call = authorized.call();
        let redactor = gateway.redactor.borrow();
        let arguments = serde_json::to_string(call.arguments()).unwrap_or_default();
        let plan = serde_json::to_string(call.plan()).unwrap_or_default();
        let (shown_arguments, shown_plan) = (redactor.text(&arguments), redactor.text(&plan));
        let rules = rules(authorized.decision());
        let credentials = credential_notes(self.credentials);
        let (spent, by, note) = match authorized.consent() {
            Consent::None => (None, "", None),
            Consent::Grant(grant) => (
                Some(spending(grant)),
                grant.by(),
                Some(ApprovalNote {
                    id: grant.id(),
                    by: Some(grant.by()),
                    how: match grant.source() {
                        GrantSource::Terminal => "terminal",
                        GrantSource::Stored => "queue",
                    },
                    answer: "approved",
                    question: Some(grant.question()),
                }),
            ),
            Consent::Standing(standing) => (
                Some(Change::UseStanding { id: standing.id() }),
                standing.id(),
                Some(ApprovalNote {
                    id: standing.id(),
                    by: None,
                    how: "standing",
                    answer: "approved",
                    question: None,
                }),
            ),
        };
        // The same call may wait as a stored question: it runs now, so that one is answered.
        let settled = spent.map(|_| {
            let subject = authorized.subject(&gateway.facts(), session.workspace.root());
            let likeness = Likeness::compute(&subject).0;
            Change::SettleLike { likeness, state: ApprovalState::Approved, by }
        });
        // The key comes first: where another holds it, nothing else is said of the call.
        let reserved = self.reservation.map(|reservation| reservation.change(gateway, call));
        let source = match self.reservation {
            Some(reservation) => reservation.id.clone(),
            None if authorized.spends().is_empty() => String::new(),
            None => gateway.random.borrow_mut().id("u_")?,
        };
        let taken = gateway.taking(authorized, &source, now);
        // A look-up settles what began elsewhere in the task, and changes nothing.
        let still = gateway.standing_still().filter(|_| self.parent.is_none());
        let changes: Vec<Change<'_>> =
            still.into_iter().chain(reserved).chain(taken).chain(spent).chain(settled).collect();
        let spent_text = spent_text(authorized);
        let notes = [("budgets", spent_text.as_str())];
        let mut records = PendingRecords::default();
        records.push(&Entry {
            task: Some(&session.task.id),
            step: gateway.here().step,
            call: Some(call.id().as_str()),
            parent: self.parent.map(CallId::as_str),
            tool: Some(call.contract().name.as_str()),
            contract: Some(call.contract().digest),
            verdict: Some(authorized.decision().verdict),
            rules: &rules,
            arguments: evidence(Some(&arguments), Some(&shown_arguments)),
            plan: evidence(Some(&plan), Some(&shown_plan)),
            sandbox: self.sandbox,
            credentials: &credentials,
            approval: note,
            effect: Some(Effect::Possible),
            ledger: self.reservation.map(Reservation::note),
            notes: if spent_text.is_empty() { &[] } else { &notes },
            ..Entry::new(RecordKind::Intent, now, &session.principal)
        })?;
        let receipts = store.borrow_mut().append(&mut Batch {
            tenant: &session.principal.tenant,
            now,
            durability: Durability::Power,
            changes: &changes,
            records: &mut records,
        })?;
        receipts
            .first()
            .map(|receipt| receipt.hash)
            .ok_or_else(|| StoreError::Unavailable("the store gave no receipt".to_owned()))
    }
}

/// What a grant is marked as spent by: the question that holds it, or its own id.
fn spending(grant: &Grant) -> Change<'_> {
    match grant.source() {
        GrantSource::Terminal => Change::SpendGrant { id: grant.id(), expires: grant.expires() },
        GrantSource::Stored => Change::SpendApproval { id: grant.id(), binding: grant.binding().0 },
    }
}
