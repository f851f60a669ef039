//! The dialogue: question, choices, answer.

use std::io;

use dialoguer::theme::{SimpleTheme, Theme};
use rustix::event::Timespec;
use serde_json::{Map, Value};

use crate::text;

use super::super::{
    Answer, Answered, CancelCause, Cancellation, Extent, Question, RefusedEdit, Rendered, render_question,
    render_refused_edit,
};
use super::Terminal;
use super::device::{Input, RawMode};
use super::keys::{Key, Keys};
use super::line::{Typed, TypedLine};
use super::menu::{Choice, Menu, Step};

/// How long the terminal must have been quiet before the choices appear: whoever was typing something else when the
/// question came up has noticed it by then.
const QUIET: Timespec = Timespec { tv_sec: 0, tv_nsec: 250_000_000 };

/// What is asked.
pub struct AskRequest<'a> {
    /// The question.
    pub question: &'a Question,
    /// The effective arguments, for editing.
    pub arguments: &'a Value,
    /// What became of the arguments that the person gave last, where they cannot run.
    pub refused: Option<&'a RefusedEdit>,
}

/// Somebody who can be asked.
pub trait Interaction: Send + Sync {
    /// Asks, and waits for the answer or the cancellation. Whatever goes wrong is a refusal.
    fn ask(&self, request: &AskRequest<'_>, cancel: &Cancellation) -> Answered;
}

/// How a dialogue ended.
pub(super) enum Ending {
    Answer(Answer),
    Input(Input),
    Failed(io::Error),
}

impl From<io::Error> for Ending {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl Interaction for Terminal {
    fn ask(&self, request: &AskRequest<'_>, cancel: &Cancellation) -> Answered {
        let _turn = self.turn.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let columns = self.size().1;
        let mut rendered = match request.refused {
            None => render_question(request.question, Extent::Usual, columns, self.colour, self.unicode),
            Some(refused) => {
                render_refused_edit(request.question, refused, columns, self.colour, self.unicode)
            }
        };
        let ending = match self.dialogue(request, &mut rendered, cancel) {
            Ok(answer) => Ending::Answer(answer),
            Err(ending) => ending,
        };
        let answer = match (cancel.cause(), ending) {
            // An answer that came with the cancellation, or after it, is late.
            (Some(CancelCause::Expired), _)
            | (None, Ending::Input(Input::Cancelled(CancelCause::Expired))) => Answer::Expired,
            (Some(CancelCause::Stopped), _) => Answer::Stop,
            (None, Ending::Answer(answer)) => answer,
            // Nobody is there any more.
            (None, Ending::Input(_)) => Answer::Stop,
            (None, Ending::Failed(error)) => {
                tracing::warn!(%error, "the terminal failed while a question stood");
                Answer::Deny { feedback: None }
            }
        };
        Answered { answer, shown: rendered.digest }
    }
}

impl Terminal {
    fn dialogue(
        &self,
        request: &AskRequest<'_>,
        rendered: &mut Rendered,
        cancel: &Cancellation,
    ) -> Result<Answer, Ending> {
        let mut mode = Some(self.raw()?);
        self.show(rendered, cancel)?;
        loop {
            let (menu, arguments) = match request.refused {
                None => {
                    let menu = Menu::new(request.question, self.editor.is_some(), rendered.abridged);
                    (menu, request.arguments)
                }
                Some(refused) => (Menu::after_refusal(), &refused.arguments),
            };
            match self.choose(menu, cancel)? {
                Choice::Once => return Ok(Answer::Once),
                Choice::ForTask(alternative) => return Ok(Answer::ForTask { alternative }),
                Choice::Stop => return Ok(Answer::Stop),
                Choice::Deny => {
                    return Ok(
                        match self.line("What should the agent know? (enter for nothing)", cancel)? {
                            Some(feedback) => Answer::Deny { feedback },
                            None => Answer::Stop,
                        },
                    );
                }
                Choice::View => {
                    let columns = self.size().1;
                    *rendered =
                        render_question(request.question, Extent::Whole, columns, self.colour, self.unicode);
                    self.show(rendered, cancel)?;
                }
                Choice::Edit => match self.edit(arguments, &mut mode, cancel)? {
                    Some(arguments) => return Ok(Answer::Edit { arguments }),
                    None => self.show(rendered, cancel)?,
                },
            }
        }
    }

    /// Shows the question and waits until nobody types; what was typed until then is no answer.
    pub(super) fn show(&self, rendered: &Rendered, cancel: &Cancellation) -> Result<(), Ending> {
        self.term.write_str(&format!("\n{}", rendered.text))?;
        self.settle(cancel)
    }

    /// Waits until nobody types; what was typed until then is no answer.
    pub(super) fn settle(&self, cancel: &Cancellation) -> Result<(), Ending> {
        let mut keys = Keys::default();
        loop {
            match self.read(cancel, Some(&QUIET)) {
                Input::Quiet => break,
                Input::Bytes(bytes) if keys.feed(&bytes).contains(&Key::Interrupt) => {
                    return Err(Ending::Answer(Answer::Stop));
                }
                Input::Bytes(_) => {}
                ended @ (Input::Closed | Input::Cancelled(_)) => return Err(Ending::Input(ended)),
            }
        }
        self.discard();
        Ok(())
    }

    /// Lets a person choose. The menu is drawn again in place whenever the selection moves.
    pub(super) fn choose(&self, mut menu: Menu, cancel: &Cancellation) -> Result<Choice, Ending> {
        let theme = SimpleTheme;
        self.discard();
        self.term.hide_cursor()?;
        let mut drawn = self.draw(&menu, 0, &theme)?;
        let mut keys = Keys::default();
        loop {
            let bytes = match self.read(cancel, None) {
                Input::Bytes(bytes) => bytes,
                ended @ (Input::Quiet | Input::Closed | Input::Cancelled(_)) => {
                    self.term.write_line("")?;
                    return Err(Ending::Input(ended));
                }
            };
            for key in keys.feed(&bytes) {
                match menu.press(key) {
                    Step::Stay => {}
                    Step::Moved => drawn = self.draw(&menu, drawn, &theme)?,
                    Step::Chosen(choice) => {
                        self.clear(drawn)?;
                        self.term.show_cursor()?;
                        let label = menu.label(choice);
                        self.term.write_line(&format!("Your answer: {label}"))?;
                        return Ok(choice);
                    }
                }
            }
        }
    }

    fn draw(&self, menu: &Menu, drawn: usize, theme: &dyn Theme) -> io::Result<usize> {
        self.clear(drawn)?;
        let (rows, columns) = self.size();
        let lines = menu.lines(rows, columns, theme);
        self.term.write_str(&format!("{}\n", lines.join("\n")))?;
        Ok(lines.len())
    }

    fn clear(&self, drawn: usize) -> io::Result<()> {
        if drawn > 0 { self.term.clear_last_lines(drawn) } else { Ok(()) }
    }

    /// Reads a line; the outer `None` is Ctrl-C, the inner one an empty line.
    fn line(&self, prompt: &str, cancel: &Cancellation) -> Result<Option<Option<String>>, Ending> {
        self.term.write_line(prompt)?;
        let mut line = TypedLine::default();
        let mut keys = Keys::default();
        loop {
            let room = self.size().1.saturating_sub(3).max(1);
            self.term.clear_line()?;
            self.term.write_str(&format!("> {}", line.shown(room)))?;
            let bytes = match self.read(cancel, None) {
                Input::Bytes(bytes) => bytes,
                ended @ (Input::Quiet | Input::Closed | Input::Cancelled(_)) => {
                    return Err(Ending::Input(ended));
                }
            };
            for key in keys.feed(&bytes) {
                match line.press(key) {
                    Typed::More => {}
                    Typed::Done => {
                        self.term.write_line("")?;
                        return Ok(Some(line.into_text()));
                    }
                    Typed::Interrupted => {
                        self.term.write_line("")?;
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Lets a person edit the arguments until they are JSON, or until they give up, which is `None`.
    fn edit<'t>(
        &'t self,
        arguments: &Value,
        mode: &mut Option<RawMode<'t>>,
        cancel: &Cancellation,
    ) -> Result<Option<Map<String, Value>>, Ending> {
        let Some(editor) = &self.editor else { return Ok(None) };
        let file = editor.prepare(arguments)?;
        loop {
            // The editor gets the terminal as it was.
            drop(mode.take());
            let ran = editor.runner.run(&editor.command, file.path(), &self.tty, cancel);
            *mode = Some(self.raw()?);
            if let Some(cause) = cancel.cause() {
                return Err(Ending::Input(Input::Cancelled(cause)));
            }
            let problem = match ran {
                Ok(true) => match file.arguments() {
                    Ok(edited) if Some(&edited) == arguments.as_object() => {
                        self.term.write_line("Nothing was changed.")?;
                        return Ok(None);
                    }
                    Ok(edited) => return Ok(Some(edited)),
                    Err(problem) => problem,
                },
                Ok(false) => "the editor ended with an error".to_owned(),
                Err(error) => format!(
                    "the editor `{}` cannot be started: {error}",
                    text::escape(&editor.command.join(" "))
                ),
            };
            self.term.write_line(&problem)?;
            let again = self.line("Edit again? (y for yes, enter for no)", cancel)?;
            match again {
                None => return Err(Ending::Answer(Answer::Stop)),
                Some(Some(word)) if word.eq_ignore_ascii_case("y") => {}
                Some(_) => return Ok(None),
            }
        }
    }
}
