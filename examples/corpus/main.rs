//! Runs recorded tool calls that others wrote through the real binary.
//!
//! ```text
//! cargo build && cargo run --example corpus -- PATH...
//! ```
//!
//! Each `PATH` is a suite, or a folder that is searched for suites: AgentDojo suites (`tools` with an `inputSchema` each, tasks
//! with recorded calls) and BFCL samples (functions with BFCL's own type words, accepted values). A suite becomes a manifest, a
//! policy that allows everything and a stream of calls; its tools are answered by this very program, started as
//! `corpus replay FOLDER CALL`, which prints what was recorded.
//!
//! Every recorded call must pass and return what was recorded. Every call broken on purpose must be refused as
//! `INVALID_ARGUMENTS` with a violation at the right place. Prints one table and exits with 1 on any surprise.

mod bfcl;
mod break_call;
mod drive;
mod python;
mod replay;
mod report;
mod suite;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use suite::Suite;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [] => {
            eprintln!("usage: corpus PATH...");
            return ExitCode::from(2);
        }
        [command, folder, call] if command == "replay" => {
            replay::answer(Path::new(folder), call).map(|()| true)
        }
        paths => run(paths),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs every suite below the paths; whether there was no surprise.
fn run(paths: &[String]) -> Result<bool, Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    for path in paths {
        if !Path::new(path).exists() {
            println!("nothing to do: no corpus at {path}");
            continue;
        }
        find(Path::new(path), &mut files)?;
    }
    files.sort();
    let mut results = Vec::new();
    for file in &files {
        if let Some(suite) = Suite::read(file)? {
            results.push(drive::drive(&suite)?);
        }
    }
    if !results.is_empty() {
        print!("{}", report::table(&results));
    }
    Ok(results.iter().all(|result| result.surprises.is_empty()))
}

/// JSON files at or below a path; only the folders of suites are looked into.
fn find(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if path.is_file() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in path.read_dir()? {
        let entry = entry?.path();
        let is_suite = entry.extension().is_some_and(|extension| extension == "json");
        if is_suite || entry.is_dir() {
            find(&entry, files)?;
        }
    }
    Ok(())
}
