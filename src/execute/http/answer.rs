//! What of an answer's headers is passed on.

use std::time::Duration;

use hyper::HeaderMap;
use hyper::header::{DATE, RETRY_AFTER};

/// Every header once, in lower case, several values joined by a comma.
pub(super) fn headers(map: &HeaderMap) -> Vec<(String, String)> {
    map.keys()
        .map(|name| {
            let values = map.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
            (name.as_str().to_owned(), values.collect::<Vec<_>>().join(", "))
        })
        .collect()
}

/// How long the service asks to wait: in seconds, or until a time by its own clock.
pub(super) fn retry_after(map: &HeaderMap) -> Option<Duration> {
    let text = map.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX / 1000)));
    }
    let (until, now) = (seconds(text)?, seconds(map.get(DATE)?.to_str().ok()?.trim())?);
    Some(Duration::from_secs(until.saturating_sub(now)))
}

/// The seconds since 1970 of a date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn seconds(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.split_once(", ")?.1.split(' ');
    let day: u64 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|known| *known == month)? as u64 + 1;
    let year: u64 = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let ends = words.next() == Some("GMT") && words.next().is_none() && clock.next().is_none();
    if !ends
        || !(1970..=9999).contains(&year)
        || !(1..=31).contains(&day)
        || hour > 23
        || minute > 59
        || second > 60
    {
        return None;
    }
    // Days from 1970, with years that begin in March so that the leap day is the last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let days = days.checked_sub(719_468)?;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(pairs: &[(&'static str, &'static str)]) -> Option<u64> {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(*name, value.parse().unwrap());
        }
        retry_after(&map).map(|wait| wait.as_secs())
    }

    #[test]
    fn a_service_asks_to_wait_in_seconds_or_until_a_time_by_its_own_clock() {
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds("Thu, 29 Feb 2024 12:00:00 GMT"), Some(1_709_208_000));
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(waits(&[("retry-after", "120")]), Some(120));
        assert_eq!(waits(&[("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT"), date]), Some(60));
        assert_eq!(waits(&[("retry-after", "Sun, 06 Nov 1994 08:48:37 GMT"), date]), Some(0));
        for odd in
            ["", "-1", "soon", "1.5", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 40 Nov 1994 08:49:37 GMT"]
        {
            assert_eq!(waits(&[("retry-after", odd), date]), None, "{odd}");
        }
        assert_eq!(waits(&[("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT")]), None);
    }

    #[test]
    fn several_values_of_a_header_are_one_text() {
        let mut map = HeaderMap::new();
        map.append("X-A", "1".parse().unwrap());
        map.append("x-a", "2".parse().unwrap());
        assert_eq!(headers(&map), [("x-a".to_owned(), "1, 2".to_owned())]);
    }
}
