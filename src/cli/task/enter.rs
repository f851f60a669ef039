//! The gates of a step: a condition is evaluated, a person is asked on the terminal.

use std::time::Duration;

use sha2::{Digest as _, Sha256};

use crate::catalog::{Digest, TaskContext};
use crate::code::ErrorCode;
use crate::ident::StepName;
use crate::policy::{ApprovalTerms, Entrance};
use crate::session::Here;
use crate::text::escape_line;

use super::step_text;
use crate::cli::consent::{ConsentTo, consents};
use crate::cli::exit::Failure;
use crate::cli::session::Loaded;
use crate::cli::table;

/// How long a question stands where no gate says otherwise.
const STANDS: Duration = Duration::from_secs(60 * 60);

/// A task that is to enter a step.
pub(super) struct Entering<'a> {
    pub(super) loaded: &'a Loaded,
    /// The task, with its data as they are to be.
    pub(super) task: &'a TaskContext,
    pub(super) from: Option<&'a StepName>,
    pub(super) to: Option<&'a StepName>,
}

/// Why a task does not enter.
pub(super) struct NotEntered {
    pub(super) code: ErrorCode,
    pub(super) failure: Failure,
}

/// Goes through the gates; where a person was asked, the digest of what was shown.
pub(super) fn entered(entering: &Entering<'_>) -> Result<Option<Digest>, NotEntered> {
    let Some(step) = entering.to else { return Ok(None) };
    let session = &entering.loaded.session;
    let here = Here { task: entering.task, step: entering.from, scope: &session.scope };
    match session.policy.entrance(step, &session.facts_at(here)) {
        Entrance::Open => Ok(None),
        Entrance::Closed(why) => Err(refused(
            ErrorCode::PermissionDenied,
            why,
            "`tgw task show` shows the task's data; `--data` adds to them",
        )),
        Entrance::Ask(terms) if terms.needs_signed_answer() => Err(refused(
            ErrorCode::ApprovalRequired,
            format!("the step `{step}` is entered with answers signed by approvers only"),
            "signed answers to a gate cannot be given yet; a person can change the gate in the policy",
        )),
        Entrance::Ask(terms) => ask(entering, step, &terms),
    }
}

fn ask(
    entering: &Entering<'_>,
    step: &StepName,
    terms: &ApprovalTerms,
) -> Result<Option<Digest>, NotEntered> {
    let task = entering.task;
    let data = serde_json::to_string_pretty(&task.data).unwrap_or_default();
    let text = table::visible(&format!(
        "from      {}\nto        {step}\nprompt    {}\ndata      {data}\n{}",
        step_text(entering.from),
        task.prompt.as_deref().unwrap_or("none"),
        gates(entering, step),
    ));
    let heading = format!("--- task {} asks to enter the step {step}", escape_line(task.id.as_str()));
    let question = "---\nThe step decides which tools the agent sees. May the task enter it?".to_owned();
    let shown = Digest(Sha256::digest(format!("{heading}\n{text}\n{question}")).into());
    let consent = ConsentTo { heading, text, question, word: "enter" };
    let stands = Some(terms.expires.unwrap_or(STANDS));
    match consents(consent, stands) {
        Ok(Some(true)) => Ok(Some(shown)),
        Ok(Some(false)) => Err(refused(
            ErrorCode::ApprovalDenied,
            format!("the task was not let into the step `{step}`"),
            "the task stays where it is",
        )),
        Ok(None) => Err(refused(
            ErrorCode::ApprovalRequired,
            format!("the step `{step}` is entered with a person's yes, and there is no terminal to ask on"),
            "run the same command in a terminal",
        )),
        Err(failure) => Err(NotEntered { code: ErrorCode::ApprovalRequired, failure }),
    }
}

fn gates(entering: &Entering<'_>, step: &StepName) -> String {
    let gate = |gate: &crate::policy::Gate| format!("gate      {}\n", gate.location);
    entering.loaded.session.policy.gates(step).map(gate).collect()
}

fn refused(code: ErrorCode, message: impl Into<String>, hint: &str) -> NotEntered {
    let failure = Failure { status: code.exit_code(), ..Failure::failed(message) }.with_hint(hint);
    NotEntered { code, failure }
}
