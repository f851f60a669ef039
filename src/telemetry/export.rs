//! The thread that sends what was gathered: spans in batches, metrics now and then, and both once more at the end.
//!
//! Nothing here may hold up a call: what does not fit into the queue is dropped and counted.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::message::Message;
use super::metrics::{Metrics, Series};
use super::settings::{Destination, Protocol, Settings};
use super::span::Span;
use super::{json, otlp, protobuf};

/// Most spans that wait to be sent.
const QUEUE: usize = 2_048;

/// Most spans of one request.
const BATCH: usize = 512;

/// Longest that the end of a run waits for what is left to be sent.
const LAST_WAIT: Duration = Duration::from_secs(3);

/// The thread needs little; the client's buffers are on the heap.
const STACK: usize = 512 << 10;

/// Most bytes of a collector's answer that are read, so that its connection can be used again.
const MOST_ANSWER: u64 = 64 << 10;

/// Nanoseconds since the Unix epoch, from the one look at the clock at the beginning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wall {
    /// When the look was, by both clocks.
    pub(super) epoch: Duration,
    pub(super) instant: Instant,
}

impl Wall {
    /// An instant as the collector is told it.
    pub(super) fn nanoseconds(self, at: Instant) -> u64 {
        let since = match at.checked_duration_since(self.instant) {
            Some(after) => self.epoch.saturating_add(after),
            None => self.epoch.saturating_sub(self.instant.duration_since(at)),
        };
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }
}

/// What both sides see.
#[derive(Default)]
struct Shared {
    metrics: Mutex<Metrics>,
    /// Spans that a collector took.
    delivered: AtomicU64,
    /// By when the thread must be done, once the run has ended.
    deadline: OnceLock<Instant>,
}

/// The near side of the thread.
pub(super) struct Exporter {
    queue: Option<SyncSender<Span>>,
    done: Receiver<()>,
    shared: Arc<Shared>,
    offered: u64,
    pub(super) wall: Wall,
    traces: bool,
    metrics: bool,
}

impl Exporter {
    /// Starts the thread.
    ///
    /// # Errors
    /// When there can be no thread.
    pub(super) fn start(settings: Settings, wall: Wall) -> io::Result<Self> {
        let (queue, spans) = sync_channel(QUEUE);
        let (ended, done) = sync_channel(1);
        let shared = Arc::new(Shared::default());
        let (traces, metrics) = (settings.traces.is_some(), settings.metrics.is_some());
        let sender = Sender {
            agent: agent(),
            settings,
            wall,
            shared: Arc::clone(&shared),
            warned: false,
            batch: Vec::new(),
        };
        std::thread::Builder::new().name("telemetry".to_owned()).stack_size(STACK).spawn(move || {
            sender.work(&spans);
            // Nobody listens where the run did not wait for it.
            let _ = ended.try_send(());
        })?;
        Ok(Self { queue: Some(queue), done, shared, offered: 0, wall, traces, metrics })
    }

    /// Whether spans are exported.
    pub(super) fn takes_spans(&self) -> bool {
        self.traces
    }

    /// Offers a span; it never waits.
    pub(super) fn span(&mut self, span: Span) {
        if !self.traces {
            return;
        }
        self.offered += 1;
        if let Some(queue) = &self.queue {
            // What does not fit is counted as not delivered at the end.
            let _ = queue.try_send(span);
        }
    }

    /// Counts a call.
    pub(super) fn count(&self, series: Series, ran: Option<Duration>) {
        if self.metrics {
            self.shared.metrics.lock().unwrap_or_else(PoisonError::into_inner).add(series, ran);
        }
    }

    /// Has everything that is left sent, waits for that a bounded time, and says what was lost. Once.
    pub(super) fn finish(&mut self) {
        let Some(queue) = self.queue.take() else { return };
        // The first end is the only one.
        let _ = self.shared.deadline.set(Instant::now() + LAST_WAIT);
        drop(queue);
        let late = self.done.recv_timeout(LAST_WAIT).is_err();
        let delivered = self.shared.delivered.load(Ordering::Acquire);
        let lost = self.offered.saturating_sub(delivered);
        if lost > 0 {
            tracing::warn!(lost, of = self.offered, "spans were not exported");
        } else if late {
            tracing::warn!("the last metrics were not exported in time");
        }
    }
}

/// The far side: what the thread works with.
struct Sender {
    agent: ureq::Agent,
    settings: Settings,
    wall: Wall,
    shared: Arc<Shared>,
    /// A collector that is away is said once.
    warned: bool,
    batch: Vec<Span>,
}

impl Sender {
    fn work(mut self, spans: &Receiver<Span>) {
        let beginning = Instant::now();
        let (mut spans_due, mut metrics_due) =
            (beginning + self.settings.span_delay, beginning + self.settings.metric_interval);
        loop {
            let now = Instant::now();
            if self.batch.len() >= BATCH || (now >= spans_due && !self.batch.is_empty()) {
                self.send_spans();
            }
            if now >= metrics_due {
                self.send_metrics();
                metrics_due = Instant::now() + self.settings.metric_interval;
            }
            if self.batch.is_empty() {
                spans_due = Instant::now() + self.settings.span_delay;
            }
            let next = spans_due.min(metrics_due).saturating_duration_since(Instant::now());
            match spans.recv_timeout(next) {
                Ok(span) => self.batch.push(span),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.send_spans();
                    self.send_metrics();
                    return;
                }
            }
        }
    }

    fn send_spans(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        let Some(destination) = self.settings.traces.clone() else { return };
        if batch.is_empty() {
            return;
        }
        if self.send(&destination, &otlp::spans(&self.settings.resource, &batch)) {
            self.shared.delivered.fetch_add(batch.len() as u64, Ordering::Release);
        }
    }

    fn send_metrics(&mut self) {
        let Some(destination) = self.settings.metrics.clone() else { return };
        let metrics = self.shared.metrics.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (start, now) = (self.wall.nanoseconds(self.wall.instant), self.wall.nanoseconds(Instant::now()));
        if let Some(message) = otlp::metrics(&self.settings.resource, &metrics, start, now) {
            self.send(&destination, &message);
        }
    }

    /// Whether the collector took it.
    fn send(&mut self, destination: &Destination, message: &Message) -> bool {
        let (body, kind) = match destination.protocol {
            Protocol::Json => (json::encode(message), "application/json"),
            Protocol::Protobuf => (protobuf::encode(message), "application/x-protobuf"),
        };
        let left =
            self.shared.deadline.get().map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let timeout = left.map_or(destination.timeout, |left| left.min(destination.timeout));
        let mut request = self.agent.post(&destination.url).content_type(kind);
        for (name, value) in &destination.headers {
            request = request.header(name, value);
        }
        let problem = match request.config().timeout_global(Some(timeout)).build().send(&body[..]) {
            Ok(mut answer) => {
                let status = answer.status();
                // What it says is not for us; it is read for the sake of the connection.
                let _ = answer.body_mut().with_config().limit(MOST_ANSWER).read_to_vec();
                if status.is_success() {
                    return true;
                }
                format!("it answered {}", status.as_u16())
            }
            Err(error) => problem(&error).to_owned(),
        };
        if !std::mem::replace(&mut self.warned, true) {
            tracing::warn!("the telemetry collector took nothing: {problem}; this is said once");
        }
        false
    }
}

/// A client for a collector: no proxy, no redirect, so that nothing goes where the configuration did not send it.
fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .proxy(None)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("tgw/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// What went wrong, without anything of the request.
fn problem(error: &ureq::Error) -> &'static str {
    match error {
        ureq::Error::Timeout(_) => "it did not answer in time",
        ureq::Error::HostNotFound => "its host has no address",
        ureq::Error::ConnectionFailed => "it cannot be reached",
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            "nothing listens at its address"
        }
        ureq::Error::Io(_) => "the connection broke",
        _ => "its answer is not to be understood",
    }
}
