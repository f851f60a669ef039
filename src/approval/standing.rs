//! A yes to later calls of the same shape, with named fields pinned.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::{Principal, TaskId};

use super::{Answer, Answered, GrantId, Subject};

/// How long a standing grant holds where no rule says less: a working day.
const LIFE: Duration = Duration::from_secs(8 * 60 * 60);

/// A yes to later calls of one tool in one task, while the pinned fields keep their values.
///
/// The store counts its uses and knows whether it was taken back. Provenance cannot get worse than it was: until
/// provenance is built every argument counts as untrusted.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingGrant {
    id: GrantId,
    tool: String,
    contract: Digest,
    principal: Principal,
    task: TaskId,
    workspace: PathBuf,
    pinned: Vec<Pinned>,
    rules: Vec<String>,
    expires: Timestamp,
}

/// One pinned field: its pointer and the value it must have; no value means that it must be absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pinned {
    /// RFC 6901 pointer into the arguments.
    pub pointer: String,
    /// The value; absent where the field was absent. JSON `null` is a value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present_value")]
    pub value: Option<Value>,
}

/// Reads a field that is there as a value, `null` included.
fn present_value<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// A standing grant as the store holds it.
#[derive(Debug, Clone, Copy)]
pub struct StoredStanding<'a> {
    /// Its id.
    pub id: &'a str,
    /// Whose calls it is for.
    pub principal: &'a Principal,
    /// The task it is for.
    pub task: &'a TaskId,
    /// The workspace it is for.
    pub workspace: &'a Path,
    /// The tool.
    pub tool: &'a str,
    /// The contract it was given for.
    pub contract: Digest,
    /// The JSON of [`StandingGrant::pinned`].
    pub pinned: &'a str,
    /// The JSON of [`StandingGrant::rules`].
    pub rules: &'a str,
    /// When it ends.
    pub expires: Timestamp,
}

impl StandingGrant {
    /// Most calls that one standing grant covers.
    pub const USES: u64 = 200;

    /// The standing grant that an answer becomes; `None` for any answer but "for this task" with an alternative that the
    /// question had, and where only signed answers count.
    #[must_use]
    pub fn from_answer(
        answered: &Answered,
        subject: &Subject<'_>,
        id: GrantId,
        now: Timestamp,
    ) -> Option<Self> {
        let Answer::ForTask { alternative } = answered.answer else { return None };
        if subject.needs_signed_answers() {
            return None;
        }
        let demand = subject.demand.as_ref()?;
        let pointers = demand.remember.get(alternative)?;
        let life = demand.expires.map_or(LIFE, |stated| stated.min(LIFE));
        let pin = |pointer: &String| Pinned {
            pointer: pointer.clone(),
            value: subject.led.pointer(pointer).cloned(),
        };
        Some(Self {
            id,
            tool: subject.contract.name.to_string(),
            contract: subject.contract.digest,
            principal: subject.principal.clone(),
            task: subject.task.clone(),
            workspace: subject.workspace.to_owned(),
            pinned: pointers.iter().map(pin).collect(),
            rules: subject.asking_rules(),
            expires: now.plus(life),
        })
    }

    /// Reads what the store holds; `None` for anything that this version did not write, which is worth nothing.
    #[must_use]
    pub fn from_store(stored: &StoredStanding<'_>) -> Option<Self> {
        Some(Self {
            id: GrantId::parse(stored.id)?,
            tool: stored.tool.to_owned(),
            contract: stored.contract,
            principal: stored.principal.clone(),
            task: stored.task.clone(),
            workspace: stored.workspace.to_owned(),
            pinned: serde_json::from_str(stored.pinned).ok()?,
            rules: serde_json::from_str(stored.rules).ok()?,
            expires: stored.expires,
        })
    }

    /// Whether it is a yes to this call: the same tool, contract, principal, task and workspace, every pinned field as it was, no
    /// rule asks that did not ask then, and the policy still lets these very fields be remembered.
    #[must_use]
    pub fn covers(&self, subject: &Subject<'_>, now: Timestamp) -> bool {
        let Some(demand) = &subject.demand else { return false };
        let same_shape = self.tool == subject.contract.name.as_str()
            && self.contract == subject.contract.digest
            && self.principal == *subject.principal
            && self.task == *subject.task
            && self.workspace == subject.workspace;
        let pinned = self.pinned.iter().all(|pin| subject.led.pointer(&pin.pointer) == pin.value.as_ref());
        let no_new_rule = subject.asking_rules().iter().all(|rule| self.rules.contains(rule));
        let still_offered = demand.remember.iter().any(|alternative| {
            alternative.len() == self.pinned.len()
                && alternative.iter().all(|pointer| self.pinned.iter().any(|pin| pin.pointer == *pointer))
        });
        same_shape
            && now < self.expires
            && pinned
            && no_new_rule
            && still_offered
            && !subject.needs_signed_answers()
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.id.as_str()
    }

    /// The workspace.
    #[must_use]
    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The pinned fields.
    #[must_use]
    pub fn pinned(&self) -> &[Pinned] {
        &self.pinned
    }

    /// The rules that asked.
    #[must_use]
    pub fn rules(&self) -> &[String] {
        &self.rules
    }

    /// When it stops holding.
    #[must_use]
    pub fn expires(&self) -> Timestamp {
        self.expires
    }
}
