//! Records as a person looks at them.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::clock::Timestamp;
use crate::ident::Tenant;
use crate::state::{Order, Receipt, Scan, Store, StoreError, StoredRecord};

use super::hidden;

/// A record, read back. Fields that a later version adds are passed over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of Entry, under the names of the record's keys")]
pub struct RecordView {
    pub v: u32,
    pub tenant: String,
    pub seq: u64,
    pub prev: String,
    pub at: u64,
    pub kind: String,
    pub user: String,
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules_omitted: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_hmac: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_hmac: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail_hmac: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<CredentialView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<VerificationView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased: Option<ErasedView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// A rule of a record, read back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of RuleReference")]
pub struct RuleView {
    pub id: String,
    pub file: String,
    pub line: u32,
}

/// A credential of a record, read back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of CredentialUse")]
pub struct CredentialView {
    pub name: String,
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// A question of a record, read back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of ApprovalNote")]
pub struct ApprovalView {
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    pub how: String,
    pub answer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question_hmac: Option<String>,
}

/// An effect of a record, read back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of LedgerNote")]
pub struct LedgerView {
    pub id: String,
    pub attempt: u64,
    pub state: String,
    pub how: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What was seen of an effect, read back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of VerificationNote")]
pub struct VerificationView {
    pub result: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<String>,
    pub looks: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_hmac: Option<String>,
}

/// What an erasure erased, read back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of ErasureNote")]
pub struct ErasedView {
    pub records: Vec<(u64, u64)>,
    pub by: String,
}

/// A record with its receipt and what it vouches for.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its receipt.
    pub receipt: Receipt,
    /// The record.
    pub record: RecordView,
    /// `{"arguments","plan","notes"}`; `None` where there is nothing, or it was erased.
    pub detail: Option<Value>,
    /// Whether there is something beside the record that can be erased.
    pub erasable: bool,
}

/// Which records are wanted. What is absent is not asked about.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecordFilter<'a> {
    /// This call.
    pub call: Option<&'a str>,
    /// This task.
    pub task: Option<&'a str>,
    /// This tool.
    pub tool: Option<&'a str>,
    /// This status, as it is written on the wire.
    pub status: Option<&'a str>,
    /// This question, answer or grant.
    pub approval: Option<&'a str>,
    /// This kind, as it is written in records.
    pub kind: Option<&'a str>,
    /// Not before.
    pub since: Option<Timestamp>,
}

impl RecordFilter<'_> {
    fn wants(&self, record: &RecordView) -> bool {
        let same = |wanted: Option<&str>, found: Option<&str>| wanted.is_none() || wanted == found;
        same(self.call, record.call.as_deref())
            && same(self.task, record.task.as_deref())
            && same(self.tool, record.tool.as_deref())
            && same(self.status, record.status.as_deref())
            && same(self.approval, record.approval.as_ref().map(|approval| approval.id.as_str()))
            && same(self.kind, Some(&record.kind))
            && self.since.is_none_or(|since| record.at >= since.0)
    }
}

/// Shows the wanted records of a tenant one by one until `visit` breaks. A record that is not readable is passed over
/// here; [`verify`](super::verify()) reports it.
///
/// # Errors
/// Why the store cannot be read.
pub fn list(
    store: &dyn Store,
    tenant: &Tenant,
    order: Order,
    filter: &RecordFilter<'_>,
    visit: &mut dyn FnMut(&Listed) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    store.scan(tenant, Scan::all(order), &mut |stored| match read(stored) {
        Some(listed) if filter.wants(&listed.record) => visit(&listed),
        _ => ControlFlow::Continue(()),
    })
}

pub(super) fn read(stored: &StoredRecord) -> Option<Listed> {
    Some(Listed {
        receipt: Receipt { seq: stored.seq, hash: stored.hash },
        record: serde_json::from_slice(&stored.bytes).ok()?,
        erasable: stored.key.is_some() || stored.detail.is_some(),
        detail: hidden::detail(stored).and_then(|detail| serde_json::from_slice(&detail).ok()),
    })
}
