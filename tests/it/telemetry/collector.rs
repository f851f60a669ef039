//! A collector that takes what it is sent and keeps it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// A request as it came.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) path: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A collector on a port of its own.
pub(super) struct Collector {
    pub(super) endpoint: String,
    taken: Arc<Mutex<Vec<Request>>>,
}

impl Collector {
    /// One that answers every request with this status line.
    pub(super) fn answering(status: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let taken = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&taken);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || serve(&connection.unwrap(), status, &kept));
            }
        });
        Self { endpoint, taken }
    }

    pub(super) fn new() -> Self {
        Self::answering("200 OK")
    }

    /// One that lets everybody connect and answers nobody. It lives as long as what is returned beside its endpoint.
    pub(super) fn silent() -> (TcpListener, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        (listener, endpoint)
    }

    /// Everything that was taken so far.
    pub(super) fn taken(&self) -> Vec<Request> {
        self.taken.lock().unwrap().clone()
    }

    /// Everything that was taken, as text.
    pub(super) fn all_text(&self) -> String {
        self.taken().iter().map(|request| String::from_utf8_lossy(&request.body).into_owned()).collect()
    }

    /// The bodies of requests to this path, as JSON.
    pub(super) fn json(&self, path: &str) -> Vec<Value> {
        let taken = self.taken();
        let there = taken.iter().filter(|request| request.path == path);
        there.map(|request| serde_json::from_slice(&request.body).unwrap()).collect()
    }

    /// Every span.
    pub(super) fn spans(&self) -> Vec<Value> {
        let bodies = self.json("/v1/traces");
        let scoped =
            bodies.iter().flat_map(|body| body["resourceSpans"][0]["scopeSpans"].as_array().unwrap());
        scoped.flat_map(|scope| scope["spans"].as_array().unwrap().clone()).collect()
    }

    /// The last values of a metric.
    pub(super) fn metric(&self, name: &str) -> Option<Value> {
        let last = self.json("/v1/metrics").pop()?;
        let metrics = last["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap().clone();
        metrics.into_iter().find(|metric| metric["name"] == name)
    }
}

fn serve(connection: &TcpStream, status: &str, kept: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(connection);
    loop {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if line.trim_end().is_empty() {
                break;
            }
            lines.push(line.trim_end().to_owned());
        }
        let path = lines[0].strip_prefix("POST ").unwrap().split(' ').next().unwrap().to_owned();
        let headers: Vec<(String, String)> = lines[1..]
            .iter()
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let mut request = Request { path, headers, body: Vec::new() };
        let length = request.header("content-length").unwrap().parse().unwrap();
        request.body.resize(length, 0);
        reader.read_exact(&mut request.body).unwrap();
        kept.lock().unwrap().push(request);
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
        if (&mut &*connection).write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// The attributes of a span or a data point, by name, each as text.
pub(super) fn attributes(of: &Value) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = of["attributes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attribute| {
            let value = &attribute["value"];
            let text =
                value["stringValue"].as_str().map_or_else(|| value["boolValue"].to_string(), str::to_owned);
            (attribute["key"].as_str().unwrap().to_owned(), text)
        })
        .collect();
    found.sort();
    found
}

/// One attribute.
pub(super) fn attribute(of: &Value, name: &str) -> Option<String> {
    attributes(of).into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
}
