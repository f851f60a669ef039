//! Kept results.

use crate::clock::Timestamp;
use crate::ident::{TaskId, Tenant};

/// A result to keep. The value is redacted and capped by the caller.
#[derive(Debug, Clone, Copy)]
pub struct NewResult<'a> {
    /// The reference it is found under, random.
    pub reference: &'a str,
    /// The task it belongs to.
    pub task: &'a TaskId,
    /// The tool it came from.
    pub tool: &'a str,
    /// The value, as JSON.
    pub value: &'a [u8],
    /// How far its text is vouched for, as JSON.
    pub trust: &'a str,
    /// When it may be dropped.
    pub expires: Timestamp,
}

/// Whose results are looked at.
#[derive(Debug, Clone, Copy)]
pub enum ResultScope<'a> {
    /// Those of one task: all that a model may read.
    Task(&'a Tenant, &'a TaskId),
    /// Those of a tenant, for a person.
    Tenant(&'a Tenant),
}

impl<'a> ResultScope<'a> {
    pub(super) fn parts(self) -> (&'a Tenant, Option<&'a TaskId>) {
        match self {
            Self::Task(tenant, task) => (tenant, Some(task)),
            Self::Tenant(tenant) => (tenant, None),
        }
    }
}

/// A kept result without its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultSummary {
    /// The reference.
    pub reference: String,
    /// The task it belongs to.
    pub task: TaskId,
    /// The tool it came from.
    pub tool: String,
    /// The size of its value in bytes.
    pub bytes: u64,
    /// When it was kept.
    pub created: Timestamp,
    /// When it may be dropped.
    pub expires: Timestamp,
}

/// A kept result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResult {
    /// All but the value.
    pub summary: ResultSummary,
    /// The value, as JSON.
    pub value: Vec<u8>,
    /// How far its text is vouched for, as JSON.
    pub trust: String,
}
