//! A throw-away place for one test: a workspace, a home, a state folder, and nothing of the machine's environment.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde_json::Value;
use tempfile::TempDir;

/// The upper bound of every wait: what has not happened by then never will.
pub(crate) const PATIENCE: Timespec = Timespec { tv_sec: 120, tv_nsec: 0 };

/// Folders of one test; gone with it.
pub(crate) struct Place {
    root: TempDir,
}

/// How a process ended, and what it said.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit status; `None` after a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// The result lines: every line of stdout must be one JSON value.
    pub(crate) fn lines(&self) -> Vec<Value> {
        result_lines(&self.stdout)
    }

    /// The only result line.
    pub(crate) fn line(&self) -> Value {
        let mut lines = self.lines();
        assert_eq!(lines.len(), 1, "{self:?}");
        lines.remove(0)
    }
}

/// Reads result lines, and checks that stdout holds nothing else.
pub(crate) fn result_lines(stdout: &str) -> Vec<Value> {
    assert!(stdout.is_empty() || stdout.ends_with('\n'), "an unfinished line: {stdout:?}");
    stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:?}")))
        .collect()
}

/// `status/code` of a result line, such as `succeeded` or `denied/PERMISSION_DENIED`.
pub(crate) fn verdict(line: &Value) -> String {
    let status = line["status"].as_str().unwrap_or("?");
    match line["error"]["code"].as_str() {
        Some(code) => format!("{status}/{code}"),
        None => status.to_owned(),
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["workspace", "home", "state", "config", "aside"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        Self { root }
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.folder("workspace")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder("home")
    }

    /// tgw's own folder below `$XDG_STATE_HOME`.
    pub(crate) fn state(&self) -> PathBuf {
        self.folder("state").join("tgw")
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.folder("config").join("tgw")
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    /// The store of the workspace; there is exactly one once a call was made.
    pub(crate) fn store(&self) -> PathBuf {
        let mut stores = fs::read_dir(self.state())
            .unwrap()
            .map(|entry| entry.unwrap().path().join("state.db"))
            .filter(|path| path.exists());
        let store = stores.next().unwrap();
        assert_eq!(stores.next(), None);
        store
    }

    /// Writes a file of the workspace.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        write(&self.workspace().join(name), text)
    }

    /// Writes a file beside the workspace, where no tool comes.
    pub(crate) fn aside(&self, name: &str, text: &str) -> PathBuf {
        write(&self.folder("aside").join(name), text)
    }

    /// Writes a manifest and a policy beside the workspace; [`Place::tgw`] names both.
    pub(crate) fn configure(&self, tools: &str, policy: &str) {
        self.aside("tools.yaml", tools);
        self.aside("policy.yaml", policy);
    }

    /// A program in this place's environment, which holds nothing else.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("XDG_STATE_HOME", self.folder("state"))
            .env("XDG_CONFIG_HOME", self.folder("config"))
            .env("LANG", "C.UTF-8")
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .current_dir(self.workspace());
        command
    }

    /// `tgw`, with this place's manifest and policy where they were written.
    pub(crate) fn tgw(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_tgw"));
        command.args(arguments);
        let takes_files = matches!(arguments.first(), Some(&("run" | "call" | "check" | "tools" | "doctor")))
            || matches!(arguments, ["approvals", "run", ..] | ["task", "start" | "step", ..]);
        for (flag, name) in [("--tools", "tools.yaml"), ("--policy", "policy.yaml")] {
            let path = self.folder("aside").join(name);
            if takes_files && path.exists() && !arguments.contains(&flag) {
                command.arg(flag).arg(path);
            }
        }
        command
    }

    /// Runs a stream of calls without a terminal.
    pub(crate) fn run(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Ended {
        let arguments = [&["run"], arguments].concat();
        finish(&mut self.tgw(&arguments), input.as_ref())
    }

    /// Runs one call of a stream of its own.
    pub(crate) fn call(&self, name: &str, arguments: Value) -> Value {
        self.run(&[], format!("{}\n", serde_json::json!({ "name": name, "arguments": arguments }))).line()
    }

    /// Runs any other command of `tgw`.
    pub(crate) fn ask(&self, arguments: &[&str]) -> Ended {
        finish(&mut self.tgw(arguments), b"")
    }

    /// Runs any other command of `tgw` on some input.
    pub(crate) fn ask_with(&self, arguments: &[&str], input: &str) -> Ended {
        finish(&mut self.tgw(arguments), input.as_bytes())
    }

    /// The audit chain as it is exported.
    pub(crate) fn audit(&self) -> Vec<Value> {
        self.ask(&["audit", "export"]).lines()
    }
}

fn write(path: &Path, text: &str) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    path.to_owned()
}

/// Runs a command to its end, with `input` on stdin. A command that never ends is a failure, not a hang.
pub(crate) fn finish(command: &mut Command, input: &[u8]) -> Ended {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    finish_child(child, input)
}

/// Waits for a child whose three streams are pipes.
pub(crate) fn finish_child(mut child: Child, input: &[u8]) -> Ended {
    let mut stdin = child.stdin.take();
    let input = input.to_vec();
    // A process may end without having read everything.
    thread::spawn(move || stdin.as_mut().map(|stdin| stdin.write_all(&input)));
    let stdout = collect(child.stdout.take().unwrap());
    let stderr = collect(child.stderr.take().unwrap());
    let code = wait(&mut child);
    let text = |bytes: thread::JoinHandle<Vec<u8>>| String::from_utf8(bytes.join().unwrap()).unwrap();
    Ended { code, stdout: text(stdout), stderr: text(stderr) }
}

fn collect(mut stream: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

/// The exit status of a child; `None` after a signal.
pub(crate) fn wait(child: &mut Child) -> Option<i32> {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    let handle = pidfd_open(pid, PidfdFlags::empty()).unwrap();
    if !await_readable(&mut [PollFd::new(&handle, PollFlags::IN)]) {
        child.kill().unwrap();
        panic!("the process did not end");
    }
    child.wait().unwrap().code()
}

/// Waits until one of the descriptors has something to say; false once patience is over.
pub(crate) fn await_readable(fds: &mut [PollFd<'_>]) -> bool {
    loop {
        match poll(fds, Some(&PATIENCE)) {
            Ok(ready) => return ready > 0,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// Runs a helper program of the machine, such as git, in the workspace.
pub(crate) fn helper(place: &Place, program: &str, arguments: &[&str]) -> Output {
    let output = place.command(program).args(arguments).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {output:?}");
    output
}

/// Whether a test that needs something of the machine must be left out; it says so. With `TGW_REQUIRE_FULL=1` nothing may be.
pub(crate) fn skipped(there: bool, what: &str) -> bool {
    if there {
        return false;
    }
    assert!(std::env::var_os("TGW_REQUIRE_FULL").is_none(), "this machine has no {what}");
    eprintln!("skipped: this machine has no {what}");
    true
}

/// Whether a program is found in PATH.
pub(crate) fn has_program(name: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join(name).is_file())
}

/// The sandbox levels that `tgw doctor` finds on this machine.
pub(crate) fn has_sandbox(level: &str) -> bool {
    let report = Place::new().ask(&["doctor"]).stdout;
    report.lines().any(|line| line.contains(&format!("{level}: available")))
}
