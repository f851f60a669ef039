//! Counts and durations of calls, added up since the run began.

use std::collections::HashMap;
use std::time::Duration;

use super::names;
use super::span::{Attribute, AttributeValue, text};

/// The upper bounds of the buckets, in seconds, that the conventions advise for durations of generative AI.
pub(super) const BOUNDS: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// Most series; what comes beyond is added up in one.
const MOST_SERIES: usize = 2_000;

/// What calls are counted by. A tool is one of the catalog's or the fixed name for all others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Series {
    pub(super) tool: String,
    pub(super) verdict: Option<&'static str>,
    pub(super) status: &'static str,
    pub(super) error: Option<&'static str>,
}

impl Series {
    /// As attributes.
    pub(super) fn attributes(&self) -> Vec<Attribute> {
        let mut attributes =
            vec![text(names::OPERATION, names::EXECUTE_TOOL), text(names::TOOL, self.tool.as_str())];
        attributes.extend(self.verdict.map(|verdict| text(names::VERDICT, verdict)));
        attributes.push(text(names::STATUS, self.status));
        attributes.extend(self.error.map(|error| text(names::ERROR, error)));
        attributes
    }
}

/// What is known of one series.
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    pub(super) calls: u64,
    /// How many ran, by duration; the last is for those beyond every bound.
    pub(super) buckets: [u64; BOUNDS.len() + 1],
    pub(super) seconds: f64,
}

/// Every series.
#[derive(Debug, Clone, Default)]
pub(super) struct Metrics {
    series: HashMap<Series, Totals>,
    overflow: Option<Totals>,
}

impl Metrics {
    /// Counts a call; `ran` is how long its tool ran, where it did.
    pub(super) fn add(&mut self, series: Series, ran: Option<Duration>) {
        let totals = if self.series.len() < MOST_SERIES || self.series.contains_key(&series) {
            self.series.entry(series).or_default()
        } else {
            self.overflow.get_or_insert_default()
        };
        totals.calls += 1;
        let Some(seconds) = ran.map(|ran| ran.as_secs_f64()) else { return };
        totals.seconds += seconds;
        let bucket = BOUNDS.partition_point(|bound| *bound < seconds);
        if let Some(count) = totals.buckets.get_mut(bucket) {
            *count += 1;
        }
    }

    /// Every series with its attributes; nothing where nothing was counted.
    pub(super) fn all(&self) -> impl Iterator<Item = (Vec<Attribute>, &Totals)> {
        let rest = || vec![(names::OVERFLOW, AttributeValue::Bool(true))];
        let series = self.series.iter().map(|(series, totals)| (series.attributes(), totals));
        series.chain(self.overflow.iter().map(move |totals| (rest(), totals)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(tool: String) -> Series {
        Series { tool, verdict: Some("allow"), status: "succeeded", error: None }
    }

    #[test]
    fn a_duration_counts_in_the_bucket_whose_upper_bound_it_does_not_exceed() {
        let mut metrics = Metrics::default();
        for milliseconds in [0, 10, 11, 81_920, 81_921] {
            metrics.add(series("a".to_owned()), Some(Duration::from_millis(milliseconds)));
        }
        metrics.add(series("a".to_owned()), None);
        let (_, totals) = metrics.all().next().unwrap();
        assert_eq!(totals.calls, 6);
        assert_eq!(totals.buckets, [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    }

    #[test]
    fn series_beyond_the_bound_are_added_up_in_one() {
        let mut metrics = Metrics::default();
        for number in 0..MOST_SERIES + 3 {
            metrics.add(series(format!("t{number}")), None);
        }
        metrics.add(series("t0".to_owned()), None);
        assert_eq!(metrics.all().count(), MOST_SERIES + 1);
        let (attributes, totals) = metrics.all().last().unwrap();
        assert_eq!(attributes, [(names::OVERFLOW, AttributeValue::Bool(true))]);
        assert_eq!(totals.calls, 3);
    }
}
