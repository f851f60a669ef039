//! A person at a real pseudo-terminal, while pipes carry the calls and the results.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};
use serde_json::Value;

use crate::place::{Ended, PATIENCE, result_lines, wait};

/// What the menu's first line says: from here on an answer counts.
pub(crate) const MENU: &str = "Your answer (letter or arrows, then enter)";

/// The keys.
pub(crate) const ENTER: &str = "\r";
pub(crate) const CTRL_C: &str = "\u{3}";

/// Bytes that arrive, and a way to wait for them.
#[derive(Default)]
struct Arrivals {
    bytes: Mutex<(Vec<u8>, bool)>,
    changed: Condvar,
}

impl Arrivals {
    fn push(&self, bytes: &[u8]) {
        self.bytes.lock().unwrap().0.extend_from_slice(bytes);
        self.changed.notify_all();
    }

    fn end(&self) {
        self.bytes.lock().unwrap().1 = true;
        self.changed.notify_all();
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap().0).into_owned()
    }

    /// Waits until `found` says where something ends in the text from `start`; `None` where nothing more will come.
    fn until(&self, start: usize, found: impl Fn(&[u8]) -> Option<usize>) -> Option<usize> {
        let deadline = Instant::now() + Duration::from_secs(PATIENCE.tv_sec.unsigned_abs());
        let mut held = self.bytes.lock().unwrap();
        loop {
            if let Some(end) = found(&held.0[start..]) {
                return Some(start + end);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if held.1 || left.is_zero() {
                return None;
            }
            held = self.changed.wait_timeout(held, left).unwrap().0;
        }
    }
}

fn find(text: &[u8], wanted: &str) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted.as_bytes()).map(|at| at + wanted.len())
}

fn pump(mut stream: impl Read + Send + 'static) -> Arc<Arrivals> {
    let arrivals = Arc::new(Arrivals::default());
    let to = Arc::clone(&arrivals);
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            to.push(&buffer[..count]);
        }
        to.end();
    });
    arrivals
}

/// A process with a controlling terminal that a test types on.
pub(crate) struct Person {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Arc<Arrivals>,
    stderr: Arc<Arrivals>,
    screen: Arc<Arrivals>,
    /// How much of the screen the test has seen.
    seen: usize,
    /// How much of stdout the test has read.
    taken: usize,
    master: File,
    terminal: File,
    reader: Option<(JoinHandle<()>, OwnedFd)>,
    settings: String,
}

impl Person {
    /// Starts `command` as the leader of a session with a new terminal of 80 columns and 24 rows.
    pub(crate) fn start(command: Command) -> Self {
        Self::start_sized(command, 24, 80, |_| {})
    }

    /// Starts it on a terminal of this size; `prepare` sees the terminal before the process does.
    pub(crate) fn start_sized(
        mut command: Command,
        rows: u16,
        columns: u16,
        prepare: impl FnOnce(&mut File),
    ) -> Self {
        let (mut master, terminal) = open_pair();
        tcsetwinsize(&terminal, size(rows, columns)).unwrap();
        let settings = settings_of(&terminal);
        prepare(&mut master);
        let controlling = terminal.as_raw_fd();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // SAFETY: both calls are async-signal-safe, and `controlling` stays open until the process has been started.
        unsafe {
            command.pre_exec(move || {
                rustix::process::setsid()?;
                if libc::ioctl(controlling, libc::TIOCSCTTY, 0) == -1 {
                    return Err(std::io::Error::last_os_error());
                }
                Ok(())
            });
        }
        let mut child = command.spawn().unwrap();
        let screen = Arc::new(Arrivals::default());
        let reader = read_screen(master.try_clone().unwrap(), Arc::clone(&screen));
        Self {
            stdin: child.stdin.take(),
            stdout: pump(child.stdout.take().unwrap()),
            stderr: pump(child.stderr.take().unwrap()),
            screen,
            seen: 0,
            taken: 0,
            master,
            terminal,
            reader: Some(reader),
            settings,
            child,
        }
    }

    /// Sends one line of calls.
    pub(crate) fn send(&mut self, line: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// Says that no more calls come.
    pub(crate) fn close(&mut self) {
        self.stdin = None;
    }

    /// Types keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until a text appears on the screen, and returns everything that appeared since the last wait.
    pub(crate) fn sees(&mut self, text: &str) -> String {
        let Some(end) = self.screen.until(self.seen, |screen| find(screen, text)) else {
            panic!(
                "`{text}` did not appear; screen:\n{}\nstderr:\n{}",
                self.screen.text(),
                self.stderr.text()
            );
        };
        let bytes = self.screen.bytes.lock().unwrap().0[self.seen..end].to_vec();
        self.seen = end;
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Waits for the next question until its choices are there, and returns what was shown.
    pub(crate) fn is_asked(&mut self) -> String {
        self.sees(MENU)
    }

    /// Waits for the next result line.
    pub(crate) fn result(&mut self) -> Value {
        let line_end = |bytes: &[u8]| bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let Some(end) = self.stdout.until(self.taken, line_end) else {
            panic!("no result came; screen:\n{}\nstderr:\n{}", self.screen.text(), self.stderr.text());
        };
        let bytes = self.stdout.bytes.lock().unwrap().0[self.taken..end].to_vec();
        self.taken = end;
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Gives the terminal another size; the kernel signals the process.
    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        tcsetwinsize(&self.terminal, size(rows, columns)).unwrap();
    }

    /// Sends the process a signal.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(self.pid(), signal).unwrap();
    }

    pub(crate) fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap()
    }

    /// Waits for the end, and checks that stdout holds result lines only and that the terminal is as it was.
    pub(crate) fn leaves(self) -> Left {
        let (ended, screen) = self.ends();
        let lines = result_lines(&ended.stdout);
        Left { ended, lines, screen }
    }

    /// Waits for the end of a process that prints no result lines, and checks that the terminal is as it was; also
    /// returns the screen.
    pub(crate) fn ends(mut self) -> (Ended, String) {
        self.stdin = None;
        let code = wait(&mut self.child);
        let ended = |arrivals: &Arrivals| {
            arrivals.until(0, |_| None);
            arrivals.text()
        };
        let (stdout, stderr) = (ended(&self.stdout), ended(&self.stderr));
        assert_eq!(settings_of(&self.terminal), self.settings, "the terminal's settings were not restored");
        (Ended { code, stdout, stderr }, self.screen.text())
    }

    /// Closes the terminal under the process, and waits for the process's end.
    pub(crate) fn hangs_up(mut self) -> Option<i32> {
        let (thread, wake) = self.reader.take().unwrap();
        drop(wake);
        thread.join().unwrap();
        let null = || File::open("/dev/null").unwrap();
        self.terminal = null();
        self.master = null();
        self.stdin = None;
        wait(&mut self.child)
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        // A test that failed half-way leaves nothing running; one that ended well has waited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Chooses an item of the menu, confirms it, and waits until it was understood.
pub(crate) fn choose(person: &mut Person, key: &str) {
    person.press(key);
    person.press(ENTER);
    person.sees("\u{1b}[?25hYour answer: ");
}

/// Denies with some words.
pub(crate) fn deny(person: &mut Person, words: &str) {
    choose(person, "d");
    person.sees("(enter for nothing)");
    person.press(words);
    person.press(ENTER);
}

/// What a session left behind.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) ended: Ended,
    pub(crate) lines: Vec<Value>,
    pub(crate) screen: String,
}

fn size(rows: u16, columns: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

fn settings_of(terminal: &File) -> String {
    format!("{:?}", tcgetattr(terminal).unwrap())
}

/// A master and its terminal. Both close on exec: a child that held a master would keep a dead terminal alive.
fn open_pair() -> (File, File) {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let master = rustix::fs::open("/dev/ptmx", flags, Mode::empty()).unwrap();
    let (unlocked, mut number): (libc::c_int, libc::c_uint) = (0, 0);
    // SAFETY: the descriptor is open, and each argument is a live integer of the type that the request takes.
    unsafe {
        assert_eq!(libc::ioctl(master.as_raw_fd(), libc::TIOCSPTLCK, &raw const unlocked), 0);
        assert_eq!(libc::ioctl(master.as_raw_fd(), libc::TIOCGPTN, &raw mut number), 0);
    }
    let terminal = rustix::fs::open(format!("/dev/pts/{number}"), flags, Mode::empty()).unwrap();
    (File::from(master), File::from(terminal))
}

/// Reads the screen until the terminal is gone, or until the returned descriptor is closed.
fn read_screen(mut master: File, screen: Arc<Arrivals>) -> (JoinHandle<()>, OwnedFd) {
    let (stopped, stop) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    let reader = thread::spawn(move || {
        let mut buffer = [0; 4096];
        loop {
            let mut fds = [
                PollFd::from_borrowed_fd(stopped.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(master.as_fd(), PollFlags::IN),
            ];
            match poll(&mut fds, None) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => panic!("{error}"),
            }
            if !fds[0].revents().is_empty() {
                break;
            }
            match master.read(&mut buffer) {
                Ok(count @ 1..) => screen.push(&buffer[..count]),
                _ => break,
            }
        }
        screen.end();
    });
    (reader, stop)
}
