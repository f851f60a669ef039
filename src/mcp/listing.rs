//! A server's tools, page by page and bounded.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};

use super::client::{Client, Lost};
use super::message::Answer;

/// Bounds on what a server may list.
#[derive(Debug, Clone, Copy)]
pub struct ListLimits {
    /// Pages.
    pub pages: usize,
    /// Tools.
    pub tools: usize,
    /// Bytes of all tools together.
    pub bytes: usize,
}

impl Default for ListLimits {
    fn default() -> Self {
        Self { pages: 200, tools: 2000, bytes: 8 << 20 }
    }
}

/// Why a server's tools cannot be listed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// The connection ended.
    #[error("{0}")]
    Lost(#[from] Lost),
    /// It refused, with this code.
    #[error("the server does not list its tools: code {0}")]
    Refused(i64),
    /// What it sent is no list of tools.
    #[error("the server's list of tools is not what the protocol says")]
    Strange,
    /// It names a page twice, so that the list has no end.
    #[error("the server's list of tools comes back to a page that it gave before")]
    Repeats,
    /// There is too much of it.
    #[error("the server lists more than {0}")]
    TooMuch(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    #[serde(borrow)]
    tools: Vec<&'a RawValue>,
    next_cursor: Option<String>,
}

/// Lists a server's tools, each as it was sent, in the order of the server.
///
/// # Errors
/// Where the list is refused, is none, has no end, or is more than the limits.
pub async fn list_tools<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(
    client: &Client<R, W>,
    limits: ListLimits,
) -> Result<Vec<Box<RawValue>>, ListError> {
    let mut tools = Vec::new();
    let mut bytes = 0;
    let mut seen = HashSet::new();
    let mut cursor: Option<String> = None;
    for _ in 0..limits.pages {
        let written = cursor.as_deref().map(|cursor| serde_json::Value::from(cursor).to_string());
        let parameters: Vec<(&str, &str)> = written.iter().map(|text| ("cursor", text.as_str())).collect();
        let answer = client.request("tools/list", &parameters)?.answer(&|_| {}).await?;
        let result = match answer {
            Answer::Result(result) => result,
            Answer::Error { code, .. } => return Err(ListError::Refused(code)),
        };
        let Page { tools: page, next_cursor } =
            serde_json::from_str(result.get()).map_err(|_| ListError::Strange)?;
        bytes += page.iter().map(|tool| tool.get().len()).sum::<usize>();
        if tools.len() + page.len() > limits.tools {
            return Err(ListError::TooMuch(format!("{} tools", limits.tools)));
        }
        if bytes > limits.bytes {
            return Err(ListError::TooMuch(format!("{} bytes of tools", limits.bytes)));
        }
        tools.extend(page.into_iter().map(ToOwned::to_owned));
        match next_cursor {
            None => return Ok(tools),
            Some(next) if !seen.insert(next.clone()) => return Err(ListError::Repeats),
            Some(next) => cursor = Some(next),
        }
    }
    Err(ListError::TooMuch(format!("{} pages", limits.pages)))
}
