//! One call of a server's tool, under its deadline.

use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};

use crate::code::{CallError, ErrorCode};
use crate::execute::CancelToken;
use crate::mcp::{Answer, Lost, Progress, Sending};
use crate::present::McpEnd;

use super::live::{Connection, Live, in_words};

/// How long a server may take to take in that a call was given up.
const TELLS: Duration = Duration::from_millis(100);

/// How long the end of a server that closed its output is waited for, to say why.
const SAYS_WHY: Duration = Duration::from_secs(2);

/// How long the output of a server that has ended is read.
const DRAIN: Duration = Duration::from_millis(50);

/// What a call is made of.
pub(super) struct Request<'a> {
    pub(super) tool: &'a str,
    pub(super) arguments: &'a str,
    pub(super) traceparent: Option<&'a str>,
    pub(super) timeout: Duration,
}

/// Why the wait for an answer is over.
enum Over {
    Answered(Answer),
    Lost(Lost),
    Ended,
    Cancelled,
    Deadline,
}

/// Makes a call and waits for its end.
pub(super) async fn call(
    live: &Live,
    connection: &Connection,
    request: &Request<'_>,
    cancel: &CancelToken,
    proceeds: &dyn Fn(&Progress),
) -> McpEnd {
    let deadline = Instant::now() + request.timeout;
    let call = match connection.call_tool(request.tool, request.arguments, request.traceparent) {
        Ok(call) => call,
        Err(lost) => return McpEnd::NotSent(gone(&lost.to_string())),
    };
    let mut drained: Option<Instant> = None;
    let over = loop {
        tokio::select! {
            biased;
            answer = call.answer(proceeds) => break match answer {
                Ok(answer) => Over::Answered(answer),
                Err(lost) => Over::Lost(lost),
            },
            () = cancel.cancelled() => break Over::Cancelled,
            () = sleep_until(deadline) => break Over::Deadline,
            () = live.log.pump() => {}
            _ = live.child.ended(), if drained.is_none() => drained = Some(Instant::now() + DRAIN),
            () = sleep_until(drained.unwrap_or(deadline)), if drained.is_some() => break Over::Ended,
        }
    };
    match over {
        Over::Answered(Answer::Result(result)) => McpEnd::Answered(Box::<str>::from(result).into()),
        Over::Answered(Answer::Error { code, message }) => McpEnd::Refused { code, message },
        Over::Lost(Lost::TooLong(most)) => {
            live.give_up();
            McpEnd::TooLarge(most)
        }
        Over::Lost(_) | Over::Ended => {
            let _slow = timeout(SAYS_WHY, live.child.ended()).await;
            live.give_up();
            let why = in_words(live.end());
            match call.sending() {
                Sending::Nothing => McpEnd::NotSent(gone(&why)),
                Sending::Part | Sending::Whole => {
                    McpEnd::Lost(format!("the server was lost during the call: {why}"))
                }
            }
        }
        Over::Cancelled | Over::Deadline => {
            let cancelled = matches!(over, Over::Cancelled);
            let sent = call.give_up(if cancelled { "the call was cancelled" } else { "the deadline passed" });
            if sent != Sending::Nothing {
                let _slow = timeout(TELLS, connection.flush()).await;
            }
            if call.sending() == Sending::Part {
                // Nothing can be put behind half a message.
                live.give_up();
            }
            match (sent, cancelled) {
                (Sending::Nothing, true) => McpEnd::NotSent(CallError::new(
                    ErrorCode::Cancelled,
                    "the call was stopped before it was sent",
                )),
                (Sending::Nothing, false) => McpEnd::NotSent(CallError::new(
                    ErrorCode::Timeout,
                    "the server took no input until the deadline, and nothing of the call was sent",
                )),
                (Sending::Part | Sending::Whole, true) => McpEnd::Cancelled,
                (Sending::Part | Sending::Whole, false) => McpEnd::TimedOut,
            }
        }
    }
}

fn gone(why: &str) -> CallError {
    CallError::new(
        ErrorCode::BackendUnavailable,
        format!("the server was lost before the call was sent: {why}"),
    )
    .with_hint("it is started again with the next call")
}
