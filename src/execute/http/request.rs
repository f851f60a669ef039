//! From the plan to the bytes that are sent; the only place where a credential meets a request.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT,
};
use hyper::{HeaderMap, Method};
use zeroize::Zeroizing;

use crate::catalog::{Digest, HttpAuth};
use crate::code::{CallError, ErrorCode};
use crate::ident::CredentialName;
use crate::secret::Credentials;
use crate::telemetry::TraceParent;
use crate::validate::{HttpBody, HttpPlan, percent_encoded};
use crate::workspace::Workspace;

use super::form;

/// What is sent to one address.
#[derive(Clone)]
pub(super) struct Outgoing {
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Bytes>,
}

/// Makes what is sent. `files` is the basis of the preview that a person said yes to.
///
/// # Errors
/// Why it cannot be made: a file that is gone, a credential that no header can carry.
pub(super) fn outgoing(
    plan: &HttpPlan,
    credentials: &Credentials,
    workspace: &Workspace,
    traceparent: Option<TraceParent>,
    files: Option<Digest>,
) -> Result<Outgoing, CallError> {
    let odd =
        |what: &str| CallError::new(ErrorCode::Internal, format!("the request's {what} cannot be written"));
    let method = Method::from_bytes(plan.method.as_bytes()).map_err(|_| odd("method"))?;
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("tgw/", env!("CARGO_PKG_VERSION"))));
    if let Some(traceparent) = traceparent {
        let value = HeaderValue::try_from(traceparent.to_string()).map_err(|_| odd("trace"))?;
        headers.insert(HeaderName::from_static("traceparent"), value);
    }
    let (body, kind) = body(&plan.body, workspace, files)?;
    if let Some(kind) = kind {
        headers.insert(CONTENT_TYPE, HeaderValue::try_from(kind).map_err(|_| odd("content type"))?);
    }
    let mut stated = HeaderMap::new();
    for (name, value) in &plan.headers {
        let name = HeaderName::try_from(name.as_str()).map_err(|_| odd("header"))?;
        stated.append(name, HeaderValue::try_from(value.as_str()).map_err(|_| odd("header"))?);
    }
    // What the contract states is sent as it states it, also where a header has a usual value.
    headers.extend(stated);
    let mut url = plan.url.clone();
    if let Some(auth) = &plan.auth {
        show(auth, credentials, &mut headers, &mut url)?;
    }
    Ok(Outgoing { method, url, headers, body })
}

fn body(
    body: &HttpBody,
    workspace: &Workspace,
    files: Option<Digest>,
) -> Result<(Option<Bytes>, Option<String>), CallError> {
    let kind = |kind: &str| Some(kind.to_owned());
    Ok(match body {
        HttpBody::None => (None, None),
        HttpBody::Json(value) => (Some(value.to_string().into()), kind("application/json")),
        HttpBody::Text(text) => (Some(text.clone().into()), kind("text/plain; charset=utf-8")),
        HttpBody::Form(fields) => {
            (Some(form::encoded(fields).into()), kind("application/x-www-form-urlencoded"))
        }
        HttpBody::Multipart(parts) => {
            let (bytes, kind) = form::multipart(parts, workspace, files)?;
            (Some(bytes), Some(kind))
        }
    })
}

fn show(
    auth: &HttpAuth,
    credentials: &Credentials,
    headers: &mut HeaderMap,
    url: &mut String,
) -> Result<(), CallError> {
    let secret = value_of(auth.credential(), credentials)?;
    let header = |text: &[u8]| {
        let mut value =
            HeaderValue::from_bytes(text).map_err(|_| unusable(auth, "no header can carry it"))?;
        value.set_sensitive(true);
        Ok::<_, CallError>(value)
    };
    match auth {
        HttpAuth::Bearer(_) => {
            let text = Zeroizing::new([b"Bearer ".as_slice(), secret].concat());
            headers.insert(AUTHORIZATION, header(&text)?);
        }
        HttpAuth::Basic(_) => {
            if !secret.contains(&b':') {
                return Err(unusable(auth, "it is not of the form `user:password`"));
            }
            let text = Zeroizing::new(format!("Basic {}", STANDARD.encode(secret)));
            headers.insert(AUTHORIZATION, header(text.as_bytes())?);
        }
        HttpAuth::Header { name, .. } => {
            let name = HeaderName::try_from(name.as_str())
                .map_err(|_| unusable(auth, "its header cannot be written"))?;
            headers.insert(name, header(secret)?);
        }
        HttpAuth::Query { name, .. } => {
            let text = std::str::from_utf8(secret).map_err(|_| unusable(auth, "it is no text"))?;
            url.push(if url.contains('?') { '&' } else { '?' });
            url.push_str(&percent_encoded(name));
            url.push('=');
            url.push_str(&percent_encoded(text));
        }
    }
    Ok(())
}

/// The value of a credential that was resolved for this call.
pub(super) fn value_of<'c>(
    name: &CredentialName,
    credentials: &'c Credentials,
) -> Result<&'c [u8], CallError> {
    credentials.get(name).ok_or_else(|| {
        CallError::new(ErrorCode::CredentialUnavailable, format!("credential `{name}` was not resolved"))
    })
}

fn unusable(auth: &HttpAuth, why: &str) -> CallError {
    let name = auth.credential();
    CallError::new(ErrorCode::CredentialUnavailable, format!("credential `{name}` cannot be sent: {why}"))
        .with_hint("ask the person to look at its source")
}

/// The same request to another place: without a credential, and without what the contract meant for its own service.
pub(super) fn elsewhere(outgoing: &Outgoing, url: String) -> Outgoing {
    let kept = [ACCEPT, ACCEPT_ENCODING, USER_AGENT];
    let headers = kept
        .into_iter()
        .filter_map(|name| outgoing.headers.get(&name).map(|value| (name.clone(), value.clone())))
        .collect();
    Outgoing { method: outgoing.method.clone(), url, headers, body: None }
}
