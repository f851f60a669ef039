//! What is said about a stream of calls: progress while one runs, and the summary at the end.

use std::time::Duration;

use crate::text;

use super::DisplayOptions;

/// What a stream came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Calls answered.
    pub calls: u64,
    /// Calls that policy allowed outright.
    pub allowed: u64,
    /// Calls that a person was asked about.
    pub asked: u64,
    /// Calls that succeeded.
    pub succeeded: u64,
    /// Calls that scope, policy or a person refused.
    pub denied: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Calls whose effect is not known.
    pub unknown: u64,
    /// Calls that wait for a person.
    pub waiting: u64,
    /// Calls that were stopped.
    pub cancelled: u64,
    /// Time from the first line to the last answer.
    pub elapsed: Duration,
}

/// The summary at the end of a stream, as one line without its line feed.
#[must_use]
pub fn summary(totals: &Totals) -> String {
    let calls = if totals.calls == 1 { "1 call".to_owned() } else { format!("{} calls", totals.calls) };
    // What was decided first, and then what came of it.
    let decided = format!("{} allowed, {} asked, {} denied", totals.allowed, totals.asked, totals.denied);
    let mut came = vec![format!("{} succeeded", totals.succeeded), format!("{} failed", totals.failed)];
    // What needs a person's eye is named only where there is some.
    let rare = [(totals.unknown, "unknown"), (totals.waiting, "waiting"), (totals.cancelled, "cancelled")];
    came.extend(rare.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")));
    format!("{calls} in {}: {decided}; {}", duration(totals.elapsed), came.join(", "))
}

/// The line that is shown, and overwritten, while a call takes more than a second.
#[must_use]
pub fn progress_line(tool: &str, elapsed: Duration, options: &DisplayOptions) -> String {
    let dots = if options.unicode { "…" } else { "." };
    // Whole seconds: the line is drawn once a second.
    let time = duration(Duration::from_secs(elapsed.as_secs()));
    text::fit(&format!("{dots} {}  {time}", text::escape(tool)), options.width, options.unicode)
}

/// The line that says how far something is that goes on elsewhere; it ends with a line feed.
#[must_use]
pub fn operation_line(
    tool: &str,
    call: &str,
    state: &str,
    said: Option<&str>,
    options: &DisplayOptions,
) -> String {
    let dots = if options.unicode { "…" } else { "." };
    let said = said.map(|said| format!(" ({})", text::escape(said))).unwrap_or_default();
    let line = format!("{dots} {} {}: {state}{said}", text::escape(tool), text::escape(call));
    format!("{}\n", text::fit(&line, options.width, options.unicode))
}

/// A duration as people say it: `3 ms`, `1.2 s`, `2 min 05 s`.
pub(super) fn duration(elapsed: Duration) -> String {
    let millis = elapsed.as_millis();
    match millis {
        0..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{}.{} s", millis / 1_000, millis / 100 % 10),
        _ => format!("{} min {:02} s", millis / 60_000, millis / 1_000 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_what_a_person_looks_for() {
        let totals = Totals {
            calls: 12,
            allowed: 9,
            asked: 2,
            succeeded: 8,
            denied: 1,
            failed: 2,
            unknown: 1,
            elapsed: Duration::from_millis(83_400),
            ..Totals::default()
        };
        assert_eq!(
            summary(&totals),
            "12 calls in 1 min 23 s: 9 allowed, 2 asked, 1 denied; 8 succeeded, 2 failed, 1 unknown"
        );
    }

    #[test]
    fn progress_fits_a_tiny_terminal() {
        let options = DisplayOptions { width: 12, unicode: false, ..DisplayOptions::default() };
        assert_eq!(progress_line("run_tests", Duration::from_millis(2_900), &options), ". run_tests~");
        let options = DisplayOptions { width: 80, ..options };
        assert_eq!(progress_line("run_tests", Duration::from_millis(2_900), &options), ". run_tests  2.0 s");
    }
}
