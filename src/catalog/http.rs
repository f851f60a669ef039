//! How a contract makes a request: where to, with what, under whose name, and what of the answer counts.

use std::time::Duration;

use serde::Serialize;

use crate::expression::{Expression, Template};
use crate::ident::CredentialName;

use super::{JsonTemplate, Network, OutputFormat, Overflow};

/// A request and everything about how it is made.
#[derive(Debug)]
pub struct HttpSpec {
    /// The method, in capitals.
    pub method: String,
    /// The address without its query. Scheme, host and port are written out; a placeholder fills a part of the path.
    pub url: Template,
    /// Parameters of the query.
    pub query: Vec<(String, HttpField)>,
    /// Headers.
    pub headers: Vec<(String, HttpField)>,
    /// Under whose name.
    pub auth: Option<HttpAuth>,
    /// What is sent.
    pub body: HttpBodySpec,
    /// The private networks that it may reach.
    pub networks: Vec<Network>,
    /// Which redirects are followed.
    pub redirects: Redirects,
    /// Through which proxy.
    pub proxy: Option<HttpProxy>,
    /// Certificates that are not the system's.
    pub tls: HttpTls,
    /// How long making a connection may take.
    pub connect_timeout: Duration,
    /// How long the service may be silent; `None` for as long as the call may take.
    pub read_timeout: Option<Duration>,
    /// How often a request that was lost is sent once more.
    pub retries: u8,
    /// How the body of the answer is read; `None` for as its content type says.
    pub output: Option<OutputFormat>,
    /// When it succeeded; absent means a status from 200 to 299.
    pub success: Option<Expression>,
    /// When it provably did nothing; absent means the statuses that say so.
    pub no_effect: Option<Expression>,
    /// Most bytes read of the answer's body.
    pub max_response_bytes: usize,
    /// What happens beyond them; `None` for what fits the format.
    pub on_overflow: Option<Overflow>,
}

/// The value of a header, a parameter or a field of a form.
#[derive(Debug)]
pub enum HttpField {
    /// One value.
    One(Template),
    /// One value, where a condition holds.
    When {
        /// The condition.
        when: Expression,
        /// The value.
        value: Template,
    },
    /// The same name once for each item of a list, with `item` bound.
    Each {
        /// The list.
        each: Expression,
        /// The value for one item.
        value: Template,
    },
}

/// Under whose name a request is made: the credential by name, and how it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HttpAuth {
    /// `Authorization: Bearer …`.
    Bearer(CredentialName),
    /// `Authorization: Basic …`; the credential is `user:password`.
    Basic(CredentialName),
    /// A header of its own.
    Header {
        /// The header.
        name: String,
        /// The credential.
        credential: CredentialName,
    },
    /// A parameter of the query.
    Query {
        /// The parameter.
        name: String,
        /// The credential.
        credential: CredentialName,
    },
}

impl HttpAuth {
    /// The credential.
    #[must_use]
    pub fn credential(&self) -> &CredentialName {
        match self {
            Self::Bearer(name) | Self::Basic(name) => name,
            Self::Header { credential, .. } | Self::Query { credential, .. } => credential,
        }
    }
}

/// What a request sends.
#[derive(Debug)]
pub enum HttpBodySpec {
    /// Nothing.
    None,
    /// JSON.
    Json(JsonTemplate),
    /// Text.
    Text(Template),
    /// A form, URL-encoded.
    Form(Vec<(String, HttpField)>),
    /// A form of several parts, among them files.
    Multipart(Vec<(String, HttpPart)>),
}

/// One part of a form of several parts.
#[derive(Debug)]
pub enum HttpPart {
    /// A value.
    Field(HttpField),
    /// A file of the workspace.
    File {
        /// Its path.
        path: Template,
        /// The name that is sent; absent means the file's own.
        filename: Option<Template>,
        /// What it is.
        content_type: String,
    },
}

/// Which redirects are followed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Redirects {
    /// How many at most; none by default.
    pub max: u8,
    /// Other hosts than the contract's that they may lead to, as patterns. They are shown no credential.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
}

impl Redirects {
    /// Whether none is followed.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.max == 0
    }
}

/// A proxy that a contract names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HttpProxy {
    /// Its address, without a path.
    pub url: String,
    /// What it is shown: `user:password`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basic: Option<CredentialName>,
}

/// Certificates that are not the system's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HttpTls {
    /// The authorities that are trusted, in place of the system's: PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roots: Option<CredentialName>,
    /// What the service is shown: a certificate chain and its key, as PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<CredentialName>,
}

impl HttpTls {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.roots.is_none() && self.identity.is_none()
    }
}
