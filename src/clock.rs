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

    /// Reads a day, `2026-11-30`, as its beginning, or an instant as [`Timestamp::rfc3339`] writes it, with or without
    /// milliseconds; both in UTC, from 1970 to 9999.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = match text.split_once('T') {
            Some((date, time)) => (date, time.strip_suffix('Z')?),
            None => (text, "00:00:00.000"),
        };
        let whole = if time.len() == 8 { format!("{date}T{time}.000Z") } else { format!("{date}T{time}Z") };
        let number = |from: usize, to: usize| whole.get(from..to)?.parse::<u64>().ok();
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) {
            return None;
        }
        // The days of the same cycle as below, the other way round.
        let (shifted_year, shifted_month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let day_of_year = (153 * shifted_month + 2) / 5 + day.checked_sub(1)?;
        let days =
            shifted_year * 365 + shifted_year / 4 - shifted_year / 100 + shifted_year / 400 + day_of_year;
        let clock = number(11, 13)? * 3_600_000 + number(14, 16)? * 60_000 + number(17, 19)? * 1_000;
        let at = Self(days.checked_sub(719_468)? * 86_400_000 + clock + number(20, 23)?);
        // What is written back otherwise was no such instant: a 31st of April, an hour 25, another form.
        (at.rfc3339() == whole).then_some(at)
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
    fn days_and_instants_are_read_as_they_are_written() {
        for at in [0, 951_782_400_123, 1_798_761_599_999, 1_767_225_600_000, 253_402_300_799_999] {
            assert_eq!(Timestamp::parse(&Timestamp(at).rfc3339()), Some(Timestamp(at)), "{at}");
        }
        assert_eq!(Timestamp::parse("2000-02-29"), Some(Timestamp(951_782_400_000)));
        assert_eq!(Timestamp::parse("1970-01-01T00:00:01Z"), Some(Timestamp(1_000)));
    }

    #[test]
    fn what_is_no_day_is_refused() {
        for text in [
            "",
            "2026",
            "2026-02-29",
            "2026-04-31",
            "2026-13-01",
            "2026-00-10",
            "2026-01-00",
            "1969-12-31",
            "2026-1-1",
            "2026-01-01T25:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:00",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00+01:00",
            "+026-01-01",
            "2026-01-01T00:00:0Z",
            "２０２６-01-01",
            "99999-01-01",
            "ann",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn rfc3339_knows_leap_days_and_year_ends() {
        assert_eq!(Timestamp(0).rfc3339(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp(951_782_400_123).rfc3339(), "2000-02-29T00:00:00.123Z");
        assert_eq!(Timestamp(1_798_761_599_999).rfc3339(), "2026-12-31T23:59:59.999Z");
    }
}
