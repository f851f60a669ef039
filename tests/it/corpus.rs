//! Recorded calls through the real binary: the sample of `examples/corpus`, by the program that also runs others' suites.

use std::path::Path;
use std::process::Command;

#[test]
fn recorded_calls_pass_and_broken_ones_are_refused_at_their_place() {
    // Cargo puts examples beside the binary; it builds them for `cargo test` but not for `cargo test --test it`.
    let corpus = Path::new(env!("CARGO_BIN_EXE_tgw")).with_file_name("examples").join("corpus");
    if !corpus.exists() {
        eprintln!("skipped: run `cargo build --example corpus` first");
        return;
    }
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/corpus/sample.json");
    let output = Command::new(corpus).arg(sample).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    let figures: Vec<&str> = stdout.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(figures, ["corpus", "sample", "2", "4", "4", "0", "8", "11", "5", "12", "1", "0"]);
}

#[test]
fn a_corpus_that_is_not_there_is_no_failure() {
    let corpus = Path::new(env!("CARGO_BIN_EXE_tgw")).with_file_name("examples").join("corpus");
    if !corpus.exists() {
        eprintln!("skipped: run `cargo build --example corpus` first");
        return;
    }
    let output = Command::new(corpus).arg("no/such/corpus").output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "nothing to do: no corpus at no/such/corpus\n");
}
