use std::cell::RefCell;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};

use super::*;
use crate::mcp::{Greeting, ListError, ListLimits, Refused, greet, list_tools};

type Ours = Client<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

/// The other end of a connection, played by a test.
struct Peer {
    input: BufReader<ReadHalf<DuplexStream>>,
    output: WriteHalf<DuplexStream>,
}

impl Peer {
    async fn heard(&mut self) -> Value {
        let mut line = String::new();
        self.input.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    async fn say(&mut self, line: &str) {
        self.output.write_all(line.as_bytes()).await.unwrap();
        self.output.write_all(b"\n").await.unwrap();
    }

    async fn answer(&mut self, request: &Value, result: &str) {
        self.say(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request["id"])).await;
    }
}

fn connected() -> (Ours, Peer) {
    connected_with(1 << 20, 1 << 16)
}

fn connected_with(most_line: usize, room: usize) -> (Ours, Peer) {
    let (ours, theirs) = duplex(room);
    let ((input, output), (their_input, their_output)) = (split(ours), split(theirs));
    (Client::new(input, output, most_line), Peer { input: BufReader::new(their_input), output: their_output })
}

fn result(answer: Result<Answer, Lost>) -> String {
    match answer {
        Ok(Answer::Result(result)) => result.get().to_owned(),
        other => panic!("no result: {other:?}"),
    }
}

const SILENT: &dyn Fn(&Progress) = &|_| {};

#[tokio::test]
async fn a_result_arrives_byte_for_byte() {
    let (client, mut peer) = connected();
    let sent = r#"{"content":[{"type":"hologram","x":18446744073709551616}],"_meta":{"b":1,"a":2}, "extra" : [1.50]}"#;
    let call = client.call_tool("t", "{}", None).unwrap();
    let (answer, ()) = tokio::join!(call.answer(SILENT), async {
        let request = peer.heard().await;
        assert_eq!(request["params"]["name"], "t");
        peer.answer(&request, sent).await;
    });
    assert_eq!(result(answer), sent);
}

#[tokio::test]
async fn answers_find_their_calls_in_whatever_order_they_come() {
    let (client, mut peer) = connected();
    let (one, two) =
        (client.call_tool("one", "{}", None).unwrap(), client.call_tool("two", "{}", None).unwrap());
    let (first, second, ()) = tokio::join!(one.answer(SILENT), two.answer(SILENT), async {
        let (one, two) = (peer.heard().await, peer.heard().await);
        peer.say(r#"{"jsonrpc":"2.0","id":"1","result":"of another id"}"#).await;
        peer.say(r#"{"jsonrpc":"2.0","id":99,"result":"of another id"}"#).await;
        peer.say("not a message").await;
        peer.answer(&two, "2").await;
        peer.answer(&one, "1").await;
    });
    assert_eq!((result(first), result(second)), ("1".to_owned(), "2".to_owned()));
}

#[tokio::test]
async fn progress_only_rises_and_ends_with_the_result() {
    let (client, mut peer) = connected();
    let seen = RefCell::new(Vec::new());
    let call = client.call_tool("t", "{}", None).unwrap();
    let proceeds = |step: &Progress| seen.borrow_mut().push(step.done);
    let (answer, ()) = tokio::join!(call.answer(&proceeds), async {
        let request = peer.heard().await;
        let token = request["params"]["_meta"]["progressToken"].clone();
        let step = |token: &Value, done: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{done}}}}}"#
            )
        };
        for done in ["1", "1", "3", "2", "3.5"] {
            peer.say(&step(&token, done)).await;
        }
        peer.say(&step(&json!(77), "9")).await;
        peer.answer(&request, "{}").await;
        peer.say(&step(&token, "100")).await;
    });
    result(answer);
    client.catch_up().await;
    assert_eq!(*seen.borrow(), [1.0, 3.0, 3.5]);
}

#[tokio::test]
async fn what_a_server_asks_is_refused_and_its_pings_are_answered() {
    let (client, mut peer) = connected();
    let call = client.call_tool("t", "{}", None).unwrap();
    let (answer, ()) = tokio::join!(call.answer(SILENT), async {
        let request = peer.heard().await;
        peer.say(
            r#"{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"password?"}}"#,
        )
        .await;
        let refusal = peer.heard().await;
        assert_eq!((&refusal["id"], &refusal["error"]["code"]), (&json!("e"), &json!(-32601)));
        peer.say(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#).await;
        assert_eq!(peer.heard().await, json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
        peer.answer(&request, "{}").await;
    });
    result(answer);
}

#[tokio::test]
async fn a_call_that_is_given_up_is_cancelled_by_its_own_id_and_its_late_answer_dropped() {
    let (client, mut peer) = connected();
    let call = client.call_tool("slow", "{}", None).unwrap();
    let cut = tokio::time::timeout(Duration::from_millis(1), call.answer(SILENT)).await;
    assert!(cut.is_err());
    assert_eq!(call.give_up("no time"), Sending::Whole);
    drop(call);
    client.flush().await;
    let request = peer.heard().await;
    let cancelled = peer.heard().await;
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
    let next = client.call_tool("quick", "{}", None).unwrap();
    let (answer, ()) = tokio::join!(next.answer(SILENT), async {
        peer.answer(&request, "\"late\"").await;
        let quick = peer.heard().await;
        peer.answer(&quick, "\"quick\"").await;
    });
    assert_eq!(result(answer), "\"quick\"");
}

#[tokio::test]
async fn a_call_of_which_nothing_went_out_is_taken_back() {
    let (client, mut peer) = connected();
    let call = client.call_tool("never", "{}", None).unwrap();
    assert_eq!((call.sending(), call.give_up("no time")), (Sending::Nothing, Sending::Nothing));
    drop(call);
    let next = client.call_tool("next", "{}", None).unwrap();
    let (answer, ()) = tokio::join!(next.answer(SILENT), async {
        let request = peer.heard().await;
        assert_eq!(request["params"]["name"], "next");
        peer.answer(&request, "1").await;
    });
    assert_eq!(result(answer), "1");
}

#[tokio::test]
async fn a_message_over_the_cap_ends_the_connection_for_every_call() {
    let (client, mut peer) = connected_with(1000, 1 << 16);
    let (one, two) =
        (client.call_tool("one", "{}", None).unwrap(), client.call_tool("two", "{}", None).unwrap());
    let (first, second, ()) = tokio::join!(one.answer(SILENT), two.answer(SILENT), async {
        peer.say(&"x".repeat(2000)).await;
    });
    assert_eq!((first.unwrap_err(), second.unwrap_err()), (Lost::TooLong(1000), Lost::TooLong(1000)));
    assert_eq!(client.call_tool("three", "{}", None).err(), Some(Lost::TooLong(1000)));
}

#[tokio::test]
async fn the_end_of_the_server_ends_every_call() {
    let (client, peer) = connected();
    let call = client.call_tool("t", "{}", None).unwrap();
    drop(peer);
    assert!(matches!(call.answer(SILENT).await, Err(Lost::Closed | Lost::Deaf)));
}

#[tokio::test]
async fn eight_megabytes_on_one_line_arrive() {
    let (client, mut peer) = connected_with(32 << 20, 1 << 16);
    let call = client.call_tool("big", "{}", None).unwrap();
    let text = "a".repeat(8 << 20);
    let (answer, ()) = tokio::join!(call.answer(SILENT), async {
        let request = peer.heard().await;
        peer.answer(&request, &format!("\"{text}\"")).await;
    });
    assert_eq!(result(answer).len(), text.len() + 2);
}

const PATIENCE: Duration = Duration::from_millis(20);

#[tokio::test]
async fn a_server_of_the_newest_version_needs_no_handshake() {
    let (client, mut peer) = connected();
    let (greeting, ()) = tokio::join!(greet(&client, None, PATIENCE), async {
        let asked = peer.heard().await;
        assert_eq!(asked["method"], "server/discover");
        assert_eq!(asked["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(asked["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"], json!({}));
        peer.answer(
            &asked,
            r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}"#,
        )
        .await;
    });
    assert_eq!(greeting, Ok(Greeting::Speaks(Protocol::V20260728)));
}

/// A handshake with a server that speaks `version`, after it was asked the newer question and said `first` to it.
async fn handshake(version: &str, first: Option<&str>) -> Result<Greeting, Refused> {
    let (client, mut peer) = connected();
    let (greeting, ()) = tokio::join!(greet(&client, None, PATIENCE), async {
        let asked = peer.heard().await;
        if let Some(first) = first {
            peer.say(&format!(r#"{{"jsonrpc":"2.0","id":{},{first}}}"#, asked["id"])).await;
        }
        let asked = peer.heard().await;
        assert_eq!(
            (&asked["method"], &asked["params"]["protocolVersion"]),
            (&json!("initialize"), &json!("2025-11-25"))
        );
        assert_eq!(asked["params"]["capabilities"], json!({}));
        peer.answer(&asked, &format!(r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}"#)).await;
    });
    client.flush().await;
    if greeting.is_ok() {
        assert_eq!(peer.heard().await["method"], "notifications/initialized");
    }
    greeting
}

#[tokio::test]
async fn any_error_or_silence_to_the_newest_question_leads_to_the_older_one() {
    for first in [
        Some(r#""error":{"code":-32601,"message":"unknown"}"#),
        Some(r#""error":{"code":-32000,"message":"not initialized"}"#),
        Some(r#""result":{"supportedVersions":["2031-01-01"]}"#),
        Some(r#""result":{}"#),
        None,
    ] {
        assert_eq!(
            handshake("2025-11-25", first).await,
            Ok(Greeting::Speaks(Protocol::V20251125)),
            "{first:?}"
        );
    }
}

#[tokio::test]
async fn every_released_version_with_a_handshake_is_spoken_and_no_other() {
    for version in Protocol::ALL {
        let greeting = handshake(version.as_str(), Some(r#""error":{"code":-32601,"message":""}"#)).await;
        let expected =
            if version.has_handshake() { Ok(Greeting::Speaks(version)) } else { Err(Refused::Version) };
        assert_eq!(greeting, expected, "{version}");
    }
    assert_eq!(handshake("1999-01-01", Some(r#""error":{"code":1}"#)).await, Err(Refused::Version));
}

#[tokio::test]
async fn a_server_that_dies_of_the_newest_question_is_told_apart() {
    let (client, peer) = connected();
    drop(peer);
    assert!(matches!(greet(&client, None, PATIENCE).await, Err(Refused::Lost(_))));
}

async fn listed(pages: &[(&str, Option<&str>)], limits: ListLimits) -> Result<Vec<String>, ListError> {
    let (client, mut peer) = connected();
    let serving = async {
        let mut asked_for = None;
        loop {
            let asked = peer.heard().await;
            assert_eq!(asked["params"].get("cursor").and_then(Value::as_str), asked_for);
            let (_, (tools, next)) = pages
                .iter()
                .enumerate()
                .find(|(at, _)| asked_for.map_or(*at == 0, |cursor: &str| cursor == format!("page{at}")))
                .unwrap();
            let next = next.map(|next| format!(r#","nextCursor":"{next}""#)).unwrap_or_default();
            peer.answer(&asked, &format!(r#"{{"tools":[{tools}]{next}}}"#)).await;
            asked_for = pages.iter().find(|(own, _)| own == tools).unwrap().1;
            if asked_for.is_none() {
                std::future::pending::<()>().await;
            }
        }
    };
    let tools = tokio::select! {
        tools = list_tools(&client, limits) => tools,
        () = serving => unreachable!(),
    };
    Ok(tools?.iter().map(|tool| tool.get().to_owned()).collect())
}

#[tokio::test]
async fn three_pages_are_read_to_the_end() {
    let pages = [
        (r#"{"name":"a"}"#, Some("page1")),
        (r#"{"name":"b"},{"name":"c"}"#, Some("page2")),
        (r#"{"name":"d"}"#, None),
    ];
    let names = listed(&pages, ListLimits::default()).await.unwrap();
    assert_eq!(names, [r#"{"name":"a"}"#, r#"{"name":"b"}"#, r#"{"name":"c"}"#, r#"{"name":"d"}"#]);
}

#[tokio::test]
async fn a_list_without_an_end_or_without_bounds_is_an_error() {
    let around = [(r#"{"name":"a"}"#, Some("page1")), (r#"{"name":"b"}"#, Some("page1"))];
    assert_eq!(listed(&around, ListLimits::default()).await, Err(ListError::Repeats));
    let limits = ListLimits { pages: 1, ..ListLimits::default() };
    assert_eq!(listed(&around, limits).await, Err(ListError::TooMuch("1 pages".to_owned())));
    let limits = ListLimits { tools: 1, ..ListLimits::default() };
    assert_eq!(listed(&around, limits).await, Err(ListError::TooMuch("1 tools".to_owned())));
    let limits = ListLimits { bytes: 15, ..ListLimits::default() };
    assert_eq!(listed(&around, limits).await, Err(ListError::TooMuch("15 bytes of tools".to_owned())));
}
