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
pub(super) struct Block<'e> {
    /// The pieces of the text, and whether each continues the one before it. Only those that are shown are laid out.
    pieces: Vec<(bool, &'e str)>,
    unicode: bool,
}

impl<'e> Block<'e> {
    /// Most lines that are shown at first.
    pub(super) const MOST: usize = 2 * SHOWN;

    /// Wraps an escaped text; each line starts behind a bar, and each continuation of a line behind another sign.
    pub(super) fn new(escaped: &'e str, options: &DisplayOptions) -> Self {
        let pieces = escaped.split('\n').flat_map(|line| wrapped(line, options)).collect();
        Self { pieces, unicode: options.unicode }
    }

    /// One line that is laid out already, behind the same bar.
    pub(super) fn line(line: &Line, options: &DisplayOptions) -> Vec<Line> {
        wrapped(&line.text, options)
            .map(|piece| Line::new(line.tone, behind_bar(piece, options.unicode)))
            .collect()
    }

    /// Whether it has more lines than are shown at first.
    pub(super) fn is_abridged(&self) -> bool {
        self.pieces.len() > Self::MOST
    }

    /// The lines to show.
    pub(super) fn lines(&self, extent: Extent) -> Vec<Line> {
        if extent == Extent::Whole || !self.is_abridged() {
            return self.laid_out(0, self.pieces.len()).collect();
        }
        let missing = self.pieces.len() - Self::MOST;
        let dots = if self.unicode { "…" } else { "..." };
        let gap = Line::new(
            Tone::Warning,
            format!("    {dots} {missing} lines are not shown here; choose `view` to see them"),
        );
        let tail = self.laid_out(self.pieces.len() - SHOWN, SHOWN);
        self.laid_out(0, SHOWN).chain(std::iter::once(gap)).chain(tail).collect()
    }

    /// The last lines again, where the block is long.
    pub(super) fn end(&self) -> Option<Vec<Line>> {
        (self.pieces.len() > LONG).then(|| self.laid_out(self.pieces.len() - END, END).collect())
    }

    fn laid_out(&self, first: usize, count: usize) -> impl Iterator<Item = Line> {
        let pieces = self.pieces.iter().skip(first).take(count);
        pieces.map(|piece| Line::new(Tone::Plain, behind_bar(*piece, self.unicode)))
    }
}

fn wrapped<'l>(line: &'l str, options: &DisplayOptions) -> impl Iterator<Item = (bool, &'l str)> + use<'l> {
    let room = options.width.saturating_sub(MARGIN).max(1);
    text::wrap(line, room).into_iter().enumerate().map(|(index, piece)| (index > 0, piece))
}

fn behind_bar((continues, piece): (bool, &str), unicode: bool) -> String {
    let sign = match (continues, unicode) {
        (false, true) => "│",
        (false, false) => "|",
        (true, true) => "┊",
        (true, false) => ":",
    };
    format!("    {sign} {piece}").trim_end().to_owned()
}
