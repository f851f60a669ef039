//! Telling a prompt that its answer is not wanted any more.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use rustix::pipe::{PipeFlags, pipe_with};

/// Why a prompt must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelCause {
    /// The question's time has run out.
    Expired,
    /// The run ends.
    Stopped,
}

/// The caller's end: ends the prompt that holds the other one.
#[derive(Debug)]
pub struct CancelHandle {
    /// Closing it wakes the prompt, and stays noticed for ever.
    write: Mutex<Option<OwnedFd>>,
    cause: Arc<AtomicU8>,
}

/// The prompt's end.
#[derive(Debug)]
pub struct Cancellation {
    read: OwnedFd,
    cause: Arc<AtomicU8>,
}

const NONE: u8 = 0;
const EXPIRED: u8 = 1;
const STOPPED: u8 = 2;

/// Makes a pair of ends. Dropping the handle stops the prompt too: an answer that nobody waits for is none.
///
/// # Errors
/// Where the system has no file descriptors to give.
pub fn cancellation() -> io::Result<(CancelHandle, Cancellation)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    let cause = Arc::new(AtomicU8::new(NONE));
    let handle = CancelHandle { write: Mutex::new(Some(write)), cause: Arc::clone(&cause) };
    Ok((handle, Cancellation { read, cause }))
}

impl CancelHandle {
    /// Ends the prompt; the first cause counts.
    pub fn cancel(&self, cause: CancelCause) {
        let value = match cause {
            CancelCause::Expired => EXPIRED,
            CancelCause::Stopped => STOPPED,
        };
        // An answer is read only after this value was looked at, so an answer that comes later is not one.
        let _ = self.cause.compare_exchange(NONE, value, Ordering::SeqCst, Ordering::SeqCst);
        let mut write = self.write.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        drop(write.take());
    }
}

impl Drop for CancelHandle {
    fn drop(&mut self) {
        self.cancel(CancelCause::Stopped);
    }
}

impl Cancellation {
    /// Why the prompt must end; `None` while it need not.
    #[must_use]
    pub fn cause(&self) -> Option<CancelCause> {
        match self.cause.load(Ordering::SeqCst) {
            NONE => None,
            EXPIRED => Some(CancelCause::Expired),
            _ => Some(CancelCause::Stopped),
        }
    }
}

impl AsFd for Cancellation {
    /// Becomes readable (hung up) once the prompt must end.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.read.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cause_counts_and_a_dropped_handle_stops() {
        let (handle, prompt) = cancellation().unwrap();
        assert_eq!(prompt.cause(), None);
        handle.cancel(CancelCause::Expired);
        handle.cancel(CancelCause::Stopped);
        assert_eq!(prompt.cause(), Some(CancelCause::Expired));
        let (handle, prompt) = cancellation().unwrap();
        drop(handle);
        assert_eq!(prompt.cause(), Some(CancelCause::Stopped));
    }
}
