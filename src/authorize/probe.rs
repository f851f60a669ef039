//! Calls that the gateway makes itself, to look.

use crate::catalog::ProbePurpose;
use crate::code::{CallError, ErrorCode};
use crate::policy::{Decision, Environment, Verdict};
use crate::validate::ValidatedCall;

use super::{AuthorizedCall, Consent};

/// Lets a call of the gateway's own through: no policy is asked about it. A look can change nothing.
///
/// # Errors
/// Why it cannot be made as the world is; `INTERNAL` for a look by a tool that is not `read_only`.
pub(crate) fn authorize_probe(
    call: ValidatedCall,
    purpose: ProbePurpose,
) -> Result<AuthorizedCall, CallError> {
    if !purpose.permits(call.contract().risk) {
        return Err(CallError::new(ErrorCode::Internal, "a look-up would change something"));
    }
    if let Some(error) = call.obstacle() {
        return Err(error.clone());
    }
    let decision = Decision {
        verdict: Verdict::Allow,
        determined_by: Vec::new(),
        defaults: Vec::new(),
        withheld: Vec::new(),
        environment: Environment::default(),
    };
    Ok(AuthorizedCall { call, decision, consent: Consent::None, basis: None, spends: Vec::new(), stand: 0 })
}
