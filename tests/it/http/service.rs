//! A small service on this machine: it notes every request and answers as it is told, one thread a connection.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::harness::checkout;

/// One request, as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// The first line.
    pub(crate) line: String,
    /// Headers in lower case.
    pub(crate) headers: HashMap<String, String>,
    /// The whole head, as it came.
    pub(crate) head: String,
    pub(crate) body: String,
    /// Which connection it came over, from 0.
    pub(crate) connection: usize,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// What is sent back: raw bytes, and whether the connection stays.
pub(crate) struct Answer {
    bytes: Vec<u8>,
    then: Then,
}

/// What becomes of the connection after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Stay,
    Close,
    Hang,
}

impl Answer {
    pub(crate) fn json(status: u16, body: &str) -> Self {
        Self::with(status, "content-type: application/json\r\n", body)
    }

    /// An answer with these header lines.
    pub(crate) fn with(status: u16, headers: &str, body: &str) -> Self {
        let text = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len());
        Self { bytes: text.into_bytes(), then: Then::Stay }
    }

    /// Bytes as they are, then the end of the connection.
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), then: Then::Close }
    }

    /// These bytes, and silence after them.
    pub(crate) fn silence(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), then: Then::Hang }
    }
}

type Rule = dyn Fn(&Asked, usize) -> Answer + Send + Sync;

/// The service. It lives as long as the test.
pub(crate) struct Service {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Service {
    /// One in clear text. The rule is given each request and how many came before it.
    pub(crate) fn new(rule: impl Fn(&Asked, usize) -> Answer + Send + Sync + 'static) -> Self {
        Self::start(Box::new(rule), None)
    }

    /// One with encryption; it demands a certificate of the client where it is told to.
    pub(crate) fn encrypted(
        wants_certificate: bool,
        rule: impl Fn(&Asked, usize) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = rustls::ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = if wants_certificate {
            let mut roots = rustls::RootCertStore::empty();
            roots.add(CertificateDer::from_pem_file(certificate("ca.pem")).unwrap()).unwrap();
            let verifier =
                rustls::server::WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                    .build()
                    .unwrap();
            builder.with_client_cert_verifier(verifier)
        } else {
            builder.with_no_client_auth()
        };
        let chain = vec![CertificateDer::from_pem_file(certificate("service.pem")).unwrap()];
        let key = PrivateKeyDer::from_pem_file(certificate("service.key")).unwrap();
        Self::start(Box::new(rule), Some(Arc::new(builder.with_single_cert(chain, key).unwrap())))
    }

    fn start(rule: Box<Rule>, encryption: Option<Arc<rustls::ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        let rule: Arc<Rule> = Arc::from(rule);
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let (rule, noted) = (Arc::clone(&rule), Arc::clone(&noted));
                let (Ok(stream), encryption) = (stream, encryption.clone()) else { continue };
                std::thread::spawn(move || match encryption {
                    None => serve(stream, number, &*rule, &noted),
                    Some(config) => {
                        let Ok(session) = rustls::ServerConnection::new(config) else { return };
                        serve(rustls::StreamOwned::new(session, stream), number, &*rule, &noted);
                    }
                });
            }
        });
        Self { port, asked }
    }

    /// Its address, up to the path.
    pub(crate) fn at(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// What it was asked.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The one thing that it was asked.
    pub(crate) fn only(&self) -> Asked {
        let mut asked = self.asked();
        assert_eq!(asked.len(), 1, "{asked:#?}");
        asked.remove(0)
    }
}

/// A file of the certificates of these tests.
pub(crate) fn certificate(name: &str) -> std::path::PathBuf {
    checkout().join("tests/it/http/certificates").join(name)
}

fn serve(stream: impl Read + Write, connection: usize, rule: &Rule, noted: &Mutex<Vec<Asked>>) {
    let mut stream = BufReader::new(stream);
    while let Some(asked) = read(&mut stream, connection) {
        let before = {
            let mut noted = noted.lock().unwrap();
            noted.push(asked.clone());
            noted.len() - 1
        };
        let answer = rule(&asked, before);
        let sent = stream.get_mut().write_all(&answer.bytes).and_then(|()| stream.get_mut().flush());
        match (sent, answer.then) {
            (Ok(()), Then::Stay) => {}
            // Until the other side has had enough.
            (Ok(()), Then::Hang) => while matches!(stream.read(&mut [0; 64]), Ok(count) if count > 0) {},
            _ => return,
        }
    }
}

fn read(stream: &mut impl BufRead, connection: usize) -> Option<Asked> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let mut lines = head.lines();
    let line = lines.next()?.to_owned();
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    let body = String::from_utf8_lossy(&body).into_owned();
    Some(Asked { line, headers, head, body, connection })
}
