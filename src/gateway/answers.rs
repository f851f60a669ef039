//! Answers to stored questions, written with their records.

use crate::approval::{Approvers, AskedQuestion, Said, SignedAnswers, StoredCall};
use crate::audit::{ApprovalNote, Entry, PendingRecords, RecordKind};
use crate::clock::Timestamp;
use crate::ident::{Tenant, UserName};
use crate::state::{
    Answer, ApprovalState, Batch, Change, Durability, Receipt, Refusal, SqlStore, Store, StoreError,
    StoredApproval,
};

use super::Gateway;

/// An answer, or a part of one, as it goes on record.
pub struct RecordedAnswer<'a> {
    /// Who gave it; `None` where nobody did.
    pub by: Option<&'a str>,
    /// Where it was given.
    pub how: &'a str,
    /// The word for it.
    pub answer: &'a str,
    /// What else is to be kept.
    pub notes: &'a [(&'a str, &'a str)],
    /// What it changes in the store.
    pub changes: &'a [Change<'a>],
}

/// Writes an answer with its record, in one transaction.
///
/// # Errors
/// As [`Store::append`]: a question that was answered meanwhile is refused.
pub fn record_answer(
    store: &mut SqlStore,
    tenant: &Tenant,
    question: &StoredApproval,
    recorded: &RecordedAnswer<'_>,
    now: Timestamp,
) -> Result<Option<Receipt>, StoreError> {
    let call = StoredCall::from_json(&question.call, question.question).ok();
    let mut records = PendingRecords::default();
    records.push(&Entry {
        task: Some(&question.task),
        step: question.step.as_ref(),
        call: call.as_ref().and_then(StoredCall::call_id),
        tool: Some(&question.tool),
        contract: call.as_ref().filter(|call| call.call_id().is_some()).map(|call| call.contract),
        approval: Some(ApprovalNote {
            id: &question.id,
            by: recorded.by,
            how: recorded.how,
            answer: recorded.answer,
            question: Some(question.question),
        }),
        notes: recorded.notes,
        ..Entry::new(RecordKind::Approval, now, &question.principal)
    })?;
    let receipts = store.append(&mut Batch {
        tenant,
        now,
        durability: Durability::Power,
        changes: recorded.changes,
        records: &mut records,
    })?;
    Ok(receipts.into_iter().next())
}

/// What a signed answer to a stored question is bound to.
#[must_use]
pub fn asked_question(question: &StoredApproval) -> AskedQuestion<'_> {
    AskedQuestion {
        id: &question.id,
        tenant: &question.principal.tenant,
        question: question.question,
        binding: question.binding,
        expires: question.expires,
    }
}

/// How far the signed answers to a question reach with these keys: `1 of 2 from finance; 0 of 1 from legal`. `None` where
/// nobody has answered, or it takes no signed answers.
pub(super) fn given(question: &StoredApproval, approvers: &Approvers) -> Option<String> {
    let call = StoredCall::from_json(&question.call, question.question).ok()?;
    question.answers.as_ref()?;
    let yes = signed_yes(question, approvers);
    let mut words: Vec<String> = call
        .quorums
        .iter()
        .map(|quorum| format!("{} of {quorum}", quorum.given(&yes, &question.principal.user)))
        .collect();
    words.dedup();
    (!words.is_empty()).then(|| words.join("; "))
}

fn signed_yes(question: &StoredApproval, approvers: &Approvers) -> Vec<UserName> {
    SignedAnswers::parse(question.answers.as_deref())
        .believed(&asked_question(question), approvers)
        .into_iter()
        .filter(|answer| answer.answer == Said::Approved)
        .map(|answer| answer.approver.clone())
        .collect()
}

/// Those whose signed yes holds with these keys, where a question waits though they are all that it takes: whoever signed
/// last may have known only their own key.
fn enough(question: &StoredApproval, approvers: &Approvers, now: Timestamp) -> Option<Vec<UserName>> {
    if question.state_at(now) != ApprovalState::Pending || question.seal.doubt().is_some() {
        return None;
    }
    let call = StoredCall::from_json(&question.call, question.question).ok()?;
    let yes = signed_yes(question, approvers);
    let met = call.quorums.iter().all(|quorum| quorum.is_met(&yes, &question.principal.user));
    (!call.quorums.is_empty() && met).then_some(yes)
}

/// Ends a question that waits though all the answers that it takes are there, with the keys of this place. Returns the
/// receipt of the record that says so; `None` where there was nothing to do.
///
/// # Errors
/// Why it cannot be written.
pub fn settle_if_enough(
    store: &mut SqlStore,
    question: &StoredApproval,
    approvers: &Approvers,
    now: Timestamp,
) -> Result<Option<Receipt>, StoreError> {
    let Some(yes) = enough(question, approvers, now) else { return Ok(None) };
    let by = yes.iter().map(UserName::as_str).collect::<Vec<_>>().join(", ");
    let state = ApprovalState::Approved;
    let recorded = RecordedAnswer {
        by: Some(&by),
        how: "counted",
        answer: state.as_str(),
        notes: &[],
        changes: &[Change::AnswerApproval(Answer {
            id: &question.id,
            state,
            question: question.question,
            by: &by,
            feedback: None,
        })],
    };
    match record_answer(store, &question.principal.tenant, question, &recorded, now) {
        // Another process ended it first, one way or the other.
        Err(StoreError::Refused(Refusal::AnsweredMeanwhile)) => Ok(None),
        done => done,
    }
}

impl Gateway<'_> {
    /// A stored question as it stands once what was signed is counted here.
    pub(super) fn counted(
        &self,
        store: &mut SqlStore,
        question: StoredApproval,
    ) -> Result<StoredApproval, StoreError> {
        let (session, now) = (self.session, self.session.clock.now());
        match settle_if_enough(store, &question, &session.approvers, now)? {
            Some(_) => Ok(store.approval(&session.principal.tenant, &question.id)?.unwrap_or(question)),
            None => Ok(question),
        }
    }
}
