//! Tables and text for people, on stdout. What strangers wrote is escaped first.

use std::io::IsTerminal;

use comfy_table::{ContentArrangement, Table};

use crate::text::escape;

/// Renders rows under headings: fitted to the terminal, or one line a row where there is none.
pub(crate) fn render(headings: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(headings.iter().map(|heading| heading.to_uppercase()));
    if std::io::stdout().is_terminal() {
        let (_, columns) = console::Term::stdout().size();
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(columns.max(20));
    }
    for row in rows {
        table.add_row(row.iter().map(|cell| escape(cell).into_owned()));
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    format!("{}\n", lines.join("\n"))
}

/// Text as it may be shown: line feeds kept, everything that could act on a terminal escaped.
pub(crate) fn visible(text: &str) -> String {
    text.split('\n').map(|line| crate::text::escape_line(line).into_owned()).collect::<Vec<_>>().join("\n")
}
