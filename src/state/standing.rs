//! Standing grants: a yes to later calls of the same shape.

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::{Principal, TaskId};

/// A standing grant to store.
#[derive(Debug, Clone, Copy)]
pub struct NewStanding<'a> {
    /// Its id, random.
    pub id: &'a str,
    /// Whose calls it is for.
    pub principal: &'a Principal,
    /// The task it is for.
    pub task: &'a TaskId,
    /// The tool.
    pub tool: &'a str,
    /// The contract it was given for; another contract needs another yes.
    pub contract: Digest,
    /// The pinned arguments: a JSON object from pointer to value.
    pub pinned: &'a str,
    /// The rules that asked, as a JSON array of ids.
    pub rules: &'a str,
    /// When it ends.
    pub expires: Timestamp,
    /// How often it may be used; `None` for any number of times.
    pub max_uses: Option<u64>,
}

/// A standing grant as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingGrant {
    /// Its id.
    pub id: String,
    /// Whose calls it is for.
    pub principal: Principal,
    /// The task it is for.
    pub task: TaskId,
    /// The tool.
    pub tool: String,
    /// The contract it was given for.
    pub contract: Digest,
    /// The pinned arguments: a JSON object from pointer to value.
    pub pinned: String,
    /// The rules that asked, as a JSON array of ids.
    pub rules: String,
    /// When it was given.
    pub created: Timestamp,
    /// When it ends.
    pub expires: Timestamp,
    /// How often it was used.
    pub uses: u64,
    /// How often it may be used.
    pub max_uses: Option<u64>,
    /// When it was revoked.
    pub revoked: Option<Timestamp>,
}

impl StandingGrant {
    /// Whether it may be used at `now`.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && now < self.expires && self.max_uses.is_none_or(|most| self.uses < most)
    }
}

/// Which standing grants could cover a call. What they pin is the caller's to compare.
#[derive(Debug, Clone, Copy)]
pub struct StandingQuery<'a> {
    /// Who is behind the call.
    pub principal: &'a Principal,
    /// The task.
    pub task: &'a TaskId,
    /// The tool.
    pub tool: &'a str,
    /// The contract.
    pub contract: Digest,
    /// The present instant.
    pub now: Timestamp,
}
