//! Starting a server and greeting it, in the older way too where it dies of the newer one.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::pipe::{PipeFlags, pipe_with};
use tokio::net::unix::pipe::{Receiver, Sender};

use crate::catalog::ServerSpec;
use crate::code::{CallError, ErrorCode};
use crate::execute::command::opened::{Launch, working_directory};
use crate::execute::command::refusal::{no_resources, no_sandbox, not_started};
use crate::execute::process::spawn::Start;
use crate::execute::process::{Child, ChildEnvironment, Control, find_program, next_tag, tree};
use crate::execute::sandbox::launcher::Report;
use crate::execute::sandbox::{SandboxProfile, aftermath, holds, specification};
use crate::mcp::{Client, Greeting, Protocol, Refused, greet, initialize};
use crate::secret::{Credentials, Redactor};

use super::ServerContext;
use super::command::command;
use super::live::{Live, in_words};
use super::log::Log;

/// How long the end of a server that closed its output is waited for, to say why.
const SAYS_WHY: Duration = Duration::from_millis(200);

/// Starts a server and greets it.
///
/// # Errors
/// Why it cannot be called; nothing of it is alive then.
pub(super) async fn start(
    spec: &ServerSpec,
    remembered: Option<Protocol>,
    profile: &SandboxProfile,
    credentials: &Credentials,
    context: &ServerContext<'_>,
) -> Result<Live, CallError> {
    let ways = match remembered {
        None => [Way::Ask, Way::Initialize],
        Some(protocol) if protocol.has_handshake() => [Way::Initialize, Way::Ask],
        Some(protocol) => [Way::Remember(protocol), Way::Initialize],
    };
    let mut failure = None;
    for way in ways {
        let live = spawn(spec, profile, credentials, context)?;
        let refused = match greeted(&live, way, spec.probe_timeout).await {
            Ok(()) => return Ok(live),
            Err(refused) => refused,
        };
        let end = ended(&live).await;
        live.give_up();
        // What cannot be started at all cannot be started another way.
        if let Some(report @ (Report::NoProgram(_) | Report::NoSandbox(_))) = end {
            return Err(unstartable(report, spec));
        }
        // It may have died of a question that it does not know, or speak another version than it did.
        tracing::debug!(server = %spec.name, %refused, "a server could not be greeted this way");
        failure = Some(failed(spec, &refused, end));
    }
    Err(failure.unwrap_or_else(|| CallError::new(ErrorCode::Internal, "a server was not greeted at all")))
}

/// How a server is greeted.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// Asked in the newest way, then in the older one.
    Ask,
    /// Taken at the word of an earlier time.
    Remember(Protocol),
    /// In the older way alone.
    Initialize,
}

async fn greeted(live: &Live, way: Way, patience: Duration) -> Result<(), Refused> {
    let Some(connection) = live.connection() else { return Err(Refused::Strange) };
    let greeting = async {
        match way {
            Way::Ask => greet(connection, None, patience).await,
            Way::Remember(protocol) => greet(connection, Some(protocol), patience).await,
            Way::Initialize => initialize(connection).await,
        }
    };
    if let Greeting::Remembered(_) = pumping(live, greeting).await?
        && pumping(live, live.digest_of("")).await.is_err()
    {
        return Err(Refused::Version);
    }
    Ok(())
}

/// Waits for something of a server while its log is read, so that it never waits for us.
pub(super) async fn pumping<T>(live: &Live, work: impl Future<Output = T>) -> T {
    tokio::pin!(work);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = live.log.pump() => {}
        }
    }
}

/// How a server ended that is at its end or about to be.
async fn ended(live: &Live) -> Option<Report> {
    let _slow = tokio::time::timeout(SAYS_WHY, pumping(live, live.child.ended())).await;
    live.end()
}

fn unstartable(report: Report, spec: &ServerSpec) -> CallError {
    match report {
        Report::NoProgram(error) => {
            let written = spec.argv.first().map_or("", String::as_str);
            not_started(&io::Error::from_raw_os_error(error), written)
        }
        Report::NoSandbox(detail) => no_sandbox(&detail),
        other => CallError::new(ErrorCode::BackendUnavailable, in_words(Some(other))),
    }
}

fn failed(spec: &ServerSpec, refused: &Refused, end: Option<Report>) -> CallError {
    let why = match (end, refused) {
        (Some(report @ (Report::NoProgram(_) | Report::NoSandbox(_))), _) => {
            return unstartable(report, spec);
        }
        (Some(report), _) => in_words(Some(report)),
        (None, refused) => refused.to_string(),
    };
    CallError::new(ErrorCode::BackendUnavailable, format!("the server `{}` did not start: {why}", spec.name))
        .with_hint(format!(
            "a person finds what it said in its log, `mcp/{}.log` in the folder of the state",
            spec.name
        ))
}

/// Starts the process of a server under its supervisor, which outlives the gateway by as long as ending it takes.
fn spawn(
    spec: &ServerSpec,
    profile: &SandboxProfile,
    credentials: &Credentials,
    context: &ServerContext<'_>,
) -> Result<Live, CallError> {
    let plan = command(spec);
    let written = plan.argv.first().map_or("", String::as_str);
    let workspace = context.workspace;
    let program = find_program(&plan.program, written, context.environment, workspace.root())?;
    let mut environment = ChildEnvironment::of(&plan, context.environment, credentials, None)?;
    let tag = next_tag();
    environment.set(tree::TAG_VARIABLE, tree::tag_text(tag).as_bytes());
    let directory = working_directory(workspace, &plan.cwd)?;
    let left = aftermath(profile, workspace);
    let mut specification =
        specification(profile, &program, &plan.argv, workspace, context.environment, &mut environment, left)?;
    specification.readable.extend(installed(spec, context)?);
    let (launch, control, report) =
        Launch::open(specification).map_err(|error| no_sandbox(&error.to_string()))?;
    let mut redactor = Redactor::default();
    credentials.values().for_each(|(used, value)| redactor.add(used.name.as_str(), value));
    let start = || -> io::Result<Live> {
        let (stdin, input) = pipe_with(PipeFlags::CLOEXEC)?;
        let (output, stdout) = pipe_with(PipeFlags::CLOEXEC)?;
        let (errors, stderr) = pipe_with(PipeFlags::CLOEXEC)?;
        for ours in [&input, &output, &errors] {
            nonblocking(ours)?;
        }
        let start = Start {
            program: c"/proc/self/exe",
            argv: &launch.argv,
            environment: &environment.strings(),
            directory: directory.as_fd(),
            descriptors: &launch.descriptors([stdin.as_fd(), stdout.as_fd(), stderr.as_fd()]),
        };
        let log = Log::open(errors, context.logs, spec.name.as_str(), std::mem::take(&mut redactor))?;
        let (input, output) =
            (Sender::from_owned_fd_unchecked(input)?, Receiver::from_owned_fd_unchecked(output)?);
        let child = Child::start_apart(&start, tag, Control::Supervisor(Some(control)))?;
        Ok(Live::new(Client::new(output, input, spec.max_message_bytes), child, log, report))
    };
    strings(&spec.argv)?;
    start().map_err(|error| no_resources(&error))
}

/// The folders that a server is installed in. None of them may open the home folder as a whole.
fn installed(spec: &ServerSpec, context: &ServerContext<'_>) -> Result<Vec<PathBuf>, CallError> {
    let home = context.environment.home();
    let real = |folder: &PathBuf| {
        let refused = |why: &str| {
            let message = format!("`installed_in` of the server `{}` names a folder that {why}", spec.name);
            CallError::new(ErrorCode::SandboxUnavailable, message)
        };
        let real = folder.canonicalize().map_err(|_| refused("does not exist"))?;
        let wide = holds(&real, home.as_deref()) || context.workspace.root().starts_with(&real);
        if wide { Err(refused("holds the home folder or the workspace")) } else { Ok(real) }
    };
    spec.installed_in.iter().map(real).collect()
}

/// Refused here, since a supervisor could only say that it cannot start.
fn strings(argv: &[String]) -> Result<(), CallError> {
    let broken = argv.iter().any(|word| CString::new(word.as_str()).is_err());
    if broken {
        Err(CallError::new(ErrorCode::Internal, "a server's argument holds a NUL character"))
    } else {
        Ok(())
    }
}

fn nonblocking(pipe: &OwnedFd) -> io::Result<()> {
    Ok(fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?)
}
