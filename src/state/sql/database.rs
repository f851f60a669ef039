//! What a database has to do: run one statement after the other, inside a transaction or not.

use std::ops::ControlFlow;

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::Tenant;
use crate::state::{Durability, StoreError};

/// A value that is bound to a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::state) enum Value<'v> {
    Null,
    Bool(bool),
    Integer(i64),
    Text(&'v str),
    Bytes(&'v [u8]),
}

/// How a transaction is to be held.
#[derive(Debug, Clone, Copy)]
pub(in crate::state) struct Beginning<'b> {
    /// Whose state it changes: no two transactions of one tenant are under way at once.
    pub(in crate::state) tenant: &'b Tenant,
    /// What its commit survives.
    pub(in crate::state) durability: Durability,
    /// Whether what it deletes is to be overwritten, as far as the database can.
    pub(in crate::state) erases: bool,
}

/// How large a store is.
#[derive(Debug, Clone, Copy)]
pub(in crate::state) struct Size {
    /// Its bytes on disk, as far as the database says.
    pub(in crate::state) bytes: u64,
    /// The version of its schema.
    pub(in crate::state) schema_version: i64,
}

/// A database that holds a store of the present version.
pub(in crate::state) trait Database {
    /// Runs a statement and returns how many rows it wrote.
    fn execute(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, StoreError>;

    /// Shows the rows of a query until `visit` breaks.
    fn visit(
        &self,
        sql: &str,
        values: &[Value<'_>],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError>;

    /// Begins a transaction that sees, and is seen by, every other of its tenant whole or not at all.
    fn begin(&self, beginning: Beginning<'_>) -> Result<(), StoreError>;

    /// Commits it. An error means that nothing of it is kept, or says that this is not known.
    fn commit(&self) -> Result<(), StoreError>;

    /// Gives it up. What cannot be given up now is given up with the connection.
    fn roll_back(&self);

    /// What comes after a commit that erased something.
    fn after_erasing(&self) -> Result<(), StoreError>;

    /// How large the store is.
    fn size(&self) -> Result<Size, StoreError>;
}

impl dyn Database + '_ {
    /// The first row of a query that has one or none.
    pub(in crate::state) fn one<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut found = None;
        self.visit(sql, values, &mut |row| {
            found = Some(read(row)?);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    /// The row of a query that always has one.
    pub(super) fn only<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.one(sql, values, read)?
            .ok_or_else(|| StoreError::Corrupt("a question that has an answer got none".to_owned()))
    }

    /// Every row of a query.
    pub(in crate::state) fn all<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut found = Vec::new();
        self.visit(sql, values, &mut |row| {
            found.push(read(row)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }
}

/// A row of either database.
pub(in crate::state) enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r tokio_postgres::Row),
}

impl Row<'_> {
    /// Reads a column. One of another type, or null where none is expected, was not written by this program.
    pub(in crate::state) fn get<T>(&self, column: usize) -> Result<T, StoreError>
    where
        T: rusqlite::types::FromSql + for<'a> tokio_postgres::types::FromSql<'a>,
    {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => {
                row.try_get(column).map_err(|error| StoreError::Corrupt(error.to_string()))
            }
        }
    }

    /// Shows the bytes of a column without copying them.
    pub(super) fn bytes(&self, column: usize) -> Result<&[u8], StoreError> {
        match self {
            Self::Sqlite(row) => {
                row.get_ref(column)?.as_blob().map_err(|error| StoreError::Corrupt(error.to_string()))
            }
            Self::Postgres(row) => {
                row.try_get(column).map_err(|error| StoreError::Corrupt(error.to_string()))
            }
        }
    }

    /// Shows the bytes of a column that may be null.
    pub(super) fn maybe_bytes(&self, column: usize) -> Result<Option<&[u8]>, StoreError> {
        match self {
            Self::Sqlite(row) => {
                row.get_ref(column)?.as_blob_or_null().map_err(|error| StoreError::Corrupt(error.to_string()))
            }
            Self::Postgres(row) => {
                row.try_get(column).map_err(|error| StoreError::Corrupt(error.to_string()))
            }
        }
    }

    pub(super) fn digest(&self, column: usize) -> Result<Digest, StoreError> {
        as_digest(self.bytes(column)?)
    }

    pub(super) fn maybe_digest(&self, column: usize) -> Result<Option<Digest>, StoreError> {
        self.maybe_bytes(column)?.map(as_digest).transpose()
    }

    pub(super) fn count(&self, column: usize) -> Result<u64, StoreError> {
        Ok(self.get::<i64>(column)?.unsigned_abs())
    }

    pub(super) fn at(&self, column: usize) -> Result<Timestamp, StoreError> {
        self.count(column).map(Timestamp)
    }

    pub(super) fn maybe_at(&self, column: usize) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.get::<Option<i64>>(column)?.map(|millis| Timestamp(millis.unsigned_abs())))
    }
}

fn as_digest(bytes: &[u8]) -> Result<Digest, StoreError> {
    bytes.try_into().map(Digest).map_err(|_| StoreError::Corrupt("a digest has not 32 bytes".to_owned()))
}

/// What can be bound to a statement.
pub(in crate::state) trait ToValue {
    fn value(&self) -> Value<'_>;
}

impl ToValue for i64 {
    fn value(&self) -> Value<'_> {
        Value::Integer(*self)
    }
}

impl ToValue for usize {
    fn value(&self) -> Value<'_> {
        Value::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
    }
}

impl ToValue for bool {
    fn value(&self) -> Value<'_> {
        Value::Bool(*self)
    }
}

impl ToValue for str {
    fn value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for String {
    fn value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for [u8] {
    fn value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl ToValue for [u8; 32] {
    fn value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn value(&self) -> Value<'_> {
        (**self).value()
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, ToValue::value)
    }
}

/// The values of a statement, in the order of its parameters.
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        &[$($crate::state::sql::ToValue::value(&$value)),*]
    };
}

pub(super) use values;
