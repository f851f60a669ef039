//! Calls that the gateway makes itself, to look.

use crate::catalog::Risk;
use crate::code::{CallError, ErrorCode};
use crate::policy::{Decision, Environment, Verdict};
use crate::validate::ValidatedCall;

use super::{AuthorizedCall, Consent};

/// Lets a look-up of the gateway's own through: no policy is asked about it, and it can change nothing.
///
/// # Errors
/// Why it cannot be made as the world is; `INTERNAL` for a tool that is not `read_only`.
pub(crate) fn authorize_probe(call: ValidatedCall) -> Result<AuthorizedCall, CallError> {
    if call.contract().risk != Risk::ReadOnly {
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
