//! Running: the only modules that start a process or touch a file of the workspace for a call.

pub mod builtin;
mod command;
mod credential_command;
mod dispatch;
mod editor;
mod http;
mod mcp;
mod notice;
mod process;
pub mod sandbox;
mod stand_in;

pub use builtin::Preview;
pub use command::{BeyondCap, CommandContext, run_command};
pub use credential_command::CredentialCommands;
pub use dispatch::{ExecutionContext, SpentCall, answered, execute, execute_by, preview};
pub use editor::ProcessEditor;
pub use http::Connections;
pub use mcp::{Listed, ServerContext, Servers};
pub use notice::{Notice, Notifier};
pub(crate) use process::Signals;
pub use process::{CancelToken, ParentEnvironment, check_program};
pub use sandbox::{Capability, SandboxProfile, resolve_profile, server_profile};
pub use stand_in::{Look, StandIn};

#[cfg(test)]
mod test_bench;
