//! Putting on record what was seen of an effect that is under way elsewhere.

use crate::audit::{Entry, LedgerNote, PendingRecords, RecordKind};
use crate::catalog::Contract;
use crate::clock::Timestamp;
use crate::code::{CallError, Effect, ErrorCode, Status};
use crate::present::{Outcome, PresentLimits, Presented, Stored, present, refuse};
use crate::state::{
    Batch, Change, Durability, EffectState, NewResult, PursuedEffect, Pursuit, Receipt, SettledEffect,
    Settlement, Store, StoreError, StoredEffect,
};
use crate::wire::{ReplyView, encode_resolved};

use super::Gateway;
use super::commit::RETENTION;
use super::commit::trust_text;
use super::ledger::not_known;
use super::verify::Verification;

/// The end of an effect that was under way elsewhere, on record.
pub struct EndOfEffect {
    /// The effect as it was before.
    pub stored: StoredEffect,
    /// What is said of it.
    pub presented: Presented,
    reference: Option<String>,
    receipt: Option<Receipt>,
}

impl EndOfEffect {
    /// Appends the line that says what became of the call.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let receipt = self.receipt.map(|receipt| receipt.to_string());
        let presented = &self.presented;
        let view = ReplyView {
            id: &self.stored.call,
            tool: Some(&self.stored.tool),
            status: presented.status(),
            effect: presented.effect(),
            verification: presented.verification(),
            object: presented.object(),
            operation: None,
            content: presented.content(),
            truncated: presented.truncated(),
            total: presented.total(),
            next: presented.next(),
            result: self.reference.as_deref(),
            replayed: false,
            warnings: presented.warnings(),
            error: presented.error(),
            receipt: receipt.as_deref(),
        };
        encode_resolved(&view, out);
    }
}

impl Gateway<'_> {
    /// Notes how far an effect is; the chain hears of it where that changed.
    pub(super) fn record_progress(
        &self,
        stored: &StoredEffect,
        state: EffectState,
        pursuit: &Pursuit,
        due: Timestamp,
        deadline: Timestamp,
    ) -> Result<(), StoreError> {
        let now = self.session.clock.now();
        let contract = self.session.catalog.find(&stored.tool);
        let clean = pursuit.said.as_deref().map(|said| match contract {
            Some(contract) => self.redactor_of(contract).text(said).into_owned(),
            None => self.redactor.borrow().text(said).into_owned(),
        });
        let pursuit = Pursuit { said: clean, ..pursuit.clone() };
        let before = stored.pursuit.as_ref().and_then(|pursuit| pursuit.said.as_deref());
        let changed = stored.state != state || before != pursuit.said.as_deref();
        let mut records = PendingRecords::default();
        if changed {
            let said = pursuit.said.as_deref().map(|said| ("said", said));
            let notes: Vec<(&str, &str)> = said.into_iter().collect();
            records.push(&Entry {
                ledger: Some(note(stored, state)),
                notes: &notes,
                ..self.about(stored, now)
            })?;
        }
        self.append_for(
            now,
            &[Change::PursueEffect(PursuedEffect {
                id: &stored.id,
                attempt: stored.attempt,
                state,
                how: Settlement::Followed,
                pursuit: &pursuit,
                due,
                deadline,
            })],
            &mut records,
            Durability::Kill,
        )?;
        if changed {
            let word = if pursuit.needs_input { "input_required" } else { state.as_str() };
            self.observer.operation(&stored.tool, &stored.call, word, pursuit.said.as_deref());
        }
        Ok(())
    }

    /// Settles an effect that came to its end, with its value and a record that says so.
    pub(super) fn record_end(
        &self,
        stored: &StoredEffect,
        contract: &Contract,
        outcome: Outcome,
        verification: Option<Verification>,
    ) -> Result<EndOfEffect, StoreError> {
        let now = self.session.clock.now();
        let presented = present(outcome, contract, &self.redactor_of(contract), PresentLimits::default());
        let state = match presented.status() {
            Status::Succeeded => EffectState::Succeeded,
            Status::Failed | Status::Cancelled if presented.effect() == Effect::None => EffectState::Failed,
            Status::Failed
            | Status::Cancelled
            | Status::Denied
            | Status::InputRequired
            | Status::Accepted
            | Status::Working
            | Status::Unknown => EffectState::Unknown,
        };
        let reference = match presented.stored() {
            Stored::Value(..) => Some(self.random.borrow_mut().id("r_")?),
            Stored::Nothing | Stored::TooLarge(_) => None,
        };
        let value = match presented.stored() {
            Stored::Value(value, _) => serde_json::to_vec(value).ok(),
            Stored::Nothing | Stored::TooLarge(_) => None,
        };
        let trust = trust_text(contract);
        let kept = reference.as_deref().zip(value.as_deref()).map(|(reference, value)| {
            Change::StoreResult(NewResult {
                reference,
                task: &stored.task,
                tool: &stored.tool,
                value,
                trust: &trust,
                expires: now.plus(RETENTION),
            })
        });
        let recorded = presented.record(reference.as_deref());
        let code = presented.error().map(|error| error.code.as_str());
        let settled = Change::SettleEffect(SettledEffect {
            id: &stored.id,
            attempt: stored.attempt,
            state,
            how: Settlement::Followed,
            code,
            outcome: recorded.as_deref(),
        });
        let mut notes: Vec<(&str, &str)> = Vec::new();
        notes.extend(presented.error().map(|error| ("error", error.message.as_str())));
        notes.extend(verification.as_ref().and_then(Verification::evidence).map(|seen| ("evidence", seen)));
        let mut records = PendingRecords::default();
        records.push(&Entry {
            ledger: Some(note(stored, state)),
            status: Some(presented.status()),
            code,
            effect: Some(presented.effect()),
            verification: verification.as_ref().map(Verification::note),
            result: reference.as_deref(),
            notes: &notes,
            ..self.about(stored, now)
        })?;
        let changes: Vec<Change<'_>> = kept.into_iter().chain([settled]).collect();
        let receipts = self.append_for(now, &changes, &mut records, Durability::Power)?;
        let receipt = receipts
            .first()
            .copied()
            .ok_or_else(|| StoreError::Unavailable("the store gave no receipt".to_owned()))?;
        self.observer.operation(&stored.tool, &stored.call, presented.status().as_str(), None);
        Ok(EndOfEffect { stored: stored.clone(), presented, reference, receipt: Some(receipt) })
    }

    /// The end of an effect as it was recorded before, by whomever.
    ///
    /// `None` where it is not over.
    #[must_use]
    pub fn end_seen(&self, stored: StoredEffect) -> Option<EndOfEffect> {
        let (presented, reference) = match stored.state {
            EffectState::Succeeded => self.recorded(&stored),
            EffectState::Unknown => (refuse(not_known(&stored), &self.redactor.borrow()), None),
            EffectState::Failed => {
                let code = stored.code.as_deref().and_then(ErrorCode::parse);
                let error = CallError::new(
                    code.unwrap_or(ErrorCode::ExecutionFailed),
                    "the call came to its end, and nothing happened",
                );
                (refuse(error, &self.redactor.borrow()), None)
            }
            EffectState::Running | EffectState::Accepted | EffectState::Working => return None,
        };
        Some(EndOfEffect { stored, presented, reference, receipt: None })
    }

    fn about<'e>(&self, stored: &'e StoredEffect, now: Timestamp) -> Entry<'e> {
        Entry {
            task: Some(&stored.task),
            call: Some(&stored.call),
            tool: Some(&stored.tool),
            contract: Some(stored.contract),
            ..Entry::new(RecordKind::Effect, now, &stored.principal)
        }
    }

    fn append_for(
        &self,
        now: Timestamp,
        changes: &[Change<'_>],
        records: &mut PendingRecords,
        durability: Durability,
    ) -> Result<Vec<Receipt>, StoreError> {
        let store = self.store.as_ref().map_err(Clone::clone)?;
        let tenant = &self.session.principal.tenant;
        store.borrow_mut().append(&mut Batch { tenant, now, durability, changes, records })
    }
}

fn note(stored: &StoredEffect, state: EffectState) -> LedgerNote<'_> {
    LedgerNote {
        id: &stored.id,
        attempt: stored.attempt,
        state: state.as_str(),
        how: Settlement::Followed.as_str(),
        by: None,
    }
}
