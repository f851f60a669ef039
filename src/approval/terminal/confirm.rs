//! Confirming an answer to a stored question: the same text, the same caution with keys, one word.

use super::super::{Cancellation, Rendered};
use super::Terminal;
use super::menu::{Choice, Menu};
use super::prompt::Ending;

/// How a person met a stored question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirmed {
    /// They gave the answer that was put to them.
    Yes,
    /// They left the question as it was.
    No,
}

impl Terminal {
    /// Shows a stored question as it is, and asks whether `answer` is to be given to it. Whatever goes wrong is a no.
    pub fn confirm(&self, shown: &Rendered, answer: &str, cancel: &Cancellation) -> Confirmed {
        let _turn = self.turn.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match self.confirming(shown, answer, cancel) {
            Ok(Choice::Once) => Confirmed::Yes,
            Ok(Choice::ForTask(_) | Choice::Edit | Choice::View | Choice::Deny | Choice::Stop) => {
                Confirmed::No
            }
            Err(_) => Confirmed::No,
        }
    }

    fn confirming(&self, shown: &Rendered, answer: &str, cancel: &Cancellation) -> Result<Choice, Ending> {
        let _mode = self.raw()?;
        self.show(shown, cancel)?;
        self.choose(Menu::confirming(answer), cancel)
    }
}
