//! What a call takes from budgets: looking before it is let through, and taking when it begins.

use crate::authorize::{AuthorizedCall, Spend};
use crate::clock::Timestamp;
use crate::code::CallError;
use crate::policy::{Charge, Weighed};
use crate::state::{Change, EffectState, KeyOrigin, NewCharge, Purse, PurseQuery, Store, StoreError};
use crate::validate::ValidatedCall;

use super::Gateway;

impl Gateway<'_> {
    /// What a call would take from each budget that it falls under, beside what counts of it now. Nothing is taken.
    ///
    /// # Errors
    /// `BUDGET_EXCEEDED` where a budget cannot be computed, `AUDIT_UNAVAILABLE` where what was taken cannot be read.
    pub(super) fn weighed(&self, call: &ValidatedCall) -> Result<Vec<Weighed>, CallError> {
        let charges = self.session.policy.charges(call, &self.facts())?;
        if charges.is_empty() {
            return Ok(Vec::new());
        }
        let again = self.attempted(call).map_err(|error| error.call_error())?;
        let weighed = charges.into_iter().map(|charge| self.weigh_one(charge, again.as_deref()));
        weighed.collect::<Result<_, _>>().map_err(|error| {
            tracing::error!(%error, "budgets could not be looked up");
            error.call_error()
        })
    }

    fn weigh_one(&self, charge: Charge, again: Option<&str>) -> Result<Weighed, StoreError> {
        let store = match &self.store {
            Ok(store) => store.borrow(),
            Err(StoreError::Absent) => return Ok(Weighed { charge, used: 0, frees: None }),
            Err(error) => return Err(error.clone()),
        };
        let tenant = &self.session.principal.tenant;
        let since = charge.budget.since(self.session.clock.now());
        let query = PurseQuery { purse: purse(&charge), since, except: again };
        let used = store.used(tenant, &query)?;
        let limit = charge.budget.limit;
        // What must no longer count for the call to fit: nothing, where it fits, and never enough, where it alone is too much.
        let too_much = used.saturating_add(charge.amount).saturating_sub(limit);
        let mut frees = None;
        if let Some(window) = charge.budget.window
            && (1..=used).contains(&too_much)
        {
            frees = store.oldest_charges(tenant, &query, too_much)?.map(|at| at.plus(window));
        }
        Ok(Weighed { charge, used, frees })
    }

    /// The effect that the call would attempt once more, whose charge it takes over.
    fn attempted(&self, call: &ValidatedCall) -> Result<Option<String>, StoreError> {
        let Some(key) = self.effect_key(call).filter(|key| key.origin == KeyOrigin::Stated) else {
            return Ok(None);
        };
        let (Some(digest), Ok(store)) = (key.digest, &self.store) else { return Ok(None) };
        let (tenant, tool) = (&self.session.principal.tenant, call.contract().name.as_str());
        let held = store.borrow().effect_by_key(tenant, tool, key.origin, digest)?;
        Ok(held.filter(|stored| stored.state == EffectState::Unknown).map(|stored| stored.id))
    }

    /// The changes that take what a call spends.
    pub(super) fn taking<'c>(
        &self,
        authorized: &'c AuthorizedCall,
        source: &'c str,
        now: Timestamp,
    ) -> impl Iterator<Item = Change<'c>> {
        authorized.spends().iter().map(move |Spend { charge, beyond }| {
            Change::Charge(NewCharge {
                purse: purse(charge),
                source,
                amount: charge.amount,
                limit: (!beyond).then_some(charge.budget.limit),
                since: charge.budget.since(now),
                until: charge.budget.window.map(|window| now.plus(window)),
            })
        })
    }
}

/// What a record says of it.
pub(super) fn spent_text(authorized: &AuthorizedCall) -> String {
    let one = |Spend { charge, beyond }: &Spend| {
        let group = charge.group.as_deref().map(|group| format!(" for {group}")).unwrap_or_default();
        let beyond = if *beyond { ", beyond the limit with a person's yes" } else { "" };
        format!("{}{group}: {}{beyond}", charge.budget.rule.id, charge.amount)
    };
    authorized.spends().iter().map(one).collect::<Vec<_>>().join("\n")
}

fn purse(charge: &Charge) -> Purse<'_> {
    Purse {
        budget: charge.budget.rule.id.as_str(),
        per: charge.budget.per.as_str(),
        subject: &charge.subject,
        group: charge.group.as_deref(),
    }
}
