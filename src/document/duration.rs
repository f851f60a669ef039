//! Durations as files write them: `1500ms`, `30s`, `15m`, `24h`, `30d`.

use std::time::Duration;

/// Reads a duration: a whole number and one of the units `ms`, `s`, `m`, `h`, `d`.
///
/// `None` for anything else, and for what does not fit into 64 bits of milliseconds. Zero is a duration.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(unit_at)?;
    let scale: u64 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(scale).map(Duration::from_millis)
}

/// Writes a duration in whole milliseconds with the largest unit up to minutes that divides it: `1500ms`, `30s`, `10m`.
#[must_use]
pub fn write_duration(duration: Duration) -> String {
    const HOUR: u128 = 3_600_000;
    const DAY: u128 = 24 * HOUR;
    let milliseconds = duration.as_millis();
    match milliseconds {
        0 => "0s".to_owned(),
        _ if milliseconds.is_multiple_of(DAY) && milliseconds > DAY => format!("{}d", milliseconds / DAY),
        _ if milliseconds.is_multiple_of(HOUR) => format!("{}h", milliseconds / HOUR),
        _ if milliseconds.is_multiple_of(60_000) => format!("{}m", milliseconds / 60_000),
        _ if milliseconds.is_multiple_of(1_000) => format!("{}s", milliseconds / 1_000),
        _ => format!("{milliseconds}ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_whole_number_and_a_unit() {
        let cases = [
            ("1500ms", Some(1_500)),
            ("30s", Some(30_000)),
            ("15m", Some(900_000)),
            ("24h", Some(86_400_000)),
            ("30d", Some(2_592_000_000)),
            ("0s", Some(0)),
            ("", None),
            ("s", None),
            ("30", None),
            ("-1s", None),
            ("1.5s", None),
            ("1 s", None),
            ("1S", None),
            ("1h30m", None),
            ("99999999999999999999s", None),
            ("18446744073709551615d", None),
        ];
        for (text, milliseconds) in cases {
            assert_eq!(parse_duration(text), milliseconds.map(Duration::from_millis), "{text:?}");
        }
    }

    #[test]
    fn a_written_duration_reads_back() {
        for text in ["1500ms", "30s", "15m", "90s", "0s", "24h", "36h", "30d"] {
            assert_eq!(parse_duration(text).map(write_duration).as_deref(), Some(text));
        }
    }
}
