//! The thread that owns the connection. The store's calls block, and may be made inside another runtime.

use std::sync::mpsc;
use std::thread;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_postgres::Row;

use crate::state::StoreError;
use crate::state::sql::Value;

use super::server::Server;
use super::session::Session;

/// What the thread is asked to do.
pub(super) enum Job {
    /// Runs a statement that writes.
    Execute { sql: String, values: Vec<Bound> },
    /// Runs a statement that answers with rows.
    Query { sql: String, values: Vec<Bound> },
    /// Begins a transaction with this.
    Begin { sql: String },
    /// Commits it.
    Commit,
    /// Gives it up.
    RollBack,
}

/// What the thread answers.
pub(super) enum Answer {
    Done,
    Count(u64),
    Rows(Vec<Row>),
}

/// A value on its way to the thread.
pub(super) enum Bound {
    Null,
    Bool(bool),
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl From<Value<'_>> for Bound {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Integer(value) => Self::Integer(value),
            Value::Text(value) => Self::Text(value.to_owned()),
            Value::Bytes(value) => Self::Bytes(value.to_owned()),
        }
    }
}

/// The thread, as its one user sees it. It ends when this is dropped.
pub(super) struct Worker {
    jobs: UnboundedSender<Job>,
    answers: mpsc::Receiver<Result<Answer, StoreError>>,
}

impl Worker {
    /// Starts the thread; it connects when it is asked something.
    pub(super) fn start(server: Server) -> Result<Self, StoreError> {
        let (jobs, waiting) = unbounded_channel();
        let (answer, answers) = mpsc::channel();
        thread::Builder::new()
            .name("state".to_owned())
            .spawn(move || serve(server, waiting, &answer))
            .map_err(|error| StoreError::Unavailable(format!("no thread for it: {error}")))?;
        Ok(Self { jobs, answers })
    }

    /// Has one thing done. One answer comes for each, in order.
    pub(super) fn ask(&self, job: Job) -> Result<Answer, StoreError> {
        let gone = || StoreError::Unavailable("the thread of its connection ended".to_owned());
        self.jobs.send(job).map_err(|_| gone())?;
        self.answers.recv().map_err(|_| gone())?
    }
}

fn serve(
    server: Server,
    mut jobs: UnboundedReceiver<Job>,
    answers: &mpsc::Sender<Result<Answer, StoreError>>,
) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let problem = StoreError::Unavailable(format!("no runtime for its connection: {error}"));
            // Each question is answered, the first as every later one.
            while jobs.blocking_recv().is_some() && answers.send(Err(problem.clone())).is_ok() {}
            return;
        }
    };
    runtime.block_on(async {
        let mut session = Session::new(server);
        while let Some(job) = jobs.recv().await {
            let answer = session.answer(job).await;
            if answers.send(answer).is_err() {
                return;
            }
        }
    });
}
