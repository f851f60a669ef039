//! Policy: a file becomes rules, rules become a verdict. Deciding is pure.

mod budget;
mod conditions;
mod decide;
mod decision;
mod document;
mod examples;
mod explain;
mod facts;
mod gate;
mod load;
mod matcher;
mod names;
mod personal;
mod quorum;
mod rules;
mod samples;
mod scope;
mod sections;
mod sight;
mod suggest;
mod terms;
#[cfg(test)]
mod testing;
mod version;

pub use budget::{Budget, Charge, Per, Weighed, weigh};
pub use decide::decide;
pub use decision::{ApprovalDemand, Decision, DefaultVerdict, RuleOutcome, Verdict, Withheld};
pub use document::{
    AgentEntry, ApprovalTerms, CallSelector, CredentialLimit, Environment, PolicyDocument, Rule, RuleExample,
    RuleExamples, Selectors, StepEntry, UserEntry,
};
pub use explain::{RuleExplanation, RuleVerdict, explain};
pub use facts::{FactSource, Facts};
pub use gate::{Entrance, Gate};
pub use load::{EMBEDDED_POLICY, Policy, PolicyFile};
pub use personal::{PersonalData, PersonalException};
pub use quorum::Quorum;
pub use sight::Sight;
pub use suggest::{NotSuggested, SuggestedFile, Suggestion, suggest};
pub use version::VersionRequirement;
