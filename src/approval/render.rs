//! The question as text: a pure function, so that what a person saw can be proven.

mod remote;

use serde_json::Value;

use crate::catalog::{Digest, NetworkRule};
use crate::present::{DisplayBody, DisplayOptions, Line, LongLines, Tone, body_lines, lay_out};
use crate::text;
use crate::validate::{CommandPlan, ProgramSource, StdinPlan};

use super::block::Block;
use super::question::{Argument, Runs};
use super::{Checked, Question, Reason, RefusedEdit, quote};

/// How much of a long argument is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The beginning and the end of what has very many lines.
    Usual,
    /// Everything.
    Whole,
}

/// A question as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The text; every line ends with a line feed.
    pub text: String,
    /// SHA-256 of the text.
    pub digest: Digest,
    /// Whether lines are left out, which `view` shows.
    pub abridged: bool,
}

/// Most columns of an argument's name beside its value.
const NAME_COLUMNS: usize = 40;

/// Renders a question.
///
/// Nothing a stranger wrote can move the cursor, hide itself, or pass for a line of the question: it is escaped, and
/// every line of it after the first stands behind a bar. The ends of long arguments come again as the last lines, since
/// those are the ones before a person's eyes when they answer.
#[must_use]
pub fn render_question(
    question: &Question,
    extent: Extent,
    width: usize,
    colour: bool,
    unicode: bool,
) -> Rendered {
    // Below this the bars would be all there is; the terminal wraps such lines by itself.
    let width = width.max(20);
    let options = DisplayOptions { width, colour, unicode, lines: usize::MAX, long_lines: LongLines::Wrap };
    let mut page = Page { lines: Vec::new(), ends: Vec::new(), abridged: false, extent, options };
    page.head(question);
    page.arguments(&question.arguments);
    page.runs(&question.runs);
    page.surroundings(question);
    page.reasons(&question.reasons);
    page.checks(&question.checks);
    if let Some(preview) = &question.preview {
        page.preview(preview, &question.runs);
    }
    page.notes(&question.notes);
    page.answers(question);
    let ends = std::mem::take(&mut page.ends);
    if !ends.is_empty() {
        page.heading("long values end with");
        page.lines.extend(ends);
    }
    let mut text = lay_out(&page.lines, 0, &options).join("\n");
    text.push('\n');
    let digest = super::binding::sha256(text.as_bytes());
    Rendered { text, digest, abridged: page.abridged }
}

/// Renders what a person is told whose edited call was refused: why, and that nothing has run.
#[must_use]
pub fn render_refused_edit(
    question: &Question,
    refused: &RefusedEdit,
    width: usize,
    colour: bool,
    unicode: bool,
) -> Rendered {
    let width = width.max(20);
    let options = DisplayOptions { width, colour, unicode, lines: usize::MAX, long_lines: LongLines::Wrap };
    let extent = Extent::Whole;
    let mut page = Page { lines: Vec::new(), ends: Vec::new(), abridged: false, extent, options };
    page.heading(&format!("The edited call of `{}` cannot run; nothing has run yet", question.tool));
    let error = &refused.error;
    let code = error.contract_code.as_deref().unwrap_or(error.code.as_str());
    page.value("  because   ", "reason", &text::escape(&format!("{code}: {}", error.message)));
    for violation in &error.violations {
        let place = if violation.pointer.is_empty() { "arguments" } else { violation.pointer.as_str() };
        let words = format!("{place}: must be {}, found {}", violation.expected, violation.found);
        page.value("            ", "violation", &text::escape(&words));
    }
    let mut text = lay_out(&page.lines, 0, &options).join("\n");
    text.push('\n');
    let digest = super::binding::sha256(text.as_bytes());
    Rendered { text, digest, abridged: false }
}

struct Page {
    lines: Vec<Line>,
    ends: Vec<Line>,
    abridged: bool,
    extent: Extent,
    options: DisplayOptions,
}

impl Page {
    fn heading(&mut self, text: &str) {
        self.lines.push(Line::new(Tone::Strong, text));
    }

    /// `label  value`, where the value is one the contract's author or the person wrote.
    fn field(&mut self, label: &str, value: &str) {
        let value = text::escape(value);
        self.value(&format!("  {label:<9} "), label, &value);
    }

    /// A value that is escaped already: on one line where it fits, else behind bars.
    fn value(&mut self, lead: &str, name: &str, value: &str) {
        if text::width(lead) + text::width(value) <= self.options.width {
            self.lines.push(Line::new(Tone::Plain, format!("{lead}{value}")));
        } else {
            self.lines.push(Line::new(Tone::Plain, lead.trim_end()));
            self.block(name, value);
        }
    }

    fn block(&mut self, name: &str, escaped: &str) {
        let block = Block::new(escaped, &self.options);
        self.abridged |= self.extent == Extent::Usual && block.is_abridged();
        self.lines.extend(block.lines(self.extent));
        if let Some(end) = block.end() {
            self.ends.push(Line::new(
                Tone::Plain,
                format!("  {}:", text::fit(&text::escape(name), 40, self.options.unicode)),
            ));
            self.ends.extend(end);
        }
    }

    fn head(&mut self, question: &Question) {
        self.heading(&format!("May `{}` run?", question.tool));
        if let Some(title) = &question.title {
            self.field("title", title);
        }
        let version =
            question.version.as_deref().map(|version| format!("version {version}, ")).unwrap_or_default();
        self.field("tool", &format!("{}, {version}risk {}", question.tool, question.risk.as_str()));
        self.field("changes", question.changes.as_deref().unwrap_or("(the contract does not say)"));
        self.field("for", &question.principal);
        self.field("task", &question.task);
    }

    fn arguments(&mut self, arguments: &[Argument]) {
        self.heading(if arguments.is_empty() { "arguments: none" } else { "arguments" });
        for argument in arguments {
            let mut name = text::escape(&argument.name).into_owned();
            if text::width(&name) > NAME_COLUMNS {
                // A name is a stranger's too where the schema is open: a long one goes behind a bar.
                self.lines.push(Line::new(Tone::Plain, "  an argument with the long name:"));
                self.block("long name", &name);
                name = "its value".to_owned();
            }
            let (kind, shown) = match &argument.value {
                Value::String(text) if text.contains('\n') => {
                    ("text, ", text.split('\n').map(text::escape).collect::<Vec<_>>().join("\n"))
                }
                Value::String(text) => ("", format!("\"{}\"", text::escape(text))),
                Value::Array(_) | Value::Object(_) => {
                    let pretty = serde_json::to_string_pretty(&argument.value).unwrap_or_default();
                    ("json, ", pretty.split('\n').map(text::escape).collect::<Vec<_>>().join("\n"))
                }
                other => ("", other.to_string()),
            };
            let lead = format!("  {name} ({kind}{}): ", argument.provenance);
            if shown.contains('\n') {
                self.lines.push(Line::new(Tone::Plain, lead.trim_end()));
                self.block(&argument.name, &shown);
            } else {
                self.value(&lead, &argument.name, &shown);
            }
            for pointer in &argument.defaulted {
                let pointer = text::fit(&text::escape(pointer), NAME_COLUMNS, self.options.unicode);
                self.lines.push(Line::new(Tone::Dim, format!("    {pointer} is the contract's default")));
            }
            // The schema may be open, so that a name is a stranger's text as well.
            self.suspicions(&Value::String(argument.name.clone()));
            self.suspicions(&argument.value);
        }
    }

    /// What a person could overlook in a value.
    fn suspicions(&mut self, value: &Value) {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if text.chars().any(|c| text::is_hidden(c) && !matches!(c, '\n' | '\t')) {
            self.warning("it holds characters that cannot be seen; they are spelled out as \\u{…}");
        }
        for found in text::lookalikes(&text) {
            let word = text::fit(&text::escape(&found.word), 60, self.options.unicode);
            self.warning(&match found.resembles {
                Some(plain) => format!(
                    "look-alike letters: `{word}` is not `{}`",
                    text::fit(&text::escape(&plain), 60, self.options.unicode)
                ),
                None => format!("look-alike letters: `{word}` mixes scripts"),
            });
        }
    }

    fn warning(&mut self, text: &str) {
        self.lines.push(Line::new(Tone::Warning, format!("    ! {text}")));
    }

    fn runs(&mut self, runs: &Runs) {
        self.heading("would run");
        match runs {
            Runs::Builtin { name, timeout } => {
                self.field("builtin", &format!("{name}, in the gateway itself, at most {timeout:?}"));
            }
            Runs::Command(command) => self.command(command),
            Runs::Mcp(plan) => self.upstream(plan),
            Runs::Http(request) => self.request(request),
        }
    }

    fn command(&mut self, command: &CommandPlan) {
        match &command.program {
            ProgramSource::Path(path) => self.field("program", &format!("{}", path.display())),
            ProgramSource::Search(name) => self.field("program", &format!("{name}, found in PATH")),
        }
        let argv = command.argv.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
        self.value("  argv      ", "argv", &argv);
        self.field("in", if command.cwd.is_empty() { "." } else { &command.cwd });
        for (name, value) in &command.env {
            self.value("  env       ", name, &format!("{}={}", text::escape(name), quote(value)));
        }
        if !command.pass_env.is_empty() {
            self.field("passes on", &command.pass_env.join(" "));
        }
        match &command.stdin {
            StdinPlan::Empty => self.field("stdin", "nothing"),
            StdinPlan::Credential(name) => self.field("stdin", &format!("the credential {name}")),
            StdinPlan::Text(text) => {
                self.lines.push(Line::new(Tone::Plain, format!("  stdin     {} bytes:", text.len())));
                let escaped = text.split('\n').map(text::escape).collect::<Vec<_>>().join("\n");
                self.block("stdin", &escaped);
            }
        }
        self.field("at most", &format!("{:?}", command.timeout));
    }

    fn surroundings(&mut self, question: &Question) {
        if let Some(place) = question.place {
            let sandbox = match place.sandbox {
                crate::catalog::SandboxLevel::None => "no sandbox",
                crate::catalog::SandboxLevel::Confined => "confined",
                crate::catalog::SandboxLevel::Isolated => "isolated",
            };
            let network = match place.network {
                NetworkRule::None => "no network",
                NetworkRule::Open => "with network",
            };
            self.field("sandbox", &format!("{sandbox}, {network}"));
        }
        if !question.credentials.is_empty() {
            self.field("gets", &question.credentials.join(", "));
        }
    }

    fn reasons(&mut self, reasons: &[Reason]) {
        self.heading("asked because");
        for reason in reasons {
            let lead = text::escape(&format!("  {} ({}): ", reason.rule, reason.place)).into_owned();
            let words = reason.reason.as_deref().unwrap_or("it states no reason");
            self.value(&lead, "reason", &text::escape(words));
        }
    }

    fn checks(&mut self, checks: &[Checked]) {
        if checks.is_empty() {
            return;
        }
        self.heading("looked up before");
        for check in checks {
            let holds = if check.holds { "holds" } else { "does not hold yet" };
            self.field("must hold", &format!("{}, by {}: {holds}", check.expect, check.tool));
            self.value("  seen      ", "seen", &text::escape(&check.seen));
            if !check.holds {
                self.warning(
                    "it is looked up again before the call runs, which it does not unless it holds then",
                );
            }
        }
    }

    fn preview(&mut self, preview: &DisplayBody, runs: &Runs) {
        self.heading(if matches!(runs, Runs::Http(_)) { "files as they are now" } else { "would change" });
        let most = match self.extent {
            Extent::Usual => Block::MOST,
            Extent::Whole => usize::MAX,
        };
        let inside = DisplayOptions { width: self.options.width - 6, lines: most, ..self.options };
        let body = body_lines(preview, Some("choose `view` to see them"), &inside);
        self.abridged |= body.missing > 0;
        // A line may be as long as a file, so that the rows that lines take are bounded as well.
        let mut left = most.saturating_add(1);
        let mut missing = 0_usize;
        for line in &body.lines {
            let mut pieces = Block::line(line, &self.options);
            missing += pieces.len().saturating_sub(left);
            pieces.truncate(left);
            left -= pieces.len();
            self.lines.extend(pieces);
        }
        if missing > 0 {
            self.abridged = true;
            let missing = missing.saturating_add(body.missing);
            self.warning(&format!("{missing} lines of the change are not shown; choose `view` to see them"));
        }
    }

    fn notes(&mut self, notes: &[String]) {
        if notes.is_empty() {
            return;
        }
        self.heading("note");
        for note in notes {
            for (at, line) in
                text::wrap_words(&text::escape(note), self.options.width.saturating_sub(6)).iter().enumerate()
            {
                let sign = if at == 0 { '!' } else { ' ' };
                self.lines.push(Line::new(Tone::Warning, format!("  {sign} {line}")));
            }
        }
    }

    fn answers(&mut self, question: &Question) {
        if let Some(signed) = &question.signed {
            self.heading("nothing said here is a yes: it takes signed answers");
            self.field("needs", signed);
        }
        if question.alternatives.is_empty() {
            return;
        }
        self.heading("a yes for this task, where it is offered, would also cover later calls");
        for alternative in &question.alternatives {
            let list = |items: &[String]| match items {
                [] => "nothing".to_owned(),
                items => items.join(", "),
            };
            let pinned = list(&alternative.pinned);
            let free = list(&alternative.free);
            let lead = format!("  {}. ", alternative.index + 1);
            self.value(&lead, "pinned", &text::escape(&format!("with {pinned}; whatever is in: {free}")));
        }
    }
}
