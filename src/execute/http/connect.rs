//! Making a connection to an address that was checked.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::catalog::Network;
use crate::code::{CallError, ErrorCode, Retry};
use crate::expression::Url;

use super::resolve::Resolver;
use super::tunnel;

/// A connection, whatever it is made of.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Where a connection leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) is_encrypted: bool,
    /// Without brackets.
    pub(super) host: String,
    pub(super) port: u16,
}

impl Place {
    /// The place that an address names.
    pub(super) fn of(url: &Url) -> Option<Self> {
        let is_encrypted = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let host = url.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        Some(Self { is_encrypted, host, port: url.port()? })
    }

    /// The host as a request names it, with its port where that is not the usual one.
    pub(super) fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let usual = if self.is_encrypted { 443 } else { 80 };
        if self.port == usual { host } else { format!("{host}:{}", self.port) }
    }
}

/// How to get there.
pub(super) struct Route<'a> {
    pub(super) place: Place,
    pub(super) networks: &'a [Network],
    /// Whether what is sent may not leave this machine in clear text.
    pub(super) is_confidential: bool,
    pub(super) encryption: Option<Arc<ClientConfig>>,
    pub(super) proxy: Option<Proxy<'a>>,
    pub(super) timeout: Duration,
}

/// A proxy on the way.
pub(super) struct Proxy<'a> {
    pub(super) place: Place,
    pub(super) encryption: Option<Arc<ClientConfig>>,
    pub(super) credential: Option<&'a [u8]>,
}

/// A connection that was made.
pub(super) struct Connection {
    pub(super) stream: Box<dyn Stream>,
    pub(super) peer: SocketAddr,
    /// Whether the service chose HTTP/2.
    pub(super) is_http2: bool,
}

/// Connects. Nothing of a request is sent.
///
/// # Errors
/// `PERMISSION_DENIED` for an address that may not be reached, or for what would be sent in clear text;
/// `BACKEND_UNAVAILABLE` for everything that keeps a connection from being made.
pub(super) async fn connect(route: &Route<'_>, resolver: &Resolver) -> Result<Connection, CallError> {
    match tokio::time::timeout(route.timeout, connected(route, resolver)).await {
        Ok(made) => made,
        Err(_) => Err(unreachable(&route.place, &format!("none within {:?}", route.timeout))),
    }
}

async fn connected(route: &Route<'_>, resolver: &Resolver) -> Result<Connection, CallError> {
    let Route { place, networks, proxy, .. } = route;
    let mut addresses = resolver.permitted(&place.host, place.port, networks).await?;
    if route.is_confidential && !place.is_encrypted {
        addresses.retain(|address| address.ip().to_canonical().is_loopback());
        if addresses.is_empty() {
            return Err(CallError::new(
                ErrorCode::PermissionDenied,
                "a credential is not sent in clear text to another machine",
            )
            .with_hint("its contract must say `https`"));
        }
    }
    let (stream, peer): (Box<dyn Stream>, SocketAddr) = match proxy {
        None => {
            let (stream, peer) = first_of(&addresses, place).await?;
            (Box::new(stream), peer)
        }
        Some(proxy) => {
            // The proxy is asked for the address that was checked, never for a name that it could find elsewhere.
            let peer = addresses.first().copied().ok_or_else(|| unreachable(place, "no address"))?;
            let near = resolver.permitted(&proxy.place.host, proxy.place.port, networks).await?;
            let (stream, at) = first_of(&near, &proxy.place).await?;
            if proxy.credential.is_some()
                && !proxy.place.is_encrypted
                && !at.ip().to_canonical().is_loopback()
            {
                return Err(CallError::new(
                    ErrorCode::PermissionDenied,
                    "the proxy's credential is not sent in clear text to another machine",
                )
                .with_hint("its contract must name the proxy with `https`"));
            }
            let mut stream: Box<dyn Stream> = match &proxy.encryption {
                None => Box::new(stream),
                Some(config) => Box::new(encrypted(stream, config, &proxy.place).await?.0),
            };
            tunnel::open(&mut *stream, peer, proxy.credential).await?;
            (stream, peer)
        }
    };
    match &route.encryption {
        None => Ok(Connection { stream, peer, is_http2: false }),
        Some(config) => {
            let (stream, is_http2) = encrypted(stream, config, place).await?;
            Ok(Connection { stream: Box::new(stream), peer, is_http2 })
        }
    }
}

/// The first address that answers.
async fn first_of(addresses: &[SocketAddr], place: &Place) -> Result<(TcpStream, SocketAddr), CallError> {
    let mut why = "no address".to_owned();
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                // Requests are written whole, so that waiting for more would only hold them up.
                drop(stream.set_nodelay(true));
                return Ok((stream, *address));
            }
            Err(error) => why = error.kind().to_string(),
        }
    }
    Err(unreachable(place, &why))
}

async fn encrypted<S: Stream>(
    stream: S,
    config: &Arc<ClientConfig>,
    place: &Place,
) -> Result<(tokio_rustls::client::TlsStream<S>, bool), CallError> {
    let failed = |why: &dyn std::fmt::Display| {
        let message = format!("no encrypted connection to `{}`: {why}", place.authority());
        let mut error = CallError::new(ErrorCode::BackendUnavailable, message).with_hint(
            "nothing was sent; the certificate must be one that the contract or the system trusts",
        );
        error.retry = Retry::Never;
        error
    };
    let name = ServerName::try_from(place.host.clone()).map_err(|error| failed(&error))?;
    let stream =
        TlsConnector::from(Arc::clone(config)).connect(name, stream).await.map_err(|error| failed(&error))?;
    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    Ok((stream, is_http2))
}

pub(super) fn unreachable(place: &Place, why: &str) -> CallError {
    CallError::new(ErrorCode::BackendUnavailable, format!("no connection to `{}`: {why}", place.authority()))
        .with_hint("nothing was sent; call again later")
}
