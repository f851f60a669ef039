//! The double: a backend with faults, and a count of what truly happened.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::pin::Pin;

use serde_json::{Value, json};

use crate::catalog::{Contract, OutputFormat, Run, SandboxLevel};
use crate::code::{CallError, Effect, ErrorCode, Status};
use crate::execute::StandIn;
use crate::present::{BuiltinOutput, Captured, CommandCapture, CommandEnd, DisplayBody, interpret};
use crate::validate::{CallBindings, ValidatedCall};
use crate::workspace::Undone;

use super::sample::sample;

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
}

/// What a success of one tool looks like.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recipe {
    status: i32,
    output: Vec<u8>,
}

impl Recipe {
    /// Finds an exit status and an output that the contract takes for a success; `None` where none is found.
    #[must_use]
    pub fn find(contract: &Contract, bindings: &CallBindings<'_>) -> Option<Self> {
        let value = contract.output_schema.as_ref().and_then(|schema| sample(&schema.json));
        let output: Vec<u8> = match &contract.run {
            Run::Builtin(_) => Vec::new(),
            Run::Command(spec) => match spec.output {
                OutputFormat::Text => {
                    value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default().into()
                }
                OutputFormat::Json => value.unwrap_or(json!({})).to_string().into_bytes(),
                OutputFormat::JsonLines => Vec::new(),
            },
        };
        (0..=255).map(|status| Self { status, output: output.clone() }).find(|recipe| {
            interpret(recipe.captured(contract), contract, bindings).status() == Status::Succeeded
        })
    }

    fn captured(&self, contract: &Contract) -> Captured {
        match &contract.run {
            Run::Builtin(_) => Captured::builtin(Ok(BuiltinOutput {
                value: Value::Null,
                text: Some("a drill ran in place of this tool".to_owned()),
                total: None,
                next: None,
                truncated: false,
                display: DisplayBody::Content,
                effect: Effect::Happened,
                warnings: Vec::new(),
            })),
            Run::Command(_) => ended(CommandEnd::Exited(self.status), self.output.clone()),
        }
    }
}

fn timed_out(contract: &Contract) -> Captured {
    match &contract.run {
        Run::Builtin(_) => Captured::builtin(Err(CallError::new(
            ErrorCode::OutcomeUnknown,
            "the drill let the time run out",
        ))),
        Run::Command(_) => ended(CommandEnd::TimedOut, Vec::new()),
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
    /// Forgets everything, and stands in for this tool from now on. Other tools, which only the gateway's own look-ups call,
    /// do not answer.
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
            return Some(timed_out(contract));
        }
        self.runs = self.runs.saturating_add(1);
        let happens = match self.fault {
            Fault::None | Fault::TimeOutAfter | Fault::DieAfter => true,
            Fault::TimeOutBefore | Fault::DieBefore => false,
        };
        if happens {
            let key = call.effect_key().filter(|_| contract.idempotency.retry_is_safe());
            let is_new = key.is_none_or(|key| self.keys.insert(key.to_owned()));
            self.effects = self.effects.saturating_add(u64::from(is_new));
        }
        match self.fault {
            Fault::None => Some(self.recipe.captured(contract)),
            Fault::TimeOutBefore | Fault::TimeOutAfter => Some(timed_out(contract)),
            Fault::DieBefore | Fault::DieAfter => {
                self.dead = true;
                None
            }
        }
    }
}
