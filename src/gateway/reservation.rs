//! Taking the key of an effect that is about to begin.

use std::time::Duration;

use crate::approval::canonical;
use crate::audit::LedgerNote;
use crate::authorize::AuthorizedCall;
use crate::catalog::{Contract, Digest};
use crate::clock::Timestamp;
use crate::state::{Change, EffectState, KeyOrigin, NewEffect, RetriedEffect, Store, StoreError};
use crate::validate::ValidatedCall;

use super::Gateway;
use super::ledger::{arguments_digest, digest_of, may_go_out_again, sha256, timeout};

/// Longest arguments that are kept to show how a later call differs.
const MOST_SHOWN: usize = 16 << 10;

/// How long after its deadline a call counts as under way: its tree is ended and its outcome recorded in that time.
const LEASE_MARGIN: Duration = Duration::from_secs(30);

impl Gateway<'_> {
    /// Makes the reservation of a call that is about to begin; `None` for a call without an effect.
    ///
    /// # Errors
    /// Why the store cannot be asked, or has no randomness.
    pub(super) fn reservation(&self, authorized: &AuthorizedCall) -> Result<Option<Reservation>, StoreError> {
        let call = authorized.call();
        let Some(key) = self.effect_key(call) else { return Ok(None) };
        let mut again = None;
        if key.origin == KeyOrigin::Stated
            && let Some(digest) = key.digest
        {
            let store = self.store.as_ref().map_err(Clone::clone)?.borrow();
            let (tenant, tool) = (&self.session.principal.tenant, call.contract().name.as_str());
            // Whoever else holds it, the reservation itself finds out.
            again = store
                .effect_by_key(tenant, tool, key.origin, digest)?
                .filter(|stored| stored.state == EffectState::Unknown)
                .filter(|stored| may_go_out_again(call.contract(), stored))
                .filter(|stored| {
                    call.contract().reconcile.is_none() || self.looked_up.borrow().contains(&stored.id)
                })
                .filter(|stored| arguments_digest(&stored.id, call.arguments()) == stored.arguments);
        }
        let checking = call.contract().verify.as_deref().map_or(Duration::ZERO, |spec| spec.within);
        let lease = self.session.clock.now().plus(timeout(call.plan())).plus(checking).plus(LEASE_MARGIN);
        if let Some(stored) = again {
            let (id, attempt) = (stored.id, stored.attempt.saturating_add(1));
            return Ok(Some(Reservation { id, attempt, lease, new: None }));
        }
        let id = self.random.borrow_mut().id("e_")?;
        let exact = canonical(call.arguments());
        let mut shown = call.arguments().clone();
        self.redactor.borrow().value(&mut shown);
        let shown = (key.digest.is_some()).then(|| shown.to_string()).filter(|text| text.len() <= MOST_SHOWN);
        let new = NewReservation {
            key: key.digest.unwrap_or_else(|| sha256(id.as_bytes())),
            origin: key.origin,
            shown_key: key.shown,
            arguments: digest_of(&id, &exact),
            shown_arguments: shown,
            exact_arguments: is_looked_for(call.contract()).then_some(exact),
        };
        Ok(Some(Reservation { id, attempt: 1, lease, new: Some(new) }))
    }
}

/// Whether an effect of this contract may be looked for once its call is over.
fn is_looked_for(contract: &Contract) -> bool {
    contract.reconcile.is_some() || contract.operation.is_some() || contract.verify.is_some()
}

/// A key about to be taken.
pub(super) struct Reservation {
    pub(super) id: String,
    pub(super) attempt: u64,
    lease: Timestamp,
    new: Option<NewReservation>,
}

struct NewReservation {
    key: Digest,
    origin: KeyOrigin,
    shown_key: String,
    arguments: Digest,
    shown_arguments: Option<String>,
    exact_arguments: Option<String>,
}

impl Reservation {
    /// The change that takes the key.
    pub(super) fn change<'r>(&'r self, gateway: &'r Gateway<'_>, call: &'r ValidatedCall) -> Change<'r> {
        let session = gateway.session;
        let (id, lease, owner, call_id) =
            (self.id.as_str(), self.lease, gateway.owner.as_str(), call.id().as_str());
        match &self.new {
            None => {
                Change::RetryEffect(RetriedEffect { id, attempt: self.attempt, call: call_id, owner, lease })
            }
            Some(new) => Change::ReserveEffect(NewEffect {
                id,
                tool: call.contract().name.as_str(),
                origin: new.origin,
                key: new.key,
                shown_key: &new.shown_key,
                arguments: new.arguments,
                shown_arguments: new.shown_arguments.as_deref(),
                exact_arguments: new.exact_arguments.as_deref(),
                contract: call.contract().digest,
                principal: &session.principal,
                task: &session.task.id,
                call: call_id,
                owner,
                lease,
            }),
        }
    }

    /// What the intent's record says of it.
    pub(super) fn note(&self) -> LedgerNote<'_> {
        LedgerNote {
            id: &self.id,
            attempt: self.attempt,
            state: EffectState::Running.as_str(),
            how: "reserved",
            by: None,
        }
    }
}
