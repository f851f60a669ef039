//! One table of figures, then what needs words.

use std::fmt::Write as _;

use crate::break_call::Breakage;
use crate::drive::Driven;

/// Most surprises of a suite that are printed.
const MOST_SURPRISES: usize = 20;

/// The figures of every suite, its exceptions and its surprises.
pub(crate) fn table(results: &[Driven]) -> String {
    const HOWS: [(Breakage, &str); 5] = [
        (Breakage::Missing, "missing"),
        (Breakage::WrongType, "wrong type"),
        (Breakage::Extra, "extra"),
        (Breakage::OutOfRange, "out of range"),
        (Breakage::WrongEnum, "wrong enum"),
    ];
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    let mut header = vec!["suite", "tools", "calls", "succeeded", "excepted"];
    header.extend(HOWS.map(|(_, word)| word));
    header.push("surprises");
    table.set_header(header);
    for driven in results {
        let mut row = vec![driven.name.clone()];
        row.extend(
            [driven.tools, driven.calls, driven.succeeded, driven.excepted].map(|count| count.to_string()),
        );
        row.extend(HOWS.map(|(how, _)| driven.refused.get(&how).copied().unwrap_or(0).to_string()));
        row.push(driven.surprises.len().to_string());
        table.add_row(row);
    }
    let mut text = format!("{}\n", table.trim_fmt());
    for driven in results {
        for (reason, count) in &driven.exceptions {
            let _ = writeln!(text, "{}: {count} × {reason}", driven.name);
        }
        for surprise in driven.surprises.iter().take(MOST_SURPRISES) {
            let _ = writeln!(text, "surprise: {}: {surprise}", driven.name);
        }
    }
    text
}
