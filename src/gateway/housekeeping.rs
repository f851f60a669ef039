//! Marking and dropping what has ended: a bounded amount of it, and never before its end.

use crate::audit::{ApprovalNote, Entry, PendingRecords, RecordKind};
use crate::state::{Answer, ApprovalState, Batch, Change, Durability, Store, StoreError};

use super::Gateway;

/// Most questions whose end is marked at once.
const MOST_MARKED: usize = 64;

/// Most rows of a kind that are dropped with the first answer of a run.
const MOST_DROPPED_FIRST: usize = 256;

/// Most rows of a kind that are dropped at the end of a run.
const MOST_DROPPED_LAST: usize = 10_000;

/// What the record says of a question that nobody answered.
const NOBODY: &str = "gateway";

impl Gateway<'_> {
    /// Ends the upstream servers, waits for notices that are on their way, drops what has ended, and sends what is left of telemetry, at the end of a run.
    pub fn close(&self) {
        self.servers.close();
        self.notifier.borrow_mut().close();
        self.drop_ended(MOST_DROPPED_LAST);
        self.telemetry.close();
    }

    /// Once in a run, after the first answers: a run that is killed has no end to do it at.
    pub(super) fn tidy(&self) {
        if self.tidied.replace(true) {
            return;
        }
        if let Err(error) = self.mark_expired() {
            tracing::warn!(%error, "the end of old questions could not be recorded");
        }
        if let Err(error) = self.lose_overdue() {
            tracing::warn!(%error, "effects that were lost could not be recorded");
        }
        self.drop_ended(MOST_DROPPED_FIRST);
    }

    fn drop_ended(&self, most: usize) {
        let Ok(store) = &self.store else { return };
        if let Err(error) = store.borrow_mut().purge(self.session.clock.now(), most) {
            tracing::warn!(%error, "what has ended could not be dropped");
        }
    }

    /// Marks the questions that nobody answered in time, with a record that says so. Their end is final.
    fn mark_expired(&self) -> Result<(), StoreError> {
        let store = self.store.as_ref().map_err(Clone::clone)?;
        let now = self.session.clock.now();
        let tenant = &self.session.principal.tenant;
        let overdue = store.borrow().overdue_approvals(tenant, now, MOST_MARKED)?;
        if overdue.is_empty() {
            return Ok(());
        }
        let mut records = PendingRecords::default();
        let mut changes = Vec::new();
        for question in &overdue {
            records.push(&Entry {
                task: Some(&question.task),
                step: question.step.as_ref(),
                tool: Some(&question.tool),
                approval: Some(ApprovalNote {
                    id: &question.id,
                    by: None,
                    how: "queue",
                    answer: ApprovalState::Expired.as_str(),
                    question: Some(question.question),
                }),
                ..Entry::new(RecordKind::Approval, now, &question.principal)
            })?;
            changes.push(Change::AnswerApproval(Answer {
                id: &question.id,
                state: ApprovalState::Expired,
                question: question.question,
                by: NOBODY,
                feedback: None,
            }));
        }
        let marked = store.borrow_mut().append(&mut Batch {
            tenant,
            now,
            durability: Durability::Kill,
            changes: &changes,
            records: &mut records,
        });
        match marked {
            Ok(receipts) => {
                tracing::debug!(receipts = receipts.len(), "the end of old questions is recorded")
            }
            // Another process was faster.
            Err(StoreError::Refused(refusal)) => tracing::debug!(%refusal, "nothing was left to mark"),
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
