//! `tgw approvals approve` and `deny`: a person's answer to a stored question, from any process.

use crate::approval::{Confirmed, Rendered, Said, StoredCall, cancellation};
use crate::catalog::Digest;
use crate::clock::{Clock, Timestamp};
use crate::gateway::{RecordedAnswer, record_answer};
use crate::ident::Tenant;
use crate::state::{Answer, ApprovalState, Change, Receipt, SqlStore, Store, StoreError, StoredApproval};

use super::super::approval_arguments::AnswerArgs;
use super::super::arguments::ColourChoice;
use super::super::display::terminal;
use super::super::exit::{Failure, Outcome};
use super::super::output::print;
use super::super::session::operating_system_user;
use super::super::store::{self, OpenedStore, failure};
use super::signed::{Signer, may_be_unsigned};
use super::{call_failure, not_believed, unknown};

/// Most bytes of a person's words that are kept.
const MOST_WORDS: usize = 4096;

/// Answers a question with yes.
pub(super) fn approve(arguments: &AnswerArgs, note: Option<&str>, colour: ColourChoice) -> Outcome {
    give(arguments, Said::Approved, note, colour)
}

/// Answers a question with no.
pub(super) fn deny(arguments: &AnswerArgs, feedback: Option<&str>, colour: ColourChoice) -> Outcome {
    give(arguments, Said::Denied, feedback, colour)
}

fn give(arguments: &AnswerArgs, said: Said, words: Option<&str>, colour: ColourChoice) -> Outcome {
    let id = arguments.id.as_str();
    if words.is_some_and(|words| words.len() > MOST_WORDS) {
        return Err(Failure::configuration(format!("a note may have {MOST_WORDS} bytes")));
    }
    let OpenedStore { store, tenant } = store::open(&arguments.store)?;
    let mut store = store.ok_or_else(|| unknown(id))?;
    let question = open_question(&mut store, &tenant, id)?;
    let call =
        StoredCall::from_json(&question.call, question.question).map_err(|error| call_failure(&error))?;
    let signer = Signer::of(arguments)?;
    match &signer {
        None => may_be_unsigned(id, &call, said)?,
        // An earlier version did not keep whose answers it takes.
        Some(_) if call.signed && call.quorums.is_empty() => {
            return Err(Failure::failed(format!("`{id}` does not say whose signed answers it takes"))
                .with_hint(format!(
                    "take it back with `tgw approvals revoke {id}` and send its call again"
                )));
        }
        Some(_) => {}
    }
    let how = match &arguments.digest {
        Some(written) => {
            if Digest::parse(written) != Some(question.question) {
                return Err(Failure::failed(format!("the digest is not that of the question `{id}`"))
                    .with_hint(format!(
                        "look at it with `tgw approvals show {id}`, and give the digest that it prints"
                    )));
            }
            "digest"
        }
        None => {
            if !confirmed(&call, question.question, said, colour)? {
                print(&format!("{id}: left as it is\n"))?;
                return Ok(1);
            }
            "terminal"
        }
    };
    let (receipt, outcome) = match signer {
        Some(signer) => {
            let given = signer.give(&mut store, &tenant, question, said, words)?;
            (given.receipt, given.outcome)
        }
        None => {
            let by = operating_system_user();
            let state = match said {
                Said::Approved => ApprovalState::Approved,
                Said::Denied => ApprovalState::Denied,
            };
            let given = Answer { id, state, question: question.question, by: &by, feedback: words };
            let receipt =
                answer(&mut store, &tenant, &question, &given, how).map_err(|error| refused(id, &error))?;
            (receipt, state.as_str().to_owned())
        }
    };
    let receipt = receipt.map(|receipt| receipt.to_string()).unwrap_or_default();
    print(&format!("{id}: {outcome}\nreceipt: {receipt}\n"))?;
    Ok(0)
}

/// The question, where it still takes an answer. One whose time is over is marked as such.
pub(super) fn open_question(
    store: &mut SqlStore,
    tenant: &Tenant,
    id: &str,
) -> Result<StoredApproval, Failure> {
    let question = store.approval(tenant, id).map_err(|error| failure(&error))?.ok_or_else(|| match store
        .standing_by_id(tenant, id)
    {
        Ok(Some(_)) => Failure::failed(format!("`{id}` is a remembered answer, not a question"))
            .with_hint(format!("`tgw approvals revoke {id}` takes it back")),
        Ok(None) | Err(_) => unknown(id),
    })?;
    if let Some(why) = question.seal.doubt() {
        return Err(not_believed(id, why));
    }
    let now = Clock::System.now();
    match question.state_at(now) {
        ApprovalState::Pending => Ok(question),
        state @ (ApprovalState::Approved
        | ApprovalState::Denied
        | ApprovalState::Expired
        | ApprovalState::Revoked) => {
            if question.state == ApprovalState::Pending {
                let end = Answer {
                    id,
                    state: ApprovalState::Expired,
                    question: question.question,
                    by: "gateway",
                    feedback: None,
                };
                // Another process may mark it first; it has ended either way.
                match answer(store, tenant, &question, &end, "queue") {
                    Ok(_) | Err(StoreError::Refused(_)) => {}
                    Err(error) => return Err(failure(&error)),
                }
            }
            Err(closed(&question, state))
        }
    }
}

/// Why a question takes no answer any more.
fn closed(question: &StoredApproval, state: ApprovalState) -> Failure {
    let id = &question.id;
    let at = |at: Option<Timestamp>| at.map(|at| format!(" at {}", at.rfc3339())).unwrap_or_default();
    let by = question.by.as_deref().map(|by| format!(" by {}", by.escape_debug())).unwrap_or_default();
    let (what, hint) = match state {
        ApprovalState::Expired => (
            format!("expired at {}: an expired question is never answered", question.expires.rfc3339()),
            "send its call again in another task, or from a terminal",
        ),
        ApprovalState::Approved if question.spent.is_some() => (
            format!("was approved{by}{}, and its call has run", at(question.answered)),
            "nothing is left to answer",
        ),
        ApprovalState::Approved => (
            format!("was approved{by}{} already", at(question.answered)),
            "`tgw approvals run` runs its call; `tgw approvals revoke` takes the yes back",
        ),
        ApprovalState::Denied => {
            (format!("was denied{by}{} already", at(question.answered)), "an answer is final")
        }
        ApprovalState::Pending | ApprovalState::Revoked => (
            format!("was taken back{by}{}", at(question.answered)),
            "send its call again, and it is asked anew",
        ),
    };
    Failure::failed(format!("the question `{id}` {what}")).with_hint(hint)
}

pub(super) fn refused(id: &str, error: &StoreError) -> Failure {
    match error {
        StoreError::Refused(refusal) => Failure::failed(format!("`{id}` was not answered: {refusal}"))
            .with_hint(format!("`tgw approvals show {id}` shows where it stands")),
        error => failure(error),
    }
}

/// Whether the person at the terminal gives this answer to exactly what they were shown.
fn confirmed(call: &StoredCall, digest: Digest, said: Said, colour: ColourChoice) -> Result<bool, Failure> {
    let terminal = terminal(None, colour).ok_or_else(|| {
        Failure::configuration("no terminal is attached, so nobody can be shown the question").with_hint(
            "look at it with `tgw approvals show`, then give the digest that it prints with `--digest`",
        )
    })?;
    let (_alive, cancel) =
        cancellation().map_err(|error| Failure::failed(format!("the question cannot be shown: {error}")))?;
    let shown = Rendered { text: call.question.clone(), digest, abridged: false };
    let answer = match (said, call.enters()) {
        (Said::Approved, None) => "yes, approve exactly this call",
        (Said::Approved, Some(_)) => "yes, let exactly this task in",
        (Said::Denied, None) => "yes, deny this call",
        (Said::Denied, Some(_)) => "yes, keep this task out",
    };
    Ok(terminal.confirm(&shown, answer, &cancel) == Confirmed::Yes)
}

/// Writes an answer that nobody signed. A no answers every other question about the same call as well.
fn answer(
    store: &mut SqlStore,
    tenant: &Tenant,
    question: &StoredApproval,
    answer: &Answer<'_>,
    how: &str,
) -> Result<Option<Receipt>, StoreError> {
    let notes: Vec<(&str, &str)> = answer.feedback.map(|words| ("feedback", words)).into_iter().collect();
    let mut changes = vec![Change::AnswerApproval(*answer)];
    if let (ApprovalState::Denied, Some(likeness)) = (answer.state, question.likeness) {
        changes.push(Change::SettleLike { likeness, state: ApprovalState::Denied, by: answer.by });
    }
    let recorded = RecordedAnswer {
        by: (answer.state != ApprovalState::Expired).then_some(answer.by),
        how,
        answer: answer.state.as_str(),
        notes: &notes,
        changes: &changes,
    };
    record_answer(store, tenant, question, &recorded, Clock::System.now())
}
