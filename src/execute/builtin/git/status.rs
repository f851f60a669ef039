//! `git status --porcelain=v2 -z --branch`, as git-status(1) describes it.

use serde_json::{Map, Value, json};

use crate::code::{CallError, Effect};
use crate::present::{BuiltinOutput, DisplayBody};

use super::interpret::{records, shown, unreadable};

pub(super) fn read(output: &[u8], cut: bool) -> Result<BuiltinOutput, CallError> {
    let mut branch = Map::new();
    let mut files = Vec::new();
    let mut records = records(output);
    while let Some(record) = records.next() {
        let text = String::from_utf8_lossy(record);
        if let Some(header) = text.strip_prefix("# ") {
            read_header(header, &mut branch);
            continue;
        }
        let fields = match record.first() {
            Some(b'1') => 9,
            Some(b'2') => 10,
            Some(b'u') => 11,
            Some(b'?' | b'!') => 2,
            _ => return Err(unreadable("an entry of an unknown kind")),
        };
        let parts: Vec<&[u8]> = record.splitn(fields, |byte| *byte == b' ').collect();
        let (Some(kind), Some(path), true) = (record.first(), parts.last(), parts.len() == fields) else {
            return Err(unreadable("an entry with too few fields"));
        };
        let original = if *kind == b'2' { records.next() } else { None };
        let states = parts.get(1).copied().filter(|_| fields > 2).unwrap_or(b"..");
        files.push(File {
            path: shown(path),
            original: original.map(shown),
            index: states.first().copied().map_or('.', char::from),
            worktree: states.get(1).copied().map_or('.', char::from),
            kind: *kind,
        });
    }

    let mut text = String::new();
    match branch.get("head").and_then(Value::as_str) {
        Some(head) => text.push_str(&format!("on branch {head}\n")),
        None => text.push_str("not on a branch\n"),
    }
    if files.is_empty() && !cut {
        text.push_str("nothing to commit, working tree clean\n");
    }
    text.extend(files.iter().map(File::line));
    Ok(BuiltinOutput {
        value: json!({
            "branch": branch,
            "files": files.iter().map(File::value).collect::<Vec<_>>(),
            "clean": files.is_empty() && !cut,
        }),
        text: Some(text),
        total: (!cut).then(|| json!({"files": files.len()})),
        next: None,
        truncated: cut,
        display: DisplayBody::Table {
            columns: ["state", "file", "from"].map(str::to_owned).to_vec(),
            rows: files
                .iter()
                .map(|file| {
                    vec![
                        file.state().to_owned(),
                        file.path.clone(),
                        file.original.clone().unwrap_or_default(),
                    ]
                })
                .collect(),
        },
        effect: Effect::None,
        warnings: Vec::new(),
    })
}

fn read_header(header: &str, branch: &mut Map<String, Value>) {
    match header.split_once(' ') {
        Some(("branch.oid", "(initial)")) | Some(("branch.head", "(detached)")) => {}
        Some(("branch.oid", commit)) => drop(branch.insert("commit".to_owned(), json!(commit))),
        Some(("branch.head", head)) => drop(branch.insert("head".to_owned(), json!(head))),
        Some(("branch.upstream", upstream)) => drop(branch.insert("upstream".to_owned(), json!(upstream))),
        Some(("branch.ab", counts)) => {
            let mut counts =
                counts.split(' ').map(|count| count.trim_start_matches(['+', '-']).parse::<u64>());
            if let (Some(Ok(ahead)), Some(Ok(behind))) = (counts.next(), counts.next()) {
                branch.insert("ahead".to_owned(), json!(ahead));
                branch.insert("behind".to_owned(), json!(behind));
            }
        }
        // Later versions of git may add headers.
        _ => {}
    }
}

struct File {
    path: String,
    original: Option<String>,
    index: char,
    worktree: char,
    kind: u8,
}

impl File {
    fn state(&self) -> &'static str {
        match (self.kind, self.index, self.worktree) {
            (b'u', _, _) => "unmerged",
            (b'?', _, _) => "untracked",
            (b'!', _, _) => "ignored",
            (_, 'R', _) | (_, _, 'R') => "renamed",
            (_, 'C', _) | (_, _, 'C') => "copied",
            (_, 'D', _) | (_, _, 'D') => "deleted",
            (_, 'A', _) | (_, _, 'A') => "added",
            (_, 'T', _) | (_, _, 'T') => "type_changed",
            _ => "modified",
        }
    }

    fn value(&self) -> Value {
        let mut value = Map::new();
        value.insert("path".to_owned(), json!(self.path));
        value.insert("state".to_owned(), json!(self.state()));
        value.insert("staged".to_owned(), json!(self.index != '.' && self.kind != b'u'));
        value.insert("unstaged".to_owned(), json!(self.worktree != '.' || matches!(self.kind, b'u' | b'?')));
        if let Some(original) = &self.original {
            value.insert("original".to_owned(), json!(original));
        }
        Value::Object(value)
    }

    fn line(&self) -> String {
        let states = match self.kind {
            b'?' => "??".to_owned(),
            b'!' => "!!".to_owned(),
            _ => format!("{}{}", self.index, self.worktree),
        };
        match &self.original {
            Some(original) => format!("{states} {original} -> {}\n", self.path),
            None => format!("{states} {}\n", self.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_entry_is_read() {
        let output =
            b"# branch.oid 0a1b\0# branch.head main\0# branch.upstream origin/main\0# branch.ab +2 -1\0\
1 .M N... 100644 100644 100644 aa aa a file.rs\0\
2 R. N... 100644 100644 100644 bb bb R100 new name\0old\xff\0\
u UU N... 100644 100644 100644 100644 a b c both\0? new\n\0";
        let read = read(output, false).unwrap();
        assert_eq!(
            read.value,
            json!({
                "branch": {"commit": "0a1b", "head": "main", "upstream": "origin/main", "ahead": 2, "behind": 1},
                "files": [
                    {"path": "a file.rs", "state": "modified", "staged": false, "unstaged": true},
                    {"path": "new name", "state": "renamed", "staged": true, "unstaged": false, "original": "old\\xff"},
                    {"path": "both", "state": "unmerged", "staged": false, "unstaged": true},
                    {"path": "new\\n", "state": "untracked", "staged": false, "unstaged": true},
                ],
                "clean": false,
            })
        );
        assert_eq!(
            read.text.unwrap(),
            "on branch main\n.M a file.rs\nR. old\\xff -> new name\nUU both\n?? new\\n\n"
        );
    }

    #[test]
    fn what_was_cut_is_left_out_and_what_is_unknown_is_an_error() {
        let output = read(b"# branch.head main\0? whole\0? cu", true).unwrap();
        assert_eq!(output.value["files"].as_array().unwrap().len(), 1);
        assert!(output.truncated);
        assert!(read(b"9 x\0", false).is_err());
        assert!(read(b"1 .M\0", false).is_err());
        assert_eq!(read(b"", false).unwrap().value["clean"], true);
    }
}
