//! A command from its start to the end of its tree.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::catalog::Overflow;
use crate::code::{CallError, ErrorCode};
use crate::execute::process::spawn::Start;
use crate::execute::process::{
    CappedReader, Child, ChildEnd, ChildEnvironment, Control, Feeder, buffer, find_program, janitor,
    next_tag, tree,
};
use crate::execute::sandbox::launcher::{self, Aftermath, Report};
use crate::execute::sandbox::{SandboxProfile, advice, specification};
use crate::present::CommandEnd;
use crate::secret::Credentials;
use crate::validate::CommandPlan;
use crate::workspace::Undone;

use super::opened::{ChildStreams, Launch, working_directory};
use super::refusal::{explained, no_sandbox, not_started, nul};
use super::{BeyondCap, CommandContext};

/// How long a command that was asked to end has, before its tree is killed.
const GRACE: Duration = Duration::from_millis(200);

/// How long a supervisor has to kill a tree, before it is killed itself and the gateway does it.
const SUPERVISOR_GRACE: Duration = Duration::from_secs(3);

/// How long a pipe that another process still holds is read after the command has ended.
const DRAIN: Duration = Duration::from_millis(50);

/// A command under way.
pub(super) struct Running {
    child: Child,
    output: CappedReader,
    stderr: Option<CappedReader>,
    stdin: Feeder,
    /// Where a launcher says how the command ended.
    report: Option<OwnedFd>,
    sandbox: SandboxProfile,
}

/// A command that has ended, with all its tree.
pub(super) struct Ended {
    pub(super) output: CappedReader,
    pub(super) stderr: Option<CappedReader>,
    pub(super) end: CommandEnd,
    /// What its launcher undid of it; `None` where none did.
    pub(super) undone: Option<Undone>,
}

/// Why the gateway ends a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Deadline,
    Cancel,
    Overflow,
}

/// What the gateway does next to a command that it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escalation {
    Kill,
    EndTree,
}

impl Running {
    /// Starts a command.
    ///
    /// # Errors
    /// What keeps it from starting; nothing runs then.
    pub(super) fn start(
        plan: &CommandPlan,
        sandbox: &SandboxProfile,
        credentials: &Credentials,
        context: &CommandContext<'_>,
        aftermath: Option<&Aftermath>,
    ) -> Result<Self, CallError> {
        if context.cancel.is_cancelled() {
            return Err(CallError::new(ErrorCode::Cancelled, "the call was stopped before it began"));
        }
        let written = plan.argv.first().map_or("", String::as_str);
        let program = find_program(&plan.program, written, context.environment, context.workspace.root())?;
        let mut environment =
            ChildEnvironment::of(plan, context.environment, credentials, context.traceparent)?;
        let tag = next_tag();
        environment.set(tree::TAG_VARIABLE, tree::tag_text(tag).as_bytes());
        let directory = working_directory(context.workspace, &plan.cwd)?;
        let streams = ChildStreams::open(plan, credentials)?;
        let standard = [streams.stdin.as_fd(), streams.stdout.as_fd(), streams.stderr.as_fd()];

        let (child, report) = if sandbox.is_bare() {
            janitor::ensure_started();
            let argv = strings(&plan.argv)?;
            let start = Start {
                program: &CString::new(program.into_os_string().into_encoded_bytes()).map_err(nul)?,
                argv: &argv,
                environment: &environment.strings(),
                directory: directory.as_fd(),
                descriptors: &standard,
            };
            let child = Child::start(&start, tag, Control::Signals);
            (child.map_err(|error| not_started(&error, written))?, None)
        } else {
            // Refused here, since a launcher could only say that it cannot start.
            strings(&plan.argv)?;
            let mut specification = specification(
                sandbox,
                &program,
                &plan.argv,
                context.workspace,
                context.environment,
                &mut environment,
                aftermath.cloned(),
            )?;
            specification.readable.extend(context.readable.map(Path::to_owned));
            let (launch, control, report) =
                Launch::open(specification).map_err(|error| no_sandbox(&error.to_string()))?;
            let start = Start {
                program: c"/proc/self/exe",
                argv: &launch.argv,
                environment: &environment.strings(),
                directory: directory.as_fd(),
                descriptors: &launch.descriptors(standard),
            };
            let child = Child::start(&start, tag, Control::Supervisor(Some(control)));
            (child.map_err(|error| no_sandbox(&error.to_string()))?, Some(report))
        };
        // The child's ends close here, with `streams`: their only holders are the child and what it starts.
        Ok(Self {
            child,
            output: streams.output,
            stderr: streams.errors,
            stdin: streams.feeder,
            report,
            sandbox: sandbox.clone(),
        })
    }

    /// Watches the command to its end.
    pub(super) async fn watch(
        mut self,
        plan: &CommandPlan,
        context: &CommandContext<'_>,
    ) -> Result<Ended, CallError> {
        let deadline = Instant::now() + plan.timeout;
        let mut buffer = buffer();
        let mut errors_buffer = self.stderr.as_ref().map_or_else(Vec::new, |_| buffer.clone());
        let mut stop: Option<Stop> = None;
        let mut next: Option<(Escalation, Instant)> = None;
        let mut ended: Option<io::Result<ChildEnd>> = None;
        let mut drained = deadline;
        loop {
            if ended.is_some()
                && !self.output.is_open()
                && !self.stderr.as_ref().is_some_and(CappedReader::is_open)
            {
                break;
            }
            let wanted = tokio::select! {
                biased;
                end = self.child.ended(), if ended.is_none() => {
                    ended = Some(end);
                    drained = Instant::now() + DRAIN;
                    None
                }
                () = sleep_until(drained), if ended.is_some() => break,
                () = context.cancel.cancelled(), if stop.is_none() && ended.is_none() => Some(Stop::Cancel),
                () = sleep_until(deadline), if stop.is_none() && ended.is_none() => Some(Stop::Deadline),
                () = sleep_until(at(next, deadline)), if next.is_some() && ended.is_none() => {
                    next = self.escalate(next);
                    None
                }
                () = read(self.stderr.as_mut(), &mut errors_buffer) => None,
                () = read(Some(&mut self.output), &mut buffer) => {
                    let ends = context.beyond_cap == BeyondCap::End && self.output.is_cut();
                    ends.then_some(Stop::Overflow)
                }
                () = self.stdin.write(), if self.stdin.is_open() => None,
            };
            if stop.is_none() && ended.is_none() && wanted.is_some() {
                stop = wanted;
                self.child.terminate();
                next = Some((Escalation::Kill, Instant::now() + GRACE));
            }
        }
        let mut survivors = self.child.finish();
        // Whoever held a pipe is gone; what they had written is still in it.
        self.output.drain(&mut buffer);
        if let Some(stderr) = &mut self.stderr {
            stderr.drain(&mut buffer);
        }
        let report = self.report.take().map(launcher::read_report);
        // What a launcher could not end has come to the gateway since, which may have fared better; the look at what the
        // command made was earlier.
        survivors |= report.as_ref().is_some_and(|reported| reported.survivors);
        let (report, undone) = report.map_or((None, None), |reported| (Some(reported.end), reported.undone));
        let report = report.map(|report| {
            let said = self.stderr.as_ref().unwrap_or(&self.output).as_bytes();
            explained(report, &String::from_utf8_lossy(said))
        });
        let end = natural_end(ended, report, plan).map_err(|error| self.advised(error, plan, context))?;
        let failed = self.output.is_cut()
            && context.beyond_cap == BeyondCap::End
            && plan.on_overflow == Overflow::Fail;
        let end = match stop {
            _ if survivors => CommandEnd::Outlived,
            Some(Stop::Deadline) => CommandEnd::TimedOut,
            Some(Stop::Cancel) => CommandEnd::Cancelled,
            Some(Stop::Overflow) | None if failed => CommandEnd::Overflowed,
            Some(Stop::Overflow) => CommandEnd::Truncated,
            None => end,
        };
        Ok(Ended { output: self.output, stderr: self.stderr, end, undone })
    }

    /// Adds what is known about the reason, where the command's program could not be started in its sandbox.
    fn advised(&self, error: CallError, plan: &CommandPlan, context: &CommandContext<'_>) -> CallError {
        let found = super::find(plan, context);
        match advice(&self.sandbox, found.as_deref(), context.environment) {
            Some(advice) if error.code == ErrorCode::BackendUnavailable => error.with_hint(advice),
            _ => error,
        }
    }

    /// Takes the next step against a command that did not end when asked.
    fn escalate(&mut self, step: Option<(Escalation, Instant)>) -> Option<(Escalation, Instant)> {
        match step? {
            (Escalation::Kill, _) => {
                self.child.kill();
                Some((Escalation::EndTree, Instant::now() + SUPERVISOR_GRACE))
            }
            (Escalation::EndTree, _) => {
                self.child.end_tree();
                None
            }
        }
    }
}

fn at(step: Option<(Escalation, Instant)>, otherwise: Instant) -> Instant {
    step.map_or(otherwise, |(_, when)| when)
}

/// Reads a pipe that is open; never returns for one that is not.
async fn read(pipe: Option<&mut CappedReader>, buffer: &mut [u8]) {
    match pipe.filter(|pipe| pipe.is_open()) {
        Some(pipe) => pipe.read(buffer).await,
        None => std::future::pending().await,
    }
}

/// How a command ended that the gateway did not end, from its direct child or from its launcher's report.
fn natural_end(
    ended: Option<io::Result<ChildEnd>>,
    report: Option<Option<Report>>,
    plan: &CommandPlan,
) -> Result<CommandEnd, CallError> {
    let killed = CommandEnd::Signalled(libc::SIGKILL);
    let Some(report) = report else {
        return Ok(match ended {
            Some(Ok(ChildEnd::Exited(status))) => CommandEnd::Exited(status),
            Some(Ok(ChildEnd::Signalled(signal))) => CommandEnd::Signalled(signal),
            Some(Err(_)) | None => killed,
        });
    };
    match report {
        Some(Report::Exited(status)) => Ok(CommandEnd::Exited(status)),
        Some(Report::Signalled(signal)) => Ok(CommandEnd::Signalled(signal)),
        Some(Report::NoSandbox(detail)) => Err(no_sandbox(&detail)),
        Some(Report::NoProgram(error)) => {
            let written = plan.argv.first().map_or("", String::as_str);
            Err(not_started(&io::Error::from_raw_os_error(error), written))
        }
        // A launcher that says nothing was killed, and so was its command.
        Some(Report::TooManyProcesses) | None => Ok(killed),
    }
}

fn strings(texts: &[String]) -> Result<Vec<CString>, CallError> {
    texts.iter().map(|text| CString::new(text.as_str()).map_err(nul)).collect()
}
