//! What the kernel says about processes, read from `/proc`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Deref;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};

use crate::kernel::ProcessStat;

/// One line of the process table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: i32,
    stat: ProcessStat,
}

impl Deref for Process {
    type Target = ProcessStat;

    fn deref(&self) -> &ProcessStat {
        &self.stat
    }
}

impl Process {
    /// Reads one process; `None` when it is gone.
    pub(super) fn read(pid: i32) -> Option<Self> {
        ProcessStat::read(pid).map(|stat| Self { pid, stat })
    }

    /// Sends a signal to exactly this process, or to nobody when its number has gone to another.
    pub(super) fn signal(&self, signal: Signal) {
        let Some(pid) = Pid::from_raw(self.pid) else { return };
        if let Ok(handle) = pidfd_open(pid, PidfdFlags::empty())
            && Self::read(self.pid).is_some_and(|now| now.started == self.started)
        {
            // Gone already is as good as ended.
            let _gone = pidfd_send_signal(handle, signal);
        }
    }

    /// Sends a signal to its whole group at once, which a program that forks without end cannot outrun.
    pub(super) fn signal_group(&self, signal: Signal) {
        if let Some(group) = Pid::from_raw(self.group) {
            let _gone = kill_process_group(group, signal);
        }
    }

    /// Whether its first environment holds an entry that begins with `prefix`; `None` when that cannot be read.
    pub(super) fn environment_entry(&self, prefix: &[u8]) -> Option<Option<Vec<u8>>> {
        let environment =
            fs::read(format!("/proc/{}/environ", self.pid)).ok().filter(|text| !text.is_empty())?;
        Some(
            environment
                .split(|byte| *byte == 0)
                .find_map(|entry| entry.strip_prefix(prefix))
                .map(<[u8]>::to_vec),
        )
    }
}

/// Every process, in ascending order of pid.
pub(super) fn processes() -> Vec<Process> {
    let mut found: Vec<Process> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(Process::read)
        .collect();
    found.sort_unstable_by_key(|process| process.pid);
    found
}

/// The pids of `roots` and of everything below them, as the table shows it.
pub(super) fn with_descendants(table: &[Process], roots: impl IntoIterator<Item = i32>) -> BTreeSet<i32> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for process in table {
        children.entry(process.parent).or_default().push(process.pid);
    }
    let mut found = BTreeSet::new();
    let mut open: Vec<i32> = roots.into_iter().collect();
    while let Some(pid) = open.pop() {
        if found.insert(pid) {
            open.extend(children.get(&pid).into_iter().flatten());
        }
    }
    found
}

/// The pids of a process's direct children, cheaply where the kernel keeps that list.
pub(super) fn children_of(pid: i32) -> Vec<i32> {
    let Some(listed) = listed_children(pid) else {
        return processes()
            .iter()
            .filter(|process| process.parent == pid)
            .map(|process| process.pid)
            .collect();
    };
    listed
}

/// `None` where the kernel was built without `CONFIG_PROC_CHILDREN`.
fn listed_children(pid: i32) -> Option<Vec<i32>> {
    let mut found = Vec::new();
    for task in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        match fs::read_to_string(task.path().join("children")) {
            Ok(text) => found.extend(text.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok())),
            // A thread may end while it is being looked at; a file that no thread has is another matter.
            Err(_) if task.path().exists() => return None,
            Err(_) => {}
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_include_the_roots_and_all_levels() {
        let line = |pid, parent| Process {
            pid,
            stat: ProcessStat { parent, group: 1, session: 1, zombie: false, started: 0 },
        };
        let table = [line(1, 0), line(2, 1), line(3, 2), line(4, 3), line(5, 1)];
        assert_eq!(with_descendants(&table, [2]), BTreeSet::from([2, 3, 4]));
    }
}
