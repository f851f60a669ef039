//! Opening a store: a safe place, our own file, the right version.

use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::state::home::{self, Missing};
use crate::state::lock::FileLock;
use crate::state::{Durability, StoreError};

use super::log::{Log, PATIENCE};
use super::schema;

/// The pause before another try at what does not wait by itself.
const RETRY: Duration = Duration::from_millis(5);

/// Most bytes of a value that is read or written: more than any that this program writes.
const VALUE_BYTES: i32 = 64 << 20;

/// A store in one SQLite file.
///
/// A connection keeps about 1 MiB of pages; the log beside the file is moved into it every 8 MiB while writing.
pub(in crate::state) struct Sqlite {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) log: Log,
    /// What the next commit is to survive.
    pub(super) durability: Cell<Durability>,
    /// Whether what is deleted is overwritten, as SQLite was last told.
    pub(super) overwrites: Cell<bool>,
}

impl Sqlite {
    /// Opens the store at `path`, and makes it, with its folder, where there is none.
    pub(in crate::state) fn open(path: &Path, workspace: &Path) -> Result<Self, StoreError> {
        Self::open_at(path, workspace, Missing::Create)?
            .ok_or_else(|| StoreError::Unavailable("its folder vanished while it was opened".to_owned()))
    }

    /// Opens the store at `path`; `None` where there is none, and none is made.
    pub(in crate::state) fn open_existing(path: &Path, workspace: &Path) -> Result<Option<Self>, StoreError> {
        Self::open_at(path, workspace, Missing::Leave)
    }

    fn open_at(path: &Path, workspace: &Path, missing: Missing) -> Result<Option<Self>, StoreError> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(StoreError::UnsafePlace { path: path.to_owned(), problem: "it names no file" });
        };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Some(folder) = home::secure_folder(folder, Some(workspace), missing)? else { return Ok(None) };
        let path = folder.join(name);
        if !prepare_file(&path, missing)? {
            return Ok(None);
        }
        let (connection, log) = ready(&path, &folder)?;
        let (durability, overwrites) = (Cell::new(Durability::Kill), Cell::new(false));
        Ok(Some(Self { connection, path, log, durability, overwrites }))
    }
}

/// Whether the file exists now. A new one is made for its owner only, before SQLite would make one for everybody; the
/// files that SQLite keeps beside it take over its mode.
fn prepare_file(path: &Path, missing: Missing) -> Result<bool, StoreError> {
    match path.symlink_metadata() {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => match missing {
            Missing::Leave => return Ok(false),
            Missing::Create => {
                let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map(drop);
                if let Err(error) = made
                    && error.kind() != io::ErrorKind::AlreadyExists
                {
                    return Err(StoreError::Unavailable(format!("its file cannot be made: {error}")));
                }
            }
        },
        Err(error) => return Err(StoreError::Unavailable(format!("its file cannot be read: {error}"))),
    }
    home::check_file(path)?;
    Ok(true)
}

/// A connection to a store that is ours and up to date.
///
/// A switch of the journal, or putting right what a killed process left, does not wait for other connections as
/// transactions do: it says at once that the store is busy. So it is tried again.
fn ready(path: &Path, folder: &Path) -> Result<(Connection, Log), StoreError> {
    let started = Instant::now();
    loop {
        match made_ready(path, folder) {
            Err(StoreError::Busy) if started.elapsed() < PATIENCE => std::thread::sleep(RETRY),
            other => return other,
        }
    }
}

fn made_ready(path: &Path, folder: &Path) -> Result<(Connection, Log), StoreError> {
    let (mut connection, log) = connect(path)?;
    if identify(&connection, path)? == Version::Older {
        bring_up_to_date(&mut connection, path, folder)?;
    }
    schema::check(&connection)?;
    Ok((connection, log))
}

fn connect(path: &Path) -> Result<(Connection, Log), StoreError> {
    // No mutex: a connection belongs to one thread at a time, which Rust's types hold.
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.set_prepared_statement_cache_capacity(48);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES)?;
    // The file is ours, yet a damaged or planted schema must not be able to run anything.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.execute_batch(
        "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -500; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY;
         PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 8388608; PRAGMA cell_size_check = ON;",
    )?;
    let log = Log::of(&mut connection, path)?;
    Ok((connection, log))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    Current,
    Older,
}

fn identify(connection: &Connection, path: &Path) -> Result<Version, StoreError> {
    // One look at the file: another process may be making a store of it at this moment.
    let look = connection.unchecked_transaction()?;
    let application: i64 = look.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: i64 = look.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let objects: i64 = look.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    look.finish()?;
    if application == schema::APPLICATION_ID {
        if version == schema::MOVED {
            return Err(StoreError::Moved);
        }
        return match version.cmp(&schema::VERSION) {
            std::cmp::Ordering::Equal => Ok(Version::Current),
            std::cmp::Ordering::Less => Ok(Version::Older),
            std::cmp::Ordering::Greater => Err(StoreError::Newer { found: version, known: schema::VERSION }),
        };
    }
    if application == 0 && version == 0 && objects == 0 {
        Ok(Version::Older)
    } else {
        Err(StoreError::Foreign(path.to_owned()))
    }
}

/// Turns an empty file into a store, or an older store into a current one.
///
/// The switch to write-ahead mode does not wait for other connections as transactions do, so that processes which start
/// at the same moment take turns through a lock of their own.
fn bring_up_to_date(connection: &mut Connection, path: &Path, folder: &Path) -> Result<(), StoreError> {
    let _turn = FileLock::acquire(&path.with_extension("lock"), PATIENCE)?;
    if identify(connection, path)? == Version::Current {
        return Ok(());
    }
    // An effect writes little to each of many pages, and every page is written whole; it is chosen before the first one.
    connection.execute_batch("PRAGMA page_size = 4096")?;
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if !mode.eq_ignore_ascii_case("wal") {
        return Err(StoreError::Unavailable("its file system does not allow write-ahead mode".to_owned()));
    }
    connection.execute_batch("PRAGMA synchronous = FULL")?;
    schema::migrate(connection)?;
    connection.execute_batch("PRAGMA synchronous = NORMAL")?;
    // SQLite makes the contents of its files durable; that the files are there at all is ours to make so.
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| StoreError::Unavailable(format!("its folder cannot be made durable: {error}")))
}
