//! Asking a proxy for a connection through it.

use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use zeroize::Zeroizing;

use crate::code::{CallError, ErrorCode};

use super::connect::Stream;

/// Most bytes of a proxy's answer.
const MOST: usize = 8 << 10;

/// Opens a way through a proxy to an address.
///
/// # Errors
/// `BACKEND_UNAVAILABLE` where the proxy does not open one.
pub(super) async fn open(
    stream: &mut dyn Stream,
    address: SocketAddr,
    credential: Option<&[u8]>,
) -> Result<(), CallError> {
    let shown = match credential {
        Some(secret) => Zeroizing::new(format!("Proxy-Authorization: Basic {}\r\n", STANDARD.encode(secret))),
        None => Zeroizing::default(),
    };
    let asked = Zeroizing::new(format!("CONNECT {address} HTTP/1.1\r\nHost: {address}\r\n{}\r\n", *shown));
    stream.write_all(asked.as_bytes()).await.map_err(|_| refused("it was lost"))?;
    stream.flush().await.map_err(|_| refused("it was lost"))?;
    let mut answer = Vec::new();
    // One byte at a time: what follows the answer belongs to the service.
    while !answer.ends_with(b"\r\n\r\n") {
        if answer.len() >= MOST {
            return Err(refused("it answered at too much length"));
        }
        answer.push(stream.read_u8().await.map_err(|_| refused("it was lost"))?);
    }
    let line = answer.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let mut words = line.split(|byte| *byte == b' ');
    let is_http = words.next().is_some_and(|version| version.starts_with(b"HTTP/1."));
    match words.next() {
        Some(b"200") if is_http => Ok(()),
        Some(b"407") if is_http => Err(refused("it wants a credential, or another one")),
        _ => Err(refused("it opened no way")),
    }
}

fn refused(why: &str) -> CallError {
    CallError::new(ErrorCode::BackendUnavailable, format!("no connection through the proxy: {why}"))
        .with_hint("nothing was sent to the service")
}
