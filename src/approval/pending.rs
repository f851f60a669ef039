//! A question to be stored, because nobody is there to ask.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalog::{Digest, NamePattern, TaskContext, TaskSpan};
use crate::clock::Timestamp;
use crate::code::{CallError, ErrorCode};
use crate::ident::{CallId, TaskId};
use crate::policy::Quorum;

use super::entrance::ENTERS;
use super::{ApprovalId, AskedEntrance, Binding, Likeness, Rendered, Subject};

/// How long a question stands where no rule says otherwise.
const STANDS: Duration = Duration::from_secs(24 * 60 * 60);

/// A question to be stored, with the call it is about. The store knows what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingApproval {
    id: ApprovalId,
    tool: String,
    binding: Binding,
    likeness: Likeness,
    shown: Digest,
    expires: Timestamp,
    call: StoredCall,
}

/// The call of a stored question, so that any process can show the question and send the call through the pipeline
/// again. The arguments are exact, since they must run as they were approved; the question is redacted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredCall {
    /// The call's id.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The effective arguments.
    pub arguments: Value,
    /// The question as it is shown.
    pub question: String,
    /// Whether only signed answers count, so that no process may approve it by a user's name.
    pub signed: bool,
    /// Whose signed answers it takes, by rule.
    #[serde(default)]
    pub quorums: Vec<Quorum>,
    /// The contract that it was asked under.
    pub contract: Digest,
    /// The rules that asked.
    pub rules: Vec<String>,
    /// The task that it came in.
    pub task: StoredTask,
}

/// The task of a stored call, as the harness stated it then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredTask {
    /// Whether it was stated; else it was made for the run that asked.
    pub stated: bool,
    /// What it was asked to do.
    pub prompt: Option<String>,
    /// The tools it is narrowed to.
    pub tools: Option<Vec<String>>,
    /// Its data.
    pub data: Value,
}

impl StoredTask {
    /// What is kept of a task.
    #[must_use]
    pub fn of(task: &TaskContext) -> Self {
        let names = |patterns: &Vec<NamePattern>| {
            patterns.iter().map(|pattern| pattern.as_str().to_owned()).collect()
        };
        Self {
            stated: task.span == TaskSpan::Stated,
            prompt: task.prompt.clone(),
            tools: task.tools.as_ref().map(names),
            data: task.data.clone(),
        }
    }

    /// The task under its id.
    #[must_use]
    pub fn context(&self, id: &TaskId) -> TaskContext {
        let patterns = |names: &Vec<String>| names.iter().map(NamePattern::new).collect();
        TaskContext {
            id: id.clone(),
            span: if self.stated { TaskSpan::Stated } else { TaskSpan::Run },
            prompt: self.prompt.clone(),
            tools: self.tools.as_ref().map(patterns),
            data: self.data.clone(),
        }
    }
}

impl PendingApproval {
    /// The stored form of a question; `rendered` is what anybody who answers will be shown.
    #[must_use]
    pub fn new(
        id: ApprovalId,
        call: &CallId,
        subject: &Subject<'_>,
        task: &TaskContext,
        rendered: &Rendered,
        now: Timestamp,
    ) -> Self {
        let tool = subject.contract.name.to_string();
        Self {
            id,
            binding: Binding::compute(subject),
            likeness: Likeness::compute(subject),
            expires: now.plus(subject.demand.as_ref().and_then(|demand| demand.expires).unwrap_or(STANDS)),
            shown: rendered.digest,
            call: StoredCall {
                id: call.to_string(),
                tool: tool.clone(),
                arguments: subject.arguments.clone(),
                question: rendered.text.clone(),
                signed: subject.needs_signed_answers(),
                quorums: subject.quorums().to_vec(),
                contract: subject.contract.digest,
                rules: subject.asking_rules(),
                task: StoredTask::of(task),
            },
            tool,
        }
    }

    /// The stored form of a question at a gate. It is about no call: what a yes lets in is a task.
    #[must_use]
    pub fn at_gate(id: ApprovalId, entrance: &AskedEntrance<'_>, now: Timestamp) -> Self {
        let binding = entrance.binding();
        let demand = entrance.demand;
        Self {
            id,
            binding,
            likeness: Likeness(binding.0),
            expires: now.plus(demand.expires.unwrap_or(STANDS)),
            shown: entrance.shown(),
            tool: ENTERS.to_owned(),
            call: StoredCall {
                id: String::new(),
                tool: ENTERS.to_owned(),
                arguments: entrance.arguments(),
                question: entrance.question(),
                signed: !demand.quorums.is_empty(),
                quorums: demand.quorums.clone(),
                contract: entrance.policy,
                rules: Vec::new(),
                task: StoredTask::of(entrance.task),
            },
        }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.id.as_str()
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// What a yes to it is for.
    #[must_use]
    pub fn binding(&self) -> Binding {
        self.binding
    }

    /// What the call has in common with the same call sent again.
    #[must_use]
    pub fn likeness(&self) -> Likeness {
        self.likeness
    }

    /// The digest of the question as it is shown.
    #[must_use]
    pub fn question(&self) -> Digest {
        self.shown
    }

    /// When it stops taking answers.
    #[must_use]
    pub fn expires(&self) -> Timestamp {
        self.expires
    }

    /// The call.
    #[must_use]
    pub fn call(&self) -> &StoredCall {
        &self.call
    }
}

impl StoredCall {
    /// The call's id; `None` where it is about no call.
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {
        (self.tool != ENTERS).then_some(&self.id)
    }

    /// The step that a task is to enter; `None` where it is about a call.
    #[must_use]
    pub fn enters(&self) -> Option<&str> {
        let step = self.arguments.get("step").filter(|_| self.tool == ENTERS);
        step.and_then(Value::as_str)
    }

    /// How often the task had been changed when its gate was asked; 0 for one that was to be started.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.arguments.get("revision").and_then(Value::as_u64).unwrap_or_default()
    }

    /// The text that the store keeps.
    ///
    /// # Errors
    /// `INTERNAL`, where it has no JSON form.
    pub fn to_json(&self) -> Result<String, CallError> {
        serde_json::to_string(self)
            .map_err(|_| CallError::new(ErrorCode::Internal, "a stored question could not be written"))
    }

    /// Reads the text that the store keeps, and checks that the question is the one whose digest was recorded.
    ///
    /// # Errors
    /// `INTERNAL` for anything that this version did not write, and for another question.
    pub fn from_json(text: &str, question: Digest) -> Result<Self, CallError> {
        let call = serde_json::from_str::<Self>(text).ok();
        call.filter(|call| super::binding::sha256(call.question.as_bytes()) == question).ok_or_else(|| {
            CallError::new(ErrorCode::Internal, "a question in the state store cannot be read")
                .with_hint("look at the state store with `tgw doctor`")
        })
    }
}
