//! `run.http`: a request to a service.

use std::sync::Arc;
use std::time::Duration;

use crate::catalog::{HttpAuth, HttpBodySpec, HttpField, HttpSpec, OutputFormat, Overflow, Risk};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::document::{Fields, Node, NodeValue, expect_text, found};
use crate::expression::{Template, Type, Url};
use crate::ident::CredentialName;

use super::compile::Compiler;
use super::http_body::body;
use super::http_connection::{auth, networks, proxy, redirects, tls};
use super::tool::duration;

/// Most bytes of an answer that a contract may ask for.
const MOST_BYTES: u64 = 256 << 20;
const USUAL_BYTES: usize = 8 << 20;
const USUAL_CONNECT: Duration = Duration::from_secs(10);
/// Most repetitions of a request that was lost.
const MOST_RETRIES: u64 = 5;

/// Loads `run.http`. The credentials that it names are added to `credentials`.
pub(super) fn http(
    node: &Node,
    risk: Risk,
    compiler: &Compiler<'_>,
    credentials: &mut Vec<(CredentialName, Span)>,
    report: &mut Report,
) -> Option<HttpSpec> {
    let mut fields = Fields::of(node, "`http`", report)?;
    let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
    let method = fields.word("method", &methods, report).unwrap_or("GET");
    if risk == Risk::ReadOnly && matches!(method, "PUT" | "PATCH" | "DELETE") {
        let span = fields.entry("method").map_or(node.span, |entry| entry.value.span);
        let message = format!("`{method}` changes something, and this tool is `read_only`");
        report.push(Diagnostic::error(span, message).with_hint("state the tool's true `risk`"));
    }
    let url = fields.required("url", report).and_then(|node| url(node, compiler, report));
    let query = fields.value("query", report).map(|node| named_fields(node, "`query`", compiler, report));
    let headers = fields.value("headers", report).map(|node| headers(node, compiler, report));
    let auth = fields.value("auth", report).map(|node| auth(node, credentials, report));
    let body = body(&mut fields, method, compiler, report);
    let networks = fields.value("networks", report).map(|node| networks(node, report));
    let redirects = fields.value("redirects", report).map(|node| redirects(node, method, risk, report));
    let proxy = fields.value("proxy", report).map(|node| proxy(node, credentials, report));
    let tls = fields.value("tls", report).map(|node| tls(node, credentials, report));
    let connect = fields.value("connect_timeout", report);
    let connect = connect.map(|node| duration(node, "`connect_timeout`", report));
    let read = fields.value("read_timeout", report).map(|node| duration(node, "`read_timeout`", report));
    let retries = fields.integer("retries", 0..=MOST_RETRIES, report);
    let output = fields.word("output", &["text", "json", "json_lines"], report).map(|word| match word {
        "json" => OutputFormat::Json,
        "json_lines" => OutputFormat::JsonLines,
        _ => OutputFormat::Text,
    });
    let success = fields
        .value("success", report)
        .and_then(|node| compiler.condition(node, "`success`", compiler.outcome(), report));
    let no_effect = fields.value("no_effect", report).and_then(|node| {
        if risk == Risk::ReadOnly {
            let message = "`no_effect` is for tools that change something, and this one is `read_only`";
            report.push(Diagnostic::error(node.span, message));
        }
        compiler.condition(node, "`no_effect`", compiler.outcome(), report)
    });
    let most = fields.integer("max_response_bytes", 1..=MOST_BYTES, report);
    let on_overflow = fields.word("on_overflow", &["truncate", "fail"], report).map(|word| match word {
        "fail" => Overflow::Fail,
        _ => Overflow::Truncate,
    });
    fields.finish(report);
    let spec = HttpSpec {
        method: method.to_owned(),
        url: url?,
        query: stated(query)?,
        headers: stated(headers)?,
        auth: stated_option(auth)?,
        body: body?,
        networks: networks.unwrap_or_default(),
        redirects: stated(redirects)?,
        proxy: stated_option(proxy)?,
        tls: stated(tls)?,
        connect_timeout: connect.unwrap_or(Some(USUAL_CONNECT))?,
        read_timeout: stated_option(read)?,
        retries: retries.and_then(|retries| u8::try_from(retries).ok()).unwrap_or(0),
        output,
        success,
        no_effect,
        max_response_bytes: most.and_then(|most| usize::try_from(most).ok()).unwrap_or(USUAL_BYTES),
        on_overflow,
    };
    check_headers(&spec, node.span, report);
    if !spec.tls.is_empty() && spec.url.leading_text().to_ascii_lowercase().starts_with("http:") {
        let message = "`tls` is for `https`: nothing of this request is encrypted";
        report.push(Diagnostic::error(node.span, message));
    }
    Some(spec)
}

/// What is not stated is the default; what is stated and wrong is none.
fn stated<T: Default>(loaded: Option<Option<T>>) -> Option<T> {
    loaded.unwrap_or_else(|| Some(T::default()))
}

fn stated_option<T>(loaded: Option<Option<T>>) -> Option<Option<T>> {
    loaded.map_or(Some(None), |loaded| loaded.map(Some))
}

/// Loads the address: everything before the path is written out, and the path has no character that means something else.
fn url(node: &Node, compiler: &Compiler<'_>, report: &mut Report) -> Option<Template> {
    let template = compiler.template(node, "`url`", compiler.run(), report)?;
    let mut refuse = |message: String, hint: &str| {
        report.push(Diagnostic::error(node.span, message).with_hint(hint));
        None
    };
    if template.texts().any(|text| text.contains(['?', '#'])) {
        return refuse("`url` has a query or a fragment".to_owned(), "write parameters under `query`");
    }
    let start = template.leading_text();
    let after = start.find("://").map(|at| at + 3);
    let whole = template.expressions().next().is_none();
    let end = after.and_then(|at| start.get(at..)?.find('/').map(|slash| at + slash));
    let written = whole || end.is_some();
    if !written {
        return refuse(
            "scheme, host and port of `url` must be written out, not filled in".to_owned(),
            "write it like `https://api.example/items/{{arguments.id}}`",
        );
    }
    // What is filled in is encoded, so that it is plain whatever it will be.
    let rendered: String = template.texts().collect();
    match Url::parse(&rendered) {
        Err(problem) => refuse(problem, "write it like `https://api.example/items/{{arguments.id}}`"),
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            refuse(format!("`{}` is no scheme of a request", url.scheme()), "write `https://…`")
        }
        Ok(url) if url.path().contains("//") && whole => {
            refuse("the path of `url` has an empty part".to_owned(), "write one `/` between two parts")
        }
        Ok(url) if !url.path().bytes().all(is_path_byte) => refuse(
            "the path of `url` has a character that must be encoded".to_owned(),
            "write it with `%` and two digits, such as `%20` for a blank",
        ),
        Ok(_) => Some(template),
    }
}

/// Whether a byte may stand in a path as it is.
fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@%/".contains(&byte)
}

/// Loads a mapping of names to values, each a template, or one for each item of a list, or where a condition holds.
pub(super) fn named_fields(
    node: &Node,
    what: &str,
    compiler: &Compiler<'_>,
    report: &mut Report,
) -> Option<Vec<(String, HttpField)>> {
    let NodeValue::Mapping(entries) = &node.value else {
        report.push(Diagnostic::error(node.span, format!("{what} must be a mapping, found {}", found(node))));
        return None;
    };
    let loaded: Vec<_> = entries
        .iter()
        .map(|entry| {
            if entry.key.is_empty() {
                report.push(Diagnostic::error(entry.key_span, format!("a name in {what} is empty")));
                return None;
            }
            Some((entry.key.clone(), field(&entry.value, &format!("`{}`", entry.key), compiler, report)?))
        })
        .collect();
    loaded.into_iter().collect()
}

/// Loads one value.
pub(super) fn field(
    node: &Node,
    what: &str,
    compiler: &Compiler<'_>,
    report: &mut Report,
) -> Option<HttpField> {
    match &node.value {
        NodeValue::Mapping(_) => {}
        // Numbers and truth values mean their text, as they do in a placeholder.
        NodeValue::Number(_) | NodeValue::Bool(_) => {
            let text = node.to_json().to_string();
            let node = Node { value: NodeValue::String(text), span: node.span };
            return compiler.template(&node, what, compiler.run(), report).map(HttpField::One);
        }
        _ => return compiler.template(node, what, compiler.run(), report).map(HttpField::One),
    }
    let mut fields = Fields::of(node, what, report)?;
    let when = fields.value("when", report);
    let each = fields.value("each", report);
    let value = fields.required("value", report);
    fields.finish(report);
    match (when, each) {
        (Some(when), None) => {
            let when = compiler.condition(when, "`when`", compiler.run(), report);
            let variables = when.as_ref().map(|when| compiler.guarded_by(when));
            let value = compiler.template(value?, what, variables.as_ref().unwrap_or(compiler.run()), report);
            Some(HttpField::When { when: when?, value: value? })
        }
        (None, Some(each)) => {
            let list = Type::List(Arc::new(Type::Dynamic));
            let each = compiler.expression(each, "`each`", compiler.run(), &list, report)?;
            let value = compiler.template(value?, what, &compiler.each(&each), report)?;
            Some(HttpField::Each { each, value })
        }
        (None, None) | (Some(_), Some(_)) => {
            let message = format!("{what} has either `when` or `each`, and `value`");
            report.push(Diagnostic::error(node.span, message));
            None
        }
    }
}

fn headers(node: &Node, compiler: &Compiler<'_>, report: &mut Report) -> Option<Vec<(String, HttpField)>> {
    let NodeValue::Mapping(entries) = &node.value else {
        return named_fields(node, "`headers`", compiler, report);
    };
    let mut good = true;
    for entry in entries {
        let key = Node { value: NodeValue::String(entry.key.clone()), span: entry.key_span };
        good &= header_name(&entry.key, &key, report).is_some();
    }
    named_fields(node, "`headers`", compiler, report).filter(|_| good)
}

/// Headers that the gateway sets itself, since they say where a request ends and where it goes.
const OWN_HEADERS: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Reads the name of a header that a contract may set.
pub(super) fn header_name(text: &str, node: &Node, report: &mut Report) -> Option<String> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let lower = text.to_ascii_lowercase();
    let (message, hint) = if text.is_empty() || !text.bytes().all(is_token) {
        (format!("`{}` is no name of a header", text.escape_default()), "write it like `X-Request-Ref`")
    } else if OWN_HEADERS.contains(&lower.as_str()) {
        (format!("the header `{text}` is set by the gateway itself"), "remove it")
    } else if matches!(lower.as_str(), "authorization" | "proxy-authorization" | "cookie") {
        (format!("the header `{text}` carries a credential"), "name the credential under `auth`")
    } else {
        return Some(text.to_owned());
    };
    report.push(Diagnostic::error(node.span, message).with_hint(hint));
    None
}

/// Reads a credential's name.
pub(super) fn credential(
    node: &Node,
    used: &mut Vec<(CredentialName, Span)>,
    report: &mut Report,
) -> Option<CredentialName> {
    let text = expect_text(node, "a credential", report)?;
    match CredentialName::parse(text) {
        Ok(name) => {
            used.push((name.clone(), node.span));
            Some(name)
        }
        Err(invalid) => {
            report.push(Diagnostic::error(node.span, invalid.to_string()));
            None
        }
    }
}

/// A header that two places set has no one value.
fn check_headers(spec: &HttpSpec, span: Span, report: &mut Report) {
    let mut names: Vec<String> = spec.headers.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    if let Some(HttpAuth::Header { name, .. }) = &spec.auth {
        names.push(name.to_ascii_lowercase());
    }
    if matches!(spec.body, HttpBodySpec::Form(_) | HttpBodySpec::Multipart(_)) {
        names.push("content-type".to_owned());
    }
    if let Some(HttpAuth::Query { name, .. }) = &spec.auth
        && spec.query.iter().any(|(set, _)| set == name)
    {
        let message = format!("the parameter `{name}` is set by `query` and by `auth`");
        report.push(Diagnostic::error(span, message));
    }
    names.sort();
    for pair in names.windows(2) {
        if let [first, second] = pair
            && first == second
        {
            let message = format!("the header `{first}` is set twice, so that it has no one value");
            report.push(Diagnostic::error(span, message));
        }
    }
}
