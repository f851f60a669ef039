//! The stream: a pool for parallel reads, a barrier for the rest, results committed in call order.
//!
//! One thread does everything. A call that needs no waiting is decided, run and answered without ever being
//! suspended; the others are futures that this module polls.

mod answers;
mod ending;
mod entry;
mod followed;
mod options;
mod questions;

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use crate::authorize::{Consent, PendingCall};
use crate::execute::{CancelToken, Signals};
use crate::gateway::{Admission, Awaited, Finished, Gateway, Origin};
use crate::lines::{InputLine, LineReader, LineWriter};
use crate::wire::{IdRegister, Incoming, JsonLimits, Line, decode_line, long_line};

use entry::{Entry, Running, State, Step, cancelled, next_step};
use followed::Followed;
pub use options::{Options, Unanswered, Unfinished};

/// Most calls that are held at once, waiting, running or done behind a slower one.
const QUEUE: usize = 128;

/// Most finished calls committed together.
const GROUP: usize = 64;

/// Longest that a finished call waits for others to be committed with it, while more of them end without a pause.
const HELD: Duration = Duration::from_millis(20);

/// How often the display says that a call still runs.
const PROGRESS: Duration = Duration::from_secs(1);

/// How a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Every line was answered.
    Answered,
    /// A signal, or a person's "stop", ended it; every call read until then was answered.
    Interrupted,
    /// Nobody reads the results any more.
    ReaderGone,
}

/// Runs a stream of lines to its end.
///
/// # Errors
/// When the input cannot be read, or the output cannot be written for another reason than a reader that went away.
pub async fn run(
    gateway: &Gateway<'_>,
    mut reader: LineReader,
    writer: LineWriter,
    options: Options,
) -> io::Result<End> {
    let mut scheduler = Scheduler::new(gateway, options);
    let mut signals = Signals::new()?;
    if !signals.none_during(gateway.recover()).await {
        return Ok(End::Interrupted);
    }
    let mut out = Vec::new();
    let mut followed = Followed::default();
    loop {
        let progressed = scheduler.step(&mut reader);
        let committed = (!progressed || scheduler.is_due()) && scheduler.commit(&mut out);
        if committed || !out.is_empty() {
            match writer.write_all(&out).await {
                Ok(()) => out.clear(),
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return scheduler.abandon().await,
                Err(error) => return Err(error),
            }
        }
        let given_up = scheduler.take_awaited();
        if scheduler.queue.is_empty()
            && scheduler.awaited.is_empty()
            && (options.unfinished == Unfinished::Leave || !gateway.awaits_operations() || scheduler.stopping)
            && (reader.is_finished() || scheduler.stopping)
        {
            followed.end().await;
            let end = if scheduler.stopping { End::Interrupted } else { End::Answered };
            return Ok(end);
        }
        // What was committed may be what the next call waited for.
        if progressed || committed || given_up {
            continue;
        }
        let may_read = !reader.is_ended() && scheduler.takes_more();
        let busy = !scheduler.running.is_empty();
        let follows = !scheduler.stopping && gateway.follows();
        tokio::select! {
            biased;
            () = signals.received() => scheduler.stop(&mut reader),
            (seq, step) = next_step(&mut scheduler.running), if busy => scheduler.settle(seq, step),
            filled = reader.fill(), if may_read => filled?,
            ended = followed.next(gateway), if follows => {
                if options.unfinished == Unfinished::Await {
                    ended.iter().for_each(|ended| ended.encode(&mut out));
                }
            }
            () = writer.closed() => return scheduler.abandon().await,
            () = tokio::time::sleep_until(scheduler.next_look), if !scheduler.awaited.is_empty() => scheduler.look(),
            () = tokio::time::sleep(PROGRESS), if busy => scheduler.progress(),
        }
    }
}

struct Scheduler<'g, 's> {
    gateway: &'g Gateway<'s>,
    jobs: usize,
    queue: VecDeque<Entry>,
    /// The number of the first call in the queue.
    first: u64,
    /// How many calls at the front of the queue were started.
    started: usize,
    /// How many calls at the front of the queue are done.
    done: usize,
    /// Since when a call at the front of the queue is done.
    held_since: Option<Instant>,
    running: Vec<Running<'g>>,
    /// A question that waits until everything before it is answered and shown.
    held: Option<Running<'g>>,
    /// Calls that were answered, and wait for a person.
    awaited: Vec<Awaited>,
    /// When the store is looked at next for their answers.
    next_look: tokio::time::Instant,
    ids: IdRegister,
    batches: u64,
    lines: u64,
    stopping: bool,
}

impl<'g, 's> Scheduler<'g, 's> {
    fn new(gateway: &'g Gateway<'s>, options: Options) -> Self {
        if options.unanswered == Unanswered::Await {
            gateway.await_answers();
        }
        Self {
            gateway,
            jobs: options.jobs.max(1),
            queue: VecDeque::new(),
            first: 0,
            started: 0,
            done: 0,
            held_since: None,
            running: Vec::new(),
            held: None,
            awaited: Vec::new(),
            next_look: tokio::time::Instant::now(),
            ids: IdRegister::new(options.run),
            batches: 0,
            lines: 0,
            stopping: false,
        }
    }

    /// Takes one line that is here, and starts what may start. Returns whether anything moved.
    fn step(&mut self, reader: &mut LineReader) -> bool {
        let mut moved = false;
        if self.takes_more()
            && let Some(line) = reader.next_line()
        {
            self.take(line);
            moved = true;
        }
        while !self.is_due() && self.start_next() {
            moved = true;
        }
        moved
    }

    /// Whether finished calls should be answered before another one is started.
    fn is_due(&self) -> bool {
        self.done >= GROUP || self.held_since.is_some_and(|since| since.elapsed() >= HELD)
    }

    fn take(&mut self, line: InputLine) {
        let limits = JsonLimits::default();
        self.lines += 1;
        let mut assign = || self.ids.assign();
        let line = match line {
            InputLine::Bytes(bytes) => decode_line(&bytes, self.lines, limits, &mut assign),
            InputLine::TooLong => Line::Calls(vec![long_line(assign(), self.lines, limits)]),
        };
        match line {
            Line::Empty => {}
            Line::Cancel(id) => self.cancel(&id),
            Line::Calls(calls) => {
                let batch = (calls.len() > 1).then(|| {
                    self.batches += 1;
                    self.batches
                });
                calls.into_iter().for_each(|incoming| self.enqueue(incoming, batch));
            }
        }
    }

    fn enqueue(&mut self, incoming: Incoming, batch: Option<u64>) {
        let origin = Origin::of(&incoming);
        let id = incoming.id.clone();
        let claimed = if incoming.id_given && incoming.call.is_ok() { self.ids.claim(&id) } else { Ok(()) };
        let state = match incoming.call {
            Ok(request) => match claimed {
                Ok(()) => State::Waiting {
                    request: Box::new(request),
                    consent: Box::new(Consent::None),
                    asked: false,
                },
                Err(error) => State::Done(Box::new(self.gateway.refuse(origin, error))),
            },
            Err(error) => State::Done(Box::new(self.gateway.refuse(origin, error))),
        };
        self.queue.push_back(Entry {
            id,
            state,
            cancel: CancelToken::default(),
            batch,
            edited: false,
            resumed: None,
        });
    }

    /// Starts the next call, where the order allows it. Returns whether anything moved.
    fn start_next(&mut self) -> bool {
        self.pass_done();
        if self.held.is_some() {
            return self.done == 0 && self.release();
        }
        let Some(entry) = self.queue.get_mut(self.started) else { return false };
        let State::Waiting { request, asked, .. } = &entry.state else { return false };
        let origin = Origin::of_request(request);
        if entry.cancel.is_cancelled() || self.stopping {
            entry.state = State::Done(Box::new(self.gateway.refuse(origin, cancelled())));
            return true;
        }
        if self.running.iter().any(|one| one.exclusive) || self.running.len() >= self.jobs {
            return false;
        }
        if let (Some(batch), false) = (entry.batch, *asked) {
            return self.running.is_empty() && self.ask_batch(batch);
        }
        let parallel = entry.resumed.is_none() && self.gateway.may_be_parallel(request);
        if !parallel && !self.running.is_empty() {
            return false;
        }
        // What came before must be in the store for a call that is checked against it.
        if self.done > 0 && self.gateway.looks_back(request) {
            return false;
        }
        // What runs now cannot change what is decided now only where both read; anything but a clear yes waits for the
        // others to end and is then decided afresh.
        let again = (!self.running.is_empty()).then(|| request.clone());
        let cancel = entry.cancel.clone();
        let State::Waiting { request, consent, .. } = std::mem::replace(&mut entry.state, State::Running)
        else {
            return false;
        };
        let admission = self.admitted(*request, *consent);
        match (admission, again) {
            (Admission::Ready { call, parallel: true }, _) => {
                self.launch(origin, false, self.gateway.run(call, cancel))
            }
            (_, Some(request)) => {
                if let Some(entry) = self.queue.get_mut(self.started) {
                    entry.state = State::Waiting { request, consent: Box::new(Consent::None), asked: true };
                }
                false
            }
            (Admission::Ready { call, parallel: false }, None) => {
                self.launch(origin, true, self.gateway.run(call, cancel))
            }
            (Admission::Finished(finished), None) => {
                self.finish_at(self.started, finished);
                true
            }
            (Admission::Open(held), None) => {
                self.launch(origin, true, self.gateway.settle_and_run(held, cancel))
            }
            (Admission::Ask(pending), None) if self.gateway.can_ask() => {
                let future = self.ask_and_run(pending, cancel);
                let seq = self.first + self.started as u64;
                self.started += 1;
                self.hold(seq, Box::pin(async move { Step::Finished(future.await) }));
                true
            }
            (Admission::Ask(pending), None) => self.launch(origin, true, self.ask_and_run(pending, cancel)),
        }
    }

    /// Asks about one call and, with a yes, runs it.
    fn ask_and_run(
        &self,
        pending: Box<PendingCall>,
        cancel: CancelToken,
    ) -> impl Future<Output = Box<Finished>> + 'g + use<'g, 's> {
        let gateway = self.gateway;
        async move { gateway.ask_and_run(pending, cancel).await }
    }

    /// Polls a new future once: what needs no waiting ends right here.
    fn launch(
        &mut self,
        origin: Origin,
        exclusive: bool,
        future: impl Future<Output = Box<Finished>> + 'g,
    ) -> bool {
        let seq = self.first + self.started as u64;
        let mut future: Pin<Box<dyn Future<Output = Step> + 'g>> =
            Box::pin(async move { Step::Finished(future.await) });
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        self.started += 1;
        match future.as_mut().poll(&mut context) {
            Poll::Ready(step) => self.settle(seq, step),
            Poll::Pending => {
                let tool = origin.tool.unwrap_or_default();
                self.running.push(Running { seq, exclusive, tool, since: Instant::now(), future });
            }
        }
        true
    }

    /// Takes in what a future came to.
    fn settle(&mut self, seq: u64, step: Step) {
        match step {
            Step::Finished(finished) => {
                if let Some(at) = self.place(seq) {
                    self.finish_at(at, finished);
                }
            }
            Step::Asked(answers) => self.answered(answers),
        }
    }

    /// Where in the queue the call of this number stands; `None` once it was answered.
    fn place(&self, seq: u64) -> Option<usize> {
        seq.checked_sub(self.first)
            .and_then(|at| usize::try_from(at).ok())
            .filter(|at| *at < self.queue.len())
    }

    fn finish_at(&mut self, at: usize, finished: Box<Finished>) {
        if finished.stops_the_run() {
            self.stopping = true;
            self.queue.iter().for_each(|entry| entry.cancel.cancel());
        }
        if let Some(entry) = self.queue.get_mut(at) {
            entry.state = State::Done(finished.with_edit(entry.edited));
        }
        self.pass_done();
    }

    /// Moves the marks over calls that are done.
    fn pass_done(&mut self) {
        while let Some(State::Done(_)) = self.queue.get(self.started).map(|entry| &entry.state) {
            self.started += 1;
        }
        while let Some(State::Done(_)) = self.queue.get(self.done).map(|entry| &entry.state) {
            self.done += 1;
            self.held_since.get_or_insert_with(Instant::now);
        }
    }

    /// Records every call at the front that is done, and encodes its answer. Returns whether there was one.
    fn commit(&mut self, out: &mut Vec<u8>) -> bool {
        if self.done == 0 {
            return false;
        }
        let finished: Vec<Box<Finished>> = self
            .queue
            .drain(..self.done)
            .filter_map(|entry| match entry.state {
                State::Done(finished) if entry.resumed.is_some() => Some(finished.as_resolved()),
                State::Done(finished) => Some(finished),
                State::Waiting { .. } | State::Running => None,
            })
            .collect();
        self.first += self.done as u64;
        self.started -= self.done.min(self.started);
        self.done = 0;
        self.held_since = None;
        self.gateway.commit(finished, out);
        true
    }
}
