//! What can be typed after the commands with which a person writes, looks after and moves things.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::arguments::{SessionArgs, StoreArgs};

/// `tgw init`
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The folder to write into; a file that is there already is never touched
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) directory: PathBuf,
}

/// `tgw trust`
#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Files to trust [default: tools.yaml, policy.yaml and tgw.lock of the workspace]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// List what is trusted, and whether it is still what was trusted
    #[arg(long, conflicts_with_all = ["files", "revoke"])]
    pub(crate) list: bool,
    /// Stop trusting the files
    #[arg(long)]
    pub(crate) revoke: bool,
    /// Trust without showing the content and asking: read it first
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// The workspace [env: TGW_WORKSPACE] [default: as for `tgw run`]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
}

/// `tgw lock`
#[derive(Debug, Args)]
pub(crate) struct LockArgs {
    /// The servers to look at [default: all that the manifests declare]
    #[arg(value_name = "SERVER")]
    pub(crate) servers: Vec<String>,
    /// Only say what differs from what is accepted, and change nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) check: bool,
    /// Accept what differs without asking: read it first, with --check
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: as for `tgw run`]
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Vec<PathBuf>,
    /// The lock to read and to write [env: TGW_LOCK] [default: tgw.lock of the workspace]
    #[arg(long, value_name = "FILE")]
    pub(crate) lock: Option<PathBuf>,
    /// The workspace [env: TGW_WORKSPACE] [default: as for `tgw run`]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
}

/// `tgw explain`
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// An error code such as PERMISSION_DENIED; left out, all are listed
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
    /// Print every code with its explanation as one Markdown page
    #[arg(long, conflicts_with = "code")]
    pub(crate) markdown: bool,
}

/// `tgw schema`
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// Which line: what goes in, or what comes out
    #[arg(value_enum, value_name = "LINE")]
    pub(crate) line: SchemaChoice,
}

/// Which line's schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaChoice {
    /// What goes in.
    Call,
    /// What comes out.
    Result,
    /// What comes out later, with `tgw run --wait-approvals`.
    Event,
}

/// `tgw doctor`
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// `tgw state`
#[derive(Debug, Args)]
pub(crate) struct StateArgs {
    #[command(subcommand)]
    pub(crate) command: StateCommand,
}

/// What is done with the store as a whole.
#[derive(Debug, Subcommand)]
pub(crate) enum StateCommand {
    /// Move everything from the store's file to an empty store on a server, in one step; the file is used no more then
    Migrate {
        /// The server: postgres://USER@HOST/DATABASE; a password is better in PGPASSWORD than here
        #[arg(value_name = "ADDRESS")]
        to: String,
        #[command(flatten)]
        store: StoreArgs,
    },
}

/// `tgw drill`
#[derive(Debug, Args)]
pub(crate) struct DrillArgs {
    /// Only this tool; may be given several times [default: every tool that has effects]
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// `tgw completions`
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL", required_unless_present_any = ["check", "write"])]
    pub(crate) shell: Option<clap_complete::Shell>,
    /// Fail unless the files of this folder are what would be written
    #[arg(long, value_name = "DIR", conflicts_with = "shell")]
    pub(crate) check: Option<PathBuf>,
    /// Write a file for every shell into this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["shell", "check"])]
    pub(crate) write: Option<PathBuf>,
}

/// `tgw man`
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder to write into; it is made where it is missing
    #[arg(value_name = "DIR", required_unless_present = "check")]
    pub(crate) directory: Option<PathBuf>,
    /// Fail unless the files of this folder are what would be written
    #[arg(long, value_name = "DIR", conflicts_with = "directory")]
    pub(crate) check: Option<PathBuf>,
}
