//! What can be typed after `tgw task`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::arguments::{SessionArgs, StoreArgs};

/// `tgw task`
#[derive(Debug, Args)]
pub(crate) struct TaskArgs {
    #[command(subcommand)]
    pub(crate) command: TaskCommand,
}

/// What to do with tasks.
#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    /// Keep a task in the store, in its first step; its id is printed
    Start {
        /// The task file: id, prompt, step, tools and data [default: a task with no data]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// The task's id, where no file states it [default: a random one]
        #[arg(long, value_name = "ID", conflicts_with = "file")]
        id: Option<String>,
        /// The step that it starts in [default: the task file's, else the policy's initial_step]
        #[arg(long, value_name = "NAME")]
        step: Option<String>,
        #[command(flatten)]
        place: TaskPlaceArgs,
    },
    /// Put a task into a step; a gate of the step is asked first
    Step {
        /// The task's id
        id: String,
        /// The step, one of the policy's
        step: String,
        /// What is added to the task's data, or replaces it by name: a JSON object; null takes a name out
        #[arg(long, value_name = "JSON")]
        data: Option<String>,
        #[command(flatten)]
        place: TaskPlaceArgs,
    },
    /// List the tasks that are kept, or show one
    Show {
        /// The task's id
        id: Option<String>,
        /// At most this many, the one changed last first
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: u64,
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// End a task, which is final: nothing runs in it any more
    End {
        /// The task's id
        id: String,
        #[command(flatten)]
        store: StoreArgs,
    },
}

/// Where the policy and the store come from, and who the task is for.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Session")]
pub(crate) struct TaskPlaceArgs {
    /// A manifest, as for `tgw run`
    #[arg(long, value_name = "FILE")]
    tools: Vec<PathBuf>,
    /// A policy, as for `tgw run`
    #[arg(long, value_name = "FILE")]
    policy: Vec<PathBuf>,
    /// The accepted tools of upstream servers, as for `tgw run`
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
    /// The workspace, as for `tgw run`
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// The state store, as for `tgw run`
    #[arg(long, value_name = "PATH")]
    state: Option<PathBuf>,
    /// The agent, which a gate may read
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The user, whom a gate may read
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// The tenant [env: TGW_TENANT] [default: local]
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
    /// What a gate reads as `facts`, as for `tgw run`
    #[arg(long, value_name = "JSON")]
    facts: Option<String>,
}

impl TaskPlaceArgs {
    /// The same as for a run, without a task.
    pub(crate) fn session(&self) -> SessionArgs {
        let Self { tools, policy, lock, workspace, state, agent, user, tenant, facts } = self.clone();
        SessionArgs {
            tools,
            policy,
            lock,
            workspace,
            state,
            agent,
            user,
            tenant,
            facts,
            task: None,
            step: None,
        }
    }

    /// Where the store is.
    pub(crate) fn store(&self) -> StoreArgs {
        let Self { workspace, state, tenant, .. } = self.clone();
        StoreArgs { workspace, state, tenant }
    }
}
