//! Identical questions, listed as one.

use serde_json::{Value, json};

use crate::approval::Approvers;
use crate::clock::Timestamp;
use crate::state::StoredApproval;

use super::{question_state, question_value};

/// Questions about the very same call that stand alike.
pub(super) struct Group<'q> {
    /// The newest of them.
    pub(super) question: &'q StoredApproval,
    ids: Vec<&'q str>,
}

impl Group<'_> {
    /// What the list calls it.
    pub(super) fn label(&self) -> String {
        match self.ids.len() {
            0 | 1 => "question".to_owned(),
            count => format!("question, {count} times"),
        }
    }

    /// The newest question, with how many there are and which.
    pub(super) fn value(&self, now: Timestamp, approvers: &Approvers) -> Value {
        let mut value = question_value(self.question, now, approvers);
        if let Some(members) = value.as_object_mut() {
            members.insert("count".to_owned(), json!(self.ids.len()));
            members.insert("ids".to_owned(), json!(self.ids));
        }
        value
    }
}

/// Groups questions of the same tool and binding that stand alike, in the order of their newest. What is not believed
/// stands alone: its binding is anyone's word.
pub(super) fn group(questions: &[StoredApproval], now: Timestamp) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for question in questions {
        let alike = |group: &&mut Group<'_>| {
            question.seal.doubt().is_none()
                && group.question.seal.doubt().is_none()
                && group.question.tool == question.tool
                && group.question.binding == question.binding
                && group.question.answers == question.answers
                && question_state(group.question, now) == question_state(question, now)
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.ids.push(&question.id),
            None => groups.push(Group { question, ids: vec![&question.id] }),
        }
    }
    groups
}
