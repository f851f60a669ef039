//! The write-ahead log beside the file: making it durable outside of the writers' lock, and moving it into the file.
//!
//! SQLite would sync the log inside of each commit, while every other writer waits. Here a commit only writes; whoever has
//! to survive a loss of power syncs the log once its lock is given back, so that the syncs of several processes are under
//! way at once and the kernel makes one of them. Nobody acts on what another process wrote before a sync of its own, which
//! covers everything before it in the log.

use std::cell::{Cell, OnceCell};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::state::StoreError;

/// How long a process waits for others to let go of the store.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// How long a process that tidies the log waits for others; a later one does it then.
const TIDYING: Duration = Duration::from_millis(20);

/// The pause before the lock is tried again, first and at most. Whoever has it keeps it for less than a millisecond.
const FIRST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

/// From which size, in pages, the log is moved into the file: 8 MiB.
const MOVED_AT: u32 = 2000;

/// The log of one connection.
pub(super) struct Log {
    path: PathBuf,
    file: OnceCell<File>,
    /// Whether a sync failed. The kernel tells of it once, and what it could not write is lost to every later sync.
    failed: Cell<bool>,
    /// The size at which it is moved next, in pages.
    next: Cell<u32>,
    shared: Arc<Shared>,
}

/// What SQLite's own threads of control say and hear.
#[derive(Default)]
struct Shared {
    /// The log's size after the last commit, in pages.
    pages: AtomicU32,
    /// Whether the connection is only tidying.
    tidying: AtomicBool,
}

impl Log {
    /// Takes over a connection's waiting for locks, and the moving of its log.
    pub(super) fn of(connection: &mut Connection, path: &Path) -> Result<Self, StoreError> {
        let shared = Arc::new(Shared::default());
        let waiting = Arc::clone(&shared);
        let mut since = Instant::now();
        connection.busy_handler(Some(move |tries: i32| {
            if tries == 0 {
                since = Instant::now();
            }
            let patience = if waiting.tidying.load(Ordering::Relaxed) { TIDYING } else { PATIENCE };
            let goes_on = since.elapsed() < patience;
            if goes_on {
                std::thread::sleep(
                    FIRST_PAUSE.saturating_mul(tries.unsigned_abs().max(1)).min(LONGEST_PAUSE),
                );
            }
            goes_on
        }))?;
        let measured = Arc::clone(&shared);
        connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages: i32| {
            measured.pages.store(pages.unsigned_abs(), Ordering::Relaxed);
            Ok(())
        }))?;
        let mut name = path.to_owned().into_os_string();
        name.push("-wal");
        Ok(Self {
            path: PathBuf::from(name),
            file: OnceCell::new(),
            failed: Cell::new(false),
            next: Cell::new(MOVED_AT),
            shared,
        })
    }

    /// Refuses to write to a log of which something was lost.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.failed.get() {
            let problem =
                "what it wrote last could not be made durable; look after its disk, then start again";
            return Err(StoreError::Unavailable(problem.to_owned()));
        }
        Ok(())
    }

    /// Makes everything that was committed until now survive a loss of power.
    ///
    /// # Errors
    /// [`StoreError::InDoubt`]: it is committed, and may be lost with the power.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        self.opened().and_then(File::sync_data).map_err(|error| {
            self.failed.set(true);
            StoreError::InDoubt(format!("its log cannot be made durable: {error}"))
        })
    }

    /// The log as it lies beside the file now. It stays where it is as long as a connection to the file is open.
    fn opened(&self) -> io::Result<&File> {
        let file = match self.file.get() {
            Some(file) => file,
            None => {
                let file = OpenOptions::new()
                    .read(true)
                    .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC)
                    .open(&self.path)?;
                self.file.get_or_init(|| file)
            }
        };
        let (held, lies) = (file.metadata()?, std::fs::symlink_metadata(&self.path)?);
        if (held.dev(), held.ino()) == (lies.dev(), lies.ino()) {
            Ok(file)
        } else {
            Err(io::Error::other("another file lies in its place"))
        }
    }

    /// Moves a log that has grown into the file, so that it is written from its beginning again. Where others are in the way
    /// for more than a moment, a later commit does it.
    pub(super) fn tidy(&self, connection: &Connection) {
        let pages = self.shared.pages.load(Ordering::Relaxed);
        if pages < self.next.get() {
            if pages < MOVED_AT {
                self.next.set(MOVED_AT);
            }
            return;
        }
        self.shared.tidying.store(true, Ordering::Relaxed);
        let moved = connection.query_row("PRAGMA wal_checkpoint(RESTART)", [], |row| row.get::<_, bool>(0));
        self.shared.tidying.store(false, Ordering::Relaxed);
        match moved {
            Ok(false) => self.next.set(MOVED_AT),
            Ok(true) => self.next.set(pages.saturating_add(MOVED_AT)),
            Err(error) => {
                tracing::warn!(%error, "the log of the state store could not be moved into its file");
                self.next.set(pages.saturating_add(MOVED_AT));
            }
        }
        self.shared.pages.store(0, Ordering::Relaxed);
    }
}
