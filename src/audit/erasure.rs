//! Which numbers of records an erasure names, and whether what is erased was named by one.

use serde::{Deserialize, Serialize};

/// Ascending numbers as ranges: first and last of each, both within.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// Adds a number that is not below any before it.
    pub fn push(&mut self, number: u64) {
        self.join(number, number);
    }

    fn join(&mut self, first: u64, last: u64) {
        match self.0.last_mut() {
            Some((_, end)) if first <= end.saturating_add(1) => *end = (*end).max(last),
            _ => self.0.push((first, last)),
        }
    }

    /// The ranges.
    #[must_use]
    pub fn as_slice(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// How many numbers there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().map(|(first, last)| last.saturating_sub(*first).saturating_add(1)).sum()
    }

    /// Adds ranges in any order, up to number `most`.
    pub(super) fn extend(&mut self, ranges: &[(u64, u64)], most: u64) {
        self.0.extend(ranges.iter().map(|(first, last)| (*first, (*last).min(most))));
    }

    /// Sorts what was added, and joins what touches.
    pub(super) fn settle(&mut self) {
        let mut all = std::mem::take(&mut self.0);
        all.retain(|(first, last)| first <= last);
        all.sort_unstable();
        for (first, last) in all {
            self.join(first, last);
        }
    }

    /// The ranges of which not all is in `others`; both are settled.
    pub(super) fn beyond(&self, others: &Self) -> Vec<(u64, u64)> {
        let mut left = others.0.iter().peekable();
        let mut beyond = Vec::new();
        for (first, last) in &self.0 {
            while left.next_if(|(_, end)| end < first).is_some() {}
            if !left.peek().is_some_and(|(start, end)| start <= first && last <= end) {
                beyond.push((*first, *last));
            }
        }
        beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(numbers: &[u64]) -> Ranges {
        let mut ranges = Ranges::default();
        numbers.iter().for_each(|number| ranges.push(*number));
        ranges
    }

    #[test]
    fn numbers_that_follow_each_other_are_one_range() {
        let ranges = ranges(&[1, 2, 3, 7, 9, 10]);
        assert_eq!(ranges.as_slice(), [(1, 3), (7, 7), (9, 10)]);
        assert_eq!(ranges.count(), 6);
    }

    #[test]
    fn what_no_erasure_names_is_found_in_any_order_and_overlap() {
        let mut named = Ranges::default();
        named.extend(&[(8, 12), (1, 2), (2, 4), (20, 10)], 9);
        named.settle();
        assert_eq!(named.as_slice(), [(1, 4), (8, 9)]);
        assert!(ranges(&[2, 3, 4, 9]).beyond(&named).is_empty());
        assert_eq!(ranges(&[3, 4, 5]).beyond(&named), [(3, 5)]);
        assert_eq!(ranges(&[6, 8, 9, 10]).beyond(&named), [(6, 6), (8, 10)]);
        assert_eq!(ranges(&[30]).beyond(&named), [(30, 30)]);
        assert_eq!(ranges(&[1]).beyond(&Ranges::default()), [(1, 1)]);
    }
}
