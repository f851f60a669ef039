//! A database of its own on the PostgreSQL server that the tests are given.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio_postgres::{NoTls, SimpleQueryMessage};

/// The variable that names a server on which tests may make and drop databases.
const SERVER: &str = "TGW_TEST_POSTGRES";

/// A database that goes when it is dropped.
pub(crate) struct Database {
    name: String,
}

impl Database {
    /// A new one; `None` where the tests are given no server, unless everything was to be installed.
    pub(crate) fn new() -> Option<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        if std::env::var_os(SERVER).is_none() {
            let full = std::env::var_os("TGW_REQUIRE_FULL").is_some_and(|set| set == "1");
            assert!(!full, "{SERVER} names no server");
            eprintln!("skipped: {SERVER} names no server");
            return None;
        }
        let name = format!("tgw_it_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        run(&server(), &format!("CREATE DATABASE {name} TEMPLATE template0"));
        Some(Self { name })
    }

    /// Its address.
    pub(crate) fn address(&self) -> String {
        let server = server();
        let (base, _) = server.rsplit_once('/').unwrap();
        format!("{base}/{}", self.name)
    }

    /// Runs statements in it.
    pub(crate) fn run(&self, sql: &str) {
        run(&self.address(), sql);
    }

    /// Throws every connection to it out, and waits until they are gone.
    pub(crate) fn disconnect(&self) {
        let name = &self.name;
        run(
            &server(),
            &format!(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}'"
            ),
        );
    }

    /// Whether anybody has a session in it.
    pub(crate) fn has_sessions(&self) -> bool {
        let name = &self.name;
        let sql = format!("SELECT 1 FROM pg_stat_activity WHERE datname = '{name}'");
        rows(&server(), &sql) > 0
    }

    /// Lets nobody in any more, or everybody again.
    pub(crate) fn let_in(&self, in_again: bool) {
        run(&server(), &format!("ALTER DATABASE {} ALLOW_CONNECTIONS {in_again}", self.name));
        self.disconnect();
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        run(&server(), &format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

fn server() -> String {
    std::env::var(SERVER).unwrap()
}

fn run(address: &str, sql: &str) {
    rows(address, sql);
}

/// Runs statements, and returns how many rows they told.
fn rows(address: &str, sql: &str) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(address, NoTls).await.unwrap();
        let driving = tokio::spawn(connection);
        let told = client.simple_query(sql).await.unwrap();
        drop(client);
        driving.await.unwrap().unwrap();
        told.iter().filter(|message| matches!(message, SimpleQueryMessage::Row(_))).count()
    })
}
