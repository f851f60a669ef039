//! `tgw approvals`: questions that wait, and remembered answers.

use std::ops::ControlFlow;

use serde_json::{Value, json};

use crate::approval::{Approvers, StoredCall};
use crate::audit::{self, ApprovalNote, Entry, PendingRecords, RecordFilter, RecordKind};
use crate::clock::{Clock, Timestamp};
use crate::code::CallError;
use crate::ident::Tenant;
use crate::state::{
    ApprovalState, Batch, Change, Durability, Order, SqlStore, StandingGrant, Store, StoredApproval,
};

mod answer;
mod groups;
mod rule;
mod run;
mod signed;
mod watch;

use self::signed::Signed;
use super::approval_arguments::{ApprovalsArgs, ApprovalsCommand};
use super::approvers;
use super::arguments::{ColourChoice, StoreArgs};
use super::exit::{Failure, Outcome};
use super::output::print;
use super::session::operating_system_user;
use super::store::{self, OpenedStore, failure};
use super::table;
use super::within::refuse_in_a_call;

/// Most rows of each list.
const LISTED: usize = 200;

/// Runs one approvals command.
pub(crate) fn approvals(arguments: &ApprovalsArgs, colour: ColourChoice) -> Outcome {
    match &arguments.command {
        ApprovalsCommand::List { json, store } => list(store, *json),
        ApprovalsCommand::Show(arguments) if arguments.as_rule => rule::as_rule(arguments),
        ApprovalsCommand::Show(arguments) => show(&arguments.store, &arguments.id),
        ApprovalsCommand::Watch { json, store } => watch::watch(store, *json),
        ApprovalsCommand::Approve { note, answer } => {
            refuse_in_a_call("answer a question")?;
            answer::approve(answer, note.as_deref(), colour)
        }
        ApprovalsCommand::Deny { feedback, answer } => {
            refuse_in_a_call("answer a question")?;
            answer::deny(answer, feedback.as_deref(), colour)
        }
        ApprovalsCommand::Run(arguments) => {
            refuse_in_a_call("run a call that was approved")?;
            run::run(arguments, colour)
        }
        ApprovalsCommand::Revoke { id, store } => {
            refuse_in_a_call("take an answer back")?;
            revoke(store, id)
        }
    }
}

fn list(arguments: &StoreArgs, as_json: bool) -> Outcome {
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let now = Clock::System.now();
    let (questions, standing) = match &store {
        Some(store) => (
            store.approvals(&tenant, LISTED).map_err(|error| failure(&error))?,
            store.standing(&tenant, LISTED).map_err(|error| failure(&error))?,
        ),
        None => (Vec::new(), Vec::new()),
    };
    let groups = groups::group(&questions, now);
    let approvers = approvers::load()?;
    if as_json {
        let questions = groups.iter().map(|group| group.value(now, &approvers));
        let values: Vec<Value> =
            questions.chain(standing.iter().map(|grant| grant_value(grant, now))).collect();
        print(&table::visible_json(&Value::Array(values)))?;
        return Ok(0);
    }
    let asked = groups.iter().map(|group| {
        let question = group.question;
        vec![
            question.id.clone(),
            group.label(),
            question.tool.clone(),
            question.task.to_string(),
            progress(question, now, &approvers),
            question.expires.rfc3339(),
            group.about(),
        ]
    });
    let remembered = standing.iter().map(|grant| {
        vec![
            grant.id.clone(),
            "remembered".to_owned(),
            grant.tool.clone(),
            grant.task.to_string(),
            grant_state(grant, now).to_owned(),
            grant.expires.rfc3339(),
            pinned_text(grant),
        ]
    });
    let rows = asked.chain(remembered).collect();
    print(&table::render(&["id", "what", "tool", "task", "state", "until", "about"], rows))?;
    Ok(0)
}

fn show(arguments: &StoreArgs, id: &str) -> Outcome {
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let store = store.ok_or_else(|| unknown(id))?;
    let now = Clock::System.now();
    if let Some(question) = store.approval(&tenant, id).map_err(|error| failure(&error))? {
        if let Some(why) = question.seal.doubt() {
            return Err(not_believed(id, why));
        }
        // What is shown is what was asked, or nothing: the digest was recorded with it.
        let call =
            StoredCall::from_json(&question.call, question.question).map_err(|error| call_failure(&error))?;
        let text = call.question.as_str();
        print(&format!(
            "{}\nstate: {}\n{}question digest: {}\n",
            table::visible(text.trim_end()),
            state_in_words(&question, now),
            table::visible(
                &Signed::of(&question, &approvers::load()?).map(|s| s.lines()).unwrap_or_default()
            ),
            question.question
        ))?;
        return Ok(0);
    }
    let Some(grant) = store.standing_by_id(&tenant, id).map_err(|error| failure(&error))? else {
        return Err(spent(&store, &tenant, id)?.unwrap_or_else(|| unknown(id)));
    };
    print(&table::visible_json(&grant_value(&grant, now)))?;
    Ok(0)
}

fn revoke(arguments: &StoreArgs, id: &str) -> Outcome {
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let mut store: SqlStore = store.ok_or_else(|| unknown(id))?;
    let now = Clock::System.now();
    if let Some(question) = store.approval(&tenant, id).map_err(|error| failure(&error))? {
        return withdraw(&mut store, &tenant, &question, now);
    }
    let Some(grant) = store.standing_by_id(&tenant, id).map_err(|error| failure(&error))? else {
        return Err(spent(&store, &tenant, id)?.unwrap_or_else(|| unknown(id)));
    };
    if let Some(at) = grant.revoked {
        print(&format!("{id}: was revoked at {}, nothing to do\n", at.rfc3339()))?;
        return Ok(0);
    }
    let operator = operating_system_user();
    let mut records = PendingRecords::default();
    records
        .push(&Entry {
            task: Some(&grant.task),
            tool: Some(&grant.tool),
            contract: Some(grant.contract),
            approval: Some(ApprovalNote {
                id: &grant.id,
                by: Some(&operator),
                how: "command",
                answer: "revoked",
                question: None,
            }),
            ..Entry::new(RecordKind::Standing, now, &grant.principal)
        })
        .map_err(|error| failure(&error))?;
    let receipts = store
        .append(&mut Batch {
            tenant: &tenant,
            now,
            durability: Durability::Power,
            changes: &[Change::RevokeStanding { id }],
            records: &mut records,
        })
        .map_err(|error| failure(&error))?;
    let receipt = receipts.first().map(ToString::to_string).unwrap_or_default();
    print(&format!("{id}: revoked\nreceipt: {receipt}\n"))?;
    Ok(0)
}

/// What the audit knows of an id that is no question and no remembered answer: a yes to one call, which has had it.
fn spent(store: &SqlStore, tenant: &Tenant, id: &str) -> Result<Option<Failure>, Failure> {
    let filter = RecordFilter { approval: Some(id), ..RecordFilter::default() };
    let mut found = None;
    audit::list(store, tenant, Order::OldestFirst, &filter, &mut |listed| {
        found = Some(listed.record.clone());
        ControlFlow::Break(())
    })
    .map_err(|error| failure(&error))?;
    Ok(found.map(|record| {
        let answer = record.approval.map(|approval| approval.answer).unwrap_or_default();
        let what = match (&record.tool, &record.call) {
            (Some(tool), Some(call)) => format!("the call `{call}` of `{tool}`"),
            (Some(tool), None) => format!("`{tool}`"),
            (None, _) => "no call".to_owned(),
        };
        Failure::failed(format!(
            "`{}` was an answer to one question, `{answer}` for {what} at {}, and nothing of it is left",
            id.escape_debug(),
            Timestamp(record.at).rfc3339()
        ))
        .with_hint(format!("`tgw audit show {}` tells its story", id.escape_debug()))
    }))
}

/// Where a question stands: an answer counts from when it was given, and only one that waits ends at a time.
fn state_in_words(question: &StoredApproval, now: Timestamp) -> String {
    let state = question_state(question, now);
    match (question.state_at(now), question.answered) {
        (ApprovalState::Approved | ApprovalState::Denied, Some(at)) => format!("{state} at {}", at.rfc3339()),
        (ApprovalState::Expired, _) => format!("{state} at {}", question.expires.rfc3339()),
        _ => format!("{state}, until {}", question.expires.rfc3339()),
    }
}

fn call_failure(error: &CallError) -> Failure {
    let failure = Failure::failed(error.message.clone());
    match &error.hint {
        Some(hint) => failure.with_hint(hint.clone()),
        None => failure,
    }
}

/// Takes back a question that waits, or a yes to it that was not used.
fn withdraw(store: &mut SqlStore, tenant: &Tenant, question: &StoredApproval, now: Timestamp) -> Outcome {
    let id = question.id.as_str();
    let state = question.state_at(now);
    let over = match state {
        ApprovalState::Pending => None,
        ApprovalState::Approved if question.spent.is_none() => None,
        ApprovalState::Approved => Some("was approved, and its call has run"),
        ApprovalState::Denied => Some("was denied"),
        ApprovalState::Expired => Some("ran out without an answer"),
        ApprovalState::Revoked => Some("was taken back already"),
    };
    if let Some(over) = over {
        return Err(Failure::failed(format!("`{id}` is a question that {over}"))
            .with_hint("nothing is left to take back"));
    }
    let operator = operating_system_user();
    let mut records = PendingRecords::default();
    records
        .push(&Entry {
            task: Some(&question.task),
            step: question.step.as_ref(),
            tool: Some(&question.tool),
            approval: Some(ApprovalNote {
                id,
                by: Some(&operator),
                how: "terminal",
                answer: "revoked",
                question: Some(question.question),
            }),
            ..Entry::new(RecordKind::Approval, now, &question.principal)
        })
        .map_err(|error| failure(&error))?;
    let receipts = store
        .append(&mut Batch {
            tenant,
            now,
            durability: Durability::Power,
            changes: &[Change::WithdrawApproval { id, by: &operator }],
            records: &mut records,
        })
        .map_err(|error| failure(&error))?;
    let receipt = receipts.first().map(ToString::to_string).unwrap_or_default();
    print(&format!("{id}: revoked\nreceipt: {receipt}\n"))?;
    Ok(0)
}

fn not_believed(id: &str, why: &str) -> Failure {
    Failure::failed(format!("the question `{}` is not believed: {why}", id.escape_debug()))
        .with_hint("send its call again, and it is asked anew")
}

fn unknown(id: &str) -> Failure {
    Failure::failed(format!("there is no question and no remembered answer `{}`", id.escape_debug()))
        .with_hint("`tgw approvals list` shows them")
}

fn grant_state(grant: &StandingGrant, now: Timestamp) -> &'static str {
    if grant.seal.doubt().is_some() {
        "not believed"
    } else if grant.revoked.is_some() {
        "revoked"
    } else if grant.is_live(now) {
        "live"
    } else {
        "ended"
    }
}

fn question_state(question: &StoredApproval, now: Timestamp) -> &'static str {
    match question.state_at(now) {
        _ if question.seal.doubt().is_some() => "not believed",
        ApprovalState::Approved if question.spent.is_some() => "used",
        state => state.as_str(),
    }
}

fn pinned_text(grant: &StandingGrant) -> String {
    let pinned: Vec<Value> = serde_json::from_str(&grant.pinned).unwrap_or_default();
    pinned
        .iter()
        .map(|pin| {
            let pointer = pin.get("pointer").and_then(Value::as_str).unwrap_or_default();
            format!(
                "{pointer} = {}",
                pin.get("value").map_or_else(|| "(absent)".to_owned(), Value::to_string)
            )
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// Where a question stands, with how many of the signed answers that it needs there are.
fn progress(question: &StoredApproval, now: Timestamp, approvers: &Approvers) -> String {
    let state = question_state(question, now);
    match Signed::of(question, approvers).filter(|_| question.state_at(now) == ApprovalState::Pending) {
        Some(signed) => format!("{state}, {}", signed.short()),
        None => state.to_owned(),
    }
}

fn question_value(question: &StoredApproval, now: Timestamp, approvers: &Approvers) -> Value {
    let mut value = json!({
        "id": question.id, "what": "question", "tool": question.tool, "task": question.task,
        "state": question_state(question, now), "why": question.seal.doubt(), "created": question.created.rfc3339(),
        "expires": question.expires.rfc3339(), "question_digest": question.question,
        "principal": question.principal,
    });
    if let Some(signed) = Signed::of(question, approvers) {
        signed.add_to(&mut value);
    }
    value
}

fn grant_value(grant: &StandingGrant, now: Timestamp) -> Value {
    json!({
        "id": grant.id, "what": "remembered", "tool": grant.tool, "task": grant.task,
        "state": grant_state(grant, now), "why": grant.seal.doubt(), "created": grant.created.rfc3339(), "expires": grant.expires.rfc3339(),
        "contract": grant.contract, "uses": grant.uses, "max_uses": grant.max_uses, "principal": grant.principal,
        "pinned": serde_json::from_str::<Value>(&grant.pinned).unwrap_or(Value::Null),
        "rules": serde_json::from_str::<Value>(&grant.rules).unwrap_or(Value::Null),
    })
}
