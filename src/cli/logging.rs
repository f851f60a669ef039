//! Logs: to stderr, never to stdout, and off unless asked for.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use super::arguments::{ColourChoice, LogFormat, LoggingArgs};
use super::exit::Failure;

/// Starts logging as the command line and `TGW_LOG` say.
///
/// # Errors
/// When `TGW_LOG` is not a filter.
pub(crate) fn start(arguments: &LoggingArgs) -> Result<(), Failure> {
    let stated = std::env::var("TGW_LOG").ok().filter(|text| !text.is_empty());
    let level = match arguments.verbose {
        0 if stated.is_none() => return Ok(()),
        0 => "warn",
        1 => "tgw=info",
        2 => "tgw=debug",
        _ => "tgw=trace",
    };
    let filter = match stated {
        Some(text) => EnvFilter::try_new(&text).map_err(|error| {
            Failure::configuration(format!("`TGW_LOG` is not a filter: {error}"))
                .with_hint("write a level such as `debug`, or `tgw=debug`")
        })?,
        None => EnvFilter::new(level),
    };
    // Frames of requests carry credentials, so that what the wire library would log of them is never shown.
    let filter = match "h2=off".parse() {
        Ok(silent) => filter.add_directive(silent),
        Err(_) => filter,
    };
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match arguments.log_format {
        LogFormat::Text => builder.with_ansi(colour(arguments.color, &std::io::stderr())).init(),
        LogFormat::Json => builder.json().init(),
    }
    Ok(())
}

/// Whether to colour what goes to `stream`.
pub(crate) fn colour(choice: ColourChoice, stream: &impl IsTerminal) -> bool {
    match choice {
        ColourChoice::Always => true,
        ColourChoice::Never => false,
        ColourChoice::Auto => {
            stream.is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    }
}
