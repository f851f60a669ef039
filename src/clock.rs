//! Time, injected: the one place that reads the system clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since the Unix epoch, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// This instant plus `duration`, saturating.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)))
    }

    /// RFC 3339 in UTC with milliseconds, `2026-11-30T12:00:00.000Z`.
    #[must_use]
    pub fn rfc3339(self) -> String {
        let (days, in_day) = (self.0 / 86_400_000, self.0 % 86_400_000);
        // Civil-from-days over the 400-year cycle that starts on 0000-03-01 (H. Hinnant, "chrono-compatible
        // low-level date algorithms").
        let shifted = days + 719_468;
        let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = era * 400 + year_of_era + u64::from(month <= 2);
        let (hour, minute, second, milli) =
            (in_day / 3_600_000, in_day / 60_000 % 60, in_day / 1_000 % 60, in_day % 1_000);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }
}

/// Where "now" comes from.
#[derive(Debug, Clone, Copy)]
pub enum Clock {
    /// The system's clock.
    System,
    /// A fixed instant, for tests and replays.
    Fixed(Timestamp),
}

impl Clock {
    /// The present instant.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => {
                #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
                Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
            }
            Self::Fixed(at) => *at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc3339_knows_leap_days_and_year_ends() {
        assert_eq!(Timestamp(0).rfc3339(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp(951_782_400_123).rfc3339(), "2000-02-29T00:00:00.123Z");
        assert_eq!(Timestamp(1_798_761_599_999).rfc3339(), "2026-12-31T23:59:59.999Z");
    }
}
