//! A problem with its place, and the report that shows many of them at once.

use super::excerpt::excerpt;
use super::{SourceMap, Span};
use crate::text::escape;

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Loading goes on.
    Warning,
    /// The file cannot be used.
    Error,
}

/// One problem in a source file. It cannot be built without a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// Where it stands.
    pub span: Span,
    /// What is wrong: lowercase, no final period, input in backticks.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, span, message: message.into(), hint: None }
    }

    /// A warning at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, span, message: message.into(), hint: None }
    }

    /// Adds advice.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Everything found while loading, in the order it was found.
#[derive(Debug, Default)]
pub struct Report {
    diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Whether one of them is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }

    /// All of them.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Renders them for a person, by file and place: message, `file:line:column`, the source line, a mark, the hint.
    ///
    /// At most [`Self::SHOWN`] are shown, and how many there are beyond. What a file holds cannot move the cursor:
    /// control, bidirectional and invisible characters are written out.
    #[must_use]
    pub fn render(&self, sources: &SourceMap, colour: bool) -> String {
        let mut ordered: Vec<&Diagnostic> = self.diagnostics.iter().collect();
        ordered.sort_by_key(|d| (d.span.source, d.span.start, std::cmp::Reverse(d.severity)));
        let paint = Paint { colour };
        let mut out = String::new();
        for diagnostic in ordered.iter().take(Self::SHOWN) {
            if !out.is_empty() {
                out.push('\n');
            }
            diagnostic.render(sources, paint, &mut out);
        }
        match ordered.len().saturating_sub(Self::SHOWN) {
            0 => {}
            1 => out.push_str("\n… and 1 more problem\n"),
            more => out.push_str(&format!("\n… and {more} more problems\n")),
        }
        out
    }
}

impl Report {
    /// Most problems shown by [`Report::render`].
    pub const SHOWN: usize = 100;
}

impl Diagnostic {
    fn render(&self, sources: &SourceMap, paint: Paint, out: &mut String) {
        let location = sources.locate(self.span);
        let (word, style) = match self.severity {
            Severity::Warning => ("warning", "1;33"),
            Severity::Error => ("error", "1;31"),
        };
        out.push_str(&format!("{}: {}\n", paint.with(style, word), escape(&self.message)));
        let number = location.line.to_string();
        let gutter = " ".repeat(number.len());
        let place = escape(&location.file).into_owned();
        let arrow = paint.with("1;34", &format!("{gutter}-->"));
        out.push_str(&format!("{arrow} {place}:{}:{}\n", location.line, location.column));
        if let Some(source) = sources.get(self.span.source) {
            let shown = excerpt(source, self.span);
            let bar = paint.with("1;34", &format!("{gutter} |"));
            let numbered = paint.with("1;34", &format!("{number} |"));
            out.push_str(&format!(
                "{bar}\n{numbered} {}\n{bar} {}\n",
                shown.line,
                paint.with(style, &shown.mark)
            ));
        }
        if let Some(hint) = &self.hint {
            out.push_str(&format!("{}: {}\n", paint.with("1", "hint"), escape(hint)));
        }
    }
}

/// Whether words are coloured. Colour never carries meaning of its own.
#[derive(Clone, Copy)]
struct Paint {
    colour: bool,
}

impl Paint {
    fn with(self, style: &str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{style}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, diagnostics: impl IntoIterator<Item = Diagnostic>) -> String {
        let mut sources = SourceMap::default();
        sources.add("tools.yaml", text);
        let mut report = Report::default();
        diagnostics.into_iter().for_each(|d| report.push(d));
        report.render(&sources, false)
    }

    fn at(range: std::ops::Range<usize>) -> Span {
        Span::new(crate::diagnostic::SourceId(0), range)
    }

    #[test]
    fn a_problem_shows_its_place_line_mark_and_hint_in_file_order() {
        let second = Diagnostic::warning(at(17..21), "unknown key `riks`").with_hint("did you mean `risk`?");
        let first = Diagnostic::error(at(0..7), "`version` must be 1");
        let expected = "\
error: `version` must be 1
 --> tools.yaml:1:1
  |
1 | version: 2
  | ^^^^^^^

warning: unknown key `riks`
 --> tools.yaml:2:7
  |
2 |     - riks: write
  |       ^^^^
hint: did you mean `risk`?
";
        assert_eq!(shown("version: 2\n    - riks: write\n", [second, first]), expected);
    }

    #[test]
    fn hidden_characters_are_written_out_and_wide_ones_keep_the_mark_in_place() {
        let text = "a: \u{202e}文\tb\r\n";
        let start = text.find('b').unwrap();
        let expected = "\
error: x\\u{1b}y
 --> tools.yaml:1:7
  |
1 | a: \\u{202e}文    b
  |                  ^
";
        assert_eq!(shown(text, [Diagnostic::error(at(start..start + 1), "x\u{1b}y")]), expected);
    }

    #[test]
    fn a_huge_line_is_cut_around_the_mark() {
        let text = format!("{}HERE{}", "x".repeat(100_000), "y".repeat(100_000));
        let expected = format!(
            "error: m\n --> tools.yaml:1:100001\n  |\n1 | …{}HERE{}…\n  | {}^^^^\n",
            "x".repeat(60),
            "y".repeat(76),
            " ".repeat(61)
        );
        assert_eq!(shown(&text, [Diagnostic::error(at(100_000..100_004), "m")]), expected);
    }

    #[test]
    fn spans_over_lines_past_the_end_and_inside_a_character_are_shown_all_the_same() {
        for range in [0..100, 1..2, 50..60, 3..3] {
            let rendered = shown("é: [\n1]", [Diagnostic::error(at(range), "m")]);
            assert!(rendered.contains('^'), "{rendered}");
        }
    }

    #[test]
    fn beyond_the_limit_problems_are_counted_only() {
        let rendered = shown("a\n", (0..250).map(|_| Diagnostic::error(at(0..1), "m")));
        assert_eq!(rendered.matches("error: m").count(), Report::SHOWN);
        assert!(rendered.ends_with("\n… and 150 more problems\n"));
    }

    #[test]
    fn colour_wraps_words_and_nothing_else() {
        let mut sources = SourceMap::default();
        sources.add("f", "a\n");
        let mut report = Report::default();
        report.push(Diagnostic::error(at(0..1), "m"));
        let plain = report.render(&sources, true).replace("\u{1b}[0m", "");
        let plain =
            ["1;31", "1;34"].iter().fold(plain, |text, style| text.replace(&format!("\u{1b}[{style}m"), ""));
        assert_eq!(plain, report.render(&sources, false));
    }
}
