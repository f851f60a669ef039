//! Calls on their way through a stream.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::Instant;

use crate::authorize::Consent;
use crate::catalog::Digest;
use crate::code::{CallError, ErrorCode};
use crate::execute::CancelToken;
use crate::gateway::{Asked, Finished};
use crate::ident::CallId;
use crate::wire::CallRequest;

/// One call on its way through the stream.
pub(super) struct Entry {
    pub(super) id: CallId,
    pub(super) state: State,
    pub(super) cancel: CancelToken,
    /// Which batch it came in, where it came in one.
    pub(super) batch: Option<u64>,
    /// Whether a person changed its arguments.
    pub(super) edited: bool,
    /// The contract that it was asked under, where it was answered `input_required` before and goes on now.
    pub(super) resumed: Option<Digest>,
}

/// How far a call is.
pub(super) enum State {
    /// It was not started. `asked` says that its batch's questions were asked.
    Waiting { request: Box<CallRequest>, consent: Box<Consent>, asked: bool },
    /// It runs, or a person is asked about it.
    Running,
    /// It ended, and is not answered yet.
    Done(Box<Finished>),
}

/// What a running future came to.
pub(super) enum Step {
    /// It ended.
    Finished(Box<Finished>),
    /// The person answered the questions of a batch.
    Asked(Vec<(u64, Asked)>),
}

/// A call under way, or the questions of a batch.
pub(super) struct Running<'g> {
    /// The number of the call.
    pub(super) seq: u64,
    /// Whether nothing may run beside it.
    pub(super) exclusive: bool,
    /// The tool, for the progress line; empty while a person is asked.
    pub(super) tool: String,
    pub(super) since: Instant,
    pub(super) future: Pin<Box<dyn Future<Output = Step> + 'g>>,
}

/// Waits for the next of the running futures that is ready, and takes it out.
pub(super) async fn next_step(running: &mut Vec<Running<'_>>) -> (u64, Step) {
    poll_fn(|context| {
        for at in 0..running.len() {
            let Some(one) = running.get_mut(at) else { break };
            if let Poll::Ready(step) = one.future.as_mut().poll(context) {
                let one = running.remove(at);
                return Poll::Ready((one.seq, step));
            }
        }
        Poll::Pending
    })
    .await
}

/// Why a call that waited is not begun any more.
pub(super) fn cancelled() -> CallError {
    CallError::new(ErrorCode::Cancelled, "the call was stopped before it began")
}
