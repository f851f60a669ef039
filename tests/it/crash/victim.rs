//! A process that is killed, at one of its commits or at any other moment.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::{Run, Space};
use crate::pipeline::signal;

/// What has not come by then never will.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a process is told to do.
#[derive(Debug, Clone)]
pub(super) enum Victim {
    /// `tgw run` over these lines.
    Stream(Vec<String>),
    /// `tgw approvals run`.
    Redeem(String),
    /// `tgw approvals approve`.
    Answer { id: String, digest: String },
    /// `tgw effects reconcile`.
    Reconcile,
    /// `tgw effects watch`.
    Watch,
    /// `tgw effects resolve`.
    Resolve { id: String, settled: &'static str },
}

impl Victim {
    fn run<'s>(&'s self, space: &'s Space) -> Run<'s> {
        match self {
            Self::Stream(_) => space.stream(&[]),
            Self::Redeem(id) => space.tgw(["approvals", "run", id]).with_files(),
            Self::Answer { id, digest } => space.tgw(["approvals", "approve", id, "--digest", digest]),
            Self::Reconcile => space.tgw(["effects", "reconcile"]).with_files(),
            Self::Watch => space.tgw(["effects", "watch", "--json"]).with_files(),
            Self::Resolve { id, settled } => {
                space.tgw(["effects", "resolve", id, "--as", settled, "--evidence", "looked"])
            }
        }
    }

    fn lines(&self) -> &[String] {
        match self {
            Self::Stream(lines) => lines,
            Self::Redeem(_) | Self::Answer { .. } | Self::Reconcile | Self::Watch | Self::Resolve { .. } => {
                &[]
            }
        }
    }

    /// Whether its stdout says what came of calls.
    fn replies(&self) -> bool {
        matches!(self, Self::Stream(_) | Self::Redeem(_) | Self::Watch)
    }
}

/// When it is killed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kill {
    /// Around its commit of this number.
    At {
        commit: usize,
        side: &'static str,
    },
    /// So long after it has written so many lines.
    After {
        lines: usize,
        pause: Duration,
    },
    Never,
}

/// How it ended.
#[derive(Debug)]
pub(super) struct Fallen {
    /// Whether the kill came in time.
    pub(super) killed: bool,
    /// The lines that it wrote whole, where they are results.
    pub(super) replies: Vec<Value>,
    pub(super) status: Option<i32>,
    pub(super) stderr: String,
}

/// Runs it to its end.
pub(super) fn fall(space: &Space, victim: &Victim, kill: Kill) -> Fallen {
    let mut run = victim.run(space);
    if let Kill::At { commit, side } = kill {
        run = run.variable("TGW_CRASH_AT", &format!("{commit}:{side}"));
    }
    let mut child = run.start();
    let mut input = child.stdin.take();
    let text: String = victim.lines().iter().map(|line| format!("{line}\n")).collect();
    // A process that was killed has not read everything.
    let _ = input.as_mut().unwrap().write_all(text.as_bytes());
    if !matches!(kill, Kill::After { .. }) {
        input = None;
    }
    let mut errors = child.stderr.take().unwrap();
    let said = std::thread::spawn(move || {
        let mut text = String::new();
        errors.read_to_string(&mut text).unwrap();
        text
    });
    let (sender, receiver) = channel();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        let mut line = Vec::new();
        // What is not a whole line was not said.
        while output.read_until(b'\n', &mut line).unwrap() > 0 && line.ends_with(b"\n") {
            sender.send(std::mem::take(&mut line)).unwrap();
        }
    });
    let mut lines = Vec::new();
    if let Kill::After { lines: wanted, pause } = kill {
        await_moment(&receiver, &mut lines, wanted, pause);
        // Without a pid that was collected it still names this child, ended or not.
        signal(child.id(), Signal::KILL);
    }
    lines.extend(receiver.iter());
    let status = child.wait().unwrap();
    drop(input);
    reader.join().unwrap();
    let read = |line: &Vec<u8>| serde_json::from_slice(line).unwrap();
    Fallen {
        killed: status.signal() == Some(Signal::KILL.as_raw()),
        replies: if victim.replies() { lines.iter().map(read).collect() } else { Vec::new() },
        status: status.code(),
        stderr: said.join().unwrap(),
    }
}

fn await_moment(receiver: &Receiver<Vec<u8>>, lines: &mut Vec<Vec<u8>>, wanted: usize, pause: Duration) {
    while lines.len() < wanted {
        match receiver.recv_timeout(PATIENCE) {
            Ok(line) => lines.push(line),
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => panic!("no line came after {lines:?}"),
        }
    }
    let until = Instant::now() + pause;
    while let Ok(line) = receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
        lines.push(line);
    }
}

/// Waits until nothing of the space goes on any more: what a killed gateway had started, and its sessions at the server.
pub(super) fn await_quiet(space: &Space) {
    let root = space.root();
    let until = Instant::now() + PATIENCE;
    while someone_is_in(&root) || space.has_sessions() {
        assert!(Instant::now() < until, "something goes on in {}", root.display());
        std::thread::yield_now();
    }
}

/// Whether a process has its working folder there.
fn someone_is_in(root: &std::path::Path) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap();
    processes.flatten().any(|process| {
        std::fs::read_link(process.path().join("cwd")).is_ok_and(|folder| folder.starts_with(root))
    })
}
