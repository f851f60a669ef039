//! Effects through the whole gateway, decided, reserved, run by a double that does nothing, settled and answered: one after
//! another, 32 callers at once, four processes on one store; beside raw commits to the same disk in the same run, and beside
//! the same work in another product where `TGW_BENCH_CTRLRUN` names a Python that has it (`benches/peers/effects_ctrlrun.py`).

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench ends where something is not as it must be, and prints what it measured"
)]

mod support;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};
use tgw::audit::{VerifyRequest, verify};
use tgw::authorize::Consent;
use tgw::execute::{CancelToken, StandIn};
use tgw::gateway::{Admission, Gateway};
use tgw::ident::{CallId, Tenant};
use tgw::present::{Captured, CommandCapture, CommandEnd};
use tgw::state::{EffectState, Place, SealKey, SqlStore, Store};
use tgw::validate::ValidatedCall;
use tgw::wire::{CallRequest, Shape};

use support::{Unwatched, session};

/// How often each measurement is made; they take turns, so that a busy moment of the machine concerns all of them.
const ROUNDS: usize = 5;

/// How many effects one measurement has.
const ONE: usize = 400;
const CALLERS: usize = 32;
const EACH_CALLER: usize = 100;
const PROCESSES: usize = 4;
const EACH_PROCESS: usize = 400;

const TOOLS: &str = "version: 1
tools:
  - name: refund
    version: 1.0.0
    description: Refunds a payment.
    risk: external
    timeout: 5s
    idempotency: {key: '{{arguments.payment}}'}
    input_schema:
      type: object
      additionalProperties: false
      required: [payment, amount]
      properties:
        payment: {type: string, pattern: '^txn_[0-9_]+$', maxLength: 64}
        amount: {type: integer, minimum: 0, maximum: 1000000}
    run: {command: {argv: [/bin/true], stdin: '{{json(arguments)}}'}}
";

const POLICY: &str = "version: 1
default_verdict: deny
rules:
  - {id: small, verdict: allow, tools: [refund], when: 'arguments.amount <= 50000', reason: small refunds need nobody}
";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, worker, state, name, count] = arguments.as_slice()
        && worker == "--worker"
    {
        return effects(Path::new(state), name, count.parse().unwrap(), || {
            println!("ready");
            std::io::stdin().read_line(&mut String::new()).unwrap();
        });
    }
    let mut taken: Vec<(&str, usize, Vec<Duration>)> = vec![
        ("two raw commits, FULL", ONE, Vec::new()),
        ("one after another", ONE, Vec::new()),
        ("32 callers at once", CALLERS * EACH_CALLER, Vec::new()),
        ("four processes", PROCESSES * EACH_PROCESS, Vec::new()),
    ];
    let peer = std::env::var_os("TGW_BENCH_CTRLRUN").map(PathBuf::from);
    if peer.is_some() {
        taken.push(("ctrlrun, one after another", ONE, Vec::new()));
        taken.push(("ctrlrun, 32 callers at once", CALLERS * EACH_CALLER, Vec::new()));
        taken.push(("ctrlrun, four processes", PROCESSES * EACH_PROCESS, Vec::new()));
    }
    for _ in 0..ROUNDS {
        for (at, (_, _, times)) in taken.iter_mut().enumerate() {
            let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            times.push(match (at, &peer) {
                (0, _) => raw(place.path()),
                (1, _) => one_after_another(place.path()),
                (2, _) => callers(place.path()),
                (3, _) => processes(place.path()),
                (4, Some(python)) => ctrlrun(python, place.path(), "one", 1, ONE),
                (5, Some(python)) => ctrlrun(python, place.path(), "threads", CALLERS, EACH_CALLER),
                (_, Some(python)) => ctrlrun(python, place.path(), "processes", PROCESSES, EACH_PROCESS),
                (_, None) => panic!("there is no peer"),
            });
        }
    }
    println!("{:32}{:>12}{:>12}{:>14}", "effects", "median ms", "best ms", "a second");
    for (name, count, mut times) in taken {
        times.sort();
        let each = |time: Duration| time.as_secs_f64() * 1000.0 / count as f64;
        let median = each(times[times.len() / 2]);
        println!("{name:32}{median:12.3}{:12.3}{:14.0}", each(times[0]), 1000.0 / median);
    }
}

/// Two commits that each write one row as large as a record, and sync it.
fn raw(place: &Path) -> Duration {
    let mut connection = Connection::open(place.join("raw.db")).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             CREATE TABLE record (id INTEGER PRIMARY KEY, hash BLOB, bytes BLOB, key BLOB, detail BLOB);",
        )
        .unwrap();
    let started = Instant::now();
    for _ in 0..ONE * 2 {
        let transaction = connection.transaction().unwrap();
        transaction
            .prepare_cached("INSERT INTO record (hash, bytes, key, detail) VALUES (?1, ?2, ?3, ?4)")
            .unwrap()
            .execute(params![&[1_u8; 32][..], &[2_u8; 500][..], &[3_u8; 16][..], &[4_u8; 100][..]])
            .unwrap();
        transaction.commit().unwrap();
    }
    started.elapsed()
}

fn one_after_another(state: &Path) -> Duration {
    open(state).unwrap();
    let mut started = Instant::now();
    effects(state, "0", ONE, || started = Instant::now());
    let elapsed = started.elapsed();
    check(state, ONE);
    elapsed
}

/// Callers in one process, each with a gateway and a connection of its own, as the sessions of a server have them.
fn callers(state: &Path) -> Duration {
    open(state).unwrap();
    let ready = Barrier::new(CALLERS + 1);
    let started = std::thread::scope(|scope| {
        for caller in 0..CALLERS {
            let ready = &ready;
            scope.spawn(move || {
                effects(state, &caller.to_string(), EACH_CALLER, || {
                    ready.wait();
                })
            });
        }
        ready.wait();
        Instant::now()
    });
    let elapsed = started.elapsed();
    check(state, CALLERS * EACH_CALLER);
    elapsed
}

fn processes(state: &Path) -> Duration {
    open(state).unwrap();
    let program = std::env::current_exe().unwrap();
    let mut children: Vec<_> = (0..PROCESSES)
        .map(|number| {
            let mut command = Command::new(&program);
            command.arg("--worker").arg(state).args([number.to_string(), EACH_PROCESS.to_string()]);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in &mut children {
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
    }
    let started = Instant::now();
    for child in &mut children {
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let elapsed = started.elapsed();
    check(state, PROCESSES * EACH_PROCESS);
    elapsed
}

fn ctrlrun(python: &Path, place: &Path, mode: &str, callers: usize, each: usize) -> Duration {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers/effects_ctrlrun.py");
    let output = Command::new(python)
        .arg(script)
        .arg(place)
        .args([mode, &callers.to_string(), &each.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success());
    Duration::from_secs_f64(String::from_utf8(output.stdout).unwrap().trim().parse().unwrap())
}

fn open(state: &Path) -> Result<SqlStore, tgw::state::StoreError> {
    SqlStore::open(&Place::File(state.join("state/state.db")), Path::new("/nowhere"), SealKey::new(state))
}

/// Has `count` effects, one after another.
fn effects(state: &Path, name: &str, count: usize, ready: impl FnOnce()) {
    let root = tempfile::tempdir().unwrap();
    let session = session(TOOLS, POLICY, root.path());
    let watcher = Unwatched;
    let done = Done;
    let gateway = Gateway::new(&session, open(state), None, &watcher, None).with_stand_in(&done);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut out = Vec::new();
    ready();
    for number in 0..count {
        let arguments = serde_json::json!({"payment": format!("txn_{name}_{number}"), "amount": 12550});
        let request = CallRequest {
            id: CallId::parse(&format!("c{name}-{number}")).unwrap(),
            name: "refund".to_owned(),
            arguments: arguments.as_object().unwrap().clone(),
            expects: None,
            shape: Shape::Native,
            rpc_id: None,
            traceparent: None,
        };
        let Admission::Ready { call, .. } = gateway.admit(request, Consent::None) else {
            panic!("the call may run")
        };
        let finished = runtime.block_on(gateway.run(call, CancelToken::default()));
        out.clear();
        gateway.commit(vec![finished], &mut out);
        let answer = String::from_utf8_lossy(&out);
        assert!(answer.contains(r#""status":"succeeded""#), "{answer}");
    }
}

/// Nothing is lost: every effect is in the ledger, and the chain holds an intent and an outcome of each.
fn check(state: &Path, count: usize) {
    let store = open(state).unwrap();
    let tenant = Tenant::parse("local").unwrap();
    assert_eq!(store.effects(&tenant, Some(EffectState::Succeeded), count + 1).unwrap().len(), count);
    let report = verify(&store, &tenant, &VerifyRequest::default()).unwrap();
    assert!(report.is_intact());
    assert_eq!(report.records, count as u64 * 2);
}

/// An executor that has its effect at once.
struct Done;

impl StandIn for Done {
    fn run<'a>(&'a self, _: &'a ValidatedCall) -> Pin<Box<dyn Future<Output = Captured> + 'a>> {
        Box::pin(async {
            Captured::command(CommandCapture {
                output: b"{\"status\":\"succeeded\"}".to_vec(),
                output_cut: false,
                stderr: Vec::new(),
                stderr_cut: false,
                end: CommandEnd::Exited(0),
                level: tgw::catalog::SandboxLevel::None,
                advice: None,
                undone: tgw::workspace::Undone::default(),
            })
        })
    }
}
