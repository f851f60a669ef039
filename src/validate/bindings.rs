//! The variables of a contract's expressions and templates, for one call.

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Value, json};

use crate::catalog::TaskContext;
use crate::expression::Bindings;
use crate::ident::{CallId, Principal, StepName};

/// Variables of `run`, `timeout`, `parallel_when` and `success` expressions for one call.
///
/// The slots are those of the catalog's declarations. A variable that is not there (no step, no outcome yet) is an
/// evaluation error.
pub struct CallBindings<'a> {
    /// The effective arguments.
    pub arguments: &'a Value,
    /// Who is behind the call.
    pub principal: &'a Principal,
    /// The task.
    pub task: &'a TaskContext,
    /// The step.
    pub step: Option<&'a StepName>,
    /// The call's id.
    pub call_id: &'a CallId,
    /// The workspace root.
    pub workspace: &'a Path,
    /// The item of an `each`.
    pub item: Option<&'a Value>,
    /// The value, where an outcome is read; a probe's, where what it brought back is read.
    pub value: Option<&'a Value>,
    /// The call's value, where `value` is a probe's.
    pub result: Option<&'a Value>,
    /// The id of the operation that a backend works on.
    pub operation: Option<&'a Value>,
    /// `{"status": n}`, where an outcome is read.
    pub exit: Option<&'a Value>,
    /// `{"status": n, "headers": {…}}`, where the outcome of a request is read.
    pub http: Option<&'a Value>,
    /// The stated effect key.
    pub effect_key: Option<&'a str>,
}

impl Bindings for CallBindings<'_> {
    fn variable(&self, slot: usize) -> Option<Cow<'_, Value>> {
        use crate::catalog::declarations::{
            AGENT, ARGUMENTS, CALL, EFFECT, EXIT, HTTP, ITEM, OPERATION, RESULT, STEP, TASK, TENANT, USER,
            VALUE, WORKSPACE,
        };
        let text = |text: &str| Some(Cow::Owned(Value::String(text.to_owned())));
        match slot {
            ARGUMENTS => Some(Cow::Borrowed(self.arguments)),
            TENANT => text(self.principal.tenant.as_str()),
            USER => text(self.principal.user.as_str()),
            AGENT => Some(Cow::Owned(self.agent())),
            TASK => Some(Cow::Owned(self.task())),
            STEP => self.step.and_then(|step| text(step.as_str())),
            CALL => Some(Cow::Owned(json!({"id": self.call_id.as_str()}))),
            WORKSPACE => self.workspace.to_str().and_then(text),
            ITEM => self.item.map(Cow::Borrowed),
            VALUE => self.value.map(Cow::Borrowed),
            RESULT => self.result.map(Cow::Borrowed),
            OPERATION => self.operation.map(|id| Cow::Owned(json!({ "id": id }))),
            EXIT => self.exit.map(Cow::Borrowed),
            HTTP => self.http.map(Cow::Borrowed),
            EFFECT => self.effect_key.map(|key| Cow::Owned(json!({ "key": key }))),
            _ => None,
        }
    }
}

impl CallBindings<'_> {
    fn agent(&self) -> Value {
        let mut agent = json!({"name": self.principal.agent.as_str()});
        if let (Some(version), Some(fields)) = (&self.principal.agent_version, agent.as_object_mut()) {
            fields.insert("version".to_owned(), version.as_str().into());
        }
        agent
    }

    fn task(&self) -> Value {
        let mut task = json!({"id": self.task.id.as_str()});
        if let Some(fields) = task.as_object_mut() {
            if let Some(prompt) = &self.task.prompt {
                fields.insert("prompt".to_owned(), prompt.as_str().into());
            }
            fields.insert("data".to_owned(), self.task.data.clone());
        }
        task
    }
}
