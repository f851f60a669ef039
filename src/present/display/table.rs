//! Tables that fit the terminal.

use comfy_table::{ContentArrangement, Table, presets};

use crate::text;

use super::DisplayOptions;
use super::line::{Line, Tone};

/// Fewest columns of the terminal that a column of a table needs to be readable, its border included.
const COLUMN: usize = 6;

/// Most columns of text that one cell shows.
const CELL: usize = 200;

/// Most rows that are laid out; the arrangement looks at every cell.
const ROWS: usize = 1000;

/// Rows under headings; where the terminal is too narrow for columns, each row is a block of `heading: cell` lines.
pub(super) fn table(columns: &[String], rows: &[Vec<String>], options: &DisplayOptions) -> Vec<Line> {
    // Cells hold a stranger's text, and the library passes bidirectional and invisible characters through.
    let clean = |cell: &String| text::fit(&text::escape(text::head(cell, CELL * 4)), CELL, options.unicode);
    let headings: Vec<String> = columns.iter().map(clean).collect();
    let rows = rows.get(..rows.len().min(ROWS)).unwrap_or_default();
    if columns.len() * COLUMN > options.width {
        return blocks(&headings, rows, clean);
    }
    let mut table = Table::new();
    table
        .load_style(if options.unicode {
            presets::UTF8_FULL_CONDENSED
        } else {
            presets::ASCII_FULL_CONDENSED
        })
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(options.width).unwrap_or(u16::MAX))
        .set_header(headings);
    for row in rows {
        table.add_row(row.iter().map(clean));
    }
    table.lines().map(|line| Line::new(Tone::Plain, line.trim_end().to_owned())).collect()
}

fn blocks(headings: &[String], rows: &[Vec<String>], clean: impl Fn(&String) -> String) -> Vec<Line> {
    let mut lines = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            lines.push(Line::new(Tone::Plain, ""));
        }
        for (heading, cell) in headings.iter().zip(row) {
            lines.push(Line::new(Tone::Plain, format!("{heading}: {}", clean(cell))));
        }
    }
    lines
}
