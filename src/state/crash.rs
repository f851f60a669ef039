//! The one place that every commit to a store passes, at which a debug build can be made to die.
//!
//! `TGW_CRASH_AT=N:before` has the process end itself with SIGKILL right before its commit number N, `N:after` right
//! after it; 1 is its first. The crash tests go through all commits in this way. A release build has nothing of it, and
//! neither has a process that a call starts: it is not given the variable.

/// Runs a commit.
#[inline]
pub(super) fn committing<T>(commit: impl FnOnce() -> T) -> T {
    #[cfg(debug_assertions)]
    let number = fail_point::begin();
    let committed = commit();
    #[cfg(debug_assertions)]
    fail_point::end(number);
    committed
}

#[cfg(debug_assertions)]
mod fail_point {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use rustix::process::{Signal, getpid, kill_process};

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Side {
        Before,
        After,
    }

    /// Where this process is to die; `None` where it is not.
    static DIES: LazyLock<Option<(u64, Side)>> = LazyLock::new(|| read(&std::env::var("TGW_CRASH_AT").ok()?));

    fn read(text: &str) -> Option<(u64, Side)> {
        let (number, side) = text.split_once(':')?;
        let side = match side {
            "before" => Side::Before,
            "after" => Side::After,
            _ => return None,
        };
        Some((number.parse().ok()?, side))
    }

    /// Counts the commit that begins, and returns its number.
    pub(super) fn begin() -> u64 {
        static BEGUN: AtomicU64 = AtomicU64::new(0);
        let number = BEGUN.fetch_add(1, Ordering::Relaxed) + 1;
        die_at(number, Side::Before);
        number
    }

    pub(super) fn end(number: u64) {
        die_at(number, Side::After);
    }

    fn die_at(number: u64, side: Side) {
        if *DIES == Some((number, side)) {
            let _never_returns = kill_process(getpid(), Signal::KILL);
        }
    }
}
