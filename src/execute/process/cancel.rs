//! Cancelling: one side says stop, the other side waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Tells running work to stop. Clones share one state, and cancelling is final.
#[derive(Debug, Clone, Default)]
pub struct CancelToken {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    changed: Notify,
}

impl CancelToken {
    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::Release);
        self.shared.changed.notify_waiters();
    }

    /// Whether the work was asked to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::Acquire)
    }

    /// Waits until the work is asked to stop. May be dropped and called again at any time.
    pub async fn cancelled(&self) {
        // The waiter is registered before the flag is read, so that a cancel between the two is not missed.
        let changed = self.shared.changed.notified();
        if !self.is_cancelled() {
            changed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_cancel_reaches_earlier_and_later_waiters_through_every_clone() {
        let token = CancelToken::default();
        let other = token.clone();
        let (_, ()) = tokio::join!(token.cancelled(), async { other.cancel() });
        token.cancelled().await;
        assert!(token.is_cancelled());
    }
}
