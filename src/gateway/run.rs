//! Running one call: credentials, reservation, execution, presentation.

use std::sync::Arc;
use std::time::Instant;

use crate::approval::Preview;
use crate::authorize::{AuthorizedCall, Consent, ReservedCall};
use crate::catalog::{BuiltinName, Contract, CredentialSpec, MintSpec};
use crate::code::{CallError, ErrorCode, Status};
use crate::execute::{
    CancelToken, CredentialCommands, ExecutionContext, SandboxProfile, SpentCall, answered, execute,
    execute_by, resolve_profile,
};
use crate::ident::CredentialName;
use crate::mcp::Progress;
use crate::policy::{Decision, FactSource, Sight};
use crate::present::{Captured, Claim, PresentLimits, Stored, interpret, present};
use crate::secret::{CredentialUse, Credentials, NO_PASS_FOR_SERVERS, Redactor, Sources, resolve};
use crate::telemetry::{Phase, TraceParent};
use crate::text;
use crate::validate::{Plan, ValidatedCall};

use super::Gateway;
use super::finished::{Finished, LedgerEntry, Origin, Subject};
use super::journal::IntentJournal;
use super::ledger::timeout;
use super::settle::Attempt;

/// Most bytes of what a server says of its progress.
const SAID_BYTES: usize = 500;

/// Most bytes of a person's note that reach the model.
const NOTE_BYTES: usize = 4096;

impl Gateway<'_> {
    /// Runs a call that may run, to its one result.
    pub async fn run(&self, authorized: Box<AuthorizedCall>, cancel: CancelToken) -> Box<Finished> {
        match self.attempt(authorized, &cancel).await {
            Attempt::Finished(finished) => finished,
            Attempt::Overtaken(authorized) => {
                Box::pin(self.settle_and_run(Box::new(authorized.hold()), cancel)).await
            }
        }
    }

    /// Runs a call that may run, unless another call holds its effect key.
    pub(super) async fn attempt(&self, authorized: Box<AuthorizedCall>, cancel: &CancelToken) -> Attempt {
        let origin = Origin::of_call(authorized.call());
        if let Err(error) = self.require(authorized.call(), cancel).await {
            return Attempt::Finished(self.unstarted(origin, *authorized, error));
        }
        let mut prepared = match self.prepare(&authorized).await {
            Ok(prepared) => prepared,
            Err(error) => return Attempt::Finished(self.unstarted(origin, *authorized, error)),
        };
        if cancel.is_cancelled() {
            let error = CallError::new(ErrorCode::Cancelled, "the call was stopped before it began");
            return Attempt::Finished(self.unstarted(origin, *authorized, error));
        }
        match self.catch_up() {
            Ok(()) if authorized.stand() == self.moves() => {}
            // Let through elsewhere in the task: it is decided again where that is now.
            Ok(()) => return Attempt::Overtaken(authorized),
            Err(error) => return Attempt::Finished(self.unstarted(origin, *authorized, error)),
        }
        let step = self.here().step.cloned();
        let reservation = match self.reservation(&authorized) {
            Ok(reservation) => reservation,
            Err(error) => return Attempt::Finished(self.unstarted(origin, *authorized, error.call_error())),
        };
        let note = match authorized.consent() {
            Consent::Grant(grant) => grant.note().map(str::to_owned),
            Consent::None | Consent::Standing(_) => None,
        };
        let starts_program = starts_program(authorized.call().plan());
        let sandbox = starts_program.then(|| prepared.sandbox.level());
        let mut journal = IntentJournal::new(self, sandbox, &prepared.used, reservation.as_ref());
        let reserved = match authorized.reserve(&mut journal) {
            Ok(reserved) => reserved,
            Err(refused) => {
                let (authorized, error) = *refused;
                return if journal.was_overtaken() {
                    Attempt::Overtaken(Box::new(authorized))
                } else {
                    Attempt::Finished(self.unstarted(origin, authorized, error))
                };
            }
        };
        if let Some(reservation) = &reservation {
            self.under_way.borrow_mut().insert(reservation.id.clone());
        }
        let traceparent = self.traceparent(reserved.call());
        let stage = self.telemetry.enter(Phase::Run);
        let started = Instant::now();
        prepared.is_repetition = reservation.as_ref().is_some_and(|reservation| reservation.attempt > 1);
        let (captured, spent) = self.execute(reserved, &prepared, traceparent, cancel).await;
        let elapsed = started.elapsed();
        self.telemetry.leave(&origin.id, stage);
        let call = spent.call();
        let bindings = self.bindings(call);
        let mut outcome = interpret(captured, call.contract(), &bindings);
        if reservation.as_ref().is_some_and(|reservation| reservation.attempt > 1) {
            outcome.doubt_earlier();
        }
        let stage = self.telemetry.enter(Phase::Verify).filter(|_| call.contract().verify.is_some());
        let verification = self
            .verify(
                call.contract(),
                &mut outcome,
                &bindings,
                timeout(call.plan()).saturating_sub(elapsed),
                cancel,
            )
            .await;
        self.telemetry.leave(&origin.id, stage);
        let operation = outcome.operation().cloned();
        let pace = outcome.pace();
        let claim = (outcome.status() == Status::Working).then(|| Claim::of(&outcome));
        let mut presented = present(
            outcome,
            call.contract(),
            &self.redactor_after(call, &prepared),
            PresentLimits::default(),
        );
        if spent.call().contract().idempotency.retry_is_safe() {
            presented.advise_retry();
        }
        let mut finished = Finished::new(origin, Subject::Spent(Box::new(spent)), presented);
        finished.reference = match finished.presented.stored() {
            Stored::Value(..) => self.random.borrow_mut().id("r_").ok(),
            Stored::Nothing | Stored::TooLarge(_) => None,
        };
        if let Some(note) = note {
            let words = self.redactor.borrow().text(text::head(&note, NOTE_BYTES)).into_owned();
            finished.presented.warn(format!("the person who approved notes: {}", text::escape(&words)));
        }
        finished.sandbox = sandbox;
        finished.step = step;
        finished.credentials = prepared.used;
        finished.elapsed = Some(elapsed);
        finished.begun = self.begun(&finished, operation, pace, verification.as_ref(), claim);
        finished.verification = verification;
        finished.ledger = reservation.map(|reservation| {
            self.looked_up.borrow_mut().remove(&reservation.id);
            finished.presented.point_to(&reservation.id);
            LedgerEntry { id: reservation.id, attempt: reservation.attempt, found: None }
        });
        Attempt::Finished(Box::new(finished))
    }

    /// Everything that can still say no without a trace outside: the sandbox and the credentials.
    pub(super) async fn prepare(&self, authorized: &AuthorizedCall) -> Result<Prepared, CallError> {
        let call = authorized.call();
        let names = call.plan().credentials();
        let specs = self.session.catalog.credentials();
        if self.stand_in.is_some() {
            let none = SandboxProfile::none();
            return Ok(Prepared { used: unresolved(names, specs), ..Prepared::without_credentials(none) });
        }
        let sandbox = if starts_program(call.plan()) {
            let demands = &authorized.decision().environment;
            resolve_profile(call.contract(), demands, self.session.capability())?
        } else {
            SandboxProfile::none()
        };
        let is_up = match authorized.call().plan() {
            // It got what it needs when it was started.
            Plan::Mcp(plan) => self.servers.is_up(&plan.server.name, &sandbox),
            Plan::Builtin { .. } | Plan::Command(_) | Plan::Http(_) => false,
        };
        if names.is_empty() || is_up {
            return Ok(Prepared::without_credentials(sandbox));
        }
        let session = self.session;
        let commands =
            CredentialCommands { workspace: &session.workspace, environment: &session.environment };
        let environment = |name: &str| session.environment.get(name).map(ToOwned::to_owned);
        let mint = |spec: &MintSpec| match authorized.call().plan() {
            Plan::Mcp(_) => Err(NO_PASS_FOR_SERVERS),
            Plan::Builtin { .. } | Plan::Command(_) | Plan::Http(_) => self.mint(spec, call),
        };
        let sources = Sources {
            environment: &environment,
            commands: &commands,
            cache: &self.credentials,
            clock: &session.clock,
            mint: &mint,
        };
        let credentials = resolve(&names, specs, &sources).await?;
        for (name, warning) in credentials.warnings() {
            tracing::warn!(credential = %name, "{warning}");
        }
        let mut redactor = self.redactor.borrow_mut();
        for (used, value) in credentials.values() {
            match used.expires {
                Some(until) => redactor.add_passing(used.name.as_str(), value, until, session.clock.now()),
                None => redactor.add(used.name.as_str(), value),
            }
        }
        let used = credentials.uses().cloned().collect();
        Ok(Prepared { sandbox, credentials, used, is_repetition: false })
    }

    /// The redactor for what a call brought. Its own passes are hidden even if many others were made meanwhile, or they ended.
    pub(super) fn redactor_after(&self, call: &ValidatedCall, prepared: &Prepared) -> Redactor {
        let mut redactor = self.redactor_of(call.contract());
        prepared.credentials.values().for_each(|(used, value)| redactor.keep(used.name.as_str(), value));
        redactor
    }

    pub(super) async fn execute(
        &self,
        call: ReservedCall,
        prepared: &Prepared,
        traceparent: Option<TraceParent>,
        cancel: &CancelToken,
    ) -> (Captured, SpentCall) {
        if let Some(stand_in) = self.stand_in {
            return execute_by(call, stand_in).await;
        }
        if let Plan::Builtin { name: name @ (BuiltinName::ReadResult | BuiltinName::SearchTools), .. } =
            call.call().plan()
        {
            let answer = self.own_tool(*name, call.call().arguments());
            return answered(call, answer);
        }
        let (tool, id) = (call.call().contract().name.to_string(), call.call().id().to_string());
        let proceeds = |step: &Progress| {
            let said = step
                .message
                .as_deref()
                .map(|said| self.redactor.borrow().text(text::head(said, SAID_BYTES)).into_owned());
            if !self.asking.get() {
                self.observer.proceeded(&tool, &id, (step.done, step.total), said.as_deref());
            }
        };
        let context = ExecutionContext {
            servers: &self.servers,
            proceeds: &proceeds,
            workspace: &self.session.workspace,
            environment: &self.session.environment,
            sandbox: &prepared.sandbox,
            credentials: &prepared.credentials,
            cancel,
            sight: Arc::new(self.sight(call.call(), call.decision())),
            traceparent,
            connections: &self.connections,
            is_repetition: prepared.is_repetition,
        };
        execute(call, &context).await
    }

    /// The redactor for what a tool brings back.
    pub(super) fn redactor_of(&self, contract: &Contract) -> Redactor {
        let mut masks = contract.result.masks.clone();
        masks.personal = masks.personal.and(self.session.policy.hides_from(&contract.name));
        self.redactor.borrow().masking(&masks)
    }

    /// A call that was let through and could not begin.
    fn unstarted(&self, origin: Origin, authorized: AuthorizedCall, error: CallError) -> Box<Finished> {
        let error = self.not_begun(authorized.call(), error);
        let subject = Subject::Unstarted(Box::new(authorized));
        Box::new(Finished::refused(origin, subject, error, &self.redactor.borrow()))
    }

    /// What a call would do, where its executor can say so.
    ///
    /// # Errors
    /// Why it must fail, where that is known without telling what a file holds.
    pub(super) fn preview(
        &self,
        call: &ValidatedCall,
        decision: &Decision,
    ) -> Result<Option<Preview>, CallError> {
        let sight = || self.sight(call, decision);
        let preview = crate::execute::preview(call, &self.session.workspace, &sight)?;
        Ok(preview.map(|preview| Preview { display: preview.body, basis: preview.basis }))
    }

    fn sight(&self, call: &ValidatedCall, decision: &Decision) -> Sight {
        let facts = Arc::clone(&self.session.facts) as Arc<dyn FactSource + Send + Sync>;
        Sight::of(Arc::clone(&self.session.policy), call, decision.verdict, &self.facts(), facts)
    }
}

/// What a call has in hand when it begins.
pub(super) struct Prepared {
    pub(super) sandbox: SandboxProfile,
    credentials: Credentials,
    /// What the audit says of the credentials.
    pub(super) used: Vec<CredentialUse>,
    /// Whether the same effect was asked for by an earlier call whose outcome is not known.
    is_repetition: bool,
}

impl Prepared {
    fn without_credentials(sandbox: SandboxProfile) -> Self {
        Self { sandbox, credentials: Credentials::default(), used: Vec::new(), is_repetition: false }
    }
}

/// What is said of credentials that nothing resolves.
fn unresolved(names: Vec<CredentialName>, specs: &[CredentialSpec]) -> Vec<CredentialUse> {
    let source = |name: &CredentialName| {
        specs.iter().find(|spec| spec.name == *name).map_or("none", |spec| spec.source.kind())
    };
    let used = |name| CredentialUse { source: source(&name), name, key: None, expires: None };
    names.into_iter().map(used).collect()
}

/// Whether running the plan starts a program.
pub(super) fn starts_program(plan: &Plan) -> bool {
    match plan {
        Plan::Command(_) | Plan::Mcp(_) => true,
        Plan::Http(_) => false,
        Plan::Builtin { name, .. } => {
            matches!(name, BuiltinName::GitStatus | BuiltinName::GitDiff | BuiltinName::GitLog)
        }
    }
}
