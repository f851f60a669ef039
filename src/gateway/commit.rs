//! From finished calls to answers: one transaction for their records, then one line each.

use std::time::Duration;

use crate::audit::{ApprovalNote, Entry, Evidence, RecordKind, RuleReference};
use crate::catalog::{Contract, Run, Trust};
use crate::code::{CallError, Effect, ErrorCode, Status};
use crate::ident::CallId;
use crate::policy::Decision;
use crate::present::{Presented, Stored, refuse};
use crate::state::{
    ApprovalState, Batch, Change, Durability, NewApproval, NewResult, Receipt, Store, StoreError,
};
use crate::wire::{ReplyView, encode_reply, encode_resolved};

use super::finished::Subject;
use super::pass::credential_notes;
use super::verify::Verification;
use super::{Finished, Gateway};

/// How long a result is kept.
pub(crate) const RETENTION: Duration = Duration::from_secs(7 * 24 * 3600);

/// Most rules of one decision that a record names.
type Rules<'a> = Vec<RuleReference<'a>>;

impl Gateway<'_> {
    /// Records calls that ended, in one transaction, shows them, and appends their answers to `out`, in order.
    ///
    /// Where they cannot be recorded, the answers say so and nothing else. Returns the exit status of `tgw call` for the
    /// last of them.
    pub fn commit(&self, mut finished: Vec<Box<Finished>>, out: &mut Vec<u8>) -> u8 {
        let receipts = match self.record(&finished) {
            Ok(receipts) => receipts,
            Err(error) => {
                tracing::error!(%error, "records could not be written");
                for one in &mut finished {
                    one.presented = self.unrecorded(&one.presented, &error);
                    one.reference = None;
                }
                Vec::new()
            }
        };
        if !receipts.is_empty() {
            self.notify(&finished);
        }
        for entry in finished.iter().filter_map(|one| one.ledger.as_ref()) {
            self.under_way.borrow_mut().remove(&entry.id);
        }
        self.note_awaited(&mut finished, &receipts);
        if !receipts.is_empty() {
            self.note_begun(&finished);
        }
        let mut status = 0;
        for (at, one) in finished.iter().enumerate() {
            self.encode(one, receipts.get(at).map(ToString::to_string).as_deref(), out);
            self.observer.finished(one, &self.redactor.borrow());
            self.tell(one);
            status = one.presented.status().exit_code(one.presented.error().map(|error| error.code));
        }
        self.tidy();
        status
    }

    pub(super) fn record(&self, finished: &[Box<Finished>]) -> Result<Vec<Receipt>, StoreError> {
        let store = self.store.as_ref().map_err(Clone::clone)?;
        let now = self.session.clock.now();
        let mut records = self.records.borrow_mut();
        records.clear();
        for one in finished {
            self.push_record(&mut records, one, now)?;
        }
        let kept: Vec<Kept> = finished.iter().filter_map(|one| Kept::of(one)).collect();
        let questions = finished
            .iter()
            .filter_map(|one| one.question.as_deref())
            .map(|question| question.call().to_json().map(|text| (question, text)))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| StoreError::Unavailable(error.message))?;
        let mut changes: Vec<Change<'_>> = kept
            .iter()
            .map(|kept| {
                Change::StoreResult(NewResult {
                    reference: &kept.reference,
                    task: &self.session.task.id,
                    tool: &kept.tool,
                    value: &kept.value,
                    trust: &kept.trust,
                    expires: now.plus(RETENTION),
                })
            })
            .collect();
        for (question, text) in &questions {
            changes.push(Change::AskApproval(NewApproval {
                id: question.id(),
                principal: &self.session.principal,
                task: &self.session.task.id,
                step: self.here().step,
                tool: question.tool(),
                call: text,
                binding: question.binding().0,
                likeness: question.likeness().0,
                question: question.question(),
                expires: question.expires(),
            }));
        }
        for one in finished {
            if let (Some(likeness), Some(answer)) = (one.settles, &one.answer) {
                changes.push(Change::SettleLike {
                    likeness: likeness.0,
                    state: ApprovalState::Denied,
                    by: &answer.by,
                });
            }
        }
        let outcomes: Vec<Option<String>> = finished.iter().map(|one| one.recorded_outcome()).collect();
        changes.extend(
            finished.iter().zip(&outcomes).filter_map(|(one, outcome)| one.settlement(outcome.as_deref())),
        );
        let durable = finished.iter().any(|one| one.presented.effect() != Effect::None || one.was_asked());
        let result = store.borrow_mut().append(&mut Batch {
            tenant: &self.session.principal.tenant,
            now,
            durability: if durable { Durability::Power } else { Durability::Kill },
            changes: &changes,
            records: &mut *records,
        });
        records.clear();
        result
    }

    fn push_record(
        &self,
        records: &mut crate::audit::PendingRecords,
        one: &Finished,
        now: crate::clock::Timestamp,
    ) -> Result<(), StoreError> {
        let redactor = self.redactor.borrow();
        let kind = match &one.subject {
            Subject::Spent(_) => RecordKind::Outcome,
            Subject::Pending(_) => RecordKind::Approval,
            Subject::Held(_) if one.replayed => RecordKind::Replayed,
            Subject::None
            | Subject::Contract(_)
            | Subject::Rejected(_)
            | Subject::Denied(_)
            | Subject::Unmet(_)
            | Subject::Held(_)
            | Subject::Unstarted(_) => RecordKind::Refused,
        };
        let recorded = one.subject.intent().is_some();
        // What the intent says is not said twice.
        let arguments = if recorded { None } else { one.subject.arguments() };
        let shown = arguments.as_deref().map(|text| redactor.text(text));
        let plan = if recorded { None } else { self.plan_text(&one.subject) };
        let shown_plan = plan.as_deref().map(|text| redactor.text(text));
        let rules = one.subject.decision().map(rules).unwrap_or_default();
        let credentials = credential_notes(&one.credentials);
        let error = one.presented.error();
        let mut notes: Vec<(&str, &str)> = Vec::new();
        if let Some(error) = error {
            notes.push(("error", error.message.as_str()));
        }
        if let Some(stderr) = one.presented.stderr() {
            let runs = one.subject.contract().map(|contract| &contract.run);
            notes.push((if matches!(runs, Some(Run::Http(_))) { "answer" } else { "stderr" }, stderr));
        }
        if let Some(feedback) = one.answer.as_ref().and_then(|answer| answer.feedback.as_deref()) {
            notes.push(("feedback", feedback));
        }
        if let Some(evidence) = one.verification.as_ref().and_then(Verification::evidence) {
            notes.push(("evidence", evidence));
        }
        let warnings = one.presented.warnings().join("\n");
        if !warnings.is_empty() {
            notes.push(("warnings", &warnings));
        }
        records.push(&Entry {
            task: Some(&self.session.task.id),
            step: one.step.as_ref().or_else(|| self.here().step),
            call: Some(one.origin.id.as_str()),
            parent: one.parent.as_ref().map(CallId::as_str),
            tool: one.origin.tool.as_deref(),
            contract: one.subject.contract().map(|contract| contract.digest),
            verdict: one.subject.decision().map(|decision| decision.verdict),
            rules: &rules,
            arguments: evidence(arguments.as_deref(), shown.as_deref()),
            plan: evidence(plan.as_deref(), shown_plan.as_deref()),
            sandbox: one.sandbox,
            credentials: &credentials,
            approval: approval_note(one),
            status: Some(one.presented.status()),
            code: error.map(|error| error.contract_code.as_deref().unwrap_or(error.code.as_str())),
            effect: Some(one.presented.effect()),
            ledger: one.ledger_note(),
            verification: one.verification.as_ref().map(Verification::note),
            duration: one.elapsed,
            bytes: one.presented.content().map(|content| content.len() as u64),
            result: one.reference.as_deref(),
            notes: &notes,
            ..Entry::new(kind, now, &self.session.principal)
        })
    }

    /// What would run, as the record keeps it. A builtin's plan says nothing that its arguments do not, and what the policy
    /// denied, or the world does not allow, was never about to run: its contract and its arguments tell all.
    fn plan_text(&self, subject: &Subject) -> Option<String> {
        subject
            .plan()
            .filter(|_| !matches!(subject, Subject::Denied(_) | Subject::Unmet(_)))
            .filter(|plan| !matches!(plan, crate::validate::Plan::Builtin { .. }))
            .and_then(|plan| serde_json::to_string(plan).ok())
    }

    fn encode(&self, one: &Finished, receipt: Option<&str>, out: &mut Vec<u8>) {
        let presented = &one.presented;
        let operation = one.operation();
        let view = ReplyView {
            id: one.origin.id.as_str(),
            tool: one.origin.tool.as_deref(),
            status: presented.status(),
            effect: presented.effect(),
            verification: presented.verification(),
            object: presented.object(),
            operation: operation.as_ref(),
            content: presented.content(),
            truncated: presented.truncated(),
            total: presented.total(),
            next: presented.next(),
            result: one.reference.as_deref(),
            replayed: one.replayed,
            warnings: presented.warnings(),
            error: presented.error(),
            receipt,
        };
        if one.is_resolved() {
            return encode_resolved(&view, out);
        }
        encode_reply(&view, self.format.unwrap_or(one.origin.shape), one.origin.rpc_id.as_ref(), out);
    }

    /// What is said about a call whose record could not be written: nothing that the record would have to vouch for.
    fn unrecorded(&self, presented: &Presented, error: &StoreError) -> Presented {
        let redactor = self.redactor.borrow();
        let happened = presented.effect() != Effect::None || presented.status() == Status::Unknown;
        let error = if happened {
            // The intent is on record, so what follows is known to be open.
            CallError::new(
                ErrorCode::OutcomeUnknown,
                "the call ran, and what came of it could not be recorded",
            )
            .with_hint("do not send it again before someone has looked; `tgw doctor` shows the state store")
        } else {
            error.call_error()
        };
        refuse(error, &redactor)
    }
}

/// A result that is kept.
struct Kept {
    reference: String,
    tool: String,
    value: Vec<u8>,
    trust: String,
}

impl Kept {
    fn of(one: &Finished) -> Option<Self> {
        let Stored::Value(value, _) = one.presented.stored() else { return None };
        Some(Self {
            reference: one.reference.clone()?,
            tool: one.origin.tool.clone()?,
            value: serde_json::to_vec(value).ok()?,
            trust: one.subject.contract().map(|contract| trust_text(contract))?,
        })
    }
}

/// The rules that determined a decision, as a record names them.
pub(super) fn rules(decision: &Decision) -> Rules<'_> {
    decision
        .determined_by
        .iter()
        .map(|outcome| RuleReference {
            id: outcome.id().as_str(),
            file: &outcome.location().file,
            line: outcome.location().line,
        })
        .collect()
}

/// How far a contract's results are vouched for, as it is stored.
pub(super) fn trust_text(contract: &Contract) -> String {
    match &contract.result.trust {
        Trust::Trusted => "\"trusted\"".to_owned(),
        Trust::Untrusted => "\"untrusted\"".to_owned(),
        Trust::Fields(pointers) => serde_json::json!({ "trusted": pointers }).to_string(),
    }
}

pub(super) fn evidence<'a>(exact: Option<&'a str>, shown: Option<&'a str>) -> Option<Evidence<'a>> {
    Some(Evidence { exact: exact?, shown: shown? })
}

fn approval_note(one: &Finished) -> Option<ApprovalNote<'_>> {
    if let Some(question) = &one.question {
        return Some(ApprovalNote {
            id: question.id(),
            by: None,
            how: "queue",
            answer: "asked",
            question: Some(question.question()),
        });
    }
    one.answer.as_ref().map(|answer| ApprovalNote {
        id: &answer.id,
        by: Some(&answer.by),
        how: "terminal",
        answer: answer.answer,
        question: Some(answer.question),
    })
}
