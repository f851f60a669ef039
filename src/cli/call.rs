//! `tgw call`: one call, and its answer as the exit status.

use std::io::Read;

use serde_json::{Map, Value};

use crate::authorize::Consent;
use crate::code::{CallError, ErrorCode};
use crate::execute::CancelToken;
use crate::execute::Signals;
use crate::gateway::{Admission, Finished, Gateway, Origin};
use crate::ident::CallId;
use crate::wire::{CallRequest, JsonLimits, Shape, parse_strict};

use super::arguments::{CallArgs, ColourChoice};
use super::display::{Display, interaction};
use super::exit::{Failure, Outcome};
use super::output::print;
use super::run::{random_run, runtime};
use super::{session, telemetry};

/// Runs one call.
pub(crate) fn call(arguments: &CallArgs, colour: ColourChoice) -> Outcome {
    let mut loaded = session::load(&arguments.session)?;
    loaded.for_one_call();
    loaded.warn_untrusted();
    loaded.log_warnings();
    let text = argument_text(&arguments.arguments)?;
    let display = Display::new(&arguments.display, colour, &loaded.in_use)?;
    let store = super::store::create(&loaded)?;
    let asked = interaction(&arguments.display, colour);
    let telemetry = telemetry::start(&loaded.session.environment, loaded.session.clock)?;
    let gateway = Gateway::new(&loaded.session, store, asked, &display, None).with_telemetry(telemetry);
    let id = CallId::parse(&format!("call_{:016x}", random_run()?))
        .map_err(|error| Failure::failed(error.to_string()))?;
    carry_out(&gateway, |cancel| run_one(&gateway, id, &arguments.name, &text, cancel))
}

/// Does the work of one call, which a signal cancels; records it, prints its answer, and gives its exit status.
pub(super) fn carry_out<W: Future<Output = Box<Finished>>>(
    gateway: &Gateway<'_>,
    work: impl FnOnce(CancelToken) -> W,
) -> Outcome {
    let finished = runtime()?.block_on(async {
        let mut signals = Signals::new()?;
        let cancel = CancelToken::default();
        let work = work(cancel.clone());
        tokio::pin!(work);
        loop {
            tokio::select! {
                finished = &mut work => return Ok(finished),
                () = signals.received(), if !cancel.is_cancelled() => cancel.cancel(),
            }
        }
    });
    let finished =
        finished.map_err(|error: std::io::Error| Failure::failed(format!("cannot start: {error}")))?;
    let mut out = Vec::new();
    let status = gateway.commit(vec![finished], &mut out);
    print(&String::from_utf8_lossy(&out))?;
    gateway.close();
    Ok(status)
}

async fn run_one(
    gateway: &Gateway<'_>,
    id: CallId,
    name: &str,
    text: &[u8],
    cancel: CancelToken,
) -> Box<Finished> {
    let origin = Origin { id: id.clone(), tool: Some(name.to_owned()), shape: Shape::Native, rpc_id: None };
    let arguments = match parse_arguments(text) {
        Ok(arguments) => arguments,
        Err(error) => return Box::new(gateway.refuse(origin, error)),
    };
    let request = CallRequest {
        id,
        name: name.to_owned(),
        arguments,
        expects: None,
        shape: Shape::Native,
        rpc_id: None,
        traceparent: None,
    };
    match gateway.admit(request, Consent::None) {
        Admission::Finished(finished) => finished,
        Admission::Ask(pending) => gateway.ask_and_run(pending, cancel).await,
        Admission::Open(held) => gateway.settle_and_run(held, cancel).await,
        Admission::Ready { call, .. } => gateway.run(call, cancel).await,
    }
}

fn parse_arguments(text: &[u8]) -> Result<Map<String, Value>, CallError> {
    let malformed = |message: String| {
        CallError::new(ErrorCode::MalformedCall, message).with_hint("give the arguments as one JSON object")
    };
    match parse_strict(text, JsonLimits::default()) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err(malformed("the arguments are not a JSON object".to_owned())),
        Err(error) => Err(malformed(format!("the arguments are not acceptable JSON: {error}"))),
    }
}

/// The arguments as typed, from stdin for `-`, or from a file for `@FILE`.
fn argument_text(typed: &str) -> Result<Vec<u8>, Failure> {
    let most = JsonLimits::default().bytes as u64 + 1;
    let mut bytes = Vec::new();
    let read = match (typed, typed.strip_prefix('@')) {
        ("-", _) => std::io::stdin().lock().take(most).read_to_end(&mut bytes),
        (_, Some(path)) => std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)),
        _ => return Ok(typed.as_bytes().to_vec()),
    };
    read.map_err(|error| {
        Failure::configuration(format!("cannot read the arguments from `{typed}`: {error}"))
    })?;
    Ok(bytes)
}
