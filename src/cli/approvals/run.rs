//! `tgw approvals run`: a stored call, decided again and run with the yes that was given to it; or a task that enters a step
//! with it.

use crate::approval::StoredCall;
use crate::code::{CallError, ErrorCode};
use crate::execute::CancelToken;
use crate::gateway::{Admission, Finished, Gateway, Settled};
use crate::ident::CallId;
use crate::wire::{CallRequest, Shape};

use super::super::approval_arguments::ApprovalsRunArgs;
use super::super::arguments::{ColourChoice, DisplayArgs, SessionArgs, StoreArgs};
use super::super::call::carry_out;
use super::super::display::Display;
use super::super::exit::{Failure, Outcome};
use super::super::session::{self, Identity};
use super::super::stated_task::Purpose;
use super::super::store::{self, failure};
use super::super::task;
use super::super::telemetry;
use super::{call_failure, not_believed, unknown};

/// Runs the call of a question that was answered with yes.
pub(super) fn run(arguments: &ApprovalsRunArgs, colour: ColourChoice) -> Outcome {
    let id = arguments.id.as_str();
    let looked = store::open(&store_arguments(arguments))?;
    let stored = looked.store.as_ref().map(|store| crate::state::Store::approval(store, &looked.tenant, id));
    let stored = stored.transpose().map_err(|error| failure(&error))?.flatten().ok_or_else(|| unknown(id))?;
    if let Some(why) = stored.seal.doubt() {
        return Err(not_believed(id, why));
    }
    let call = StoredCall::from_json(&stored.call, stored.question).map_err(|error| call_failure(&error))?;
    drop(looked);
    let arguments_of_session = session_arguments(arguments);
    if let Some(step) = call.enters() {
        let place = store_arguments(arguments);
        return task::as_asked(&stored, &call, step, &arguments_of_session, &place);
    }
    let request = request(&call)?;
    let loaded = session::load_as(
        &arguments_of_session,
        Some(Identity {
            principal: stored.principal.clone(),
            task: call.task.context(&stored.task),
            step: stored.step.clone(),
        }),
        Purpose::Run,
    )?;
    loaded.warn_untrusted();
    loaded.log_warnings();
    let shown = DisplayArgs { display: arguments.display.clone(), no_prompt: true };
    let display = Display::new(&shown, colour, &loaded.in_use)?;
    let telemetry = telemetry::start(&loaded.session.environment, loaded.session.clock)?;
    let gateway = Gateway::new(&loaded.session, store::create(&loaded)?, None, &display, None)
        .with_telemetry(telemetry);
    carry_out(&gateway, |cancel| redeem(&gateway, id, &call, request, cancel))
}

async fn redeem(
    gateway: &Gateway<'_>,
    id: &str,
    call: &StoredCall,
    request: CallRequest,
    cancel: CancelToken,
) -> Box<Finished> {
    let grant = match gateway.settled(id) {
        Ok(Settled::Consented(grant)) => grant,
        Ok(Settled::Ended(error)) => return gateway.end_of(&request, *error),
        Ok(Settled::Waiting) => {
            let error = CallError::new(
                ErrorCode::ApprovalRequired,
                "the answers that it takes are not all there yet",
            )
            .with_hint(format!("`tgw approvals show {id}` shows it"));
            return gateway.end_of(&request, error);
        }
        Err(error) => return gateway.end_of(&request, error.call_error()),
    };
    match gateway.redeem(request, call.contract, *grant) {
        Admission::Finished(finished) => finished,
        Admission::Ask(pending) => gateway.ask_and_run(pending, cancel).await,
        Admission::Open(held) => gateway.settle_and_run(held, cancel).await,
        Admission::Ready { call, .. } => gateway.run(call, cancel).await,
    }
}

/// The call as it is sent through the pipeline again, under its own id.
pub(super) fn request(call: &StoredCall) -> Result<CallRequest, Failure> {
    let id = CallId::parse(&call.id).map_err(|error| Failure::failed(error.to_string()))?;
    let arguments = call
        .arguments
        .as_object()
        .cloned()
        .ok_or_else(|| Failure::failed("the stored call has no arguments that can be read"))?;
    Ok(CallRequest {
        id,
        name: call.tool.clone(),
        arguments,
        expects: None,
        shape: Shape::Native,
        rpc_id: None,
        traceparent: None,
    })
}

fn store_arguments(arguments: &ApprovalsRunArgs) -> StoreArgs {
    StoreArgs {
        workspace: arguments.workspace.clone(),
        state: arguments.state.clone(),
        tenant: arguments.tenant.clone(),
    }
}

fn session_arguments(arguments: &ApprovalsRunArgs) -> SessionArgs {
    SessionArgs {
        tools: arguments.tools.clone(),
        policy: arguments.policy.clone(),
        lock: arguments.lock.clone(),
        workspace: arguments.workspace.clone(),
        state: arguments.state.clone(),
        tenant: arguments.tenant.clone(),
        facts: arguments.facts.clone(),
        ..SessionArgs::default()
    }
}
