//! How a command ends: an exit status, or an error that stopped it.

use std::fmt;
use std::process::ExitCode;

/// Usage and configuration errors.
pub(crate) const CONFIGURATION: u8 = 2;
/// A defect of tgw.
pub(crate) const INTERNAL: u8 = 70;
/// Ended by Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why a command could not do its work: what is wrong, and what to do, apart.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The exit status.
    pub(crate) status: u8,
    /// What is wrong; more than one line where files are shown.
    pub(crate) message: String,
    /// What to do.
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// A usage or configuration error.
    pub(crate) fn configuration(message: impl Into<String>) -> Self {
        Self { status: CONFIGURATION, message: message.into(), hint: None }
    }

    /// An ordinary failure: exit status 1.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { status: 1, message: message.into(), hint: None }
    }

    /// Adds advice.
    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A report of files already starts each problem with its severity.
        if self.message.starts_with("error") || self.message.starts_with("warning") {
            write!(formatter, "{}", self.message.trim_end())?;
        } else {
            write!(formatter, "error: {}", self.message)?;
        }
        if let Some(hint) = &self.hint {
            write!(formatter, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

/// What a command returns: its exit status, or why it could not do its work.
pub(crate) type Outcome = Result<u8, Failure>;

/// Turns an outcome into the process's exit code, and says what went wrong on stderr.
pub(crate) fn finish(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            use std::io::Write;
            // A closed stderr leaves nobody to tell.
            let _ = writeln!(std::io::stderr(), "{failure}");
            ExitCode::from(failure.status)
        }
    }
}
