//! What a server says on its standard error: in a file of its own, redacted and bounded, and nowhere else.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::Mutex;

use crate::secret::Redactor;

/// Most bytes that one run of a server adds.
const MOST: usize = 1 << 20;

/// From this size on a log is put aside, in place of the one that was before.
const ROTATES: u64 = 1 << 20;

/// Most bytes of a line that are kept together, so that a secret in it is found.
const LINE: usize = 64 << 10;

/// The log of one running server.
pub(super) struct Log {
    state: Mutex<State>,
}

struct State {
    /// `None` once the server has closed its end.
    pipe: Option<Receiver>,
    /// `None` where there is nowhere to write.
    file: Option<File>,
    redactor: Redactor,
    line: Vec<u8>,
    room: usize,
    /// What was said last, for what only words say.
    last: Vec<u8>,
}

/// How much is kept of what was said last.
const LAST: usize = 2 << 10;

/// Where the log of a server is.
pub(super) fn path(folder: &Path, server: &str) -> PathBuf {
    folder.join(format!("{server}.log"))
}

impl Log {
    /// A log that is read from a pipe. Without a folder, or where none can be written, what is said is read and dropped.
    pub(super) fn open(
        pipe: OwnedFd,
        folder: Option<&Path>,
        server: &str,
        redactor: Redactor,
    ) -> io::Result<Self> {
        let file = folder.and_then(|folder| match open(folder, server) {
            Ok(file) => Some(file),
            Err(error) => {
                tracing::warn!(%error, server, "the log of a server cannot be written");
                None
            }
        });
        let pipe = Some(Receiver::from_owned_fd_unchecked(pipe)?);
        Ok(Self {
            state: Mutex::new(State { pipe, file, redactor, line: Vec::new(), room: MOST, last: Vec::new() }),
        })
    }

    /// Takes in one step's worth, for as long as the server has its end open. May be dropped and called again.
    pub(super) async fn pump(&self) {
        let mut state = self.state.lock().await;
        let State { pipe: Some(pipe), line, .. } = &mut *state else { return std::future::pending().await };
        line.reserve(8 << 10);
        match pipe.read_buf(line).await {
            Ok(0) | Err(_) => {
                state.pipe = None;
                state.write_lines(true);
            }
            Ok(_) => state.write_lines(false),
        }
    }

    /// What was said last, redacted; nothing while another reads.
    pub(super) fn last(&self) -> String {
        let state = self.state.try_lock();
        state.map(|state| String::from_utf8_lossy(&state.last).into_owned()).unwrap_or_default()
    }

    /// Takes in what is there, at the end.
    pub(super) fn drain(&mut self) {
        let state = self.state.get_mut();
        let mut buffer = [0; 8 << 10];
        for _ in 0..32 {
            // Not through the runtime, which may be gone.
            match state.pipe.as_ref().map(|pipe| rustix::io::read(pipe, &mut buffer)) {
                Some(Ok(count)) if count > 0 => {
                    state.line.extend_from_slice(buffer.get(..count).unwrap_or_default());
                    state.write_lines(false);
                }
                _ => break,
            }
        }
        state.write_lines(true);
    }
}

impl State {
    /// Writes the whole lines that have come; at the `end` also what is left.
    fn write_lines(&mut self, end: bool) {
        let whole = match self.line.iter().rposition(|byte| *byte == b'\n') {
            _ if end || self.line.len() > LINE => self.line.len(),
            Some(last) => last + 1,
            None => return,
        };
        let rest = self.line.split_off(whole);
        let lines = std::mem::replace(&mut self.line, rest);
        let mut text = self.redactor.bytes(&lines);
        self.last.clear();
        self.last.extend_from_slice(text.get(text.len().saturating_sub(LAST)..).unwrap_or_default());
        let Some(file) = &mut self.file else { return };
        if text.len() > self.room {
            text.truncate(self.room);
            text.extend_from_slice("\n… the rest is dropped\n".as_bytes());
        }
        if file.write_all(&text).is_err() || text.len() > self.room {
            self.file = None;
        }
        self.room = self.room.saturating_sub(text.len());
    }
}

fn open(folder: &Path, server: &str) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let path = path(folder, server);
    if path.symlink_metadata().is_ok_and(|metadata| metadata.len() > ROTATES) {
        std::fs::rename(&path, path.with_extension("log.1"))?;
    }
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(flags.bits().cast_signed())
        .open(&path)
}
