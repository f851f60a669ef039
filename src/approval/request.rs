//! A request as a person is asked about it: where it goes, what it carries, and the credentials by name.

use crate::catalog::HttpAuth;
use crate::secret::Redactor;
use crate::text;
use crate::validate::{HttpBody, HttpPartPlan, HttpPlan};

/// The request with every text of it redacted.
pub(super) fn redacted_request(request: &HttpPlan, redactor: &Redactor) -> HttpPlan {
    let clean = |text: &String| redactor.text(text).into_owned();
    let pairs = |pairs: &[(String, String)]| {
        pairs.iter().map(|(name, value)| (clean(name), clean(value))).collect::<Vec<_>>()
    };
    let body = match &request.body {
        HttpBody::None => HttpBody::None,
        HttpBody::Json(value) => {
            let mut value = value.clone();
            redactor.value(&mut value);
            HttpBody::Json(value)
        }
        HttpBody::Text(text) => HttpBody::Text(clean(text)),
        HttpBody::Form(fields) => HttpBody::Form(pairs(fields)),
        HttpBody::Multipart(parts) => HttpBody::Multipart(
            parts
                .iter()
                .map(|part| match part {
                    HttpPartPlan::Field { name, value } => {
                        HttpPartPlan::Field { name: name.clone(), value: clean(value) }
                    }
                    HttpPartPlan::File { name, file, filename, content_type } => HttpPartPlan::File {
                        name: name.clone(),
                        file: clean(file),
                        filename: clean(filename),
                        content_type: content_type.clone(),
                    },
                })
                .collect(),
        ),
    };
    HttpPlan { url: clean(&request.url), headers: pairs(&request.headers), body, ..request.clone() }
}

/// The credentials of a request, each with where it is shown.
pub(super) fn request_credentials(request: &HttpPlan) -> Vec<String> {
    let auth = request.auth.as_ref().map(|auth| match auth {
        HttpAuth::Bearer(name) => format!("{name} as bearer token"),
        HttpAuth::Basic(name) => format!("{name} as user and password"),
        HttpAuth::Header { name, credential } => format!("{credential} as header {name}"),
        HttpAuth::Query { name, credential } => format!("{credential} as parameter {name}"),
    });
    let proxy = request.proxy.as_ref().and_then(|proxy| proxy.basic.as_ref());
    let tls = &request.tls;
    auth.into_iter()
        .chain(proxy.map(|name| format!("{name} for the proxy")))
        .chain(tls.identity.as_ref().map(|name| format!("{name} as client certificate")))
        .chain(tls.roots.as_ref().map(|name| format!("{name} as trusted certificates")))
        .collect()
}

/// The lines of what a request sends, escaped; empty where it sends nothing.
pub(super) fn body_text(body: &HttpBody) -> Option<(&'static str, String)> {
    let named = |name: &str, value: &str| format!("{name} = {}", text::escape(value));
    Some(match body {
        HttpBody::None => return None,
        HttpBody::Json(value) => {
            let text = serde_json::to_string_pretty(value).unwrap_or_default();
            ("as JSON", text.split('\n').map(text::escape).collect::<Vec<_>>().join("\n"))
        }
        HttpBody::Text(text) => {
            ("as text", text.split('\n').map(text::escape).collect::<Vec<_>>().join("\n"))
        }
        HttpBody::Form(fields) => (
            "as a form",
            fields
                .iter()
                .map(|(name, value)| named(&text::escape(name), value))
                .collect::<Vec<_>>()
                .join("\n"),
        ),
        HttpBody::Multipart(parts) => (
            "as a form of several parts",
            parts
                .iter()
                .map(|part| match part {
                    HttpPartPlan::Field { name, value } => named(&text::escape(name), value),
                    HttpPartPlan::File { name, file, filename, content_type } => text::escape(&format!(
                        "{name} = the file {file}, sent as {filename} ({content_type})"
                    ))
                    .into_owned(),
                })
                .collect::<Vec<_>>()
                .join("\n"),
        ),
    })
}
