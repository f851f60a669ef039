//! Standing grants: a yes to later calls of the same shape.

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::{Principal, TaskId};

use super::Seal;
use super::seal::Canonical;

/// A standing grant to store.
#[derive(Debug, Clone, Copy)]
pub struct NewStanding<'a> {
    /// Its id, random.
    pub id: &'a str,
    /// Whose calls it is for.
    pub principal: &'a Principal,
    /// The task it is for.
    pub task: &'a TaskId,
    /// The real path of the workspace it is for, as bytes.
    pub workspace: &'a [u8],
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
    /// The real path of the workspace it is for, as bytes.
    pub workspace: Vec<u8>,
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
    /// Whether it is as a person's act left it.
    pub seal: Seal,
}

impl StandingGrant {
    /// What its seal is over: everything that it says.
    pub(super) fn canonical(&self) -> Canonical {
        // Every field by name: one that is added and not sealed does not compile.
        let Self {
            id,
            principal: Principal { tenant, user, agent, agent_version },
            task,
            workspace,
            tool,
            contract,
            pinned,
            rules,
            created,
            expires,
            uses,
            max_uses,
            revoked,
            seal: _,
        } = self;
        Canonical::new("standing grant")
            .text(id)
            .text(tenant.as_str())
            .text(user.as_str())
            .text(agent.as_str())
            .maybe(agent_version.as_deref(), Canonical::text)
            .text(task.as_str())
            .bytes(workspace)
            .text(tool)
            .bytes(&contract.0)
            .text(pinned)
            .text(rules)
            .number(created.0)
            .number(expires.0)
            .number(*uses)
            .maybe(*max_uses, Canonical::number)
            .maybe(revoked.map(|at| at.0), Canonical::number)
    }

    /// Whether it may be used at `now`.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.seal == Seal::Whole
            && self.revoked.is_none()
            && now < self.expires
            && self.max_uses.is_none_or(|most| self.uses < most)
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
