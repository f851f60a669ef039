//! What earlier results of this task vouch for: `x-tgw-known`, and remembered answers.

use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

use serde_json::Value;
use serde_json_path::JsonPath;

use crate::approval::{StandingGrant, StoredStanding};
use crate::audit::{ApprovalNote, Entry, PendingRecords, RecordKind};
use crate::authorize::PendingCall;
use crate::catalog::Digest;
use crate::ident::ToolName;
use crate::state::{Batch, Durability, StandingGrant as Stored, StandingQuery, Store, StoreError};
use crate::text;

use super::Gateway;

/// How many of a tool's latest results are looked through for a known value.
const RESULTS_SEARCHED: usize = 200;

/// Most bytes of an id that is shown: what is not believed can have any.
pub(super) const SHOWN_ID: usize = 40;

/// Most stored answers that one run records as not believed.
const MOST_DOUBTED: usize = 64;

impl Gateway<'_> {
    /// Whether `value` occurs at `path` in one of the tool's latest results for this tenant.
    ///
    /// What cannot be looked up is not known.
    pub(super) fn is_known(&self, tool: &str, path: &str, value: &Value) -> bool {
        let (Ok(tool), Ok(path), Ok(store)) = (ToolName::parse(tool), JsonPath::parse(path), &self.store)
        else {
            return false;
        };
        let mut found = false;
        let looked = store.borrow().recent_values(
            &self.session.principal.tenant,
            &tool,
            RESULTS_SEARCHED,
            self.session.clock.now(),
            &mut |bytes| {
                let Ok(result) = serde_json::from_slice::<Value>(bytes) else {
                    return ControlFlow::Continue(());
                };
                if path.query(&result).iter().any(|node| *node == value) {
                    found = true;
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            },
        );
        if let Err(error) = looked {
            tracing::error!(%error, "earlier results could not be looked through");
            return false;
        }
        found
    }

    /// A live remembered answer that covers the call. One for its tool, task and principal that is not
    /// believed is noted on the call and in the audit.
    pub(super) fn remembered(&self, pending: &mut PendingCall) -> Option<StandingGrant> {
        let store = self.store.as_ref().ok()?;
        let contract = std::sync::Arc::clone(pending.call().contract());
        let now = self.session.clock.now();
        let query = StandingQuery {
            principal: &self.session.principal,
            task: &self.session.task.id,
            tool: contract.name.as_str(),
            contract: contract.digest,
            now,
        };
        let candidates = match store.borrow().standing_for(&query) {
            Ok(candidates) => candidates,
            Err(error) => {
                tracing::error!(%error, "remembered answers could not be read");
                return None;
            }
        };
        for stored in &candidates {
            let Some(why) = stored.seal.doubt() else { continue };
            let doubt = Doubt {
                what: "remembered",
                how: "standing",
                kind: RecordKind::Standing,
                id: &stored.id,
                tool: &stored.tool,
                contract: Some(stored.contract),
            };
            self.record_doubt(&doubt, why);
            pending.doubt_once(format!("`{}`: {why}", text::head(&stored.id, SHOWN_ID)));
        }
        let subject = pending.subject(&self.facts(), self.session.workspace.root());
        let believed = candidates.iter().filter(|stored| stored.seal.doubt().is_none());
        believed.filter_map(restore).find(|standing| standing.covers(&subject, now))
    }

    /// Whether a stored answer is doubted for the first time in this run, and not as one of too many.
    fn doubts_first(&self, id: &str) -> bool {
        let mut doubted = self.doubted.borrow_mut();
        doubted.len() < MOST_DOUBTED && doubted.insert(id.to_owned())
    }

    /// Puts on record, once in a run, that a stored answer was not believed.
    pub(super) fn record_doubt(&self, doubt: &Doubt<'_>, why: &str) {
        if !self.doubts_first(doubt.id) {
            return;
        }
        let what = doubt.what;
        tracing::error!(id = text::head(doubt.id, SHOWN_ID), "a {what} answer was not believed: {why}");
        if let Err(error) = self.write_doubt(doubt, why) {
            tracing::error!(%error, "it could not be recorded that a {what} answer was not believed");
        }
    }

    fn write_doubt(&self, doubt: &Doubt<'_>, why: &str) -> Result<(), StoreError> {
        let session = self.session;
        let store = self.store.as_ref().map_err(Clone::clone)?;
        let now = session.clock.now();
        let mut records = PendingRecords::default();
        records.push(&Entry {
            task: Some(&session.task.id),
            step: self.here().step,
            tool: Some(doubt.tool),
            contract: doubt.contract,
            approval: Some(ApprovalNote {
                id: doubt.id,
                by: None,
                how: doubt.how,
                answer: "not_believed",
                question: None,
            }),
            notes: &[("why", why)],
            ..Entry::new(doubt.kind, now, &session.principal)
        })?;
        let receipts = store.borrow_mut().append(&mut Batch {
            tenant: &session.principal.tenant,
            now,
            durability: Durability::Power,
            changes: &[],
            records: &mut records,
        })?;
        tracing::debug!(receipts = receipts.len(), "a doubt is recorded");
        Ok(())
    }
}

/// A stored answer that is not believed, as its record names it.
pub(super) struct Doubt<'a> {
    /// The word for it in the log.
    pub(super) what: &'static str,
    pub(super) how: &'static str,
    pub(super) kind: RecordKind,
    pub(super) id: &'a str,
    pub(super) tool: &'a str,
    pub(super) contract: Option<Digest>,
}

/// The grant that a stored row says; a row that this version could not have written says nothing.
fn restore(stored: &Stored) -> Option<StandingGrant> {
    StandingGrant::from_store(&StoredStanding {
        id: &stored.id,
        principal: &stored.principal,
        task: &stored.task,
        workspace: std::path::Path::new(std::ffi::OsStr::from_bytes(&stored.workspace)),
        tool: &stored.tool,
        contract: stored.contract,
        pinned: &stored.pinned,
        rules: &stored.rules,
        expires: stored.expires,
    })
}
