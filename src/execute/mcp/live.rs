//! One running server: its process tree, its connection, and what it listed.

use std::cell::Cell;
use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::Mutex;

use crate::catalog::{Digest, LockedTool};
use crate::execute::command::refusal::explained;
use crate::execute::process::Child;
use crate::execute::sandbox::launcher::{self, Report};
use crate::mcp::{Client, ListError, ListLimits, list_tools};

use super::log::Log;

/// How long a server whose input was closed may take to end by itself, before it is asked to.
const HANGS_UP: Duration = Duration::from_millis(500);

/// How long it then may take, before it is killed.
const TERMINATES: Duration = Duration::from_millis(300);

/// How long a server that was killed may take to be gone.
const GONE: Duration = Duration::from_secs(1);

/// A connection to a server over its pipes.
pub(super) type Connection = Client<Receiver, Sender>;

/// A running server. Dropping it ends it, and all that it started.
pub(super) struct Live {
    connection: Option<Connection>,
    pub(super) child: Child,
    pub(super) log: Log,
    report: Cell<Option<OwnedFd>>,
    /// The digests of its tools, by their own names, as it listed them last.
    tools: Mutex<Option<HashMap<String, Digest>>>,
    /// Whether it is not to be waited for.
    broken: Cell<bool>,
    hung_up: Option<Instant>,
}

impl Live {
    pub(super) fn new(connection: Connection, child: Child, log: Log, report: OwnedFd) -> Self {
        Self {
            connection: Some(connection),
            child,
            log,
            report: Cell::new(Some(report)),
            tools: Mutex::new(None),
            broken: Cell::new(false),
            hung_up: None,
        }
    }

    /// The connection; there is one until the server is being ended.
    pub(super) fn connection(&self) -> Option<&Connection> {
        self.connection.as_ref()
    }

    /// Whether it can be asked.
    pub(super) fn is_up(&self) -> bool {
        !self.broken.get()
            && self.connection().is_some_and(|connection| connection.lost().is_none())
            && !self.child.has_ended()
    }

    /// Says that nothing more can be asked of it.
    pub(super) fn give_up(&self) {
        self.broken.set(true);
    }

    /// Lists its tools, each as it was sent.
    pub(super) async fn list(&self) -> Result<Vec<Box<serde_json::value::RawValue>>, ListError> {
        match self.connection() {
            Some(connection) => list_tools(connection, ListLimits::default()).await,
            None => Err(ListError::Lost(crate::mcp::Lost::Closed)),
        }
    }

    /// The digest of one of its tools, as it lists it now: asked again where it says that its list has changed.
    pub(super) async fn digest_of(&self, tool: &str) -> Result<Option<Digest>, ListError> {
        // Held while it is listed, so that no other call goes by what was listed before.
        let mut tools = self.tools.lock().await;
        if self.connection().is_some_and(Connection::took_list_change) {
            *tools = None;
        }
        if tools.is_none() {
            let listed = self.list().await?;
            // What is no tool has no digest, and so is never the accepted one.
            let read = listed.iter().filter_map(|tool| LockedTool::read(tool.get()).ok());
            let mut digests = HashMap::with_capacity(listed.len());
            for tool in read {
                // A name that is listed twice is nobody's.
                let one = digests.insert(tool.name.clone(), Some(tool.digest)).is_none();
                if !one {
                    digests.insert(tool.name, None);
                }
            }
            *tools = Some(digests.into_iter().filter_map(|(name, digest)| Some((name, digest?))).collect());
        }
        Ok(tools.as_ref().and_then(|tools| tools.get(tool)).copied())
    }

    /// How its process ended, in words; `None` where it has not, or nobody says.
    pub(super) fn end(&self) -> Option<Report> {
        if !self.child.has_ended() {
            return None;
        }
        let report = launcher::read_report(self.report.take()?).end;
        explained(report, &self.log.last())
    }

    /// Closes its input, by which it is told to end.
    pub(super) fn hang_up(&mut self) {
        self.log.drain();
        self.connection = None;
        self.hung_up.get_or_insert_with(Instant::now);
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.hang_up();
        if !self.broken.get() {
            let passed = self.hung_up.map_or(Duration::ZERO, |since| since.elapsed());
            if !self.child.ends_within(HANGS_UP.saturating_sub(passed)) {
                self.child.terminate();
                self.child.ends_within(TERMINATES);
            }
        }
        // Its supervisor ends whatever it started, and then itself.
        self.child.kill();
        if !self.child.ends_within(GONE) {
            self.child.end_tree();
        }
        self.log.drain();
        if let Some(report) = self.report.take()
            && self.child.has_ended()
        {
            let undone = launcher::read_report(report).undone.unwrap_or_default();
            for warning in undone.warnings() {
                tracing::warn!("{warning}");
            }
        }
        self.child.finish();
    }
}

/// How a server ended, in words.
pub(super) fn in_words(report: Option<Report>) -> String {
    match report {
        Some(Report::Exited(status)) => format!("it exited with status {status}"),
        Some(Report::Signalled(signal)) => format!("signal {signal} ended it"),
        Some(Report::TooManyProcesses) => "it ran more processes than it may".to_owned(),
        Some(Report::NoSandbox(_)) => "its sandbox could not be put in place".to_owned(),
        Some(Report::NoProgram(_)) => "its program could not be started".to_owned(),
        None => "it does not answer any more".to_owned(),
    }
}
