//! Ending a whole process tree, and knowing which process belongs to which call.
//!
//! The gateway is a child subreaper: whatever a command leaves behind becomes the gateway's own child, so nothing
//! escapes by starting a session or by forking twice. A tag in the environment says which call an orphan came from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, waitpid};

use super::table::{Process, children_of, processes, with_descendants};

/// The name of the environment entry that carries a call's tag.
pub(in crate::execute) const TAG_VARIABLE: &str = "TGW_CALL_TAG";

/// How long ending a tree may take. Only a process that the kernel cannot interrupt lasts so long.
const BOUND: Duration = Duration::from_secs(2);

/// The pause between two looks at processes that were killed and are not gone yet.
const PAUSE: Duration = Duration::from_micros(500);

/// One call's tag, drawn by lot. It names the call to its own gateway, and opens nothing.
pub(in crate::execute) type Tag = u64;

/// Children by their pids, with their calls' tags.
type Live = BTreeMap<i32, Option<Tag>>;

/// The direct children that are wanted, with their calls' tags. `None` for a child that belongs to no call.
static LIVE: Mutex<Live> = Mutex::new(BTreeMap::new());

/// What all tags of this gateway process begin with, chosen at random.
pub(in crate::execute) static TAG_PREFIX: LazyLock<String> = LazyLock::new(|| {
    let mut bytes = [0_u8; 8];
    // Without randomness the pid still tells gateways that are alive apart.
    let number = match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from_ne_bytes(bytes),
        Err(_) => u64::from(getpid().as_raw_nonzero().get().unsigned_abs()),
    };
    format!("{number:016x}-")
});

/// The text of a tag, for the environment.
pub(in crate::execute) fn tag_text(tag: Tag) -> String {
    format!("{}{tag}", *TAG_PREFIX)
}

/// Makes this process inherit the orphans below it. Repeating it changes nothing.
pub(in crate::execute) fn become_subreaper() -> std::io::Result<()> {
    static DONE: LazyLock<Result<(), rustix::io::Errno>> =
        LazyLock::new(|| rustix::process::set_child_subreaper(Some(getpid())));
    (*DONE).map_err(Into::into)
}

/// Starts a child and registers it in one step, so that no sweep takes it for an orphan.
pub(in crate::execute) fn register<E>(
    tag: Option<Tag>,
    start: impl FnOnce() -> Result<Pid, E>,
) -> Result<Pid, E> {
    let mut live = live();
    let pid = start()?;
    live.insert(pid.as_raw_nonzero().get(), tag);
    Ok(pid)
}

/// Ends and collects a child that belongs to no call.
pub(in crate::execute) fn forget(pid: Pid) {
    let _gone = rustix::process::kill_process(pid, Signal::KILL);
    live().remove(&pid.as_raw_nonzero().get());
    let _gone = waitpid(Some(pid), WaitOptions::empty());
}

/// Ends whatever is left of a call whose direct child has ended and is still uncollected, then collects that child.
/// Returns whether nothing is left.
///
/// Cheap when nothing is left: one signal to an empty group and one look at the gateway's own children.
pub(super) fn finish(root: Pid, tag: Tag) -> bool {
    let root_number = root.as_raw_nonzero().get();
    // The child is uncollected, so its number still names its own group and nobody else's.
    let _empty = rustix::process::kill_process_group(root, Signal::KILL);
    let strangers = {
        let live = live();
        children_of(own_pid()).into_iter().any(|pid| !live.contains_key(&pid))
    };
    let gone = !strangers || {
        let hunted = hunt_orphans(root_number, tag);
        kill_until_gone(|table| call_processes(table, root_number, tag)) && hunted
    };
    live().remove(&root_number);
    let _gone = waitpid(Some(root), WaitOptions::NOHANG);
    if strangers {
        collect_orphans();
    }
    gone
}

/// Ends a call's whole tree while its direct child is still running, and collects the child. Returns whether nothing is
/// left.
pub(super) fn end(root: Pid, tag: Tag) -> bool {
    let root_number = root.as_raw_nonzero().get();
    let _gone = rustix::process::kill_process_group(root, Signal::KILL);
    let _gone = rustix::process::kill_process(root, Signal::KILL);
    let hunted = hunt_orphans(root_number, tag);
    let gone = kill_until_gone(|table| {
        let mut found = with_descendants(table, [root_number]);
        found.extend(call_processes(table, root_number, tag));
        found
    });
    // What was below the child has come to the gateway by now.
    let gone = gone && hunted && hunt_orphans(root_number, tag);
    live().remove(&root_number);
    let _gone = waitpid(Some(root), WaitOptions::NOHANG);
    collect_orphans();
    gone
}

/// Kills everything below this process, and leaves the process itself.
pub(in crate::execute) fn end_descendants() {
    let own = own_pid();
    hunt(Zombies::Leave, |_, _| true);
    kill_until_gone(|table| {
        let mut found = with_descendants(table, [own]);
        found.remove(&own);
        found
    });
}

/// Kills every child that comes, and collects it. Returns whether there is none any more.
///
/// To be called where no other thread collects.
pub(in crate::execute) fn collect_descendants() -> bool {
    hunt(Zombies::Collect, |_, _| true)
        && matches!(rustix::process::wait(WaitOptions::NOHANG), Err(rustix::io::Errno::CHILD))
}

/// Sends a signal to everything below this process but for `spared`.
pub(in crate::execute) fn signal_descendants(signal: Signal, spared: i32) {
    let own = own_pid();
    let table = processes();
    let below = with_descendants(&table, [own]);
    let chosen =
        |process: &&Process| below.contains(&process.pid) && process.pid != own && process.pid != spared;
    table.iter().filter(chosen).for_each(|process| process.signal(signal));
}

/// How many processes there are below this one, counting no further than beyond `limit`.
pub(in crate::execute) fn count_descendants(limit: usize) -> usize {
    let mut open = children_of(own_pid());
    let mut seen = 0;
    while let Some(pid) = open.pop() {
        seen += 1;
        if seen > limit {
            break;
        }
        open.extend(children_of(pid));
    }
    seen
}

/// Kills every process that carries a tag with this prefix, with what is in their sessions and below them.
pub(super) fn end_tagged(prefix: &str) {
    let entry = format!("{TAG_VARIABLE}={prefix}");
    let mut sessions = BTreeSet::new();
    kill_until_gone(|table| {
        let tagged: Vec<&Process> = table
            .iter()
            .filter(|process| matches!(process.environment_entry(entry.as_bytes()), Some(Some(_))))
            .collect();
        sessions.extend(tagged.iter().map(|process| process.session));
        let in_session = table.iter().filter(|process| sessions.contains(&process.session));
        let roots: BTreeSet<i32> =
            tagged.iter().copied().chain(in_session).map(|process| process.pid).collect();
        with_descendants(table, roots)
    });
}

/// What belongs to a call besides its direct child's living descendants: its session, and orphans that came from it.
fn call_processes(table: &[Process], root: i32, tag: Tag) -> BTreeSet<i32> {
    let live = live();
    let session = table.iter().filter(|process| process.session == root).map(|process| process.pid);
    let orphans = table
        .iter()
        .filter(|process| is_orphan(process, &live) && belongs(process, root, tag, &live))
        .map(|process| process.pid);
    let roots: Vec<i32> = session.chain(orphans).collect();
    with_descendants(table, roots)
}

/// Whether an orphan came from a call.
fn belongs(process: &Process, root: i32, tag: Tag, live: &Live) -> bool {
    let others = live.iter().any(|(pid, other)| *pid != root && other.is_some());
    !others
        || match origin(process) {
            Some(from) => from == tag || !live.values().any(|other| *other == Some(from)),
            // It hides where it came from. With other calls under way it may be theirs; the last call takes it.
            None => false,
        }
}

/// Whether a command left this process to the gateway. Commands have sessions of their own; other children of this
/// process, such as an editor, are in its session.
fn is_orphan(process: &Process, live: &Live) -> bool {
    process.parent == own_pid()
        && !live.contains_key(&process.pid)
        && Process::read(own_pid()).is_some_and(|own| own.session != process.session)
}

/// The tag of the call that a process came from, where it still shows one of this gateway's.
fn origin(process: &Process) -> Option<Tag> {
    let entry = process.environment_entry(format!("{TAG_VARIABLE}={}", *TAG_PREFIX).as_bytes())??;
    std::str::from_utf8(&entry).ok()?.parse().ok()
}

/// Collects the orphans that have ended.
fn collect_orphans() {
    let live = live();
    for pid in children_of(own_pid()) {
        if let Some(process) = Process::read(pid)
            && process.zombie
            && is_orphan(&process, &live)
        {
            let _gone = waitpid(Pid::from_raw(pid), WaitOptions::NOHANG);
        }
    }
}

/// Whether children that have ended are collected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Zombies {
    Collect,
    /// Another thread does.
    Leave,
}

/// Ends the orphans of a call as they come. Returns whether none is left.
fn hunt_orphans(root: i32, tag: Tag) -> bool {
    hunt(Zombies::Collect, |process, live| is_orphan(process, live) && belongs(process, root, tag, live))
}

/// Kills the unwanted children that `select` picks until two looks in a row find none. Returns whether that came about.
///
/// A program that forks and exits without a pause leaves each new process to this one, as a child, before it is done with
/// the next fork: looking at the children alone and killing at once is fast enough to come between the two.
fn hunt(zombies: Zombies, select: impl Fn(&Process, &Live) -> bool) -> bool {
    let started = Instant::now();
    let own = own_pid();
    let own_group = Process::read(own).map(|own| own.group);
    let mut quiet = 0;
    while quiet < 2 {
        if started.elapsed() > BOUND {
            return false;
        }
        quiet += 1;
        // Held, so that no other call collects one of them and its number names another process.
        let live = live();
        // The newest is last.
        for pid in children_of(own).into_iter().rev().filter(|pid| !live.contains_key(pid)) {
            let Some(process) = Process::read(pid).filter(|process| select(process, &live)) else { continue };
            match (process.zombie, zombies) {
                (false, _) => {
                    quiet = 0;
                    if process.group != 0 && Some(process.group) != own_group {
                        process.signal_group(Signal::KILL);
                    }
                    process.signal(Signal::KILL);
                }
                (true, Zombies::Collect) => {
                    quiet = 0;
                    let _gone = waitpid(Pid::from_raw(pid), WaitOptions::NOHANG);
                }
                (true, Zombies::Leave) => {}
            }
        }
    }
    true
}

/// Kills what `select` picks from the process table, again and again until nothing of it is left alive. Returns whether
/// that came about.
fn kill_until_gone(mut select: impl FnMut(&[Process]) -> BTreeSet<i32>) -> bool {
    let started = Instant::now();
    let own = own_pid();
    let own_group = Process::read(own).map(|own| own.group);
    loop {
        let table = processes();
        let chosen = select(&table);
        let alive: Vec<&Process> = table
            .iter()
            .filter(|process| chosen.contains(&process.pid) && !process.zombie && process.pid != own)
            .collect();
        if alive.is_empty() || started.elapsed() > BOUND {
            return alive.is_empty();
        }
        for process in alive {
            if Some(process.group) != own_group && process.group == process.pid {
                process.signal_group(Signal::KILL);
            }
            process.signal(Signal::KILL);
        }
        std::thread::sleep(PAUSE);
    }
}

fn live() -> MutexGuard<'static, Live> {
    // The map is whole after every statement, so a panic elsewhere leaves nothing half done.
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn own_pid() -> i32 {
    getpid().as_raw_nonzero().get()
}
