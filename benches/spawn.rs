//! A command without a sandbox, beside a bare spawn of the same program.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a bench ends where something is not as it must be, and compares with the library that it leaves out"
)]

use std::process::{Command, Stdio};
use std::time::Duration;

use divan::Bencher;
use tgw::catalog::{OutputFormat, Overflow, Streams};
use tgw::execute::{BeyondCap, CancelToken, CommandContext, ParentEnvironment, SandboxProfile, run_command};
use tgw::present::CommandEnd;
use tgw::secret::Credentials;
use tgw::validate::{CommandPlan, ProgramSource, StdinPlan};
use tgw::workspace::{Protected, Workspace};

fn main() {
    divan::main();
}

const PROGRAM: &str = "/bin/true";

/// `posix_spawn` by the standard library, with the output read to its end.
#[divan::bench(sample_count = 500, sample_size = 1)]
fn bare(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| {
        let output = Command::new(PROGRAM).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success());
    });
}

/// The gateway's way: its own session, an explicit environment, a deadline, a cap, and everything it started ended.
#[divan::bench(sample_count = 500, sample_size = 1)]
fn command(bencher: Bencher<'_, '_>) {
    let place = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(place.path(), Protected::default()).unwrap();
    let environment = ParentEnvironment::current();
    let cancel = CancelToken::default();
    let context = CommandContext {
        workspace: &workspace,
        environment: &environment,
        cancel: &cancel,
        beyond_cap: BeyondCap::End,
        readable: None,
        traceparent: None,
    };
    let plan = CommandPlan {
        program: ProgramSource::Path(PROGRAM.into()),
        argv: vec![PROGRAM.to_owned()],
        cwd: String::new(),
        env: Vec::new(),
        pass_env: Vec::new(),
        credentials: Vec::new(),
        stdin: StdinPlan::Empty,
        output: OutputFormat::Text,
        streams: Streams::Stdout,
        max_output_bytes: 1 << 20,
        on_overflow: Overflow::Truncate,
        timeout: Duration::from_secs(10),
    };
    let sandbox = SandboxProfile::none();
    let credentials = Credentials::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    bencher.bench_local(|| {
        let capture = runtime.block_on(run_command(&plan, &sandbox, &credentials, &context));
        assert!(matches!(capture.end, CommandEnd::Exited(0)));
    });
}
