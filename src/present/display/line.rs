//! Lines with a tone: laid out first, then fitted and painted.

use crate::text;

/// How a display is laid out. The caller knows the terminal; nothing is asked of the environment here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisplayOptions {
    /// Columns.
    pub width: usize,
    /// Whether tones are painted. Colour never carries meaning of its own.
    pub colour: bool,
    /// Whether signs beyond ASCII may be used.
    pub unicode: bool,
    /// Most lines of a body.
    pub lines: usize,
    /// What happens to lines longer than the width.
    pub long_lines: LongLines,
}

/// What happens to a line longer than the width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongLines {
    /// Its end is cut off, visibly.
    Cut,
    /// It goes on below, with every character of it.
    Wrap,
    /// It goes on below at a new word, as text is read.
    Words,
}

impl Default for DisplayOptions {
    fn default() -> Self {
        Self { width: 80, colour: false, unicode: true, lines: 40, long_lines: LongLines::Cut }
    }
}

/// How a line is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Good,
    Bad,
    Warning,
    Dim,
    Added,
    Removed,
    Strong,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Good | Self::Added => "32",
            Self::Bad | Self::Removed => "31",
            Self::Warning => "33",
            Self::Dim => "2",
            Self::Strong => "1",
        }
    }

    /// `text` in this tone.
    pub(crate) fn paint(self, text: &str, colour: bool) -> String {
        if colour && self != Self::Plain && !text.is_empty() {
            format!("\u{1b}[{}m{text}\u{1b}[0m", self.code())
        } else {
            text.to_owned()
        }
    }
}

/// One line: escaped already, not yet fitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) tone: Tone,
    pub(crate) text: String,
}

impl Line {
    pub(crate) fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { tone, text: text.into() }
    }
}

/// Bytes of a raw line that can matter at this width; the rest is not worth escaping.
pub(crate) fn relevant<'t>(raw: &'t str, options: &DisplayOptions) -> &'t str {
    match options.long_lines {
        // A character takes at most four bytes, and a few zero-width marks may ride on it.
        LongLines::Cut => text::head(raw, options.width.saturating_mul(16).saturating_add(64)),
        LongLines::Wrap | LongLines::Words => raw,
    }
}

/// Fits lines to the width behind `indent` columns and paints them.
pub(crate) fn lay_out(lines: &[Line], indent: usize, options: &DisplayOptions) -> Vec<String> {
    // Where the indent would leave no room, it goes.
    let indent = if options.width > indent + 8 { indent } else { 0 };
    let room = options.width.saturating_sub(indent).max(1);
    let margin = " ".repeat(indent);
    let painted = |tone: Tone, text: &str| {
        if text.is_empty() { String::new() } else { format!("{margin}{}", tone.paint(text, options.colour)) }
    };
    lines
        .iter()
        .flat_map(|line| match options.long_lines {
            LongLines::Cut => vec![painted(line.tone, &text::fit(&line.text, room, options.unicode))],
            LongLines::Wrap => {
                text::wrap(&line.text, room).into_iter().map(|piece| painted(line.tone, piece)).collect()
            }
            LongLines::Words => text::wrap_words(&line.text, room)
                .into_iter()
                .map(|piece| painted(line.tone, piece))
                .collect(),
        })
        .collect()
}
