//! Calls that wait for a person's answer while their stream goes on.

use crate::audit::{ApprovalNote, Entry, PendingRecords, RecordKind};
use crate::authorize::PendingCall;
use crate::clock::Timestamp;
use crate::code::{CallError, ErrorCode};
use crate::state::{Batch, Change, Durability, Receipt, Store, StoreError};
use crate::wire::CallRequest;

use super::Gateway;
use super::finished::{Awaited, Finished};

impl Gateway<'_> {
    /// Keeps, from here on, the calls whose questions are stored, for [`Gateway::take_awaited`].
    pub fn await_answers(&self) {
        self.awaited.borrow_mut().get_or_insert_default();
    }

    /// The calls whose questions were stored since the last look.
    #[must_use]
    pub fn take_awaited(&self) -> Vec<Awaited> {
        self.awaited.borrow_mut().as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Notes which calls wait now. A question that could not be recorded is none.
    pub(super) fn note_awaited(&self, finished: &mut [Box<Finished>], receipts: &[Receipt]) {
        let mut awaited = self.awaited.borrow_mut();
        let Some(awaited) = awaited.as_mut().filter(|_| !receipts.is_empty()) else { return };
        awaited.extend(finished.iter_mut().filter_map(|one| one.awaits.take()).map(|one| *one));
    }

    pub(super) fn awaiting(&self, pending: &PendingCall, id: &str, expires: Timestamp) -> Box<Awaited> {
        let call = pending.call();
        let (shape, rpc_id) = call.shape();
        let request = CallRequest {
            id: call.id().clone(),
            name: call.contract().name.to_string(),
            arguments: call.arguments().as_object().cloned().unwrap_or_default(),
            expects: None,
            shape,
            rpc_id: rpc_id.cloned(),
            traceparent: self.telemetry.stated(call.id()),
        };
        Box::new(Awaited { id: id.to_owned(), request, contract: call.contract().digest, expires })
    }

    /// Whether a question that is waited for has ended by this clock, whatever the store says.
    #[must_use]
    pub fn is_over(&self, awaited: &Awaited) -> bool {
        awaited.expires <= self.session.clock.now()
    }

    /// Why a call that waits may not go on where the task is now: the step was left that showed its tool, or the task ended.
    #[must_use]
    pub fn left_behind(&self, awaited: &Awaited) -> Option<CallError> {
        let contract = self.session.catalog.find(&awaited.request.name)?;
        // A store that cannot be read now says nothing about the task.
        self.out_of_place(contract).filter(|error| error.code == ErrorCode::PermissionDenied)
    }

    /// Takes a question back, since its call was cancelled: a yes that comes later must run nothing.
    ///
    /// # Errors
    /// Why it cannot be taken back; it was answered otherwise, or the store cannot be written.
    pub fn withdraw(&self, awaited: &Awaited) -> Result<(), StoreError> {
        let session = self.session;
        let store = self.store.as_ref().map_err(Clone::clone)?;
        let now = session.clock.now();
        let mut records = PendingRecords::default();
        records.push(&Entry {
            task: Some(&session.task.id),
            step: self.here().step,
            call: Some(awaited.request.id.as_str()),
            tool: Some(&awaited.request.name),
            contract: Some(awaited.contract),
            approval: Some(ApprovalNote {
                id: &awaited.id,
                by: None,
                how: "queue",
                answer: "revoked",
                question: None,
            }),
            ..Entry::new(RecordKind::Approval, now, &session.principal)
        })?;
        let receipts = store.borrow_mut().append(&mut Batch {
            tenant: &session.principal.tenant,
            now,
            durability: Durability::Power,
            changes: &[Change::WithdrawApproval { id: &awaited.id, by: "gateway" }],
            records: &mut records,
        })?;
        tracing::debug!(receipts = receipts.len(), "a question is taken back");
        Ok(())
    }
}
