//! Telling the person's own programs that a question is stored.

use serde_json::json;

use crate::approval::PendingApproval;
use crate::execute::{Notice, Notifier};
use crate::ident::StepName;
use crate::session::Session;

use super::{Finished, Gateway, NOTICE_PATIENCE};

impl Gateway<'_> {
    /// Sends a notice of each question that was stored just now to the program of each policy file that names one.
    pub(super) fn notify(&self, finished: &[Box<Finished>]) {
        // Where a double runs the calls, nothing of the person's is started.
        if self.stand_in.is_some() {
            return;
        }
        for question in finished.iter().filter_map(|one| one.question.as_deref()) {
            for notice in notices(self.session, self.session.step.as_ref(), question) {
                self.notifier.borrow_mut().send(notice);
            }
        }
    }
}

/// Tells of one question that no call asked, and waits for a bounded time until that is done.
pub fn tell_of(session: &Session, step: Option<&StepName>, question: &PendingApproval) {
    let mut notifier = Notifier::new(session.environment.clone(), session.workspace.root(), NOTICE_PATIENCE);
    notices(session, step, question).into_iter().for_each(|notice| notifier.send(notice));
    notifier.close();
}

fn notices(session: &Session, step: Option<&StepName>, question: &PendingApproval) -> Vec<Notice> {
    let programs = session.policy.documents().iter().map(|document| &document.notify);
    let programs = programs.filter(|argv| !argv.is_empty());
    programs.map(|argv| Notice { argv: argv.clone(), text: notice(session, step, question) }).collect()
}

/// What a program is told: who asks for which tool, or to enter which step, and how the question is found. The arguments and
/// the task's data are not in it, since it goes wherever that program sends it.
fn notice(session: &Session, step: Option<&StepName>, question: &PendingApproval) -> String {
    let call = question.call();
    let needs: Vec<_> = call
        .quorums
        .iter()
        .map(|quorum| {
            json!({
                "rule": quorum.rule, "by": quorum.by, "members": quorum.members, "count": quorum.count,
                "not_requester": quorum.not_requester,
            })
        })
        .collect();
    let mut told = json!({
        "event": "approval_asked",
        "id": question.id(),
        "tool": question.tool(),
        "principal": session.principal,
        "task": session.task.id,
        "step": step,
        "rules": call.rules,
        "needs": needs,
        "expires": question.expires().rfc3339(),
        "question_digest": question.question(),
    });
    if let (Some(members), Some(enters)) = (told.as_object_mut(), call.enters()) {
        members.insert("enters".to_owned(), json!(enters));
    }
    told.to_string()
}
