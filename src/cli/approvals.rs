//! `tgw approvals`: questions that wait, and remembered answers.

use serde_json::{Value, json};

use crate::approval::StoredCall;
use crate::audit::{ApprovalNote, Entry, PendingRecords, RecordKind};
use crate::clock::{Clock, Timestamp};
use crate::code::CallError;
use crate::state::{Batch, Change, Durability, SqliteStore, StandingGrant, Store, StoredApproval};

use super::arguments::{ApprovalsArgs, ApprovalsCommand, StoreArgs};
use super::exit::{Failure, Outcome};
use super::output::print;
use super::session::operating_system_user;
use super::store::{self, OpenedStore, failure};
use super::table;

/// Most rows of each list.
const LISTED: usize = 200;

/// Runs one approvals command.
pub(crate) fn approvals(arguments: &ApprovalsArgs) -> Outcome {
    match &arguments.command {
        ApprovalsCommand::List { json, store } => list(store, *json),
        ApprovalsCommand::Show { id, store } => show(store, id),
        ApprovalsCommand::Revoke { id, store } => revoke(store, id),
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
    if as_json {
        let questions = questions.iter().map(|question| question_value(question, now));
        let values: Vec<Value> =
            questions.chain(standing.iter().map(|grant| grant_value(grant, now))).collect();
        print(&format!("{}\n", serde_json::to_string_pretty(&values).unwrap_or_default()))?;
        return Ok(0);
    }
    let asked = questions.iter().map(|question| {
        vec![
            question.id.clone(),
            "question".to_owned(),
            question.tool.clone(),
            question.task.to_string(),
            question.state_at(now).as_str().to_owned(),
            question.expires.rfc3339(),
            String::new(),
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
    print(&table::render(&["id", "what", "tool", "task", "state", "until", "pinned"], rows))?;
    Ok(0)
}

fn show(arguments: &StoreArgs, id: &str) -> Outcome {
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let store = store.ok_or_else(|| unknown(id))?;
    let now = Clock::System.now();
    if let Some(question) = store.approval(&tenant, id).map_err(|error| failure(&error))? {
        // What is shown is what was asked, or nothing: the digest was recorded with it.
        let call =
            StoredCall::from_json(&question.call, question.question).map_err(|error| call_failure(&error))?;
        let text = call.question.as_str();
        print(&format!(
            "{}\nstate: {}, until {}\nquestion digest: {}\n",
            table::visible(text.trim_end()),
            question.state_at(now).as_str(),
            question.expires.rfc3339(),
            question.question
        ))?;
        return Ok(0);
    }
    let standing = store.standing(&tenant, LISTED).map_err(|error| failure(&error))?;
    let grant = standing.iter().find(|grant| grant.id == id).ok_or_else(|| unknown(id))?;
    print(&format!("{}\n", serde_json::to_string_pretty(&grant_value(grant, now)).unwrap_or_default()))?;
    Ok(0)
}

fn revoke(arguments: &StoreArgs, id: &str) -> Outcome {
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let mut store: SqliteStore = store.ok_or_else(|| unknown(id))?;
    let standing = store.standing(&tenant, LISTED).map_err(|error| failure(&error))?;
    let grant = standing.into_iter().find(|grant| grant.id == id).ok_or_else(|| unknown(id))?;
    let now = Clock::System.now();
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
                how: "terminal",
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

fn call_failure(error: &CallError) -> Failure {
    let failure = Failure::failed(error.message.clone());
    match &error.hint {
        Some(hint) => failure.with_hint(hint.clone()),
        None => failure,
    }
}

fn unknown(id: &str) -> Failure {
    Failure::failed(format!("there is no question and no remembered answer `{}`", id.escape_debug()))
        .with_hint("`tgw approvals list` shows them")
}

fn grant_state(grant: &StandingGrant, now: Timestamp) -> &'static str {
    if grant.revoked.is_some() {
        "revoked"
    } else if grant.is_live(now) {
        "live"
    } else {
        "ended"
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

fn question_value(question: &StoredApproval, now: Timestamp) -> Value {
    json!({
        "id": question.id, "what": "question", "tool": question.tool, "task": question.task,
        "state": question.state_at(now).as_str(), "created": question.created.rfc3339(),
        "expires": question.expires.rfc3339(), "question_digest": question.question,
        "principal": question.principal,
    })
}

fn grant_value(grant: &StandingGrant, now: Timestamp) -> Value {
    json!({
        "id": grant.id, "what": "remembered", "tool": grant.tool, "task": grant.task,
        "state": grant_state(grant, now), "created": grant.created.rfc3339(), "expires": grant.expires.rfc3339(),
        "contract": grant.contract, "uses": grant.uses, "max_uses": grant.max_uses, "principal": grant.principal,
        "pinned": serde_json::from_str::<Value>(&grant.pinned).unwrap_or(Value::Null),
        "rules": serde_json::from_str::<Value>(&grant.rules).unwrap_or(Value::Null),
    })
}
