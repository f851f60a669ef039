//! Something that answers calls in place of what would run them.

use std::pin::Pin;

use crate::present::Captured;
use crate::validate::ValidatedCall;

/// Answers reserved calls in place of their executors, so that nothing outside is touched: no program starts, no file
/// changes, no credential is resolved.
pub trait StandIn {
    /// What the call brings back.
    fn run<'a>(&'a self, call: &'a ValidatedCall) -> Pin<Box<dyn Future<Output = Captured> + 'a>>;
}
