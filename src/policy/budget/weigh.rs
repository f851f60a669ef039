//! A call against what is left of its budgets.

use std::sync::Arc;

use crate::clock::Timestamp;
use crate::code::{CallError, ErrorCode, Retry};
use crate::document::write_duration;
use crate::policy::{Decision, Rule, RuleOutcome, Verdict};
use crate::text::{escape, fit};

use super::index::Charge;

/// Most columns of a group's value in a message.
const SHOWN: usize = 40;

/// What one call would take from one budget, and what others have taken of it.
#[derive(Debug, Clone)]
pub struct Weighed {
    /// What the call would take.
    pub charge: Charge,
    /// What counts as taken now.
    pub used: u64,
    /// When enough of that no longer counts for the call to fit; `None` where it fits now, or never will by itself.
    pub frees: Option<Timestamp>,
}

impl Weighed {
    /// Whether the call would go over the budget.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.used.saturating_add(self.charge.amount) > self.charge.budget.limit
    }

    /// The budget in words, with what is used of it.
    #[must_use]
    pub fn account(&self) -> String {
        self.account_that("")
    }

    /// The same, for a call that goes over it.
    fn excess(&self) -> String {
        self.account_that(" would be exceeded")
    }

    fn account_that(&self, goes: &str) -> String {
        let budget = &self.charge.budget;
        let group =
            self.charge.group.as_deref().map(|group| format!(" for {}", fit(&escape(group), SHOWN, true)));
        let window = budget.window.map(|window| format!(" in {}", write_duration(window)));
        format!(
            "the budget `{}` of this {}{}{goes}: {} of {} used{}, and this call takes {}",
            budget.rule.id,
            budget.per.as_str(),
            group.unwrap_or_default(),
            self.used,
            budget.limit,
            window.unwrap_or_default(),
            self.charge.amount
        )
    }

    /// Why the call may not run, for a budget that is not to be gone over.
    #[must_use]
    pub fn error(&self) -> CallError {
        let budget = &self.charge.budget;
        let reason = budget.rule.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let error = CallError::new(ErrorCode::BudgetExceeded, format!("{}{reason}", self.excess()));
        let left = budget.limit.saturating_sub(self.used);
        let (retry, hint) = match self.frees {
            Some(at) => {
                (Retry::Later, format!("enough of it frees at {}; {left} is left until then", at.rfc3339()))
            }
            None if left > 0 && budget.sum.is_some() => {
                (Retry::ChangedCall, format!("a call that takes at most {left} still fits"))
            }
            None => {
                (Retry::Never, "it does not free by itself; a person can raise it in the policy".to_owned())
            }
        };
        let mut error = error.with_hint(hint);
        error.retry = retry;
        error
    }

    /// The budget as a rule that asks a person, with what is used of it as the reason.
    fn asks(&self) -> RuleOutcome {
        let rule = &self.charge.budget.rule;
        let stated = rule.reason.as_deref().map(|reason| format!("{reason}; ")).unwrap_or_default();
        let asking = Rule { reason: Some(format!("{stated}{}", self.excess())), ..rule.as_ref().clone() };
        RuleOutcome { rule: Arc::new(asking), error: None, remember: None }
    }
}

/// The decision with what the budgets say.
///
/// # Errors
/// `BUDGET_EXCEEDED` for the first budget that the call would go over and that denies then; with the decision as it was.
pub fn weigh(decision: Decision, weighed: &[Weighed]) -> Result<Decision, Box<(Decision, CallError)>> {
    let over = || weighed.iter().filter(|one| one.is_over());
    if let Some(denying) = over().find(|one| one.charge.budget.rule.verdict == Verdict::Deny) {
        return Err(Box::new((decision, denying.error())));
    }
    Ok(decision.over(over().map(Weighed::asks).collect()))
}

impl Decision {
    /// The decision with the budgets that would be gone over and ask a person then.
    fn over(mut self, asking: Vec<RuleOutcome>) -> Self {
        if asking.is_empty() || self.verdict == Verdict::Deny {
            return self;
        }
        if self.verdict == Verdict::Allow {
            self.verdict = Verdict::RequireApproval;
            self.determined_by.clear();
            self.defaults.clear();
        }
        self.determined_by.extend(asking);
        self
    }
}
