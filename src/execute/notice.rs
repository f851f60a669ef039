//! Telling a program of the person's that a question waits: beside the calls, never in their way.

use std::ffi::CString;
use std::io::{self, Seek, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::fs::{MemfdFlags, Mode, OFlags, memfd_create, open};

use crate::validate::ProgramSource;

use super::ParentEnvironment;
use super::process::spawn::Start;
use super::process::{Child, ChildEnd, ChildEnvironment, Control, find_program, janitor, next_tag, tree};

/// Most notices that wait for their turn; more are dropped, and that is logged.
const MOST_WAITING: usize = 64;

/// A program to be run with a notice on its standard input.
pub struct Notice {
    /// The program and its arguments: a name that is looked for in `PATH`, or an absolute path.
    pub argv: Vec<String>,
    /// What it reads: one JSON object.
    pub text: String,
}

/// Runs notices one after another on a thread of its own, which starts with the first.
///
/// Each program gets a session of its own, a small environment without secrets, and `/` to work in: a file of the workspace
/// must not steer it. What it prints is not read.
pub struct Notifier {
    environment: ParentEnvironment,
    workspace: PathBuf,
    patience: Duration,
    worker: Option<Worker>,
}

struct Worker {
    notices: SyncSender<Notice>,
    thread: JoinHandle<()>,
    end: Arc<OnceLock<Instant>>,
}

impl Notifier {
    /// A notifier for a run in `workspace`, a real path: its folders in `PATH` are passed over. `patience` is how long one
    /// program may take, and how long all that are left may take at the end of the run.
    #[must_use]
    pub fn new(environment: ParentEnvironment, workspace: &Path, patience: Duration) -> Self {
        Self { environment, workspace: workspace.to_owned(), patience, worker: None }
    }

    /// Sends a notice on its way. Nothing is waited for, and nothing that fails is more than logged.
    pub fn send(&mut self, notice: Notice) {
        if self.worker.is_none() {
            self.worker = self.start().inspect_err(|error| log(&error.to_string())).ok();
        }
        let Some(worker) = &self.worker else { return };
        match worker.notices.try_send(notice) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => log("too many wait already"),
            Err(TrySendError::Disconnected(_)) => log("the thread that sends them has ended"),
        }
    }

    /// Waits for the notices that are on their way, for a bounded time.
    pub fn close(&mut self) {
        let Some(worker) = self.worker.take() else { return };
        let _set_before = worker.end.set(Instant::now() + self.patience);
        drop(worker.notices);
        if worker.thread.join().is_err() {
            log("the thread that sends them failed");
        }
    }

    fn start(&self) -> io::Result<Worker> {
        let (notices, received) = sync_channel(MOST_WAITING);
        let end = Arc::new(OnceLock::new());
        let work = Work {
            environment: self.environment.clone(),
            workspace: self.workspace.clone(),
            patience: self.patience,
            end: Arc::clone(&end),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new()
            .name("notices".to_owned())
            .spawn(move || work.go(&runtime, &received))?;
        Ok(Worker { notices, thread, end })
    }
}

fn log(problem: &str) {
    tracing::warn!("a notice of a question was not delivered: {problem}");
}

/// What the thread needs.
struct Work {
    environment: ParentEnvironment,
    workspace: PathBuf,
    patience: Duration,
    end: Arc<OnceLock<Instant>>,
}

impl Work {
    fn go(&self, runtime: &tokio::runtime::Runtime, notices: &Receiver<Notice>) {
        while let Ok(notice) = notices.recv() {
            let end = self.end.get();
            let left = end.map_or(self.patience, |end| end.saturating_duration_since(Instant::now()));
            let done = if left.is_zero() {
                Err("the run ended".to_owned())
            } else {
                runtime.block_on(self.deliver(&notice, left))
            };
            if let Err(problem) = done {
                log(&problem);
            }
        }
    }

    /// Runs one program to its end, or ends it with all that it started.
    async fn deliver(&self, notice: &Notice, patience: Duration) -> Result<(), String> {
        let mut child = start(notice, &self.environment, &self.workspace)?;
        match tokio::time::timeout(patience, child.ended()).await {
            Ok(Ok(end)) => {
                child.finish();
                match end {
                    ChildEnd::Exited(0) => Ok(()),
                    ChildEnd::Exited(status) => Err(format!("the program ended with status {status}")),
                    ChildEnd::Signalled(signal) => Err(format!("signal {signal} ended the program")),
                }
            }
            Ok(Err(error)) => Err(format!("the program was lost: {error}")),
            Err(_) => {
                child.end_tree();
                Err("the program took too long and was ended".to_owned())
            }
        }
    }
}

fn start(notice: &Notice, environment: &ParentEnvironment, workspace: &Path) -> Result<Child, String> {
    let failed = |error: io::Error| format!("the program cannot be started: {error}");
    let written = notice.argv.first().map_or("", String::as_str);
    let source = ProgramSource::written(written, Path::new("/"));
    let program = find_program(&source, written, environment, workspace);
    let program = program.map_err(|error| error.message)?;
    let tag = next_tag();
    let mut entries = ChildEnvironment::fixed(environment);
    entries.set(tree::TAG_VARIABLE, tree::tag_text(tag).as_bytes());
    let strings = |words: &[String]| {
        words.iter().map(|word| CString::new(word.as_str())).collect::<Result<Vec<_>, _>>()
    };
    let argv = strings(&notice.argv).map_err(|error| failed(error.into()))?;
    let program =
        CString::new(program.into_os_string().into_encoded_bytes()).map_err(|error| failed(error.into()))?;
    let stdin = input(&notice.text).map_err(failed)?;
    let null = open(c"/dev/null", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| failed(error.into()))?;
    let root = open(c"/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| failed(error.into()))?;
    janitor::ensure_started();
    let start = Start {
        program: &program,
        argv: &argv,
        environment: &entries.strings(),
        directory: root.as_fd(),
        descriptors: &[stdin.as_fd(), null.as_fd(), null.as_fd()],
    };
    Child::start(&start, tag, Control::Signals).map_err(failed)
}

/// A file in memory that holds the text: unlike a pipe it is whole, whether or not it is read.
fn input(text: &str) -> io::Result<std::fs::File> {
    let mut file = std::fs::File::from(memfd_create(c"notice", MemfdFlags::CLOEXEC)?);
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(home: &Path) -> ParentEnvironment {
        let path = std::env::var_os("PATH").unwrap();
        [("PATH", path), ("HOME", home.into()), ("TOKEN", "hunter2".into()), ("LD_PRELOAD", "/x.so".into())]
            .into_iter()
            .collect()
    }

    fn shell(script: &str, text: &str) -> Notice {
        let argv = ["sh", "-c", script].map(str::to_owned).to_vec();
        Notice { argv, text: text.to_owned() }
    }

    #[test]
    fn a_program_reads_the_notice_and_has_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let mut notifier =
            Notifier::new(environment(home.path()), Path::new("/work"), Duration::from_secs(60));
        // More than a pipe holds, and nobody reads the first.
        notifier.send(shell("exit 3", &"x".repeat(1 << 20)));
        notifier.send(shell(
            "cat > $HOME/told; env > $HOME/env; pwd >> $HOME/env; ls /proc/self/fd > $HOME/fds",
            "{}",
        ));
        notifier.close();
        let read = |name: &str| std::fs::read_to_string(home.path().join(name)).unwrap();
        assert_eq!(read("told"), "{}");
        let env = read("env");
        assert!(!env.contains("hunter2") && !env.contains("LD_PRELOAD") && env.ends_with("\n/\n"), "{env}");
        assert!(read("fds").lines().count() <= 4, "{}", read("fds"));
    }

    #[test]
    fn a_program_that_never_ends_is_ended_with_what_it_started() {
        let home = tempfile::tempdir().unwrap();
        let mut notifier =
            Notifier::new(environment(home.path()), Path::new("/work"), Duration::from_millis(300));
        notifier.send(shell("sleep 1000 & echo $! > $HOME/pid; wait", "{}"));
        notifier.send(shell("touch $HOME/later", "{}"));
        notifier.close();
        // Where the machine was too slow to start it at all, nothing is left either.
        if let Ok(pid) = std::fs::read_to_string(home.path().join("pid")) {
            assert!(!Path::new("/proc").join(pid.trim()).exists(), "{pid}");
        }
    }

    #[test]
    fn a_program_that_is_not_there_and_one_too_many_are_only_logged() {
        let home = tempfile::tempdir().unwrap();
        let mut notifier =
            Notifier::new(environment(home.path()), Path::new("/work"), Duration::from_millis(1));
        for _ in 0..MOST_WAITING * 3 {
            notifier.send(Notice { argv: vec!["tgw-no-such-program".to_owned()], text: String::new() });
        }
        notifier.close();
    }
}
