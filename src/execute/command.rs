//! Running a planned command: started, fed, read, watched, and ended with everything it started.

mod aftercare;
pub(super) mod opened;
pub(super) mod refusal;
mod running;

use std::path::{Path, PathBuf};

use crate::present::{CommandCapture, CommandEnd};
use crate::secret::Credentials;
use crate::telemetry::TraceParent;
use crate::validate::CommandPlan;
use crate::workspace::Workspace;

use super::process::{CancelToken, CappedReader, ParentEnvironment, find_program};
use super::sandbox::{SandboxProfile, advice, aftermath, refused_by_sandbox};

use aftercare::Aftercare;
use running::{Ended, Running};

/// Whether a command may be ended because it prints more than its cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeyondCap {
    /// It runs to its own end or its deadline and what it prints beyond the cap is dropped, whatever the contract says:
    /// for a command that changes something.
    Discard,
    /// It is ended: for a command whose only use is its output.
    End,
}

/// What a command needs besides its plan.
#[derive(Clone, Copy)]
pub struct CommandContext<'a> {
    /// Where it runs.
    pub workspace: &'a Workspace,
    /// The gateway's own environment.
    pub environment: &'a ParentEnvironment,
    /// Who may stop it.
    pub cancel: &'a CancelToken,
    /// What happens when it prints too much.
    pub beyond_cap: BeyondCap,
    /// A directory outside the workspace that it can read in its sandbox, besides what its profile says.
    pub readable: Option<&'a Path>,
    /// What it stands below in a trace; it finds it as `TRACEPARENT`.
    pub traceparent: Option<TraceParent>,
}

/// Runs a command to its end and returns what it brought back; nothing of it is alive then.
///
/// The end of the direct child decides, whatever it left in the background. At the deadline, at a cancel, and where the
/// output cap ends it, the command is asked to end, and after a short grace everything it started is killed. Dropping
/// the future ends it at once. Needs a tokio runtime with I/O and time.
pub async fn run_command(
    plan: &CommandPlan,
    sandbox: &SandboxProfile,
    credentials: &Credentials,
    context: &CommandContext<'_>,
) -> CommandCapture {
    // Lives longer than the command, whose end comes first also where this future is dropped.
    let aftercare = Aftercare::of(aftermath(sandbox, context.workspace));
    let capture = match Running::start(plan, sandbox, credentials, context, aftercare.planned()) {
        Ok(running) => running.watch(plan, context).await,
        Err(error) => Err(error),
    };
    let (output, stderr, end, undone) = match capture {
        Ok(Ended { output, stderr, end, undone }) => {
            (output.into_bytes(), stderr.map(CappedReader::into_bytes), end, aftercare.complete(undone))
        }
        Err(error) => ((Vec::new(), false), None, CommandEnd::NotStarted(error), aftercare.unneeded()),
    };
    // By these numbers shells and `env` say that a program could not be run, or not be found.
    let advice = matches!(end, CommandEnd::Exited(126 | 127))
        .then(|| advice(sandbox, find(plan, context).as_deref(), context.environment))
        .flatten();
    let (stderr, stderr_cut) = stderr.unwrap_or_default();
    let (output, output_cut) = output;
    let failed = matches!(end, CommandEnd::Exited(status) if status != 0);
    let refused = || refused_by_sandbox(sandbox, [&stderr, &output].map(Vec::as_slice));
    let advice = advice.or_else(|| failed.then(refused).flatten());
    CommandCapture { output, output_cut, stderr, stderr_cut, end, level: sandbox.level(), advice, undone }
}

/// Where the plan's program is.
fn find(plan: &CommandPlan, context: &CommandContext<'_>) -> Option<PathBuf> {
    let written = plan.argv.first()?;
    find_program(&plan.program, written, context.environment, context.workspace.root()).ok()
}

#[cfg(test)]
mod tests;
