//! The record that must exist before an effect begins.

use crate::approval::Likeness;
use crate::audit::{ApprovalNote, Entry, PendingRecords, RecordKind};
use crate::authorize::{AuthorizedCall, Consent, Journal};
use crate::catalog::{Digest, SandboxLevel};
use crate::code::{CallError, Effect};
use crate::ident::CredentialName;
use crate::state::{ApprovalState, Batch, Change, Durability, Store, StoreError};

use super::Gateway;
use super::commit::{evidence, rules};

/// Writes the intent of one call: the consent is spent and the record is made in one durable transaction.
pub(super) struct IntentJournal<'j, 's> {
    pub(super) gateway: &'j Gateway<'s>,
    pub(super) sandbox: Option<SandboxLevel>,
    pub(super) credentials: &'j [CredentialName],
}

impl Journal for IntentJournal<'_, '_> {
    fn record_intent(&mut self, call: &AuthorizedCall) -> Result<Digest, CallError> {
        self.write(call).map_err(|error| {
            tracing::error!(%error, "an intent could not be written");
            error.call_error()
        })
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
        let credentials = gateway.credential_uses(self.credentials);
        let (spent, by, note) = match authorized.consent() {
            Consent::None => (None, "", None),
            Consent::Grant(grant) => (
                Some(Change::SpendGrant { id: grant.id(), expires: grant.expires() }),
                grant.by(),
                Some(ApprovalNote {
                    id: grant.id(),
                    by: Some(grant.by()),
                    how: "terminal",
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
            let subject = authorized.subject(&gateway.facts, session.workspace.root());
            let likeness = Likeness::compute(&subject, session.task.span).0;
            Change::SettleLike { likeness, state: ApprovalState::Approved, by }
        });
        let changes: Vec<Change<'_>> = spent.into_iter().chain(settled).collect();
        let mut records = PendingRecords::default();
        records.push(&Entry {
            task: Some(&session.task.id),
            step: session.step.as_ref(),
            call: Some(call.id().as_str()),
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
