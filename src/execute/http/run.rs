//! The executor of requests: what is planned is sent, at most as often as the contract allows, under one deadline.

use std::sync::Arc;
use std::time::Duration;

use hyper::Method;
use tokio::time::Instant;

use crate::catalog::Digest;
use crate::code::{CallError, ErrorCode, Retry};
use crate::execute::CancelToken;
use crate::expression::Url;
use crate::present::{HttpBreak, HttpCapture, HttpEnd};
use crate::secret::Credentials;
use crate::telemetry::TraceParent;
use crate::validate::HttpPlan;
use crate::workspace::Workspace;

use super::connect::{Place, Proxy, Route};
use super::deliver::{Delivery, Progress};
use super::pool::Connections;
use super::redirect;
use super::request::{Outgoing, elsewhere, outgoing, value_of};
use super::tls::Material;

/// The pause before a request that was lost is sent again; each later one is twice as long.
const PAUSE: Duration = Duration::from_millis(100);

/// What a request needs besides its plan.
pub(in crate::execute) struct HttpContext<'a> {
    pub(in crate::execute) workspace: &'a Arc<Workspace>,
    pub(in crate::execute) credentials: &'a Credentials,
    pub(in crate::execute) cancel: &'a CancelToken,
    pub(in crate::execute) connections: &'a Connections,
    pub(in crate::execute) traceparent: Option<TraceParent>,
    /// The basis of the files that a person said yes to.
    pub(in crate::execute) files: Option<Digest>,
    /// Whether a second request changes nothing more.
    pub(in crate::execute) is_repeatable: bool,
    /// Whether the same effect was asked for by an earlier call.
    pub(in crate::execute) is_repetition: bool,
}

/// Makes a request and reads its answer. What may have reached the service is never reported as not sent.
pub(in crate::execute) async fn run_http(plan: &HttpPlan, context: &HttpContext<'_>) -> HttpCapture {
    let progress = Progress::default();
    let stopped = |why: HttpBreak, code: ErrorCode, message: &str| {
        if progress.began() {
            HttpEnd::Broken(why)
        } else {
            HttpEnd::NotSent(CallError::new(code, message).with_hint("nothing was sent"))
        }
    };
    let end = tokio::select! {
        biased;
        () = context.cancel.cancelled() => {
            stopped(HttpBreak::Cancelled, ErrorCode::Cancelled, "the call was cancelled before anything was sent")
        }
        () = tokio::time::sleep_until(Instant::now() + plan.timeout) => {
            stopped(HttpBreak::TimedOut, ErrorCode::Timeout, "the deadline passed before anything was sent")
        }
        end = attempts(plan, context, &progress) => end,
    };
    let sent = progress.sent();
    HttpCapture { end, sent, repeated: context.is_repetition || sent > 1 }
}

async fn attempts(plan: &HttpPlan, context: &HttpContext<'_>, progress: &Progress) -> HttpEnd {
    let outgoing =
        match outgoing(plan, context.credentials, context.workspace, context.traceparent, context.files) {
            Ok(outgoing) => outgoing,
            Err(error) => return HttpEnd::NotSent(error),
        };
    let mut left = plan.retries;
    let mut pause = PAUSE;
    loop {
        let end = followed(plan, context, &outgoing, progress).await;
        let again = match &end {
            HttpEnd::NotSent(error) => error.retry == Retry::Later,
            HttpEnd::Broken(HttpBreak::Lost | HttpBreak::Silent) => context.is_repeatable,
            HttpEnd::Broken(HttpBreak::TimedOut | HttpBreak::Cancelled) | HttpEnd::Answered(_) => false,
        };
        if left == 0 || !again {
            return match end {
                // An earlier attempt may have got through.
                HttpEnd::NotSent(_) if progress.began() => HttpEnd::Broken(HttpBreak::Lost),
                end => end,
            };
        }
        left -= 1;
        tokio::time::sleep(pause).await;
        pause = pause.saturating_mul(2);
    }
}

/// One attempt, along the redirects that the contract allows.
async fn followed(
    plan: &HttpPlan,
    context: &HttpContext<'_>,
    outgoing: &Outgoing,
    progress: &Progress,
) -> HttpEnd {
    let mut current = outgoing.clone();
    let mut is_own = true;
    let mut left = plan.redirects.max;
    loop {
        let delivery = match delivery(plan, context, &current, is_own) {
            Ok(delivery) => delivery,
            Err(error) => return HttpEnd::NotSent(error),
        };
        let end = delivery.run(&current, context.connections, progress).await;
        let HttpEnd::Answered(answer) = &end else { return end };
        if left == 0 || !matches!(current.method, Method::GET | Method::HEAD) {
            return end;
        }
        let Some(next) = redirect::next(answer, &current.url, &plan.redirects) else { return end };
        left -= 1;
        // Once away the request comes back as a stranger's: who sent it there chose the address.
        is_own &= next.is_same_origin;
        current = if is_own { Outgoing { url: next.url, ..current } } else { elsewhere(&current, next.url) };
    }
}

/// How a request gets to its address. To other places than the contract's own it goes without the contract's certificates.
fn delivery<'a>(
    plan: &'a HttpPlan,
    context: &HttpContext<'a>,
    current: &Outgoing,
    is_own: bool,
) -> Result<Delivery<'a>, CallError> {
    let odd = || CallError::new(ErrorCode::Internal, "the request's address cannot be read");
    let place = Url::parse(&current.url).ok().and_then(|url| Place::of(&url)).ok_or_else(odd)?;
    let named = |name: &'a Option<_>| match name {
        Some(name) => value_of(name, context.credentials).map(Some),
        None => Ok(None),
    };
    let material = Material {
        roots: named(&plan.tls.roots)?,
        identity: if is_own { named(&plan.tls.identity)? } else { None },
    };
    let mut key = format!("{} {}", place.is_encrypted, place.authority());
    let mut encryption = None;
    if place.is_encrypted {
        let (config, digest) = context.connections.encryption(material, &[b"h2", b"http/1.1"])?;
        digest.iter().for_each(|byte| key.push_str(&format!("{byte:02x}")));
        encryption = Some(config);
    }
    let mut proxy = None;
    if let Some(spec) = &plan.proxy {
        let place = Url::parse(&spec.url).ok().and_then(|url| Place::of(&url)).ok_or_else(odd)?;
        let encryption = match place.is_encrypted {
            true => Some(context.connections.encryption(Material::default(), &[b"http/1.1"])?.0),
            false => None,
        };
        key.push_str(&format!(" {}", spec.url));
        proxy = Some(Proxy { place, encryption, credential: named(&spec.basic)? });
    }
    let is_confidential = is_own && plan.auth.is_some();
    Ok(Delivery {
        route: Route {
            place,
            networks: &plan.networks,
            is_confidential,
            encryption,
            proxy,
            timeout: plan.connect_timeout,
        },
        // What is confidential is never mixed with connections that were checked for less.
        key: format!("{is_confidential} {key}"),
        is_repeatable: context.is_repeatable,
        silence: plan.read_timeout,
        most: plan.max_response_bytes,
    })
}
