//! What the signed answers to a stored question are worth here: with the keys of this gateway's own configuration.

use crate::approval::{Approvers, Grant, Said, SignedAnswer, SignedAnswers, StoredYes};
use crate::ident::UserName;
use crate::state::{ApprovalState, StoredApproval};

use super::Gateway;
use super::answers::asked_question;

impl Gateway<'_> {
    /// The grant that a stored answer says, with the approvers of this gateway.
    pub(super) fn yes(&self, stored: &StoredApproval) -> Option<Grant> {
        stored_yes(stored, &self.session.approvers)
    }
}

/// The grant that a stored answer says; `None` for anything but a yes that was not spent.
///
/// Of signed answers only those that hold now are in it: an approver who was removed since has said nothing. Where
/// none holds that was given, there is no yes.
#[must_use]
pub fn stored_yes(stored: &StoredApproval, approvers: &Approvers) -> Option<Grant> {
    if stored.state != ApprovalState::Approved || stored.spent.is_some() {
        return None;
    }
    let answers = SignedAnswers::parse(stored.answers.as_deref());
    let asked = asked_question(stored);
    let mut yes = answers.believed(&asked, approvers);
    yes.retain(|answer| answer.answer == Said::Approved);
    let signers: Vec<UserName> = yes.iter().map(|answer| answer.approver.clone()).collect();
    // What nobody signed is no signer's word.
    let (by, note) = match (&stored.answers, signers.is_empty()) {
        (None, _) => (stored.by.clone()?, stored.feedback.clone()),
        (Some(_), true) => return None,
        (Some(_), false) => (names(&signers), notes(&yes)),
    };
    Some(Grant::from_store(&StoredYes {
        id: &stored.id,
        binding: stored.binding,
        question: stored.question,
        by: &by,
        signers: &signers,
        note: note.as_deref(),
        expires: stored.expires,
    }))
}

fn names(people: &[UserName]) -> String {
    people.iter().map(UserName::as_str).collect::<Vec<_>>().join(", ")
}

/// What the approvers want the model to know.
fn notes(yes: &[&SignedAnswer]) -> Option<String> {
    let notes: Vec<String> = yes
        .iter()
        .filter_map(|answer| answer.note.as_ref().map(|note| format!("{}: {note}", answer.approver)))
        .collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}
