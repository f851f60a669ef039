//! Questions, answers and standing grants: each row that changes is sealed again in the same transaction.

use crate::catalog::Digest;
use crate::state::{
    Answer, ApprovalState, NewApproval, NewStanding, Refusal, Seal, SignedAnswersNow, StandingGrant,
    StoreError, StoredApproval,
};

use super::change::{Transaction, inserted, millis};
use super::{rows, values};

/// Most questions that one answered call settles: more of the same are not asked within a question's time.
const MOST_LIKE: i64 = 64;

impl Transaction<'_> {
    /// A question as it is stored, believed or not.
    fn stored_question(&self, id: &str) -> Result<StoredApproval, StoreError> {
        let stored = rows::approval(self.sql, self.key, self.tenant, id)?;
        stored.ok_or_else(|| Refusal::UnknownApproval.into())
    }

    fn stored_standing(&self, id: &str) -> Result<StandingGrant, StoreError> {
        let stored = rows::standing_by_id(self.sql, self.key, self.tenant, id)?;
        stored.ok_or_else(|| Refusal::UnknownGrant.into())
    }

    /// Seals a question as it stands now. Only what was believed before may come here, or is new.
    fn seal_question(&self, id: &str) -> Result<(), StoreError> {
        let seal = self.key.seal(&self.stored_question(id)?.canonical())?;
        self.sql.execute("UPDATE approval SET seal = ?2 WHERE id = ?1", values![id, seal.0])?;
        Ok(())
    }

    /// Seals a standing grant as it stands now. Only what was believed before may come here, or is new.
    fn seal_standing(&self, id: &str) -> Result<(), StoreError> {
        let seal = self.key.seal(&self.stored_standing(id)?.canonical())?;
        self.sql.execute("UPDATE standing_grant SET seal = ?2 WHERE id = ?1", values![id, seal.0])?;
        Ok(())
    }

    pub(super) fn spend_approval(&self, id: &str, binding: Digest) -> Result<(), StoreError> {
        let stored = self.stored_question(id)?;
        believed(stored.seal)?;
        match stored.state_at(self.now) {
            ApprovalState::Approved => {}
            ApprovalState::Pending => return Err(Refusal::ApprovalPending.into()),
            ApprovalState::Denied => return Err(Refusal::ApprovalDenied.into()),
            ApprovalState::Expired => return Err(Refusal::ApprovalExpired.into()),
            ApprovalState::Revoked => return Err(Refusal::ApprovalRevoked.into()),
        }
        if stored.spent.is_some() {
            return Err(Refusal::GrantSpent.into());
        }
        if stored.expires <= self.now {
            return Err(Refusal::GrantExpired.into());
        }
        if stored.binding != binding {
            return Err(Refusal::GrantMismatch.into());
        }
        self.sql.execute("UPDATE approval SET spent = ?2 WHERE id = ?1", values![id, millis(self.now)])?;
        self.seal_question(id)
    }

    pub(super) fn ask(&self, approval: &NewApproval<'_>) -> Result<(), StoreError> {
        let rows = self.sql.execute("INSERT INTO approval (id, tenant, \"user\", agent, agent_version, task, step, tool, call, binding, likeness,
                                       question, created, expires, state)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 'pending')
                 ON CONFLICT DO NOTHING", values![approval.id,
                self.tenant.as_str(),
                approval.principal.user.as_str(),
                approval.principal.agent.as_str(),
                approval.principal.agent_version,
                approval.task.as_str(),
                approval.step.map(|step| step.as_str()),
                approval.tool,
                approval.call,
                approval.binding.0,
                approval.likeness.0,
                approval.question.0,
                millis(self.now),
                millis(approval.expires)])?;
        inserted(rows, Refusal::IdTaken)?;
        self.seal_question(approval.id)
    }

    /// Keeps signed answers to a question that waits, unless others came since `before` was read.
    pub(super) fn keep_answers(&self, answers: &SignedAnswersNow<'_>) -> Result<(), StoreError> {
        let stored = self.stored_question(answers.id)?;
        believed(stored.seal)?;
        match stored.state_at(self.now) {
            ApprovalState::Pending => {}
            ApprovalState::Expired => return Err(Refusal::ApprovalExpired.into()),
            ApprovalState::Revoked => return Err(Refusal::ApprovalRevoked.into()),
            ApprovalState::Approved | ApprovalState::Denied => return Err(Refusal::ApprovalAnswered.into()),
        }
        if stored.question != answers.question {
            return Err(Refusal::QuestionMismatch.into());
        }
        if stored.answers.as_deref() != answers.before {
            return Err(Refusal::AnsweredMeanwhile.into());
        }
        self.sql.execute(
            "UPDATE approval SET answers = ?2 WHERE id = ?1",
            values![answers.id, answers.answers],
        )?;
        self.seal_question(answers.id)
    }

    pub(super) fn answer(&self, answer: &Answer<'_>) -> Result<(), StoreError> {
        let stored = self.stored_question(answer.id)?;
        match (stored.state, answer.state) {
            (_, ApprovalState::Pending | ApprovalState::Revoked) => {
                return Err(Refusal::ApprovalPending.into());
            }
            (ApprovalState::Expired, _) => return Err(Refusal::ApprovalExpired.into()),
            (ApprovalState::Revoked, _) => return Err(Refusal::ApprovalRevoked.into()),
            (ApprovalState::Approved | ApprovalState::Denied, _) => {
                return Err(Refusal::ApprovalAnswered.into());
            }
            (ApprovalState::Pending, ApprovalState::Expired) if self.now < stored.expires => {
                return Err(Refusal::NotExpired.into());
            }
            (ApprovalState::Pending, ApprovalState::Expired) => {}
            (ApprovalState::Pending, ApprovalState::Approved | ApprovalState::Denied) => {
                if stored.expires <= self.now {
                    return Err(Refusal::ApprovalExpired.into());
                }
                if stored.question != answer.question {
                    return Err(Refusal::QuestionMismatch.into());
                }
            }
        }
        // An end may be written on anything; a person's answer only on a question that is the gateway's own.
        if answer.state != ApprovalState::Expired {
            believed(stored.seal)?;
        }
        self.sql.execute(
            "UPDATE approval SET state = ?2, answered = ?3, answered_by = ?4, feedback = ?5, seal = NULL
                 WHERE id = ?1",
            values![answer.id, answer.state.as_str(), millis(self.now), answer.by, answer.feedback],
        )?;
        match stored.seal {
            Seal::Whole => self.seal_question(answer.id),
            Seal::Missing | Seal::Broken | Seal::Unchecked => Ok(()),
        }
    }

    /// Takes back a question that waits, or a yes that was not spent. One that is not believed loses what seal it has.
    pub(super) fn withdraw(&self, id: &str, by: &str) -> Result<(), StoreError> {
        let stored = self.stored_question(id)?;
        match stored.state {
            ApprovalState::Pending => {}
            ApprovalState::Approved if stored.spent.is_none() => {}
            ApprovalState::Approved => return Err(Refusal::GrantSpent.into()),
            ApprovalState::Denied => return Err(Refusal::ApprovalDenied.into()),
            ApprovalState::Expired => return Err(Refusal::ApprovalExpired.into()),
            ApprovalState::Revoked => return Err(Refusal::ApprovalRevoked.into()),
        }
        self.sql.execute("UPDATE approval SET state = 'revoked', answered = ?2, answered_by = ?3, seal = NULL WHERE id = ?1", values![id, millis(self.now), by])?;
        match stored.seal {
            Seal::Whole => self.seal_question(id),
            Seal::Missing | Seal::Broken | Seal::Unchecked => Ok(()),
        }
    }

    pub(super) fn settle_like(
        &self,
        likeness: Digest,
        state: ApprovalState,
        by: &str,
    ) -> Result<(), StoreError> {
        let waiting: Vec<String> = self.sql.all(
            "SELECT id FROM approval WHERE tenant = ?1 AND likeness = ?2 AND state = 'pending' AND expires > ?3
             LIMIT ?4",
            values![self.tenant.as_str(), likeness.0, millis(self.now), MOST_LIKE],
            |row| row.get(0),
        )?;
        for id in &waiting {
            let stored = self.stored_question(id)?;
            // What is not believed answers nothing, and must not keep the call from being answered.
            if stored.seal != Seal::Whole {
                continue;
            }
            let (question, feedback) = (stored.question, None);
            self.answer(&Answer { id, state, question, by, feedback })?;
            if state == ApprovalState::Approved {
                self.spend_approval(id, stored.binding)?;
            }
        }
        Ok(())
    }

    pub(super) fn remember(&self, standing: &NewStanding<'_>) -> Result<(), StoreError> {
        let rows = self.sql.execute("INSERT INTO standing_grant (id, tenant, \"user\", agent, agent_version, task, workspace, tool, contract,
                                             pinned, rules, created, expires, uses, max_uses)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 0, ?14) ON CONFLICT DO NOTHING", values![standing.id,
                self.tenant.as_str(),
                standing.principal.user.as_str(),
                standing.principal.agent.as_str(),
                standing.principal.agent_version,
                standing.task.as_str(),
                standing.workspace,
                standing.tool,
                standing.contract.0,
                standing.pinned,
                standing.rules,
                millis(self.now),
                millis(standing.expires),
                standing.max_uses.map(|most| i64::try_from(most).unwrap_or(i64::MAX))])?;
        inserted(rows, Refusal::IdTaken)?;
        self.seal_standing(standing.id)
    }

    pub(super) fn use_standing(&self, id: &str) -> Result<(), StoreError> {
        let standing = self.stored_standing(id)?;
        believed(standing.seal)?;
        if standing.revoked.is_some() {
            return Err(Refusal::GrantRevoked.into());
        }
        if standing.expires <= self.now {
            return Err(Refusal::GrantExpired.into());
        }
        if !standing.is_live(self.now) {
            return Err(Refusal::GrantUsedUp.into());
        }
        self.sql.execute("UPDATE standing_grant SET uses = uses + 1 WHERE id = ?1", values![id])?;
        self.seal_standing(id)
    }

    /// Revokes a standing grant. One that is not believed loses what seal it has: nothing makes it believed again.
    pub(super) fn revoke(&self, id: &str) -> Result<(), StoreError> {
        let standing = self.stored_standing(id)?;
        if standing.revoked.is_some() {
            return Err(Refusal::GrantRevoked.into());
        }
        self.sql.execute(
            "UPDATE standing_grant SET revoked = ?2, seal = NULL WHERE id = ?1",
            values![id, millis(self.now)],
        )?;
        match standing.seal {
            Seal::Whole => self.seal_standing(id),
            Seal::Missing | Seal::Broken | Seal::Unchecked => Ok(()),
        }
    }
}

fn believed(seal: Seal) -> Result<(), StoreError> {
    match seal {
        Seal::Whole => Ok(()),
        Seal::Missing | Seal::Broken | Seal::Unchecked => Err(Refusal::NotBelieved.into()),
    }
}
