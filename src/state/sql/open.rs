//! Opening a store where it lies.

use std::path::Path;

use crate::state::postgres::Postgres;
use crate::state::sqlite::Sqlite;
use crate::state::{Place, SealKey, SealedRecord, StoreError};

use super::Database;

/// A state store: in a file of its own, or in a schema of a PostgreSQL server.
pub struct SqlStore {
    pub(super) database: Box<dyn Database>,
    pub(super) place: Place,
    /// What stored answers are sealed with.
    pub(super) key: SealKey,
    /// The buffers that every record is sealed in.
    pub(super) record: SealedRecord,
}

impl SqlStore {
    /// Opens the store at a place, and makes it where there is none; `key` seals the answers in it.
    ///
    /// # Errors
    /// [`StoreError::UnsafePlace`] where its folder is inside `workspace` (its real path), is a link, or is not the
    /// person's alone to write; [`StoreError::OtherKey`] where answers on a server are sealed with another key than `key`;
    /// otherwise why the store cannot be used.
    pub fn open(place: &Place, workspace: &Path, key: SealKey) -> Result<Self, StoreError> {
        let database: Box<dyn Database> = match place {
            Place::File(path) => Box::new(Sqlite::open(path, workspace)?),
            Place::Server(server) => Box::new(Postgres::open(server, &key)?),
        };
        Ok(Self::new(database, place, key))
    }

    /// Opens the store at a place; `None` where there is none, and none is made.
    ///
    /// # Errors
    /// As [`SqlStore::open`].
    pub fn open_existing(place: &Place, workspace: &Path, key: SealKey) -> Result<Option<Self>, StoreError> {
        let database: Option<Box<dyn Database>> = match place {
            Place::File(path) => Sqlite::open_existing(path, workspace)?.map(|opened| Box::new(opened) as _),
            Place::Server(server) => {
                Postgres::open_existing(server, &key)?.map(|opened| Box::new(opened) as _)
            }
        };
        Ok(database.map(|database| Self::new(database, place, key)))
    }

    fn new(database: Box<dyn Database>, place: &Place, key: SealKey) -> Self {
        Self { database, place: place.clone(), key, record: SealedRecord::default() }
    }

    pub(in crate::state) fn sql(&self) -> &dyn Database {
        self.database.as_ref()
    }
}
