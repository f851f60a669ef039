//! What the kernel says about one process, read from `/proc/PID/stat`.

use std::fs;

/// The line of one process in the kernel's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessStat {
    /// Its parent's number.
    pub(crate) parent: i32,
    /// 0 where the group's leader is outside this process's pid namespace.
    pub(crate) group: i32,
    /// 0 where the session's leader is outside this process's pid namespace.
    pub(crate) session: i32,
    /// It has ended and waits to be collected.
    pub(crate) zombie: bool,
    /// Clock ticks since boot; with the number it names one process for ever.
    pub(crate) started: u64,
}

impl ProcessStat {
    /// Reads one process; `None` when it is gone.
    pub(crate) fn read(pid: i32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Reads this process.
    pub(crate) fn own() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/self/stat").ok()?)
    }

    /// The name in the second field may hold anything, brackets and spaces too, so fields count from its last bracket.
    fn parse(text: &str) -> Option<Self> {
        let (_, rest) = text.rsplit_once(')')?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let session = fields.next()?.parse().ok()?;
        let started = fields.nth(15)?.parse().ok()?;
        Some(Self { parent, group, session, zombie: matches!(state, "Z" | "X"), started })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let line = "7 (a) Z 1 (b c) S 5 6 4 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242 9 9";
        assert_eq!(
            ProcessStat::parse(line),
            Some(ProcessStat { parent: 5, group: 6, session: 4, zombie: false, started: 4242 })
        );
        assert_eq!(ProcessStat::parse("7 (a) S 5"), None);
    }
}
