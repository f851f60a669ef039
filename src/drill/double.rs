//! The double: a backend with faults, and a count of what truly happened.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;

use serde_json::{Value, json};

use crate::catalog::{Catalog, Contract, OperationState, OutputFormat, Risk, Run, SandboxLevel};
use crate::code::{CallError, Effect, ErrorCode, Status};
use crate::execute::{Look, StandIn};
use crate::expression::Expression;
use crate::ident::ToolName;
use crate::present::{
    BuiltinOutput, Captured, CommandCapture, CommandEnd, DisplayBody, HttpAnswer, HttpBreak, HttpCapture,
    HttpEnd, McpCapture, McpEnd, interpret,
};
use crate::validate::{CallBindings, ValidatedCall};
use crate::workspace::Undone;

use super::sample::sample;
use super::shape::{paths, put, put_at, variants};

/// What goes wrong with the next calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// The time is over before the effect.
    TimeOutBefore,
    /// The effect happens, and the time is over before the answer.
    TimeOutAfter,
    /// The gateway dies before the effect.
    DieBefore,
    /// The effect happens, and the gateway dies before it hears so.
    DieAfter,
    /// The backend says that it succeeded, and did nothing.
    Hollow,
    /// What must hold before the call does not.
    Unmet,
    /// An operation goes on and on.
    Stall,
    /// The gateway dies while it asks how far an operation is.
    DieLooking,
}

/// What a success of one tool looks like, and what its look-ups bring back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recipe {
    answer: Reply,
    looks: BTreeMap<String, LookedAt>,
}

/// How a tool answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Reply {
    status: i32,
    value: Value,
}

/// What one look-up tool brings back.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LookedAt {
    reply: Reply,
    /// Where it says how far an operation is, and the contract's words for that, from the first look to the last.
    states: Option<(String, Vec<String>)>,
}

impl Recipe {
    /// Finds an exit status and an output that the contract takes for a success, or for accepted where it states an
    /// operation.
    ///
    /// # Errors
    /// What was not found, in words.
    pub fn find(contract: &Contract, catalog: &Catalog, bindings: &CallBindings<'_>) -> Result<Self, String> {
        let wanted = if contract.operation.is_some() { Status::Accepted } else { Status::Succeeded };
        let answer = Reply::find(contract, wanted, &base(contract), bindings).ok_or_else(|| {
            let what = if contract.operation.is_some() { "accepted" } else { "a success" };
            format!(
                "no exit status and output were found that its contract takes for {what}; an `output_schema` helps"
            )
        })?;
        let mut looks = BTreeMap::new();
        for tool in look_ups(contract) {
            let Some(look) = catalog.find(tool.as_str()) else { continue };
            let (value, states) = looked_at(contract, look, &answer.value);
            let reply = Reply::find(look, Status::Succeeded, &value, bindings).ok_or_else(|| {
                format!("no output was found that its look-up `{tool}` takes for a success; an `output_schema` helps")
            })?;
            looks.insert(tool.to_string(), LookedAt { reply, states });
        }
        Ok(Self { answer, looks })
    }
}

impl Reply {
    fn find(contract: &Contract, wanted: Status, base: &Value, bindings: &CallBindings<'_>) -> Option<Self> {
        let conditions = conditions(contract);
        let values = if is_json(contract) { variants(base, &conditions) } else { vec![base.clone()] };
        let statuses = match &contract.run {
            Run::Http(_) => 200..=599,
            Run::Command(_) | Run::Builtin(_) | Run::Mcp(_) => 0..=255,
        };
        let usual = *statuses.start();
        let fits = |reply: &Self| interpret(reply.captured(contract), contract, bindings).status() == wanted;
        let first = values.iter().map(|value| Self { status: usual, value: value.clone() }).find(fits);
        first.or_else(|| {
            let value = values.first()?.clone();
            statuses.map(|status| Self { status, value: value.clone() }).find(fits)
        })
    }

    fn captured(&self, contract: &Contract) -> Captured {
        match &contract.run {
            Run::Builtin(_) => Captured::builtin(Ok(BuiltinOutput {
                value: if contract.risk == Risk::ReadOnly { self.value.clone() } else { Value::Null },
                text: Some("a drill ran in place of this tool".to_owned()),
                total: None,
                next: None,
                truncated: false,
                display: DisplayBody::Content,
                effect: if contract.risk == Risk::ReadOnly { Effect::None } else { Effect::Happened },
                warnings: Vec::new(),
            })),
            Run::Mcp(_) => {
                let result = json!({ "content": [], "structuredContent": self.value });
                Captured::mcp(McpCapture { end: McpEnd::Answered(result.to_string()) })
            }
            Run::Command(spec) => {
                let output = match spec.output {
                    OutputFormat::Text => self.value.as_str().unwrap_or_default().to_owned(),
                    OutputFormat::Json => self.value.to_string(),
                    OutputFormat::JsonLines => String::new(),
                };
                ended(CommandEnd::Exited(self.status), output.into_bytes())
            }
            Run::Http(_) => Captured::http(HttpCapture {
                end: HttpEnd::Answered(HttpAnswer {
                    status: u16::try_from(self.status).unwrap_or_default(),
                    headers: vec![("content-type".to_owned(), "application/json".to_owned())],
                    body: match (is_json(contract), &self.value) {
                        (true, value) => value.to_string().into_bytes(),
                        (false, value) => value.as_str().unwrap_or_default().as_bytes().to_vec(),
                    },
                    cut: false,
                    retry_after: None,
                }),
                sent: 1,
                repeated: false,
            }),
        }
    }
}

/// The texts of the conditions that judge what a tool brought back.
fn conditions(contract: &Contract) -> Vec<&str> {
    let success = match &contract.run {
        Run::Command(spec) => &spec.success,
        Run::Http(spec) => &spec.success,
        Run::Builtin(_) | Run::Mcp(_) => return Vec::new(),
    };
    let accepted = contract.operation.as_deref().map(|operation| &operation.accepted_when);
    success.iter().chain(accepted).map(Expression::source).collect()
}

/// Whether what the tool brings back is read as JSON.
fn is_json(contract: &Contract) -> bool {
    match &contract.run {
        Run::Command(spec) => spec.output == OutputFormat::Json,
        Run::Http(spec) => spec.output.is_none_or(|output| output == OutputFormat::Json),
        Run::Builtin(_) | Run::Mcp(_) => false,
    }
}

/// A value as the contract promises it, with what its pointers and its look-ups' arguments read of it.
fn base(contract: &Contract) -> Value {
    let made = contract.output_schema.as_ref().and_then(|schema| sample(&schema.json));
    if !is_json(contract) {
        return made.unwrap_or(Value::Null);
    }
    let mut value = made.unwrap_or(json!({}));
    if let Some(operation) = &contract.operation
        && value.pointer(&operation.id).is_none_or(Value::is_null)
    {
        put_at(&mut value, &operation.id, json!("drill"));
    }
    fill_for_look(contract, &mut value);
    value
}

/// Puts into an effect's value what the arguments of its verification read.
fn fill_for_look(contract: &Contract, value: &mut Value) {
    let read = contract.verify.iter().flat_map(|verify| verify.probe.expressions());
    for path in read.flat_map(|expression| paths(expression.source(), "value")) {
        let pointer: String = path.iter().map(|name| format!("/{name}")).collect();
        if value.pointer(&pointer).is_none_or(Value::is_null) {
            put(value, &path, json!("drill"));
        }
    }
}

/// The tools that the gateway looks with for the sake of a contract.
fn look_ups(contract: &Contract) -> BTreeSet<&ToolName> {
    let before = contract.preconditions.iter().map(|spec| &spec.probe);
    let after = contract.verify.iter().map(|spec| &spec.probe);
    let found = contract.reconcile.iter().map(|spec| &spec.probe);
    let polled = contract.operation.iter().flat_map(|spec| spec.cancel.iter().chain([&spec.poll]));
    before.chain(after).chain(found).chain(polled).map(|probe| &probe.tool).collect()
}

/// What a look-up brings back when all is well: the effect where the contract finds it, and how far an operation is.
fn looked_at(contract: &Contract, look: &Contract, answer: &Value) -> (Value, Option<(String, Vec<String>)>) {
    let made = look.output_schema.as_ref().and_then(|schema| sample(&schema.json));
    let mut value = made.unwrap_or(json!({}));
    let mut effect = answer.clone();
    fill_for_look(contract, &mut effect);
    if let Some(spec) = contract.reconcile.as_deref().filter(|spec| spec.probe.tool == look.name) {
        put_at(&mut value, spec.value.as_deref().unwrap_or_default(), effect.clone());
    }
    let Some(spec) = contract.operation.as_deref().filter(|spec| spec.poll.tool == look.name) else {
        return (value, None);
    };
    put_at(&mut value, spec.value.as_deref().unwrap_or_default(), effect);
    let word = |state| spec.states.iter().find(|(_, known)| *known == state).map(|(word, _)| word.clone());
    let states = [OperationState::Accepted, OperationState::Working, OperationState::Succeeded];
    (value, Some((spec.pointer.clone(), states.into_iter().filter_map(word).collect())))
}

fn timed_out(contract: &Contract) -> Captured {
    match &contract.run {
        Run::Builtin(_) => Captured::builtin(Err(CallError::new(
            ErrorCode::OutcomeUnknown,
            "the drill let the time run out",
        ))),
        Run::Command(_) => ended(CommandEnd::TimedOut, Vec::new()),
        Run::Mcp(_) => Captured::mcp(McpCapture { end: McpEnd::TimedOut }),
        Run::Http(_) => Captured::http(HttpCapture {
            end: HttpEnd::Broken(HttpBreak::TimedOut),
            sent: 1,
            repeated: false,
        }),
    }
}

fn ended(end: CommandEnd, output: Vec<u8>) -> Captured {
    Captured::command(CommandCapture {
        output,
        output_cut: false,
        stderr: Vec::new(),
        stderr_cut: false,
        end,
        level: SandboxLevel::None,
        advice: None,
        undone: Undone::default(),
    })
}

/// What stands in for every executor during a drill, and knows what truly happened.
pub trait Double: StandIn {
    /// Forgets everything, and stands in for this tool and its look-ups from now on. Other tools do not answer.
    fn begin(&self, tool: &str, recipe: &Recipe);
    /// What goes wrong from now on.
    fn set(&self, fault: Fault);
    /// How often the tool was run.
    fn runs(&self) -> u64;
    /// How many effects there are.
    fn effects(&self) -> u64;
    /// Whether the gateway that runs at this moment is to die.
    fn is_dead(&self) -> bool;
}

/// The honest double: it does what its faults say and nothing else, and recognises an effect key where the contract says
/// that it is safe to send it again.
#[derive(Default)]
pub struct World {
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    tool: String,
    recipe: Recipe,
    fault: Fault,
    runs: u64,
    effects: u64,
    keys: BTreeSet<String>,
    polls: usize,
    dead: bool,
}

impl StandIn for World {
    fn run<'a>(&'a self, call: &'a ValidatedCall) -> Pin<Box<dyn Future<Output = Captured> + 'a>> {
        let captured = self.state.borrow_mut().step(call);
        Box::pin(async move {
            match captured {
                Some(captured) => captured,
                None => std::future::pending().await,
            }
        })
    }

    fn sees(&self, look: Look) -> Option<bool> {
        let state = self.state.borrow();
        Some(match look {
            Look::Precondition => state.fault != Fault::Unmet,
            Look::Found | Look::Verified => state.effects > 0,
            Look::Absent => state.effects == 0,
        })
    }
}

impl Double for World {
    fn begin(&self, tool: &str, recipe: &Recipe) {
        *self.state.borrow_mut() =
            State { tool: tool.to_owned(), recipe: recipe.clone(), ..State::default() };
    }

    fn set(&self, fault: Fault) {
        let mut state = self.state.borrow_mut();
        (state.fault, state.dead) = (fault, false);
    }

    fn runs(&self) -> u64 {
        self.state.borrow().runs
    }

    fn effects(&self) -> u64 {
        self.state.borrow().effects
    }

    fn is_dead(&self) -> bool {
        self.state.borrow().dead
    }
}

impl State {
    /// What the call brings back; `None` where nobody is left to hear it.
    fn step(&mut self, call: &ValidatedCall) -> Option<Captured> {
        let contract = call.contract();
        if contract.name.as_str() != self.tool {
            return self.look(contract);
        }
        self.runs = self.runs.saturating_add(1);
        let happens = match self.fault {
            Fault::None
            | Fault::TimeOutAfter
            | Fault::DieAfter
            | Fault::Unmet
            | Fault::Stall
            | Fault::DieLooking => true,
            Fault::TimeOutBefore | Fault::DieBefore | Fault::Hollow => false,
        };
        if happens {
            let key = call.effect_key().filter(|_| contract.idempotency.retry_is_safe());
            let is_new = key.is_none_or(|key| self.keys.insert(key.to_owned()));
            self.effects = self.effects.saturating_add(u64::from(is_new));
        }
        match self.fault {
            Fault::None | Fault::Hollow | Fault::Unmet | Fault::Stall | Fault::DieLooking => {
                Some(self.recipe.answer.captured(contract))
            }
            Fault::TimeOutBefore | Fault::TimeOutAfter => Some(timed_out(contract)),
            Fault::DieBefore | Fault::DieAfter => {
                self.dead = true;
                None
            }
        }
    }

    /// What a look-up brings back. Whether that is what the contract looks for is said where it is asked.
    fn look(&mut self, contract: &Contract) -> Option<Captured> {
        let Some(LookedAt { reply, states }) = self.recipe.looks.get(contract.name.as_str()) else {
            return Some(timed_out(contract));
        };
        let Some((pointer, words)) = states else { return Some(reply.captured(contract)) };
        if self.fault == Fault::DieLooking {
            self.dead = true;
            return None;
        }
        // The last word is that it is done.
        let last = words.len().saturating_sub(1);
        let stalls = self.fault == Fault::Stall;
        if stalls && last == 0 {
            return Some(timed_out(contract));
        }
        let at = if stalls { last - 1 } else { self.polls.min(last) };
        self.polls += 1;
        let mut reply = reply.clone();
        if let Some(word) = words.get(at) {
            put_at(&mut reply.value, pointer, json!(word));
        }
        Some(reply.captured(contract))
    }
}
