//! `tgw audit`: the chain, for people and for other programs.

mod checkpoint;
mod erase;
mod show;
mod verify;

use std::io::{self, Write};
use std::ops::ControlFlow;

use serde_json::{Value, json};

use crate::audit::{self, ExportError, ExportScope, Listed, RecordFilter};
use crate::clock::Timestamp;
use crate::code::Status;
use crate::diagnostic::nearest;
use crate::state::Order;

use super::arguments::StoreArgs;
use super::audit_arguments::{AuditArgs, AuditCommand};
use super::exit::{Failure, Outcome};
use super::output::print;
use super::store::{self, OpenedStore, failure};
use super::table;
use super::within::refuse_in_a_call;

/// Runs one audit command.
pub(crate) fn audit(arguments: &AuditArgs) -> Outcome {
    match &arguments.command {
        AuditCommand::List { tool, status, limit, json, store } => {
            list(store, tool.as_deref(), status.as_deref(), *limit, *json)
        }
        AuditCommand::Show { id, json, store } => show::show(store, id, *json),
        AuditCommand::Verify { receipt, against, signer, store } => {
            verify::verify(store, receipt, against.as_deref(), signer)
        }
        AuditCommand::Checkpoint { key, store } => {
            refuse_in_a_call("sign a checkpoint")?;
            checkpoint::checkpoint(store, key.as_deref())
        }
        AuditCommand::Erase(arguments) => erase::erase(arguments),
        AuditCommand::Keygen { file } => {
            refuse_in_a_call("make the key of checkpoints")?;
            checkpoint::keygen(file.as_deref())
        }
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
