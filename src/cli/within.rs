//! Whether this command was started by a call.

use std::fs;
use std::os::unix::fs::MetadataExt;

use super::exit::Failure;

/// Most generations that are looked at.
const MOST_ANCESTORS: usize = 256;

/// Refuses from within a call what is a person's to do: a model must not do by a command what it cannot do by a line. `what` says
/// what would be done, after "cannot".
///
/// This is a second guard. What a sandbox confines cannot reach the store; what runs without one, under the same user, can do
/// whatever that user can, which is what the policy must keep for people.
pub(crate) fn refuse_in_a_call(what: &str) -> Result<(), Failure> {
    if is_in_a_call() {
        return Err(Failure {
            status: 3,
            ..Failure::failed(format!("a command that a call runs cannot {what}"))
        }
        .with_hint("the harness or a person does, outside of every call"));
    }
    Ok(())
}

fn is_in_a_call() -> bool {
    let Ok(own) = fs::metadata("/proc/self/exe") else { return false };
    let mut pid = std::os::unix::process::parent_id();
    for _ in 0..MOST_ANCESTORS {
        // The kernel's own, and what another namespace began, have no parent that can be seen.
        if pid == 0 {
            return false;
        }
        let program = fs::metadata(format!("/proc/{pid}/exe"));
        if program.is_ok_and(|program| (program.dev(), program.ino()) == (own.dev(), own.ino())) {
            return true;
        }
        match parent_of(pid) {
            Some(parent) => pid = parent,
            None => return false,
        }
    }
    true
}

fn parent_of(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}
