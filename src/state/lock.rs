//! A lock between processes for the rare moments that SQLite's own locks do not cover.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use super::StoreError;

/// Holds an exclusive lock on a file until dropped.
pub(super) struct FileLock {
    _file: File,
}

impl FileLock {
    /// Waits at most `patience` for the lock on `path`, which is created where it does not exist.
    pub(super) fn acquire(path: &Path, patience: Duration) -> Result<Self, StoreError> {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(super::home::NO_FOLLOW)
            .open(path)
            .map_err(|error| StoreError::Unavailable(format!("its lock cannot be opened: {error}")))?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                // A stopped holder must not stop everyone else for ever, so the wait is a poll with an end.
                Err(TryLockError::WouldBlock) if began.elapsed() < patience => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(TryLockError::WouldBlock) => return Err(StoreError::Busy),
                Err(TryLockError::Error(error)) => {
                    return Err(StoreError::Unavailable(format!("its lock cannot be taken: {error}")));
                }
            }
        }
    }
}
