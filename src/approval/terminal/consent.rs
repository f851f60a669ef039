//! Consent to a text: shown page by page, and given by typing a word.

use std::io;

use crate::text;

use super::super::Cancellation;
use super::Terminal;
use super::device::Input;
use super::keys::{Key, Keys};
use super::line::{Typed, TypedLine};
use super::prompt::Ending;

/// Rows of a page that hold no text: the one that asks to go on, and one to spare.
const OTHER_ROWS: usize = 2;

/// What consent is asked to.
#[derive(Debug, Clone, Copy)]
pub struct Consent<'a> {
    /// What the text is; one line, escaped.
    pub heading: &'a str,
    /// The text, escaped but for its line feeds.
    pub text: &'a str,
    /// What consenting means; escaped.
    pub question: &'a str,
    /// The word that is consent.
    pub word: &'a str,
}

impl Terminal {
    /// Shows the text, waiting after each page, and asks. Only the word is consent, and only where it was typed after
    /// the question was there: neither what was typed before nor what was pasted.
    ///
    /// # Errors
    /// Where the terminal cannot be used.
    pub fn consents(&self, consent: &Consent<'_>, cancel: &Cancellation) -> io::Result<bool> {
        let _turn = self.turn.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match self.ask_for_consent(consent, cancel) {
            Ok(consents) => Ok(consents && cancel.cause().is_none()),
            Err(Ending::Failed(error)) => Err(error),
            // Ctrl-C, the end of the run, or a terminal that is gone.
            Err(Ending::Answer(_) | Ending::Input(_)) => Ok(false),
        }
    }

    fn ask_for_consent(&self, consent: &Consent<'_>, cancel: &Cancellation) -> Result<bool, Ending> {
        let _mode = self.raw()?;
        self.term.write_line(consent.heading)?;
        let mut rest = Rest::of(consent.text, self.unicode);
        loop {
            let (rows, columns) = self.size();
            for line in rest.page(rows.saturating_sub(OTHER_ROWS).max(1), columns) {
                self.term.write_line(&line)?;
            }
            if rest.lines.is_empty() {
                break;
            }
            let left = format!("-- {} more lines: enter shows the next page, q refuses --", rest.lines.len());
            // Keys typed ahead would turn pages that nobody has read.
            self.discard();
            self.term.write_str(&text::fit(&left, columns.saturating_sub(1).max(1), self.unicode))?;
            let goes_on = self.goes_on(cancel)?;
            self.term.clear_line()?;
            if !goes_on {
                return Ok(false);
            }
        }
        self.term.write_line(consent.question)?;
        self.settle(cancel)?;
        self.reads_word(consent.word, cancel)
    }

    /// Waits for the key that shows the next page; `false` for one that refuses.
    fn goes_on(&self, cancel: &Cancellation) -> Result<bool, Ending> {
        let mut keys = Keys::default();
        loop {
            for key in keys.feed(&self.bytes(cancel)?) {
                match key {
                    Key::Enter | Key::Down | Key::Character(' ') => return Ok(true),
                    Key::Character('q' | 'Q') | Key::Interrupt | Key::EndOfInput => return Ok(false),
                    Key::Character(_)
                    | Key::Pasted(_)
                    | Key::Backspace
                    | Key::Up
                    | Key::ClearLine
                    | Key::Other => {}
                }
            }
        }
    }

    /// Reads a line, and says whether it is the word, typed.
    fn reads_word(&self, word: &str, cancel: &Cancellation) -> Result<bool, Ending> {
        self.term.write_line(&format!("Type `{word}` and enter; anything else refuses."))?;
        let (mut line, mut keys, mut was_pasted) = (TypedLine::default(), Keys::default(), false);
        loop {
            let room = self.size().1.saturating_sub(3).max(1);
            self.term.clear_line()?;
            self.term.write_str(&format!("> {}", line.shown(room)))?;
            for key in keys.feed(&self.bytes(cancel)?) {
                was_pasted |= matches!(key, Key::Pasted(_));
                match line.press(key) {
                    Typed::More => {}
                    Typed::Done => {
                        self.term.write_line("")?;
                        return Ok(!was_pasted && line.into_text().as_deref() == Some(word));
                    }
                    Typed::Interrupted => {
                        self.term.write_line("")?;
                        return Ok(false);
                    }
                }
            }
        }
    }

    fn bytes(&self, cancel: &Cancellation) -> Result<Vec<u8>, Ending> {
        match self.read(cancel, None) {
            Input::Bytes(bytes) => Ok(bytes),
            ended @ (Input::Quiet | Input::Closed | Input::Cancelled(_)) => Err(Ending::Input(ended)),
        }
    }
}

/// What is still to be shown.
struct Rest<'t> {
    /// Lines in reverse order, and whether each is what is left of one.
    lines: Vec<(&'t str, bool)>,
    bars: [&'static str; 2],
}

impl<'t> Rest<'t> {
    fn of(text: &'t str, unicode: bool) -> Self {
        let mut lines: Vec<_> = text.lines().map(|line| (line, false)).collect();
        lines.reverse();
        Self { lines, bars: if unicode { ["│", "┊"] } else { ["|", ":"] } }
    }

    /// The next rows, each behind a bar, so that none passes for what the gateway says.
    fn page(&mut self, rows: usize, columns: usize) -> Vec<String> {
        // No row reaches the last column, so that none wraps.
        let room = columns.saturating_sub(3).max(1);
        let mut page = Vec::new();
        while page.len() < rows
            && let Some((line, goes_on)) = self.lines.pop()
        {
            let mut shown = 0;
            for piece in text::wrap(line, room).into_iter().take(rows - page.len()) {
                let bar = if goes_on || shown > 0 { self.bars[1] } else { self.bars[0] };
                page.push(format!("{bar} {piece}"));
                shown += piece.len();
            }
            if let Some(left) = line.get(shown..).filter(|left| !left.is_empty()) {
                self.lines.push((left, true));
            }
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_of_every_line_comes_on_some_page() {
        let mut rest = Rest::of("one\n\nabcdefghij\nend", false);
        let mut pages = Vec::new();
        while !rest.lines.is_empty() {
            pages.push(rest.page(2, 7).join(" / "));
        }
        assert_eq!(pages, ["| one / | ", "| abcd / : efgh", ": ij / | end"]);
    }
}
