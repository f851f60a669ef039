//! Where people see what happens, and the controlling terminal they are asked on.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::approval::{Editor, Interaction, Terminal};
use crate::code::Status;
use crate::diagnostic::nearest;
use crate::execute::ProcessEditor;
use crate::gateway::{Finished, Observer};
use crate::present::{
    CallLine, DisplayOptions, Totals, operation_line, progress_line, render_call, render_event, summary,
};
use crate::secret::Redactor;

use super::arguments::{ColourChoice, DisplayArgs};
use super::exit::Failure;
use super::logging::colour;
use super::session::InUse;

/// The form of what is shown.
enum Form {
    Nothing,
    Text(DisplayOptions),
    Json,
}

/// The display of one run.
pub(crate) struct Display {
    form: Form,
    out: RefCell<Box<dyn Write>>,
    /// Whether a progress line stands on the terminal and must be cleared.
    pending: Cell<bool>,
    /// Whether lines can be overwritten.
    live: bool,
    totals: RefCell<Totals>,
    started: Instant,
}

impl Display {
    /// The display that the arguments name.
    ///
    /// # Errors
    /// When the file cannot be made or is in use, the descriptor is not open, or the word means nothing.
    pub(crate) fn new(
        arguments: &DisplayArgs,
        choice: ColourChoice,
        in_use: &InUse,
    ) -> Result<Self, Failure> {
        let stderr_is_terminal = io::stderr().is_terminal();
        let text = |live: bool| Form::Text(options(choice, live));
        let (form, out, live): (Form, Box<dyn Write>, bool) = match arguments.display.as_deref() {
            None if stderr_is_terminal => (text(true), Box::new(io::stderr()), true),
            None | Some("none") => (Form::Nothing, Box::new(io::sink()), false),
            Some("text") => (text(stderr_is_terminal), Box::new(io::stderr()), stderr_is_terminal),
            Some("json") => (Form::Json, Box::new(io::stderr()), false),
            Some(named) => match named.strip_prefix("fd:") {
                Some(number) => (text(false), Box::new(descriptor(number)?), false),
                None => (text(false), Box::new(display_file(named, in_use)?), false),
            },
        };
        Ok(Self {
            form,
            out: RefCell::new(out),
            pending: Cell::new(false),
            live,
            totals: RefCell::new(Totals::default()),
            started: Instant::now(),
        })
    }

    /// Shows the summary of the stream.
    pub(crate) fn finish(&self) {
        let mut totals = self.totals.borrow_mut();
        totals.elapsed = self.started.elapsed();
        match &self.form {
            Form::Nothing => {}
            Form::Text(_) => self.write(&format!("{}\n", summary(&totals))),
            Form::Json => {
                let event = serde_json::json!({
                    "event": "summary", "calls": totals.calls, "allowed": totals.allowed, "asked": totals.asked,
                    "denied": totals.denied, "succeeded": totals.succeeded, "failed": totals.failed,
                    "unknown": totals.unknown, "waiting": totals.waiting, "cancelled": totals.cancelled,
                    "elapsed_ms": u64::try_from(totals.elapsed.as_millis()).unwrap_or(u64::MAX),
                });
                self.write(&format!("{event}\n"));
            }
        }
    }

    /// Writes to the display. A display that went away takes nothing with it.
    fn write(&self, text: &str) {
        let mut out = self.out.borrow_mut();
        if self.pending.replace(false) {
            let _ = out.write_all(b"\r\x1b[K");
        }
        let _ = out.write_all(text.as_bytes());
        let _ = out.flush();
    }
}

impl Observer for Display {
    fn finished(&self, finished: &Finished, redactor: &Redactor) {
        count(&mut self.totals.borrow_mut(), finished);
        if matches!(self.form, Form::Nothing) {
            return;
        }
        let headline = finished.headline(redactor);
        let line = CallLine {
            id: finished.id().as_str(),
            tool: finished.tool().unwrap_or("(no call)"),
            subject: headline.as_deref(),
            elapsed: finished.elapsed().unwrap_or_default(),
            result: finished.reference(),
        };
        match &self.form {
            Form::Nothing => {}
            Form::Text(options) => self.write(&render_call(&line, finished.presented(), options)),
            Form::Json => self.write(&render_event(&line, finished.presented())),
        }
    }

    fn progress(&self, tool: &str, elapsed: Duration) {
        let Form::Text(options) = &self.form else { return };
        if self.live {
            let line = progress_line(tool, elapsed, options);
            let mut out = self.out.borrow_mut();
            let _ = write!(out, "\r\x1b[K{line}");
            let _ = out.flush();
            self.pending.set(true);
        }
    }

    fn proceeded(&self, tool: &str, call: &str, (done, total): (f64, Option<f64>), said: Option<&str>) {
        match &self.form {
            Form::Nothing => {}
            Form::Text(options) => {
                let far = match total {
                    Some(total) => format!("{done} of {total}"),
                    None => done.to_string(),
                };
                self.write(&operation_line(tool, call, &far, said, options));
            }
            Form::Json => {
                let event = serde_json::json!({
                    "event": "progress", "id": call, "tool": tool, "done": done, "total": total, "said": said,
                });
                self.write(&format!("{event}\n"));
            }
        }
    }

    fn operation(&self, tool: &str, call: &str, state: &str, said: Option<&str>) {
        if let Some(text) = self.operation_text(tool, call, state, said) {
            self.write(&text);
        }
    }
}

impl Display {
    fn operation_text(&self, tool: &str, call: &str, state: &str, said: Option<&str>) -> Option<String> {
        match &self.form {
            Form::Nothing => None,
            Form::Text(options) => Some(operation_line(tool, call, state, said, options)),
            Form::Json => {
                let event = serde_json::json!({
                    "event": "operation", "id": call, "tool": tool, "state": state, "said": said,
                });
                Some(format!("{event}\n"))
            }
        }
    }
}

fn count(totals: &mut Totals, finished: &Finished) {
    totals.calls += 1;
    if finished.was_asked() {
        totals.asked += 1;
    } else if finished.elapsed().is_some() {
        totals.allowed += 1;
    }
    let counter = match finished.presented().status() {
        Status::Succeeded => &mut totals.succeeded,
        Status::Failed => &mut totals.failed,
        Status::Denied => &mut totals.denied,
        Status::InputRequired | Status::Accepted | Status::Working => &mut totals.waiting,
        Status::Unknown => &mut totals.unknown,
        Status::Cancelled => &mut totals.cancelled,
    };
    *counter += 1;
}

fn options(choice: ColourChoice, live: bool) -> DisplayOptions {
    let width = if live { usize::from(console::Term::stderr().size().1) } else { 100 };
    DisplayOptions {
        width: width.max(20),
        colour: if live { colour(choice, &io::stderr()) } else { choice == ColourChoice::Always },
        unicode: speaks_unicode(),
        ..DisplayOptions::default()
    }
}

/// Whether the locale says that signs beyond ASCII can be shown.
pub(crate) fn speaks_unicode() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

fn descriptor(number: &str) -> Result<File, Failure> {
    let wrong = || {
        Failure::configuration(format!("`fd:{number}` names no descriptor that can be written"))
            .with_hint("open it in the shell, as in `tgw run --display fd:3 3>display.txt`")
    };
    let number: u32 = number.parse().map_err(|_| wrong())?;
    // The kernel's own name for it: no raw descriptor is taken over.
    std::fs::OpenOptions::new().append(true).open(format!("/proc/self/fd/{number}")).map_err(|_| wrong())
}

/// Makes the file that the display is written to. A word alone is a typo, and would empty a file of that name.
fn display_file(named: &str, in_use: &InUse) -> Result<File, Failure> {
    let path = match named.strip_prefix("file:") {
        Some(path) => path,
        None if named.contains('/') => named,
        None => {
            let meant = nearest(named, ["text", "json", "none"]);
            let failure =
                Failure::configuration(format!("`--display {}` means nothing", named.escape_debug()));
            return Err(failure.with_hint(match meant {
                Some(meant) => format!("did you mean `{meant}`? A file is named as `file:{named}`"),
                None => format!("it is text, json, none, fd:N, or a file as in `file:{named}`"),
            }));
        }
    };
    if in_use.holds(Path::new(path)) {
        return Err(Failure::configuration(format!(
            "`{path}` is in use, and the display would overwrite it"
        ))
        .with_hint("name a file that is no configuration and no state of tgw"));
    }
    File::create(path)
        .map_err(|error| Failure::configuration(format!("cannot write the display to `{path}`: {error}")))
}

/// The person at the controlling terminal, where there is one and asking is wanted.
pub(crate) fn interaction(arguments: &DisplayArgs, choice: ColourChoice) -> Option<Arc<dyn Interaction>> {
    if arguments.no_prompt {
        return None;
    }
    let variable = |name: &str| std::env::var(name).ok();
    let (visual, editor) = (variable("VISUAL"), variable("EDITOR"));
    let folder = super::discover::state_home().ok()?;
    let editor = Editor::new(visual.as_deref(), editor.as_deref(), folder, Arc::new(ProcessEditor));
    terminal(Some(editor), choice).map(|terminal| Arc::new(terminal) as Arc<dyn Interaction>)
}

/// The controlling terminal, where there is one that can be read.
pub(crate) fn terminal(editor: Option<Editor>, choice: ColourChoice) -> Option<Terminal> {
    let painted = choice != ColourChoice::Never
        && (choice == ColourChoice::Always
            || std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()));
    Terminal::open(editor, painted, speaks_unicode())
}

/// Whether something is a terminal; for `tgw doctor`.
pub(crate) fn is_terminal(fd: BorrowedFd<'_>) -> bool {
    fd.as_fd().is_terminal()
}
