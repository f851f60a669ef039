//! What earlier results of this task vouch for: `x-tgw-known`, and remembered answers.

use std::ops::ControlFlow;

use serde_json::Value;
use serde_json_path::JsonPath;

use crate::approval::{StandingGrant, StoredStanding};
use crate::authorize::PendingCall;
use crate::ident::ToolName;
use crate::state::{StandingQuery, Store};

use super::Gateway;

/// How many of a tool's latest results are looked through for a known value.
const RESULTS_SEARCHED: usize = 200;

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

    /// A live remembered answer that covers the call.
    pub(super) fn remembered(&self, pending: &PendingCall) -> Option<StandingGrant> {
        let store = self.store.as_ref().ok()?;
        let call = pending.call();
        let now = self.session.clock.now();
        let query = StandingQuery {
            principal: &self.session.principal,
            task: &self.session.task.id,
            tool: call.contract().name.as_str(),
            contract: call.contract().digest,
            now,
        };
        let candidates = match store.borrow().standing_for(&query) {
            Ok(candidates) => candidates,
            Err(error) => {
                tracing::error!(%error, "remembered answers could not be read");
                return None;
            }
        };
        let subject = pending.subject(&self.facts, self.session.workspace.root());
        candidates.iter().filter_map(restore).find(|standing| standing.covers(&subject, now))
    }
}

/// The grant that a stored row says; a row that this version did not write says nothing.
fn restore(stored: &crate::state::StandingGrant) -> Option<StandingGrant> {
    StandingGrant::from_store(&StoredStanding {
        id: &stored.id,
        principal: &stored.principal,
        task: &stored.task,
        tool: &stored.tool,
        contract: stored.contract,
        pinned: &stored.pinned,
        rules: &stored.rules,
        expires: stored.expires,
    })
}
