//! Something that answers calls in place of what would run them.

use std::pin::Pin;

use crate::present::Captured;
use crate::validate::ValidatedCall;

/// Answers reserved calls in place of their executors, so that nothing outside is touched: no program starts, no file
/// changes, no credential is resolved.
pub trait StandIn {
    /// What the call brings back.
    fn run<'a>(&'a self, call: &'a ValidatedCall) -> Pin<Box<dyn Future<Output = Captured> + 'a>>;

    /// What a look-up saw, in place of the contract's condition over what it brought back; `None` where that is to be asked.
    ///
    /// What stands in for a backend knows whether something is so, and could only make up a value that says it.
    fn sees(&self, _: Look) -> Option<bool> {
        None
    }
}

/// What a look-up is to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Whether a precondition holds.
    Precondition,
    /// Whether an effect that is not known is found.
    Found,
    /// Whether it is provably not there.
    Absent,
    /// Whether an effect is as its call says.
    Verified,
}
