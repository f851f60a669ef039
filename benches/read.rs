//! A builtin read of a small file through the whole gateway: decided, run, presented, recorded, answered.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a bench ends where something is not as it must be")]

mod support;

use std::hint::black_box;

use divan::{Bencher, counter::ItemsCount};
use tgw::authorize::Consent;
use tgw::execute::CancelToken;
use tgw::gateway::{Admission, Finished, Gateway};
use tgw::state::{Place, SealKey, SqlStore};
use tgw::wire::{IdRegister, JsonLimits, Line, decode_line};

use support::{Unwatched, shipped};

fn main() {
    divan::main();
}

/// What opening and reading the file costs by itself.
#[divan::bench]
fn bare_read(bencher: Bencher<'_, '_>) {
    let place = workspace();
    let path = place.path().join("src/main.rs");
    bencher.bench(|| std::fs::read(black_box(&path)).unwrap());
}

/// Calls a commit: one at a time, as a caller that waits for each answer, and 32 outstanding.
#[divan::bench(args = [1, 32])]
fn read_file(bencher: Bencher<'_, '_>, outstanding: usize) {
    let place = workspace();
    let state = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let session = shipped(place.path());
    let store = SqlStore::open(
        &Place::File(state.path().join("state/state.db")),
        place.path(),
        SealKey::new(state.path()),
    );
    let watcher = Unwatched;
    let gateway = Gateway::new(&session, store, None, &watcher, None);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut ids = IdRegister::new(1);
    let mut out = Vec::new();
    let line = br#"{"name":"read_file","arguments":{"path":"src/main.rs"}}"#;
    bencher.counter(ItemsCount::new(outstanding)).bench_local(|| {
        out.clear();
        let finished: Vec<Box<Finished>> = (0..outstanding)
            .map(|_| {
                let Line::Calls(mut calls) =
                    decode_line(line, 1, JsonLimits::default(), &mut || ids.assign())
                else {
                    panic!("the line is a call")
                };
                let request = calls.remove(0).call.unwrap();
                match gateway.admit(request, Consent::None) {
                    Admission::Ready { call, .. } => {
                        runtime.block_on(gateway.run(call, CancelToken::default()))
                    }
                    Admission::Finished(_) | Admission::Ask(_) | Admission::Open(_) => {
                        panic!("the call may run")
                    }
                }
            })
            .collect();
        gateway.commit(finished, &mut out);
        black_box(&out);
    });
    assert!(String::from_utf8_lossy(&out).contains(r#""status":"succeeded""#));
}

fn workspace() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir(place.path().join("src")).unwrap();
    std::fs::write(place.path().join("src/main.rs"), "fn main() {\n    println!(\"Hello\");\n}\n".repeat(10))
        .unwrap();
    place
}
