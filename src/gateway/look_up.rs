//! Looking an effect up where its outcome is not known: a call that the gateway itself makes, and records as its own.

use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::authorize::authorize_probe;
use crate::catalog::{Contract, LookUpArgument, ReconcileSpec, TaskContext, TaskSpan};
use crate::code::{CallError, ErrorCode};
use crate::execute::CancelToken;
use crate::ident::CallId;
use crate::present::{Outcome, PresentLimits, Presented, Stored, interpret, present};
use crate::state::{EffectState, Liveness, SettledEffect, Settlement, StoreError, StoredEffect, liveness};
use crate::validate::{CallBindings, Timing, validate};

use super::Gateway;
use super::finished::{Finished, Origin, Subject};
use super::journal::IntentJournal;
use super::run::starts_program;

/// What came of looking an effect up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookedUp {
    /// It is settled now.
    Settled(EffectState),
    /// It is as unknown as before, and why.
    Nothing(String),
}

/// What a look-up saw.
enum Seen {
    Found(Box<Presented>),
    Absent,
    Unclear(String),
}

impl Gateway<'_> {
    /// Looks an effect up by its contract's own way, and settles it where that tells.
    ///
    /// # Errors
    /// Why the store cannot be used.
    pub(super) async fn look_up(
        &self,
        stored: &StoredEffect,
        cancel: &CancelToken,
    ) -> Result<LookedUp, StoreError> {
        let nothing = |why: &str| Ok(LookedUp::Nothing(why.to_owned()));
        let Some(contract) = self.session.catalog.find(&stored.tool) else {
            return nothing("its tool is not in this catalog");
        };
        let Some(spec) = contract.reconcile.as_deref() else {
            return nothing("its contract states no look-up");
        };
        let arguments = stored.exact_arguments.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let Some(arguments) = arguments else {
            return nothing("its arguments are not kept, since its contract stated no look-up then");
        };
        match self.look(contract, spec, stored, &arguments, cancel).await? {
            Seen::Found(presented) => {
                let outcome = presented.record(None);
                let settled = SettledEffect {
                    id: &stored.id,
                    attempt: stored.attempt,
                    state: EffectState::Succeeded,
                    how: Settlement::Reconciled,
                    code: None,
                    outcome: outcome.as_deref(),
                };
                self.record_settlement(stored, settled, None, &[])?;
                Ok(LookedUp::Settled(EffectState::Succeeded))
            }
            Seen::Absent => self.absent(spec, stored),
            Seen::Unclear(why) => Ok(LookedUp::Nothing(why)),
        }
    }

    /// A look-up that found nothing proves that nothing happened only where the contract says so, after its delay, and where
    /// whoever began the effect cannot go on with it.
    fn absent(&self, spec: &ReconcileSpec, stored: &StoredEffect) -> Result<LookedUp, StoreError> {
        let nothing = |why: String| Ok(LookedUp::Nothing(why));
        let Some(absence) = &spec.absence else {
            return nothing("the look-up did not find it, which proves nothing".to_owned());
        };
        let proves = stored.changed.plus(absence.proves_after);
        if self.session.clock.now() < proves {
            return nothing(format!(
                "the look-up found nothing, which proves nothing before {}",
                proves.rfc3339()
            ));
        }
        if stored
            .owner
            .as_deref()
            .is_some_and(|owner| owner != self.owner && liveness(owner) == Liveness::Alive)
        {
            return nothing(
                "the look-up found nothing, and the process that began the effect still lives".to_owned(),
            );
        }
        let settled = SettledEffect {
            id: &stored.id,
            attempt: stored.attempt,
            state: EffectState::Failed,
            how: Settlement::Reconciled,
            code: None,
            outcome: None,
        };
        self.record_settlement(stored, settled, None, &[])?;
        Ok(LookedUp::Settled(EffectState::Failed))
    }

    async fn look(
        &self,
        contract: &Contract,
        spec: &ReconcileSpec,
        stored: &StoredEffect,
        arguments: &Value,
        cancel: &CancelToken,
    ) -> Result<Seen, StoreError> {
        let Ok(call_id) = CallId::parse(&stored.call) else {
            return Ok(Seen::Unclear("its call's id cannot be read".to_owned()));
        };
        let task = TaskContext {
            id: stored.task.clone(),
            span: TaskSpan::Stated,
            prompt: None,
            tools: None,
            data: json!({}),
        };
        let bindings = CallBindings {
            arguments,
            principal: &stored.principal,
            task: &task,
            step: None,
            call_id: &call_id,
            workspace: self.session.workspace.root(),
            item: None,
            value: None,
            exit: None,
            effect_key: None,
        };
        // A key that rests on what is not kept cannot be made again, and a look-up that reads it has no answer.
        let key = contract.idempotency.key().and_then(|spec| spec.key.render_text(&bindings).ok());
        let bindings = CallBindings { effect_key: key.as_deref(), ..bindings };
        let mut asked = Map::new();
        for (name, argument) in &spec.arguments {
            let value = match argument {
                LookUpArgument::Literal(value) => Ok(value.clone()),
                LookUpArgument::Template(template) => template.render_value(&bindings),
            };
            match value {
                Ok(value) => asked.insert(name.clone(), value),
                Err(error) => {
                    return Ok(Seen::Unclear(format!("the look-up's `{name}` cannot be filled: {error}")));
                }
            };
        }
        let probed = match self.probe(spec, asked, &bindings, cancel).await? {
            Ok(probed) => probed,
            Err(error) => return Ok(Seen::Unclear(format!("the look-up failed: {}", error.message))),
        };
        let presented = match probed.seen {
            Ok(Sighting::Found) => probed.presented,
            Ok(Sighting::Absent) => return Ok(Seen::Absent),
            Ok(Sighting::Neither) => {
                return Ok(Seen::Unclear("the look-up did not find it, which proves nothing".to_owned()));
            }
            Err(why) => return Ok(Seen::Unclear(format!("what the look-up found has no answer: {why}"))),
        };
        let value = match presented.stored() {
            Stored::Value(value, _) => match &spec.value {
                Some(pointer) => value.pointer(pointer).cloned().unwrap_or(Value::Null),
                None => value.clone(),
            },
            Stored::Nothing | Stored::TooLarge(_) => Value::Null,
        };
        let found =
            present(Outcome::found(value), contract, &self.redactor.borrow(), PresentLimits::default());
        Ok(Seen::Found(Box::new(found)))
    }

    /// Makes one look-up: a call of the gateway's own, which goes through every stage but scope and policy, and is recorded
    /// with the call that it is made for.
    async fn probe(
        &self,
        spec: &ReconcileSpec,
        asked: Map<String, Value>,
        about: &CallBindings<'_>,
        cancel: &CancelToken,
    ) -> Result<Result<Probed, CallError>, StoreError> {
        let id = self.random.borrow_mut().id("look_")?;
        let Ok(id) = CallId::parse(&id) else {
            return Ok(Err(CallError::new(ErrorCode::Internal, "an id of the gateway is none")));
        };
        let resolved = match self.session.catalog.resolve_probe(spec.tool.as_str(), asked, id) {
            Ok(resolved) => resolved,
            Err(error) => return Ok(Err(error)),
        };
        let validated = match self.validating(Timing::Now, |context| validate(resolved, context)) {
            Ok(validated) => validated,
            Err(rejected) => return Ok(Err(rejected.error)),
        };
        let authorized = match authorize_probe(validated) {
            Ok(authorized) => authorized,
            Err(error) => return Ok(Err(error)),
        };
        let origin = Origin::of_call(authorized.call());
        let names = authorized.call().plan().credentials();
        let prepared = match self.prepare(&authorized, &names).await {
            Ok(prepared) => prepared,
            Err(error) => return Ok(Err(error)),
        };
        let sandbox = starts_program(authorized.call().plan()).then(|| prepared.sandbox.level());
        let mut journal = IntentJournal::new(self, sandbox, &names, None).made_for(about.call_id);
        let reserved = match authorized.reserve(&mut journal) {
            Ok(reserved) => reserved,
            Err(refused) => return Ok(Err(refused.1)),
        };
        let started = Instant::now();
        let (captured, spent) = self.execute(reserved, &prepared, cancel).await;
        let elapsed = started.elapsed();
        let outcome = interpret(captured, spent.call().contract(), &self.bindings(spent.call()));
        let seen = sighting(&outcome, spec, about);
        let presented =
            present(outcome, spent.call().contract(), &self.redactor.borrow(), PresentLimits::default());
        let mut finished = Box::new(Finished::new(origin, Subject::Spent(Box::new(spent)), presented));
        finished.parent = Some(about.call_id.clone());
        (finished.sandbox, finished.credentials) = (sandbox, names);
        finished.elapsed = Some(elapsed);
        let finished = [finished];
        let receipts = self.record(&finished)?;
        tracing::debug!(receipts = receipts.len(), "a look-up is recorded");
        let [finished] = finished;
        Ok(match finished.presented.error() {
            Some(error) => Err(error.clone()),
            None => Ok(Probed { seen, presented: finished.presented }),
        })
    }
}

/// What a look-up brought back.
struct Probed {
    /// What it saw of the effect, or why that has no answer.
    seen: Result<Sighting, String>,
    presented: Presented,
}

/// What a look-up saw of an effect.
enum Sighting {
    Found,
    Absent,
    Neither,
}

fn sighting(outcome: &Outcome, spec: &ReconcileSpec, about: &CallBindings<'_>) -> Result<Sighting, String> {
    let holds = |condition| outcome.answers(condition, about).map_err(|error| error.to_string());
    if holds(&spec.found_when)? {
        return Ok(Sighting::Found);
    }
    match &spec.absence {
        Some(absence) if holds(&absence.when)? => Ok(Sighting::Absent),
        Some(_) | None => Ok(Sighting::Neither),
    }
}
