//! One connection to one server, shared by all calls that are under way.
//!
//! There is no task of its own that reads: whoever waits for an answer reads for everyone, and the next one takes over
//! when it has its own. So a call costs no hop to another task, and an idle connection costs nothing.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::rc::Rc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::sync::{Mutex, Notify};

use super::framing::Lines;
use super::message::{self, Answer, Incoming, Meta, Progress};
use super::outbox::Outbox;
use super::protocol::Protocol;

/// Most steps of progress that wait to be shown; older ones are dropped.
const MOST_PROGRESS: usize = 64;

/// Most lines that are no message of the protocol. Some programs greet on stdout; a flood of it is no server.
const MOST_NOISE: u32 = 10_000;

/// Why a connection is at its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// The server closed its output.
    #[error("the server ended the connection")]
    Closed,
    /// The server takes no more.
    #[error("the server takes no input any more")]
    Deaf,
    /// One message was longer than may be.
    #[error("the server sent a message of more than {0} bytes")]
    TooLong(usize),
    /// Too much that is no message.
    #[error("the server floods its output with what is no message")]
    Flooded,
}

/// How much of a request has gone out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sending {
    /// Nothing: it cannot have been acted on.
    Nothing,
    /// A part.
    Part,
    /// All of it.
    Whole,
}

/// A connection. It is driven by those who wait on it, on one thread.
pub struct Client<R, W> {
    reader: Mutex<Reader<R>>,
    writer: Mutex<W>,
    outbox: RefCell<Outbox>,
    waiting: RefCell<BTreeMap<u64, Rc<Waiting>>>,
    next: Cell<u64>,
    protocol: Cell<Protocol>,
    lost: RefCell<Option<Lost>>,
    noise: Cell<u32>,
    list_changed: Cell<bool>,
    most_line: usize,
}

struct Reader<R> {
    input: R,
    lines: Lines,
}

/// A request that is not answered yet.
#[derive(Default)]
struct Waiting {
    answer: RefCell<Option<Answer>>,
    progress: RefCell<Vec<Progress>>,
    furthest: Cell<Option<f64>>,
    woken: Notify,
}

/// A request under way. Dropping it drops the answer that may yet come.
pub struct Call<'c, R, W> {
    client: &'c Client<R, W>,
    id: u64,
    line: u64,
    waiting: Rc<Waiting>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Client<R, W> {
    /// A connection over two streams. No message may be longer than `most_line` bytes.
    #[must_use]
    pub fn new(input: R, output: W, most_line: usize) -> Self {
        Self {
            reader: Mutex::new(Reader { input, lines: Lines::new(most_line) }),
            writer: Mutex::new(output),
            outbox: RefCell::default(),
            waiting: RefCell::default(),
            next: Cell::new(1),
            protocol: Cell::new(Protocol::NEWEST_WITH_HANDSHAKE),
            lost: RefCell::default(),
            noise: Cell::new(0),
            list_changed: Cell::new(false),
            most_line,
        }
    }

    /// The version that is spoken.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.protocol.get()
    }

    pub(super) fn speak(&self, protocol: Protocol) {
        self.protocol.set(protocol);
    }

    /// Why the connection is at its end, where it is.
    #[must_use]
    pub fn lost(&self) -> Option<Lost> {
        self.lost.borrow().clone()
    }

    /// Whether the server said that its tools changed since this was last asked.
    pub fn took_list_change(&self) -> bool {
        self.list_changed.take()
    }

    /// Calls one of the server's tools with arguments in JSON, asking for progress.
    ///
    /// # Errors
    /// Where the connection is at its end.
    pub fn call_tool(
        &self,
        name: &str,
        arguments: &str,
        traceparent: Option<&str>,
    ) -> Result<Call<'_, R, W>, Lost> {
        let name = serde_json::Value::from(name).to_string();
        let id = self.next.get();
        let meta = Meta { traceparent, progress: Some(id), ..self.meta() };
        self.begin("tools/call", &[("name", &name), ("arguments", arguments)], meta)
    }

    /// Sends a request that says, where it has to, which version it speaks.
    ///
    /// # Errors
    /// Where the connection is at its end.
    pub(super) fn request(&self, method: &str, parameters: &[(&str, &str)]) -> Result<Call<'_, R, W>, Lost> {
        self.begin(method, parameters, self.meta())
    }

    fn meta(&self) -> Meta<'static> {
        let protocol = Some(self.protocol.get()).filter(|protocol| !protocol.has_handshake());
        Meta { protocol, ..Meta::default() }
    }

    fn begin(
        &self,
        method: &str,
        parameters: &[(&str, &str)],
        meta: Meta<'_>,
    ) -> Result<Call<'_, R, W>, Lost> {
        if let Some(lost) = self.lost() {
            return Err(lost);
        }
        let id = self.next.get();
        self.next.set(id + 1);
        let line = message::request(id, method, parameters, meta);
        let line = self.outbox.borrow_mut().put(line).ok_or(Lost::Deaf)?;
        let waiting = Rc::new(Waiting::default());
        self.waiting.borrow_mut().insert(id, Rc::clone(&waiting));
        Ok(Call { client: self, id, line, waiting })
    }

    /// Puts a notification behind what is to be written.
    pub(super) fn notify(&self, method: &str, parameters: &str) {
        self.send(message::notification(method, parameters));
    }

    fn send(&self, line: String) {
        if self.outbox.borrow_mut().put(line).is_none() {
            self.end(Lost::Deaf);
        }
    }

    /// Writes what is to be written, as far as the server takes it. To be given a bound.
    pub async fn flush(&self) {
        while !self.outbox.borrow().is_empty() && self.lost().is_none() {
            self.write_some().await;
        }
    }

    /// Takes in what has come while nobody waited, without waiting for more.
    pub async fn catch_up(&self) {
        // The runtime looks for what has come before this goes on.
        tokio::task::yield_now().await;
        for _ in 0..256 {
            let more = tokio::select! {
                biased;
                () = self.read_some() => true,
                () = std::future::ready(()) => false,
            };
            if !more || self.lost().is_some() {
                return;
            }
        }
    }

    async fn write_some(&self) {
        let mut writer = self.writer.lock().await;
        let written = poll_fn(|context| self.outbox.borrow_mut().poll_write(&mut *writer, context)).await;
        if written.is_err() {
            self.end(Lost::Deaf);
        }
    }

    /// Reads one step's worth and hands on what it says. May be dropped and called again.
    async fn read_some(&self) {
        let mut reader = self.reader.lock().await;
        let Reader { input, lines } = &mut *reader;
        let room = lines.room();
        room.reserve(64 << 10);
        match input.read_buf(room).await {
            Ok(0) | Err(_) => self.end(Lost::Closed),
            Ok(_) => match lines.take() {
                Ok(None) => {}
                Ok(Some(taken)) => {
                    for line in taken.split(|byte| *byte == b'\n') {
                        message::read(line, &mut |incoming| self.take(incoming));
                    }
                }
                Err(_) => self.end(Lost::TooLong(self.most_line)),
            },
        }
    }

    fn take(&self, incoming: Incoming<'_>) {
        match incoming {
            Incoming::Answer(id, answer) => match self.waiting.borrow_mut().remove(&id) {
                Some(waiting) => {
                    *waiting.answer.borrow_mut() = Some(answer);
                    waiting.woken.notify_one();
                }
                None => tracing::debug!(id, "an answer came to a request that nobody waits for"),
            },
            Incoming::Stray => tracing::debug!("an answer came to a request that was never sent"),
            Incoming::Request { id, method } if method == "ping" => self.send(message::pong(id)),
            Incoming::Request { id, method } => {
                tracing::debug!(%method, "a server asked for what is not offered");
                self.send(message::no_such_method(id));
            }
            Incoming::Notification { method, params } => match method.as_ref() {
                "notifications/progress" => {
                    if let Some((token, progress)) = message::progress(params) {
                        self.proceed(token, progress);
                    }
                }
                "notifications/tools/list_changed" => self.list_changed.set(true),
                _ => {}
            },
            Incoming::Noise => {
                self.noise.set(self.noise.get() + 1);
                if self.noise.get() > MOST_NOISE {
                    self.end(Lost::Flooded);
                }
            }
        }
    }

    /// Notes progress of a request that is under way, where it is further than what was said before.
    fn proceed(&self, token: u64, progress: Progress) {
        let waiting = self.waiting.borrow();
        let Some(waiting) = waiting.get(&token) else { return };
        if !progress.done.is_finite()
            || waiting.furthest.get().is_some_and(|furthest| progress.done <= furthest)
        {
            return;
        }
        waiting.furthest.set(Some(progress.done));
        let mut steps = waiting.progress.borrow_mut();
        if steps.len() >= MOST_PROGRESS {
            steps.remove(0);
        }
        steps.push(progress);
        waiting.woken.notify_one();
    }

    fn end(&self, lost: Lost) {
        self.lost.borrow_mut().get_or_insert(lost);
        self.waiting.borrow().values().for_each(|waiting| waiting.woken.notify_one());
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Call<'_, R, W> {
    /// Waits for the answer, and says how far the call is. May be dropped and called again.
    ///
    /// # Errors
    /// Where the connection comes to its end first.
    pub async fn answer(&self, proceeds: &dyn Fn(&Progress)) -> Result<Answer, Lost> {
        let client = self.client;
        loop {
            for step in self.waiting.progress.take() {
                proceeds(&step);
            }
            if let Some(answer) = self.waiting.answer.take() {
                return Ok(answer);
            }
            if let Some(lost) = client.lost() {
                return Err(lost);
            }
            let writes = !client.outbox.borrow().is_empty();
            tokio::select! {
                biased;
                () = self.waiting.woken.notified() => {}
                () = client.write_some(), if writes => {}
                () = client.read_some() => {}
            }
        }
    }

    /// How much of the request has gone out.
    #[must_use]
    pub fn sending(&self) -> Sending {
        self.client.outbox.borrow().sending(self.line)
    }

    /// Gives the request up: takes it back where nothing of it has gone out, else tells the server. Returns how much had
    /// gone out. What is put behind is to be flushed.
    pub fn give_up(&self, reason: &str) -> Sending {
        if self.client.outbox.borrow_mut().withdraw(self.line) {
            return Sending::Nothing;
        }
        let reason = serde_json::Value::from(reason);
        let parameters = format!("{{\"requestId\":{},\"reason\":{reason}}}", self.id);
        self.client.notify("notifications/cancelled", &parameters);
        self.sending()
    }
}

impl<R, W> Drop for Call<'_, R, W> {
    fn drop(&mut self) {
        self.client.waiting.borrow_mut().remove(&self.id);
    }
}

#[cfg(test)]
mod tests;
