//! A call of an upstream server through the whole gateway, beside one that only crosses the pipes; and a start with many
//! servers. The server is this program itself.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a bench ends where something is not as it must be"
)]
#![expect(clippy::disallowed_methods, reason = "what crosses the pipes alone is started as anybody would")]

mod support;

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use divan::Bencher;
use serde_json::{Value, json};
use tgw::authorize::Consent;
use tgw::catalog::{Lock, LockedServer, LockedTool};
use tgw::execute::CancelToken;
use tgw::execute::sandbox::launcher;
use tgw::gateway::{Admission, Gateway};
use tgw::state::{Place, SealKey, SqlStore};
use tgw::wire::{IdRegister, JsonLimits, Line, decode_line};

use support::{Unwatched, locked};

const ALLOW: &str = "version: 1\ndefault_verdict: allow\n";

const TOOL: &str = r#"{"name":"echo","description":"Says it.","inputSchema":{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}}"#;

const SAID: &str =
    r#""result":{"content":[{"type":"text","text":"hello"}],"structuredContent":{"word":"hello","n":1}}"#;

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(first) if first == launcher::ARGUMENT => launcher::main(arguments),
        Some(first) if first == "__peer" => serve(),
        _ => divan::main(),
    }
}

fn serve() {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let result = match message["method"].as_str() {
            Some("initialize") => r#""result":{"protocolVersion":"2025-11-25","capabilities":{}}"#.to_owned(),
            Some("tools/list") => format!(r#""result":{{"tools":[{TOOL}]}}"#),
            Some("tools/call") => SAID.to_owned(),
            _ => continue,
        };
        writeln!(out, r#"{{"jsonrpc":"2.0","id":{},{result}}}"#, message["id"]).unwrap();
        out.flush().unwrap();
    }
}

fn lock(names: impl Iterator<Item = String>, tools: usize) -> String {
    let tool = |number: usize| {
        let tool = LockedTool::read(&TOOL.replace("\"echo\"", &format!("\"echo{number}\""))).unwrap();
        (tool.name.clone(), tool)
    };
    let server = |tools| LockedServer { protocol: Some("2025-11-25".to_owned()), tools };
    let plain = LockedTool::read(TOOL).unwrap();
    let tools = (0..tools).map(tool).chain([("echo".to_owned(), plain)]);
    let tools: std::collections::BTreeMap<_, _> = tools.collect();
    Lock { servers: names.map(|name| (name, server(tools.clone()))).collect() }.write()
}

fn command() -> String {
    json!([std::env::current_exe().unwrap(), "__peer"]).to_string()
}

/// What the two pipes and the server's own work cost by themselves.
#[divan::bench]
fn bare_pipes(bencher: Bencher<'_, '_>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg("__peer")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let line = format!(
        "{}\n",
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo"}})
    );
    let mut answer = String::new();
    bencher.bench_local(|| {
        input.write_all(line.as_bytes()).unwrap();
        answer.clear();
        output.read_line(&mut answer).unwrap();
        black_box(&answer);
    });
    drop(input);
    child.wait().unwrap();
}

/// One call at a time, decided, sent, presented, recorded, answered.
#[divan::bench]
fn call(bencher: Bencher<'_, '_>) {
    let place = tempfile::tempdir().unwrap();
    let state = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let manifest = format!(
        "version: 1\nservers: {{peer: {{command: {}, prefix: p, tools: {{echo: {{risk: read_only, egress: false}}}}}}}}\n",
        command()
    );
    let session = locked(&manifest, Some(&lock(["peer".to_owned()].into_iter(), 0)), ALLOW, place.path());
    let store = Place::File(state.path().join("state/state.db"));
    let store = SqlStore::open(&store, place.path(), SealKey::new(state.path()));
    let watcher = Unwatched;
    let gateway = Gateway::new(&session, store, None, &watcher, None);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut ids = IdRegister::new(1);
    let mut out = Vec::new();
    let line = br#"{"name":"p__echo","arguments":{"word":"hello"}}"#;
    bencher.bench_local(|| {
        out.clear();
        let Line::Calls(mut calls) = decode_line(line, 1, JsonLimits::default(), &mut || ids.assign()) else {
            panic!("the line is a call")
        };
        let request = calls.remove(0).call.unwrap();
        let Admission::Ready { call, .. } = gateway.admit(request, Consent::None) else {
            panic!("the call may run")
        };
        let finished = runtime.block_on(gateway.run(call, CancelToken::default()));
        gateway.commit(vec![finished], &mut out);
        black_box(&out);
    });
    assert!(
        String::from_utf8_lossy(&out).contains(r#""status":"succeeded""#),
        "{}",
        String::from_utf8_lossy(&out)
    );
    gateway.close();
}

/// Loading fifty servers of twenty accepted tools each.
#[divan::bench]
fn load_fifty_servers(bencher: Bencher<'_, '_>) {
    let place = tempfile::tempdir().unwrap();
    let mut manifest = "version: 1\nservers:\n".to_owned();
    for number in 0..50 {
        let _ = writeln!(manifest, "  s{number}: {{command: [server]}}");
    }
    let lock = lock((0..50).map(|number| format!("s{number}")), 19);
    bencher.bench_local(|| black_box(locked(&manifest, Some(&lock), ALLOW, place.path())));
}
