//! `git log -z` in a format of fields that end in NUL.

use serde_json::{Value, json};

use crate::code::{CallError, Effect};
use crate::present::{BuiltinOutput, DisplayBody};

use super::interpret::{records, shown, unreadable};

/// Commit, parents, author's name, address and date, subject, body. No field can hold a NUL.
pub(super) const LOG_FORMAT: &str = "%H%x00%P%x00%an%x00%ae%x00%aI%x00%s%x00%b";
const FIELDS: usize = 7;

pub(super) fn read(output: &[u8], cut: bool) -> Result<BuiltinOutput, CallError> {
    let fields: Vec<&[u8]> = records(output).collect();
    let mut commits = Vec::new();
    let mut text = String::new();
    let mut rows = Vec::new();
    for fields in fields.chunks(FIELDS) {
        let [commit, parents, name, address, date, subject, body] = fields else {
            if cut {
                break;
            }
            return Err(unreadable("a commit with too few fields"));
        };
        let (commit, name, date, subject) = (shown(commit), shown(name), shown(date), shown(subject));
        let body = String::from_utf8_lossy(body);
        let parents: Vec<String> =
            parents.split(|byte| *byte == b' ').filter(|p| !p.is_empty()).map(shown).collect();
        let short = commit.get(..12).unwrap_or(&commit).to_owned();
        text.push_str(&format!("{short} {date} {name}: {subject}\n"));
        rows.push(vec![short, date.clone(), name.clone(), subject.clone()]);
        commits.push(json!({
            "commit": commit,
            "parents": parents,
            "author": {"name": name, "email": shown(address)},
            "date": date,
            "subject": subject,
            "body": body.trim_end(),
        }));
    }
    Ok(BuiltinOutput {
        value: json!({"commits": Value::Array(commits)}),
        text: Some(if rows.is_empty() { "no commits\n".to_owned() } else { text }),
        total: None,
        next: None,
        truncated: cut,
        display: DisplayBody::Table {
            columns: ["commit", "date", "author", "subject"].map(str::to_owned).to_vec(),
            rows,
        },
        effect: Effect::None,
        warnings: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_read_field_by_field() {
        let output = b"0123456789abcdef\0aa bb\0A\x1bB\0a@b\x002026-01-02T03:04:05Z\0subject\0line\n\nline\n\0c\0\0N\0e\0d\0\0\0";
        let read = read(output, false).unwrap();
        assert_eq!(
            read.value["commits"][0],
            json!({
                "commit": "0123456789abcdef", "parents": ["aa", "bb"], "author": {"name": "A\\u{1b}B", "email": "a@b"},
                "date": "2026-01-02T03:04:05Z", "subject": "subject", "body": "line\n\nline",
            })
        );
        assert_eq!(read.value["commits"][1]["subject"], "");
        assert!(read.text.unwrap().starts_with("0123456789ab 2026-01-02T03:04:05Z A\\u{1b}B: subject\n"));
    }

    #[test]
    fn a_commit_that_was_cut_is_left_out() {
        assert!(super::read(b"a\0b\0c", true).unwrap().value["commits"].as_array().unwrap().is_empty());
        assert!(super::read(b"a\0b\0", false).is_err());
        assert_eq!(super::read(b"", false).unwrap().text.as_deref(), Some("no commits\n"));
    }
}
