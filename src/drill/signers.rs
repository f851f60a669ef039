//! Approvers of the drill's own: the people whom the policy names, with keys that nobody else has.

use std::collections::BTreeMap;

use crate::approval::{Approvers, AskedQuestion, Said, SignedAnswer, SignedAnswers, StoredCall};
use crate::clock::Timestamp;
use crate::ident::UserName;
use crate::policy::{Policy, Quorum};
use crate::signature::SecretKey;
use crate::state::StoredApproval;

/// Who signs in a drill.
#[derive(Default)]
pub(super) struct Signers(BTreeMap<UserName, SecretKey>);

impl Signers {
    /// A key for everyone whose signed answer a rule takes, and for as many strangers as one takes of anybody.
    pub(super) fn of(policy: &Policy) -> Self {
        let mut keys = BTreeMap::new();
        let rules = policy.documents().iter().flat_map(|document| &document.rules);
        for quorum in rules.filter_map(|rule| rule.approval.quorum.as_ref()) {
            let strangers = (0..=quorum.count).filter(|_| quorum.by.is_empty());
            let strangers =
                strangers.filter_map(|number| UserName::parse(&format!("drill-approver-{number}")).ok());
            for name in quorum.members.iter().cloned().chain(strangers) {
                if let Ok(key) = SecretKey::random() {
                    keys.entry(name).or_insert(key);
                }
            }
        }
        Self(keys)
    }

    /// Their public keys.
    pub(super) fn approvers(&self) -> Approvers {
        let mut approvers = Approvers::default();
        for (name, key) in &self.0 {
            // Keys that were made at random just now are distinct, and so are the names.
            if let Err(error) = approvers.add(name.clone(), key.public()) {
                tracing::error!(%error, "an approver of the drill was not added");
            }
        }
        approvers
    }

    /// Enough signed answers to a stored question, as the store keeps them; `None` where it takes none.
    ///
    /// # Errors
    /// Why there are not enough.
    pub(super) fn answers(
        &self,
        question: &StoredApproval,
        now: Timestamp,
    ) -> Result<Option<String>, String> {
        let call = StoredCall::from_json(&question.call, question.question).map_err(|error| error.message)?;
        if call.quorums.is_empty() {
            return Ok(None);
        }
        let asked = AskedQuestion {
            id: &question.id,
            tenant: &question.principal.tenant,
            question: question.question,
            binding: question.binding,
            expires: question.expires,
        };
        let requester = &question.principal.user;
        let mut answers = SignedAnswers::default();
        let mut signed: Vec<&UserName> = Vec::new();
        for (name, key) in &self.0 {
            let wanted = |quorum: &Quorum| {
                quorum.takes(name, requester) && !quorum.is_met(signed.iter().copied(), requester)
            };
            if call.quorums.iter().any(wanted) {
                let answer = SignedAnswer::sign(&asked, name.clone(), Said::Approved, now, None, key);
                answers = answers.with(answer).ok_or("a question took no further answer")?;
                signed.push(name);
            }
        }
        match call.quorums.iter().find(|quorum| !quorum.is_met(signed.iter().copied(), requester)) {
            Some(quorum) => Err(format!("nobody can give the signed answers that it takes: {quorum}")),
            None => answers.to_json().map(Some).map_err(|error| error.message),
        }
    }
}
