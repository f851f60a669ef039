//! Finding out which version a server speaks: asked in the newest way first, then in the older one.

use std::time::Duration;

use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncWrite};

use super::client::{Client, Lost};
use super::message::{Answer, CLIENT};
use super::protocol::Protocol;

/// How a server was greeted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Greeting {
    /// It speaks this version, as far as it says.
    Speaks(Protocol),
    /// It is taken at the word of an earlier time, without having been asked.
    Remembered(Protocol),
}

/// Why a server could not be greeted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The connection ended.
    #[error("{0}")]
    Lost(#[from] Lost),
    /// It refused, with this code.
    #[error("the server refused to begin, with code {0}")]
    Error(i64),
    /// It answered with something else than was asked for.
    #[error("the server's first answer is not what the protocol says")]
    Strange,
    /// It speaks none of the released versions.
    #[error("the server speaks no released version of the protocol that begins this way")]
    Version,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Discovered {
    #[serde(default)]
    supported_versions: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialized {
    protocol_version: String,
}

/// Greets a server in the way that worked before, else first in the newest way and, whatever comes of that, in the older
/// one. A server that says nothing to the first is asked again after `patience`.
///
/// # Errors
/// Where no version is found. With [`Refused::Lost`] it may have ended because of the first question: started anew, it
/// may answer to [`initialize`].
pub async fn greet<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(
    client: &Client<R, W>,
    remembered: Option<Protocol>,
    patience: Duration,
) -> Result<Greeting, Refused> {
    match remembered {
        Some(protocol) if protocol.has_handshake() => return initialize(client).await,
        Some(protocol) => {
            client.speak(protocol);
            return Ok(Greeting::Remembered(protocol));
        }
        None => {}
    }
    let newest = Protocol::V20260728;
    client.speak(newest);
    let asked = client.request("server/discover", &[])?;
    match tokio::time::timeout(patience, asked.answer(&|_| {})).await {
        Ok(Ok(Answer::Result(result))) => {
            let found: Option<Discovered> = serde_json::from_str(result.get()).ok();
            if found.is_some_and(|found| {
                found.supported_versions.iter().any(|version| version == newest.as_str())
            }) {
                return Ok(Greeting::Speaks(newest));
            }
        }
        Ok(Ok(Answer::Error { .. })) | Err(_) => {}
        Ok(Err(lost)) => return Err(lost.into()),
    }
    drop(asked);
    initialize(client).await
}

/// Greets a server in the older way.
///
/// # Errors
/// Where it refuses, or speaks no version that begins so.
pub async fn initialize<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(
    client: &Client<R, W>,
) -> Result<Greeting, Refused> {
    let offered = Protocol::NEWEST_WITH_HANDSHAKE;
    client.speak(offered);
    let version = format!("\"{offered}\"");
    let asked = client.request(
        "initialize",
        &[("protocolVersion", &version), ("capabilities", "{}"), ("clientInfo", CLIENT)],
    )?;
    let result = match asked.answer(&|_| {}).await? {
        Answer::Result(result) => result,
        Answer::Error { code, .. } => return Err(Refused::Error(code)),
    };
    let Initialized { protocol_version } =
        serde_json::from_str(result.get()).map_err(|_| Refused::Strange)?;
    let protocol =
        Protocol::parse(&protocol_version).filter(|found| found.has_handshake()).ok_or(Refused::Version)?;
    client.speak(protocol);
    client.notify("notifications/initialized", "{}");
    Ok(Greeting::Speaks(protocol))
}
