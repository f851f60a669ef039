//! What a policy lets a principal see, and which credentials it lets a call use.

use std::sync::Arc;

use crate::catalog::{Contract, Limit, LimitSource, NamePattern, Scope, TaskContext};
use crate::ident::{CredentialName, Principal, StepName};

use super::Policy;
use super::decision::Withheld;
use super::document::{CredentialLimit, PolicyDocument};

impl Policy {
    /// The view of a principal in a task and step. It depends on nothing else, so callers may keep it.
    ///
    /// Every file narrows by itself: one that lists agents or steps shows nothing to an agent or in a step that it does
    /// not list, and one that lists users gives an unlisted user no permission.
    #[must_use]
    pub fn scope(&self, principal: &Principal, task: &TaskContext, step: Option<&StepName>) -> Scope {
        let mut limits = Vec::new();
        for document in self.documents() {
            limits.extend(agent_limit(document, principal));
            limits.extend(user_limit(document, principal));
        }
        if let Some(tools) = &task.tools {
            let tools = Some(tools.clone());
            let source = LimitSource::Task(task.id.clone());
            limits.push(Limit { source, tools, risks: None, permissions: None, location: None });
        }
        limits.extend(self.documents().iter().filter_map(|document| step_limit(document, task, step)));
        Scope { limits }
    }

    /// The step that a task starts in, where the policy has steps: the first that a file names.
    #[must_use]
    pub fn initial_step(&self) -> Option<&StepName> {
        self.documents().iter().find_map(|document| document.initial_step.as_ref())
    }

    /// Whether the policy has a step of this name.
    #[must_use]
    pub fn has_step(&self, step: &StepName) -> bool {
        self.documents()
            .iter()
            .filter_map(|document| document.steps.as_ref())
            .any(|steps| steps.contains_key(step))
    }

    /// The names of all steps, each once, in order.
    #[must_use]
    pub fn steps(&self) -> Vec<&StepName> {
        let steps = self.documents().iter().filter_map(|document| document.steps.as_ref());
        let mut names: Vec<&StepName> = steps.flat_map(|steps| steps.keys()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The credentials among `names` that a file limits and does not give to this tool and agent: each file that lists a
    /// credential must let it through, by one entry for it.
    pub(super) fn withheld(
        &self,
        names: &[CredentialName],
        contract: &Contract,
        principal: &Principal,
    ) -> Vec<Withheld> {
        let mut withheld = Vec::new();
        for document in self.documents() {
            for credential in names {
                let mut limits =
                    document.credentials.iter().filter(|limit| limit.credential == *credential).peekable();
                if limits.peek().is_some() && !limits.any(|limit| limit.admits(contract, principal)) {
                    withheld.push(Withheld {
                        credential: credential.clone(),
                        agent: principal.agent.clone(),
                        file: Arc::clone(&document.name),
                    });
                }
            }
        }
        withheld
    }
}

impl CredentialLimit {
    fn admits(&self, contract: &Contract, principal: &Principal) -> bool {
        let named = |patterns: &Option<Vec<NamePattern>>, name: &str| {
            patterns.as_ref().is_none_or(|patterns| patterns.iter().any(|p| p.matches(name)))
        };
        named(&self.tools, contract.name.as_str()) && named(&self.agents, principal.agent.as_str())
    }
}

fn agent_limit(document: &PolicyDocument, principal: &Principal) -> Option<Limit> {
    let agent = &principal.agent;
    let Some(entry) = document.agents.as_ref()?.get(agent) else {
        return Some(nothing(LimitSource::UnlistedAgent(agent.clone()), None));
    };
    let given = principal.agent_version.as_deref();
    if let Some(versions) = entry.versions.as_ref().filter(|versions| !versions.admits(given)) {
        let source = LimitSource::AgentVersion {
            agent: agent.clone(),
            given: given.map(str::to_owned),
            listed: versions.as_str().to_owned(),
        };
        return Some(nothing(source, Some(entry.location.clone())));
    }
    Some(Limit {
        source: LimitSource::Agent(agent.clone()),
        tools: entry.tools.clone(),
        risks: None,
        permissions: entry.permissions.clone(),
        location: Some(entry.location.clone()),
    })
}

fn user_limit(document: &PolicyDocument, principal: &Principal) -> Option<Limit> {
    let entry = document.users.as_ref()?.get(&principal.user);
    Some(Limit {
        source: LimitSource::User(principal.user.clone()),
        tools: None,
        risks: None,
        permissions: Some(entry.map(|entry| entry.permissions.clone()).unwrap_or_default()),
        location: entry.map(|entry| entry.location.clone()),
    })
}

fn step_limit(document: &PolicyDocument, task: &TaskContext, step: Option<&StepName>) -> Option<Limit> {
    let steps = document.steps.as_ref()?;
    let Some(step) = step else {
        // A file with steps decides by step; a task that is in none is in no place where anything is shown.
        return Some(nothing(LimitSource::Task(task.id.clone()), None));
    };
    let source = LimitSource::Step(step.clone());
    Some(match steps.get(step) {
        Some(entry) => Limit {
            source,
            tools: entry.tools.clone(),
            risks: entry.risks.clone(),
            permissions: None,
            location: Some(entry.location.clone()),
        },
        None => nothing(source, None),
    })
}

/// A limit that hides every tool.
fn nothing(source: LimitSource, location: Option<crate::diagnostic::Location>) -> Limit {
    Limit { source, tools: Some(Vec::new()), risks: None, permissions: None, location }
}

#[cfg(test)]
mod tests;
