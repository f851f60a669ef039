use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::catalog::{HttpTls, Network, Redirects};
use crate::code::ErrorCode;
use crate::execute::CancelToken;
use crate::present::HttpEnd;
use crate::secret::Credentials;
use crate::validate::{HttpBody, HttpPlan};
use crate::workspace::{Protected, Workspace};

use super::Connections;
use super::resolve::Resolver;
use super::run::{HttpContext, run_http};

/// A service at every address of this machine, which counts its connections.
struct Service {
    port: u16,
    connections: Arc<AtomicUsize>,
}

impl Service {
    fn new() -> Self {
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                counted.fetch_add(1, Ordering::SeqCst);
                std::thread::spawn(move || {
                    let mut stream = BufReader::new(stream.unwrap());
                    let mut line = String::new();
                    while matches!(stream.read_line(&mut line), Ok(count) if count > 0) {
                        if line.trim().is_empty() {
                            stream
                                .get_mut()
                                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
                                .unwrap();
                        }
                        line.clear();
                    }
                });
            }
        });
        Self { port, connections }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// Names mean these addresses, one answer after the other.
fn knowing(answers: &[&[&str]]) -> Connections {
    let parsed = |answer: &&[&str]| answer.iter().map(|text| text.parse::<IpAddr>().unwrap()).collect();
    let answers = answers.iter().map(parsed).collect();
    let mut connections = Connections::default();
    connections.resolver = Resolver::Fixed(std::cell::RefCell::new(answers));
    connections
}

fn plan(service: &Service, networks: &[&str]) -> HttpPlan {
    HttpPlan {
        method: "GET".to_owned(),
        url: format!("http://name.example:{}/", service.port),
        headers: Vec::new(),
        auth: None,
        body: HttpBody::None,
        networks: networks.iter().map(|text| Network::parse(text).unwrap()).collect(),
        proxy: None,
        tls: HttpTls::default(),
        redirects: Redirects::default(),
        is_keyed: false,
        connect_timeout: Duration::from_secs(5),
        read_timeout: None,
        retries: 0,
        max_response_bytes: 1000,
        timeout: Duration::from_secs(10),
    }
}

/// The status of the answer, or the code of why nothing was sent.
async fn ask(plan: &HttpPlan, connections: &Connections, cancel: &CancelToken) -> Result<u16, ErrorCode> {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Arc::new(Workspace::open(folder.path(), Protected::default()).unwrap());
    let context = HttpContext {
        workspace: &workspace,
        credentials: &Credentials::default(),
        cancel,
        connections,
        traceparent: None,
        files: None,
        is_repeatable: true,
        is_repetition: false,
    };
    match run_http(plan, &context).await.end {
        HttpEnd::Answered(answer) => Ok(answer.status),
        HttpEnd::NotSent(error) => Err(error.code),
        HttpEnd::Broken(why) => panic!("{why:?}"),
    }
}

#[tokio::test]
async fn what_is_connected_to_is_what_was_checked_however_often_a_name_changes_its_mind() {
    let service = Service::new();
    let go = CancelToken::default();
    let named = plan(&service, &["127.0.0.2/32"]);
    // Asked once for each connection: the second answer, to another place, is never used for the first.
    let connections = knowing(&[&["127.0.0.2"], &["127.0.0.1"]]);
    assert_eq!(ask(&named, &connections, &go).await, Ok(200));
    assert_eq!(service.connections(), 1);
    let connections = knowing(&[&["127.0.0.1"], &["127.0.0.2"]]);
    assert_eq!(ask(&named, &connections, &go).await, Err(ErrorCode::PermissionDenied));
    // Of several addresses only those that may be reached are tried.
    let connections = knowing(&[&["127.0.0.1", "169.254.169.254", "::1", "127.0.0.2"]]);
    assert_eq!(ask(&named, &connections, &go).await, Ok(200));
    assert_eq!(service.connections(), 2);
    for private in
        ["127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "0.0.0.0", "::", "10.0.0.1", "169.254.169.254"]
    {
        let connections = knowing(&[&[private]]);
        assert_eq!(
            ask(&plan(&service, &[]), &connections, &go).await,
            Err(ErrorCode::PermissionDenied),
            "{private}"
        );
    }
    assert_eq!(service.connections(), 2);
}

#[tokio::test]
async fn a_connection_that_one_contract_may_have_made_is_not_used_by_one_that_may_not() {
    let service = Service::new();
    let go = CancelToken::default();
    let connections = knowing(&[&["127.0.0.1"]]);
    for _ in 0..2 {
        assert_eq!(ask(&plan(&service, &["loopback"]), &connections, &go).await, Ok(200));
    }
    assert_eq!(service.connections(), 1, "used again");
    assert_eq!(ask(&plan(&service, &[]), &connections, &go).await, Err(ErrorCode::PermissionDenied));
    assert_eq!(
        ask(&plan(&service, &["127.0.0.2/32"]), &connections, &go).await,
        Err(ErrorCode::PermissionDenied)
    );
}

#[tokio::test]
async fn a_call_that_was_cancelled_before_it_began_sends_nothing() {
    let service = Service::new();
    let stop = CancelToken::default();
    stop.cancel();
    let connections = knowing(&[&["127.0.0.1"]]);
    assert_eq!(ask(&plan(&service, &["loopback"]), &connections, &stop).await, Err(ErrorCode::Cancelled));
    assert_eq!(service.connections(), 0);
}
