//! What can be typed after `tgw audit`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::arguments::StoreArgs;
use super::help;

/// `tgw audit`
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    pub(crate) command: AuditCommand,
}

/// What to do with the audit chain.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// List records, newest last
    List {
        /// Only records of this tool
        #[arg(long, value_name = "NAME")]
        tool: Option<String>,
        /// Only calls that ended with this status, such as denied
        #[arg(long, value_name = "STATUS")]
        status: Option<String>,
        /// At most this many records, the newest
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: u64,
        /// Print one JSON object a line
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Tell the story of one call as a time line: what was decided, asked, begun, looked up, ended and replied
    Show {
        /// The id of a call, of a question or an answer, or of an effect; a receipt such as sha256:…; or the number of a record. call:ID,
        /// question:ID, effect:ID and record:NUMBER say which is meant
        id: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Check that no record was edited, removed or reordered, and that the end was not cut off
    Verify {
        /// Also demand that this receipt, kept elsewhere, is in the chain; may be given several times
        #[arg(long, value_name = "sha256:…")]
        receipt: Vec<String>,
        /// Also compare with the signed checkpoints of this file, kept elsewhere: one a line, as `tgw audit checkpoint` printed it
        #[arg(long, value_name = "FILE")]
        against: Option<PathBuf>,
        /// A public key whose checkpoints are believed; may be given several times [default: that of audit.key in your configuration folder]
        #[arg(long, value_name = "ed25519:…", requires = "against")]
        signer: Vec<String>,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Print a signed checkpoint of the chain as it is now, to be kept where nobody can write who can write the store
    Checkpoint {
        /// The private key to sign with [default: audit.key in your configuration folder]
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Erase what was told of calls: arguments, plans, remarks, kept results; the records stay, and the chain holds
    #[command(after_help = help::AUDIT_ERASE)]
    Erase(EraseArgs),
    /// Make a key for checkpoints: the private one is written to a new file, the public one printed
    Keygen {
        /// The file, which only you will be able to read; one that is there is never touched [default: audit.key in your configuration folder]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Print every record, one JSON object a line
    Export {
        #[command(flatten)]
        store: StoreArgs,
    },
}

/// `tgw audit erase`
#[derive(Debug, Args)]
pub(crate) struct EraseArgs {
    #[command(flatten)]
    pub(crate) which: ErasedArgs,
    /// Why, for the record of the erasure
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Erase without showing what and asking: look first
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// Which records are erased: those for which all that is given holds.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
#[command(next_help_heading = "Which")]
pub(crate) struct ErasedArgs {
    /// A record, by its number; may be given several times
    #[arg(long, value_name = "NUMBER")]
    pub(crate) record: Vec<u64>,
    /// The calls of this id, with what the gateway asked for their sake
    #[arg(long, value_name = "ID")]
    pub(crate) call: Option<String>,
    /// The calls of this task
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// The calls on behalf of this user
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// What was recorded before this day or instant, UTC: 2026-01-31 or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "DATE")]
    pub(crate) before: Option<String>,
}
