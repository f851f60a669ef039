//! Telling the person's own programs that a question is stored.

use serde_json::json;

use crate::approval::PendingApproval;
use crate::execute::Notice;

use super::{Finished, Gateway};

impl Gateway<'_> {
    /// Sends a notice of each question that was stored just now to the program of each policy file that names one.
    pub(super) fn notify(&self, finished: &[Box<Finished>]) {
        // Where a double runs the calls, nothing of the person's is started.
        if self.stand_in.is_some() {
            return;
        }
        for question in finished.iter().filter_map(|one| one.question.as_deref()) {
            for argv in self.session.policy.documents().iter().map(|document| &document.notify) {
                if !argv.is_empty() {
                    let text = self.notice(question);
                    self.notifier.borrow_mut().send(Notice { argv: argv.clone(), text });
                }
            }
        }
    }

    /// What a program is told: who asks for which tool, and how the question is found. The arguments are not in it, since
    /// it goes wherever that program sends it.
    fn notice(&self, question: &PendingApproval) -> String {
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
        json!({
            "event": "approval_asked",
            "id": question.id(),
            "tool": question.tool(),
            "principal": self.session.principal,
            "task": self.session.task.id,
            "step": self.session.step,
            "rules": call.rules,
            "needs": needs,
            "expires": question.expires().rfc3339(),
            "question_digest": question.question(),
        })
        .to_string()
    }
}
