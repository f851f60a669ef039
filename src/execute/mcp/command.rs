//! A server as the command that it is started with.

use crate::catalog::{OutputFormat, Overflow, ServerSpec, Streams};
use crate::validate::{CommandPlan, ProgramSource, StdinPlan};

/// The command of a server. Its streams are the connection, and no call's.
pub(super) fn command(spec: &ServerSpec) -> CommandPlan {
    let written = spec.argv.first().map_or("", String::as_str);
    CommandPlan {
        program: ProgramSource::written(written, &spec.program_base),
        argv: spec.argv.clone(),
        cwd: spec.cwd.clone(),
        env: spec.env.clone(),
        pass_env: spec.pass_env.clone(),
        credentials: spec.credentials.clone(),
        stdin: StdinPlan::Empty,
        output: OutputFormat::Text,
        streams: Streams::Stdout,
        max_output_bytes: 0,
        on_overflow: Overflow::Truncate,
        timeout: spec.start_timeout,
    }
}
