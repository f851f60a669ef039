//! The signals that end a stream.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Whether this process handles these signals itself: what was registered once is never left to the system again.
static HANDLED: AtomicBool = AtomicBool::new(false);

/// SIGINT, SIGTERM, and SIGHUP where whoever started this process did not ask to survive it.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Option<Signal>,
}

impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        let hangup = if hangup_is_ignored() { None } else { Some(signal(SignalKind::hangup())?) };
        let signals = Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup,
        };
        HANDLED.store(true, Ordering::Release);
        Ok(signals)
    }

    /// Does some work, unless one of them comes; says whether the work was done.
    pub(crate) async fn none_during(&mut self, work: impl Future<Output = ()>) -> bool {
        tokio::select! {
            biased;
            () = work => true,
            () = self.received() => false,
        }
    }

    /// Waits for the next of them.
    pub(crate) async fn received(&mut self) {
        let hangup = async {
            match &mut self.hangup {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = hangup => {}
        }
    }
}

/// Watches for these signals from a thread of its own, until it is dropped: for work that holds up the thread on which
/// others wait for them. They hear of the signal as well, once they can.
pub(crate) struct SignalWatch {
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl SignalWatch {
    /// Raises the flag once one of them comes. `None` where the signals are left to the system, which ends the process, or
    /// where there is no thread to be had: the work then goes on to its end.
    pub(crate) fn start(flag: Arc<AtomicBool>) -> Option<Self> {
        if !HANDLED.load(Ordering::Acquire) {
            return None;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().ok()?;
        let (end, ended) = oneshot::channel();
        let mut signals = {
            let _inside = runtime.enter();
            Signals::new().ok()?
        };
        let watch = move || {
            runtime.block_on(async {
                tokio::select! {
                    () = signals.received() => flag.store(true, Ordering::Release),
                    _ = ended => {}
                }
            });
        };
        let thread = std::thread::Builder::new().name("signals".to_owned()).spawn(watch).ok()?;
        Some(Self { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for SignalWatch {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // It can only have ended, by a signal or because it was told to.
            let _ended = thread.join();
        }
    }
}

/// Whether SIGHUP was ignored from the start, as under `nohup`: the stream then outlives its terminal. Where the system
/// does not tell, it was not.
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Bit 0 is signal 1.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_heard_while_the_thread_that_waits_for_it_is_held_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let _inside = runtime.enter();
        let mut waiting = Signals::new().unwrap();
        let flag = Arc::new(AtomicBool::new(false));
        let watch = SignalWatch::start(Arc::clone(&flag)).unwrap();
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM).unwrap();
        // Nothing runs on this thread's runtime meanwhile.
        while !flag.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        drop(watch);
        runtime.block_on(waiting.received());
    }

    #[test]
    fn a_watch_ends_without_a_signal() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let _inside = runtime.enter();
        let _waiting = Signals::new().unwrap();
        drop(SignalWatch::start(Arc::default()).unwrap());
    }
}
