//! Which lines of one text replace which of another, with bounded work.
//!
//! The work is bounded by counts and not by a clock, so that the same texts always compare the same way.

use std::collections::HashMap;
use std::ops::Range;

/// Lines kept around what differs.
pub(super) const CONTEXT: usize = 3;

/// Most bytes, of both texts together, of what is compared line by line. What is alike at both ends does not count.
const MOST_BYTES: usize = 4 << 20;
/// Most lines, of both texts together, that are compared.
const MOST_LINES: usize = 200_000;
/// Most lines that differ, of both texts together. The memory needed grows with its square: 18 MB here.
const MOST_EDITS: usize = 3_000;
/// Most lines held against each other.
const MOST_STEPS: usize = 20_000_000;

/// Lines that are replaced: numbers from 0, within what is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// How two texts differ.
#[derive(Debug)]
pub(super) enum Comparison<'t> {
    /// Line by line.
    Lines(Compared<'t>),
    /// By what is between the lines at both ends that are alike: it is too much to compare, or too different.
    TooDifferent {
        /// How many lines precede it.
        first: usize,
        old: &'t str,
        new: &'t str,
    },
}

/// The part of two texts around what differs, and what differs in it.
#[derive(Debug)]
pub(super) struct Compared<'t> {
    /// How many lines precede it in both texts.
    pub(super) first: usize,
    pub(super) old: Vec<&'t str>,
    pub(super) new: Vec<&'t str>,
    /// In order; lines that are alike lie between any two.
    pub(super) changes: Vec<Change>,
}

/// Compares two texts. Lines keep their line feeds.
pub(super) fn compare<'t>(old: &'t str, new: &'t str) -> Comparison<'t> {
    let (start, ends) = differing(old, new);
    let middle = |text: &'t str, end: usize| text.get(start..end).unwrap_or_default();
    let too_different = || Comparison::TooDifferent {
        first: line_feeds(old.get(..start).unwrap_or_default()),
        old: middle(old, ends.0),
        new: middle(new, ends.1),
    };
    // With the context, whose lines are the same in both texts.
    let from = before(old, start);
    let to = |text: &'t str, end: usize| text.get(from..after(text, end)).unwrap_or_default();
    let (old_part, new_part) = (to(old, ends.0), to(new, ends.1));
    if old_part.len().saturating_add(new_part.len()) > MOST_BYTES
        || line_feeds(old_part).saturating_add(line_feeds(new_part)) > MOST_LINES
    {
        return too_different();
    }
    let old_lines: Vec<&str> = old_part.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new_part.split_inclusive('\n').collect();
    let mut numbers = HashMap::new();
    let mut numbered = |lines: &[&'t str]| -> Vec<usize> {
        lines
            .iter()
            .map(|line| {
                let next = numbers.len();
                *numbers.entry(*line).or_insert(next)
            })
            .collect()
    };
    let (old_numbers, new_numbers) = (numbered(&old_lines), numbered(&new_lines));
    match shortest(&old_numbers, &new_numbers) {
        Some(changes) => Comparison::Lines(Compared {
            first: line_feeds(old.get(..from).unwrap_or_default()),
            old: old_lines,
            new: new_lines,
            changes,
        }),
        None => too_different(),
    }
}

fn line_feeds(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// Where the texts begin to differ, and where they cease to, in the old and in the new one; at the beginnings of lines.
fn differing(old: &str, new: &str) -> (usize, (usize, usize)) {
    let alike = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    let start = if alike == old.len() && alike == new.len() {
        alike
    } else {
        old.as_bytes()
            .get(..alike)
            .and_then(|alike| alike.iter().rposition(|byte| *byte == b'\n'))
            .map_or(0, |at| at + 1)
    };
    let rest = |text: &str| text.len() - start;
    let most = rest(old).min(rest(new));
    let alike =
        old.bytes().rev().zip(new.bytes().rev()).take(most).take_while(|(old, new)| old == new).count();
    let begins_line = |text: &str| {
        let at = text.len() - alike;
        at == start || text.as_bytes().get(at.wrapping_sub(1)) == Some(&b'\n')
    };
    let alike = if begins_line(old) && begins_line(new) {
        alike
    } else {
        let common = old.as_bytes().get(old.len() - alike..).unwrap_or_default();
        common.iter().position(|byte| *byte == b'\n').map_or(0, |at| alike - at - 1)
    };
    (start, (old.len() - alike, new.len() - alike))
}

/// The place so many lines of context before `at`, which is the beginning of a line.
fn before(text: &str, at: usize) -> usize {
    let lines = text.get(..at).unwrap_or_default().split_inclusive('\n').rev().take(CONTEXT);
    at - lines.map(str::len).sum::<usize>()
}

/// The place so many lines of context after `at`, which is the beginning of a line.
fn after(text: &str, at: usize) -> usize {
    let lines = text.get(at..).unwrap_or_default().split_inclusive('\n').take(CONTEXT);
    at + lines.map(str::len).sum::<usize>()
}

/// The fewest lines to remove and add, by Myers' greedy algorithm; `None` where that is too much work.
///
/// In round `r` it knows, for each diagonal (lines of the old text minus lines of the new one), how far one gets in the
/// old text with `r` lines removed or added.
fn shortest(old: &[usize], new: &[usize]) -> Option<Vec<Change>> {
    let (old_end, new_end) = (i64::try_from(old.len()).ok()?, i64::try_from(new.len()).ok()?);
    let mut rounds: Vec<Vec<u32>> = Vec::new();
    let mut steps = 0_usize;
    for round in 0..=MOST_EDITS {
        let reach = i64::try_from(round).ok()?;
        let mut row = Vec::with_capacity(round + 1);
        for diagonal in (-reach..=reach).step_by(2) {
            let mut at = rounds.last().map_or(0, |last| Origin::of(last, reach, diagonal).leads_to(diagonal));
            while are_alike(old, at, new, at - diagonal) {
                at += 1;
                steps += 1;
            }
            steps += 1;
            if steps > MOST_STEPS {
                return None;
            }
            row.push(u32::try_from(at).ok()?);
            if at >= old_end && at - diagonal >= new_end {
                return retraced(&rounds, old_end, new_end);
            }
        }
        rounds.push(row);
    }
    None
}

fn are_alike(old: &[usize], old_at: i64, new: &[usize], new_at: i64) -> bool {
    let line = |lines: &[usize], at: i64| lines.get(usize::try_from(at).ok()?).copied();
    line(old, old_at).is_some_and(|number| line(new, new_at) == Some(number))
}

/// Where a diagonal is reached from: a place of the round before.
struct Origin {
    diagonal: i64,
    at: i64,
}

impl Origin {
    /// `last` is the round before round `reach`; it has every other diagonal from `1 - reach` to `reach - 1`.
    fn of(last: &[u32], reach: i64, diagonal: i64) -> Self {
        let known = |diagonal: i64| {
            let index = usize::try_from(diagonal + reach - 1).ok()? / 2;
            last.get(index).map(|at| Self { diagonal, at: i64::from(*at) })
        };
        match (known(diagonal - 1), known(diagonal + 1)) {
            (Some(removing), Some(adding)) if removing.at < adding.at => adding,
            (Some(removing), _) => removing,
            (None, Some(adding)) => adding,
            (None, None) => Self { diagonal, at: 0 },
        }
    }

    /// The place on `diagonal` that one more line removed or added leads to.
    fn leads_to(&self, diagonal: i64) -> i64 {
        if self.diagonal < diagonal { self.at + 1 } else { self.at }
    }
}

/// The changes on the way that led to the ends of both texts.
fn retraced(rounds: &[Vec<u32>], old_end: i64, new_end: i64) -> Option<Vec<Change>> {
    let mut backwards: Vec<Change> = Vec::new();
    let mut diagonal = old_end - new_end;
    for (last, round) in rounds.iter().rev().zip((1..=i64::try_from(rounds.len()).ok()?).rev()) {
        let origin = Origin::of(last, round, diagonal);
        let removed = usize::from(origin.diagonal < diagonal);
        let old = usize::try_from(origin.at).ok()?;
        let new = usize::try_from(origin.at - origin.diagonal).ok()?;
        let change = Change { old: old..old + removed, new: new..new + 1 - removed };
        match backwards.last_mut() {
            Some(next) if next.old.start == change.old.end && next.new.start == change.new.end => {
                next.old.start = change.old.start;
                next.new.start = change.new.start;
            }
            _ => backwards.push(change),
        }
        diagonal = origin.diagonal;
    }
    backwards.reverse();
    Some(backwards)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The new text as the comparison makes it from the old one, and how many lines it removes and adds.
    fn applied(old: &str, new: &str) -> Option<(String, usize)> {
        let Comparison::Lines(compared) = compare(old, new) else { return None };
        let mut text: String = new.split_inclusive('\n').take(compared.first).collect();
        let (mut at, mut edits) = (0, 0);
        for change in &compared.changes {
            text.extend(compared.old[at..change.old.start].iter().copied());
            text.extend(compared.new[change.new.clone()].iter().copied());
            at = change.old.end;
            edits += change.old.len() + change.new.len();
        }
        text.extend(compared.old[at..].iter().copied());
        let kept = compared.first + compared.old.len();
        text.extend(old.split_inclusive('\n').skip(kept));
        Some((text, edits))
    }

    #[test]
    fn the_fewest_lines_change_and_what_is_alike_at_the_ends_is_not_compared() {
        assert_eq!(applied("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n").unwrap().1, 5);
        let old = "x\n".repeat(3_000_000);
        let new = format!("{old}y\n");
        assert_eq!(applied(&old, &new).unwrap(), (new, 1));
        let Comparison::Lines(same) = compare("a\nb", "a\nb") else { panic!("too different") };
        assert_eq!(same.changes, []);
    }

    #[test]
    fn texts_that_are_too_different_or_too_large_are_not_compared() {
        let digits = |seed: u32, count: u32| -> String {
            (0..count).map(|n| format!("{}\n", (n.wrapping_mul(2_654_435_761) ^ seed) >> 7 & 7)).collect()
        };
        let distinct =
            |of: &str, count: u32| -> String { (0..count).map(|n| format!("{of}{n}\n")).collect() };
        for (old, new) in [
            (digits(0, 90_000), digits(0x5555_5555, 90_000)),
            (digits(0, 500_000), digits(0x5555_5555, 500_000)),
            (digits(0, 500_000), "x".repeat(1_000_000)),
            (distinct("a", 1_600), distinct("b", 1_600)),
            ("a".repeat(MOST_BYTES), "b".to_owned()),
        ] {
            let old = format!("first\n{old}last\n");
            let new = format!("first\n{new}last\n");
            let Comparison::TooDifferent { first, .. } = compare(&old, &new) else { panic!("compared") };
            assert!(first >= 1);
        }
    }

    proptest! {
        #[test]
        fn a_comparison_turns_one_text_into_the_other(old in "([abc]\n){0,12}[ab]?", new in "([abc]\n){0,12}[ab]?") {
            let (text, edits) = applied(&old, &new).unwrap();
            prop_assert_eq!(&text, &new);
            prop_assert!(edits <= old.split_inclusive('\n').count() + new.split_inclusive('\n').count());
            prop_assert_eq!(edits == 0, old == new);
        }
    }
}
