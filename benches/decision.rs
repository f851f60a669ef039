//! A decision, from the bytes of a line to the bytes of its answer: `tgw check` without the pipes.
//!
//! With `--write DIR` it writes the same manifest, policies and calls as files instead, for `benches/processes.sh`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a bench ends where something is not as it must be"
)]

mod support;

use std::hint::black_box;
use std::path::Path;

use divan::{Bencher, counter::ItemsCount};
use tgw::gateway::Gateway;
use tgw::state::StoreError;
use tgw::wire::{IdRegister, JsonLimits, Line, decode_line};

use support::{Unwatched, line, manifest, policy, session};

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("--write") {
        let folder = arguments.next().expect("--write takes a folder");
        write(Path::new(&folder)).expect("the files can be written");
        return;
    }
    divan::main();
}

fn write(folder: &Path) -> std::io::Result<()> {
    std::fs::write(folder.join("tools.yaml"), manifest())?;
    std::fs::write(folder.join("allow.yaml"), policy(20, 3, "allow"))?;
    std::fs::write(folder.join("deny.yaml"), policy(20, 3, "deny"))?;
    for (name, count) in [("1", 1), ("10k", 10_000), ("1m", 1_000_000)] {
        let mut out =
            std::io::BufWriter::new(std::fs::File::create(folder.join(format!("calls-{name}.jsonl")))?);
        for number in 0..count {
            std::io::Write::write_all(&mut out, format!("{}\n", line(number)).as_bytes())?;
        }
    }
    Ok(())
}

/// Rules in all, and how many of them concern the tool.
const CASES: [(usize, usize); 3] = [(20, 3), (20, 20), (2_000, 3)];

#[divan::bench(args = CASES, sample_count = 500, sample_size = 200)]
fn check(bencher: Bencher<'_, '_>, (rules, concerned): (usize, usize)) {
    let place = tempfile::tempdir().unwrap();
    let session = session(&manifest(), &policy(rules, concerned, "allow"), place.path());
    let store = Err(StoreError::Unavailable("none is needed".to_owned()));
    let watcher = Unwatched;
    let gateway = Gateway::new(&session, store, None, &watcher, None);
    let line = line(7);
    let mut ids = IdRegister::new(1);
    let mut out = Vec::new();
    let mut decide = || {
        out.clear();
        let Line::Calls(calls) =
            decode_line(black_box(line.as_bytes()), 1, JsonLimits::default(), &mut || ids.assign())
        else {
            panic!("the line is a call")
        };
        for incoming in calls {
            gateway.check(incoming.call.unwrap()).encode(&mut out);
        }
        assert!(out.len() > 200);
        black_box(&out);
    };
    decide();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(decide);
    assert!(
        String::from_utf8_lossy(&out).contains(r#""verdict":"allow""#),
        "{}",
        String::from_utf8_lossy(&out)
    );
}
