//! `git diff --raw --numstat --patch -z`: records that end in NUL, an empty one, and then the patch as text.

use serde_json::{Map, Value, json};

use crate::code::{CallError, Effect, ErrorCode};
use crate::present::{BuiltinOutput, DisplayBody};
use crate::workspace::{Access, Workspace, WorkspacePath};

use super::interpret::{shown, unreadable};

pub(super) fn read(
    output: &[u8],
    cut: bool,
    workspace: &Workspace,
    sight: &dyn Fn(&WorkspacePath) -> bool,
) -> Result<BuiltinOutput, CallError> {
    let mut records = Records { rest: output };
    let mut files: Vec<File> = Vec::new();
    let mut patch: &[u8] = b"";
    while let Some(record) = records.next() {
        if record.is_empty() {
            patch = records.rest;
            break;
        }
        if record.first() == Some(&b':') {
            files.push(File::read_raw(record, &mut records)?);
        } else {
            let Some((added, removed, path)) = read_counts(record, &mut records) else {
                return Err(unreadable("a record of an unknown kind"));
            };
            if let Some(file) = files.iter_mut().find(|file| file.path == path) {
                (file.added, file.removed) = (added, removed);
            }
        }
    }
    refuse_protected(&files, workspace)?;
    refuse_unseen(&files, sight)?;

    let patch = String::from_utf8_lossy(patch).into_owned();
    let text = if files.is_empty() && !cut { "no differences\n".to_owned() } else { patch.clone() };
    Ok(BuiltinOutput {
        value: json!({"files": files.iter().map(File::value).collect::<Vec<_>>(), "patch": patch}),
        text: Some(text.clone()),
        total: (!cut).then(|| json!({"files": files.len()})),
        next: None,
        truncated: cut,
        display: DisplayBody::Text(text),
        effect: Effect::None,
        warnings: if cut { vec!["the differences are cut; ask for one path".to_owned()] } else { Vec::new() },
    })
}

/// Differences show what files hold. A path that no rule can be asked about is not shown.
fn refuse_unseen(files: &[File], sight: &dyn Fn(&WorkspacePath) -> bool) -> Result<(), CallError> {
    let mut paths = files.iter().flat_map(|file| std::iter::once(&file.path).chain(&file.original));
    let seen = |path: &Vec<u8>| {
        std::str::from_utf8(path)
            .ok()
            .and_then(|path| WorkspacePath::parse(path).ok())
            .is_some_and(|path| sight(&path))
    };
    match paths.find(|path| !seen(path)) {
        Some(path) => Err(CallError::new(
            ErrorCode::PermissionDenied,
            format!("the differences include `{}`, which the policy denies", shown(path)),
        )
        .with_hint("ask for the differences of one path at a time")),
        None => Ok(()),
    }
}

/// The command was told to leave protected files out. Where one is there all the same, nothing is shown.
fn refuse_protected(files: &[File], workspace: &Workspace) -> Result<(), CallError> {
    let mut paths = files.iter().flat_map(|file| std::iter::once(&file.path).chain(&file.original));
    let found = paths.find(|path| workspace.protection_of_bytes(path, Access::Read).is_some());
    match found {
        Some(path) => Err(CallError::new(
            ErrorCode::PermissionDenied,
            format!("the differences include `{}`, which is protected", shown(path)),
        )
        .with_hint("ask for the differences of other paths")),
        None => Ok(()),
    }
}

/// Records that end in NUL, with access to what follows them.
struct Records<'o> {
    rest: &'o [u8],
}

impl<'o> Iterator for Records<'o> {
    type Item = &'o [u8];

    fn next(&mut self) -> Option<&'o [u8]> {
        let end = self.rest.iter().position(|byte| *byte == 0)?;
        let (record, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..).unwrap_or_default();
        Some(record)
    }
}

struct File {
    path: Vec<u8>,
    original: Option<Vec<u8>>,
    state: u8,
    added: Option<u64>,
    removed: Option<u64>,
}

impl File {
    /// Reads `:mode mode object object STATE`, whose paths are the next records.
    fn read_raw(record: &[u8], records: &mut Records<'_>) -> Result<Self, CallError> {
        let too_few = || unreadable("a file with too few fields");
        let state =
            record.rsplit(|byte| *byte == b' ').next().and_then(|state| state.first()).ok_or_else(too_few)?;
        let first = records.next().ok_or_else(too_few)?.to_owned();
        let (original, path) = match state {
            b'R' | b'C' => (Some(first), records.next().ok_or_else(too_few)?.to_owned()),
            _ => (None, first),
        };
        Ok(Self { path, original, state: *state, added: None, removed: None })
    }

    fn value(&self) -> Value {
        let state = match self.state {
            b'A' => "added",
            b'C' => "copied",
            b'D' => "deleted",
            b'R' => "renamed",
            b'T' => "type_changed",
            b'U' => "unmerged",
            _ => "modified",
        };
        let mut value = Map::new();
        value.insert("path".to_owned(), json!(shown(&self.path)));
        value.insert("state".to_owned(), json!(state));
        if let Some(original) = &self.original {
            value.insert("original".to_owned(), json!(shown(original)));
        }
        match (self.added, self.removed) {
            (Some(added), Some(removed)) => {
                value.insert("added".to_owned(), json!(added));
                value.insert("removed".to_owned(), json!(removed));
            }
            _ => drop(value.insert("binary".to_owned(), json!(self.state != b'U'))),
        }
        Value::Object(value)
    }
}

type Counts = (Option<u64>, Option<u64>, Vec<u8>);

/// Reads `added TAB removed TAB path`; where the path is empty, the old and the new one are the next records.
fn read_counts(record: &[u8], records: &mut Records<'_>) -> Option<Counts> {
    let mut parts = record.splitn(3, |byte| *byte == b'\t');
    let (added, removed, path) = (parts.next()?, parts.next()?, parts.next()?);
    let number = |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok());
    let path = if path.is_empty() {
        let _original = records.next()?;
        records.next()?
    } else {
        path
    };
    Some((number(added), number(removed), path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::builtin::dispatch::fixture::Fixture;

    #[test]
    fn files_counts_and_patch_are_read() {
        let output =
            b":100644 100644 a b M\0one two\0:100644 100644 c c R100\0old\0new\0:100644 100644 d e M\0bin\0\
1\t0\tone two\x000\t0\t\0old\0new\0-\t-\tbin\0\0diff --git a/one two b/one two\n";
        let read = read(output, false, &Fixture::new().workspace, &|_| true).unwrap();
        assert_eq!(
            read.value,
            json!({
                "files": [
                    {"path": "one two", "state": "modified", "added": 1, "removed": 0},
                    {"path": "new", "state": "renamed", "original": "old", "added": 0, "removed": 0},
                    {"path": "bin", "state": "modified", "binary": true},
                ],
                "patch": "diff --git a/one two b/one two\n",
            })
        );
        assert_eq!(
            super::read(b"", false, &Fixture::new().workspace, &|_| true).unwrap().text.as_deref(),
            Some("no differences\n")
        );
    }

    #[test]
    fn a_protected_file_in_the_output_withholds_all_of_it() {
        let fixture = Fixture::new();
        for name in [&b".mcp.json"[..], b"x/.Claude/settings.json", b"odd\xff/.GIT/config"] {
            let output = [b":100644 100644 a b M\0", name, b"\0\0diff"].concat();
            let error = read(&output, false, &fixture.workspace, &|_| true).err().unwrap();
            assert_eq!(error.code, ErrorCode::PermissionDenied);
        }
    }
}
