//! Calls that the gateway makes itself for the sake of another: through every stage but scope and policy, and on record.

use std::time::Instant;

use serde_json::{Map, Value};

use crate::authorize::authorize_probe;
use crate::catalog::ProbePurpose;
use crate::code::{CallError, ErrorCode};
use crate::execute::CancelToken;
use crate::ident::{CallId, ToolName};
use crate::present::{Outcome, PresentLimits, Presented, Stored, interpret, present};
use crate::state::StoreError;
use crate::validate::{Timing, validate};

use super::Gateway;
use super::finished::{Finished, Origin, Subject};
use super::journal::IntentJournal;
use super::run::starts_program;

/// What a probe brought back.
pub(super) struct Probed<T> {
    /// The id of the probe's own call.
    pub(super) id: CallId,
    /// What was read of its raw value.
    pub(super) read: T,
    presented: Presented,
}

impl<T> Probed<T> {
    /// The value, redacted; null where it is withheld or too large to keep.
    pub(super) fn value(&self) -> &Value {
        match self.presented.stored() {
            Stored::Value(value, _) => value,
            Stored::Nothing | Stored::TooLarge(_) => &Value::Null,
        }
    }
}

impl Gateway<'_> {
    /// Makes one probe and reads its outcome.
    ///
    /// The inner error is why the probe could not be made, or how it failed.
    ///
    /// # Errors
    /// Why the store cannot be used.
    pub(super) async fn probe<T>(
        &self,
        tool: &ToolName,
        purpose: ProbePurpose,
        asked: Map<String, Value>,
        parent: &CallId,
        read: impl FnOnce(&Outcome) -> T,
        cancel: &CancelToken,
    ) -> Result<Result<Probed<T>, CallError>, StoreError> {
        let id = self.random.borrow_mut().id("look_")?;
        let Ok(id) = CallId::parse(&id) else {
            return Ok(Err(CallError::new(ErrorCode::Internal, "an id of the gateway is none")));
        };
        let resolved = match self.session.catalog.resolve_probe(tool.as_str(), purpose, asked, id.clone()) {
            Ok(resolved) => resolved,
            Err(error) => return Ok(Err(error)),
        };
        let validated = match self.validating(Timing::Now, |context| validate(resolved, context)) {
            Ok(validated) => validated,
            Err(rejected) => return Ok(Err(rejected.error)),
        };
        let authorized = match authorize_probe(validated, purpose) {
            Ok(authorized) => authorized,
            Err(error) => return Ok(Err(error)),
        };
        let origin = Origin::of_call(authorized.call());
        let prepared = match self.prepare(&authorized).await {
            Ok(prepared) => prepared,
            Err(error) => return Ok(Err(error)),
        };
        let sandbox = starts_program(authorized.call().plan()).then(|| prepared.sandbox.level());
        let mut journal = IntentJournal::new(self, sandbox, &prepared.used, None).made_for(parent);
        let reserved = match authorized.reserve(&mut journal) {
            Ok(reserved) => reserved,
            Err(refused) => return Ok(Err(refused.1)),
        };
        let started = Instant::now();
        let (captured, spent) =
            self.execute(reserved, &prepared, self.telemetry.passed_on(parent), cancel).await;
        let elapsed = started.elapsed();
        let outcome = interpret(captured, spent.call().contract(), &self.bindings(spent.call()));
        let read = read(&outcome);
        let presented = present(
            outcome,
            spent.call().contract(),
            &self.redactor_after(spent.call(), &prepared),
            PresentLimits::default(),
        );
        let mut finished = Box::new(Finished::new(origin, Subject::Spent(Box::new(spent)), presented));
        finished.parent = Some(parent.clone());
        (finished.sandbox, finished.credentials) = (sandbox, prepared.used);
        finished.elapsed = Some(elapsed);
        let finished = [finished];
        let receipts = self.record(&finished)?;
        tracing::debug!(receipts = receipts.len(), "a look-up is recorded");
        let [finished] = finished;
        Ok(match finished.presented.error() {
            Some(error) => Err(error.clone()),
            None => Ok(Probed { id, read, presented: finished.presented }),
        })
    }
}
