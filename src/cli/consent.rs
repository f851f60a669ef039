//! Asking the person at the terminal for a word before something that cannot be taken back.

use std::io;

use crate::approval::{CancelCause, Consent, Terminal, cancellation};
use crate::execute::Signals;

use super::display::speaks_unicode;
use super::exit::Failure;

/// What is asked.
pub(crate) struct Asked {
    /// What the text is; one line, escaped.
    pub(crate) heading: String,
    /// The text, escaped but for its line feeds.
    pub(crate) text: String,
    /// What consenting means; escaped.
    pub(crate) question: &'static str,
    /// The word that is consent.
    pub(crate) word: &'static str,
}

/// Shows the text on the controlling terminal and asks there; `None` where there is no terminal.
///
/// # Errors
/// When the terminal cannot be used.
pub(crate) fn consents(asked: Asked) -> Result<Option<bool>, Failure> {
    let Some(terminal) = Terminal::open(None, false, speaks_unicode()) else { return Ok(None) };
    let failed = |error: io::Error| Failure::failed(format!("cannot ask on the terminal: {error}"));
    let (handle, cancel) = cancellation().map_err(failed)?;
    let runtime = super::run::runtime()?;
    let answer = runtime.block_on(async {
        // A signal must not end the process while the terminal is in its hands.
        let mut signals = Signals::new()?;
        let mut asking = tokio::task::spawn_blocking(move || {
            let Asked { heading, text, question, word } = &asked;
            terminal.consents(&Consent { heading, text, question, word }, &cancel)
        });
        loop {
            tokio::select! {
                answer = &mut asking => return answer.map_err(io::Error::other)?,
                () = signals.received() => handle.cancel(CancelCause::Stopped),
            }
        }
    });
    answer.map(Some).map_err(failed)
}
