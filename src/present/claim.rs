//! What a tool says happened, while that is left to be verified: raw in memory, redacted where it is kept.

use serde_json::Value;

use crate::catalog::{Contract, VerifySpec};
use crate::code::{Effect, Status};
use crate::validate::CallBindings;

use super::interpret::object;
use super::outcome::Shown;
use super::pointer::HIDDEN;
use super::{Outcome, Stored};

/// How what stands in a secret's place begins.
const SECRET: &str = "[secret:";

/// An outcome that is left to be verified, raw: later looks are about the same value as the first. It is never stored, and
/// like an outcome it cannot be shown.
///
/// ```compile_fail,E0277
/// # fn printed(claim: tgw::present::Claim) -> String {
/// format!("{claim:?}")
/// # }
/// ```
pub struct Claim(Outcome);

impl Claim {
    /// What an outcome says.
    #[must_use]
    pub fn of(outcome: &Outcome) -> Self {
        Self(again(outcome))
    }

    /// The outcome as it was before anything was left to be verified.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        again(&self.0)
    }

    /// The value of a presented outcome as it is kept for a process that does not have this one: hidden as a whole where
    /// there is nothing that may be kept.
    #[must_use]
    pub fn kept_of(stored: &Stored) -> Value {
        match stored {
            Stored::Value(value, _) => value.clone(),
            Stored::Nothing | Stored::TooLarge(_) => Value::String(HIDDEN.to_owned()),
        }
    }

    /// The same for a value of a look, which was presented, and whose hidden fields are hidden.
    #[must_use]
    pub fn kept(hidden: Value, outcome: &Outcome) -> Value {
        if outcome.withheld || hidden.is_null() { Value::String(HIDDEN.to_owned()) } else { hidden }
    }
}

/// The shape that the executor gave its result is left out: it was shown by then.
fn again(outcome: &Outcome) -> Outcome {
    Outcome {
        status: Status::Succeeded,
        effect: Effect::Happened,
        value: outcome.value.clone(),
        raw: outcome.raw.clone(),
        cut: outcome.cut,
        torn: outcome.torn,
        withheld: outcome.withheld,
        stderr: Vec::new(),
        stderr_cut: false,
        error: None,
        warnings: outcome.warnings.clone(),
        object: outcome.object.clone(),
        verified: false,
        pace: None,
        operation: outcome.operation.clone(),
        shown: Shown::default(),
    }
}

impl Outcome {
    /// An effect that is said to have happened, from what was kept of its value.
    #[must_use]
    pub fn happened_as_kept(kept: Value, contract: &Contract, bindings: &CallBindings<'_>) -> Self {
        if is_whole(&kept) {
            return Self::happened(kept, contract, bindings);
        }
        // Whoever had it whole compared it with the promise; what stands for a hidden part need not be of its type.
        let mut outcome = Self::found(kept);
        outcome.withheld = outcome.value.as_str() == Some(HIDDEN);
        outcome.object = object(contract, bindings, &outcome.value);
        outcome
    }
}

/// Whether a verification rests on a part of the value that is hidden in what is kept of it.
#[must_use]
pub fn rests_on_hidden(spec: &VerifySpec, kept: &Value) -> bool {
    let read = (spec.expect.fields_read("result"), spec.probe.fields_read("value"));
    let (Value::Object(members), (Some(compared), Some(asked))) = (kept, read) else {
        let reads = spec.expect.reads("result") || spec.probe.reads("value");
        return reads && !is_whole(kept);
    };
    // A name that was hidden may be any of them.
    let nameless = members.keys().any(|name| name.contains(SECRET));
    compared
        .iter()
        .chain(&asked)
        .any(|field| nameless || members.get(field).is_some_and(|member| !is_whole(member)))
}

/// Whether nothing in a value stands for something that was hidden.
fn is_whole(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => text != HIDDEN && !text.contains(SECRET),
        Value::Array(items) => items.iter().all(is_whole),
        Value::Object(members) => {
            members.iter().all(|(name, member)| !name.contains(SECRET) && is_whole(member))
        }
    }
}
