//! What a policy lets a principal see, and which credentials it lets a call use.

use crate::catalog::{Contract, Limit, LimitSource, NamePattern, Scope, TaskContext};
use crate::code::{CallError, ErrorCode};
use crate::ident::{CredentialName, Principal, StepName};

use super::Policy;
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

    /// Whether `contract`, called by `principal`, may use a credential.
    ///
    /// A credential that a file lists is limited to what the file says, by every file that lists it.
    ///
    /// # Errors
    /// `CREDENTIAL_UNAVAILABLE` naming the limit that forbids it.
    pub fn permits_credential(
        &self,
        credential: &CredentialName,
        contract: &Contract,
        principal: &Principal,
    ) -> Result<(), CallError> {
        for document in self.documents() {
            let mut limits =
                document.credentials.iter().filter(|limit| limit.credential == *credential).peekable();
            if limits.peek().is_some() && !limits.any(|limit| limit.admits(contract, principal)) {
                let (tool, agent) = (&contract.name, &principal.agent);
                return Err(CallError::new(
                    ErrorCode::CredentialUnavailable,
                    format!("the policy does not let `{tool}` use the credential `{credential}` for the agent `{agent}`"),
                )
                .with_hint("`credentials` in the policy says which tools and agents may use it"));
            }
        }
        Ok(())
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
    let agents = document.agents.as_ref()?;
    let meant = agents.get(&principal.agent).filter(|entry| {
        entry.versions.as_ref().is_none_or(|wanted| wanted.admits(principal.agent_version.as_deref()))
    });
    Some(match meant {
        Some(entry) => Limit {
            source: LimitSource::Agent(principal.agent.clone()),
            tools: entry.tools.clone(),
            risks: None,
            permissions: entry.permissions.clone(),
            location: Some(entry.location.clone()),
        },
        None => nothing(
            LimitSource::UnlistedAgent(principal.agent.clone()),
            agents.get(&principal.agent).map(|entry| entry.location.clone()),
        ),
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
