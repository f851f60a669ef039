//! What is told of calls outside: the one place that chooses it.
//!
//! Of what a model wrote only ids are told, redacted, and the name of a tool only where a contract has it. Arguments, results,
//! messages, hints and paths are never told.

use crate::authorize::Consent;
use crate::code::{Effect, Status};
use crate::telemetry::{Ended, Phase, Telemetry, TraceParent};
use crate::validate::{Timing, ValidatedCall};
use crate::wire::{CallRequest, Shape};

use super::{Admission, Finished, Gateway};

/// The longest id that is told.
const LONGEST_ID: usize = 128;

impl Gateway<'_> {
    /// The same gateway, which tells of its calls.
    #[must_use]
    pub fn with_telemetry(mut self, telemetry: Telemetry) -> Self {
        self.telemetry = telemetry;
        self
    }

    /// Settles a call as it came, and notes how long that took.
    pub(super) fn admit_at(&self, timing: Timing, request: CallRequest, consent: Consent) -> Admission {
        self.telemetry.begin(&request.id, request.traceparent);
        let Some(stage) = self.telemetry.enter(Phase::Decide) else {
            return self.admitted(timing, request, consent);
        };
        let id = request.id.clone();
        let admission = self.admitted(timing, request, consent);
        self.telemetry.leave(&id, Some(stage));
        admission
    }

    /// What the command of a call stands below in a trace.
    pub(super) fn traceparent(&self, call: &ValidatedCall) -> Option<TraceParent> {
        self.telemetry.passed_on(call.id())
    }

    /// Tells of a call that was answered.
    pub(super) fn tell(&self, one: &Finished) {
        if !self.telemetry.exports() {
            return self.telemetry.forget(&one.origin.id);
        }
        let redactor = self.redactor.borrow();
        let contract = one.subject.contract();
        let rpc_id = (one.origin.shape == Shape::Mcp).then_some(one.origin.rpc_id.as_ref()).flatten();
        let rpc_id = rpc_id.map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
        let rpc_id = rpc_id.as_deref().filter(|id| is_plain(id)).map(|id| redactor.text(id));
        let id = Some(one.origin.id.as_str()).filter(|id| is_plain(id)).map(|id| redactor.text(id));
        let presented = &one.presented;
        // A question that waits, and an operation that goes on, are no failures.
        let error = match presented.status() {
            Status::Succeeded | Status::InputRequired | Status::Accepted | Status::Working => None,
            Status::Failed | Status::Denied | Status::Unknown | Status::Cancelled => {
                presented.error().map(|error| error.code.as_str())
            }
        };
        let ended = Ended {
            tool: contract.map(|contract| contract.name.as_str()),
            id: id.as_deref(),
            mcp: one.origin.shape == Shape::Mcp,
            rpc_id: rpc_id.as_deref(),
            risk: contract.map(|contract| contract.risk.as_str()),
            verdict: one.subject.decision().map(|decision| decision.verdict.as_str()),
            status: presented.status().as_str(),
            effect: match presented.effect() {
                Effect::None => "none",
                Effect::Possible => "possible",
                Effect::Happened => "happened",
            },
            error,
            replayed: one.replayed,
            ran: one.elapsed,
        };
        self.telemetry.end(&one.origin.id, &ended);
    }
}

/// Whether an id is one such as programs make: a model could write anything into another.
fn is_plain(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':');
    !id.is_empty() && id.len() <= LONGEST_ID && id.bytes().all(plain)
}
