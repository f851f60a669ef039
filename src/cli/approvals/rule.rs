//! `tgw approvals show --as-rule`: what in the policy would answer the like of a question from now on.

use crate::approval::StoredCall;
use crate::gateway::{Gateway, Observer, Stage};
use crate::ident::RuleId;
use crate::policy::{NotSuggested, Suggestion, suggest};
use crate::secret::Redactor;
use crate::session::Here;
use crate::state::{Store, StoreError, StoredApproval};

use super::super::approver_arguments::ShowArgs;
use super::super::arguments::SessionArgs;
use super::super::exit::{Failure, Outcome};
use super::super::output::print;
use super::super::session::{self, Identity, policy_files};
use super::super::stated_task::Purpose;
use super::super::store::{self, failure};
use super::super::table;
use super::run::request;
use super::{call_failure, not_believed, unknown};

/// Prints rules that would let the like of a question's call through. Nothing is applied.
pub(super) fn as_rule(arguments: &ShowArgs) -> Outcome {
    let id = arguments.id.as_str();
    let looked = store::open(&arguments.store)?;
    let stored = looked.store.as_ref().map(|store| store.approval(&looked.tenant, id)).transpose();
    let question = stored.map_err(|error| failure(&error))?.flatten().ok_or_else(|| unknown(id))?;
    if let Some(why) = question.seal.doubt() {
        return Err(not_believed(id, why));
    }
    let call =
        StoredCall::from_json(&question.call, question.question).map_err(|error| call_failure(&error))?;
    if call.enters().is_some() {
        return Err(Failure::failed(format!(
            "`{id}` is about a task at the gate of a step, and no rule lets one in"
        ))
        .with_hint("the gate is `enter` of the step in the policy"));
    }
    let arguments = session_arguments(arguments);
    let loaded = session::load_as(&arguments, Some(identity(&question, &call)), Purpose::Look)?;
    loaded.warn_untrusted();
    let nobody = Nobody;
    // Nothing is recorded, so no store is needed.
    let none = Err(StoreError::Unavailable("nothing is recorded".to_owned()));
    let gateway = Gateway::new(&loaded.session, none, None, &nobody, None);
    let check = gateway.check(request(&call)?);
    let decided = match &check.stage {
        Stage::Decided { call, .. } => call,
        Stage::Refused { error } => return Err(call_failure(error)),
    };
    let session = &loaded.session;
    let name = RuleId::parse(&format!("allow-{}", id.trim_start_matches("a_")))
        .map_err(|error| Failure::failed(error.to_string()))?;
    let files = policy_files(&loaded.policies);
    let here = Here { task: &session.task, step: session.step.as_ref(), scope: &session.scope };
    let facts = session.facts_at(here);
    let suggested = suggest(&files, &session.catalog, &session.policy, decided, &facts, &name)
        .map_err(|error| not_suggested(id, &error))?;
    let text = written(&suggested, &question, &call);
    if Redactor::default().text(&text) != text {
        return Err(Failure::failed("an argument of the call looks like a secret, which a rule would hold")
            .with_hint("write the rule by hand, so that it matches without the secret"));
    }
    print(&text)?;
    Ok(0)
}

fn identity(question: &StoredApproval, call: &StoredCall) -> Identity {
    Identity {
        principal: question.principal.clone(),
        task: call.task.context(&question.task),
        step: question.step.clone(),
    }
}

fn session_arguments(arguments: &ShowArgs) -> SessionArgs {
    SessionArgs {
        tools: arguments.tools.clone(),
        policy: arguments.policy.clone(),
        lock: arguments.lock.clone(),
        facts: arguments.facts.clone(),
        workspace: arguments.store.workspace.clone(),
        state: arguments.store.state.clone(),
        tenant: arguments.store.tenant.clone(),
        ..SessionArgs::default()
    }
}

fn not_suggested(id: &str, error: &NotSuggested) -> Failure {
    let hint = match error {
        NotSuggested::Allowed => {
            format!("`tgw approvals run {id}`, or the same call sent again, needs no rule")
        }
        NotSuggested::Denied(_) => "no exception lifts a `deny`".to_owned(),
        NotSuggested::NotEnough(_) | NotSuggested::DoesNotHold(_) => {
            "write the rule by hand; `tgw check --explain` shows every rule that counts".to_owned()
        }
    };
    Failure::failed(error.to_string()).with_hint(hint)
}

/// The rules with what to do with them.
fn written(suggestion: &Suggestion, question: &StoredApproval, call: &StoredCall) -> String {
    let mut text = format!(
        "# From now on allows the like of the call that `{}` is about: {} with the same arguments, for the same user, agent,\n\
         # step and tenant, in any task. Anything else is decided as before. Nothing is applied: it is for you to put in.\n",
        question.id, question.tool
    );
    for quorum in &call.quorums {
        text.push_str(&format!("# It takes such calls out of what needs {quorum} (rule {}).\n", quorum.rule));
    }
    for file in &suggestion.files {
        let place = table::visible(&file.name).replace('\n', " ");
        let ids: Vec<&str> = file.replaced.iter().map(RuleId::as_str).collect();
        text.push_str(&match ids.as_slice() {
            [] => format!("# Add to `{place}`:\n"),
            ids => format!(
                "# In `{place}`: in place of the rules of these ids ({}), and what has another id added.\n",
                ids.join(", ")
            ),
        });
        text.push_str(&file.text);
    }
    text
}

/// Nobody watches.
struct Nobody;

impl Observer for Nobody {
    fn finished(&self, _: &crate::gateway::Finished, _: &Redactor) {}
    fn progress(&self, _: &str, _: std::time::Duration) {}
    fn operation(&self, _: &str, _: &str, _: &str, _: Option<&str>) {}
}
