//! What a drill found.

use serde::Serialize;
use serde_json::{Value, json};

use super::law::{Finding, Law};

/// What was found of one law on one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drilled {
    /// The tool.
    pub tool: String,
    /// The law.
    pub law: Law,
    /// What was found.
    #[serde(flatten)]
    pub finding: Finding,
}

/// Everything that was found, tool by tool.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct DrillReport {
    /// The findings.
    pub findings: Vec<Drilled>,
}

impl DrillReport {
    /// How often a law held, was broken, and was not drilled.
    #[must_use]
    pub fn count(&self, law: Law) -> (usize, usize, usize) {
        self.findings.iter().filter(|drilled| drilled.law == law).fold(
            (0, 0, 0),
            |(held, broken, not), drilled| match &drilled.finding {
                Finding::Held => (held + 1, broken, not),
                Finding::Broken(_) => (held, broken + 1, not),
                Finding::NotDrilled(_) => (held, broken, not + 1),
            },
        )
    }

    /// Whether any law was broken.
    #[must_use]
    pub fn has_broken(&self) -> bool {
        self.findings.iter().any(|drilled| matches!(drilled.finding, Finding::Broken(_)))
    }

    /// The findings with what the laws say, and how many there are of each kind.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let laws: Vec<Value> = Law::ALL
            .iter()
            .map(|law| {
                let (held, broken, not_drilled) = self.count(*law);
                json!({ "law": law, "says": law.text(), "held": held, "broken": broken, "not_drilled": not_drilled })
            })
            .collect();
        json!({ "laws": laws, "findings": self.findings })
    }
}
