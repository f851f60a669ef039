//! The chain as JSON lines, for archives and other programs.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::ControlFlow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::ident::Tenant;
use crate::state::{Order, Receipt, Scan, Store, StoreError, StoredRecord};

use super::hidden;

/// What an export holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportScope {
    /// The records: enough to verify the chain.
    Records,
    /// Also what they vouch for, with the keys to check it.
    WithDetails,
}

/// Why an export ended early.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The output could not be written.
    #[error("the export cannot be written: {0}")]
    Output(#[from] io::Error),
}

/// One line. `record` holds the exact bytes whose hash is the receipt; where they are no JSON on one line, which only
/// happens to a damaged store, `damaged` holds them in base 64 instead.
#[derive(Serialize)]
struct Line<'a> {
    receipt: Receipt64<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged_detail: Option<String>,
}

struct Receipt64<'a>(&'a Receipt);

impl Serialize for Receipt64<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}

/// Writes a tenant's chain, oldest first, one JSON object a line, and returns the head that was reached. The head, kept
/// elsewhere, is what a later verification compares with.
///
/// # Errors
/// [`ExportError`]; what was written before it stays written.
pub fn export(
    store: &dyn Store,
    tenant: &Tenant,
    scope: ExportScope,
    out: &mut dyn Write,
) -> Result<Option<Receipt>, ExportError> {
    let mut last = None;
    let mut broken = None;
    store.scan(
        tenant,
        Scan::all(Order::OldestFirst),
        &mut |stored| match write_line(stored, scope, out) {
            Ok(receipt) => {
                last = Some(receipt);
                ControlFlow::Continue(())
            }
            Err(error) => {
                broken = Some(error);
                ControlFlow::Break(())
            }
        },
    )?;
    broken.map_or(Ok(last), |error| Err(error.into()))
}

fn write_line(stored: &StoredRecord, scope: ExportScope, out: &mut dyn Write) -> io::Result<Receipt> {
    let receipt = Receipt { seq: stored.seq, hash: stored.hash };
    let (record, damaged) = embed(&stored.bytes);
    let shown = match scope {
        ExportScope::Records => None,
        ExportScope::WithDetails => hidden::detail(stored).or(stored.detail.as_deref().map(Cow::Borrowed)),
    };
    let (detail, damaged_detail) = shown.as_deref().map_or((None, None), embed);
    let key = match scope {
        ExportScope::Records => None,
        ExportScope::WithDetails => stored.key.as_deref(),
    };
    let key = key.map(|key| STANDARD.encode(key));
    let line = Line { receipt: Receipt64(&receipt), record, damaged, key, detail, damaged_detail };
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")?;
    Ok(receipt)
}

/// The bytes as raw JSON, or in base 64 where they are none or would break the line.
fn embed(bytes: &[u8]) -> (Option<&RawValue>, Option<String>) {
    let whole = bytes.first() == Some(&b'{') && bytes.last() == Some(&b'}') && !bytes.contains(&b'\n');
    match serde_json::from_slice(bytes) {
        Ok(json) if whole => (Some(json), None),
        _ => (None, Some(STANDARD.encode(bytes))),
    }
}
