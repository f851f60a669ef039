//! The one way out: an outcome is redacted, then bounded, then laid out.

use std::borrow::Cow;
use std::io;

use serde_json::{Value, json};

use crate::catalog::{Contract, ResultSpec};
use crate::code::{CallError, Effect, Status};
use crate::secret::Redactor;
use crate::text;

use super::bound::{Bounded, Bounds, bound};
use super::content::{is_plain, table};
use super::mcp::drop_repeated;
use super::outcome::Shown;
use super::pointer::hide;
use super::query::Query;
use super::{DisplayBody, Outcome, Presented, Stored};

/// Most bytes of standard error in a content.
const STDERR_BYTES: usize = 4096;

/// Most bytes of one text of an error.
const ERROR_BYTES: usize = 4096;

/// Bounds on what a result keeps.
#[derive(Debug, Clone, Copy)]
pub struct PresentLimits {
    /// Most bytes of JSON of a value that is stored.
    pub stored_bytes: usize,
}

impl Default for PresentLimits {
    fn default() -> Self {
        Self { stored_bytes: 8 << 20 }
    }
}

/// Redacts an outcome, bounds its content, and lays out what a person sees.
///
/// Redaction comes first and covers every string that leaves: a cut could split a secret past recognition. Where the
/// output was cut while it was read, a suffix that could begin a secret is dropped too.
#[must_use]
pub fn present(
    outcome: Outcome,
    contract: &Contract,
    redactor: &Redactor,
    limits: PresentLimits,
) -> Presented {
    let spec = &contract.result;
    let mut presented = Presented {
        status: outcome.status,
        effect: outcome.effect,
        verified: outcome.verified,
        object: redacted_value(outcome.object, redactor),
        operation: redacted_value(outcome.operation, redactor),
        content: None,
        truncated: false,
        total: None,
        next: None,
        stored: Stored::Nothing,
        stderr: errors_tail(&outcome.stderr, outcome.stderr_cut || outcome.torn, redactor),
        warnings: outcome.warnings.into_iter().map(|warning| owned(redactor, warning)).collect(),
        error: outcome.error.map(|error| redacted_error(error, redactor)),
        display: DisplayBody::Content,
    };
    if outcome.withheld {
        return presented;
    }
    let undecoded = outcome.value.is_null() && outcome.raw.is_some();
    let mut value = match outcome.raw {
        Some(raw) => as_text(&raw, outcome.torn, redactor),
        None => outcome.value,
    };
    redactor.value(&mut value);
    // Hidden fields can be found by pointer only in the typed value. Text around it might repeat them.
    let hiding = !spec.redact.is_empty();
    if hiding && undecoded {
        presented
            .warnings
            .push("the output is not what was declared and may hold hidden fields: withheld".into());
        return presented;
    }
    if hiding && contract.server().is_some() {
        drop_repeated(&mut value, spec, &mut presented.warnings);
    }
    spec.redact.iter().for_each(|pointer| hide(&mut value, pointer));
    let shown = if hiding { Shown::default() } else { redacted_shown(outcome.shown, redactor) };
    let part = spec.select.as_deref().or(shown.select);
    let own = shown.text.as_deref().filter(|_| spec.select.is_none() || contract.server().is_none());
    let own_cut = fill_content(&mut presented, &value, (own, part), outcome.cut, spec);
    presented.truncated |= shown.truncated;
    if !own_cut {
        presented.total = shown.total.or(presented.total);
        presented.next = shown.next.or(presented.next);
    }
    presented.display = match shown.display {
        body if !is_plain(&body) => body,
        body => table(&value, &spec.table, spec.rows.as_deref())
            .filter(|_| !spec.table.is_empty())
            .unwrap_or(body),
    };
    keep_errors(&mut presented, &mut value);
    store(&mut presented, value, limits);
    presented
}

/// An error that ended a call before anything ran, as it may leave.
#[must_use]
pub fn refuse(error: CallError, redactor: &Redactor) -> Presented {
    let status = error.code.status();
    let effect = if status == Status::Unknown { Effect::Possible } else { Effect::None };
    Presented {
        status,
        effect,
        verified: false,
        object: None,
        operation: None,
        content: None,
        truncated: false,
        total: None,
        next: None,
        stored: Stored::Nothing,
        stderr: None,
        warnings: Vec::new(),
        error: Some(redacted_error(error, redactor)),
        display: DisplayBody::Content,
    }
}

/// Fills in the content and what it says about itself; returns whether the executor's own text had to be cut.
fn fill_content(
    presented: &mut Presented,
    value: &Value,
    (own, part): (Option<&str>, Option<&str>),
    cut: bool,
    spec: &ResultSpec,
) -> bool {
    let failed = presented.error.is_some();
    let stderr = presented.stderr.clone().filter(|_| failed);
    let stderr = stderr.as_deref().map(|text| text::tail(text, STDERR_BYTES.min(spec.max_bytes / 2)));
    let reserved = stderr.map_or(0, |text| text.len() + STDERR_HEADING.len() + 1);
    let bounds =
        Bounds { bytes: spec.max_bytes.saturating_sub(reserved), units: spec.max_rows, keep: spec.keep };
    let selection =
        part.filter(|_| own.is_none()).and_then(|part| select(value, part, &mut presented.warnings));
    let selected = selection.as_ref().unwrap_or(value);
    let Bounded { mut content, truncated, mut total, mut next } = match own {
        Some(text) => bound(&Value::String(text.to_owned()), bounds),
        None if selected.is_null() => Bounded::default(),
        None => bound(selected, bounds),
    };
    let own_cut = own.is_some() && truncated;
    if own_cut {
        // Lines of the executor's text are not lines of its value, so no page goes on from here.
        (total, next) = (None, None);
        presented
            .warnings
            .push("the content is cut at the contract's limit; ask for less at once".to_owned());
    }
    if let (Some(Value::Object(next)), Some(path), true) = (&mut next, part, selection.is_some()) {
        next.insert("filter".to_owned(), json!(path));
    }
    if cut {
        // Beyond the cap nothing is known but that there was more.
        let known = total.take().or_else(|| own.is_none().then(|| super::bound::Units::of(selected).total()));
        total = known.map(|mut known| {
            if let Value::Object(members) = &mut known {
                members.insert("exact".to_owned(), json!(false));
            }
            known
        });
    }
    if let Some(stderr) = stderr {
        append_errors(&mut content, stderr);
    }
    presented.truncated = truncated || cut;
    presented.total = total;
    presented.next = next;
    presented.content = (!content.is_empty() || !(value.is_null() || failed)).then_some(content);
    own_cut
}

/// Adds standard error to the text that a failed command printed, so that what is kept holds it as well.
fn keep_errors(presented: &mut Presented, value: &mut Value) {
    let Value::String(text) = value else { return };
    let Some(stderr) = presented.stderr.as_deref().filter(|_| presented.error.is_some()) else { return };
    append_errors(text, stderr);
    // Pages are taken from what is kept, so it is what is counted.
    if let Some(Value::Object(total)) = &mut presented.total
        && total.contains_key("lines")
    {
        let lines = super::bound::Units::of(value).total();
        total
            .extend(lines.as_object().into_iter().flatten().map(|(key, count)| (key.clone(), count.clone())));
    }
}

/// Labels standard error where something stands before it.
fn append_errors(text: &mut String, stderr: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if !text.is_empty() {
        text.push_str(STDERR_HEADING);
    }
    text.push_str(stderr);
}

const STDERR_HEADING: &str = "--- standard error ---\n";

/// The part of the value that the contract selects for the model.
fn select(value: &Value, path: &str, warnings: &mut Vec<String>) -> Option<Value> {
    match Query::parse(path).and_then(|query| query.select(value)) {
        Ok(selected) => Some(selected),
        Err(_) => {
            // Too much rather than nothing: it is redacted and bounded all the same.
            warnings
                .push("the contract's selection could not be applied; the content is the whole".to_owned());
            None
        }
    }
}

fn store(presented: &mut Presented, value: Value, limits: PresentLimits) {
    if value.is_null() {
        return;
    }
    let bytes = json_bytes(&value);
    presented.stored = if bytes > limits.stored_bytes {
        presented.warnings.push(format!(
            "the whole result has {bytes} bytes, more than the {} that are kept: it cannot be paged",
            limits.stored_bytes
        ));
        presented.next = None;
        Stored::TooLarge(bytes)
    } else {
        Stored::Value(value, bytes)
    };
}

/// Bytes of a value's compact JSON, without writing it anywhere.
fn json_bytes(value: &Value) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        // A count never fails; were it to, nothing is stored.
        Err(_) => usize::MAX,
    }
}

/// Bytes as text: redacted while they are still bytes, since a secret need not be UTF-8.
fn as_text(raw: &[u8], cut: bool, redactor: &Redactor) -> Value {
    let clean = if cut { redactor.cut_bytes(raw) } else { redactor.bytes(raw) };
    Value::String(match String::from_utf8(clean) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

fn errors_tail(stderr: &[u8], cut: bool, redactor: &Redactor) -> Option<String> {
    let Value::String(text) = as_text(stderr, cut, redactor) else { return None };
    (!text.is_empty()).then_some(text)
}

fn owned(redactor: &Redactor, text: String) -> String {
    match redactor.text(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(redacted) => redacted,
    }
}

/// An error that may be shown: redacted, and each of its texts bounded, since a call can write as much as it likes into
/// a name.
fn redacted_error(mut error: CallError, redactor: &Redactor) -> CallError {
    let clean = |text: String| {
        let clean = owned(redactor, text);
        let bounded = crate::text::head(&clean, ERROR_BYTES);
        if bounded.len() < clean.len() { format!("{bounded}…") } else { clean }
    };
    error.message = clean(error.message);
    error.hint = error.hint.map(clean);
    for violation in &mut error.violations {
        for text in [&mut violation.pointer, &mut violation.expected, &mut violation.found] {
            *text = clean(std::mem::take(text));
        }
        violation.hint = violation.hint.take().map(clean);
    }
    error
}

pub(super) fn redacted_value(value: Option<Value>, redactor: &Redactor) -> Option<Value> {
    value.map(|mut value| {
        redactor.value(&mut value);
        value
    })
}

fn redacted_shown(shown: Shown, redactor: &Redactor) -> Shown {
    let clean = |value: Option<Value>| redacted_value(value, redactor);
    Shown {
        text: shown.text.map(|text| owned(redactor, text)),
        select: shown.select,
        total: clean(shown.total),
        next: clean(shown.next),
        truncated: shown.truncated,
        display: redacted_body(shown.display, redactor),
    }
}

/// A display body without secrets; also used for the preview of a question.
#[must_use]
pub fn redacted_body(body: DisplayBody, redactor: &Redactor) -> DisplayBody {
    let clean = |text: String| owned(redactor, text);
    match body {
        DisplayBody::Content => DisplayBody::Content,
        DisplayBody::Text(text) => DisplayBody::Text(clean(text)),
        DisplayBody::FileWindow { path, first, lines } => {
            // A secret may span lines, so they are looked at together.
            let joined = lines.join("\n");
            let lines = match redactor.text(&joined) {
                Cow::Borrowed(_) => lines,
                Cow::Owned(redacted) => redacted.split('\n').map(str::to_owned).collect(),
            };
            DisplayBody::FileWindow { path: clean(path), first, lines }
        }
        DisplayBody::Diff { path, before, after } => {
            DisplayBody::Diff { path: clean(path), before: before.map(clean), after: after.map(clean) }
        }
        DisplayBody::Table { columns, rows } => DisplayBody::Table {
            columns: columns.into_iter().map(clean).collect(),
            rows: rows.into_iter().map(|row| row.into_iter().map(clean).collect()).collect(),
        },
    }
}
