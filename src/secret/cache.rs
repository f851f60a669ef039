//! Values that programs printed, kept in this process for as long as the manifest says.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Mutex;
use zeroize::Zeroizing;

use crate::clock::{Clock, Timestamp};
use crate::ident::CredentialName;

/// A value, or why there is none.
type Outcome = Result<Zeroizing<Vec<u8>>, &'static str>;

/// Values by credential. Calls that need one at the same time wait for the same program.
#[derive(Default)]
pub struct CredentialCache {
    slots: RefCell<BTreeMap<CredentialName, Rc<Slot>>>,
}

#[derive(Default)]
struct Slot {
    /// How often a program has ended.
    ended: Cell<u64>,
    /// What the last one brought, and until when it is kept. Held while one runs.
    last: Mutex<Option<(Outcome, Timestamp)>>,
}

impl CredentialCache {
    /// The value that is kept, or else what `fetch` brings. Whoever waited while another fetched takes what that one brought, be it a
    /// failure; a failure is kept for nobody else.
    pub(super) async fn get(
        &self,
        name: &CredentialName,
        kept: Duration,
        clock: &Clock,
        fetch: impl Future<Output = Outcome>,
    ) -> Outcome {
        let slot = Rc::clone(self.slots.borrow_mut().entry(name.clone()).or_default());
        let seen = slot.ended.get();
        let mut last = slot.last.lock().await;
        if let Some((outcome, until)) = &*last
            && (slot.ended.get() != seen || (outcome.is_ok() && clock.now() < *until))
        {
            return outcome.clone();
        }
        // The time counts from before: a value may be as old as its program's start.
        let until = clock.now().plus(kept);
        let outcome = fetch.await;
        slot.ended.set(seen.wrapping_add(1));
        *last = Some((outcome.clone(), until));
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: Duration = Duration::from_secs(300);

    fn at(seconds: u64) -> Clock {
        Clock::Fixed(Timestamp(seconds * 1000))
    }

    fn name() -> CredentialName {
        CredentialName::parse("c").unwrap()
    }

    fn bytes(text: &str) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(text.as_bytes().to_vec())
    }

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
    }

    #[test]
    fn a_value_is_fetched_again_once_its_time_is_over() {
        let cache = CredentialCache::default();
        let get = |seconds: u64, value: &str| {
            let fetched = bytes(value);
            run(cache.get(&name(), KEPT, &at(seconds), async move { Ok(fetched) })).unwrap()
        };
        assert_eq!(*get(0, "first"), *b"first");
        assert_eq!(*get(299, "second"), *b"first");
        assert_eq!(*get(300, "third"), *b"third");
        assert_eq!(*get(599, "fourth"), *b"third");
    }

    #[test]
    fn a_failure_is_kept_for_nobody_who_comes_later() {
        let cache = CredentialCache::default();
        assert_eq!(run(cache.get(&name(), KEPT, &at(0), async { Err("down") })), Err("down"));
        assert_eq!(run(cache.get(&name(), KEPT, &at(0), async { Ok(bytes("up")) })), Ok(bytes("up")));
    }

    #[test]
    fn those_who_come_together_wait_for_one_program() {
        for outcome in [Ok(bytes("value")), Err("down")] {
            let cache = CredentialCache::default();
            let runs = Cell::new(0);
            let (clock, name) = (at(0), name());
            let fetch = || async {
                runs.set(runs.get() + 1);
                tokio::task::yield_now().await;
                outcome.clone()
            };
            let get = || cache.get(&name, KEPT, &clock, fetch());
            let all = run(async { tokio::join!(get(), get(), get()) });
            assert_eq!(all, (outcome.clone(), outcome.clone(), outcome.clone()));
            assert_eq!(runs.get(), 1);
        }
    }

    #[test]
    fn whoever_waits_for_a_program_that_is_given_up_runs_it_anew() {
        let cache = CredentialCache::default();
        let (clock, name) = (at(0), name());
        run(async {
            {
                let first = cache.get(&name, KEPT, &clock, std::future::pending());
                let first = std::pin::pin!(first);
                let mut context = std::task::Context::from_waker(std::task::Waker::noop());
                assert!(first.poll(&mut context).is_pending());
            }
            assert_eq!(cache.get(&name, KEPT, &clock, async { Ok(bytes("x")) }).await, Ok(bytes("x")));
        });
    }
}
