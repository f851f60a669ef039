//! `tgw keys`, as it is typed.

use clap::{Args, Subcommand};

/// `tgw keys`
#[derive(Debug, Args)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}

/// What to do with the keys of passes.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Make the first key, and print its id
    Generate,
    /// Make a new key, sign with it from now on, and print its id; the one before is published until its last pass has ended
    Rotate,
    /// Publish a key that was rotated out no longer, though its last passes still hold: for one that somebody else has
    Retire {
        /// Its id
        // One in 64 begins with `-`.
        #[arg(allow_hyphen_values = true)]
        kid: String,
    },
    /// List the keys under which a pass may hold now
    List {
        /// Print one JSON array
        #[arg(long)]
        json: bool,
    },
    /// Print their public halves as a JSON Web Key Set, for backends
    Jwks,
}
