//! What a condition may read: the call, who is behind it, and what holds at the moment.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

use crate::catalog::{Contract, Risk, TaskContext};
use crate::expression::{Bindings, Declarations, Field, Functions, ObjectType, Type};
use crate::ident::ServerName;
use crate::ident::{Principal, StepName};

/// What holds at the moment of the decision, besides the call itself.
///
/// One value serves every call of a principal in the same task and step: what conditions read of it is prepared once.
pub struct Facts<'a> {
    /// Who is behind the call.
    pub principal: &'a Principal,
    /// The task.
    pub task: &'a TaskContext,
    /// The step.
    pub step: Option<&'a StepName>,
    /// What the harness and the gateway state about the world. The gateway states `sandbox`, the strongest level that this
    /// machine offers: `none`, `confined` or `isolated`.
    pub facts: &'a dyn FactSource,
    prepared: Prepared,
}

/// What is stated about the world: an object, gathered when a condition first reads it.
pub trait FactSource {
    /// The object.
    fn facts(&self) -> &Value;
}

impl FactSource for Value {
    fn facts(&self) -> &Value {
        self
    }
}

/// The variables that are made of names, as JSON.
#[derive(Debug, Default)]
struct Prepared {
    tenant: OnceLock<Value>,
    user: OnceLock<Value>,
    agent: OnceLock<Value>,
    task: OnceLock<Value>,
    step: OnceLock<Value>,
}

impl<'a> Facts<'a> {
    /// Facts of a principal in a task and step.
    #[must_use]
    pub fn new(
        principal: &'a Principal,
        task: &'a TaskContext,
        step: Option<&'a StepName>,
        facts: &'a dyn FactSource,
    ) -> Self {
        Self { principal, task, step, facts, prepared: Prepared::default() }
    }

    fn tenant(&self) -> &Value {
        self.prepared.tenant.get_or_init(|| Value::from(self.principal.tenant.as_str()))
    }

    fn user(&self) -> &Value {
        self.prepared.user.get_or_init(|| Value::from(self.principal.user.as_str()))
    }

    fn agent(&self) -> &Value {
        self.prepared.agent.get_or_init(|| {
            let mut agent = json!({ "name": self.principal.agent });
            set(&mut agent, "version", self.principal.agent_version.as_deref());
            agent
        })
    }

    fn task(&self) -> &Value {
        self.prepared.task.get_or_init(|| {
            let mut task = json!({ "id": self.task.id, "data": self.task.data });
            set(&mut task, "prompt", self.task.prompt.as_deref());
            task
        })
    }

    fn step(&self) -> &Value {
        self.prepared.step.get_or_init(|| self.step.map_or(Value::Null, |step| Value::from(step.as_str())))
    }
}

impl Facts<'_> {
    /// The value of a variable that has nothing to do with a call, by its slot in [`gate_variables`].
    pub(super) fn named(&self, slot: usize) -> Option<&Value> {
        Some(match slot {
            0 => self.tenant(),
            1 => self.user(),
            2 => self.agent(),
            3 => self.task(),
            4 => self.step(),
            5 => self.facts.facts(),
            _ => return None,
        })
    }
}

/// The variables of a step's gate: those of a rule without the call's own.
pub(super) fn gate_variables() -> Vec<Field> {
    declarations(Type::Dynamic).variables.into_iter().skip(CALL_VARIABLES).collect()
}

/// How many variables of a rule are about the call; they come first.
const CALL_VARIABLES: usize = 2;

fn set(object: &mut Value, key: &str, value: Option<&str>) {
    if let (Some(map), Some(value)) = (object.as_object_mut(), value) {
        map.insert(key.to_owned(), Value::from(value));
    }
}

/// What `tool` is in a condition about this contract.
pub(super) fn tool_value(contract: &Contract) -> Value {
    let mut tool = json!({ "name": contract.name, "risk": contract.risk, "egress": contract.egress });
    set(&mut tool, "version", contract.version.as_deref());
    set(&mut tool, "server", contract.server().map(ServerName::as_str));
    tool
}

/// The variables of a rule, in the order of their slots. [`RuleBindings`] answers for them.
pub(super) fn declarations(arguments: Type) -> Declarations {
    let text = |name: &str, required| Field { name: name.to_owned(), value: Type::String, required };
    let object = |fields, open| Type::Object(Arc::new(ObjectType { fields, open }));
    let risks = Risk::ALL.iter().map(|risk| Value::from(risk.as_str())).collect();
    let risk = Field { name: "risk".to_owned(), value: Type::OneOf(risks), required: true };
    let data = Field { name: "data".to_owned(), value: Type::Dynamic, required: true };
    let step = Type::Union([Type::String, Type::Null].into());
    let egress = Field { name: "egress".to_owned(), value: Type::Bool, required: true };
    let tool = vec![text("name", true), text("version", false), risk, egress, text("server", false)];
    let levels = ["none", "confined", "isolated"].map(Value::from).into();
    let sandbox = Field { name: "sandbox".to_owned(), value: Type::OneOf(levels), required: true };
    let variables = [
        ("arguments", arguments),
        ("tool", object(tool, false)),
        ("tenant", Type::String),
        ("user", Type::String),
        ("agent", object(vec![text("name", true), text("version", false)], false)),
        ("task", object(vec![text("id", true), text("prompt", false), data], false)),
        ("step", step),
        ("facts", object(vec![sandbox], true)),
    ];
    let variables = variables.map(|(name, value)| Field { name: name.to_owned(), value, required: true });
    Declarations { variables: variables.into(), functions: Functions::Rule }
}

/// The variables of a rule for one call.
pub(super) struct RuleBindings<'a> {
    pub(super) arguments: &'a Value,
    pub(super) tool: &'a Value,
    pub(super) facts: &'a Facts<'a>,
    /// Where arguments come from, where that is known, by pointer.
    pub(super) provenance: Option<&'a BTreeMap<String, &'static str>>,
}

impl Bindings for RuleBindings<'_> {
    fn variable(&self, slot: usize) -> Option<Cow<'_, Value>> {
        let value = match slot {
            0 => self.arguments,
            1 => self.tool,
            _ => self.facts.named(slot.checked_sub(CALL_VARIABLES)?)?,
        };
        Some(Cow::Borrowed(value))
    }

    fn provenance(&self, pointer: &str) -> &'static str {
        // Where nothing is known, nothing is vouched for.
        let Some(stated) = self.provenance else { return "untrusted" };
        if self.arguments.pointer(pointer).is_none() {
            return "absent";
        }
        let covers = |outer: &str, inner: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let related = stated.iter().filter(|(at, _)| covers(pointer, at) || covers(at, pointer));
        related.map(|(_, word)| *word).min_by_key(|word| rank(word)).unwrap_or("untrusted")
    }

    fn untrusted_arguments(&self) -> Vec<String> {
        let names = self.arguments.as_object().into_iter().flatten().map(|(name, _)| name);
        let pointers = names.map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1")));
        pointers.filter(|pointer| self.provenance(pointer) == "untrusted").collect()
    }
}

/// How far a provenance is vouched for; the least is the worst.
fn rank(provenance: &str) -> usize {
    const WORST_FIRST: [&str; 6] = ["untrusted", "model", "trusted", "task", "contract", "person"];
    WORST_FIRST.iter().position(|word| *word == provenance).unwrap_or(0)
}
