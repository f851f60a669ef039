//! A stranger's text of several lines, behind a bar that none of its own characters can remove.

use crate::present::{DisplayOptions, Line, Tone};
use crate::text;

use super::Extent;

/// Most lines of a block that are shown at first: this many from each end.
const SHOWN: usize = 200;

/// A block of more lines than this is shown with its end again, next to the answer.
const LONG: usize = 12;

/// Columns that the bar takes.
const MARGIN: usize = 6;

/// Lines of the end that are shown again.
const END: usize = 5;

/// A block, wrapped to the width.
pub(super) struct Block {
    lines: Vec<String>,
    dots: &'static str,
}

impl Block {
    /// Wraps an escaped text; each line starts behind a bar, and each continuation of a line behind another sign.
    pub(super) fn new(escaped: &str, options: &DisplayOptions) -> Self {
        let lines = escaped.split('\n').flat_map(|line| behind_bar(line, options));
        Self { lines: lines.collect(), dots: if options.unicode { "…" } else { "..." } }
    }

    /// One line that is laid out already, behind the same bar.
    pub(super) fn line(line: Line, options: &DisplayOptions) -> Vec<Line> {
        behind_bar(&line.text, options).map(|text| Line::new(line.tone, text)).collect()
    }

    /// Whether it has more lines than are shown at first.
    pub(super) fn is_abridged(&self) -> bool {
        self.lines.len() > 2 * SHOWN
    }

    /// The lines to show.
    pub(super) fn lines(&self, extent: Extent) -> Vec<Line> {
        let plain = |line: &String| Line::new(Tone::Plain, line.clone());
        if extent == Extent::Whole || !self.is_abridged() {
            return self.lines.iter().map(plain).collect();
        }
        let head = self.lines.iter().take(SHOWN).map(plain);
        let tail = self.lines.iter().skip(self.lines.len() - SHOWN).map(plain);
        let missing = self.lines.len() - 2 * SHOWN;
        let gap = Line::new(
            Tone::Warning,
            format!("    {} {missing} lines are not shown here; choose `view` to see them", self.dots),
        );
        head.chain(std::iter::once(gap)).chain(tail).collect()
    }

    /// The last lines again, where the block is long.
    pub(super) fn end(&self) -> Option<Vec<Line>> {
        (self.lines.len() > LONG).then(|| {
            let skipped = self.lines.len() - END;
            self.lines.iter().skip(skipped).map(|line| Line::new(Tone::Plain, line.clone())).collect()
        })
    }
}

fn behind_bar<'l>(line: &'l str, options: &DisplayOptions) -> impl Iterator<Item = String> + use<'l> {
    let (bar, more) = if options.unicode { ("│", "┊") } else { ("|", ":") };
    let room = options.width.saturating_sub(MARGIN).max(1);
    text::wrap(line, room).into_iter().enumerate().map(move |(index, piece)| {
        let sign = if index == 0 { bar } else { more };
        format!("    {sign} {piece}").trim_end().to_owned()
    })
}
