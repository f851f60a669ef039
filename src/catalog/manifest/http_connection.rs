//! How a service is reached and under whose name: credentials, networks, redirects, a proxy, certificates.

use crate::catalog::{HttpAuth, HttpProxy, HttpTls, Network, Redirects, Risk};
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::document::{Fields, Node, NodeValue, expect_integer, expect_text, expect_texts};
use crate::expression::{Url, host_matches};
use crate::ident::CredentialName;

use super::http::{credential, header_name};

/// Most redirects that a contract may follow.
const MOST_REDIRECTS: u64 = 10;

/// Loads `auth`.
pub(super) fn auth(
    node: &Node,
    used: &mut Vec<(CredentialName, Span)>,
    report: &mut Report,
) -> Option<HttpAuth> {
    let mut fields = Fields::of(node, "`auth`", report)?;
    let bearer = fields.value("bearer", report);
    let basic = fields.value("basic", report);
    let header = fields.value("header", report);
    let query = fields.value("query", report);
    fields.finish(report);
    match (bearer, basic, header, query) {
        (Some(node), None, None, None) => credential(node, used, report).map(HttpAuth::Bearer),
        (None, Some(node), None, None) => credential(node, used, report).map(HttpAuth::Basic),
        (None, None, Some(node), None) => {
            let (name, credential) = named(node, "`header`", used, report)?;
            let key = Node { value: NodeValue::String(name.clone()), span: node.span };
            Some(HttpAuth::Header { name: header_name(&name, &key, report)?, credential })
        }
        (None, None, None, Some(node)) => {
            let (name, credential) = named(node, "`query`", used, report)?;
            Some(HttpAuth::Query { name, credential })
        }
        _ => {
            let message = "`auth` has one of `bearer`, `basic`, `header` and `query`";
            report
                .push(Diagnostic::error(node.span, message).with_hint("write `auth: {bearer: credential}`"));
            None
        }
    }
}

fn named(
    node: &Node,
    what: &str,
    used: &mut Vec<(CredentialName, Span)>,
    report: &mut Report,
) -> Option<(String, CredentialName)> {
    let mut fields = Fields::of(node, what, report)?;
    let name = fields.required_text("name", report).filter(|name| !name.is_empty()).map(str::to_owned);
    let credential = fields.required("credential", report).and_then(|node| credential(node, used, report));
    fields.finish(report);
    Some((name?, credential?))
}

/// Loads `networks`.
pub(super) fn networks(node: &Node, report: &mut Report) -> Vec<Network> {
    let mut networks = Vec::new();
    for (text, node) in expect_texts(node, "`networks`", report) {
        match Network::parse(text) {
            Ok(network) => networks.push(network),
            Err(problem) => report.push(
                Diagnostic::error(node.span, problem)
                    .with_hint("write `loopback`, or a block like `10.0.0.0/8`"),
            ),
        }
    }
    networks
}

/// Loads `redirects`: how many, or a mapping that names other hosts too.
pub(super) fn redirects(node: &Node, method: &str, risk: Risk, report: &mut Report) -> Option<Redirects> {
    if risk != Risk::ReadOnly || !matches!(method, "GET" | "HEAD") {
        let message = "`redirects` are followed for `GET` and `HEAD` of a `read_only` tool only";
        report.push(
            Diagnostic::error(node.span, message)
                .with_hint("a request that changes something would be made twice, or half"),
        );
        return None;
    }
    if !matches!(node.value, NodeValue::Mapping(_)) {
        let max = expect_integer(node, "`redirects`", 0..=MOST_REDIRECTS, report)?;
        return Some(Redirects { max: u8::try_from(max).ok()?, hosts: Vec::new() });
    }
    let mut fields = Fields::of(node, "`redirects`", report)?;
    let max = fields.required("max", report);
    let max = max.and_then(|node| expect_integer(node, "`max`", 0..=MOST_REDIRECTS, report));
    let mut hosts = Vec::new();
    if let Some(node) = fields.value("hosts", report) {
        for (text, node) in expect_texts(node, "`hosts`", report) {
            match host_matches("example.com", text) {
                Ok(_) => hosts.push(text.to_owned()),
                Err(problem) => report.push(Diagnostic::error(node.span, problem)),
            }
        }
    }
    fields.finish(report);
    Some(Redirects { max: u8::try_from(max?).ok()?, hosts })
}

/// Loads `proxy`: its address, or a mapping with what it is shown.
pub(super) fn proxy(
    node: &Node,
    used: &mut Vec<(CredentialName, Span)>,
    report: &mut Report,
) -> Option<HttpProxy> {
    if !matches!(node.value, NodeValue::Mapping(_)) {
        return Some(HttpProxy { url: proxy_url(node, report)?, basic: None });
    }
    let mut fields = Fields::of(node, "`proxy`", report)?;
    let url = fields.required("url", report).and_then(|node| proxy_url(node, report));
    let basic = fields.value("basic", report).map(|node| credential(node, used, report));
    fields.finish(report);
    let basic = match basic {
        None => None,
        Some(basic) => Some(basic?),
    };
    Some(HttpProxy { url: url?, basic })
}

fn proxy_url(node: &Node, report: &mut Report) -> Option<String> {
    let text = expect_text(node, "`proxy`", report)?;
    let plain = Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.path() == "/" && url.rest().is_empty());
    if plain.is_none() {
        let message = format!("`{}` is no address of a proxy", text.escape_default());
        report.push(
            Diagnostic::error(node.span, message).with_hint("write it like `http://proxy.example:3128`"),
        );
    }
    plain.map(|url| url.to_string())
}

/// Loads `tls`.
pub(super) fn tls(
    node: &Node,
    used: &mut Vec<(CredentialName, Span)>,
    report: &mut Report,
) -> Option<HttpTls> {
    let mut fields = Fields::of(node, "`tls`", report)?;
    let roots = fields.value("roots", report).map(|node| credential(node, used, report));
    let identity = fields.value("identity", report).map(|node| credential(node, used, report));
    fields.finish(report);
    let stated = |name: Option<Option<CredentialName>>| match name {
        None => Some(None),
        Some(name) => name.map(Some),
    };
    Some(HttpTls { roots: stated(roots)?, identity: stated(identity)? })
}
