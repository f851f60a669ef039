//! What this machine offers. Each level is truly tried, once, when it is first asked about.

use std::ffi::CString;
use std::fmt::Write as _;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{PidfdFlags, pidfd_open};

use crate::catalog::SandboxLevel;
use crate::execute::process::spawn::{self, Start};
use crate::execute::process::tree;

use super::launcher::{self, Confinement, Network, Report, Specification};
use super::profile::name;

/// How long a trial may take.
const TRIAL: Duration = Duration::from_secs(10);

/// Strongest first.
const LEVELS: [SandboxLevel; 3] = [SandboxLevel::Isolated, SandboxLevel::Confined, SandboxLevel::None];

/// The sandbox levels of this machine.
#[derive(Debug, Default)]
pub struct Capability {
    confined: OnceLock<Result<String, String>>,
    isolated: OnceLock<Result<Bubblewrap, String>>,
}

#[derive(Debug)]
struct Bubblewrap {
    program: PathBuf,
}

impl Capability {
    /// The levels of this machine, found out once in a process and only as far as someone asks.
    #[must_use]
    pub fn probe() -> &'static Self {
        static HERE: LazyLock<Capability> = LazyLock::new(Capability::default);
        &HERE
    }

    /// The levels of an imagined machine, to resolve profiles for another than this.
    #[must_use]
    pub fn imagined(levels: &[SandboxLevel]) -> Self {
        let absent = || "not part of this imagined machine".to_owned();
        let has = |level| levels.contains(&level);
        let confined = if has(SandboxLevel::Confined) { Ok("imagined".to_owned()) } else { Err(absent()) };
        let isolated = if has(SandboxLevel::Isolated) {
            Ok(Bubblewrap { program: PathBuf::from("bwrap") })
        } else {
            Err(absent())
        };
        Self { confined: confined.into(), isolated: isolated.into() }
    }

    /// Whether there is this level.
    #[must_use]
    pub fn offers(&self, level: SandboxLevel) -> bool {
        match level {
            SandboxLevel::None => true,
            SandboxLevel::Confined => self.confined().is_ok(),
            SandboxLevel::Isolated => self.isolated().is_ok(),
        }
    }

    /// The strongest level there is.
    #[must_use]
    pub fn best(&self) -> SandboxLevel {
        LEVELS.into_iter().find(|level| self.offers(*level)).unwrap_or(SandboxLevel::None)
    }

    /// The weakest level there is that is at least this one.
    #[must_use]
    pub fn lowest_from(&self, wanted: SandboxLevel) -> Option<SandboxLevel> {
        LEVELS.into_iter().rev().find(|level| *level >= wanted && self.offers(*level))
    }

    /// Each level, strongest first, whether there is it, and why or why not, for a person.
    #[must_use]
    pub fn describe(&self) -> Vec<(SandboxLevel, bool, String)> {
        LEVELS
            .into_iter()
            .map(|level| {
                let detail = match level {
                    SandboxLevel::None => Ok("a command can do what the gateway can".to_owned()),
                    SandboxLevel::Confined => self.confined().clone(),
                    SandboxLevel::Isolated => match self.isolated() {
                        Ok(bubblewrap) => Ok(format!("bubblewrap at `{}`", bubblewrap.program.display())),
                        Err(reason) => Err(reason.clone()),
                    },
                };
                match detail {
                    Ok(detail) => (level, true, detail),
                    Err(reason) => (level, false, reason),
                }
            })
            .collect()
    }

    /// Where bubblewrap is, on a machine that offers `isolated`.
    pub(super) fn bubblewrap(&self) -> Option<&Path> {
        self.isolated().as_ref().ok().map(|bubblewrap| bubblewrap.program.as_path())
    }

    fn confined(&self) -> &Result<String, String> {
        self.confined.get_or_init(|| {
            try_level(SandboxLevel::Confined, Confinement::Landlock)
                .map(|()| "Landlock and seccomp".to_owned())
                .map_err(|reason| {
                    format!("{reason}; needs Linux 6.12 or later with Landlock and seccomp enabled")
                })
        })
    }

    fn isolated(&self) -> &Result<Bubblewrap, String> {
        self.isolated.get_or_init(|| {
            let program = find_bubblewrap().ok_or("bubblewrap (`bwrap`) is not installed")?;
            try_level(SandboxLevel::Isolated, Confinement::Bubblewrap { program: program.clone() }).map_err(
                |reason| {
                    format!(
                        "{reason}; needs bubblewrap with `--bind-fd`, and user namespaces with a new `/proc`"
                    )
                },
            )?;
            Ok(Bubblewrap { program })
        })
    }
}

/// Only in the system's own folders: a `PATH` may name folders that an agent can write.
fn find_bubblewrap() -> Option<PathBuf> {
    ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"]
        .into_iter()
        .map(PathBuf::from)
        .find(|path| path.is_file())
}

/// Runs a shell that does nothing at a level, with the very flags and rules that commands get.
fn try_level(level: SandboxLevel, confinement: Confinement) -> Result<(), String> {
    let failed = |error: io::Error| format!("`{}` could not be tried: {error}", name(level));
    match trial(confinement).map_err(failed)? {
        Some(Report::Exited(0)) => Ok(()),
        Some(Report::NoSandbox(detail)) => Err(detail),
        other => {
            let mut reason = "a trial did not end well".to_owned();
            if let Some(report) = other {
                // Writing to a string cannot fail.
                let _infallible = write!(reason, " ({report:?})");
            }
            Err(reason)
        }
    }
}

fn trial(confinement: Confinement) -> io::Result<Option<Report>> {
    let null = open(c"/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    let root = open(c"/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let scratch = std::env::temp_dir();
    let specification = Specification {
        confinement,
        program: "/bin/sh".into(),
        argv: ["sh", "-c", ":"].map(str::to_owned).to_vec(),
        loader: Vec::new(),
        // The temporary folder stands for a workspace, so that the ways to bind one are tried as well.
        workspace: Some(launcher::WorkspacePlaces {
            root: scratch.clone(),
            read: vec![".".to_owned()],
            write: Vec::new(),
            unwritable: Vec::new(),
        }),
        aftermath: None,
        readable: Vec::new(),
        hidden: Vec::new(),
        network: Network::None,
        memory: None,
        processes: None,
        home: None,
        temporary: scratch,
    }
    .into_file()?;
    let (control, keep) = pipe_with(PipeFlags::CLOEXEC)?;
    let (report, report_end) = pipe_with(PipeFlags::CLOEXEC)?;
    let argv =
        ["tgw", launcher::ARGUMENT, "run"].into_iter().map(CString::new).collect::<Result<Vec<_>, _>>()?;
    let null = null.as_fd();
    let start = Start {
        program: c"/proc/self/exe",
        argv: &argv,
        environment: &[],
        directory: root.as_fd(),
        descriptors: &[null, null, null, specification.as_fd(), control.as_fd(), report_end.as_fd()],
    };
    let pid = tree::register(None, || spawn::spawn(&start))?;
    drop(report_end);
    let ended = wait_until_ended(&pidfd_open(pid, PidfdFlags::empty())?, TRIAL);
    drop(keep);
    tree::forget(pid);
    ended?;
    Ok(launcher::read_report(report).end)
}

fn wait_until_ended(handle: &impl AsFd, bound: Duration) -> io::Result<()> {
    let until = Instant::now() + bound;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
        match poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&timeout)) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(0) => return Err(io::Error::from(io::ErrorKind::TimedOut)),
            Ok(_) => return Ok(()),
        }
    }
}
