//! What can be typed after `tgw effects`.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use crate::document::parse_duration;

use crate::state::EffectState;

use super::arguments::{SessionArgs, StoreArgs};

/// `tgw effects`
#[derive(Debug, Args)]
pub(crate) struct EffectsArgs {
    #[command(subcommand)]
    pub(crate) command: EffectsCommand,
}

/// What to do with the ledger.
#[derive(Debug, Subcommand)]
pub(crate) enum EffectsCommand {
    /// List effects, newest first
    List {
        /// Only effects in this state
        #[arg(long, value_enum, value_name = "STATE")]
        status: Option<EffectStateChoice>,
        /// At most this many
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: u64,
        /// Print one JSON array
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Show one effect
    Show {
        /// Its id, from the list or from the hint of a result
        id: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Say what became of an effect that is unknown; it is recorded with your name, and final
    Resolve {
        /// Its id
        id: String,
        /// What became of it: succeeded, or failed where nothing happened, which frees its key
        #[arg(long = "as", value_enum, value_name = "STATE", hide_possible_values = true)]
        settled: SettledChoice,
        /// What you looked at and what you saw
        #[arg(long, value_name = "TEXT")]
        evidence: String,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Wait until an effect that goes on elsewhere is over, and print what became of its call
    Wait {
        /// Its id
        id: String,
        /// At most this long, such as 30s; exit status 7 where it still goes on then
        #[arg(long, value_name = "DURATION", value_parser = duration)]
        timeout: Option<Duration>,
        #[command(flatten)]
        session: SessionArgs,
    },
    /// Follow everything that goes on elsewhere until nothing does, and print each end
    Watch {
        /// Print each end as a line of JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        session: SessionArgs,
    },
    /// Ask the backend to stop an operation, where the contract says how
    Cancel {
        /// The id of its effect
        id: String,
        #[command(flatten)]
        session: SessionArgs,
    },
    /// Look up effects that are unknown, where their contracts say how, and find those whose process is gone
    Reconcile {
        /// Only this effect
        id: Option<String>,
        /// Print one JSON array
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        session: SessionArgs,
    },
}

fn duration(text: &str) -> Result<Duration, &'static str> {
    parse_duration(text).ok_or("write it like `1500ms`, `30s`, `15m` or `24h`")
}

/// A state of the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EffectStateChoice {
    /// Reserved, and perhaps under way.
    Running,
    /// A backend took it.
    Accepted,
    /// A backend works on it, or it is being verified.
    Working,
    /// It happened.
    Succeeded,
    /// Nothing happened.
    Failed,
    /// It may or may not have happened.
    Unknown,
}

impl From<EffectStateChoice> for EffectState {
    fn from(choice: EffectStateChoice) -> Self {
        match choice {
            EffectStateChoice::Running => Self::Running,
            EffectStateChoice::Accepted => Self::Accepted,
            EffectStateChoice::Working => Self::Working,
            EffectStateChoice::Succeeded => Self::Succeeded,
            EffectStateChoice::Failed => Self::Failed,
            EffectStateChoice::Unknown => Self::Unknown,
        }
    }
}

/// What a person can say of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SettledChoice {
    /// It happened.
    Succeeded,
    /// Nothing happened.
    Failed,
}
