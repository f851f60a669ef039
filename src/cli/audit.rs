//! `tgw audit`: the chain, for people and for other programs.

use std::io::{self, Write};
use std::ops::ControlFlow;

use serde_json::{Value, json};

use crate::audit::{self, ExportError, ExportScope, LIMITS, Listed, RecordFilter, VerifyRequest};
use crate::catalog::Digest;
use crate::clock::Timestamp;
use crate::code::Status;
use crate::diagnostic::nearest;
use crate::state::{Order, Store, StoreError};

use super::arguments::{AuditArgs, AuditCommand, StoreArgs};
use super::exit::{Failure, Outcome};
use super::output::print;
use super::store::{self, OpenedStore, failure};
use super::table;

/// Runs one audit command.
pub(crate) fn audit(arguments: &AuditArgs) -> Outcome {
    match &arguments.command {
        AuditCommand::List { tool, status, limit, json, store } => {
            list(store, tool.as_deref(), status.as_deref(), *limit, *json)
        }
        AuditCommand::Show { id, store } => show(store, id),
        AuditCommand::Verify { receipt, store } => verify(store, receipt),
        AuditCommand::Export { store } => export(store),
    }
}

fn list(
    arguments: &StoreArgs,
    tool: Option<&str>,
    status: Option<&str>,
    limit: u64,
    as_json: bool,
) -> Outcome {
    if let Some(status) = status
        && !Status::ALL.iter().any(|known| known.as_str() == status)
    {
        return Err(unknown_status(status));
    }
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let filter = RecordFilter { tool, status, ..RecordFilter::default() };
    let mut found: Vec<Listed> = Vec::new();
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    if let (Some(store), true) = (&store, most > 0) {
        audit::list(store, &tenant, Order::NewestFirst, &filter, &mut |listed| {
            found.push(listed.clone());
            if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .map_err(|error| failure(&error))?;
    }
    found.reverse();
    if as_json {
        let lines: String = found.iter().map(|listed| format!("{}\n", as_value(listed))).collect();
        print(&lines)?;
        return Ok(0);
    }
    let rows = found
        .iter()
        .map(|listed| {
            let record = &listed.record;
            let text = |field: &Option<String>| field.clone().unwrap_or_default();
            vec![
                record.seq.to_string(),
                Timestamp(record.at).rfc3339(),
                record.kind.clone(),
                text(&record.call),
                text(&record.tool),
                text(&record.verdict),
                text(&record.status),
                text(&record.code),
            ]
        })
        .collect();
    print(&table::render(&["record", "at", "kind", "call", "tool", "verdict", "status", "code"], rows))?;
    Ok(0)
}

fn unknown_status(status: &str) -> Failure {
    let known = Status::ALL.map(Status::as_str);
    let meant = nearest(status, known).map(|meant| format!("did you mean `{meant}`? ")).unwrap_or_default();
    Failure::configuration(format!("no call ends with the status `{}`", status.escape_debug()))
        .with_hint(format!("{meant}there are {}", known.join(", ")))
}

fn as_value(listed: &Listed) -> Value {
    json!({ "receipt": listed.receipt.to_string(), "record": listed.record, "detail": listed.detail })
}

/// The story of one call: its records as a time line.
fn show(arguments: &StoreArgs, id: &str) -> Outcome {
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let none = || {
        Failure::failed(format!("the chain of `{tenant}` has no record for `{}`", id.escape_debug()))
            .with_hint("give the id of a call or of an approval, a receipt, or a record's number; `tgw audit list` shows them")
    };
    let Some(store) = store else { return Err(none()) };
    let call = match record_call(&store, &tenant, id).map_err(|error| failure(&error))? {
        Lookup::Call(call) => call,
        Lookup::Alone(listed) => {
            print(&story(&[*listed]))?;
            return Ok(0);
        }
        Lookup::NotARecord => id.to_owned(),
    };
    let mut records = audit::timeline(&store, &tenant, &call).map_err(|error| failure(&error))?;
    if records.is_empty() {
        records = of_approval(&store, &tenant, id).map_err(|error| failure(&error))?;
    }
    if records.is_empty() {
        return Err(none());
    }
    print(&story(&records))?;
    Ok(0)
}

/// The records that name a question, an answer or a grant by its id.
fn of_approval(
    store: &dyn Store,
    tenant: &crate::ident::Tenant,
    id: &str,
) -> Result<Vec<Listed>, StoreError> {
    let filter = RecordFilter { approval: Some(id), ..RecordFilter::default() };
    let mut found = Vec::new();
    audit::list(store, tenant, Order::OldestFirst, &filter, &mut |listed| {
        found.push(listed.clone());
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

enum Lookup {
    Call(String),
    Alone(Box<Listed>),
    NotARecord,
}

/// Finds the record that a receipt or a number names.
fn record_call(store: &dyn Store, tenant: &crate::ident::Tenant, id: &str) -> Result<Lookup, StoreError> {
    let number = id.parse::<u64>().ok();
    let receipt = Digest::parse(id);
    if number.is_none() && receipt.is_none() {
        return Ok(Lookup::NotARecord);
    }
    let mut found = None;
    audit::list(store, tenant, Order::OldestFirst, &RecordFilter::default(), &mut |listed| {
        if number == Some(listed.record.seq) || receipt == Some(listed.receipt.hash) {
            found = Some(listed.clone());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    Ok(match found {
        None => Lookup::NotARecord,
        Some(listed) => match &listed.record.call {
            Some(call) => Lookup::Call(call.clone()),
            None => Lookup::Alone(Box::new(listed)),
        },
    })
}

fn story(records: &[Listed]) -> String {
    let mut out = String::new();
    for listed in records {
        let record = &listed.record;
        let line = |out: &mut String, label: &str, value: &str| {
            if !value.is_empty() {
                out.push_str(&format!("  {label:<12} {}\n", crate::text::escape(value)));
            }
        };
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        out.push_str(&format!(
            "{}  {}  record {}\n",
            Timestamp(record.at).rfc3339(),
            record.kind,
            record.seq
        ));
        line(&mut out, "tool", &text(&record.tool));
        line(&mut out, "agent", &record.agent);
        line(&mut out, "user", &record.user);
        line(&mut out, "task", &text(&record.task));
        line(&mut out, "step", &text(&record.step));
        line(&mut out, "verdict", &text(&record.verdict));
        for rule in &record.rules {
            line(&mut out, "rule", &format!("{} ({}:{})", rule.id, rule.file, rule.line));
        }
        line(&mut out, "sandbox", &text(&record.sandbox));
        for credential in &record.credentials {
            line(&mut out, "credential", &format!("{} from {}", credential.name, credential.source));
        }
        if let Some(approval) = &record.approval {
            let by = approval.by.as_deref().map(|by| format!(" by {by}")).unwrap_or_default();
            line(
                &mut out,
                "approval",
                &format!("{} {}{by} ({})", approval.id, approval.answer, approval.how),
            );
        }
        line(&mut out, "status", &text(&record.status));
        line(&mut out, "code", &text(&record.code));
        line(&mut out, "effect", &text(&record.effect));
        line(&mut out, "took", &record.duration_us.map(|us| format!("{us} µs")).unwrap_or_default());
        line(&mut out, "result", &text(&record.result));
        if let Some(Value::Object(detail)) = &listed.detail {
            for (name, value) in detail {
                line(&mut out, name, &value.to_string());
            }
        }
        line(&mut out, "receipt", &listed.receipt.to_string());
    }
    out
}

fn verify(arguments: &StoreArgs, receipts: &[String]) -> Outcome {
    let wanted: Vec<Digest> = receipts
        .iter()
        .map(|text| {
            Digest::parse(text).ok_or_else(|| {
                Failure::configuration(format!("`{}` is not a receipt", text.escape_debug()))
                    .with_hint("a receipt is `sha256:` and 64 hexadecimal digits")
            })
        })
        .collect::<Result<_, _>>()?;
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let Some(store) = store else {
        // Whoever names a store means one that is there.
        if arguments.state.is_some() {
            return Err(Failure::configuration("there is no store at the place that `--state` names")
                .with_hint("`tgw doctor` says where the store of a workspace is"));
        }
        print("no store: nothing was ever recorded here\n")?;
        return Ok(u8::from(!wanted.is_empty()));
    };
    let request = VerifyRequest { receipts: &wanted, checkpoints: &[] };
    let report = audit::verify(&store, &tenant, &request).map_err(|error| failure(&error))?;
    let stray = store.stray_records().map_err(|error| failure(&error))?;
    let mut text = String::new();
    for problem in &report.problems {
        text.push_str(&format!("broken: {problem}\n"));
    }
    if report.more_problems > 0 {
        text.push_str(&format!("broken: {} more problems\n", report.more_problems));
    }
    if stray > 0 {
        text.push_str(&format!("broken: {stray} records belong to no chain\n"));
    }
    for receipt in &report.receipts {
        match receipt.seq {
            Some(seq) => text.push_str(&format!("found: {} is record {seq}\n", receipt.receipt)),
            None => text.push_str(&format!("missing: {} is not in the chain\n", receipt.receipt)),
        }
    }
    let intact = report.is_intact() && stray == 0;
    text.push_str(&format!(
        "{}: {} records of `{tenant}`, {} with erased details\n",
        if intact { "intact" } else { "not intact" },
        report.records,
        report.erased,
    ));
    if let Some(head) = report.head {
        text.push_str(&format!("head: {head}\n"));
    }
    text.push_str("not noticed without a receipt or head kept elsewhere:\n");
    LIMITS.iter().for_each(|limit| text.push_str(&format!("  - {limit}\n")));
    print(&text)?;
    Ok(u8::from(!intact))
}

fn export(arguments: &StoreArgs) -> Outcome {
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let Some(store) = store else { return Ok(0) };
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = audit::export(&store, &tenant, ExportScope::WithDetails, &mut out)
        .and_then(|_| out.flush().map_err(ExportError::Output));
    match written {
        Ok(()) => Ok(0),
        Err(ExportError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Err(ExportError::Output(error)) => Err(Failure::failed(format!("cannot write to stdout: {error}"))),
        Err(ExportError::Store(error)) => Err(failure(&error)),
    }
}
