//! Tables and text for people, on stdout. What strangers wrote is escaped first.

use std::fmt::Write as _;
use std::io::IsTerminal;

use comfy_table::{ColumnConstraint, ContentArrangement, Table};

use serde_json::Value;

use crate::text::{escape, is_hidden, width};

/// Columns that people copy from: they are never broken.
const WHOLE: [&str; 4] = ["id", "result", "record", "call"];
/// Columns that a narrow terminal does without, the first one first; `--json` and the `show` commands have them.
const SPARED: [&str; 5] = ["task", "kept since", "verdict", "what", "tool"];
/// Columns of a terminal that counts as narrow.
const NARROW: usize = 80;
/// Columns between two of a table.
const GAP: usize = 2;

/// Renders rows under headings: fitted to the terminal, or one line a row where there is none.
pub(crate) fn render(headings: &[&str], rows: Vec<Vec<String>>) -> String {
    let columns = std::io::stdout().is_terminal().then(|| usize::from(console::Term::stdout().size().1));
    render_in(headings, rows, columns)
}

fn render_in(headings: &[&str], mut rows: Vec<Vec<String>>, columns: Option<usize>) -> String {
    let mut headings = headings.to_vec();
    if let Some(columns) = columns.filter(|columns| *columns <= NARROW) {
        rows.iter_mut().flatten().for_each(shorten_time);
        for spared in SPARED {
            if natural_width(&headings, &rows) <= columns {
                break;
            }
            if let Some(at) = headings.iter().position(|heading| *heading == spared) {
                headings.remove(at);
                rows.iter_mut().filter(|row| at < row.len()).for_each(|row| drop(row.remove(at)));
            }
        }
    }
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(headings.iter().map(|heading| heading.to_uppercase()));
    if let Some(columns) = columns {
        let columns = u16::try_from(columns.max(20)).unwrap_or(u16::MAX);
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(columns);
    }
    for row in rows {
        table.add_row(row.iter().map(|cell| escape(cell).into_owned()));
    }
    for (at, heading) in headings.iter().enumerate() {
        if let (true, Some(column)) = (WHOLE.contains(heading), table.column_mut(at)) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    format!("{}\n", lines.join("\n"))
}

/// How wide the table would be with each row on one line.
fn natural_width(headings: &[&str], rows: &[Vec<String>]) -> usize {
    let widest = |at: usize, heading: &str| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| width(cell));
        cells.max().unwrap_or_default().max(width(heading))
    };
    headings.iter().enumerate().map(|(at, heading)| widest(at, heading) + GAP).sum()
}

/// `2026-01-02T03:04:05.678Z` as `2026-01-02 03:04`.
fn shorten_time(cell: &mut String) {
    let is_time = cell.len() >= 20
        && cell.ends_with('Z')
        && cell.bytes().take(16).zip(*b"0000-00-00T00:00").all(|(found, form)| match form {
            b'0' => found.is_ascii_digit(),
            form => found == form,
        });
    if is_time {
        cell.truncate(16);
        *cell = cell.replacen('T', " ", 1);
    }
}

/// Text as it may be shown: line feeds kept, everything that could act on a terminal escaped.
pub(crate) fn visible(text: &str) -> String {
    text.split('\n').map(|line| crate::text::escape_line(line).into_owned()).collect::<Vec<_>>().join("\n")
}

/// A value as indented JSON in which nothing acts on a terminal or hides: such characters are spelled as JSON spells them,
/// so that it stays the same value.
pub(crate) fn visible_json(value: &Value) -> String {
    let written = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut out = String::with_capacity(written.len() + 1);
    for c in written.chars() {
        if c != '\n' && is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_stay_whole_in_a_narrow_terminal() {
        let id = "a_01234567890123456789012345678901";
        let row =
            [id, "question", "write_file", "run-0123456789abcdef", "pending", "2026-01-02T03:04:05.678Z", ""];
        let headings = ["id", "what", "tool", "task", "state", "until", "pinned"];
        for columns in [40, 60, 80] {
            let shown = render_in(&headings, vec![row.map(str::to_owned).to_vec()], Some(columns));
            assert!(shown.lines().any(|line| line.contains(id)), "{columns}:\n{shown}");
            assert!(!shown.contains("05.678"), "{columns}:\n{shown}");
        }
        let whole = render_in(&headings, vec![row.map(str::to_owned).to_vec()], None);
        assert!(whole.contains("2026-01-02T03:04:05.678Z") && whole.contains("TASK"), "{whole}");
    }

    #[test]
    fn json_for_people_hides_nothing_and_stays_the_same_value() {
        let value = json!({ "a\u{202e}": ["\u{1b}[2K\u{9b}2J\u{7f}", "\u{e0041}\u{feff}", "plain äö\n"] });
        let shown = visible_json(&value);
        assert!(shown.chars().all(|c| c == '\n' || !is_hidden(c)), "{shown:?}");
        assert!(shown.contains("äö"), "{shown}");
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
    }
}
