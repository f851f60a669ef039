//! Bodies: text, file windows, diffs, tables, bounded in lines.

use crate::present::DisplayBody;
use crate::text;

use super::DisplayOptions;
use super::diff::diff;
use super::line::{Line, Tone, lay_out, relevant};
use super::table::table;

/// Renders a body that is already redacted; `more` names where the rest can be read.
///
/// [`DisplayBody::Content`] renders as nothing: the caller knows the content.
#[must_use]
pub fn render_body(body: &DisplayBody, more: Option<&str>, options: &DisplayOptions) -> Vec<String> {
    lay_out(&body_lines(body, more, options).lines, 0, options)
}

/// The lines of a body, at most as many as the options let through and one that says how many are missing.
pub(crate) struct BodyLines {
    pub(crate) lines: Vec<Line>,
    /// How many lines are left out.
    pub(crate) missing: usize,
}

impl BodyLines {
    fn whole(lines: Vec<Line>) -> Self {
        Self { lines, missing: 0 }
    }

    /// Says how many lines are missing, and with `more` where they are.
    fn new(mut lines: Vec<Line>, missing: usize, more: Option<&str>, options: &DisplayOptions) -> Self {
        if missing > 0 {
            let dots = if options.unicode { "…" } else { "..." };
            let noun = if missing == 1 { "line" } else { "lines" };
            let place = more.map(|place| format!(", {place}")).unwrap_or_default();
            lines.push(Line::new(Tone::Dim, format!("{dots} {missing} more {noun}{place}")));
        }
        Self { lines, missing }
    }
}

/// The lines of a body.
pub(crate) fn body_lines(body: &DisplayBody, more: Option<&str>, options: &DisplayOptions) -> BodyLines {
    match body {
        DisplayBody::Content => BodyLines::whole(Vec::new()),
        DisplayBody::Text(text) => text_lines(text, more, options),
        // A bare frame or nothing at all would leave open whether there was an answer.
        DisplayBody::FileWindow { lines, .. } if lines.is_empty() => {
            BodyLines::whole(vec![Line::new(Tone::Dim, "(empty)")])
        }
        DisplayBody::Table { rows, .. } if rows.is_empty() => {
            BodyLines::whole(vec![Line::new(Tone::Dim, "(none)")])
        }
        DisplayBody::FileWindow { path: _, first, lines } => window(*first, lines, more, options),
        DisplayBody::Diff { path, before, after } => {
            let diff = diff(path, before.as_deref(), after.as_deref(), options);
            BodyLines::new(diff.lines, diff.missing, more, options)
        }
        DisplayBody::Table { columns, rows } => {
            let mut lines = table(columns, rows, options);
            let missing = lines.len().saturating_sub(options.lines);
            lines.truncate(options.lines);
            BodyLines::new(lines, missing, more, options)
        }
    }
}

/// The lines of a text.
pub(crate) fn text_lines(text: &str, more: Option<&str>, options: &DisplayOptions) -> BodyLines {
    let shown: Vec<Line> = text
        .lines()
        .take(options.lines)
        .map(|line| Line::new(Tone::Plain, text::escape_line(relevant(line, options))))
        .collect();
    let missing = text.lines().skip(shown.len()).count();
    BodyLines::new(shown, missing, more, options)
}

fn window(first: u64, lines: &[String], more: Option<&str>, options: &DisplayOptions) -> BodyLines {
    let last = first.saturating_add(u64::try_from(lines.len()).unwrap_or(u64::MAX)).saturating_sub(1);
    let digits = last.to_string().len();
    let bar = if options.unicode { '│' } else { '|' };
    let shown: Vec<Line> = (first..)
        .zip(lines)
        .take(options.lines)
        .map(|(number, line)| {
            let line = text::escape_line(relevant(line, options));
            Line::new(Tone::Plain, format!("{number:>digits$} {bar} {line}"))
        })
        .collect();
    let missing = lines.len() - shown.len();
    BodyLines::new(shown, missing, more, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(width: usize) -> DisplayOptions {
        DisplayOptions { width, lines: 40, ..DisplayOptions::default() }
    }

    fn rendered(body: &DisplayBody, options: &DisplayOptions) -> String {
        render_body(body, Some("`tgw results r_1`"), options).join("\n")
    }

    fn texts(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    #[test]
    fn a_long_text_is_bounded_and_says_where_the_rest_is() {
        let text = (1..=400).map(|n| format!("line {n}\n")).collect::<String>();
        let rendered = rendered(&DisplayBody::Text(text), &options(80));
        assert_eq!(rendered.lines().count(), 41);
        assert!(rendered.ends_with("line 40\n… 360 more lines, `tgw results r_1`"));
    }

    #[test]
    fn an_empty_body_says_that_it_is_empty() {
        let window = DisplayBody::FileWindow { path: "x".to_owned(), first: 1, lines: Vec::new() };
        let table = DisplayBody::Table { columns: texts(&["file"]), rows: Vec::new() };
        assert_eq!(
            (rendered(&window, &options(80)), rendered(&table, &options(80))),
            ("(empty)".into(), "(none)".into())
        );
    }

    #[test]
    fn everything_a_stranger_wrote_is_escaped_and_cut_at_the_width() {
        let text = "\u{1b}[2Kred\u{202e}x\ttab\u{7}".to_owned();
        assert_eq!(
            rendered(&DisplayBody::Text(text.clone()), &options(80)),
            "\\u{1b}[2Kred\\u{202e}x   tab\\u{7}"
        );
        assert_eq!(rendered(&DisplayBody::Text(text), &options(12)), "\\u{1b}[2Kre…");
    }

    #[test]
    fn a_file_window_numbers_its_lines() {
        let body = DisplayBody::FileWindow {
            path: "src/main.rs".into(),
            first: 9,
            lines: texts(&["fn main() {", "\tok();", "}"]),
        };
        assert_eq!(rendered(&body, &options(80)), " 9 │ fn main() {\n10 │     ok();\n11 │ }");
    }

    #[test]
    fn a_diff_shows_hunks_with_their_context() {
        let before = (1..=20).map(|n| format!("{n}\n")).collect::<String>();
        let after = before.replace("10\n", "ten\n");
        let body = DisplayBody::Diff { path: "n.txt".into(), before: Some(before), after: Some(after) };
        let plain = "n.txt  +1 -1\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13";
        assert_eq!(rendered(&body, &options(80)), plain);
        let coloured = rendered(&body, &DisplayOptions { colour: true, ..options(80) });
        assert!(coloured.contains("\u{1b}[31m-10\u{1b}[0m\n\u{1b}[32m+ten\u{1b}[0m"));
    }

    #[test]
    fn a_new_and_a_deleted_file_say_so() {
        let body = DisplayBody::Diff { path: "a".into(), before: None, after: Some("x".into()) };
        assert_eq!(
            rendered(&body, &options(80)),
            "a, new file  +1 -0\n@@ -0,0 +1 @@\n+x\n\\ no newline at the end of the file"
        );
        let body = DisplayBody::Diff { path: "a".into(), before: Some("x\n".into()), after: None };
        assert_eq!(rendered(&body, &options(80)), "a, deleted  +0 -1\n@@ -1 +0,0 @@\n-x");
    }

    #[test]
    fn a_diff_too_large_to_compare_shows_both_ends_of_both_texts() {
        let text = |of: &str| (1..=90_000).map(|n| format!("{of}{n}\n")).collect::<String>();
        let (before, after) = (format!("same\n{}", text("a")), format!("same\n{}", text("b")));
        let body = DisplayBody::Diff { path: "n.txt".into(), before: Some(before), after: Some(after) };
        let shown = rendered(&body, &DisplayOptions { lines: 14, ..options(80) });
        assert_eq!(
            shown,
            "n.txt  +90000 -90000\n\
             90000 lines replaced by 90000 lines; too different to compare\n\
             @@ -2,90000 +2,90000 @@\n\
             -a1\n-a2\n-… 89996 lines in between\n-a89999\n-a90000\n\
             +b1\n+b2\n+… 89996 lines in between\n+b89999\n+b90000\n\
             … 179992 more lines, `tgw results r_1`"
        );
        let whole = body_lines(&body, None, &DisplayOptions { lines: usize::MAX, ..options(80) });
        assert_eq!((whole.missing, whole.lines.len()), (0, 180_003));
    }

    #[test]
    fn a_table_fits_the_width_and_falls_back_to_blocks() {
        let body = DisplayBody::Table {
            columns: texts(&["id", "name"]),
            rows: vec![texts(&["1", "a\u{202e}b"]), texts(&["2", "漢字"])],
        };
        let ascii = DisplayOptions { unicode: false, ..options(40) };
        assert_eq!(
            rendered(&body, &ascii),
            "+----+------------+\n\
             | id | name       |\n\
             +=================+\n\
             | 1  | a\\u{202e}b |\n\
             | 2  | 漢字       |\n\
             +----+------------+"
        );
        assert_eq!(rendered(&body, &options(10)), "id: 1\nname: a\\u…\n\nid: 2\nname: 漢字");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let bodies = [
            DisplayBody::Text("漢字".repeat(100)),
            DisplayBody::FileWindow { path: "p".into(), first: 1, lines: vec!["x".repeat(500)] },
            DisplayBody::Diff { path: "p".repeat(300), before: None, after: Some("y".repeat(300)) },
            DisplayBody::Table {
                columns: texts(&["a", "b", "c"]),
                rows: vec![texts(&["x y z", &"w".repeat(300), "漢字 漢字"])],
            },
        ];
        for width in [1, 2, 10, 20, 33, 80] {
            for body in &bodies {
                for line in render_body(body, Some("`tgw results r_1`"), &options(width)) {
                    assert!(text::width(&line) <= width.max(2), "{width}: {line}");
                }
            }
        }
    }
}
