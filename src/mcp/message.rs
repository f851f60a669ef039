//! Messages: written from parts that are JSON already, read no deeper than the envelope.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Protocol;

/// What a server answered to one request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// The result, as it was sent.
    Result(Box<RawValue>),
    /// A JSON-RPC error.
    Error {
        /// Its code.
        code: i64,
        /// Its message: a server's text. What else it says, such as a trace, is for nobody here.
        message: String,
    },
}

/// How far a call is, as its server says.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// How much is done; each one is more than the one before.
    pub done: f64,
    /// How much there is in all.
    pub total: Option<f64>,
    /// A server's text.
    pub message: Option<String>,
}

/// A message of a server.
#[derive(Debug)]
pub(super) enum Incoming<'a> {
    /// An answer to the request of this id.
    Answer(u64, Answer),
    /// An answer to a request that never was: its id is none of ours.
    Stray,
    /// A request; the id is kept as it was written.
    Request { id: &'a RawValue, method: Cow<'a, str> },
    /// A notification.
    Notification { method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// No message of the protocol.
    Noise,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RpcError {
    code: i64,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
struct ProgressParams {
    #[serde(rename = "progressToken")]
    token: u64,
    progress: f64,
    total: Option<f64>,
    message: Option<String>,
}

/// Reads one line, which may be a batch, and hands on each message in it.
pub(super) fn read<'a>(line: &'a [u8], each: &mut dyn FnMut(Incoming<'a>)) {
    let line = line.trim_ascii();
    match line.first() {
        None => {}
        Some(b'[') => match serde_json::from_slice::<Vec<&'a RawValue>>(line) {
            Ok(batch) => batch.into_iter().for_each(|message| each(one(message.get().as_bytes()))),
            Err(_) => each(Incoming::Noise),
        },
        Some(_) => each(one(line)),
    }
}

fn one(text: &[u8]) -> Incoming<'_> {
    let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(text) else { return Incoming::Noise };
    let Envelope { jsonrpc, id, method, params, result, error } = envelope;
    match (id, method, result, error) {
        _ if jsonrpc != "2.0" => Incoming::Noise,
        (Some(id), Some(method), None, None) if id.get() != "null" => Incoming::Request { id, method },
        (None, Some(method), None, None) => Incoming::Notification { method, params },
        (Some(id), None, Some(result), None) => match id.get().parse() {
            Ok(id) => Incoming::Answer(id, Answer::Result(result.to_owned())),
            Err(_) => Incoming::Stray,
        },
        (Some(id), None, None, Some(error)) => match (id.get().parse(), serde_json::from_str(error.get())) {
            (Ok(id), Ok(RpcError { code, message })) => Incoming::Answer(id, Answer::Error { code, message }),
            (Err(_), Ok(_)) => Incoming::Stray,
            (_, Err(_)) => Incoming::Noise,
        },
        // By an id of null a server says that it could not read a message.
        (None, None, None, Some(_)) => Incoming::Stray,
        _ => Incoming::Noise,
    }
}

/// The progress that a notification tells of, and the token of the request that it is about.
pub(super) fn progress(params: Option<&RawValue>) -> Option<(u64, Progress)> {
    let ProgressParams { token, progress, total, message } = serde_json::from_str(params?.get()).ok()?;
    Some((token, Progress { done: progress, total, message }))
}

/// What goes along with a request besides its parameters.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Meta<'a> {
    /// The version that the request speaks, where it has to say so itself.
    pub(super) protocol: Option<Protocol>,
    /// The token for progress.
    pub(super) progress: Option<u64>,
    /// Where the request stands in a trace.
    pub(super) traceparent: Option<&'a str>,
}

impl Meta<'_> {
    fn write(&self, out: &mut String) {
        let begin = out.len();
        let mut member = |name: &str, value: &str| {
            out.push_str(if out.len() == begin { "{\"" } else { ",\"" });
            out.push_str(name);
            out.push_str("\":");
            out.push_str(value);
        };
        if let Some(protocol) = self.protocol {
            member("io.modelcontextprotocol/protocolVersion", &format!("\"{protocol}\""));
            member("io.modelcontextprotocol/clientInfo", CLIENT);
            member("io.modelcontextprotocol/clientCapabilities", "{}");
            if let Some(traceparent) = self.traceparent {
                member("traceparent", &format!("\"{traceparent}\""));
            }
        }
        if let Some(token) = self.progress {
            member("progressToken", &token.to_string());
        }
        if out.len() > begin {
            out.push('}');
        }
    }
}

/// Who we are, as JSON.
pub(super) const CLIENT: &str = concat!("{\"name\":\"tgw\",\"version\":\"", env!("CARGO_PKG_VERSION"), "\"}");

/// A request as one line. `parameters` are names with JSON texts, which hold no line ends.
pub(super) fn request(id: u64, method: &str, parameters: &[(&str, &str)], meta: Meta<'_>) -> String {
    let room = parameters.iter().map(|(name, value)| name.len() + value.len() + 4).sum::<usize>() + 400;
    let mut line = String::with_capacity(room);
    line.push_str("{\"jsonrpc\":\"2.0\",\"id\":");
    line.push_str(&id.to_string());
    line.push_str(",\"method\":\"");
    line.push_str(method);
    line.push_str("\",\"params\":{");
    for (at, (name, value)) in parameters.iter().enumerate() {
        line.push_str(if at > 0 { ",\"" } else { "\"" });
        line.push_str(name);
        line.push_str("\":");
        line.push_str(value);
    }
    let mut written = String::new();
    meta.write(&mut written);
    if !written.is_empty() {
        line.push_str(if parameters.is_empty() { "\"_meta\":" } else { ",\"_meta\":" });
        line.push_str(&written);
    }
    line.push_str("}}\n");
    line
}

/// A notification as one line.
pub(super) fn notification(method: &str, parameters: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{parameters}}}\n")
}

/// An empty result for a request of a server.
pub(super) fn pong(id: &RawValue) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{}}}}\n", id.get())
}

/// The refusal of a request of a server: nothing that it could ask for is offered.
pub(super) fn no_such_method(id: &RawValue) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{{\"code\":-32601,\"message\":\"method not found\"}}}}\n",
        id.get()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(line: &str) -> Vec<String> {
        let mut found = Vec::new();
        read(line.as_bytes(), &mut |incoming| {
            found.push(match incoming {
                Incoming::Answer(id, Answer::Result(result)) => format!("result {id} {result}"),
                Incoming::Answer(id, Answer::Error { code, message }) => {
                    format!("error {id} {code} {message}")
                }
                Incoming::Stray => "stray".to_owned(),
                Incoming::Request { id, method } => format!("request {id} {method}"),
                Incoming::Notification { method, .. } => format!("notification {method}"),
                Incoming::Noise => "noise".to_owned(),
            });
        });
        found
    }

    #[test]
    fn each_kind_of_message_is_told_apart_and_its_result_kept_as_it_was_sent() {
        for (line, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":3,"result":{"b":1e2, "a":18446744073709551616}}"#,
                r#"result 3 {"b":1e2, "a":18446744073709551616}"#,
            ),
            (r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no"}}"#, "error 3 -32601 no"),
            (r#"{"jsonrpc":"2.0","id":"3","result":{}}"#, "stray"),
            (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#, "stray"),
            (r#"{"jsonrpc":"2.0","id":"x","method":"ping"}"#, r#"request "x" ping"#),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#,
                "notification notifications/message",
            ),
            (r#"{"jsonrpc":"2.0","id":3,"id":4,"result":{}}"#, "noise"),
            (r#"{"jsonrpc":"1.0","id":3,"result":{}}"#, "noise"),
            (r#"{"jsonrpc":"2.0","id":3,"result":{},"error":{"code":1,"message":""}}"#, "noise"),
            ("starting server…", "noise"),
            ("[1", "noise"),
        ] {
            assert_eq!(kinds(line), [expected], "{line}");
        }
        assert!(kinds("  \r").is_empty());
        let batch = r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"x"}]"#;
        assert_eq!(kinds(batch), ["result 1 {}", "notification x"]);
    }

    #[test]
    fn a_request_is_one_line_with_its_meta_last() {
        let meta =
            Meta { protocol: Some(Protocol::V20260728), progress: Some(7), traceparent: Some("00-1-2-01") };
        let line = request(7, "tools/call", &[("name", "\"t\""), ("arguments", "{\"a\":1}")], meta);
        assert_eq!(line.matches('\n').count(), 1);
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["params"]["arguments"], serde_json::json!({"a": 1}));
        assert_eq!(value["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(value["params"]["_meta"]["progressToken"], 7);
        assert_eq!(value["params"]["_meta"]["traceparent"], "00-1-2-01");
        assert_eq!(
            request(1, "tools/list", &[], Meta::default()),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}\n"
        );
    }
}
