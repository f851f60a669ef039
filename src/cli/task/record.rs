//! The record of a task that is started, moved, ended or kept out.

use crate::audit::{ApprovalNote, Entry, PendingRecords, RecordKind};
use crate::clock::Clock;
use crate::code::{ErrorCode, Status};
use crate::ident::{Principal, StepName, TaskId};
use crate::state::{ApprovalState, Batch, Change, Durability, SqlStore, Store, StoreError};

use super::enter::Passed;
use crate::cli::session::operating_system_user;

/// What the record of a change says.
pub(super) struct Record<'r> {
    pub(super) principal: &'r Principal,
    pub(super) task: &'r TaskId,
    pub(super) step: Option<&'r StepName>,
    pub(super) from: Option<&'r str>,
}

impl Record<'_> {
    /// Makes the change, and spends what let it through, in one transaction with its record.
    pub(super) fn commit(
        &self,
        store: &mut SqlStore,
        change: Change<'_>,
        passed: &Passed,
        what: &str,
    ) -> Result<(), StoreError> {
        let operator = operating_system_user();
        let mut notes = vec![("task", what)];
        notes.extend(self.from.map(|from| ("from", from)));
        let plain = ApprovalNote {
            id: self.task.as_str(),
            by: Some(&operator),
            how: "command",
            answer: what,
            question: None,
        };
        let (note, more) = match passed {
            Passed::Open => (plain, None),
            // The same question may wait for somebody else.
            Passed::AtTerminal { question, binding } => (
                ApprovalNote { how: "terminal", question: Some(*question), ..plain },
                Some(Change::SettleLike {
                    likeness: binding.0,
                    state: ApprovalState::Approved,
                    by: &operator,
                }),
            ),
            Passed::WithAnswers(grant) => {
                notes.push(("by", &operator));
                (
                    ApprovalNote {
                        id: grant.id(),
                        by: Some(grant.by()),
                        how: "queue",
                        answer: what,
                        question: Some(grant.question()),
                    },
                    Some(Change::SpendApproval { id: grant.id(), binding: grant.binding().0 }),
                )
            }
        };
        // What is spent comes first: of two that would use one answer the second is told so.
        let changes: Vec<Change<'_>> = more.into_iter().chain([change]).collect();
        let entry =
            Entry { approval: Some(note), status: Some(Status::Succeeded), notes: &notes, ..self.entry() };
        append(store, self.principal, &changes, &entry)
    }

    /// Puts a refusal on record.
    pub(super) fn refuse(&self, store: &mut SqlStore, code: ErrorCode, why: &str) -> Result<(), StoreError> {
        let operator = operating_system_user();
        let mut notes = vec![("task", "refused"), ("error", why)];
        notes.extend(self.from.map(|from| ("from", from)));
        let entry = Entry {
            approval: Some(ApprovalNote {
                id: self.task.as_str(),
                by: Some(&operator),
                how: "command",
                answer: "denied",
                question: None,
            }),
            status: Some(code.status()),
            code: Some(code.as_str()),
            notes: &notes,
            ..self.entry()
        };
        append(store, self.principal, &[], &entry)
    }

    fn entry(&self) -> Entry<'_> {
        Entry {
            task: Some(self.task),
            step: self.step,
            ..Entry::new(RecordKind::Task, Clock::System.now(), self.principal)
        }
    }
}

/// Writes one record with its changes.
pub(super) fn append(
    store: &mut SqlStore,
    principal: &Principal,
    changes: &[Change<'_>],
    entry: &Entry<'_>,
) -> Result<(), StoreError> {
    let mut records = PendingRecords::default();
    records.push(entry)?;
    store
        .append(&mut Batch {
            tenant: &principal.tenant,
            now: entry.at,
            durability: Durability::Power,
            changes,
            records: &mut records,
        })
        .map(drop)
}
