//! The pipes of a child: read under a cap, written without waiting for a reader.

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::pipe::{PipeFlags, pipe_with};
use tokio::net::unix::pipe::{Receiver, Sender};
use zeroize::Zeroizing;

/// How much is read or written in one step.
const STEP: usize = 64 << 10;

/// Reads a pipe into memory up to a cap, and beyond it only so that the writer is not held up.
pub(in crate::execute) struct CappedReader {
    pipe: Option<Receiver>,
    bytes: Vec<u8>,
    cap: usize,
    cut: bool,
}

impl CappedReader {
    /// Makes a pipe; the returned end is for the child.
    ///
    /// # Errors
    /// What the kernel says.
    pub(in crate::execute) fn new(cap: usize) -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
        set_nonblocking(&ours)?;
        let pipe = Some(Receiver::from_owned_fd_unchecked(ours)?);
        Ok((Self { pipe, bytes: Vec::new(), cap, cut: false }, theirs))
    }

    /// Whether the other end may still write.
    pub(in crate::execute) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Whether there was more than the cap.
    pub(in crate::execute) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Waits for bytes or the end and takes in one step's worth. May be dropped and called again.
    pub(in crate::execute) async fn read(&mut self, buffer: &mut [u8]) {
        if let Some(pipe) = &self.pipe
            && pipe.readable().await.is_err()
        {
            self.pipe = None;
        }
        self.take_available(buffer);
    }

    /// Takes in what is in the pipe now, without waiting. What a writer adds meanwhile may be left.
    pub(in crate::execute) fn drain(&mut self, buffer: &mut [u8]) {
        // A pipe holds 64 KiB unless someone enlarged it, to 1 MiB at most without privileges.
        for _ in 0..32 {
            if !self.take_available(buffer) {
                return;
            }
        }
    }

    /// Whether something was taken.
    fn take_available(&mut self, buffer: &mut [u8]) -> bool {
        let Some(pipe) = &self.pipe else { return false };
        match pipe.try_read(buffer) {
            Ok(0) => {
                self.pipe = None;
                false
            }
            Ok(count) => {
                self.keep(buffer.get(..count).unwrap_or_default());
                true
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => false,
            Err(_) => {
                self.pipe = None;
                false
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = self.cap - self.bytes.len();
        self.cut |= bytes.len() > room;
        self.bytes.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    /// What was read, and whether it was cut.
    /// What was kept so far.
    pub(in crate::execute) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(in crate::execute) fn into_bytes(self) -> (Vec<u8>, bool) {
        (self.bytes, self.cut)
    }
}

/// A buffer for [`CappedReader::read`], shared by the pipes of one call.
pub(in crate::execute) fn buffer() -> Vec<u8> {
    vec![0; STEP]
}

/// Writes a child's standard input, then closes it. A child that does not read is no error.
pub(in crate::execute) struct Feeder {
    pipe: Option<Sender>,
    bytes: Zeroizing<Vec<u8>>,
    written: usize,
}

impl Feeder {
    /// A feeder of nothing.
    pub(in crate::execute) fn closed() -> Self {
        Self { pipe: None, bytes: Zeroizing::default(), written: 0 }
    }

    /// Makes a pipe; the returned end is for the child.
    ///
    /// # Errors
    /// What the kernel says.
    pub(in crate::execute) fn new(bytes: Zeroizing<Vec<u8>>) -> io::Result<(Self, OwnedFd)> {
        let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
        set_nonblocking(&ours)?;
        let pipe = Some(Sender::from_owned_fd_unchecked(ours)?);
        Ok((Self { pipe, bytes, written: 0 }, theirs))
    }

    /// Whether there is more to write.
    pub(in crate::execute) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Waits until the child can take more, and writes one step's worth. May be dropped and called again.
    pub(in crate::execute) async fn write(&mut self) {
        let Some(pipe) = &self.pipe else { return };
        let rest = self.bytes.get(self.written..).unwrap_or_default();
        let step = rest.get(..STEP).unwrap_or(rest);
        let result = match pipe.writable().await {
            Ok(()) if step.is_empty() => Ok(0),
            Ok(()) => pipe.try_write(step),
            Err(error) => Err(error),
        };
        match result {
            Ok(count) => self.written += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            // The child closed its end: it wants no more.
            Err(_) => self.written = self.bytes.len(),
        }
        if self.written >= self.bytes.len() {
            self.pipe = None;
        }
    }
}

/// Only the gateway's end: the child's end of the pipe is another open file and keeps blocking.
fn set_nonblocking(pipe: &OwnedFd) -> io::Result<()> {
    Ok(fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?)
}
