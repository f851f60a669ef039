//! What tests of commands share.

use std::time::Duration;

use crate::catalog::{OutputFormat, Overflow, Streams};
use crate::present::CommandCapture;
use crate::secret::Credentials;
use crate::validate::{CommandPlan, ProgramSource, StdinPlan};
use crate::workspace::{Protected, Workspace};

use super::sandbox::SandboxProfile;
use super::{BeyondCap, CancelToken, CommandContext, ParentEnvironment, run_command};

/// A workspace, and what a call needs besides its plan.
pub(super) struct Bench {
    pub(super) folder: tempfile::TempDir,
    pub(super) protected: Protected,
    pub(super) environment: ParentEnvironment,
    pub(super) cancel: CancelToken,
    pub(super) beyond_cap: BeyondCap,
    pub(super) sandbox: SandboxProfile,
}

impl Bench {
    pub(super) fn new() -> Self {
        let own = ["PATH", "HOME"].map(|name| (name, std::env::var_os(name).unwrap_or_default()));
        Self {
            folder: tempfile::tempdir().unwrap(),
            environment: own.into_iter().collect(),
            protected: Protected::default(),
            cancel: CancelToken::default(),
            beyond_cap: BeyondCap::End,
            sandbox: SandboxProfile::none(),
        }
    }

    pub(super) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    pub(super) async fn run(&self, plan: &CommandPlan) -> CommandCapture {
        let workspace = Workspace::open(self.folder.path(), self.protected.clone()).unwrap();
        let context = CommandContext {
            workspace: &workspace,
            environment: &self.environment,
            cancel: &self.cancel,
            beyond_cap: self.beyond_cap,
            readable: None,
            traceparent: None,
        };
        run_command(plan, &self.sandbox, &Credentials::default(), &context).await
    }
}

pub(super) fn plan(argv: &[&str]) -> CommandPlan {
    CommandPlan {
        program: ProgramSource::Search(argv[0].to_owned()),
        argv: argv.iter().map(|text| (*text).to_owned()).collect(),
        cwd: String::new(),
        env: Vec::new(),
        pass_env: Vec::new(),
        credentials: Vec::new(),
        stdin: StdinPlan::Empty,
        output: OutputFormat::Text,
        streams: Streams::Stdout,
        max_output_bytes: 1 << 20,
        on_overflow: Overflow::Truncate,
        timeout: Duration::from_secs(60),
    }
}

pub(super) fn shell(script: &str) -> CommandPlan {
    plan(&["sh", "-c", script])
}

pub(super) fn text(capture: &CommandCapture) -> String {
    String::from_utf8_lossy(&capture.output).into_owned()
}
