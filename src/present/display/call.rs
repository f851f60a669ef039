//! One call as a person sees it: a heading, what went wrong, the body.

use std::time::Duration;

use serde_json::{Value, json};

use crate::code::{CallError, Status};
use crate::present::{DisplayBody, Presented, Stored};
use crate::secret::Redactor;
use crate::text;

use super::body::{body_lines, text_lines};
use super::line::{Line, Tone, lay_out};
use super::stream::duration;
use super::{DisplayOptions, LongLines};

/// Most bytes of a value that is laid out as indented JSON; a larger one is shown as its content.
const PRETTY_BYTES: usize = 256 << 10;

/// Bytes of an argument that can make up a heading.
const SUBJECT_BYTES: usize = 400;

/// Columns left of everything below a heading.
const MARGIN: usize = 2;

/// Most violations shown.
const VIOLATIONS: usize = 10;

/// What a heading says besides the outcome.
#[derive(Debug, Clone, Copy)]
pub struct CallLine<'a> {
    /// The call's id.
    pub id: &'a str,
    /// The tool's name, as the call wrote it.
    pub tool: &'a str,
    /// What the call is about, from [`subject`].
    pub subject: Option<&'a str>,
    /// How long it took, a person's time excluded.
    pub elapsed: Duration,
    /// The reference of the stored result.
    pub result: Option<&'a str>,
}

/// The argument that says best what a call is about: a path, a pattern, a name; redacted and escaped.
#[must_use]
pub fn subject(arguments: &Value, redactor: &Redactor) -> Option<String> {
    const TELLING: [&str; 10] =
        ["path", "file", "from", "command", "pattern", "query", "url", "target", "name", "id"];
    let arguments = arguments.as_object()?;
    let named = TELLING.iter().find_map(|key| arguments.get(*key).and_then(Value::as_str));
    let text = named.or_else(|| arguments.values().find_map(Value::as_str))?;
    // Redacted before it is cut, like everything else.
    let clean = redactor.text(text);
    Some(text::escape(text::head(&clean, SUBJECT_BYTES)).into_owned())
}

/// Renders one finished call; every line ends with a line feed.
#[must_use]
pub fn render_call(line: &CallLine<'_>, presented: &Presented, options: &DisplayOptions) -> String {
    let mut out = heading(line, presented, options);
    out.push('\n');
    let more = line.result.map(|reference| format!("`tgw results {}`", text::escape(reference)));
    let mut lines = Vec::new();
    if let Some(error) = presented.error() {
        error_lines(error, &mut lines);
    }
    for warning in presented.warnings() {
        lines.push(Line::new(Tone::Warning, format!("warning: {}", text::escape(warning))));
    }
    // What is to be acted on is shown whole, whatever becomes of long lines of a body.
    let whole = DisplayOptions { long_lines: LongLines::Words, ..*options };
    let inner = DisplayOptions { width: options.width.saturating_sub(MARGIN), ..*options };
    let body = result_lines(presented, more.as_deref(), &inner);
    for line in lay_out(&lines, MARGIN, &whole).into_iter().chain(lay_out(&body, MARGIN, options)) {
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// One finished call as one line of JSON, for displays that are programs.
#[must_use]
pub fn render_event(line: &CallLine<'_>, presented: &Presented) -> String {
    let options = DisplayOptions { width: 100, ..DisplayOptions::default() };
    let event = json!({
        "event": "call",
        "id": line.id,
        "tool": line.tool,
        "subject": line.subject,
        "status": presented.status(),
        "effect": presented.effect(),
        "elapsed_ms": u64::try_from(line.elapsed.as_millis()).unwrap_or(u64::MAX),
        "result": line.result,
        "error": presented.error(),
        "text": render_call(line, presented, &options),
    });
    format!("{event}\n")
}

fn heading(line: &CallLine<'_>, presented: &Presented, options: &DisplayOptions) -> String {
    let (sign, plain, word, tone) = match presented.status() {
        Status::Succeeded => ("✓", "ok", "", Tone::Good),
        Status::Failed => ("✗", "x", "failed", Tone::Bad),
        Status::Denied => ("✗", "x", "denied", Tone::Bad),
        Status::InputRequired => ("?", "?", "waits for approval", Tone::Warning),
        Status::Accepted => ("…", ".", "accepted", Tone::Plain),
        Status::Working => ("…", ".", "working", Tone::Plain),
        Status::Unknown => ("!", "!", "unknown", Tone::Warning),
        Status::Cancelled => ("-", "-", "cancelled", Tone::Warning),
    };
    let sign = if options.unicode { sign } else { plain };
    let word = if word.is_empty() { String::new() } else { format!("{word} ") };
    let tool = text::escape(line.tool);
    let mut left = format!("{sign} {word}{tool}");
    let time = format!("  {}", duration(line.elapsed));
    let taken = text::width(&left) + time.len() + 1;
    if let (Some(subject), true) = (line.subject, taken + 4 <= options.width) {
        left.push(' ');
        left.push_str(&text::fit(subject, options.width - taken, options.unicode));
    }
    let left = text::fit(&left, options.width.saturating_sub(time.len()).max(1), options.unicode);
    let time = text::fit(&time, options.width.saturating_sub(text::width(&left)), options.unicode);
    // The sign and the word are painted, so that the name and the time stay readable in any theme.
    let lead = sign.len() + 1 + word.trim_end().len();
    let (lead, rest) = left.split_at_checked(lead).unwrap_or((&left, ""));
    format!("{}{rest}{}", tone.paint(lead, options.colour), Tone::Dim.paint(&time, options.colour))
}

fn error_lines(error: &CallError, lines: &mut Vec<Line>) {
    let code = error.contract_code.as_deref().unwrap_or(error.code.as_str());
    lines.push(Line::new(Tone::Bad, format!("{}: {}", text::escape(code), text::escape(&error.message))));
    for violation in error.violations.iter().take(VIOLATIONS) {
        let pointer = if violation.pointer.is_empty() { "(arguments)" } else { &violation.pointer };
        lines.push(Line::new(
            Tone::Plain,
            format!(
                "{}: expected {}, found {}",
                text::escape(pointer),
                text::escape(&violation.expected),
                text::escape(&violation.found)
            ),
        ));
    }
    if error.violations.len() > VIOLATIONS {
        lines.push(Line::new(Tone::Dim, format!("and {} more", error.violations.len() - VIOLATIONS)));
    }
    if let Some(hint) = &error.hint {
        lines.push(Line::new(Tone::Dim, format!("hint: {}", text::escape(hint))));
    }
}

fn result_lines(presented: &Presented, more: Option<&str>, options: &DisplayOptions) -> Vec<Line> {
    if !matches!(presented.display(), DisplayBody::Content) {
        return body_lines(presented.display(), more, options).lines;
    }
    match presented.stored() {
        Stored::Value(value @ (Value::Object(_) | Value::Array(_)), bytes)
            if *bytes <= PRETTY_BYTES && presented.error().is_none() =>
        {
            let pretty = serde_json::to_string_pretty(value).unwrap_or_default();
            text_lines(&pretty, more, options).lines
        }
        Stored::Nothing | Stored::Value(..) | Stored::TooLarge(_) => {
            presented.content().map(|content| text_lines(content, more, options).lines).unwrap_or_default()
        }
    }
}
