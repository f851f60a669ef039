//! What a person is asked about: one call, decided, with everything that a yes binds.

use std::borrow::Cow;
use std::path::Path;

use serde_json::Value;

use crate::catalog::{Contract, Digest, TaskSpan};
use crate::ident::{Principal, StepName, TaskId};
use crate::policy::{ApprovalDemand, Decision, Facts, Quorum, Verdict};
use crate::present::DisplayBody;
use crate::validate::{Plan, ValidatedCall};

/// What a default verdict that asks is called among the rules that asked.
const DEFAULT: &str = "(default)";

/// One call as it stands before a person. The same parts make the question, the binding and the cover of a standing
/// grant, so that none of the three can speak of another call.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    /// Who is behind the call.
    pub principal: &'a Principal,
    /// The task.
    pub task: &'a TaskId,
    /// How long the task lasts: one that was made for a run is known under its name there only.
    pub span: TaskSpan,
    /// The step.
    pub step: Option<&'a StepName>,
    /// The real path of the workspace root.
    pub workspace: &'a Path,
    /// The contract.
    pub contract: &'a Contract,
    /// The effective arguments.
    pub arguments: &'a Value,
    /// The arguments with the places that their paths lead to: what a standing grant pins and covers.
    pub led: Cow<'a, Value>,
    /// Pointers of the arguments that the contract's defaults supplied.
    pub defaulted: &'a [String],
    /// What would run.
    pub plan: &'a Plan,
    /// How the decision asks; `None` where it does not.
    pub demand: Option<ApprovalDemand>,
    /// Why it asks.
    pub reasons: Vec<Reason>,
    /// The effect key, where there is one.
    pub effect_key: Option<&'a str>,
    /// What the call would change, where the executor can say.
    pub preview: Option<&'a Preview>,
}

/// A rule that asks, or a default that does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// What asks, in words.
    pub rule: String,
    /// Where it is written.
    pub place: String,
    /// Its reason, where it states one.
    pub reason: Option<String>,
}

/// What a call would change, and what that was computed from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// What a person is shown.
    pub display: DisplayBody,
    /// A digest of the state that the preview rests on: where it changes, a yes is worth nothing.
    pub basis: Digest,
}

impl<'a> Subject<'a> {
    /// The subject of a validated call.
    #[must_use]
    pub fn of(
        call: &'a ValidatedCall,
        facts: &Facts<'a>,
        workspace: &'a Path,
        decision: &'a Decision,
    ) -> Self {
        Self {
            principal: facts.principal,
            task: &facts.task.id,
            span: facts.task.span,
            step: facts.step,
            workspace,
            contract: call.contract(),
            arguments: call.arguments(),
            led: call.led_arguments().map_or(Cow::Borrowed(call.arguments()), Cow::Owned),
            defaulted: call.defaulted(),
            plan: call.plan(),
            demand: decision.approval(),
            reasons: reasons(decision),
            effect_key: call.effect_key(),
            preview: None,
        }
    }

    /// The same with a preview.
    #[must_use]
    pub fn with_preview(mut self, preview: Option<&'a Preview>) -> Self {
        self.preview = preview;
        self
    }

    /// The task, where it was stated. One that was made for a run has another name in the next, so that nothing can be
    /// bound to it which outlives the run.
    #[must_use]
    pub fn stated_task(&self) -> Option<&TaskId> {
        match self.span {
            TaskSpan::Stated => Some(self.task),
            TaskSpan::Run | TaskSpan::Call => None,
        }
    }

    /// Whose signed answers it takes, by rule.
    #[must_use]
    pub fn quorums(&self) -> &[Quorum] {
        self.demand.as_ref().map(|demand| demand.quorums.as_slice()).unwrap_or_default()
    }

    /// Ids of the rules that ask, sorted; a default that asks counts as one.
    #[must_use]
    pub fn asking_rules(&self) -> Vec<String> {
        let asking = self.demand.iter().flat_map(|demand| &demand.rules);
        let mut rules: Vec<String> = asking.map(ToString::to_string).collect();
        if rules.is_empty() {
            rules.push(DEFAULT.to_owned());
        }
        rules.sort();
        rules.dedup();
        rules
    }

    /// Whether only signed answers count, so that nothing said at this terminal is a yes.
    #[must_use]
    pub fn needs_signed_answers(&self) -> bool {
        self.demand.as_ref().is_none_or(|demand| !demand.quorums.is_empty())
    }
}

fn reasons(decision: &Decision) -> Vec<Reason> {
    let rules = decision.determined_by.iter().filter(|rule| rule.verdict() == Verdict::RequireApproval);
    let rules = rules.map(|rule| Reason {
        rule: format!("rule {}", rule.id()),
        place: rule.location().to_string(),
        reason: match (rule.error(), rule.reason()) {
            (Some(error), reason) => Some(format!(
                "{}its condition has no answer and is read strictly: {error}",
                reason.map(|reason| format!("{reason}; ")).unwrap_or_default()
            )),
            (None, reason) => reason.map(str::to_owned),
        },
    });
    let defaults = decision.defaults.iter().filter(|default| default.verdict == Verdict::RequireApproval);
    let defaults = defaults.map(|default| Reason {
        rule: "no rule allows it".to_owned(),
        place: default.file.to_string(),
        reason: Some("the default is to ask".to_owned()),
    });
    rules.chain(defaults).collect()
}
