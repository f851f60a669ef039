//! Consent on the controlling terminal, for what a command is to do.

use std::io;
use std::time::Duration;

use crate::approval::{CancelCause, Consent, Terminal, cancellation};
use crate::execute::Signals;

use super::display::speaks_unicode;
use super::exit::Failure;

/// What consent is asked to; the texts are escaped.
pub(crate) struct ConsentTo {
    /// What the text is; one line.
    pub(crate) heading: String,
    /// The text.
    pub(crate) text: String,
    /// What consenting means.
    pub(crate) question: String,
    /// The word that is consent.
    pub(crate) word: &'static str,
}

/// Shows a text and asks; `None` where there is no terminal to ask on. Where nobody answers in time, the answer is no.
///
/// # Errors
/// Where the terminal cannot be used.
pub(crate) fn consents(to: ConsentTo, stands: Option<Duration>) -> Result<Option<bool>, Failure> {
    let Some(terminal) = Terminal::open(None, false, speaks_unicode()) else { return Ok(None) };
    let failed = |error: io::Error| Failure::failed(format!("cannot ask on the terminal: {error}"));
    let (handle, cancel) = cancellation().map_err(failed)?;
    let runtime = super::run::runtime()?;
    let answer = runtime.block_on(async {
        // A signal must not end the process while the terminal is in its hands.
        let mut signals = Signals::new()?;
        let mut asking = tokio::task::spawn_blocking(move || {
            let consent =
                Consent { heading: &to.heading, text: &to.text, question: &to.question, word: to.word };
            terminal.consents(&consent, &cancel)
        });
        let over = async {
            match stands {
                Some(stands) => tokio::time::sleep(stands).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(over);
        let mut expired = false;
        loop {
            tokio::select! {
                answer = &mut asking => return answer.map_err(io::Error::other)?,
                () = signals.received() => handle.cancel(CancelCause::Stopped),
                () = &mut over, if !expired => {
                    expired = true;
                    handle.cancel(CancelCause::Expired);
                }
            }
        }
    });
    answer.map(Some).map_err(failed)
}
