//! Calls from their admission to their answer, as they are told of.
//!
//! Where nothing is exported and no call came with a place in a trace, nothing is kept and nothing is allocated.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::clock::Timestamp;
use crate::ident::CallId;

use super::export::{Exporter, Wall};
use super::metrics::Series;
use super::names;
use super::settings::Settings;
use super::span::{Attribute, AttributeValue, Span, SpanStatus, text};
use super::traceparent::TraceParent;

/// Most stages of one call that become spans of their own: a person may edit and be asked without end.
const MOST_STAGES: usize = 32;

/// A stage of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It is looked up, validated and decided.
    Decide,
    /// A person is asked.
    AwaitApproval,
    /// Its tool runs.
    Run,
    /// The system of record is looked at.
    Verify,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Self::Decide => names::DECIDE,
            Self::AwaitApproval => names::AWAIT_APPROVAL,
            Self::Run => names::RUN,
            Self::Verify => names::VERIFY,
        }
    }
}

/// A stage under way.
#[derive(Debug)]
#[must_use]
pub struct Stage {
    phase: Phase,
    began: Instant,
}

/// All that may be told of a call that ended. Texts that a model wrote come redacted.
#[derive(Debug)]
pub struct Ended<'a> {
    /// The contract's name; `None` where the call named no tool that there is.
    pub tool: Option<&'a str>,
    /// The call's id, redacted, where it is plain enough to be told.
    pub id: Option<&'a str>,
    /// Whether it came as MCP.
    pub mcp: bool,
    /// The call's id as JSON-RPC has it, the same way.
    pub rpc_id: Option<&'a str>,
    /// The contract's risk.
    pub risk: Option<&'static str>,
    /// What the policy said.
    pub verdict: Option<&'static str>,
    /// The status of the answer.
    pub status: &'static str,
    /// What happened in the world.
    pub effect: &'static str,
    /// The error code, where the call did not succeed.
    pub error: Option<&'static str>,
    /// Whether it was answered with what an earlier call came to.
    pub replayed: bool,
    /// How long its tool ran, where it did.
    pub ran: Option<Duration>,
}

/// A call that was not answered yet.
struct Open {
    /// Its own span, where one is exported.
    own: Option<TraceParent>,
    /// What it stands below, as it came in with the call.
    stated: Option<TraceParent>,
    /// What it stands below: what came in with it, else what holds for the run.
    parent: Option<TraceParent>,
    began: Instant,
    stages: Vec<(Phase, Instant, Instant)>,
}

/// What a run tells of its calls, and what it passes on to the programs that they start.
#[derive(Default)]
pub struct Telemetry {
    /// Where the run stands in a trace, as its harness said.
    ambient: Option<TraceParent>,
    exporter: Option<RefCell<Exporter>>,
    open: RefCell<HashMap<CallId, Open>>,
}

impl Telemetry {
    /// Telemetry of a run that begins `now`. Without settings nothing is exported.
    #[must_use]
    pub fn new(ambient: Option<TraceParent>, settings: Option<Settings>, now: Timestamp) -> Self {
        let wall = Wall { epoch: Duration::from_millis(now.0), instant: Instant::now() };
        let exporter = settings.and_then(|settings| match Exporter::start(settings, wall) {
            Ok(exporter) => Some(RefCell::new(exporter)),
            Err(error) => {
                tracing::warn!(%error, "nothing is exported: there can be no thread for it");
                None
            }
        });
        Self { ambient, exporter, open: RefCell::default() }
    }

    /// Whether anything is exported.
    #[must_use]
    pub fn exports(&self) -> bool {
        self.exporter.is_some()
    }

    /// Opens a call, once, with the place in a trace that it came with.
    pub fn begin(&self, id: &CallId, stated: Option<TraceParent>) {
        if (self.exporter.is_none() && stated.is_none()) || self.open.borrow().contains_key(id) {
            return;
        }
        let parent = stated.or(self.ambient);
        let spans = self.exporter.as_ref().is_some_and(|exporter| exporter.borrow().takes_spans());
        // A harness may leave its runs out; a call cannot leave itself out.
        let recorded = stated.is_some() || self.ambient.is_none_or(|ambient| ambient.is_sampled());
        let own = if spans && recorded { below(parent) } else { None };
        let open = Open { own, stated, parent, began: Instant::now(), stages: Vec::new() };
        self.open.borrow_mut().insert(id.clone(), open);
    }

    /// Begins a stage.
    pub fn enter(&self, phase: Phase) -> Option<Stage> {
        self.exporter.as_ref().map(|_| Stage { phase, began: Instant::now() })
    }

    /// Ends a stage of a call.
    pub fn leave(&self, id: &CallId, stage: Option<Stage>) {
        let Some(Stage { phase, began }) = stage else { return };
        if let Some(open) = self.open.borrow_mut().get_mut(id)
            && open.stages.len() < MOST_STAGES
        {
            open.stages.push((phase, began, Instant::now()));
        }
    }

    /// What a call came with.
    #[must_use]
    pub fn stated(&self, id: &CallId) -> Option<TraceParent> {
        self.open.borrow().get(id).and_then(|open| open.stated)
    }

    /// What the programs of a call stand below: its own span where one is exported, else what the call stands below itself.
    #[must_use]
    pub fn passed_on(&self, id: &CallId) -> Option<TraceParent> {
        self.open.borrow().get(id).map_or(self.ambient, |open| open.own.or(open.parent))
    }

    /// Closes a call that nothing is told of.
    pub fn forget(&self, id: &CallId) {
        self.open.borrow_mut().remove(id);
    }

    /// Closes a call and tells of it.
    pub fn end(&self, id: &CallId, ended: &Ended<'_>) {
        // One that was never opened was no call that could be read: it takes no time.
        self.begin(id, None);
        let open = self.open.borrow_mut().remove(id);
        let (Some(exporter), Some(open)) = (&self.exporter, open) else { return };
        let mut exporter = exporter.borrow_mut();
        let tool = ended.tool.unwrap_or(names::UNKNOWN_TOOL);
        let series = Series {
            tool: tool.to_owned(),
            verdict: ended.verdict,
            status: ended.status,
            error: ended.error,
        };
        exporter.count(series, ended.ran);
        let Some(own) = open.own else { return };
        let wall = exporter.wall;
        // What ended waits for the calls before it to be answered, which is no time of its own.
        let end = open.stages.iter().map(|(_, _, end)| *end).max().unwrap_or_else(Instant::now);
        exporter.span(Span {
            own,
            parent: open.parent.map(|parent| parent.span()),
            name: format!("{} {tool}", names::EXECUTE_TOOL),
            start: wall.nanoseconds(open.began),
            end: wall.nanoseconds(end),
            attributes: attributes(tool, ended),
            status: if ended.error.is_some() { SpanStatus::Error } else { SpanStatus::Unset },
        });
        for (phase, began, ended) in open.stages {
            let Some(stage) = below(Some(own)) else { continue };
            exporter.span(Span {
                own: stage,
                parent: Some(own.span()),
                name: phase.name().to_owned(),
                start: wall.nanoseconds(began),
                end: wall.nanoseconds(ended),
                attributes: Vec::new(),
                status: SpanStatus::Unset,
            });
        }
    }

    /// Sends what is left, within a bounded time.
    pub fn close(&self) {
        if let Some(exporter) = &self.exporter {
            exporter.borrow_mut().finish();
        }
    }
}

impl Drop for Telemetry {
    /// Also a run that ended early tells what it did.
    fn drop(&mut self) {
        self.close();
    }
}

fn attributes(tool: &str, ended: &Ended<'_>) -> Vec<Attribute> {
    let mut attributes = vec![
        text(names::OPERATION, names::EXECUTE_TOOL),
        text(names::TOOL, tool),
        text(names::TOOL_TYPE, names::FUNCTION),
        text(names::STATUS, ended.status),
        text(names::EFFECT, ended.effect),
    ];
    attributes.extend(ended.id.map(|id| text(names::CALL_ID, id)));
    attributes.extend(ended.verdict.map(|verdict| text(names::VERDICT, verdict)));
    attributes.extend(ended.risk.map(|risk| text(names::RISK, risk)));
    attributes.extend(ended.error.map(|error| text(names::ERROR, error)));
    if ended.replayed {
        attributes.push((names::REPLAYED, AttributeValue::Bool(true)));
    }
    if ended.mcp {
        attributes.push(text(names::MCP_METHOD, names::TOOLS_CALL));
        attributes.extend(ended.rpc_id.map(|id| text(names::JSON_RPC_ID, id)));
    }
    attributes
}

/// A new span; `None` where the system has no randomness, or gave the one number that means none.
fn below(parent: Option<TraceParent>) -> Option<TraceParent> {
    let mut random = [0; 24];
    getrandom::fill(&mut random).ok()?;
    match parent {
        Some(parent) => parent.child(*random.first_chunk::<8>()?),
        None => TraceParent::root(random),
    }
}
