//! What the ledger knows of an effect before a call has it, and what a call leaves in the ledger.

use std::time::Duration;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::approval::canonical;
use crate::audit::LedgerNote;
use crate::authorize::{Authorization, HeldCall};
use crate::catalog::{Contract, Digest, Idempotency, Risk, TaskSpan};
use crate::clock::Timestamp;
use crate::code::{CallError, Effect, ErrorCode, Retry, Status};
use crate::present::{Presented, refuse};
use crate::state::{
    Change, EffectState, KeyOrigin, Liveness, PursuedEffect, ResultScope, SettledEffect, Settlement, Store,
    StoreError, StoredEffect, liveness,
};
use crate::validate::{Plan, ValidatedCall};

use super::finished::{Finished, LedgerEntry, Origin, Subject};
use super::{Admission, Gateway};

/// What names the effect of a call.
pub(super) struct EffectKey {
    pub(super) origin: KeyOrigin,
    /// `None` where nothing names it.
    pub(super) digest: Option<Digest>,
    pub(super) shown: String,
}

/// What the ledger knows of an effect.
pub(super) enum Held {
    /// Nothing that stands in the way.
    Free,
    /// An earlier call under the same key, which answers this one.
    Known(Box<StoredEffect>),
    /// An earlier call under the same key with other arguments.
    Conflict(Box<StoredEffect>),
    /// An earlier call that is under way, or can be looked up.
    Open(Box<StoredEffect>),
}

impl Gateway<'_> {
    /// What names the effect of a call; `None` for a call without one.
    pub(super) fn effect_key(&self, call: &ValidatedCall) -> Option<EffectKey> {
        let contract = call.contract();
        if contract.risk == Risk::ReadOnly {
            return None;
        }
        let named = |origin, named: Value, shown: &str| EffectKey {
            origin,
            digest: Some(sha256(canonical(&named).as_bytes())),
            shown: self.redactor.borrow().text(shown).into_owned(),
        };
        Some(match (&contract.idempotency, call.effect_key()) {
            (Idempotency::Key(_), Some(key)) => named(KeyOrigin::Stated, Value::from(key), key),
            (Idempotency::Unrecognised | Idempotency::Key(_), _) => {
                EffectKey { origin: KeyOrigin::None, digest: None, shown: String::new() }
            }
            (Idempotency::Unstated, _) => {
                let (task, id) = (&self.session.task.id, call.id().as_str());
                // One store can serve several workspaces, and a call's id means nothing in another one.
                let workspace = format!("{:?}", self.session.workspace.root());
                let shown = format!("{}/{id}", task.as_str());
                named(KeyOrigin::Call, serde_json::json!([task.as_str(), id, workspace]), &shown)
            }
        })
    }

    /// What the ledger knows of the effect that a call would have.
    pub(super) fn held(&self, call: &ValidatedCall) -> Result<Held, StoreError> {
        let Some(key) = self.effect_key(call) else { return Ok(Held::Free) };
        // A call of a task that was made for this run has an id that no call had before.
        if key.origin == KeyOrigin::Call && self.session.task.span != TaskSpan::Stated {
            return Ok(Held::Free);
        }
        self.holder(call, &key)
    }

    /// What holds a key.
    pub(super) fn holder(&self, call: &ValidatedCall, key: &EffectKey) -> Result<Held, StoreError> {
        let Some(digest) = key.digest else { return Ok(Held::Free) };
        let store = self.store.as_ref().map_err(Clone::clone)?.borrow();
        let (tenant, tool) = (&self.session.principal.tenant, call.contract().name.as_str());
        let Some(stored) = store.effect_by_key(tenant, tool, key.origin, digest)? else {
            return Ok(Held::Free);
        };
        let stored = Box::new(stored);
        if arguments_digest(&stored.id, call.arguments()) != stored.arguments {
            return Ok(Held::Conflict(stored));
        }
        let contract = call.contract();
        Ok(match stored.state {
            EffectState::Failed => Held::Free,
            EffectState::Succeeded | EffectState::Accepted | EffectState::Working => Held::Known(stored),
            EffectState::Running => Held::Open(stored),
            EffectState::Unknown => {
                let looked_up = contract.reconcile.is_none() || self.looked_up.borrow().contains(&stored.id);
                match (looked_up, may_go_out_again(contract, &stored)) {
                    (false, _) => Held::Open(stored),
                    (true, true) => Held::Free,
                    (true, false) => Held::Known(stored),
                }
            }
        })
    }

    /// Ends a call whose effect the ledger knows, or holds it until that is settled.
    pub(super) fn hold(
        &self,
        origin: Origin,
        authorization: Authorization,
        known: Result<Held, StoreError>,
    ) -> Admission {
        let held = match authorization.hold() {
            Ok(held) => Box::new(held),
            Err(denied) => {
                let error = denied.error().clone();
                return self.refused(origin, Subject::Denied(denied), error);
            }
        };
        match known {
            Ok(Held::Open(_) | Held::Free) => Admission::Open(held),
            Ok(Held::Known(stored)) => Admission::Finished(self.replayed(origin, held, &stored)),
            Ok(Held::Conflict(stored)) => Admission::Finished(self.conflict(origin, held, &stored)),
            Err(error) => self.refused(origin, Subject::Held(held), error.call_error()),
        }
    }

    /// Answers a call with what is known of its effect.
    pub(super) fn replayed(
        &self,
        origin: Origin,
        held: Box<HeldCall>,
        stored: &StoredEffect,
    ) -> Box<Finished> {
        let (presented, reference) = match stored.state {
            EffectState::Succeeded => self.recorded(stored),
            EffectState::Running => {
                let mut presented = Presented::working();
                presented.warn(
                    "a call with the same effect key is under way; send this call again to hear what came of it",
                );
                (presented, None)
            }
            EffectState::Accepted | EffectState::Working => (self.under_way_still(stored), None),
            EffectState::Unknown | EffectState::Failed => {
                (refuse(not_known(stored), &self.redactor.borrow()), None)
            }
        };
        let mut finished = Finished::new(origin, Subject::Held(held), presented);
        finished.replayed = true;
        finished.reference = reference;
        finished.ledger = Some(LedgerEntry::found(stored));
        Box::new(finished)
    }

    /// A recorded success, without what can no longer be read of it.
    pub(super) fn recorded(&self, stored: &StoredEffect) -> (Presented, Option<String>) {
        let (mut presented, reference) =
            Presented::replay(stored.outcome.as_deref(), &self.redactor.borrow());
        let session = self.session;
        let scope = ResultScope::Task(&session.principal.tenant, &session.task.id);
        let kept = reference.filter(|reference| {
            self.store.as_ref().is_ok_and(|store| {
                store.borrow().result(reference, scope, session.clock.now()).is_ok_and(|kept| kept.is_some())
            })
        });
        if kept.is_none() {
            presented.forget_pages();
        }
        (presented, kept)
    }

    /// Whether an effect that is stored as running can still come to its end by itself.
    pub(super) fn is_lost(&self, stored: &StoredEffect, now: Timestamp) -> bool {
        match stored.owner.as_deref() {
            None => true,
            // What ended here and could not be recorded never will be.
            Some(owner) if owner == self.owner => !self.under_way.borrow().contains(&stored.id),
            Some(owner) => match liveness(owner) {
                Liveness::Dead => true,
                Liveness::Alive | Liveness::Elsewhere => stored.lease <= now,
            },
        }
    }
}

impl LedgerEntry {
    pub(super) fn found(stored: &StoredEffect) -> Self {
        Self { id: stored.id.clone(), attempt: stored.attempt, found: Some(stored.state) }
    }
}

impl Finished {
    /// What the outcome makes of the effect that the call reserved; `None` where it reserved none.
    fn effect_state(&self) -> Option<EffectState> {
        self.ledger.as_ref().filter(|entry| entry.found.is_none())?;
        let presented = &self.presented;
        Some(match presented.status() {
            Status::Succeeded => EffectState::Succeeded,
            Status::Failed | Status::Denied | Status::Cancelled if presented.effect() == Effect::None => {
                EffectState::Failed
            }
            Status::Accepted if self.begun.is_some() => EffectState::Accepted,
            Status::Working if self.begun.is_some() => EffectState::Working,
            Status::Failed
            | Status::Denied
            | Status::Cancelled
            | Status::InputRequired
            | Status::Accepted
            | Status::Working
            | Status::Unknown => EffectState::Unknown,
        })
    }

    /// What a repeated call will be answered with.
    pub(super) fn recorded_outcome(&self) -> Option<String> {
        self.effect_state()?;
        self.presented.record(self.reference.as_deref())
    }

    /// The change that settles the effect of this call.
    pub(super) fn settlement<'f>(&'f self, outcome: Option<&'f str>) -> Option<Change<'f>> {
        let entry = self.ledger.as_ref()?;
        let state = self.effect_state()?;
        if let Some(begun) = self.begun.as_ref().filter(|_| state.is_pursued()) {
            return Some(Change::PursueEffect(PursuedEffect {
                id: &entry.id,
                attempt: entry.attempt,
                state,
                how: Settlement::Outcome,
                pursuit: &begun.pursuit,
                due: begun.due,
                deadline: begun.deadline,
            }));
        }
        Some(Change::SettleEffect(SettledEffect {
            id: &entry.id,
            attempt: entry.attempt,
            state,
            how: Settlement::Outcome,
            code: self.presented.error().map(|error| error.code.as_str()),
            outcome,
        }))
    }

    /// What the record says of the effect.
    pub(super) fn ledger_note(&self) -> Option<LedgerNote<'_>> {
        let entry = self.ledger.as_ref()?;
        let state = entry.found.or_else(|| self.effect_state())?;
        Some(LedgerNote {
            id: &entry.id,
            attempt: entry.attempt,
            state: state.as_str(),
            how: if entry.found.is_some() { "found" } else { Settlement::Outcome.as_str() },
            by: None,
        })
    }
}

/// The digest of a call's arguments under the id of its effect, so that equal arguments of two effects do not show.
pub(super) fn arguments_digest(id: &str, arguments: &Value) -> Digest {
    digest_of(id, &canonical(arguments))
}

pub(super) fn digest_of(id: &str, canonical: &str) -> Digest {
    Digest(Sha256::new().chain_update(id).chain_update([0]).chain_update(canonical).finalize().into())
}

pub(super) fn sha256(bytes: &[u8]) -> Digest {
    Digest(Sha256::digest(bytes).into())
}

pub(super) fn timeout(plan: &Plan) -> Duration {
    plan.timeout()
}

/// Whether an effect that is not known may be tried once more under its key: its contract states that this is safe, and no
/// look at the system of record contradicted it.
pub(super) fn may_go_out_again(contract: &Contract, stored: &StoredEffect) -> bool {
    contract.idempotency.retry_is_safe() && !is_contradicted(stored)
}

fn is_contradicted(stored: &StoredEffect) -> bool {
    stored.code.as_deref() == Some(ErrorCode::VerificationFailed.as_str())
}

pub(super) fn not_known(stored: &StoredEffect) -> CallError {
    let (code, message) = if is_contradicted(stored) {
        (
            ErrorCode::VerificationFailed,
            "an earlier call with the same effect key reported success, and a look at the system of record disagreed",
        )
    } else {
        (
            ErrorCode::OutcomeUnknown,
            "an earlier call with the same effect key may or may not have had its effect",
        )
    };
    let mut error = CallError::new(code, message).with_hint(format!(
        "do not send it again; a person settles it with `tgw effects show {0}` and `tgw effects resolve {0}`",
        stored.id
    ));
    error.retry = Retry::Never;
    error
}
