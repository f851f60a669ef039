//! Ending everything that a command started, at one blow where the kernel can.
//!
//! A program that forks and exits without a pause is never where a look at the process table finds it. One signal to
//! every process that this one may signal misses nothing: the kernel lets no fork finish past it. So the launcher gives
//! up signalling what is outside, with the command that it starts, and such a signal reaches the command's tree alone.

use std::io;

use landlock::{Access as _, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetStatus, Scope};
use rustix::io::Errno;
use rustix::process::{getppid, test_kill_process};

use crate::execute::process::tree;

use super::{Confinement, restrict};

/// How a launcher ends its command's tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// By a signal to everything in reach, which is the tree.
    Reach,
    /// By looking for what is there, until nothing is.
    Search,
}

impl Ending {
    /// Prepares the end of a command that has not started. To be called before this process has a second thread.
    ///
    /// # Errors
    /// When the kernel grants no such bound; nothing may be started then.
    pub(super) fn prepare(confinement: &Confinement) -> io::Result<Self> {
        match confinement {
            // Bubblewrap's first process takes its whole namespace with it. Without a sandbox a command may signal others.
            Confinement::Bubblewrap { .. } | Confinement::Unconfined => Ok(Self::Search),
            Confinement::Landlock => {
                let status = Ruleset::default()
                    .set_compatibility(CompatLevel::HardRequirement)
                    .scope(Scope::from_all(restrict::REQUIRED) & Scope::Signal)
                    .and_then(Ruleset::create)
                    .and_then(landlock::RulesetCreated::restrict_self)
                    .map_err(io::Error::other)?;
                if status.ruleset != RulesetStatus::FullyEnforced || !is_bounded() {
                    return Err(io::Error::other("signals cannot be bounded"));
                }
                Ok(Self::Reach)
            }
        }
    }

    /// Ends everything below this process, and leaves the process itself.
    pub(super) fn end(self) {
        match self {
            // Asked anew each time, since what is in reach is killed.
            Self::Reach if is_bounded() => kill_reachable(),
            Self::Reach | Self::Search => tree::end_descendants(),
        }
    }

    /// Ends everything below this process and collects it; returns whether nothing is left.
    ///
    /// To be called where no other thread collects.
    pub(super) fn end_and_collect(self) -> bool {
        self.end();
        tree::collect_descendants()
    }
}

/// Whether this process cannot signal the one that started it, which is outside.
fn is_bounded() -> bool {
    getppid().is_some_and(|parent| test_kill_process(parent) == Err(Errno::PERM))
}

#[expect(unsafe_code, reason = "the pid that means every process has no safe interface")]
fn kill_reachable() {
    // SAFETY: the call takes two numbers and touches no memory of this process.
    let _none_left = unsafe { libc::kill(-1, libc::SIGKILL) };
}
