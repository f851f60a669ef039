//! The servers of one gateway: each started once, at the first call that needs it, and again after it was lost.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::catalog::{McpSpec, ServerSpec};
use crate::code::{CallError, ErrorCode};
use crate::execute::{CancelToken, ParentEnvironment, SandboxProfile};
use crate::ident::ServerName;
use crate::mcp::{ListError, Progress, Protocol};
use crate::present::{McpCapture, McpEnd};
use crate::secret::Credentials;
use crate::workspace::Workspace;

use super::calling::{self, Request};
use super::live::Live;
use super::starting::{pumping, start};

/// The longest pause before a server that keeps ending is started again.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The servers that run for one gateway, and where they log to.
#[derive(Default)]
pub struct Servers {
    slots: RefCell<Vec<Rc<Slot>>>,
    logs: Option<PathBuf>,
}

/// The place of one server under one sandbox: a rule may ask for a stricter one than the server has for other calls.
struct Slot {
    name: ServerName,
    profile: SandboxProfile,
    live: RefCell<Option<Rc<Live>>>,
    /// Held by who starts it.
    starting: Mutex<()>,
    losses: Cell<u32>,
    not_before: Cell<Option<Instant>>,
}

/// What a server is started and called with.
pub struct ServerContext<'a> {
    /// Where it works.
    pub workspace: &'a Workspace,
    /// The gateway's own environment.
    pub environment: &'a ParentEnvironment,
    /// Who may stop the call.
    pub cancel: &'a CancelToken,
    /// Where servers log to.
    pub logs: Option<&'a Path>,
}

/// What a server lists.
pub struct Listed {
    /// The version of the protocol that it speaks.
    pub protocol: Protocol,
    /// Its tools, each as it was sent.
    pub tools: Vec<Box<RawValue>>,
}

impl Servers {
    /// No server runs yet. What they say on their standard error goes to files in `logs`.
    #[must_use]
    pub fn new(logs: Option<PathBuf>) -> Self {
        Self { slots: RefCell::default(), logs }
    }

    /// Where servers log to.
    #[must_use]
    pub fn logs(&self) -> Option<&Path> {
        self.logs.as_deref()
    }

    /// Whether a server runs under this sandbox, so that calling it starts nothing.
    #[must_use]
    pub fn is_up(&self, server: &ServerName, profile: &SandboxProfile) -> bool {
        let slots = self.slots.borrow();
        let slot = slots.iter().find(|slot| slot.name == *server && slot.profile == *profile);
        slot.is_some_and(|slot| slot.up().is_some())
    }

    /// Calls a tool of a server, which is started where it does not run.
    ///
    /// A tool that is not the accepted one any more is not called.
    pub(in crate::execute) async fn call(
        &self,
        spec: &McpSpec,
        request: (&serde_json::Value, Option<String>, Duration),
        profile: &SandboxProfile,
        credentials: &Credentials,
        context: &ServerContext<'_>,
        proceeds: &dyn Fn(&Progress),
    ) -> McpCapture {
        let (arguments, traceparent, timeout) = request;
        let end = match self.ready(spec, profile, credentials, context).await {
            Ok((slot, live)) => {
                let arguments = arguments.to_string();
                let request = Request {
                    tool: &spec.tool,
                    arguments: &arguments,
                    traceparent: traceparent.as_deref(),
                    timeout,
                };
                match live.connection() {
                    Some(connection) => {
                        let end = calling::call(&live, connection, &request, context.cancel, proceeds).await;
                        slot.note(&live);
                        end
                    }
                    None => McpEnd::NotSent(CallError::new(ErrorCode::Internal, "the server is being ended")),
                }
            }
            Err(error) => McpEnd::NotSent(error),
        };
        McpCapture { end }
    }

    /// A running server whose tool is the accepted one.
    async fn ready(
        &self,
        spec: &McpSpec,
        profile: &SandboxProfile,
        credentials: &Credentials,
        context: &ServerContext<'_>,
    ) -> Result<(Rc<Slot>, Rc<Live>), CallError> {
        let server = &spec.server;
        let slot = self.slot(&server.name, profile);
        let work = async {
            let remembered = spec.protocol.as_deref().and_then(Protocol::parse);
            // One that ends while it is looked at is started once more.
            for last in [false, true] {
                let live = slot.started(server, remembered, credentials, context).await?;
                if let Some(connection) = live.connection() {
                    connection.catch_up().await;
                }
                match pumping(&live, live.digest_of(&spec.tool)).await {
                    Ok(digest) if digest == Some(spec.pinned) => return Ok((Rc::clone(&slot), live)),
                    Ok(digest) => return Err(changed(spec, digest.is_none())),
                    Err(ListError::Lost(_)) if !last => slot.lose(&live),
                    Err(error) => {
                        slot.lose(&live);
                        return Err(unavailable(server, &error.to_string()));
                    }
                }
            }
            Err(unavailable(server, "it ends as soon as it is asked"))
        };
        tokio::select! {
            biased;
            () = context.cancel.cancelled() => {
                Err(CallError::new(ErrorCode::Cancelled, "the call was stopped before it began"))
            }
            done = timeout(server.start_timeout, work) => done.unwrap_or_else(|_| {
                slot.abandon();
                let within = crate::document::write_duration(server.start_timeout);
                Err(unavailable(server, &format!("it was not ready within {within}")))
            }),
        }
    }

    /// Starts a server and lists its tools, for a person to look at.
    ///
    /// # Errors
    /// Why it cannot be started or does not list them.
    pub async fn list(
        &self,
        server: &ServerSpec,
        profile: &SandboxProfile,
        credentials: &Credentials,
        context: &ServerContext<'_>,
    ) -> Result<Listed, CallError> {
        let work = async {
            let live = start(server, None, profile, credentials, context).await?;
            let listed = pumping(&live, live.list()).await;
            let tools = listed.map_err(|error| unavailable(server, &error.to_string()))?;
            let protocol = live.connection().map(|connection| connection.protocol());
            let protocol = protocol.ok_or_else(|| unavailable(server, "it is being ended"))?;
            Ok(Listed { protocol, tools })
        };
        tokio::select! {
            biased;
            () = context.cancel.cancelled() => {
                Err(CallError::new(ErrorCode::Cancelled, "it was stopped before it began"))
            }
            done = timeout(server.start_timeout, work) => done.unwrap_or_else(|_| {
                let within = crate::document::write_duration(server.start_timeout);
                Err(unavailable(server, &format!("it was not ready within {within}")))
            }),
        }
    }

    /// Ends every server: told by the end of its input, then asked, then killed.
    pub fn close(&self) {
        let slots = self.slots.take();
        let ending: Vec<Rc<Live>> = slots.iter().filter_map(|slot| slot.live.take()).collect();
        // All are told before the first is waited for.
        let mut ending: Vec<Live> = ending.into_iter().filter_map(Rc::into_inner).collect();
        ending.iter_mut().for_each(Live::hang_up);
    }

    fn slot(&self, name: &ServerName, profile: &SandboxProfile) -> Rc<Slot> {
        let mut slots = self.slots.borrow_mut();
        if let Some(slot) = slots.iter().find(|slot| slot.name == *name && slot.profile == *profile) {
            return Rc::clone(slot);
        }
        let slot = Rc::new(Slot {
            name: name.clone(),
            profile: profile.clone(),
            live: RefCell::default(),
            starting: Mutex::default(),
            losses: Cell::new(0),
            not_before: Cell::new(None),
        });
        slots.push(Rc::clone(&slot));
        slot
    }
}

impl Slot {
    fn up(&self) -> Option<Rc<Live>> {
        self.live.borrow().as_ref().filter(|live| live.is_up()).map(Rc::clone)
    }

    /// The running server; started by one caller while the others wait.
    async fn started(
        &self,
        server: &ServerSpec,
        remembered: Option<Protocol>,
        credentials: &Credentials,
        context: &ServerContext<'_>,
    ) -> Result<Rc<Live>, CallError> {
        if let Some(live) = self.up() {
            return Ok(live);
        }
        let _turn = self.starting.lock().await;
        if let Some(live) = self.up() {
            return Ok(live);
        }
        let was = self.live.borrow().as_ref().map(Rc::clone);
        if let Some(was) = was {
            self.lose(&was);
        }
        if let Some(wait) = self.not_before.get().and_then(|when| when.checked_duration_since(Instant::now()))
        {
            let wait = crate::document::write_duration(Duration::from_secs(wait.as_secs().saturating_add(1)));
            return Err(unavailable(
                server,
                &format!("it keeps ending, and is started again in {wait} at the earliest"),
            ));
        }
        if server.credentials.iter().any(|(_, name)| credentials.get(name).is_none()) {
            // It ran when the call was prepared, so that they were not resolved.
            return Err(unavailable(server, "it ended before the call was sent"));
        }
        match start(server, remembered, &self.profile, credentials, context).await {
            Ok(live) => {
                let live = Rc::new(live);
                *self.live.borrow_mut() = Some(Rc::clone(&live));
                Ok(live)
            }
            Err(error) => {
                self.count_loss();
                Err(error)
            }
        }
    }

    /// After a call: one that answered is well, one that was lost is not called again.
    fn note(&self, live: &Rc<Live>) {
        if live.is_up() {
            self.losses.set(0);
            self.not_before.set(None);
        } else {
            self.lose(live);
        }
    }

    /// Drops a server that cannot be asked any more, once.
    fn lose(&self, live: &Rc<Live>) {
        live.give_up();
        let mut current = self.live.borrow_mut();
        // All calls that were under way come here.
        if current.as_ref().is_some_and(|current| Rc::ptr_eq(current, live)) {
            let ended = current.take();
            drop(current);
            drop(ended);
            self.count_loss();
        }
    }

    /// One that did not get ready in time.
    fn abandon(&self) {
        if let Some(live) = self.live.take() {
            live.give_up();
        }
        self.count_loss();
    }

    /// The first loss costs no pause; from then on each doubles it.
    fn count_loss(&self) {
        let losses = self.losses.get().saturating_add(1);
        self.losses.set(losses);
        let pause = match losses {
            0 | 1 => Duration::ZERO,
            more => Duration::from_millis(500).saturating_mul(1 << more.min(10)).min(LONGEST_PAUSE),
        };
        self.not_before.set(Instant::now().checked_add(pause));
    }
}

fn unavailable(server: &ServerSpec, why: &str) -> CallError {
    CallError::new(
        ErrorCode::BackendUnavailable,
        format!("the server `{}` cannot be called: {why}", server.name),
    )
    .with_hint(format!(
        "a person finds what it said in its log, `mcp/{}.log` in the folder of the state",
        server.name
    ))
}

fn changed(spec: &McpSpec, gone: bool) -> CallError {
    let what =
        if gone { "does not list it any more, or not as a tool" } else { "describes it otherwise now" };
    let (tool, server) = (spec.tool.escape_debug(), &spec.server.name);
    CallError::new(
        ErrorCode::ContractChanged,
        format!("the tool `{tool}` is not the one that was accepted: the server `{server}` {what}"),
    )
    .with_hint(format!("a person can look at what changed and accept it with `tgw lock {server}`"))
}
