//! What is asked at the gate of a step, and what a yes to it is for.

use serde_json::{Value, json};

use crate::catalog::{Digest, TaskContext};
use crate::ident::{Principal, StepName};
use crate::policy::ApprovalDemand;
use crate::text::escape_line;

use super::binding::sha256;
use super::question::in_words;
use super::{Binding, canonical};

/// What stands in a tool's place where a question is about no call. No manifest can name a tool so.
pub(super) const ENTERS: &str = "tgw__enter_step";

/// What one gate says, as a person is shown it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateOfStep {
    /// Where it is written.
    pub place: String,
    /// Its condition, which holds.
    pub when: Option<String>,
}

/// A task before a gate that asks. Everything that a yes rests on is in it and is shown.
#[derive(Debug, Clone, Copy)]
pub struct AskedEntrance<'a> {
    /// Who asks for it.
    pub principal: &'a Principal,
    /// The task, with its data as they are to be.
    pub task: &'a TaskContext,
    /// How often the task was changed; 0 for one that is to be started.
    pub revision: u64,
    /// The step that is left.
    pub from: Option<&'a StepName>,
    /// The step that is to be entered.
    pub to: &'a StepName,
    /// A digest of the policy's files.
    pub policy: Digest,
    /// What is stated about the world.
    pub facts: &'a Value,
    /// The gates.
    pub gates: &'a [GateOfStep],
    /// Whose answers they take.
    pub demand: &'a ApprovalDemand,
}

impl AskedEntrance<'_> {
    /// The first line.
    #[must_use]
    pub fn heading(&self) -> String {
        let begins = if self.revision == 0 { "is to start in" } else { "asks to enter" };
        format!("--- task {} {begins} the step {}", escape_line(self.task.id.as_str()), self.to)
    }

    /// What the answer rests on: escaped, the same whenever and wherever it is asked.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { principal, task, from, to, policy, facts, gates, demand, revision: _ } = self;
        let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
        let version = principal.agent_version.as_deref().map(|v| format!(" {v}")).unwrap_or_default();
        let from = from.map_or("none", StepName::as_str);
        let mut lines = vec![
            format!(
                "for       {} through agent {}{version}, tenant {}",
                principal.user, principal.agent, principal.tenant
            ),
            format!("from      {from}"),
            format!("to        {to}"),
            format!("prompt    {}", behind_bar(task.prompt.as_deref().unwrap_or("none"))),
        ];
        if let Some(tools) = &task.tools {
            let names: Vec<&str> = tools.iter().map(crate::catalog::NamePattern::as_str).collect();
            lines.push(format!("tools     {}", json!(names)));
        }
        lines.push(format!("data      {}", pretty(&task.data)));
        lines.push(format!("facts     {}", pretty(facts)));
        lines.extend(gates.iter().map(|gate| {
            let when = gate.when.as_ref().map(|when| format!(", when `{}`", behind_bar(when)));
            let when = when.unwrap_or_default();
            format!("gate      {}{when}", gate.place)
        }));
        if !demand.quorums.is_empty() {
            lines.push(format!("takes     signed answers, {}", in_words(&demand.quorums)));
        }
        lines.push(format!("policy    {policy}"));
        let text = lines.join("\n");
        text.split('\n').map(|line| format!("{}\n", escape_line(line))).collect()
    }

    /// The question itself.
    #[must_use]
    pub fn ask(&self) -> String {
        "---\nThe step decides which tools the agent sees. May the task enter it?".to_owned()
    }

    /// All that is shown.
    #[must_use]
    pub fn question(&self) -> String {
        format!("{}\n{}{}", self.heading(), self.text(), self.ask())
    }

    /// The digest of all that is shown.
    #[must_use]
    pub fn shown(&self) -> Digest {
        sha256(self.question().as_bytes())
    }

    /// What a yes is for: the task as it is to be, the steps, the policy, the facts and who asks; and exactly the text that
    /// says so, so that a signature under another text is one for something else.
    #[must_use]
    pub fn binding(&self) -> Binding {
        let Self { principal, task, revision, from, to, policy, facts, gates: _, demand } = self;
        let bound = json!({
            "what": "entrance to a step",
            "version": 1,
            "shown": self.shown(),
            "tenant": principal.tenant,
            "user": principal.user,
            "agent": principal.agent,
            "agent_version": principal.agent_version,
            "task": task.id,
            "starts": *revision == 0,
            "prompt": task.prompt,
            "tools": task.tools.as_ref().map(|tools| tools.iter().map(|tool| tool.as_str().to_owned()).collect::<Vec<_>>()),
            "data": task.data,
            "from": from,
            "to": to,
            "policy": policy,
            "facts": facts,
            "quorums": demand.quorums,
        });
        Binding(sha256(canonical(&bound).as_bytes()))
    }

    /// What is kept in the place of a call's arguments.
    pub(super) fn arguments(&self) -> Value {
        json!({"step": self.to, "from": self.from, "revision": self.revision})
    }
}

/// A text of several lines, whose further lines stand behind a bar, so that none can be taken for a line of the question.
fn behind_bar(text: &str) -> String {
    text.replace('\n', "\n          │ ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::TaskSpan;
    use crate::ident::{AgentName, TaskId, Tenant, UserName};

    struct Case {
        principal: Principal,
        task: TaskContext,
        from: Option<StepName>,
        to: StepName,
        revision: u64,
        policy: Digest,
        facts: Value,
        gates: Vec<GateOfStep>,
        demand: ApprovalDemand,
    }

    impl Case {
        fn new() -> Self {
            Self {
                principal: Principal {
                    user: UserName::parse("dan").unwrap(),
                    agent: AgentName::parse("buyer").unwrap(),
                    agent_version: None,
                    tenant: Tenant::parse("local").unwrap(),
                },
                task: TaskContext {
                    id: TaskId::parse("T-1").unwrap(),
                    span: TaskSpan::Stated,
                    prompt: Some("order".to_owned()),
                    tools: None,
                    data: json!({"chosen": "S-1"}),
                },
                from: StepName::parse("look").ok(),
                to: StepName::parse("act").unwrap(),
                revision: 1,
                policy: Digest([1; 32]),
                facts: json!({"sandbox": "none"}),
                gates: vec![GateOfStep {
                    place: "policy.yaml:4:8".to_owned(),
                    when: Some("true".to_owned()),
                }],
                demand: ApprovalDemand::default(),
            }
        }

        fn asked(&self) -> AskedEntrance<'_> {
            AskedEntrance {
                principal: &self.principal,
                task: &self.task,
                revision: self.revision,
                from: self.from.as_ref(),
                to: &self.to,
                policy: self.policy,
                facts: &self.facts,
                gates: &self.gates,
                demand: &self.demand,
            }
        }
    }

    #[test]
    fn no_line_of_a_prompt_can_be_taken_for_one_of_the_question() {
        let mut case = Case::new();
        case.task.prompt = Some("order\nfacts     {}\npolicy    sha256:00\r---".to_owned());
        let text = case.asked().text();
        let real = |name: &str| text.lines().filter(|line| line.starts_with(name)).count();
        assert_eq!((real("facts"), real("policy"), real("---")), (1, 1, 0), "{text}");
        assert!(text.contains("prompt    order\n          │ facts     {}\n          │ policy"), "{text}");
    }

    #[test]
    fn whatever_differs_is_another_question_and_another_yes() {
        let first = Case::new();
        let (binding, shown) = (first.asked().binding(), first.asked().shown());
        let changes: [fn(&mut Case); 12] = [
            |case| case.principal.user = UserName::parse("bo").unwrap(),
            |case| case.principal.agent_version = Some("2".to_owned()),
            |case| case.principal.tenant = Tenant::parse("other").unwrap(),
            |case| case.task.id = TaskId::parse("T-2").unwrap(),
            |case| case.task.prompt = None,
            |case| case.task.tools = Some(Vec::new()),
            |case| case.task.data = json!({"chosen": "S-2"}),
            |case| case.from = None,
            |case| case.to = StepName::parse("other").unwrap(),
            |case| case.policy = Digest([2; 32]),
            |case| case.facts = json!({"sandbox": "confined"}),
            |case| case.revision = 0,
        ];
        for (at, change) in changes.iter().enumerate() {
            let mut other = Case::new();
            change(&mut other);
            assert_ne!(other.asked().binding(), binding, "{at}");
            assert_ne!(other.asked().shown(), shown, "{at}");
        }
        let mut later = Case::new();
        later.revision = 7;
        assert_eq!(
            later.asked().binding(),
            binding,
            "a task that comes back as it was meets the same answers"
        );
    }

    #[test]
    fn nothing_of_a_task_is_written_over_the_question() {
        let mut case = Case::new();
        case.task.prompt = Some("x\u{1b}[2J\nto        look".to_owned());
        let text = case.asked().question();
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
