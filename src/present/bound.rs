//! Bounding: what fits of a value, how much there is in all, and where the rest starts.
//!
//! Contents and pages count alike, so that the place a content names is where a page begins: text in lines, lists in
//! rows, any other value in the lines of its indented JSON. Offsets count from 1.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::catalog::Keep;
use crate::text;

/// Most bytes of one line; a longer one counts as several, so that a page can always go on.
pub(super) const LINE_BYTES: usize = 4096;

/// A value's text in units that can be paged.
pub(super) enum Units<'v> {
    /// Lines of a text, each with its line break.
    Lines(Vec<Cow<'v, str>>),
    /// Elements of a list, each as compact JSON.
    Rows(Vec<Cow<'v, str>>),
}

/// The part of a value that fits.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Bounded {
    /// The text.
    pub(super) content: String,
    /// Whether it is less than the whole.
    pub(super) truncated: bool,
    /// How much there is in all.
    pub(super) total: Option<Value>,
    /// Where the next page starts.
    pub(super) next: Option<Value>,
}

/// What a content may hold at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Bytes.
    pub(super) bytes: usize,
    /// Rows of a list, or lines of a text.
    pub(super) units: Option<usize>,
    /// Which end is kept.
    pub(super) keep: Keep,
}

impl<'v> Units<'v> {
    /// The units of a value.
    pub(super) fn of(value: &'v Value) -> Self {
        match value {
            Value::String(text) => Self::Lines(lines(text).map(Cow::Borrowed).collect()),
            Value::Array(items) => {
                Self::Rows(items.iter().map(|item| Cow::Owned(item.to_string())).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                let text = serde_json::to_string_pretty(value).unwrap_or_default();
                Self::Lines(lines(&text).map(|line| Cow::Owned(line.to_owned())).collect())
            }
        }
    }

    fn units(&self) -> &[Cow<'v, str>] {
        match self {
            Self::Lines(units) | Self::Rows(units) => units,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.units().len()
    }

    /// How much there is in all, as a reply says it.
    pub(super) fn total(&self) -> Value {
        match self {
            Self::Lines(lines) => json!({ "lines": lines.len() }),
            Self::Rows(rows) => json!({ "rows": rows.len() }),
        }
    }

    /// The units from index `start` that fit in the bounds from their head, as one text, and how many they are.
    pub(super) fn page(&self, start: usize, bytes: usize, limit: usize) -> (String, usize) {
        let units = self.units().get(start..).unwrap_or_default();
        let mut room = bytes.saturating_sub(self.frame());
        let mut count = 0;
        for unit in units.iter().take(limit) {
            let needed = unit.len() + self.separator(count);
            if needed > room {
                break;
            }
            room -= needed;
            count += 1;
        }
        (self.join(units.get(..count).unwrap_or_default()), count)
    }

    /// The last units that fit in the bounds, as one text, and how many they are.
    fn last_page(&self, bytes: usize, limit: usize) -> (String, usize) {
        let units = self.units();
        let mut room = bytes.saturating_sub(self.frame());
        let mut count = 0;
        for unit in units.iter().rev().take(limit) {
            let needed = unit.len() + self.separator(count);
            if needed > room {
                break;
            }
            room -= needed;
            count += 1;
        }
        (self.join(units.get(units.len() - count..).unwrap_or_default()), count)
    }

    fn frame(&self) -> usize {
        match self {
            Self::Lines(_) => 0,
            Self::Rows(_) => 2,
        }
    }

    fn separator(&self, before: usize) -> usize {
        match self {
            Self::Lines(_) => 0,
            Self::Rows(_) => usize::from(before > 0),
        }
    }

    fn join(&self, units: &[Cow<'_, str>]) -> String {
        match self {
            Self::Lines(_) => units.concat(),
            Self::Rows(_) => format!("[{}]", units.join(",")),
        }
    }
}

/// Lines of `text` with their breaks; one longer than [`LINE_BYTES`] counts as several.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').flat_map(|line| {
        let mut rest = line;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let piece = text::head(rest, LINE_BYTES);
            let (piece, after) = rest.split_at_checked(piece.len().max(1)).unwrap_or((rest, ""));
            rest = after;
            Some(piece)
        })
    })
}

/// Bounds a value's text: whole where it fits, else as many units as fit, else a cut through the first.
///
/// A list or an object that fits is compact JSON; a list that does not fit is still valid JSON, of fewer rows.
pub(super) fn bound(value: &Value, bounds: Bounds) -> Bounded {
    let rows = matches!(value, Value::Array(_));
    let whole = match value {
        Value::String(text) => Cow::Borrowed(text.as_str()),
        other => Cow::Owned(other.to_string()),
    };
    let too_many = match (value, bounds.units) {
        (Value::Array(items), Some(most)) => items.len() > most,
        _ => false,
    };
    if whole.len() <= bounds.bytes && !too_many {
        return Bounded { content: whole.into_owned(), ..Bounded::default() };
    }
    let units = Units::of(value);
    let limit = bounds.units.filter(|_| rows).unwrap_or(usize::MAX);
    let (content, count) = match bounds.keep {
        Keep::Head => units.page(0, bounds.bytes, limit),
        Keep::Tail => units.last_page(bounds.bytes, limit),
    };
    // Where not one unit fits, a part of one says more than nothing.
    let content = match (count, bounds.keep) {
        (0, Keep::Head) => {
            text::head(units.units().first().map_or("", AsRef::as_ref), bounds.bytes).to_owned()
        }
        (0, Keep::Tail) => {
            text::tail(units.units().last().map_or("", AsRef::as_ref), bounds.bytes).to_owned()
        }
        _ => content,
    };
    // What is missing of a tail is its beginning, so that is where the next page starts.
    let next = match bounds.keep {
        Keep::Head => count + 1,
        Keep::Tail => 1,
    };
    Bounded { content, truncated: true, total: Some(units.total()), next: Some(json!({ "offset": next })) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bounds(bytes: usize) -> Bounds {
        Bounds { bytes, units: None, keep: Keep::Head }
    }

    fn parts(bounded: Bounded) -> (String, bool, Option<Value>, Option<Value>) {
        (bounded.content, bounded.truncated, bounded.total, bounded.next)
    }

    #[test]
    fn what_fits_is_whole_and_says_nothing_of_a_total() {
        assert_eq!(parts(bound(&json!("a\nb\n"), bounds(4))), ("a\nb\n".into(), false, None, None));
        assert_eq!(parts(bound(&json!({"a": [1]}), bounds(99))), (r#"{"a":[1]}"#.into(), false, None, None));
    }

    #[test]
    fn text_is_cut_between_lines_and_names_the_next_one() {
        assert_eq!(
            parts(bound(&json!("one\ntwo\nthree\n"), bounds(10))),
            ("one\ntwo\n".into(), true, Some(json!({"lines": 3})), Some(json!({"offset": 3})))
        );
    }

    #[test]
    fn the_tail_is_kept_where_the_contract_says_so() {
        let bounds = Bounds { keep: Keep::Tail, ..bounds(10) };
        assert_eq!(
            parts(bound(&json!("one\ntwo\nthree\n"), bounds)),
            ("two\nthree\n".into(), true, Some(json!({"lines": 3})), Some(json!({"offset": 1})))
        );
    }

    #[test]
    fn a_list_is_cut_between_rows_and_stays_json() {
        let value = json!([{"id": 1}, {"id": 2}, {"id": 3}]);
        let expected =
            (r#"[{"id":1},{"id":2}]"#.to_owned(), true, Some(json!({"rows": 3})), Some(json!({"offset": 3})));
        assert_eq!(parts(bound(&value, bounds(27))), expected);
        assert_eq!(parts(bound(&value, Bounds { units: Some(2), ..bounds(99) })), expected);
    }

    #[test]
    fn forty_thousand_characters_of_three_bytes_are_cut_within_the_limit() {
        let bounded = bound(&json!("漢".repeat(40_000)), bounds(32 << 10));
        assert!(bounded.content.len() <= 32 << 10 && bounded.content.chars().all(|c| c == '漢'));
        // 120,000 bytes in pieces of 4,095.
        assert_eq!((bounded.total, bounded.next), (Some(json!({"lines": 30})), Some(json!({"offset": 9}))));
    }

    #[test]
    fn a_unit_that_does_not_fit_is_cut_and_comes_again_on_the_next_page() {
        assert_eq!(
            parts(bound(&json!("漢字漢字\nx"), bounds(7))),
            ("漢字".into(), true, Some(json!({"lines": 2})), Some(json!({"offset": 1})))
        );
    }

    proptest! {
        #[test]
        fn bounding_keeps_the_limit(text in any::<String>(), bytes in 0_usize..100, tail in any::<bool>()) {
            let keep = if tail { Keep::Tail } else { Keep::Head };
            let bounded = bound(&Value::String(text.clone()), Bounds { bytes, units: None, keep });
            prop_assert!(bounded.content.len() <= bytes);
            prop_assert_eq!(bounded.truncated, text.len() > bytes);
        }

        #[test]
        fn lists_stay_json_within_the_limit(items in proptest::collection::vec(any::<String>(), 0..20), bytes in 40_usize..200) {
            let bounded = bound(&json!(items), Bounds { bytes, units: Some(5), keep: Keep::Head });
            prop_assert!(bounded.content.len() <= bytes);
        }
    }
}
