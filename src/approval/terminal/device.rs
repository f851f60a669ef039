//! The controlling terminal: opened, made raw, read with a way out, and always put back.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Mutex;

use console::Term;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr,
    tcgetpgrp, tcsetattr,
};

use crate::kernel::ProcessStat;

use super::super::{CancelCause, Cancellation};
use super::edit::Editor;

/// Turns bracketed paste on and off, so that pasted line breaks can be told from the enter key.
const PASTE_ON: &str = "\u{1b}[?2004h";
const PASTE_OFF: &str = "\u{1b}[?2004l";

/// The controlling terminal. Standard input, output and error are never touched through it.
///
/// One question is asked at a time; others wait their turn.
pub struct Terminal {
    pub(super) tty: File,
    pub(super) term: Term,
    pub(super) turn: Mutex<()>,
    pub(super) editor: Option<Editor>,
    pub(super) colour: bool,
    pub(super) unicode: bool,
}

/// What came from the terminal, or instead of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Input {
    Bytes(Vec<u8>),
    /// Nothing came in the time given.
    Quiet,
    /// The terminal is gone.
    Closed,
    Cancelled(CancelCause),
}

/// This process's group; `None` where its leader is outside this pid namespace, which has no number for it.
fn own_group() -> Option<i32> {
    // Not `getpgrp`: `rustix` takes for granted that the number is never 0.
    ProcessStat::own().map(|own| own.group).filter(|group| *group != 0)
}

impl Terminal {
    /// Opens the controlling terminal; `None` where there is none, or where this process may not read from it because
    /// it runs in the background. Nobody can be asked then.
    #[must_use]
    pub fn open(editor: Option<Editor>, colour: bool, unicode: bool) -> Option<Self> {
        let flags = i32::try_from(rustix::fs::OFlags::NOCTTY.bits()).ok()?;
        // The standard library opens every file with O_CLOEXEC.
        let tty = OpenOptions::new().read(true).write(true).custom_flags(flags).open("/dev/tty").ok()?;
        if tcgetpgrp(&tty).ok()?.as_raw_nonzero().get() != own_group()? {
            return None;
        }
        let term = Term::read_write_pair(tty.try_clone().ok()?, tty.try_clone().ok()?);
        Some(Self { tty, term, turn: Mutex::new(()), editor, colour, unicode })
    }

    /// Rows and columns, at this moment.
    pub(super) fn size(&self) -> (usize, usize) {
        let (rows, columns) = self.term.size();
        (usize::from(rows), usize::from(columns))
    }

    /// Makes the terminal raw until the guard is dropped. What was typed before is discarded.
    pub(super) fn raw(&self) -> io::Result<RawMode<'_>> {
        let original = tcgetattr(&self.tty)?;
        let mut raw = original.clone();
        raw.local_modes -= LocalModes::ICANON
            | LocalModes::ECHO
            | LocalModes::ECHONL
            | LocalModes::ISIG
            | LocalModes::IEXTEN;
        raw.input_modes -= InputModes::IXON
            | InputModes::ICRNL
            | InputModes::INLCR
            | InputModes::IGNCR
            | InputModes::ISTRIP
            | InputModes::BRKINT;
        raw.special_codes[SpecialCodeIndex::VMIN] = 1;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&self.tty, OptionalActions::Flush, &raw)?;
        let guard = RawMode { terminal: self, original };
        self.term.write_str(PASTE_ON)?;
        Ok(guard)
    }

    /// Discards what was typed so far and was not read.
    pub(super) fn discard(&self) {
        // Where this fails the terminal is gone, which the next read notices.
        let _ = tcflush(&self.tty, QueueSelector::IFlush);
    }

    /// Waits for input, the end of the terminal, a cancellation, or, with a time, for none of them.
    pub(super) fn read(&self, cancel: &Cancellation, wait: Option<&Timespec>) -> Input {
        loop {
            let mut fds = [PollFd::new(cancel, PollFlags::IN), PollFd::new(&self.tty, PollFlags::IN)];
            match poll(&mut fds, wait) {
                Ok(0) => return Input::Quiet,
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(_) => return Input::Closed,
            }
            // A cancellation comes first: an answer that arrives with it is late.
            if let Some(cause) = cancel.cause() {
                return Input::Cancelled(cause);
            }
            let [_, tty] = &fds;
            if tty.revents().contains(PollFlags::IN) {
                let mut buffer = [0; 1024];
                return match rustix::io::read(&self.tty, &mut buffer) {
                    Ok(0) => Input::Closed,
                    Ok(count) => Input::Bytes(buffer.get(..count).unwrap_or_default().to_vec()),
                    Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => continue,
                    Err(_) => Input::Closed,
                };
            }
            if !tty.revents().is_empty() {
                return Input::Closed;
            }
        }
    }
}

/// Puts the terminal back as it was, cursor included, whatever happens.
pub(super) struct RawMode<'t> {
    terminal: &'t Terminal,
    original: Termios,
}

impl Drop for RawMode<'_> {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing put back. What is still unread was typed at the question, so it must
        // not reach the shell.
        let _ = self.terminal.term.write_str(PASTE_OFF);
        let _ = self.terminal.term.show_cursor();
        let _ = tcsetattr(&self.terminal.tty, OptionalActions::Flush, &self.original);
    }
}
