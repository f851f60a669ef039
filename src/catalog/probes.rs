//! What a contract has the gateway itself look at: before a call, after it, and where its end is not known.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::expression::{Bindings, EvaluationError, Expression, Template};
use crate::ident::ToolName;

use super::Risk;

/// A call that the gateway makes itself for the sake of another.
#[derive(Debug)]
pub struct ProbeSpec {
    /// The tool.
    pub tool: ToolName,
    /// What it is asked, by argument.
    pub arguments: Vec<(String, JsonTemplate)>,
}

/// Why the gateway makes a call itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbePurpose {
    /// To look, which changes nothing.
    Look,
    /// To have an operation stopped.
    Cancel,
}

impl ProbePurpose {
    /// Whether a tool of this risk may be called for it.
    #[must_use]
    pub fn permits(self, risk: Risk) -> bool {
        match self {
            Self::Look => risk == Risk::ReadOnly,
            Self::Cancel => true,
        }
    }
}

/// A JSON value, such as an argument of a probe, with templates over the call in it.
#[derive(Debug)]
pub enum JsonTemplate {
    /// As it is written.
    Literal(Value),
    /// A template over the call.
    Template(Template),
    /// A list with a template somewhere in it.
    List(Vec<JsonTemplate>),
    /// A mapping with a template somewhere in it.
    Mapping(Vec<(String, JsonTemplate)>),
}

impl JsonTemplate {
    fn expressions<'e>(&'e self, found: &mut Vec<&'e Expression>) {
        match self {
            Self::Literal(_) => {}
            Self::Template(template) => found.extend(template.expressions()),
            Self::List(items) => items.iter().for_each(|item| item.expressions(found)),
            Self::Mapping(members) => members.iter().for_each(|(_, member)| member.expressions(found)),
        }
    }

    /// The value for one call.
    ///
    /// # Errors
    /// Why a template in it has no value.
    pub fn fill(&self, bindings: &dyn Bindings) -> Result<Value, EvaluationError> {
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Template(template) => template.render_value(bindings),
            Self::List(items) => {
                items.iter().map(|item| item.fill(bindings)).collect::<Result<_, _>>().map(Value::Array)
            }
            Self::Mapping(members) => fill(members, bindings).map(Value::Object).map_err(|(_, error)| error),
        }
    }
}

fn fill(
    members: &[(String, JsonTemplate)],
    bindings: &dyn Bindings,
) -> Result<Map<String, Value>, (String, EvaluationError)> {
    let filled = members.iter().map(|(name, argument)| match argument.fill(bindings) {
        Ok(value) => Ok((name.clone(), value)),
        Err(error) => Err((name.clone(), error)),
    });
    filled.collect()
}

impl ProbeSpec {
    /// Every expression of its arguments.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expression> {
        let mut found = Vec::new();
        self.arguments.iter().for_each(|(_, argument)| argument.expressions(&mut found));
        found
    }

    /// Whether an argument reads the variable of this name.
    #[must_use]
    pub fn reads(&self, variable: &str) -> bool {
        self.expressions().iter().any(|expression| expression.reads(variable))
    }

    /// The first-level fields of `variable` that the arguments read; `None` where that is more than can be named.
    #[must_use]
    pub fn fields_read(&self, variable: &str) -> Option<Vec<String>> {
        let read: Option<Vec<_>> =
            self.expressions().iter().map(|expression| expression.fields_read(variable)).collect();
        Some(read?.concat())
    }

    /// What the tool is asked for one call.
    ///
    /// # Errors
    /// The argument that cannot be filled, and why.
    pub fn fill(&self, bindings: &dyn Bindings) -> Result<Map<String, Value>, (String, EvaluationError)> {
        fill(&self.arguments, bindings)
    }
}

/// What must hold in the system of record before a call.
#[derive(Debug)]
pub struct PreconditionSpec {
    /// What is looked at.
    pub probe: ProbeSpec,
    /// Whether it holds.
    pub expect: Expression,
    /// What the caller is told where it does not.
    pub message: String,
}

/// What must be so in the system of record after a call that says it succeeded.
#[derive(Debug)]
pub struct VerifySpec {
    /// What is looked at.
    pub probe: ProbeSpec,
    /// Whether it is so.
    pub expect: Expression,
    /// How long it may take to be so. Zero: it is looked at once.
    pub within: Duration,
    /// How often it is looked at meanwhile.
    pub every: Duration,
}
