//! Running a planned command: started, fed, read, watched, and ended with everything it started.

mod opened;
mod refusal;
mod running;

use crate::present::{CommandCapture, CommandEnd};
use crate::secret::Credentials;
use crate::validate::CommandPlan;
use crate::workspace::Workspace;

use super::process::{CancelToken, CappedReader, ParentEnvironment};
use super::sandbox::SandboxProfile;

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
    let capture = match Running::start(plan, sandbox, credentials, context) {
        Ok(running) => running.watch(plan, context).await,
        Err(error) => Err(error),
    };
    let (output, stderr, end) = match capture {
        Ok(Ended { output, stderr, end }) => (output.into_bytes(), stderr.map(CappedReader::into_bytes), end),
        Err(error) => ((Vec::new(), false), None, CommandEnd::NotStarted(error)),
    };
    let (stderr, stderr_cut) = stderr.unwrap_or_default();
    CommandCapture { output: output.0, output_cut: output.1, stderr, stderr_cut, end, level: sandbox.level() }
}

#[cfg(test)]
mod tests;
