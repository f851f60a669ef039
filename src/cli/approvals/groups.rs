//! Identical questions, listed as one.

use serde_json::{Value, json};

use crate::approval::{Approvers, StoredCall};
use crate::clock::Timestamp;
use crate::state::StoredApproval;
use crate::text;

use super::{question_state, question_value};

/// Most columns of what a question is about; the whole of it is what `tgw approvals show` shows.
const ABOUT: usize = 60;

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

    /// What the call would be about, on one line: its arguments as the question shows them, or the step to be entered.
    /// Nothing of a question that is not believed.
    pub(super) fn about(&self) -> String {
        let question = self.question;
        if question.seal.doubt().is_some() {
            return String::new();
        }
        let Ok(call) = StoredCall::from_json(&question.call, question.question) else { return String::new() };
        let mut lines = call.question.lines();
        let told = match lines.next().and_then(|line| line.strip_prefix("--- ")) {
            Some(entrance) => entrance.to_owned(),
            None => lines
                .skip_while(|line| *line != "arguments")
                .skip(1)
                .map_while(|line| line.strip_prefix("  "))
                .map(|line| without_provenance(line.trim()))
                .collect::<Vec<_>>()
                .join(", "),
        };
        text::fit(&told, ABOUT, false)
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

/// `name (where it comes from): value` without the part in brackets.
fn without_provenance(line: &str) -> String {
    line.split_once(" (")
        .and_then(|(name, rest)| Some((name, rest.split_once("): ")?.1)))
        .map_or_else(|| line.to_owned(), |(name, value)| format!("{name}: {value}"))
}
