//! The gates of a step: a condition is evaluated, people are asked.

use std::time::Duration;

use sha2::{Digest as _, Sha256};

use crate::approval::{AskedEntrance, Binding, GateOfStep, Grant};
use crate::catalog::{Digest, TaskContext};
use crate::code::ErrorCode;
use crate::ident::StepName;
use crate::policy::{ApprovalDemand, Entrance, FactSource as _};
use crate::session::Here;
use crate::state::SqlStore;

use super::waiting::{Earlier, ask_later, earlier};
use crate::cli::consent::{ConsentTo, consents};
use crate::cli::exit::Failure;
use crate::cli::session::Loaded;
use crate::cli::store::failure;

/// How long a question stands at a terminal where no gate says otherwise.
const STANDS: Duration = Duration::from_secs(60 * 60);

/// A task that is to enter a step.
pub(super) struct Entering<'a> {
    pub(super) loaded: &'a Loaded,
    /// The task, with its data as they are to be.
    pub(super) task: &'a TaskContext,
    /// How often it was changed; 0 for one that is to be started.
    pub(super) revision: u64,
    pub(super) from: Option<&'a StepName>,
    pub(super) to: Option<&'a StepName>,
}

/// What let a task through.
pub(super) enum Passed {
    /// Nobody had to be asked.
    Open,
    /// A person's yes on the spot.
    AtTerminal {
        /// The digest of what was shown.
        question: Digest,
        /// What the yes was for.
        binding: Binding,
    },
    /// Answers to a stored question, to be spent with the change.
    WithAnswers(Box<Grant>),
}

/// Why a task does not enter.
pub(super) struct NotEntered {
    pub(super) code: ErrorCode,
    pub(super) failure: Failure,
    /// Whether a record says so already.
    pub(super) recorded: bool,
}

/// Goes through the gates.
pub(super) fn entered(store: &mut SqlStore, entering: &Entering<'_>) -> Result<Passed, NotEntered> {
    let Some(step) = entering.to else { return Ok(Passed::Open) };
    let session = &entering.loaded.session;
    let here = Here { task: entering.task, step: entering.from, scope: &session.scope };
    match session.policy.entrance(step, &session.facts_at(here)) {
        Entrance::Open => Ok(Passed::Open),
        Entrance::Closed(why) => Err(refused(
            ErrorCode::PermissionDenied,
            why,
            "`tgw task show` shows the task's data; `--data` adds to them",
        )),
        Entrance::Ask(demand) => ask(store, entering, step, &demand),
    }
}

/// With answers that are there already, else with a person's at the terminal where that counts; else people are asked who
/// are not here.
fn ask(
    store: &mut SqlStore,
    entering: &Entering<'_>,
    step: &StepName,
    demand: &ApprovalDemand,
) -> Result<Passed, NotEntered> {
    let session = &entering.loaded.session;
    let gates: Vec<GateOfStep> = session
        .policy
        .gates(step)
        .map(|gate| GateOfStep {
            place: gate.location.to_string(),
            when: gate.when.as_ref().map(|when| when.source().trim().to_owned()),
        })
        .collect();
    let asked = AskedEntrance {
        principal: &session.principal,
        task: entering.task,
        revision: entering.revision,
        from: entering.from,
        to: step,
        policy: policy_digest(entering.loaded),
        facts: session.facts.facts(),
        gates: &gates,
        demand,
    };
    let known = earlier(store, session, &asked).map_err(|error| broken(failure(&error)))?;
    if let Earlier::Yes(grant) = known {
        return Ok(Passed::WithAnswers(grant));
    }
    if demand.quorums.is_empty() {
        let consent =
            ConsentTo { heading: asked.heading(), text: asked.text(), question: asked.ask(), word: "enter" };
        match consents(consent, Some(demand.expires.unwrap_or(STANDS))) {
            Ok(Some(true)) => {
                return Ok(Passed::AtTerminal { question: asked.shown(), binding: asked.binding() });
            }
            Ok(Some(false)) => {
                return Err(refused(
                    ErrorCode::ApprovalDenied,
                    format!("the task was not let into the step `{step}`"),
                    "the task stays where it is",
                ));
            }
            Ok(None) => {}
            Err(failure) => return Err(broken(failure)),
        }
    }
    Err(ask_later(store, session, &asked, known))
}

/// A digest of every file of the policy that is obeyed, in their order.
fn policy_digest(loaded: &Loaded) -> Digest {
    let mut all = Sha256::new();
    for file in &loaded.policies.files {
        all.update(Sha256::digest(file.text.as_bytes()));
    }
    Digest(all.finalize().into())
}

fn broken(failure: Failure) -> NotEntered {
    NotEntered { code: ErrorCode::ApprovalRequired, failure, recorded: false }
}

pub(super) fn refused(code: ErrorCode, message: impl Into<String>, hint: &str) -> NotEntered {
    let failure = Failure { status: code.exit_code(), ..Failure::failed(message) }.with_hint(hint);
    NotEntered { code, failure, recorded: false }
}
