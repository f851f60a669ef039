//! The search for resolved secrets, in a text and in what its escapes mean.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::encoding::{Form, Spill};
use super::mark::{self, Label, Mark};
use super::shape::ANY;
use super::view::{self, Places, Spelling};

/// How many bytes one byte of a secret may be spelt with: percent, then HTML, or the other way round.
const MOST_SPELLING: usize = 12;
/// Text is searched in windows of at least this size, so that views of it stay small.
const WINDOW: usize = 64 << 10;
/// Shorter matches that run across a line break are chance.
const LEAST_WRAPPED: usize = 16;

/// Every form of every secret, ready to search.
pub(super) struct Search {
    /// Says whether there is anything: quick to build, and skips what cannot begin a form.
    scout: Option<AhoCorasick>,
    /// Finds every occurrence. It is built once there is one.
    automaton: OnceLock<Option<AhoCorasick>>,
    /// Sorted, as `automaton` numbers them.
    forms: Vec<(Form, usize)>,
    longest: usize,
}

impl Search {
    /// `forms` come with the index of their secret.
    pub(super) fn new(mut forms: Vec<(Form, usize)>) -> Self {
        forms.sort_unstable_by(|one, two| one.0.bytes.cmp(&two.0.bytes));
        let longest = forms.iter().map(|(form, _)| form.bytes.len()).max().unwrap_or(0);
        let mut search = Self { scout: None, automaton: OnceLock::new(), forms, longest };
        search.scout = search.build(MatchKind::LeftmostFirst);
        search
    }

    /// Builds an automaton; `None` for a set that would take gigabytes. Nothing could be searched for then, so that
    /// everything counts as secret.
    fn build(&self, kind: MatchKind) -> Option<AhoCorasick> {
        AhoCorasick::builder()
            .match_kind(kind)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(self.forms.iter().map(|(form, _)| &form.bytes))
            .ok()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// Most bytes of text that one match can take.
    pub(super) fn reach(&self) -> usize {
        self.longest.saturating_mul(MOST_SPELLING)
    }

    /// Adds a mark for every occurrence, overlapping ones too.
    pub(super) fn find(&self, input: &[u8], marks: &mut Vec<Mark>) {
        if self.is_empty() {
            return;
        }
        let reach = self.reach();
        let step = WINDOW.max(reach);
        let mut start = 0_usize;
        loop {
            // Each window reaches into the next, so that what lies across a border is whole in one of them.
            let end = start.saturating_add(step).saturating_add(reach).min(input.len());
            let window = input.get(start..end).unwrap_or_default();
            self.find_raw(window, |range, label| {
                mark::push(marks, range.start + start..range.end + start, label);
            });
            for_each_meaning(window, &mut |meaning, spellings| {
                let mut places = None;
                self.find_raw(meaning, |range, label| {
                    let length = range.len();
                    let origin = places.get_or_insert_with(|| Places::of(spellings, window)).origin(range);
                    let chance = spellings.contains(&Spelling::Wrapped) && length < LEAST_WRAPPED;
                    if !chance || origin.len() == length {
                        mark::push(marks, origin.start + start..origin.end + start, label);
                    }
                });
            });
            if end == input.len() {
                return;
            }
            start = start.saturating_add(step);
        }
    }

    fn find_raw(&self, bytes: &[u8], mut found: impl FnMut(Range<usize>, Label)) {
        if self.scout.as_ref().is_some_and(|scout| scout.find(bytes).is_none()) {
            return;
        }
        let Some(automaton) = self.automaton.get_or_init(|| self.build(MatchKind::Standard)) else {
            // INVARIANT: what cannot be searched is not shown.
            found(0..bytes.len(), Label::Shape(ANY));
            return;
        };
        for hit in automaton.find_overlapping_iter(bytes) {
            if let Some((form, secret)) = self.forms.get(hit.pattern().as_usize()) {
                found(spilled(bytes, hit.range(), form.spill), Label::Secret(*secret));
            }
        }
    }

    /// Where a suffix starts that could begin a secret, in any spelling; the length of `input` where none does.
    pub(super) fn unfinished(&self, input: &[u8]) -> usize {
        if self.is_empty() {
            return input.len();
        }
        let mut earliest = self.unfinished_views(input, input.len());
        // An escape that the end cut in two hides what stands before it.
        let tail = input.len().saturating_sub(MOST_SPELLING);
        for (at, byte) in input.iter().enumerate().skip(tail) {
            let views = match byte {
                b'%' | b'\\' | b'&' => self.unfinished_views(input, at).min(at),
                // Most of these are no escape.
                byte if view::is_gap(*byte) => {
                    Some(self.unfinished_views(input, at)).filter(|views| *views < at).unwrap_or(input.len())
                }
                _ => continue,
            };
            earliest = earliest.min(views);
        }
        earliest
    }

    fn unfinished_views(&self, input: &[u8], end: usize) -> usize {
        let start = end.saturating_sub(self.reach());
        let window = input.get(start..end).unwrap_or_default();
        let mut earliest = end.min(start + self.unfinished_raw(window));
        for_each_meaning(window, &mut |meaning, spellings| {
            let at = self.unfinished_raw(meaning);
            if at < meaning.len() {
                let origin = Places::of(spellings, window).origin(at..at + 1);
                earliest = earliest.min(start + origin.start);
            }
        });
        earliest
    }

    fn unfinished_raw(&self, bytes: &[u8]) -> usize {
        let first = bytes.len().saturating_sub(self.longest.saturating_sub(1));
        (first..bytes.len())
            .find(|at| self.begins(bytes.get(*at..).unwrap_or_default()))
            .unwrap_or(bytes.len())
    }

    /// Whether some form starts with `text` and goes on after it.
    fn begins(&self, text: &[u8]) -> bool {
        let at = self.forms.partition_point(|(form, _)| form.bytes.as_slice() <= text);
        self.forms.get(at).is_some_and(|(form, _)| form.bytes.starts_with(text))
    }
}

/// Widens a match over the characters of base 64 that hold some of its bits.
fn spilled(bytes: &[u8], range: Range<usize>, spill: Spill) -> Range<usize> {
    let letter = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_'))
    };
    let Range { mut start, mut end } = range;
    if spill.before && letter(start.checked_sub(1)) {
        start -= 1;
    }
    if spill.after && letter(Some(end)) {
        end += 1;
    }
    Range { start, end }
}

/// Shows what `window` means in each spelling, and in each spelling within a spelling.
fn for_each_meaning(window: &[u8], visit: &mut dyn FnMut(&[u8], &[Spelling])) {
    for outer in Spelling::ALL {
        let Some(meaning) = outer.undo(window) else { continue };
        visit(&meaning, &[outer]);
        // Lines are put together last: a break may itself be escaped, but breaks hide no escapes.
        for inner in Spelling::ALL.into_iter().filter(|_| outer != Spelling::Wrapped) {
            if let Some(meaning) = inner.undo(&meaning) {
                visit(&meaning, &[outer, inner]);
            }
        }
    }
}
