//! The pipeline on one screen: the one funnel that every front door leads into.
//!
//! ```text
//! admit   resolve → validate → authorize        what may happen, and can
//! ask     question → answer → consent           where a person must say so
//! run     credentials → reserve → execute       what happens
//!         interpret → present
//! commit  record → receipt → reply              what is said about it
//! ```

mod answer;
mod answers;
mod ask;
mod awaited;
mod begun;
mod budgets;
mod check;
mod commit;
mod conflict;
mod finished;
mod follow;
mod heard;
mod housekeeping;
mod journal;
mod kept;
mod known;
mod ledger;
mod look_up;
mod notify;
mod own_tools;
mod pass;
mod preconditions;
mod probe;
mod pursue;
mod pursued;
mod position;
mod reservation;
mod redeem;
mod run;
mod settle;
mod signed;
mod traced;
mod verify;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::approval::Interaction;
use crate::audit::PendingRecords;
use crate::authorize::{
    Authorization, AuthorizationContext, AuthorizedCall, Consent, HeldCall, PendingCall, authorize,
};
use crate::catalog::{ExecutionMode, Risk};
use crate::code::CallError;
use crate::execute::{Connections, Notifier, Servers, StandIn};
use crate::policy::Decision;
use crate::present::Claim;
use crate::secret::{CredentialCache, Redactor};
use crate::session::Session;
use crate::state::{RandomPool, SqlStore, StoreError, new_owner};
use crate::telemetry::{Phase, Telemetry};
use crate::validate::{CallBindings, Rejected, Timing, ValidatedCall, ValidationContext, validate};
use crate::wire::{CallRequest, Shape};

pub use answers::{RecordedAnswer, asked_question, record_answer, settle_if_enough};
pub use ask::Asked;
pub use check::{Check, Stage};
pub use finished::{Awaited, Finished, Origin};
pub use look_up::LookedUp;
pub use notify::tell_of;
pub use pursue::Pursued;
pub use pursued::EndOfEffect;
pub use redeem::Settled;
pub use settle::settle_effect;
pub use signed::stored_yes;

use finished::Subject;
use follow::Following;
use ledger::Held;
use position::Standing;

/// How long a program that is told of a question may take.
const NOTICE_PATIENCE: Duration = Duration::from_secs(10);

/// Who watches: the display of the command line, or nobody.
pub trait Observer {
    /// A call ended and was answered. What is shown of its arguments goes through the redactor.
    fn finished(&self, finished: &Finished, redactor: &Redactor);
    /// A call still runs.
    fn progress(&self, tool: &str, elapsed: Duration);
    /// A server says how far a call is. `said` is its own text, redacted.
    fn proceeded(&self, _tool: &str, _call: &str, _step: (f64, Option<f64>), _said: Option<&str>) {}
    /// What a call began goes on elsewhere, or came to its end there. `said` is what was last heard of it, redacted.
    fn operation(&self, tool: &str, call: &str, state: &str, said: Option<&str>);
}

/// What is settled about a call before anything runs.
pub enum Admission {
    /// It ends here.
    Finished(Box<Finished>),
    /// A person must be asked.
    Ask(Box<PendingCall>),
    /// Its effect was begun before and is not settled: that must be settled first, which may take time.
    Open(Box<HeldCall>),
    /// It may run.
    Ready {
        /// The call.
        call: Box<AuthorizedCall>,
        /// Whether it may run beside other parallel calls.
        parallel: bool,
    },
}

/// The gateway for one session.
pub struct Gateway<'s> {
    session: &'s Session,
    standing: RefCell<Standing<'s>>,
    store: Result<RefCell<SqlStore>, StoreError>,
    redactor: RefCell<Redactor>,
    /// What programs printed of credentials, as long as it is kept.
    credentials: CredentialCache,
    records: RefCell<PendingRecords>,
    random: RefCell<RandomPool>,
    interaction: Option<Arc<dyn Interaction>>,
    observer: &'s dyn Observer,
    format: Option<Shape>,
    asking: Cell<bool>,
    /// Stored answers that were not believed and are on record as such, by id.
    doubted: RefCell<BTreeSet<String>>,
    /// Calls whose questions are on record, for who waits for the answers; nothing is kept where nobody does.
    awaited: RefCell<Option<Vec<Awaited>>>,
    /// Questions that this run stored, by id: each of its calls has a question of its own.
    asked: RefCell<BTreeSet<String>>,
    /// Whether this run has marked and dropped what ended before it.
    tidied: Cell<bool>,
    /// What tells the person's programs of questions.
    notifier: RefCell<Notifier>,
    /// What this gateway reserves effects under.
    owner: String,
    /// What goes on elsewhere and is followed by this run.
    following: RefCell<Following>,
    /// What is verified later on, by effect, where that rests on what is hidden in the kept value.
    claims: RefCell<BTreeMap<String, Arc<Claim>>>,
    /// Effects that began here and whose outcome is not recorded yet.
    under_way: RefCell<BTreeSet<String>>,
    /// Effects that a look-up of this run could not settle, and that may be tried again.
    looked_up: RefCell<BTreeSet<String>>,
    /// The connections to services that are kept between calls.
    connections: Connections,
    /// What answers calls in place of their executors.
    stand_in: Option<&'s dyn StandIn>,
    /// What is told of its calls outside.
    telemetry: Telemetry,
    /// The upstream servers that it started.
    servers: Servers,
}

impl<'s> Gateway<'s> {
    /// A gateway over a store. Where the store could not be opened, every call is answered `AUDIT_UNAVAILABLE`.
    ///
    /// `format` is the shape of every result line; without one, each call is answered in kind.
    #[must_use]
    pub fn new(
        session: &'s Session,
        store: Result<SqlStore, StoreError>,
        interaction: Option<Arc<dyn Interaction>>,
        observer: &'s dyn Observer,
        format: Option<Shape>,
    ) -> Self {
        Self {
            session,
            standing: RefCell::new(Standing::of(session)),
            store: store.map(RefCell::new),
            redactor: RefCell::new(Redactor::default()),
            credentials: CredentialCache::default(),
            records: RefCell::new(PendingRecords::default()),
            random: RefCell::new(RandomPool::default()),
            interaction,
            observer,
            format,
            asking: Cell::new(false),
            doubted: RefCell::default(),
            awaited: RefCell::default(),
            asked: RefCell::default(),
            tidied: Cell::new(false),
            notifier: RefCell::new(Notifier::new(
                session.environment.clone(),
                session.workspace.root(),
                NOTICE_PATIENCE,
            )),
            owner: new_owner(),
            following: RefCell::default(),
            claims: RefCell::default(),
            under_way: RefCell::default(),
            looked_up: RefCell::default(),
            connections: Connections::default(),
            stand_in: None,
            telemetry: Telemetry::default(),
            servers: Servers::new(session.server_logs.clone()),
        }
    }

    /// The same gateway, with something that answers every call in place of what would run it.
    #[must_use]
    pub fn with_stand_in(mut self, stand_in: &'s dyn StandIn) -> Self {
        self.stand_in = Some(stand_in);
        self
    }

    /// Whether the call names a tool that may run beside others; a cheap answer from the contract alone.
    #[must_use]
    pub fn may_be_parallel(&self, request: &CallRequest) -> bool {
        self.session.catalog.find(&request.name).is_some_and(|contract| {
            contract.risk == Risk::ReadOnly
                && matches!(contract.execution_mode, ExecutionMode::Parallel { .. })
        })
    }

    /// Whether the call is checked against what earlier ones left in the store, which must be there then: their results, or
    /// the effects that they had under stated keys.
    #[must_use]
    pub fn looks_back(&self, request: &CallRequest) -> bool {
        let contract = self.session.catalog.find(&request.name);
        contract.is_some_and(|contract| {
            contract.idempotency.key().is_some()
                || contract.input_schema.compiled().is_ok_and(|compiled| compiled.annotations().looks_back)
        })
    }

    /// Settles everything about a call that comes before running it, at its turn.
    pub fn admit(&self, request: CallRequest, consent: Consent) -> Admission {
        self.admit_at(Timing::Now, request, consent)
    }

    /// Settles a call ahead of its turn, so that a person can be asked about a whole batch at once. What an earlier call
    /// of the batch may yet change counts only when [`Gateway::admit`] settles it again.
    pub fn foresee(&self, request: CallRequest) -> Admission {
        self.admit_at(Timing::Provisional, request, Consent::None)
    }

    fn admitted(&self, timing: Timing, request: CallRequest, consent: Consent) -> Admission {
        let origin = Origin::of_request(&request);
        if let Err(error) = self.catch_up() {
            return self.refused(origin, Subject::None, error);
        }
        let resolved = match self.session.catalog.resolve(request, self.here().scope) {
            Ok(resolved) => resolved,
            Err(unresolved) => {
                let subject = unresolved.contract.map_or(Subject::None, Subject::Contract);
                return self.refused(origin, subject, unresolved.error);
            }
        };
        match self.validating(timing, |context| validate(resolved, context)) {
            Ok(validated) => self.decide(timing, origin, validated, consent),
            Err(rejected) => self.rejected(origin, rejected),
        }
    }

    /// Settles a validated call again, at its turn: what it was checked against may have changed, and where the task is.
    fn readmit(&self, call: ValidatedCall, consent: Consent) -> Admission {
        let origin = Origin::of_call(&call);
        if let Some(error) = self.out_of_place(call.contract()) {
            return self.refused(origin, Subject::Contract(Arc::clone(call.contract())), error);
        }
        let stage = self.telemetry.enter(Phase::Decide).map(|stage| (origin.id.clone(), stage));
        let admission = match self.validating(Timing::Now, |context| call.revalidate(context)) {
            Ok(validated) => self.decide(Timing::Now, origin, validated, consent),
            Err(rejected) => self.rejected(origin, rejected),
        };
        if let Some((id, stage)) = stage {
            self.telemetry.leave(&id, Some(stage));
        }
        admission
    }

    /// Validates with everything that validation may look at.
    fn validating<T>(&self, timing: Timing, validate: impl FnOnce(&ValidationContext<'_>) -> T) -> T {
        let known = |tool: &str, path: &str, value: &serde_json::Value| self.is_known(tool, path, value);
        validate(&ValidationContext {
            workspace: &self.session.workspace,
            principal: &self.session.principal,
            task: self.here().task,
            step: self.here().step,
            known: &known,
            timing,
        })
    }

    fn rejected(&self, origin: Origin, rejected: Box<Rejected>) -> Admission {
        let error = rejected.error.clone();
        self.refused(origin, Subject::Rejected(rejected), error)
    }

    /// Decides a validated call, and looks for a remembered answer where a person would have to be asked.
    fn decide(&self, timing: Timing, origin: Origin, call: ValidatedCall, consent: Consent) -> Admission {
        let unasked = matches!(consent, Consent::None);
        let mut authorization = self.authorize(timing, call, consent);
        match authorization.undenied().map(|call| self.held(call)) {
            None | Some(Ok(Held::Free)) => {}
            Some(known) => return self.hold(origin, authorization, known),
        }
        if unasked && let Authorization::Ask(mut pending) = authorization {
            authorization = match self.remembered(&mut pending) {
                Some(standing) => self.authorize(timing, pending.into_call(), Consent::Standing(standing)),
                None => match self.approved_before(&mut pending) {
                    Some(grant) => self.authorize(timing, pending.into_call(), Consent::Grant(grant)),
                    None => Authorization::Ask(pending),
                },
            };
        }
        match authorization {
            Authorization::Allowed(call) => {
                let parallel = call.call().is_parallel(&self.bindings(call.call()));
                Admission::Ready { call, parallel }
            }
            Authorization::Ask(pending) => Admission::Ask(pending),
            Authorization::Denied(denied) => {
                let error = denied.error().clone();
                self.refused(origin, Subject::Denied(denied), error)
            }
            Authorization::Unmet(unmet) => {
                let error = unmet.error().clone();
                self.refused(origin, Subject::Unmet(unmet), error)
            }
        }
    }

    fn authorize(&self, timing: Timing, call: ValidatedCall, consent: Consent) -> Authorization {
        let preview = |call: &ValidatedCall, decision: &Decision| match (self.preview(call, decision), timing)
        {
            // An earlier call of the batch may yet change what stands in the way.
            (Err(_), Timing::Provisional) => Ok(None),
            (preview, Timing::Provisional | Timing::Now) => preview,
        };
        let facts = self.facts();
        let context = AuthorizationContext {
            policy: &self.session.policy,
            facts: &facts,
            stand: self.moves(),
            workspace: self.session.workspace.root(),
            preview: &preview,
            budgets: &|call| self.weighed(call),
            now: self.session.clock.now(),
        };
        authorize(call, &context, consent)
    }

    /// The variables of a call's own expressions.
    fn bindings<'c>(&'c self, call: &'c ValidatedCall) -> CallBindings<'c> {
        CallBindings {
            arguments: call.arguments(),
            principal: &self.session.principal,
            task: self.here().task,
            step: self.here().step,
            call_id: call.id(),
            workspace: self.session.workspace.root(),
            item: None,
            value: None,
            result: None,
            operation: None,
            exit: None,
            http: None,
            effect_key: call.effect_key(),
        }
    }

    /// Answers what never became a call.
    #[must_use]
    pub fn refuse(&self, origin: Origin, error: CallError) -> Finished {
        Finished::refused(origin, Subject::None, error, &self.redactor.borrow())
    }

    fn refused(&self, origin: Origin, subject: Subject, error: CallError) -> Admission {
        Admission::Finished(Box::new(Finished::refused(origin, subject, error, &self.redactor.borrow())))
    }

    /// Whether there is a person who can be asked.
    #[must_use]
    pub fn can_ask(&self) -> bool {
        self.interaction.is_some()
    }

    /// Says that a call still runs, unless a person is being asked something.
    pub fn display_progress(&self, tool: &str, elapsed: Duration) {
        if !self.asking.get() {
            self.observer.progress(tool, elapsed);
        }
    }
}
