//! One direct child of the gateway, from its start until its whole tree is gone.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open, waitid,
};
use tokio::io::unix::AsyncFd;

use super::spawn::{self, Start};
use super::tree::{self, Tag};

/// How a child is told to end.
pub(in crate::execute) enum Control {
    /// By signals to its session's group.
    Signals,
    /// By a supervisor that reads this pipe: a byte asks for an orderly end, closing it kills everything.
    Supervisor(Option<OwnedFd>),
}

/// How a direct child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::execute) enum ChildEnd {
    /// By itself, with this status.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
}

/// A running child. Dropping it ends its tree.
pub(in crate::execute) struct Child {
    pid: Pid,
    tag: Tag,
    control: Control,
    /// A process descriptor, readable once the child has ended: waiting needs no signal handler.
    handle: AsyncFd<OwnedFd>,
    collected: bool,
    /// Whether something of its tree could not be ended.
    survivors: bool,
}

/// The tag for a new call: drawn by lot, so that a command cannot guess another's and pass its processes off as of that.
pub(in crate::execute) fn next_tag() -> Tag {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    // Without randomness a number still tells calls apart.
    getrandom::u64().unwrap_or_else(|_| NEXT.fetch_add(1, Ordering::Relaxed))
}

impl Child {
    /// Starts a child. Needs a tokio runtime.
    ///
    /// # Errors
    /// What the kernel says; nothing is running then.
    pub(in crate::execute) fn start(start: &Start<'_>, tag: Tag, control: Control) -> io::Result<Self> {
        Self::registered(start, tag, Some(tag), control)
    }

    /// Starts a child that outlives the calls around it. Its supervisor keeps its orphans, so that none of those that come
    /// to the gateway is taken for one of them.
    ///
    /// # Errors
    /// As [`Child::start`].
    pub(in crate::execute) fn start_apart(start: &Start<'_>, tag: Tag, control: Control) -> io::Result<Self> {
        Self::registered(start, tag, None, control)
    }

    fn registered(start: &Start<'_>, tag: Tag, call: Option<Tag>, control: Control) -> io::Result<Self> {
        tree::become_subreaper()?;
        let pid = tree::register(call, || spawn::spawn(start))?;
        let handle = pidfd_open(pid, PidfdFlags::NONBLOCK).map_err(io::Error::from).and_then(spawn::watch);
        match handle {
            Ok(handle) => Ok(Self { pid, tag, control, handle, collected: false, survivors: false }),
            Err(error) => {
                tree::end(pid, tag);
                Err(error)
            }
        }
    }

    /// Waits for the child's end and leaves it uncollected. May be dropped and called again.
    ///
    /// # Errors
    /// What the kernel says.
    pub(in crate::execute) async fn ended(&self) -> io::Result<ChildEnd> {
        loop {
            let mut ready = self.handle.readable().await?;
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            if let Some(status) = waitid(WaitId::PidFd(self.handle.get_ref().as_fd()), options)? {
                return Ok(match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => ChildEnd::Exited(code),
                    (None, Some(signal)) => ChildEnd::Signalled(signal),
                    (None, None) => return Err(io::Error::other("a child ended in no known way")),
                });
            }
            ready.clear_ready();
        }
    }

    /// Whether the child has ended.
    pub(in crate::execute) fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.collected || !matches!(waitid(WaitId::PidFd(self.handle.get_ref().as_fd()), options), Ok(None))
    }

    /// Waits for the child's end without the runtime, which may be gone; returns whether it came.
    pub(in crate::execute) fn ends_within(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while !self.has_ended() {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(left) = Timespec::try_from(left) else { return false };
            let mut waited = [PollFd::new(self.handle.get_ref(), PollFlags::IN)];
            // An interrupted wait is begun again.
            let _interrupted = poll(&mut waited, Some(&left));
            if until <= Instant::now() {
                return self.has_ended();
            }
        }
        true
    }

    /// Asks the child to end in an orderly way.
    pub(in crate::execute) fn terminate(&self) {
        // Failing means that it has ended already.
        let _gone = match &self.control {
            Control::Signals => kill_process_group(self.pid, Signal::TERM),
            Control::Supervisor(Some(pipe)) => rustix::io::write(pipe, b"T").map(drop),
            Control::Supervisor(None) => Ok(()),
        };
    }

    /// Ends the whole tree. A supervisor does so by itself, and [`Child::ended`] then returns soon.
    pub(in crate::execute) fn kill(&mut self) {
        match &mut self.control {
            Control::Signals => self.end_tree(),
            Control::Supervisor(pipe) => drop(pipe.take()),
        }
    }

    /// Ends the whole tree, the supervisor too.
    pub(in crate::execute) fn end_tree(&mut self) {
        if !self.collected {
            self.collected = true;
            self.survivors = !tree::end(self.pid, self.tag);
        }
    }

    /// Cleans up after the child ended by itself: ends what it left behind, and collects it. Returns whether something
    /// could not be ended.
    pub(in crate::execute) fn finish(&mut self) -> bool {
        if !self.collected {
            self.collected = true;
            self.survivors = !tree::finish(self.pid, self.tag);
        }
        self.survivors
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end_tree();
    }
}
