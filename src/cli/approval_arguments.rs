//! What can be typed after `tgw approvals`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::approver_arguments::ShowArgs;
use super::arguments::StoreArgs;
use super::help;

/// `tgw approvals`
#[derive(Debug, Args)]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    pub(crate) command: ApprovalsCommand,
}

/// What to do with approvals.
#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List questions that wait and answers that are remembered
    List {
        /// Print one JSON array
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Print each question that waits, and each new one when it comes, until it is stopped
    Watch {
        /// Print one JSON object a line
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Show a question as it would be asked, or a remembered answer
    Show(ShowArgs),
    /// Answer a question with yes, after showing it at the terminal: a yes to exactly this call, once
    Approve {
        /// What the model should know; it comes with the result
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
        #[command(flatten)]
        answer: AnswerArgs,
    },
    /// Answer a question with no, after showing it at the terminal
    Deny {
        /// What the model should know
        #[arg(long, value_name = "TEXT")]
        feedback: Option<String>,
        #[command(flatten)]
        answer: AnswerArgs,
    },
    /// Run the call of a question that was answered with yes: everything is decided again first
    #[command(after_help = help::APPROVALS_RUN)]
    Run(ApprovalsRunArgs),
    /// Withdraw a remembered answer, a question that waits, or a yes that was not used
    Revoke {
        /// Its id, from the list
        id: String,
        #[command(flatten)]
        store: StoreArgs,
    },
}

/// Which question is answered, and how it was shown.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The question's id, from the list or from the hint of an `input_required` result
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Without a terminal: the digest that `tgw approvals show` printed, which says what was looked at
    #[arg(long, value_name = "sha256:…")]
    pub(crate) digest: Option<String>,
    /// Answer as this approver, with a signature; needs --key
    #[arg(long = "as", value_name = "NAME", requires = "key")]
    pub(crate) approver: Option<String>,
    /// The approver's private key, as `tgw approvers keygen` wrote it; needs --as
    #[arg(long, value_name = "FILE", requires = "approver")]
    pub(crate) key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `tgw approvals run`
#[derive(Debug, Args)]
pub(crate) struct ApprovalsRunArgs {
    /// The question's id
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Where people see what happens, as for `tgw run`
    #[arg(long, value_name = "WHERE")]
    pub(crate) display: Option<String>,
    /// A manifest, as for `tgw run`
    #[arg(long, value_name = "FILE", help_heading = "Session")]
    pub(crate) tools: Vec<PathBuf>,
    /// A policy, as for `tgw run`
    #[arg(long, value_name = "FILE", help_heading = "Session")]
    pub(crate) policy: Vec<PathBuf>,
    /// The accepted tools of upstream servers, as for `tgw run`
    #[arg(long, value_name = "FILE", help_heading = "Session")]
    pub(crate) lock: Option<PathBuf>,
    /// The folder that the call works in, as for `tgw run`
    #[arg(long, value_name = "DIR", help_heading = "Session")]
    pub(crate) workspace: Option<PathBuf>,
    /// The state store, as for `tgw run`
    #[arg(long, value_name = "PATH", help_heading = "Session")]
    pub(crate) state: Option<PathBuf>,
    /// The tenant [env: TGW_TENANT] [default: local]
    #[arg(long, value_name = "NAME", help_heading = "Session")]
    pub(crate) tenant: Option<String>,
    /// What rules read as `facts`, as for `tgw run`
    #[arg(long, value_name = "JSON", help_heading = "Session")]
    pub(crate) facts: Option<String>,
}
