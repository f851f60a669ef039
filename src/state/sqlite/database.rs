//! Running statements and transactions in SQLite.

use std::ops::ControlFlow;

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, params_from_iter};

use crate::state::crash::committing;
use crate::state::sql::{Beginning, Database, Row, Size, Value};
use crate::state::{Durability, StoreError};

use super::open::Sqlite;
use super::schema;

impl Database for Sqlite {
    fn execute(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, StoreError> {
        let rows = self.connection.prepare_cached(sql)?.execute(params_from_iter(values))?;
        Ok(rows as u64)
    }

    fn visit(
        &self,
        sql: &str,
        values: &[Value<'_>],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            if visit(&Row::Sqlite(row))?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Takes the one place for writers, of any tenant.
    fn begin(&self, beginning: Beginning<'_>) -> Result<(), StoreError> {
        self.log.check()?;
        self.durability.set(beginning.durability);
        self.overwrite_deleted(beginning.erases)?;
        run(&self.connection, "BEGIN IMMEDIATE")
    }

    fn commit(&self) -> Result<(), StoreError> {
        if let Err(error) = committing(|| run(&self.connection, "COMMIT")) {
            self.roll_back();
            return Err(error);
        }
        if self.durability.get() == Durability::Power {
            self.log.sync()?;
        }
        self.log.tidy(&self.connection);
        Ok(())
    }

    fn roll_back(&self) {
        // SQLite gives a transaction up by itself where the disk is full or fails.
        if !self.connection.is_autocommit()
            && let Err(error) = run(&self.connection, "ROLLBACK")
        {
            tracing::error!(%error, "a transaction could not be given up");
        }
    }

    /// Moves the log, which holds pages as they were, into the file, and empties it. Where other processes read at this
    /// moment, a later one does it.
    fn after_erasing(&self) -> Result<(), StoreError> {
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(())
    }

    fn size(&self) -> Result<Size, StoreError> {
        let bytes = ["", "-wal"]
            .iter()
            .filter_map(|suffix| {
                let mut name = self.path.clone().into_os_string();
                name.push(suffix);
                std::fs::metadata(name).ok()
            })
            .map(|metadata| metadata.len())
            .sum();
        Ok(Size { bytes, schema_version: schema::VERSION })
    }
}

impl Sqlite {
    /// Has the file for this process alone. Only who is alone can leave write-ahead mode.
    pub(in crate::state) fn alone(&self) -> Result<(), StoreError> {
        let mode: String =
            self.connection.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get(0))?;
        if !mode.eq_ignore_ascii_case("delete") {
            return Err(StoreError::Busy);
        }
        self.connection.execute_batch("PRAGMA synchronous = FULL")?;
        run(&self.connection, "BEGIN EXCLUSIVE")
    }

    /// Gives the file back as it was.
    pub(in crate::state) fn no_longer_alone(&self) {
        self.roll_back();
        let back: Result<String, _> =
            self.connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0));
        if let Err(error) = back {
            tracing::error!(%error, "the state store could not be put back into write-ahead mode");
        }
    }

    /// Marks the file as moved, so that no process opens it again, and lets go of it.
    pub(in crate::state) fn mark_moved(&self) -> Result<(), StoreError> {
        self.connection.pragma_update(None, "user_version", schema::MOVED)?;
        run(&self.connection, "COMMIT")
    }

    /// Has what is deleted from now on overwritten, or no longer.
    fn overwrite_deleted(&self, overwrite: bool) -> Result<(), StoreError> {
        if self.overwrites.get() != overwrite {
            let setting = if overwrite { "ON" } else { "OFF" };
            // The setting is answered with a row.
            self.connection.query_row(&format!("PRAGMA secure_delete = {setting}"), [], |_| Ok(()))?;
            self.overwrites.set(overwrite);
        }
        Ok(())
    }
}

fn run(connection: &Connection, sql: &str) -> Result<(), StoreError> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Value::Null => ValueRef::Null,
            Value::Bool(value) => ValueRef::Integer(i64::from(value)),
            Value::Integer(value) => ValueRef::Integer(value),
            Value::Text(value) => ValueRef::Text(value.as_bytes()),
            Value::Bytes(value) => ValueRef::Blob(value),
        }))
    }
}
