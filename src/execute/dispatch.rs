//! From a reserved call to what it brought back. Running spends the call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::authorize::ReservedCall;
use crate::catalog::{BuiltinName, Digest, Risk, Run};
use crate::code::{CallError, ErrorCode};
use crate::mcp::Progress;
use crate::policy::{Decision, Sight};
use crate::present::{BuiltinOutput, Captured, CommandCapture, McpCapture, McpEnd};
use crate::secret::Credentials;
use crate::telemetry::TraceParent;
use crate::validate::{McpPlan, Plan, ValidatedCall};
use crate::workspace::{Workspace, WorkspacePath};

use super::builtin::git::{GitCommand, LeftOut};
use super::builtin::{self, ApprovedPath, BuiltinContext, Cancel, SightOf, git};
use super::http::{self, Connections, HttpContext, run_http};
use super::process::SignalWatch;
use super::sandbox::holds;
use super::{
    BeyondCap, CancelToken, CommandContext, ParentEnvironment, SandboxProfile, ServerContext, Servers,
    StandIn, run_command,
};

/// Most bytes of a builtin's value.
const LARGEST_VALUE: usize = 8 << 20;

/// What running needs besides the call.
pub struct ExecutionContext<'a> {
    /// Where it works.
    pub workspace: &'a Arc<Workspace>,
    /// The gateway's own environment.
    pub environment: &'a ParentEnvironment,
    /// The sandbox, for a call that starts a program.
    pub sandbox: &'a SandboxProfile,
    /// The credentials it may use.
    pub credentials: &'a Credentials,
    /// Whether to go on.
    pub cancel: &'a CancelToken,
    /// What the call may look into without naming it.
    pub sight: Arc<Sight>,
    /// What the call's command or request stands below in a trace.
    pub traceparent: Option<TraceParent>,
    /// The upstream servers.
    pub servers: &'a Servers,
    /// Who is told how far a call is.
    pub proceeds: &'a dyn Fn(&Progress),
    /// The connections to services.
    pub connections: &'a Connections,
    /// Whether the same effect was asked for by an earlier call whose outcome is not known.
    pub is_repetition: bool,
}

/// A call that ran: it can be read and never run again. Only running makes one.
///
/// ```compile_fail,E0423
/// # fn forged(call: tgw::authorize::ReservedCall) -> tgw::execute::SpentCall {
/// tgw::execute::SpentCall(call)
/// # }
/// ```
///
/// A call whose record is not written cannot be run, and none can be run twice:
///
/// ```compile_fail,E0308
/// # use tgw::{authorize::AuthorizedCall, execute::{ExecutionContext, execute}};
/// # async fn unrecorded(call: AuthorizedCall, context: &ExecutionContext<'_>) {
/// execute(call, context).await;
/// # }
/// ```
///
/// ```compile_fail,E0382
/// # use tgw::{authorize::ReservedCall, execute::{ExecutionContext, execute}};
/// # async fn twice(call: ReservedCall, context: &ExecutionContext<'_>) {
/// execute(call, context).await;
/// execute(call, context).await;
/// # }
/// ```
#[derive(Debug)]
pub struct SpentCall(ReservedCall);

impl SpentCall {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &ValidatedCall {
        self.0.call()
    }

    /// The decision that let it through.
    pub fn decision(&self) -> &Decision {
        self.0.decision()
    }

    /// Whether a person was asked about it, and said yes.
    #[must_use]
    pub fn was_asked(&self) -> bool {
        self.0.was_asked()
    }

    /// The receipt of its intent, where one was written.
    #[must_use]
    pub fn intent(&self) -> Option<Digest> {
        self.0.intent()
    }
}

/// Runs a call under its deadline.
pub async fn execute(call: ReservedCall, context: &ExecutionContext<'_>) -> (Captured, SpentCall) {
    let captured = match call.call().plan() {
        Plan::Builtin {
            name: name @ (BuiltinName::GitStatus | BuiltinName::GitDiff | BuiltinName::GitLog),
            timeout,
        } => Captured::builtin(run_git(*name, call.call().arguments(), *timeout, context).await),
        Plan::Builtin { name, timeout } => {
            Captured::builtin(run_builtin(*name, &call, *timeout, context).await)
        }
        Plan::Mcp(plan) => Captured::mcp(run_mcp(call.call(), plan, context).await),
        Plan::Command(plan) => {
            // A read that prints beyond its cap has nothing more to say; a write must not be cut short.
            let beyond = match call.call().contract().risk {
                Risk::ReadOnly => BeyondCap::End,
                Risk::Write | Risk::External | Risk::Destructive => BeyondCap::Discard,
            };
            let command = CommandContext {
                workspace: context.workspace,
                environment: context.environment,
                cancel: context.cancel,
                beyond_cap: beyond,
                readable: None,
                traceparent: context.traceparent,
            };
            Captured::command(run_command(plan, context.sandbox, context.credentials, &command).await)
        }
        Plan::Http(plan) => {
            let contract = call.call().contract();
            let http = HttpContext {
                workspace: context.workspace,
                credentials: context.credentials,
                cancel: context.cancel,
                connections: context.connections,
                traceparent: context.traceparent,
                files: call.basis(),
                is_repeatable: contract.risk == Risk::ReadOnly || contract.idempotency.retry_is_safe(),
                is_repetition: context.is_repetition,
            };
            Captured::http(run_http(plan, &http).await)
        }
    };
    (captured, SpentCall(call))
}

/// Calls a tool of an upstream server.
async fn run_mcp(call: &ValidatedCall, plan: &McpPlan, context: &ExecutionContext<'_>) -> McpCapture {
    let Run::Mcp(spec) = &call.contract().run else {
        let error = CallError::new(ErrorCode::Internal, "a plan is not that of its contract");
        return McpCapture { end: McpEnd::NotSent(error) };
    };
    let server = ServerContext {
        workspace: context.workspace,
        environment: context.environment,
        cancel: context.cancel,
        logs: context.servers.logs(),
    };
    let traceparent = context.traceparent.map(|traceparent| traceparent.to_string());
    let request = (call.arguments(), traceparent, plan.timeout);
    let (sandbox, credentials) = (context.sandbox, context.credentials);
    context.servers.call(spec, request, sandbox, credentials, &server, context.proceeds).await
}

/// Has something else answer a call in place of its executor, and spends the call.
pub async fn execute_by(call: ReservedCall, stand_in: &dyn StandIn) -> (Captured, SpentCall) {
    let captured = stand_in.run(call.call()).await;
    (captured, SpentCall(call))
}

/// Spends a call to one of the gateway's own tools with the answer that the gateway made.
#[must_use]
pub fn answered(call: ReservedCall, answer: Result<BuiltinOutput, CallError>) -> (Captured, SpentCall) {
    let own = matches!(
        call.call().plan(),
        Plan::Builtin { name: BuiltinName::ReadResult | BuiltinName::SearchTools, .. }
    );
    let answer = if own {
        answer
    } else {
        Err(CallError::new(ErrorCode::Internal, "only the gateway's own tools are answered"))
    };
    (Captured::builtin(answer), SpentCall(call))
}

/// Whether a builtin goes through folders and may take long. It must not hold up the thread that everything runs on, where
/// a cancel would not be heard.
fn walks(name: BuiltinName) -> bool {
    match name {
        BuiltinName::FindFiles
        | BuiltinName::SearchText
        | BuiltinName::DeletePath
        | BuiltinName::MovePath => true,
        BuiltinName::ReadFile
        | BuiltinName::ListDirectory
        | BuiltinName::WriteFile
        | BuiltinName::ReplaceInFile
        | BuiltinName::GitStatus
        | BuiltinName::GitDiff
        | BuiltinName::GitLog
        | BuiltinName::ReadResult
        | BuiltinName::SearchTools => false,
    }
}

async fn run_builtin(
    name: BuiltinName,
    call: &ReservedCall,
    timeout: Duration,
    context: &ExecutionContext<'_>,
) -> Result<BuiltinOutput, CallError> {
    let flag = Arc::new(AtomicBool::new(context.cancel.is_cancelled()));
    let cancel = Cancel::new(Arc::clone(&flag), Instant::now().checked_add(timeout));
    let work = Work {
        name,
        workspace: Arc::clone(context.workspace),
        cancel,
        expected_basis: call.basis(),
        approved: approved_paths(call.call()),
        sight: Arc::clone(&context.sight),
    };
    if !walks(name) {
        return work.run(call.call().arguments());
    }
    let arguments = call.call().arguments().clone();
    let mut work = tokio::task::spawn_blocking(move || work.run(&arguments));
    let ended = tokio::select! {
        ended = &mut work => ended,
        () = context.cancel.cancelled() => {
            flag.store(true, Ordering::Relaxed);
            work.await
        }
    };
    ended.unwrap_or_else(|_| Err(broken_off(call.call().contract().risk)))
}

/// A builtin that ended by a defect of its own: what it was to change may be changed.
fn broken_off(risk: Risk) -> CallError {
    match risk {
        Risk::ReadOnly => CallError::new(ErrorCode::Internal, "the tool ended by a defect of its own"),
        Risk::Write | Risk::External | Risk::Destructive => CallError::new(
            ErrorCode::OutcomeUnknown,
            "the tool ended by a defect of its own; whether its effect happened is not known",
        )
        .with_hint("look at the state of the object before anything else"),
    }
}

/// A builtin about to run, owning all that it needs.
struct Work {
    name: BuiltinName,
    workspace: Arc<Workspace>,
    cancel: Cancel,
    expected_basis: Option<Digest>,
    approved: Vec<ApprovedPath>,
    sight: Arc<Sight>,
}

impl Work {
    fn run(&self, arguments: &Value) -> Result<BuiltinOutput, CallError> {
        let context = BuiltinContext {
            workspace: &self.workspace,
            cancel: &self.cancel,
            max_value_bytes: LARGEST_VALUE,
            expected_basis: self.expected_basis,
            approved: &self.approved,
            sight: &|places| self.sight.covers(places),
        };
        builtin::run(self.name, arguments, &context)
    }
}

/// Where path arguments led when the call was decided: what runs must be led to the same places.
fn approved_paths(call: &ValidatedCall) -> Vec<ApprovedPath> {
    call.paths()
        .iter()
        .map(|(pointer, path)| ApprovedPath {
            argument: pointer.trim_start_matches('/').to_owned(),
            path: path.clone(),
        })
        .collect()
}

/// Runs a git tool: planned as a command, under the same deadline, cap and sandbox as any other.
async fn run_git(
    name: BuiltinName,
    arguments: &Value,
    timeout: Duration,
    context: &ExecutionContext<'_>,
) -> Result<BuiltinOutput, CallError> {
    let began = Instant::now();
    let unwatched = Cancel::default();
    let looking = looking(context.workspace, &unwatched, &|_| true, &[]);
    let sight = |path: &WorkspacePath| context.sight.covers(&[("path", path)]);
    let mut left_out = LeftOut::default();
    let mut command = git::plan(name, arguments, &looking, timeout, &left_out)?;
    let mut capture = run_planned_git(&command, context).await?;
    if name == BuiltinName::GitDiff {
        left_out = git::left_out(&capture, &sight)?;
    }
    if left_out.files > 0 {
        // Asked again rather than cut out of the text: git knows where one file's differences end.
        command = git::plan(name, arguments, &looking, timeout.saturating_sub(began.elapsed()), &left_out)?;
        capture = run_planned_git(&command, context).await?;
    }
    git::interpret(name, &capture, context.workspace, &sight, &left_out)
}

async fn run_planned_git(
    planned: &GitCommand,
    context: &ExecutionContext<'_>,
) -> Result<CommandCapture, CallError> {
    let home = context.environment.home();
    if planned.readable.as_deref().is_some_and(|folder| holds(folder, home.as_deref())) {
        return Err(CallError::new(
            ErrorCode::PermissionDenied,
            "git is not run on this repository: its git directory holds the home folder",
        ));
    }
    let command = CommandContext {
        workspace: context.workspace,
        environment: context.environment,
        cancel: context.cancel,
        beyond_cap: BeyondCap::End,
        readable: planned.readable.as_deref(),
        traceparent: None,
    };
    Ok(run_command(&planned.plan, context.sandbox, &Credentials::default(), &command).await)
}

/// What a write would do, or which files a request would send, for the question that a person is asked; `None` where the
/// tool cannot say.
///
/// # Errors
/// Why it must fail, where a person need not be asked for that.
pub fn preview(
    call: &ValidatedCall,
    workspace: &Workspace,
    sight: &dyn Fn() -> Sight,
) -> Result<Option<builtin::Preview>, CallError> {
    let name = match call.plan() {
        Plan::Builtin { name, .. } => *name,
        Plan::Http(plan) => return http::preview(plan, workspace),
        Plan::Command(_) | Plan::Mcp(_) => return Ok(None),
    };
    let sight = sight();
    let timeout = call.plan().timeout();
    // Looking may take no longer than doing, and holds up the thread on which signals are waited for.
    let stop = Arc::default();
    let _watch = walks(name).then(|| SignalWatch::start(Arc::clone(&stop)));
    let cancel = Cancel::new(stop, Instant::now().checked_add(timeout));
    let approved = approved_paths(call);
    let sight = |places: &[(&str, &WorkspacePath)]| sight.covers(places);
    builtin::preview(name, call.arguments(), &looking(workspace, &cancel, &sight, &approved))
}

/// The context of something that only looks at what a call names.
fn looking<'a>(
    workspace: &'a Workspace,
    cancel: &'a Cancel,
    sight: &'a SightOf<'a>,
    approved: &'a [ApprovedPath],
) -> BuiltinContext<'a> {
    BuiltinContext {
        workspace,
        cancel,
        max_value_bytes: LARGEST_VALUE,
        expected_basis: None,
        approved,
        sight,
    }
}
