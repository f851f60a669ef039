//! Lines in, lines out, on one thread: reading never blocks what runs, and a slow reader holds the writer back.
//!
//! The descriptors stay in blocking mode, since they are shared with the harness; each read or write is
//! preceded by a `poll(2)` that says it will not block.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Bytes read at a time.
const CHUNK: usize = 64 << 10;

/// A pipe takes this many bytes without blocking once `poll` says it is writable.
const ATOMIC_WRITE: usize = 4096;

/// One line of input, without its line feed.
#[derive(Debug, PartialEq, Eq)]
pub enum InputLine {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// It was longer than the bound, and was skipped.
    TooLong,
}

/// A descriptor that can be waited for, or one that is always ready, as regular files are.
enum Ready {
    Waits(AsyncFd<OwnedFd>),
    Always(OwnedFd),
}

impl Ready {
    #[expect(
        unsafe_code,
        reason = "the runtime offers no safe way to watch a descriptor that it does not own"
    )]
    fn new(fd: OwnedFd, interest: Interest) -> Self {
        // SAFETY: an owned descriptor keeps its number, and stays open until the registration, which owns it, is dropped.
        match unsafe { AsyncFd::register_with_interest(fd, interest) } {
            Ok(watched) => Self::Waits(watched),
            // The kernel refuses to watch what never blocks.
            Err(refused) => Self::Always(refused.into_parts().0),
        }
    }

    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Waits(watched) => watched.get_ref().as_fd(),
            Self::Always(fd) => fd.as_fd(),
        }
    }
}

/// Whether an operation on `fd` would go through at once.
fn ready_now(fd: BorrowedFd<'_>, flags: PollFlags) -> io::Result<bool> {
    let mut polled = [PollFd::from_borrowed_fd(fd, flags)];
    let none = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
    match rustix::event::poll(&mut polled, Some(&none)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Reads lines of bounded length.
pub struct LineReader {
    source: Ready,
    buffer: Vec<u8>,
    /// Where the unread part of the buffer starts.
    start: usize,
    /// How far it has been searched for a line feed.
    searched: usize,
    longest: usize,
    skipping: bool,
    ended: bool,
}

impl LineReader {
    /// A reader of `fd` for lines of at most `longest` bytes. Needs a tokio runtime.
    #[must_use]
    pub fn new(fd: OwnedFd, longest: usize) -> Self {
        Self {
            source: Ready::new(fd, Interest::READABLE),
            buffer: Vec::with_capacity(CHUNK),
            start: 0,
            searched: 0,
            longest,
            skipping: false,
            ended: false,
        }
    }

    /// Whether the end of the input was reached and every line was taken.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.ended && self.start == self.buffer.len() && !self.skipping
    }

    /// Whether the end of the input was reached.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// Reads nothing more: what follows in the input is not looked at.
    pub fn close(&mut self) {
        self.ended = true;
        self.skipping = false;
        self.start = self.buffer.len();
    }

    /// The next line that is already here.
    pub fn next_line(&mut self) -> Option<InputLine> {
        let unread = self.buffer.get(self.searched..).unwrap_or_default();
        if let Some(at) = unread.iter().position(|byte| *byte == b'\n') {
            let end = self.searched + at;
            let line = self.line(end);
            self.start = end + 1;
            self.searched = self.start;
            return Some(line);
        }
        self.searched = self.buffer.len();
        if self.ended {
            let anything = self.skipping || self.start < self.buffer.len();
            let line = self.line(self.searched);
            self.start = self.searched;
            return anything.then_some(line);
        }
        if self.searched - self.start > self.longest {
            self.skipping = true;
            self.start = self.searched;
        }
        None
    }

    /// The line that ends before `end`.
    fn line(&mut self, end: usize) -> InputLine {
        let line = self.buffer.get(self.start..end).unwrap_or_default();
        if std::mem::take(&mut self.skipping) || line.len() > self.longest {
            InputLine::TooLong
        } else {
            InputLine::Bytes(line.to_vec())
        }
    }

    /// Waits for more input and reads some. At the end of the input it returns at once.
    ///
    /// Dropping the future loses nothing.
    ///
    /// # Errors
    /// When the descriptor cannot be read.
    pub async fn fill(&mut self) -> io::Result<()> {
        if self.ended {
            return Ok(());
        }
        self.make_room();
        loop {
            let mut guard = match &self.source {
                Ready::Waits(watched) => Some(watched.readable().await?),
                Ready::Always(_) => None,
            };
            if let Some(guard) = &mut guard
                && !ready_now(guard.get_inner().as_fd(), PollFlags::IN)?
            {
                guard.clear_ready();
                continue;
            }
            let filled = self.buffer.len();
            self.buffer.resize(filled + CHUNK, 0);
            let target = self.buffer.get_mut(filled..).unwrap_or_default();
            let result = match &guard {
                Some(guard) => rustix::io::read(guard.get_inner(), target),
                None => rustix::io::read(self.source.fd(), target),
            };
            let read = *result.as_ref().unwrap_or(&0);
            self.buffer.truncate(filled + read);
            match result {
                Ok(0) => {
                    self.ended = true;
                    return Ok(());
                }
                Ok(read) => {
                    if let Some(guard) = &mut guard
                        && read < CHUNK
                    {
                        guard.clear_ready();
                    }
                    return Ok(());
                }
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
                // A terminal whose other side went away.
                Err(rustix::io::Errno::IO) => {
                    self.ended = true;
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Drops what was taken, so that the buffer stays as small as the longest line.
    fn make_room(&mut self) {
        if self.start == 0 {
            return;
        }
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        if self.buffer.capacity() > 4 * CHUNK && self.buffer.len() < CHUNK {
            self.buffer.shrink_to(CHUNK);
        }
    }
}

/// Writes whole lines and notices when nobody reads them any more.
pub struct LineWriter {
    target: Ready,
}

impl LineWriter {
    /// A writer to `fd`. Needs a tokio runtime.
    #[must_use]
    pub fn new(fd: OwnedFd) -> Self {
        Self { target: Ready::new(fd, Interest::WRITABLE.add(Interest::ERROR)) }
    }

    /// Writes all of `bytes`, waiting while the reader is slow.
    ///
    /// # Errors
    /// `BrokenPipe` when the reader went away, and whatever else the descriptor reports.
    pub async fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let chunk = match &self.target {
                Ready::Waits(watched) => {
                    let mut guard = watched.writable().await?;
                    if !ready_now(watched.get_ref().as_fd(), PollFlags::OUT)? {
                        guard.clear_ready();
                        continue;
                    }
                    rest.get(..ATOMIC_WRITE.min(rest.len())).unwrap_or(rest)
                }
                Ready::Always(_) => rest,
            };
            match rustix::io::write(self.target.fd(), chunk) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Resolves when the reader has gone away; for a file or terminal, never.
    pub async fn closed(&self) {
        match &self.target {
            Ready::Waits(watched) => {
                if watched.ready(Interest::ERROR).await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
            Ready::Always(_) => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    fn lines_of(input: &[u8], longest: usize) -> Vec<InputLine> {
        let (reader, mut writer) = io::pipe().unwrap();
        let input = input.to_vec();
        let feeder = std::thread::spawn(move || {
            for chunk in input.chunks(7) {
                writer.write_all(chunk).unwrap();
            }
        });
        let lines = runtime().block_on(async {
            let mut reader = LineReader::new(reader.into(), longest);
            let mut lines = Vec::new();
            while !reader.is_finished() {
                reader.fill().await.unwrap();
                while let Some(line) = reader.next_line() {
                    lines.push(line);
                }
            }
            lines
        });
        feeder.join().unwrap();
        lines
    }

    fn bytes(text: &str) -> InputLine {
        InputLine::Bytes(text.as_bytes().to_vec())
    }

    #[test]
    fn a_last_line_without_line_feed_is_a_line() {
        assert_eq!(lines_of(b"one\n\ntwo", 100), [bytes("one"), bytes(""), bytes("two")]);
    }

    #[test]
    fn a_line_beyond_the_bound_is_skipped_and_the_next_is_read() {
        let mut input = vec![b'x'; 300_000];
        input.extend_from_slice(b"\nshort\n");
        assert_eq!(lines_of(&input, 1000), [InputLine::TooLong, bytes("short")]);
        assert_eq!(lines_of(&[b'x'; 2000], 1000), [InputLine::TooLong]);
    }

    #[test]
    fn a_closed_reader_is_noticed_without_writing() {
        let (reader, writer) = io::pipe().unwrap();
        runtime().block_on(async {
            let writer = LineWriter::new(writer.into());
            writer.write_all(b"x\n").await.unwrap();
            drop(reader);
            writer.closed().await;
            assert_eq!(writer.write_all(b"y\n").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        });
    }

    #[test]
    fn a_slow_reader_holds_the_writer_back_without_loss() {
        let (mut reader, writer) = io::pipe().unwrap();
        let expected: Vec<u8> = (0..200_000u32).flat_map(|n| n.to_le_bytes()).collect();
        let copy = expected.clone();
        let collector = std::thread::spawn(move || {
            let mut all = Vec::new();
            io::Read::read_to_end(&mut reader, &mut all).unwrap();
            all
        });
        runtime().block_on(async {
            let writer = LineWriter::new(writer.into());
            writer.write_all(&copy).await.unwrap();
        });
        assert_eq!(collector.join().unwrap(), expected);
    }
}
