//! Questions of gates that wait in the store, like those of calls: answered from any process, by a signature where the
//! gate takes only signed ones.

use crate::approval::{ApprovalId, AskedEntrance, Grant, PendingApproval, StoredCall};
use crate::audit::{ApprovalNote, Entry, RecordKind};
use crate::code::ErrorCode;
use crate::gateway::{settle_if_enough, stored_yes, tell_of};
use crate::session::Session;
use crate::state::{ApprovalState, Change, NewApproval, SqlStore, Store, StoreError, StoredApproval};

use super::enter::{NotEntered, refused};
use super::record::append;
use crate::cli::store::failure;
use crate::cli::table;

/// Most stored questions about one entrance that are looked at.
const MOST_ASKED: usize = 64;

/// Why a yes does not count though its row is as tgw wrote it.
const TOO_FEW: &str = "too few signed answers of those who may give one hold";

/// What earlier questions about the very same entrance say.
pub(super) enum Earlier {
    /// Nothing that counts now.
    Nothing,
    /// Enough valid answers say yes, and were not used.
    Yes(Box<Grant>),
    /// The question of this id waits.
    Waits(String),
    /// It ended without a yes, which is final: what it is about is still the same.
    Ended(Box<StoredApproval>, ApprovalState),
    /// It was answered, and the answers do not hold here.
    NotBelieved(String),
}

/// Looks for them. One that is not believed is put on record.
pub(super) fn earlier(
    store: &mut SqlStore,
    session: &Session,
    asked: &AskedEntrance<'_>,
) -> Result<Earlier, StoreError> {
    let (binding, now) = (asked.binding(), session.clock.now());
    let tenant = &session.principal.tenant;
    let mut all = store.approvals_for(tenant, binding.0, MOST_ASKED)?;
    for waits in &mut all {
        if settle_if_enough(store, waits, &session.approvers, now)?.is_some()
            && let Some(settled) = store.approval(tenant, &waits.id)?
        {
            *waits = settled;
        }
    }
    // Who seals rows can put another text over a binding; what was signed under it is no answer to this one.
    let (sound, doubtful): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| {
        one.seal.doubt().is_none()
            && one.question == asked.shown()
            && StoredCall::from_json(&one.call, one.question).is_ok_and(|call| call.enters().is_some())
    });
    for stored in doubtful.iter().filter(|stored| stored.state == ApprovalState::Approved) {
        let why = stored.seal.doubt().unwrap_or("it is under another text");
        doubt(store, session, asked, stored, why)?;
    }
    let in_state = |state| sound.iter().find(|one| one.state_at(now) == state);
    for state in [ApprovalState::Denied, ApprovalState::Expired] {
        if let Some(ended) = in_state(state) {
            return Ok(Earlier::Ended(Box::new(ended.clone()), state));
        }
    }
    let mut not_believed = None;
    let approved = sound.iter().filter(|one| one.state == ApprovalState::Approved && one.spent.is_none());
    for stored in approved {
        if stored.expires <= now {
            return Ok(Earlier::Ended(Box::new(stored.clone()), ApprovalState::Expired));
        }
        let grant = stored_yes(stored, &session.approvers);
        let requester = &session.principal.user;
        match grant.filter(|grant| grant.covers(binding, &asked.demand.quorums, requester, now).is_ok()) {
            Some(grant) => return Ok(Earlier::Yes(Box::new(grant))),
            None => {
                doubt(store, session, asked, stored, TOO_FEW)?;
                not_believed = Some(stored.id.clone());
            }
        }
    }
    Ok(match (in_state(ApprovalState::Pending), not_believed) {
        (Some(waits), _) => Earlier::Waits(waits.id.clone()),
        (None, Some(id)) => Earlier::NotBelieved(id),
        (None, None) => Earlier::Nothing,
    })
}

/// Says what became of the question, or stores it and tells whoever is to be told.
pub(super) fn ask_later(
    store: &mut SqlStore,
    session: &Session,
    asked: &AskedEntrance<'_>,
    known: Earlier,
) -> NotEntered {
    let step = asked.to;
    match known {
        Earlier::Nothing | Earlier::Yes(_) => store_question(store, session, asked),
        Earlier::Waits(id) => waits(asked, &id),
        Earlier::NotBelieved(id) => refused(
            ErrorCode::ApprovalRequired,
            format!("the answers to `{id}` do not let the task into the step `{step}`: {TOO_FEW}"),
            &format!(
                "take it back with `tgw approvals revoke {id}`, then run the same command again to ask anew"
            ),
        ),
        Earlier::Ended(stored, state) => ended(asked, &stored, state),
    }
}

fn waits(asked: &AskedEntrance<'_>, id: &str) -> NotEntered {
    let takes: Vec<String> = asked.demand.quorums.iter().map(ToString::to_string).collect();
    let (what, signs) = if takes.is_empty() {
        ("a person's yes, and there is no terminal to ask on".to_owned(), "")
    } else {
        (format!("signed answers, {}", takes.join("; and ")), " --as NAME --key FILE")
    };
    refused(
        ErrorCode::ApprovalRequired,
        format!("the step `{}` is entered with {what}; the question is `{id}`", asked.to),
        &format!(
            "`tgw approvals show {id}` shows it, `tgw approvals approve {id}{signs}` or `deny` answers it; then run the same \
             command again, or `tgw approvals run {id}`"
        ),
    )
}

fn ended(asked: &AskedEntrance<'_>, stored: &StoredApproval, state: ApprovalState) -> NotEntered {
    let (step, id) = (asked.to, &stored.id);
    let anew = "an answer is final for the task as it was shown; with other data (`--data`) it is asked anew";
    if state == ApprovalState::Expired {
        return refused(
            ErrorCode::ApprovalExpired,
            format!("nobody let the task into the step `{step}` in time: `{id}` has expired"),
            anew,
        );
    }
    let by = stored.by.as_deref().map(|by| format!(" by {by}")).unwrap_or_default();
    let words = stored.feedback.as_deref().map(|words| format!(": {words}")).unwrap_or_default();
    refused(
        ErrorCode::ApprovalDenied,
        table::visible(
            &format!("the task was denied the step `{step}`{by}, `{id}`{words}").replace('\n', " "),
        ),
        anew,
    )
}

fn store_question(store: &mut SqlStore, session: &Session, asked: &AskedEntrance<'_>) -> NotEntered {
    let now = session.clock.now();
    let id = match ApprovalId::random() {
        Ok(id) => id,
        Err(error) => return refused(error.code, error.message, "try again"),
    };
    let question = PendingApproval::at_gate(id, asked, now);
    let text = match question.call().to_json() {
        Ok(text) => text,
        Err(error) => return refused(error.code, error.message, "try again"),
    };
    let change = Change::AskApproval(NewApproval {
        id: question.id(),
        principal: asked.principal,
        task: &asked.task.id,
        step: asked.from,
        tool: question.tool(),
        call: &text,
        binding: question.binding().0,
        likeness: question.likeness().0,
        question: question.question(),
        expires: question.expires(),
    });
    let not_yet = waits(asked, question.id());
    let entry = Entry {
        task: Some(&asked.task.id),
        step: asked.from,
        tool: Some(question.tool()),
        approval: Some(ApprovalNote {
            id: question.id(),
            by: None,
            how: "queue",
            answer: "asked",
            question: Some(question.question()),
        }),
        status: Some(not_yet.code.status()),
        code: Some(not_yet.code.as_str()),
        notes: &[("enters", asked.to.as_str())],
        ..Entry::new(RecordKind::Approval, now, asked.principal)
    };
    match append(store, asked.principal, &[change], &entry) {
        Ok(()) => {
            tell_of(session, asked.from, &question);
            NotEntered { recorded: true, ..not_yet }
        }
        Err(error) => NotEntered { code: not_yet.code, failure: failure(&error), recorded: false },
    }
}

/// Puts on record that the answers to a question were not believed.
fn doubt(
    store: &mut SqlStore,
    session: &Session,
    asked: &AskedEntrance<'_>,
    stored: &StoredApproval,
    why: &str,
) -> Result<(), StoreError> {
    let entry = Entry {
        task: Some(&asked.task.id),
        step: asked.from,
        tool: Some(&stored.tool),
        approval: Some(ApprovalNote {
            id: &stored.id,
            by: None,
            how: "queue",
            answer: "not_believed",
            question: None,
        }),
        notes: &[("why", why)],
        ..Entry::new(RecordKind::Approval, session.clock.now(), asked.principal)
    };
    append(store, asked.principal, &[], &entry)
}
