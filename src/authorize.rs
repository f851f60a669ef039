//! The only maker of [`AuthorizedCall`], and of [`ReservedCall`], the form that an executor takes.
//!
//! Whoever wants to run a call must come through here with the call itself: the decision is made inside, on
//! this very call, and a grant counts only for the call that it was given for.

mod budgets;
mod held;
mod probe;
mod refused;

use crate::approval::{Grant, Preview, StandingGrant, Subject};
use crate::catalog::{Contract, Digest, Risk};
use crate::code::{CallError, ErrorCode};
use crate::policy::{Decision, Facts, Policy, Verdict, decide};
use crate::validate::ValidatedCall;

pub use budgets::{BudgetSource, Spend};
pub use held::HeldCall;
pub(crate) use probe::authorize_probe;

/// Most stored answers that one call names as not believed.
const MOST_DOUBTS: usize = 4;

/// A person's consent that a call arrives with.
#[derive(Debug)]
pub enum Consent {
    /// None so far.
    None,
    /// A yes to exactly one call.
    Grant(Grant),
    /// A yes to calls of this shape.
    Standing(StandingGrant),
}

/// Says what a decided call would change, or why it cannot be done.
pub type PreviewSource<'a> = dyn Fn(&ValidatedCall, &Decision) -> Result<Option<Preview>, CallError> + 'a;

/// What authorizing a call needs besides the call.
#[derive(Clone, Copy)]
pub struct AuthorizationContext<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// What holds now.
    pub facts: &'a Facts<'a>,
    /// The real path of the workspace.
    pub workspace: &'a std::path::Path,
    /// What a call would change, where its executor can say, or why it cannot be done at all; asked for only when a person
    /// would be asked, so that nobody is asked about what must fail.
    pub preview: &'a PreviewSource<'a>,
    /// What the call would take from budgets.
    pub budgets: &'a BudgetSource<'a>,
    /// What tells the place in the task where the call is decided from others.
    pub stand: u64,
    /// The present instant, for the expiry of consents.
    pub now: crate::clock::Timestamp,
}

/// What became of a call that was authorized.
#[derive(Debug)]
pub enum Authorization {
    /// It may run.
    Allowed(Box<AuthorizedCall>),
    /// A person must be asked first.
    Ask(Box<PendingCall>),
    /// It may not run.
    Denied(Box<DeniedCall>),
    /// The policy does not deny it, and something in the world stands in its way.
    Unmet(Box<UnmetCall>),
}

/// A call that may run. Only [`authorize`] makes one; running spends it.
///
/// ```compile_fail,E0451
/// # fn forged(call: tgw::validate::ValidatedCall, decision: tgw::policy::Decision) {
/// let _ = tgw::authorize::AuthorizedCall { call, decision, consent: tgw::authorize::Consent::None, basis: None, spends: Vec::new(), stand: 0 };
/// # }
/// ```
///
/// ```compile_fail,E0599
/// # fn twice(call: tgw::authorize::AuthorizedCall) {
/// let _again = call.clone();
/// # }
/// ```
#[derive(Debug)]
pub struct AuthorizedCall {
    call: ValidatedCall,
    decision: Decision,
    consent: Consent,
    basis: Option<Digest>,
    spends: Vec<Spend>,
    stand: u64,
}

/// A call that waits for a person. It is not authorized, and asking does not change it.
#[derive(Debug)]
pub struct PendingCall {
    call: ValidatedCall,
    decision: Decision,
    preview: Option<Preview>,
    doubts: Vec<String>,
}

/// A call that was refused, with the decision that did it.
#[derive(Debug)]
pub struct DeniedCall {
    call: ValidatedCall,
    decision: Decision,
    error: CallError,
}

/// A call that no rule denies, and that cannot be done as the world is, or as its budgets stand. Nobody is asked about it.
#[derive(Debug)]
pub struct UnmetCall {
    call: ValidatedCall,
    decision: Decision,
    error: CallError,
}

/// Decides `call` and, where the policy asks for a person, checks the consent it came with.
///
/// What validation found to stand in the way is said after the policy's no and before the person is asked: a denied caller
/// learns nothing about the world.
///
/// A consent that is for anything else than this call, under these rules, is worth nothing: the person is asked
/// (again).
///
/// A decision is never brought along, so none can be brought along from another call:
///
/// ```compile_fail,E0308
/// # use tgw::authorize::{AuthorizationContext, authorize};
/// # use tgw::{policy::Decision, validate::ValidatedCall};
/// # fn decided_elsewhere(call: ValidatedCall, context: &AuthorizationContext<'_>, decision: Decision) {
/// let _ = authorize(call, context, decision);
/// # }
/// ```
///
/// and a call that was not validated cannot be decided:
///
/// ```compile_fail,E0308
/// # use tgw::authorize::{AuthorizationContext, Consent, authorize};
/// # use tgw::catalog::ResolvedCall;
/// # fn unchecked(call: ResolvedCall, context: &AuthorizationContext<'_>) {
/// let _ = authorize(call, context, Consent::None);
/// # }
/// ```
#[must_use]
pub fn authorize(call: ValidatedCall, context: &AuthorizationContext<'_>, consent: Consent) -> Authorization {
    let decision = decide(context.policy, &call, context.facts);
    let (decision, weighed) = match budgets::with_budgets(&call, decision, context) {
        Ok(weighed) => weighed,
        Err(refused) => {
            let (decision, error) = *refused;
            return Authorization::Unmet(Box::new(UnmetCall { call, decision, error }));
        }
    };
    if decision.verdict != Verdict::Deny
        && let Some(error) = call.obstacle().cloned()
    {
        return Authorization::Unmet(Box::new(UnmetCall { call, decision, error }));
    }
    match decision.verdict {
        Verdict::Allow => Authorization::Allowed(Box::new(AuthorizedCall {
            call,
            decision,
            consent: Consent::None,
            basis: None,
            spends: budgets::spends(weighed, &Consent::None),
            stand: context.stand,
        })),
        Verdict::Deny => {
            let error = denial(&decision, call.contract());
            Authorization::Denied(Box::new(DeniedCall { call, decision, error }))
        }
        Verdict::RequireApproval => {
            let preview = match (context.preview)(&call, &decision) {
                Ok(preview) => preview,
                Err(error) => return Authorization::Unmet(Box::new(UnmetCall { call, decision, error })),
            };
            let subject = Subject::of(&call, context.facts, context.workspace, &decision)
                .with_preview(preview.as_ref());
            let covered = match &consent {
                Consent::None => false,
                Consent::Grant(grant) => grant.check(&subject, context.now).is_ok(),
                Consent::Standing(standing) => standing.covers(&subject, context.now),
            };
            if covered {
                // A standing consent was given to a shape, not to what a preview showed.
                let basis =
                    preview.filter(|_| matches!(consent, Consent::Grant(_))).map(|preview| preview.basis);
                let spends = budgets::spends(weighed, &consent);
                let stand = context.stand;
                Authorization::Allowed(Box::new(AuthorizedCall {
                    call,
                    decision,
                    consent,
                    basis,
                    spends,
                    stand,
                }))
            } else {
                Authorization::Ask(Box::new(PendingCall { call, decision, preview, doubts: Vec::new() }))
            }
        }
    }
}

fn denial(decision: &Decision, contract: &Contract) -> CallError {
    CallError::new(
        ErrorCode::PermissionDenied,
        format!("`{}` is denied: {}", contract.name, decision.reason()),
    )
    .with_hint(
        "choose another way to reach the goal; `tgw check` with the same call shows the rules that counted",
    )
}

/// Writes the record that must exist before an effect begins.
pub trait Journal {
    /// Consumes the consent and writes the intent, in one durable transaction.
    ///
    /// # Errors
    /// `AUDIT_UNAVAILABLE` where it cannot be written, `APPROVAL_EXPIRED` or `APPROVAL_REQUIRED` where the consent was
    /// used, revoked or ran out meanwhile. Nothing is written then.
    fn record_intent(&mut self, call: &AuthorizedCall) -> Result<Digest, CallError>;
}

/// A call that may run now: what must be on record before it begins is. Only [`AuthorizedCall::reserve`] makes one.
///
/// ```compile_fail,E0451
/// # fn forged(call: tgw::authorize::AuthorizedCall) {
/// let _ = tgw::authorize::ReservedCall { call, intent: None };
/// # }
/// ```
#[derive(Debug)]
pub struct ReservedCall {
    call: AuthorizedCall,
    intent: Option<Digest>,
}

impl AuthorizedCall {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &ValidatedCall {
        &self.call
    }

    /// The decision that let it through.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The call as a person was, or would be, asked about it.
    #[must_use]
    pub fn subject<'p>(&'p self, facts: &Facts<'p>, workspace: &'p std::path::Path) -> Subject<'p> {
        Subject::of(&self.call, facts, workspace, &self.decision)
    }

    /// The place in the task where it was let through.
    #[must_use]
    pub fn stand(&self) -> u64 {
        self.stand
    }

    /// The consent it spends.
    #[must_use]
    pub fn consent(&self) -> &Consent {
        &self.consent
    }

    /// Whether a record must be durable before it begins: effects, reads that leave the machine, and everything that
    /// spends a consent or a budget. Only plain local reads are recorded together with their outcome.
    #[must_use]
    pub fn needs_intent(&self) -> bool {
        let contract = self.call.contract();
        contract.risk != Risk::ReadOnly
            || contract.egress
            || !matches!(self.consent, Consent::None)
            || !self.spends.is_empty()
    }

    /// Puts on record what must be, and returns the form that an executor takes.
    ///
    /// # Errors
    /// What the journal reports; the call is not run then, and is given back to be answered.
    pub fn reserve(self, journal: &mut dyn Journal) -> Result<ReservedCall, Box<(Self, CallError)>> {
        if !self.needs_intent() {
            return Ok(ReservedCall { call: self, intent: None });
        }
        match journal.record_intent(&self) {
            Ok(receipt) => Ok(ReservedCall { call: self, intent: Some(receipt) }),
            Err(error) => Err(Box::new((self, error))),
        }
    }
}

impl ReservedCall {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &ValidatedCall {
        &self.call.call
    }

    /// The decision that let it through.
    pub fn decision(&self) -> &Decision {
        &self.call.decision
    }

    /// Whether a person was asked about it, and said yes.
    #[must_use]
    pub fn was_asked(&self) -> bool {
        matches!(self.call.consent, Consent::Grant(_))
    }

    /// The state that the person was shown a preview of; an executor refuses to act on any other.
    #[must_use]
    pub fn basis(&self) -> Option<Digest> {
        self.call.basis
    }

    /// The receipt of the intent, where one had to be written.
    #[must_use]
    pub fn intent(&self) -> Option<Digest> {
        self.intent
    }
}

impl PendingCall {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &ValidatedCall {
        &self.call
    }

    /// The decision that asks.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// What the person is asked about.
    #[must_use]
    pub fn subject<'p>(&'p self, facts: &Facts<'p>, workspace: &'p std::path::Path) -> Subject<'p> {
        Subject::of(&self.call, facts, workspace, &self.decision).with_preview(self.preview.as_ref())
    }

    /// Notes a stored answer that would have covered the call and was not believed, with the reason; a few of them tell
    /// enough.
    pub fn doubt_once(&mut self, doubt: String) {
        if self.doubts.len() < MOST_DOUBTS && !self.doubts.contains(&doubt) {
            self.doubts.push(doubt);
        }
    }

    /// The stored answers that were not believed.
    #[must_use]
    pub fn doubts(&self) -> &[String] {
        &self.doubts
    }

    /// Nobody is asked about it: something in the world stands in its way.
    #[must_use]
    pub fn unmet(self, error: CallError) -> UnmetCall {
        UnmetCall { call: self.call, decision: self.decision, error }
    }

    /// Gives the call back, to be authorized again with an answer.
    #[must_use]
    pub fn into_call(self) -> ValidatedCall {
        self.call
    }
}
