//! What a server's errors mean for the store.

use std::error::Error as _;

use tokio_postgres::error::SqlState;

use crate::state::StoreError;

/// The store's error for one of the connection or the server.
pub(super) fn problem(error: &tokio_postgres::Error) -> StoreError {
    let Some(told) = error.as_db_error() else {
        let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
        return StoreError::Unavailable(format!("{error}{cause}"));
    };
    let text = told.message().to_owned();
    let code = told.code();
    let is = |codes: &[SqlState]| codes.contains(code);
    if is(&[
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::QUERY_CANCELED,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::T_R_SERIALIZATION_FAILURE,
    ]) {
        return StoreError::Busy;
    }
    // A place in a chain that is taken, too, means that someone else wrote there.
    if is(&[
        SqlState::UNIQUE_VIOLATION,
        SqlState::CHECK_VIOLATION,
        SqlState::NOT_NULL_VIOLATION,
        SqlState::DATA_CORRUPTED,
        SqlState::INDEX_CORRUPTED,
        SqlState::UNDEFINED_TABLE,
        SqlState::UNDEFINED_COLUMN,
        SqlState::DATATYPE_MISMATCH,
        SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
    ]) {
        return StoreError::Corrupt(text);
    }
    StoreError::Unavailable(text)
}

/// Whether an error says that a table is not there.
pub(super) fn no_such_table(error: &tokio_postgres::Error) -> bool {
    error
        .code()
        .is_some_and(|code| *code == SqlState::UNDEFINED_TABLE || *code == SqlState::INVALID_SCHEMA_NAME)
}
