//! One request over one connection, and its answer within its bounds.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::client::conn::{http1, http2};
use hyper::header::{HOST, HeaderValue};
use hyper::{Request, Uri, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};

use crate::code::CallError;
use crate::present::{HttpAnswer, HttpBreak, HttpEnd};

use super::answer::{headers, retry_after};
use super::connect::{Connection, Route, connect, unreachable};
use super::pool::{Connections, Sender};
use super::request::Outgoing;

/// Most bytes of the headers of an answer.
const MOST_HEAD: usize = 64 << 10;
/// Most headers of an answer.
const MOST_HEADERS: usize = 128;

/// What is known of a request that is under way, for whoever stops waiting for it.
#[derive(Default)]
pub(super) struct Progress {
    began: Cell<bool>,
    sent: Cell<u32>,
}

impl Progress {
    /// Whether some of a request may have reached the service.
    pub(super) fn began(&self) -> bool {
        self.began.get()
    }

    /// How many times it was begun.
    pub(super) fn sent(&self) -> u32 {
        self.sent.get()
    }
}

/// The bytes that a request sends.
pub(super) struct Payload(Option<Bytes>);

impl Body for Payload {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}

/// How a request is delivered.
pub(super) struct Delivery<'a> {
    pub(super) route: Route<'a>,
    /// What connections of the same kind are known by.
    pub(super) key: String,
    /// Whether it may be sent twice, so that it may go over a connection that was used before.
    pub(super) is_repeatable: bool,
    pub(super) silence: Option<Duration>,
    pub(super) most: usize,
}

impl Delivery<'_> {
    /// Sends a request and reads its answer.
    pub(super) async fn run(
        &self,
        outgoing: &Outgoing,
        connections: &Connections,
        progress: &Progress,
    ) -> HttpEnd {
        let mut waiting =
            if self.is_repeatable { connections.take(&self.key, self.route.networks) } else { None };
        loop {
            let reused = waiting.is_some();
            let (sender, peer) = match waiting.take() {
                Some(known) => known,
                None => match self.open(connections).await {
                    Ok(made) => made,
                    Err(error) => return HttpEnd::NotSent(error),
                },
            };
            let before = (progress.began.get(), progress.sent.get());
            progress.began.set(true);
            progress.sent.set(before.1.saturating_add(1));
            match self.exchange(sender, outgoing).await {
                Exchanged::Answered(answer, sender) => {
                    if let Some(sender) = sender {
                        connections.keep(self.key.clone(), sender, peer);
                    }
                    return HttpEnd::Answered(answer);
                }
                Exchanged::Unsent => {
                    progress.began.set(before.0);
                    progress.sent.set(before.1);
                    if !reused {
                        return HttpEnd::NotSent(unreachable(&self.route.place, "it was closed at once"));
                    }
                }
                // A service may close what waited at the very moment it is used; what may be sent twice is sent once more.
                Exchanged::Lost if reused => {}
                Exchanged::Lost => return HttpEnd::Broken(HttpBreak::Lost),
                Exchanged::Silent => return HttpEnd::Broken(HttpBreak::Silent),
            }
        }
    }

    async fn open(&self, connections: &Connections) -> Result<(Sender, std::net::IpAddr), CallError> {
        let Connection { stream, peer, is_http2 } = connect(&self.route, &connections.resolver).await?;
        let failed = || unreachable(&self.route.place, "it was closed at once");
        let sender = if is_http2 {
            let mut builder = http2::Builder::new(TokioExecutor::new());
            let head = u32::try_from(MOST_HEAD).unwrap_or(u32::MAX);
            let (sender, connection) = builder
                .max_header_list_size(head)
                .handshake(TokioIo::new(stream))
                .await
                .map_err(|_| failed())?;
            tokio::spawn(connection);
            Sender::Two(sender)
        } else {
            let mut builder = http1::Builder::new();
            builder.max_buf_size(MOST_HEAD).max_headers(MOST_HEADERS);
            let (sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(|_| failed())?;
            tokio::spawn(connection);
            Sender::One(sender)
        };
        Ok((sender, peer.ip()))
    }

    async fn exchange(&self, sender: Sender, outgoing: &Outgoing) -> Exchanged {
        let is_http2 = matches!(sender, Sender::Two(_));
        let Some(request) = self.request(outgoing, is_http2) else { return Exchanged::Unsent };
        let answered = async {
            match sender {
                Sender::One(mut sender) => {
                    if sender.ready().await.is_err() {
                        return Err(Exchanged::Unsent);
                    }
                    match sender.try_send_request(request).await {
                        Ok(response) => Ok((response, Sender::One(sender))),
                        Err(mut error) => Err(Exchanged::failed(error.take_message().is_some())),
                    }
                }
                Sender::Two(mut sender) => {
                    if sender.ready().await.is_err() {
                        return Err(Exchanged::Unsent);
                    }
                    match sender.try_send_request(request).await {
                        Ok(response) => Ok((response, Sender::Two(sender))),
                        Err(mut error) => Err(Exchanged::failed(error.take_message().is_some())),
                    }
                }
            }
        };
        let (response, sender) = match self.listening(answered).await {
            Some(Ok(answered)) => answered,
            Some(Err(failed)) => return failed,
            None => return Exchanged::Silent,
        };
        let (head, body) = response.into_parts();
        match self.read(body).await {
            Some(Ok((bytes, cut))) => {
                let answer = HttpAnswer {
                    status: head.status.as_u16(),
                    retry_after: retry_after(&head.headers),
                    headers: headers(&head.headers),
                    body: bytes,
                    cut,
                };
                // What was not read to its end cannot carry another answer.
                Exchanged::Answered(answer, (!cut).then_some(sender))
            }
            Some(Err(())) => Exchanged::Lost,
            None => Exchanged::Silent,
        }
    }

    fn request(&self, outgoing: &Outgoing, is_http2: bool) -> Option<Request<Payload>> {
        let whole: Uri = outgoing.url.parse().ok()?;
        let body = Payload(outgoing.body.clone().filter(|body| !body.is_empty()));
        let mut request = Request::new(body);
        *request.method_mut() = outgoing.method.clone();
        *request.headers_mut() = outgoing.headers.clone();
        if is_http2 {
            *request.uri_mut() = whole;
            *request.version_mut() = Version::HTTP_2;
        } else {
            *request.uri_mut() = whole.path_and_query()?.as_str().parse().ok()?;
            let host = HeaderValue::try_from(self.route.place.authority()).ok()?;
            request.headers_mut().insert(HOST, host);
        }
        Some(request)
    }

    /// Reads a body up to the cap; `None` where the service was silent for too long.
    async fn read(&self, mut body: Incoming) -> Option<Result<(Vec<u8>, bool), ()>> {
        let mut bytes = Vec::new();
        loop {
            let next = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
            match self.listening(next).await? {
                None => return Some(Ok((bytes, false))),
                Some(Err(_)) => return Some(Err(())),
                Some(Ok(frame)) => {
                    let Ok(data) = frame.into_data() else { continue };
                    let room = self.most.saturating_sub(bytes.len());
                    bytes.extend_from_slice(data.get(..room).unwrap_or(&data));
                    if data.len() > room {
                        return Some(Ok((bytes, true)));
                    }
                }
            }
        }
    }

    /// Waits for something of the service, for as long as it may be silent.
    async fn listening<T>(&self, wait: impl Future<Output = T>) -> Option<T> {
        match self.silence {
            None => Some(wait.await),
            Some(silence) => tokio::time::timeout(silence, wait).await.ok(),
        }
    }
}

/// What came of a request over one connection.
enum Exchanged {
    /// An answer, and the connection where it can carry another.
    Answered(HttpAnswer, Option<Sender>),
    /// Nothing of the request was written.
    Unsent,
    /// The connection was lost after some of it may have been.
    Lost,
    /// The service was silent for too long.
    Silent,
}

impl Exchanged {
    fn failed(is_unsent: bool) -> Self {
        if is_unsent { Self::Unsent } else { Self::Lost }
    }
}
