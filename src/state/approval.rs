//! Stored questions and their answers.

use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::ident::{Principal, StepName, TaskId};

use super::Seal;
use super::seal::Canonical;

/// Where a stored question stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalState {
    /// Nobody has answered.
    Pending,
    /// A person said yes.
    Approved,
    /// A person said no.
    Denied,
    /// Nobody answered in time. Final.
    Expired,
    /// It was taken back, or the yes to it, before the call ran. Final.
    Revoked,
}

impl ApprovalState {
    /// Every state.
    pub const ALL: [Self; 5] = [Self::Pending, Self::Approved, Self::Denied, Self::Expired, Self::Revoked];

    /// The state as it is stored and shown.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }

    /// Reads the stored form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// A question to store.
#[derive(Debug, Clone, Copy)]
pub struct NewApproval<'a> {
    /// Its id, random.
    pub id: &'a str,
    /// Who is behind the call.
    pub principal: &'a Principal,
    /// The task.
    pub task: &'a TaskId,
    /// The step.
    pub step: Option<&'a StepName>,
    /// The tool.
    pub tool: &'a str,
    /// The call, as JSON, so that it can be run later.
    pub call: &'a str,
    /// What a yes would be to.
    pub binding: Digest,
    /// What a call that is sent again has in common with this one.
    pub likeness: Digest,
    /// The digest of the question as it was, or would be, shown.
    pub question: Digest,
    /// When it runs out.
    pub expires: Timestamp,
}

/// The answer to a stored question.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// The question's id.
    pub id: &'a str,
    /// The answer; [`ApprovalState::Pending`] is none and is refused.
    pub state: ApprovalState,
    /// The digest of the question that was answered: a yes to an older wording is worth nothing.
    pub question: Digest,
    /// Who answered; the gateway's own word for an expiry.
    pub by: &'a str,
    /// What the person wants the model to know.
    pub feedback: Option<&'a str>,
}

/// Signed answers to a stored question that waits. What they say, and whether they hold, the store does not know.
#[derive(Debug, Clone, Copy)]
pub struct SignedAnswersNow<'a> {
    /// The question's id.
    pub id: &'a str,
    /// The digest of the question that was answered.
    pub question: Digest,
    /// What is stored now, as it was read: where someone else answered meanwhile, nothing is stored.
    pub before: Option<&'a str>,
    /// What is to be stored.
    pub answers: &'a str,
}

/// A stored question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredApproval {
    /// Its id.
    pub id: String,
    /// Who is behind the call.
    pub principal: Principal,
    /// The task.
    pub task: TaskId,
    /// The step.
    pub step: Option<StepName>,
    /// The tool.
    pub tool: String,
    /// The call, as JSON.
    pub call: String,
    /// What a yes would be to.
    pub binding: Digest,
    /// What a call that is sent again has in common with this one; an older store did not keep it.
    pub likeness: Option<Digest>,
    /// The digest of the question.
    pub question: Digest,
    /// When it was asked.
    pub created: Timestamp,
    /// When it runs out.
    pub expires: Timestamp,
    /// Where it stands. A pending one whose time is over may not be marked yet: see [`StoredApproval::state_at`].
    pub state: ApprovalState,
    /// When it was answered.
    pub answered: Option<Timestamp>,
    /// Who answered.
    pub by: Option<String>,
    /// What they want the model to know.
    pub feedback: Option<String>,
    /// When the yes was spent.
    pub spent: Option<Timestamp>,
    /// The signed answers so far.
    pub answers: Option<String>,
    /// Whether it is as the gateway and a person's act left it.
    pub seal: Seal,
}

impl StoredApproval {
    /// What its seal is over: everything that it says.
    pub(super) fn canonical(&self) -> Canonical {
        // Every field by name: one that is added and not sealed does not compile.
        let Self {
            id,
            principal: Principal { tenant, user, agent, agent_version },
            task,
            step,
            tool,
            call,
            binding,
            likeness,
            question,
            created,
            expires,
            state,
            answered,
            by,
            feedback,
            spent,
            answers,
            seal: _,
        } = self;
        let row = Canonical::new("approval")
            .text(id)
            .text(tenant.as_str())
            .text(user.as_str())
            .text(agent.as_str())
            .maybe(agent_version.as_deref(), Canonical::text)
            .text(task.as_str())
            .maybe(step.as_ref().map(StepName::as_str), Canonical::text)
            .text(tool)
            .text(call)
            .bytes(&binding.0)
            .maybe(likeness.as_ref().map(|likeness| &likeness.0[..]), Canonical::bytes)
            .bytes(&question.0)
            .number(created.0)
            .number(expires.0)
            .text(state.as_str())
            .maybe(answered.map(|at| at.0), Canonical::number)
            .maybe(by.as_deref(), Canonical::text)
            .maybe(feedback.as_deref(), Canonical::text)
            .maybe(spent.map(|at| at.0), Canonical::number);
        // A row without any keeps the seal that it had before there were any.
        match answers {
            None => row,
            Some(answers) => row.text(answers),
        }
    }

    /// Where it stands at `now`, whether or not its expiry was marked.
    #[must_use]
    pub fn state_at(&self, now: Timestamp) -> ApprovalState {
        match self.state {
            ApprovalState::Pending if self.expires <= now => ApprovalState::Expired,
            state => state,
        }
    }
}
