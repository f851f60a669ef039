//! Decisions: a verdict with everything that determined it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::diagnostic::Location;
use crate::ident::{AgentName, CredentialName, RuleId};

use super::{Environment, Quorum, Rule};

/// What a policy says, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It may run.
    Allow,
    /// A person is asked.
    RequireApproval,
    /// It may not run.
    Deny,
}

impl Verdict {
    /// Every verdict, mildest first.
    pub const ALL: [Self; 3] = [Self::Allow, Self::RequireApproval, Self::Deny];

    /// The verdict as it is written in files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::RequireApproval => "require_approval",
            Self::Deny => "deny",
        }
    }

    /// Reads the form written in files.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == text)
    }
}

/// A rule that counted.
#[derive(Debug, Clone)]
pub struct RuleOutcome {
    pub(super) rule: Arc<Rule>,
    pub(super) error: Option<String>,
    pub(super) remember: Option<Arc<[Vec<String>]>>,
}

impl RuleOutcome {
    /// The rule.
    #[must_use]
    pub fn rule(&self) -> &Arc<Rule> {
        &self.rule
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &RuleId {
        &self.rule.id
    }

    /// What it says.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.rule.verdict
    }

    /// Where it is written.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.rule.location
    }

    /// Its reason, where it states one.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.rule.reason.as_deref()
    }

    /// Why its condition could not be evaluated, where it could not and so was read strictly.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The alternatives for "yes for this task" that it offers on this tool.
    #[must_use]
    pub fn remember(&self) -> &[Vec<String>] {
        self.remember.as_deref().unwrap_or_default()
    }

    fn explain(&self, text: &mut String) {
        text.push_str("rule `");
        text.push_str(self.id().as_str());
        text.push('`');
        if let Some(reason) = self.reason() {
            text.push_str(": ");
            text.push_str(reason);
        }
        if self.error.is_some() {
            text.push_str(" (its condition could not be evaluated, which counts against the call)");
        }
    }
}

/// Outcomes are equal where they name the same rule at the same place with the same error.
impl PartialEq for RuleOutcome {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
            && self.verdict() == other.verdict()
            && self.location() == other.location()
            && self.error == other.error
            && self.remember() == other.remember()
    }
}

impl Serialize for RuleOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = 3 + usize::from(self.reason().is_some()) + usize::from(self.error.is_some());
        let mut state = serializer.serialize_struct("RuleOutcome", fields)?;
        state.serialize_field("id", self.id())?;
        state.serialize_field("verdict", &self.verdict())?;
        state.serialize_field("location", self.location())?;
        if let Some(reason) = self.reason() {
            state.serialize_field("reason", reason)?;
        }
        if let Some(error) = &self.error {
            state.serialize_field("error", error)?;
        }
        state.end()
    }
}

/// The verdict of a file in which no rule matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DefaultVerdict {
    /// The file.
    pub file: Arc<str>,
    /// Its default.
    pub verdict: Verdict,
}

/// How the person must be asked, from everything that asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalDemand {
    /// The rules that ask, in file order. Empty where only a default asks.
    pub rules: Vec<RuleId>,
    /// Whose signed answers it takes: each must be met. Empty where anybody who is asked may answer.
    pub quorums: Vec<Quorum>,
    /// How long the question stands: the shortest that a rule says.
    pub expires: Option<Duration>,
    /// Alternatives for "yes for this task": what all of the rules let be remembered.
    pub remember: Vec<Vec<String>>,
}

/// A credential that a call may not use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Withheld {
    /// The credential.
    pub credential: CredentialName,
    /// The agent that may not use it with this tool.
    pub agent: AgentName,
    /// The file that limits it.
    pub file: Arc<str>,
}

/// A verdict with what determined it.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The strictest verdict.
    pub verdict: Verdict,
    /// The rules that said so, in file order. Empty where only a default decided.
    pub determined_by: Vec<RuleOutcome>,
    /// The defaults that said so.
    pub defaults: Vec<DefaultVerdict>,
    /// Credentials that the call would use and a `credentials` entry keeps from its tool or agent: they deny, whatever the
    /// rules say.
    pub withheld: Vec<Withheld>,
    /// What all matching rules demand of the place, joined strictly.
    pub environment: Environment,
}

impl Decision {
    /// The reason in words: lowercase, without a final period and without the names of files, fit for a model.
    #[must_use]
    pub fn reason(&self) -> String {
        let mut text = String::with_capacity(128);
        for withheld in &self.withheld {
            if !text.is_empty() {
                text.push_str("; ");
            }
            // Writing to a string does not fail.
            let _ = write!(
                text,
                "its credential `{}` is kept from this tool or from the agent `{}` by `credentials` in the policy",
                withheld.credential, withheld.agent
            );
        }
        for outcome in &self.determined_by {
            if !text.is_empty() {
                text.push_str("; ");
            }
            outcome.explain(&mut text);
        }
        if text.is_empty() {
            text.push_str(match (self.verdict, self.defaults.is_empty()) {
                (Verdict::Allow, true) => "the gateway's own tools are allowed unless a rule names them",
                (Verdict::RequireApproval | Verdict::Deny, true) => "no policy covers this tool",
                (Verdict::Allow, false) => "no rule matches, and the default verdict is `allow`",
                (Verdict::RequireApproval, false) => {
                    "no rule matches, and the default verdict is `require_approval`"
                }
                (Verdict::Deny, false) => "no rule matches, and the default verdict is `deny`",
            });
        }
        text
    }

    /// The reason for the person who wrote the files: as [`Decision::reason`], and where a default decides, whose it is.
    #[must_use]
    pub fn reason_with_files(&self) -> String {
        let mut reasons = Vec::new();
        if self.defaults.is_empty() || !self.determined_by.is_empty() || !self.withheld.is_empty() {
            reasons.push(self.reason());
        }
        reasons.extend(self.defaults.iter().map(|default| {
            let verdict = default.verdict.as_str();
            format!("no rule of `{}` matches, and its default verdict is `{verdict}`", default.file)
        }));
        reasons.join("; ")
    }

    /// How to ask, for [`Verdict::RequireApproval`]; otherwise `None`.
    #[must_use]
    pub fn approval(&self) -> Option<ApprovalDemand> {
        match self.verdict {
            Verdict::Allow | Verdict::Deny => None,
            Verdict::RequireApproval => Some(self.demand()),
        }
    }

    fn demand(&self) -> ApprovalDemand {
        let terms = || self.determined_by.iter().map(|outcome| &outcome.rule.approval);
        ApprovalDemand {
            rules: self.determined_by.iter().map(|outcome| outcome.id().clone()).collect(),
            quorums: terms().filter_map(|terms| terms.quorum.clone()).collect(),
            expires: terms().filter_map(|terms| terms.expires).min(),
            remember: self.remembered_by_all(),
        }
    }

    /// The alternatives that every asker offers. A default that asks offers none, and a yes that takes several people is
    /// never remembered.
    fn remembered_by_all(&self) -> Vec<Vec<String>> {
        let Some((first, others)) = self.determined_by.split_first() else { return Vec::new() };
        let several = terms_of_several(&self.determined_by);
        if several || !self.defaults.is_empty() {
            return Vec::new();
        }
        let offers = |outcome: &RuleOutcome, pins: &BTreeSet<&String>| {
            outcome.remember().iter().any(|other| other.iter().collect::<BTreeSet<_>>() == *pins)
        };
        first
            .remember()
            .iter()
            .filter(|pins| {
                let pins = pins.iter().collect();
                others.iter().all(|outcome| offers(outcome, &pins))
            })
            .cloned()
            .collect()
    }
}

/// Whether a rule takes the yes of more than one person.
fn terms_of_several(rules: &[RuleOutcome]) -> bool {
    rules.iter().filter_map(|outcome| outcome.rule.approval.quorum.as_ref()).any(|quorum| quorum.count > 1)
}
