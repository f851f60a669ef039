//! A call that waits for what the ledger knows of its effect.

use crate::policy::Decision;
use crate::validate::ValidatedCall;

use super::{Authorization, AuthorizedCall, Consent, DeniedCall};

/// A call that the policy does not deny, and that the ledger must be asked about before anything else happens to it.
#[derive(Debug)]
pub struct HeldCall {
    call: ValidatedCall,
    decision: Decision,
    consent: Consent,
}

impl HeldCall {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &ValidatedCall {
        &self.call
    }

    /// The decision that did not deny it.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Gives the call back, with the consent that it came with, to be authorized again.
    #[must_use]
    pub fn into_parts(self) -> (ValidatedCall, Consent) {
        (self.call, self.consent)
    }
}

impl Authorization {
    /// The call, where the policy does not deny it.
    #[must_use]
    pub fn undenied(&self) -> Option<&ValidatedCall> {
        match self {
            Self::Allowed(authorized) => Some(&authorized.call),
            Self::Ask(pending) => Some(&pending.call),
            Self::Unmet(unmet) => Some(&unmet.call),
            Self::Denied(_) => None,
        }
    }

    /// Takes away what was authorized: the ledger knows the effect already. A denied call stays denied.
    ///
    /// # Errors
    /// The denied call.
    pub fn hold(self) -> Result<HeldCall, Box<DeniedCall>> {
        let (call, decision, consent) = match self {
            Self::Allowed(authorized) => (authorized.call, authorized.decision, authorized.consent),
            Self::Ask(pending) => (pending.call, pending.decision, Consent::None),
            Self::Unmet(unmet) => (unmet.call, unmet.decision, Consent::None),
            Self::Denied(denied) => return Err(denied),
        };
        Ok(HeldCall { call, decision, consent })
    }
}

impl AuthorizedCall {
    /// Takes away what was authorized: the ledger knows the effect already.
    #[must_use]
    pub fn hold(self) -> HeldCall {
        HeldCall { call: self.call, decision: self.decision, consent: self.consent }
    }
}
