//! Which process carries out an effect, and whether it still lives.

use std::fs;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is known about the process that an effect was reserved by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    /// It lives, on this machine.
    Alive,
    /// It lived on this machine and is gone.
    Dead,
    /// It is, or was, where this process cannot look: only the lease tells.
    Elsewhere,
}

/// The name of this process among all that ever ran: the machine's boot, the pid namespace, the number, the time of its
/// start. Where `/proc` does not say, it is a name that is looked for nowhere.
fn this_process() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let pid = std::process::id();
        match (place(), started(pid)) {
            (Some(place), Some(started)) => format!("{place}/{pid}/{started}"),
            _ => format!("unknown/{pid}"),
        }
    })
}

/// A name for one gateway of this process, which no other gateway has.
#[must_use]
pub fn new_owner() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}#{}", this_process(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Whether the process of a gateway with this name still lives.
#[must_use]
pub fn liveness(owner: &str) -> Liveness {
    let name = owner.split('#').next().unwrap_or_default();
    if name == this_process() {
        return Liveness::Alive;
    }
    let mut parts = name.rsplitn(3, '/');
    let (Some(started_then), Some(pid), Some(place_then)) = (parts.next(), parts.next(), parts.next()) else {
        return Liveness::Elsewhere;
    };
    let (Ok(pid), Some(place)) = (pid.parse::<u32>(), place()) else { return Liveness::Elsewhere };
    if place != place_then {
        return Liveness::Elsewhere;
    }
    match started(pid) {
        Some(started) if started == started_then => Liveness::Alive,
        Some(_) | None => Liveness::Dead,
    }
}

/// The boot of this machine and the pid namespace, within which a number names a process.
fn place() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{}/{}", boot.trim(), namespace.to_string_lossy()))
}

/// When a process started, in clock ticks since the boot; `None` where there is none, or it has ended.
fn started(pid: u32) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in the second field may hold anything, brackets and spaces too.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let ended = matches!(fields.next()?, "Z" | "X");
    fields.nth(18).filter(|_| !ended).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_told_from_a_later_one_with_its_number() {
        let own = this_process();
        assert_eq!(liveness(&new_owner()), Liveness::Alive);
        assert_ne!(new_owner(), new_owner());
        let (rest, _) = own.rsplit_once('/').unwrap();
        assert_eq!(liveness(&format!("{rest}/1")), Liveness::Dead);
        assert_eq!(liveness("another-boot/pid:[1]/1/1"), Liveness::Elsewhere);
        assert_eq!(liveness("unknown/7"), Liveness::Elsewhere);
        assert_eq!(liveness(""), Liveness::Elsewhere);
    }

    #[test]
    fn another_process_that_lives_is_alive() {
        let parent = std::os::unix::process::parent_id();
        if let (Some(place), Some(started)) = (place(), started(parent)) {
            assert_eq!(liveness(&format!("{place}/{parent}/{started}")), Liveness::Alive);
        }
    }
}
