//! What the status of an answer says by itself, where the contract does not.

use std::time::Duration;

use crate::code::{CallError, ErrorCode, Retry};

/// Whether a status says by its definition that the request was not carried out.
///
/// What a server says of itself (500 and above) does not, since it may have begun; nor what may mean that the same request
/// came before: 408, and 409 where the service was told an effect key, by which it may know an earlier one.
pub(super) fn is_refusal(status: u16, is_keyed: bool, retry_after: Option<Duration>) -> bool {
    match status {
        400..=407 | 410..=417 | 421..=423 | 426 | 428 | 429 | 431 | 451 => true,
        409 => !is_keyed,
        503 => retry_after.is_some(),
        _ => false,
    }
}

/// The error that a status without success is.
pub(super) fn error_of(status: u16, retry_after: Option<Duration>) -> CallError {
    let said = described(status);
    let said = format!("the service answered {said}");
    let (code, retry, hint) = match status {
        401 | 403 => (
            ErrorCode::BackendDenied,
            Retry::Never,
            "the gateway had allowed it: ask the person whether the service's permissions are as they should be",
        ),
        409 | 412 => (
            ErrorCode::PreconditionFailed,
            Retry::ChangedCall,
            "something changed there: look at the object again, and call with what holds now",
        ),
        429 => (
            ErrorCode::BackendUnavailable,
            Retry::Later,
            "it takes no more requests for now: call again later",
        ),
        502..=504 => (ErrorCode::BackendUnavailable, Retry::Later, "call again later"),
        500.. => (ErrorCode::ExecutionFailed, Retry::Later, "the fault is the service's: call again later"),
        300..=399 => (
            ErrorCode::ExecutionFailed,
            Retry::Never,
            "it points to another place, and the contract does not follow that: see `redirects`",
        ),
        _ => (ErrorCode::ExecutionFailed, Retry::ChangedCall, "change the call before sending it again"),
    };
    let mut error = CallError::new(code, said);
    error.retry = retry;
    let wait = retry_after.filter(|_| retry == Retry::Later);
    error.with_hint(match wait {
        Some(wait) => {
            format!("the service asks to wait {} s before it is called again", wait.as_secs().max(1))
        }
        None => hint.to_owned(),
    })
}

/// A status with its usual words.
pub(super) fn described(status: u16) -> String {
    let words = hyper::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    match words {
        Some(words) => format!("{status} ({words})"),
        None => status.to_string(),
    }
}
