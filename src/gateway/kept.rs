//! What the ledger keeps of an earlier call: enough to look for its effect, in this process or another.

use std::path::Path;

use serde_json::{Value, json};

use crate::catalog::{Contract, TaskContext, TaskSpan};
use crate::ident::CallId;
use crate::state::StoredEffect;
use crate::validate::CallBindings;

/// An earlier call, as far as it is kept. Its task's data and its step are not.
pub(super) struct KeptCall<'s> {
    stored: &'s StoredEffect,
    id: CallId,
    arguments: Value,
    task: TaskContext,
    effect_key: Option<String>,
}

impl<'s> KeptCall<'s> {
    /// The call that an effect was reserved for.
    ///
    /// # Errors
    /// Why it cannot be looked for.
    pub(super) fn of(
        stored: &'s StoredEffect,
        contract: &Contract,
        workspace: &Path,
    ) -> Result<Self, &'static str> {
        let exact = stored.exact_arguments.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let arguments =
            exact.ok_or("its arguments are not kept, since its contract stated no look-up then")?;
        let id = CallId::parse(&stored.call).map_err(|_| "its call's id cannot be read")?;
        let task = TaskContext {
            id: stored.task.clone(),
            span: TaskSpan::Stated,
            prompt: None,
            tools: None,
            data: json!({}),
        };
        let mut kept = Self { stored, id, arguments, task, effect_key: None };
        // A key that rests on what is not kept cannot be made again, and a look-up that reads it has no answer.
        kept.effect_key =
            contract.idempotency.key().and_then(|spec| spec.key.render_text(&kept.bindings(workspace)).ok());
        Ok(kept)
    }

    /// The variables of its contract's look-ups.
    pub(super) fn bindings<'b>(&'b self, workspace: &'b Path) -> CallBindings<'b> {
        CallBindings {
            arguments: &self.arguments,
            principal: &self.stored.principal,
            task: &self.task,
            step: None,
            call_id: &self.id,
            workspace,
            item: None,
            value: None,
            result: None,
            operation: None,
            exit: None,
            http: None,
            effect_key: self.effect_key.as_deref(),
        }
    }
}
