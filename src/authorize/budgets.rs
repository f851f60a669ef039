//! What an authorized call takes from budgets.

use crate::code::CallError;
use crate::policy::{Charge, Decision, Verdict, Weighed, weigh};
use crate::validate::ValidatedCall;

use super::{AuthorizationContext, AuthorizedCall, Consent};

/// Says what a call would take from budgets, and what others have taken; or why that cannot be known.
pub type BudgetSource<'a> = dyn Fn(&ValidatedCall) -> Result<Vec<Weighed>, CallError> + 'a;

/// What a call that may run takes from one budget.
#[derive(Debug)]
pub struct Spend {
    /// From which, and how much.
    pub charge: Charge,
    /// Whether a person let this call go over the budget.
    pub beyond: bool,
}

/// A decision with the account that it rests on, or with why the call may not run.
type Weighing = Result<(Decision, Vec<Weighed>), Box<(Decision, CallError)>>;

/// The decision with what the budgets say; a denied call is not told about them.
pub(super) fn with_budgets(
    call: &ValidatedCall,
    decision: Decision,
    context: &AuthorizationContext<'_>,
) -> Weighing {
    if decision.verdict == Verdict::Deny {
        return Ok((decision, Vec::new()));
    }
    match (context.budgets)(call) {
        Ok(weighed) => Ok((weigh(decision, &weighed)?, weighed)),
        Err(error) => Err(Box::new((decision, error))),
    }
}

/// What the call spends. Only a yes to this very call covers going over, since only that was asked with the account shown.
pub(super) fn spends(weighed: Vec<Weighed>, consent: &Consent) -> Vec<Spend> {
    let asked = matches!(consent, Consent::Grant(_));
    weighed.into_iter().map(|one| Spend { beyond: asked && one.is_over(), charge: one.charge }).collect()
}

impl AuthorizedCall {
    /// What it takes from budgets when it begins.
    #[must_use]
    pub fn spends(&self) -> &[Spend] {
        &self.spends
    }
}
