//! Programs that print a credential, run on the person's own word: with their environment, and without a sandbox.

use std::path::Path;

use zeroize::Zeroizing;

use crate::catalog::{OutputFormat, Overflow, Streams};
use crate::present::{CommandCapture, CommandEnd};
use crate::secret::{CommandFailure, CommandLimits, CommandSource, Credentials};
use crate::validate::{CommandPlan, ProgramSource, StdinPlan};
use crate::workspace::Workspace;

use super::{BeyondCap, CancelToken, CommandContext, ParentEnvironment, SandboxProfile, run_command};

/// Runs credential commands through the one executor of commands.
pub struct CredentialCommands<'a> {
    /// Where they run.
    pub workspace: &'a Workspace,
    /// The gateway's own environment, all of which they get: a credential helper is the person's own program.
    pub environment: &'a ParentEnvironment,
}

impl CommandSource for CredentialCommands<'_> {
    async fn run(
        &self,
        argv: &[String],
        limits: CommandLimits,
    ) -> Result<Zeroizing<Vec<u8>>, CommandFailure> {
        let Some(program) = argv.first() else { return Err(CommandFailure::NotStarted) };
        let plan = CommandPlan {
            program: ProgramSource::written(program, Path::new("")),
            argv: argv.to_vec(),
            cwd: String::new(),
            env: Vec::new(),
            pass_env: self.environment.names().collect(),
            credentials: Vec::new(),
            stdin: StdinPlan::Empty,
            output: OutputFormat::Text,
            streams: Streams::Stdout,
            max_output_bytes: limits.output,
            on_overflow: Overflow::Fail,
            timeout: limits.timeout,
        };
        let cancel = CancelToken::default();
        let context = CommandContext {
            workspace: self.workspace,
            environment: self.environment,
            cancel: &cancel,
            beyond_cap: BeyondCap::End,
            readable: None,
            traceparent: None,
        };
        let CommandCapture { output, end, .. } =
            run_command(&plan, &SandboxProfile::none(), &Credentials::default(), &context).await;
        let output = Zeroizing::new(output);
        match end {
            CommandEnd::Exited(0) => Ok(output),
            CommandEnd::Exited(_)
            | CommandEnd::Signalled(_)
            | CommandEnd::Outlived
            | CommandEnd::Cancelled => Err(CommandFailure::Failed),
            CommandEnd::TimedOut => Err(CommandFailure::TimedOut),
            CommandEnd::Overflowed | CommandEnd::Truncated => Err(CommandFailure::TooLong),
            CommandEnd::NotStarted(_) => Err(CommandFailure::NotStarted),
        }
    }
}
