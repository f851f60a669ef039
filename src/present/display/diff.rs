//! Unified diffs for people.

use std::ops::Range;

use crate::text;

use super::DisplayOptions;
use super::compare::{CONTEXT, Change, Compared, Comparison, compare};
use super::line::{Line, Tone, relevant};

/// Lines of a diff, of which no more are made than are shown.
pub(super) struct Diff {
    pub(super) lines: Vec<Line>,
    /// How many lines are left out.
    pub(super) missing: usize,
}

/// The change of one file: a heading, then hunks. Where the texts are too different or too large to be compared, the
/// beginning and the end of what is replaced, and of what replaces it.
pub(super) fn diff(path: &str, before: Option<&str>, after: Option<&str>, options: &DisplayOptions) -> Diff {
    let kind = match (before, after) {
        (None, Some(_)) => ", new file",
        (Some(_), None) => ", deleted",
        (Some(before), Some(after)) if before == after => ", unchanged",
        (Some(_), Some(_)) => "",
        (None, None) => ", nothing",
    };
    let mut page = Page { body: Vec::new(), made: 0, options };
    let comparison = compare(before.unwrap_or_default(), after.unwrap_or_default());
    let (added, removed) = match &comparison {
        Comparison::Lines(compared) => page.hunks(compared),
        Comparison::TooDifferent { first, old, new } => page.ends(*first, old, new),
    };
    let path = text::escape(path);
    let heading = Line::new(Tone::Strong, format!("{path}{kind}  +{added} -{removed}"));
    let missing = page.made - page.body.len();
    Diff { lines: std::iter::once(heading).chain(page.body).collect(), missing }
}

struct Page<'o> {
    body: Vec<Line>,
    /// How many lines there would be.
    made: usize,
    options: &'o DisplayOptions,
}

impl Page<'_> {
    /// Makes a line, if there is room for it below the heading.
    fn push(&mut self, line: impl FnOnce(&DisplayOptions) -> Line) {
        self.made += 1;
        if self.body.len() + 1 < self.options.lines {
            self.body.push(line(self.options));
        }
    }

    fn text_line(&mut self, tone: Tone, sign: char, raw: &str) {
        let line = raw.strip_suffix('\n').unwrap_or(raw);
        self.push(|options| Line::new(tone, format!("{sign}{}", text::escape_line(relevant(line, options)))));
        if line.len() == raw.len() {
            self.push(|_| Line::new(Tone::Dim, "\\ no newline at the end of the file"));
        }
    }

    fn hunk_heading(&mut self, old: Range<usize>, new: Range<usize>) {
        self.push(|_| {
            // The convention of unified diffs: an empty range names the line before it.
            let range = |range: Range<usize>| match range.len() {
                0 => format!("{},0", range.start),
                1 => format!("{}", range.start + 1),
                count => format!("{},{count}", range.start + 1),
            };
            Line::new(Tone::Dim, format!("@@ -{} +{} @@", range(old), range(new)))
        });
    }

    /// Changes with their context; returns how many lines are added and removed.
    fn hunks(&mut self, compared: &Compared<'_>) -> (usize, usize) {
        let Compared { first, old, new, changes } = compared;
        let (mut added, mut removed) = (0, 0);
        // Changes whose contexts touch are one hunk.
        for hunk in changes.chunk_by(|one, next| next.old.start - one.old.end <= 2 * CONTEXT) {
            let (Some(opening), Some(closing)) = (hunk.first(), hunk.last()) else { continue };
            let lead = opening.old.start.min(CONTEXT);
            let trail = (old.len() - closing.old.end).min(CONTEXT);
            self.hunk_heading(
                first + opening.old.start - lead..first + closing.old.end + trail,
                first + opening.new.start - lead..first + closing.new.end + trail,
            );
            let mut at = opening.old.start - lead;
            for Change { old: gone, new: come } in hunk {
                self.range(Tone::Plain, ' ', old, at..gone.start);
                self.range(Tone::Removed, '-', old, gone.clone());
                self.range(Tone::Added, '+', new, come.clone());
                at = gone.end;
                removed += gone.len();
                added += come.len();
            }
            self.range(Tone::Plain, ' ', old, at..at + trail);
        }
        (added, removed)
    }

    fn range(&mut self, tone: Tone, sign: char, lines: &[&str], range: Range<usize>) {
        for line in lines.get(range).unwrap_or_default() {
            self.text_line(tone, sign, line);
        }
    }

    /// One change without context, of which both ends are shown; returns how many lines are added and removed.
    fn ends(&mut self, first: usize, old: &str, new: &str) -> (usize, usize) {
        let counts = [old, new].map(|text| text.split_inclusive('\n').count());
        let [removed, added] = counts;
        self.push(|_| {
            let lines = |count: usize| format!("{count} {}", if count == 1 { "line" } else { "lines" });
            let what = format!("{} replaced by {}; too different to compare", lines(removed), lines(added));
            Line::new(Tone::Warning, what)
        });
        self.hunk_heading(first..first + removed, first..first + added);
        // Two ends of both texts, beside a heading, three other lines and two gaps.
        let share = (self.options.lines.saturating_sub(6) / 4).max(1);
        for (tone, sign, text, count) in [(Tone::Removed, '-', old, removed), (Tone::Added, '+', new, added)]
        {
            if count <= share.saturating_mul(2) {
                text.split_inclusive('\n').for_each(|line| self.text_line(tone, sign, line));
                continue;
            }
            text.split_inclusive('\n').take(share).for_each(|line| self.text_line(tone, sign, line));
            let left_out = count - 2 * share;
            self.push(|options| {
                let dots = if options.unicode { "…" } else { "..." };
                Line::new(Tone::Dim, format!("{sign}{dots} {left_out} lines in between"))
            });
            self.made += left_out;
            let mut end: Vec<&str> = text.split_inclusive('\n').rev().take(share).collect();
            end.reverse();
            end.iter().for_each(|line| self.text_line(tone, sign, line));
        }
        (added, removed)
    }
}
