//! `tgw approvers` and `tgw approvals show`, as they are typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::arguments::StoreArgs;

/// `tgw approvers`
#[derive(Debug, Args)]
pub(crate) struct ApproversArgs {
    #[command(subcommand)]
    pub(crate) command: ApproversCommand,
}

/// What to do with approvers.
#[derive(Debug, Subcommand)]
pub(crate) enum ApproversCommand {
    /// List the approvers with their public keys
    List {
        /// Print one JSON array
        #[arg(long)]
        json: bool,
    },
    /// Make a key: the private one is written to a new file, the public one printed
    Keygen {
        /// The file, which only you will be able to read; one that is there is never touched
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Add an approver: from now on their signed answers count
    Add {
        /// Their name, as the policy lists it among the members of a group
        #[arg(value_name = "NAME")]
        name: String,
        /// Their public key, as `tgw approvers keygen` printed it
        #[arg(value_name = "ed25519:…")]
        key: String,
    },
    /// Remove an approver: their answers count no more, earlier ones included
    Remove {
        /// Their name
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// `tgw approvals show`
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Its id, from the list or from the hint of an `input_required` result
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Print instead what in the policy would answer the like of the question from now on; nothing is applied
    #[arg(long)]
    pub(crate) as_rule: bool,
    /// With --as-rule: a manifest, as for `tgw run`
    #[arg(long, value_name = "FILE", requires = "as_rule")]
    pub(crate) tools: Vec<PathBuf>,
    /// With --as-rule: a policy, as for `tgw run`
    #[arg(long, value_name = "FILE", requires = "as_rule")]
    pub(crate) policy: Vec<PathBuf>,
    /// With --as-rule: the accepted tools of upstream servers, as for `tgw run`
    #[arg(long, value_name = "FILE", requires = "as_rule")]
    pub(crate) lock: Option<PathBuf>,
    /// With --as-rule: what rules read as `facts`, as for `tgw run`
    #[arg(long, value_name = "JSON", requires = "as_rule")]
    pub(crate) facts: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}
