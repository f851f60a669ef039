//! Staying with a command until everything it started is gone.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group, wait};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::execute::process::tree;

use super::confine::Command;
use super::ending::Ending;
use super::report::{send_survivors, send_undone};
use super::{Aftermath, Report, bubblewrap};

/// How long what a command left behind may go on, for instance to finish writing to a pipe.
const LINGER: Duration = Duration::from_millis(50);

/// How often processes are counted where their number is limited.
const COUNT_INTERVAL: Duration = Duration::from_millis(10);

/// Bubblewrap's own processes: its monitor and the first process of the new namespace.
const WRAPPERS: u64 = 2;

/// How a command is watched.
pub(super) struct Supervision {
    /// What the gateway says comes through it.
    pub(super) control: OwnedFd,
    pub(super) ending: Ending,
    /// Most processes at one time.
    pub(super) limit: Option<u64>,
}

/// Starts a command and stays with it to the end.
pub(super) fn run(
    mut command: Command,
    supervision: Supervision,
    report: &File,
    aftermath: Option<&Aftermath>,
) -> io::Result<()> {
    let Supervision { control, ending, limit } = supervision;
    let child = match command.start() {
        Ok(child) => child,
        Err(error) => {
            // Where the sandbox failed, the command's process has said so already, and the first report counts.
            Report::NoProgram(error.raw_os_error().unwrap_or_default()).send(report);
            return Ok(());
        }
    };
    let pid = Pid::from_child(&child);
    let wrapped = command.status.is_some();
    release_streams()?;
    std::thread::spawn(move || obey(control, pid, wrapped, ending));
    if let Some(limit) = limit {
        let limit = limit.saturating_add(if wrapped { WRAPPERS } else { 0 });
        let report = report.try_clone()?;
        std::thread::spawn(move || count(usize::try_from(limit).unwrap_or(usize::MAX), &report, ending));
    }
    let status = wait_for(pid)?;
    linger();
    if !ending.end_and_collect() {
        send_survivors(report)?;
    }
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => match &command.status {
            Some(file) if !bubblewrap::command_ran(file) => {
                Report::NoSandbox(format!("bubblewrap ended with {code}")).send(report);
            }
            _ => Report::Exited(code).send(report),
        },
        (None, Some(signal)) => Report::Signalled(signal).send(report),
        (None, None) => {}
    }
    // What stood in for something protected while the command ran goes first.
    drop(command);
    aftermath.map_or(Ok(()), |aftermath| send_undone(&aftermath.undo(), report))
}

/// Lets go of the command's pipes, so that their ends are the command's alone.
fn release_streams() -> io::Result<()> {
    let null = open(c"/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    Ok(dup2_stderr(&null)?)
}

/// Does what the gateway says: a byte asks the command to end, the end of the pipe ends everything. The pipe also ends
/// when the gateway does, however that comes about.
fn obey(control: OwnedFd, child: Pid, wrapped: bool, ending: Ending) {
    let mut control = File::from(control);
    while control.read_exact(&mut [0]).is_ok() {
        if wrapped {
            // Bubblewrap itself would take everything with it at once.
            tree::signal_descendants(Signal::TERM, child.as_raw_nonzero().get());
        } else {
            let _gone = kill_process_group(child, Signal::TERM);
        }
    }
    ending.end();
}

/// Ends everything when there are more processes than may be.
///
/// The kernel's own limit counts all processes of a user, and none of root's, so the command's are counted here. A
/// burst can exceed the limit between two counts.
fn count(limit: usize, report: &File, ending: Ending) {
    while tree::count_descendants(limit) <= limit {
        std::thread::sleep(COUNT_INTERVAL);
    }
    Report::TooManyProcesses.send(report);
    ending.end();
}

/// Collects whatever ends, until the command does.
fn wait_for(child: Pid) -> io::Result<WaitStatus> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == child => return Ok(status),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Gives what the command left behind a moment to end by itself. Costs nothing when it left nothing.
fn linger() {
    let started = Instant::now();
    loop {
        match wait(WaitOptions::NOHANG) {
            Err(_) => return,
            Ok(Some(_)) => {}
            Ok(None) if started.elapsed() >= LINGER => return,
            Ok(None) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}
