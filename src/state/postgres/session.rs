//! One connection at a time, and what becomes of a transaction whose connection breaks.

use std::collections::HashMap;
use std::future::Future;
use std::time::Duration;

use tokio_postgres::config::SslMode;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls, Row, SimpleQueryMessage, Statement};

use crate::state::StoreError;

use super::problem::{no_such_table, problem};
use super::server::Server;
use super::tls;
use super::worker::{Answer, Bound, Job};

/// How long a statement may wait for others, and how long a process that is stopped in the middle may hold others up.
const PATIENCE_MS: u32 = 10_000;

/// How long an answer is waited for, which the server should have given up before.
const ANSWER: Duration = Duration::from_secs(20);

/// How often, and with which pause, a commit in doubt is asked about while the server still works on it.
const ASKED_ABOUT: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// A connection that is made when it is needed.
pub(super) struct Session {
    server: Server,
    connected: Option<Connected>,
    transaction: Option<Transaction>,
}

struct Connected {
    client: Client,
    statements: HashMap<String, Statement>,
}

struct Transaction {
    /// The server's number of it, by which it is asked about when the connection breaks.
    number: String,
    /// Whether a statement in it failed: the server would take a commit then, and keep nothing.
    failed: bool,
}

impl Session {
    pub(super) fn new(server: Server) -> Self {
        Self { server, connected: None, transaction: None }
    }

    pub(super) async fn answer(&mut self, job: Job) -> Result<Answer, StoreError> {
        match job {
            Job::Begin { sql } => self.begin(&sql).await.map(|()| Answer::Done),
            Job::Commit => self.commit().await.map(|()| Answer::Done),
            Job::RollBack => {
                self.roll_back().await;
                Ok(Answer::Done)
            }
            Job::Execute { sql, values } => self.run(&sql, &values, true).await,
            Job::Query { sql, values } => self.run(&sql, &values, false).await,
        }
    }

    /// Runs one statement. Outside a transaction it is run once more over a new connection where the old one is found
    /// broken: what runs there reads, or drops what has ended.
    async fn run(&mut self, sql: &str, values: &[Bound], writes: bool) -> Result<Answer, StoreError> {
        if let Some(transaction) = &mut self.transaction {
            let answer = match &mut self.connected {
                Some(connected) => within(connected.run(sql, values, writes)).await,
                None => Err(Failed::Connection(broken())),
            };
            return answer.map_err(|failed| {
                transaction.failed = true;
                failed.into()
            });
        }
        let mut again = true;
        loop {
            let connected = self.connected().await?;
            match within(connected.run(sql, values, writes)).await {
                Err(Failed::Connection(_)) if again => {
                    self.connected = None;
                    again = false;
                }
                answer => return answer.map_err(Into::into),
            }
        }
    }

    async fn begin(&mut self, sql: &str) -> Result<(), StoreError> {
        self.roll_back().await;
        let mut again = true;
        loop {
            let connected = self.connected().await?;
            match within(connected.number_of(sql)).await {
                Ok(number) => {
                    self.transaction = Some(Transaction { number, failed: false });
                    return Ok(());
                }
                // Nothing was written yet.
                Err(Failed::Connection(_)) if again => {
                    self.connected = None;
                    again = false;
                }
                Err(failed) => {
                    self.abandon().await;
                    return Err(failed.into());
                }
            }
        }
    }

    async fn commit(&mut self) -> Result<(), StoreError> {
        let Some(transaction) = self.transaction.take() else {
            return Err(StoreError::Unavailable("no transaction is under way".to_owned()));
        };
        if transaction.failed {
            self.abandon().await;
            return Err(broken());
        }
        let Some(connected) = &mut self.connected else { return Err(broken()) };
        match within(connected.script("COMMIT")).await {
            Ok(()) => Ok(()),
            Err(Failed::Statement(problem)) => {
                self.abandon().await;
                Err(problem)
            }
            Err(Failed::Connection(problem)) => {
                self.connected = None;
                self.became(&transaction.number, &problem).await
            }
        }
    }

    /// What became of a transaction whose commit was not answered.
    async fn became(&mut self, number: &str, problem: &StoreError) -> Result<(), StoreError> {
        let in_doubt = || StoreError::InDoubt(problem.to_string());
        let number = [Bound::Text(number.to_owned())];
        for _ in 0..ASKED_ABOUT {
            let connected = self.connected().await.map_err(|_| in_doubt())?;
            let told = within(connected.rows("SELECT pg_xact_status(CAST(?1 AS text)::xid8)", &number)).await;
            let state: Option<String> = match told.as_deref() {
                Ok([row]) => row.try_get(0).map_err(|_| in_doubt())?,
                Ok(_) | Err(_) => return Err(in_doubt()),
            };
            match state.as_deref() {
                Some("committed") => return Ok(()),
                Some("aborted") => return Err(problem.clone()),
                Some("in progress") => tokio::time::sleep(PAUSE).await,
                _ => return Err(in_doubt()),
            }
        }
        Err(in_doubt())
    }

    async fn roll_back(&mut self) {
        if self.transaction.take().is_some() {
            self.abandon().await;
        }
    }

    /// Ends whatever the connection is in. One that cannot say so is dropped, and the server ends it then.
    async fn abandon(&mut self) {
        if let Some(connected) = &mut self.connected
            && within(connected.script("ROLLBACK")).await.is_err()
        {
            self.connected = None;
        }
    }

    async fn connected(&mut self) -> Result<&mut Connected, StoreError> {
        let open = self.connected.take().filter(|connected| !connected.client.is_closed());
        let connected = match open {
            Some(connected) => connected,
            None => Connected::new(&self.server).await?,
        };
        Ok(self.connected.insert(connected))
    }
}

/// Why something failed, and whether the connection can still be used.
enum Failed {
    Statement(StoreError),
    Connection(StoreError),
}

impl From<Failed> for StoreError {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Statement(problem) | Failed::Connection(problem) => problem,
        }
    }
}

impl From<tokio_postgres::Error> for Failed {
    fn from(error: tokio_postgres::Error) -> Self {
        if no_such_table(&error) {
            return Self::Statement(StoreError::Absent);
        }
        let ends = error.is_closed()
            || error.as_db_error().is_none_or(|told| {
                told.parsed_severity().is_none_or(|how| {
                    matches!(
                        how,
                        tokio_postgres::error::Severity::Fatal | tokio_postgres::error::Severity::Panic
                    )
                })
            });
        if ends { Self::Connection(problem(&error)) } else { Self::Statement(problem(&error)) }
    }
}

fn broken() -> StoreError {
    StoreError::Unavailable("the connection broke in the middle; nothing was kept".to_owned())
}

/// Waits for an answer, and no longer than the server should take.
async fn within<T>(work: impl Future<Output = Result<T, Failed>>) -> Result<T, Failed> {
    match tokio::time::timeout(ANSWER, work).await {
        Ok(answer) => answer,
        Err(_) => Err(Failed::Connection(StoreError::Unavailable(format!(
            "the server did not answer within {} s",
            ANSWER.as_secs()
        )))),
    }
}

impl Connected {
    async fn new(server: &Server) -> Result<Self, StoreError> {
        let unreachable = |error: tokio_postgres::Error| match problem(&error) {
            StoreError::Unavailable(text) => StoreError::Unavailable(format!("{server}: {text}")),
            other => other,
        };
        let client = if server.config.get_ssl_mode() == SslMode::Disable {
            let (client, connection) = server.config.connect(NoTls).await.map_err(unreachable)?;
            tokio::spawn(connection);
            client
        } else {
            let connector = tls::connector(&server.tls)?;
            let (client, connection) = server.config.connect(connector).await.map_err(unreachable)?;
            tokio::spawn(connection);
            client
        };
        let mut connected = Self { client, statements: HashMap::new() };
        // Names are looked up in our schema and the system's, and in no other. Who stops in the middle of a transaction
        // does not hold up the others for ever. A server that by itself does not wait for its disk is told to.
        let prepare = format!(
            "SET search_path = tgw, pg_catalog, pg_temp; SET client_encoding = 'UTF8'; SET lock_timeout = {PATIENCE_MS};
             SET statement_timeout = {PATIENCE_MS}; SET idle_in_transaction_session_timeout = {PATIENCE_MS};
             SELECT set_config('synchronous_commit', 'on', false)
             WHERE current_setting('synchronous_commit') = 'off'"
        );
        within(connected.script(&prepare)).await?;
        Ok(connected)
    }

    async fn script(&mut self, sql: &str) -> Result<(), Failed> {
        Ok(self.client.batch_execute(sql).await?)
    }

    /// Runs a script that begins a transaction and ends by asking for its number.
    async fn number_of(&mut self, sql: &str) -> Result<String, Failed> {
        let told = self.client.simple_query(sql).await?;
        let number = told.iter().rev().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        });
        number
            .ok_or_else(|| Failed::Connection(StoreError::Corrupt("a transaction has no number".to_owned())))
    }

    async fn run(&mut self, sql: &str, values: &[Bound], writes: bool) -> Result<Answer, Failed> {
        if writes {
            let statement = self.prepared(sql).await?;
            let parameters = parameters(values, &statement)?;
            Ok(Answer::Count(self.client.execute(&statement, &parameters).await?))
        } else {
            Ok(Answer::Rows(self.rows(sql, values).await?))
        }
    }

    async fn rows(&mut self, sql: &str, values: &[Bound]) -> Result<Vec<Row>, Failed> {
        let statement = self.prepared(sql).await?;
        let parameters = parameters(values, &statement)?;
        Ok(self.client.query(&statement, &parameters).await?)
    }

    async fn prepared(&mut self, sql: &str) -> Result<Statement, Failed> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        // Parameters are written `?1` for the store, and `$1` for this server.
        let statement = self.client.prepare(&sql.replace('?', "$")).await?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

/// The values as the statement wants them: what is null is null of the right type.
fn parameters<'v>(values: &'v [Bound], statement: &Statement) -> Result<Vec<&'v (dyn ToSql + Sync)>, Failed> {
    if values.len() != statement.params().len() {
        return Err(Failed::Statement(StoreError::Corrupt("a statement has other parameters".to_owned())));
    }
    Ok(values
        .iter()
        .zip(statement.params())
        .map(|(value, kind)| match value {
            Bound::Bool(value) => value as &(dyn ToSql + Sync),
            Bound::Integer(value) => value,
            Bound::Text(value) => value,
            Bound::Bytes(value) => value,
            Bound::Null if *kind == Type::BYTEA => &None::<Vec<u8>>,
            Bound::Null if *kind == Type::INT8 => &None::<i64>,
            Bound::Null => &None::<String>,
        })
        .collect())
}
