//! The signals that end a stream.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGINT, SIGTERM, and SIGHUP where whoever started this process did not ask to survive it.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Option<Signal>,
}

impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        let hangup = if hangup_is_ignored() { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup,
        })
    }

    /// Does some work, unless one of them comes; says whether the work was done.
    pub(super) async fn none_during(&mut self, work: impl Future<Output = ()>) -> bool {
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

/// Whether SIGHUP was ignored from the start, as under `nohup`: the stream then outlives its terminal. Where the system
/// does not tell, it was not.
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Bit 0 is signal 1.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
