//! `git diff --raw --numstat --patch -z`: records that end in NUL, an empty one, and then the patch as text.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::code::{CallError, Effect, ErrorCode};
use crate::present::{BuiltinOutput, DisplayBody};
use crate::workspace::{Access, Workspace, WorkspacePath};

use super::interpret::{shown, unreadable};
use crate::execute::builtin::find_files::left_out as remark;

/// Most paths that are left out of one answer.
const MAX_LEFT_OUT: usize = 500;

/// Files that are left out of the differences, since the policy does not let the call come across them, or cannot be asked
/// whether it does.
#[derive(Debug, Default)]
pub struct LeftOut {
    /// What tells git to leave them out: of a renamed file both paths, since one would show what the other holds.
    pub pathspecs: Vec<String>,
    /// How many files that makes.
    pub files: u64,
}

/// Finds what may not be shown of the differences that git printed.
///
/// # Errors
/// `PERMISSION_DENIED` where too many files would have to be left out.
pub(super) fn find_left_out(
    output: &[u8],
    sight: &dyn Fn(&WorkspacePath) -> bool,
) -> Result<LeftOut, CallError> {
    let files = parse(output)?.0;
    let mut specs: Vec<Pathspec> = Vec::new();
    let mut left_out: Vec<bool> = Vec::new();
    for file in &files {
        // A name that is no path of a call is one that no rule can be asked about.
        let hidden = !file.paths().all(|path| place(path).is_some_and(|place| sight(&place)));
        left_out.push(hidden);
        if hidden {
            specs.extend(file.paths().map(|path| Pathspec::of(path)));
        }
        if specs.len() > MAX_LEFT_OUT {
            return Err(withheld("very many files that the policy denies"));
        }
    }
    // What such a name's pattern leaves out besides the name counts as well.
    let patterns: Vec<&Pathspec> = specs.iter().filter(|spec| spec.is_pattern).collect();
    let covered = |file: &File| file.paths().any(|path| patterns.iter().any(|spec| spec.covers(path)));
    let count = files.iter().zip(left_out).filter(|(file, hidden)| *hidden || covered(file)).count();
    Ok(LeftOut { pathspecs: specs.iter().map(Pathspec::exclusion).collect(), files: count as u64 })
}

/// A path as git is told to leave it out. Words for git are text, so the bytes of a name that are not become a pattern: any
/// byte above ASCII.
struct Pathspec<'p> {
    path: &'p [u8],
    is_pattern: bool,
}

impl<'p> Pathspec<'p> {
    fn of(path: &'p [u8]) -> Self {
        Self { path, is_pattern: std::str::from_utf8(path).is_err() }
    }

    fn exclusion(&self) -> String {
        if !self.is_pattern {
            return format!(":(top,exclude,literal){}", String::from_utf8_lossy(self.path));
        }
        let mut pattern = String::from(":(top,exclude,glob)");
        for chunk in self.path.utf8_chunks() {
            for c in chunk.valid().chars() {
                if matches!(c, '*' | '?' | '[' | ']' | '\\') {
                    pattern.push('\\');
                }
                pattern.push(c);
            }
            for _ in chunk.invalid() {
                pattern.push_str("[!\u{1}-\u{7f}]");
            }
        }
        pattern
    }

    /// Whether the pattern leaves `other` out: it, or what is below it.
    fn covers(&self, other: &[u8]) -> bool {
        let Some((start, rest)) = other.split_at_checked(self.path.len()) else { return false };
        let mut at = 0;
        (rest.is_empty() || rest.first() == Some(&b'/'))
            && self.path.utf8_chunks().all(|chunk| {
                let (valid, invalid) = (chunk.valid().len(), chunk.invalid().len());
                let same = start.get(at..at + valid) == Some(chunk.valid().as_bytes());
                let above = start.get(at + valid..at + valid + invalid);
                at += valid + invalid;
                same && above.is_some_and(|bytes| !bytes.iter().any(u8::is_ascii))
            })
    }
}

pub(super) fn read(
    output: &[u8],
    cut: bool,
    workspace: &Workspace,
    sight: &dyn Fn(&WorkspacePath) -> bool,
    left_out: &LeftOut,
) -> Result<BuiltinOutput, CallError> {
    let (files, patch) = parse(output)?;
    refuse_protected(&files, workspace)?;
    // They were left out by name; what appeared since then is not shown either.
    if !find_left_out(output, sight)?.pathspecs.is_empty() {
        return Err(withheld("a file that the policy denies"));
    }

    let patch = String::from_utf8_lossy(patch).into_owned();
    let text = match (files.is_empty() && !cut, left_out.files) {
        (true, 0) => "no differences\n".to_owned(),
        (true, _) => "no differences that can be shown\n".to_owned(),
        (false, _) => patch.clone(),
    };
    let mut warnings: Vec<String> = remark(left_out.files).into_iter().collect();
    if cut {
        warnings.push("the differences are cut; ask for one path".to_owned());
    }
    Ok(BuiltinOutput {
        value: json!({"files": files.iter().map(File::value).collect::<Vec<_>>(), "patch": patch}),
        text: Some(text.clone()),
        total: (!cut).then(|| json!({"files": files.len()})),
        next: None,
        truncated: cut,
        display: DisplayBody::Text(text),
        effect: Effect::None,
        warnings,
    })
}

/// The files, and the patch as text.
fn parse(output: &[u8]) -> Result<(Vec<File>, &[u8]), CallError> {
    let mut records = Records { rest: output };
    let mut files: Vec<File> = Vec::new();
    let mut places = HashMap::new();
    while let Some(record) = records.next() {
        if record.is_empty() {
            return Ok((files, records.rest));
        }
        if record.first() == Some(&b':') {
            let file = File::read_raw(record, &mut records)?;
            places.entry(file.path.clone()).or_insert(files.len());
            files.push(file);
        } else {
            let Some((added, removed, path)) = read_counts(record, &mut records) else {
                return Err(unreadable("a record of an unknown kind"));
            };
            if let Some(file) = places.get(&path).and_then(|place| files.get_mut(*place)) {
                (file.added, file.removed) = (added, removed);
            }
        }
    }
    Ok((files, b""))
}

/// A path of the repository as a place that a rule can be asked about.
fn place(path: &[u8]) -> Option<WorkspacePath> {
    // As a path of a call would name it: a name such as `~x` or `C:x` is a place like any other.
    let text = format!("./{}", std::str::from_utf8(path).ok()?);
    WorkspacePath::parse(&text).ok()
}

fn withheld(what: &str) -> CallError {
    CallError::new(ErrorCode::PermissionDenied, format!("the differences include {what}"))
        .with_hint("ask for the differences of one path at a time")
}

/// The command was told to leave protected files out. Where one is there all the same, nothing is shown.
fn refuse_protected(files: &[File], workspace: &Workspace) -> Result<(), CallError> {
    let mut paths = files.iter().flat_map(File::paths);
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

    fn paths(&self) -> impl Iterator<Item = &Vec<u8>> {
        std::iter::once(&self.path).chain(&self.original)
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
        let read = read(output, false, &Fixture::new().workspace, &|_| true, &LeftOut::default()).unwrap();
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
            super::read(b"", false, &Fixture::new().workspace, &|_| true, &LeftOut::default())
                .unwrap()
                .text
                .as_deref(),
            Some("no differences\n")
        );
    }

    #[test]
    fn a_name_that_no_rule_can_be_asked_about_is_left_out_by_a_pattern_that_counts_what_it_covers() {
        let output =
            b":100644 100644 a b M\0a\xff[*\0:100644 100644 a b M\0a\xfe[*\0:100644 100644 a b M\0b\nc\0\
:100644 100644 a b M\0plain\0\0diff";
        let found = find_left_out(output, &|_| true).unwrap();
        assert_eq!(found.files, 3);
        assert_eq!(
            found.pathspecs,
            [
                ":(top,exclude,glob)a[!\u{1}-\u{7f}]\\[\\*",
                ":(top,exclude,glob)a[!\u{1}-\u{7f}]\\[\\*",
                ":(top,exclude,literal)b\nc"
            ]
        );
        let spec = Pathspec::of(b"a\xff\xfe");
        assert!(spec.covers("aé".as_bytes()) && spec.covers("aé/x".as_bytes()));
        assert!(!spec.covers(b"abc") && !spec.covers("aéx".as_bytes()) && !spec.covers(b"a\xff"));
    }

    #[test]
    fn a_protected_file_in_the_output_withholds_all_of_it() {
        let fixture = Fixture::new();
        for name in [&b".mcp.json"[..], b"x/.Claude/settings.json", b"odd\xff/.GIT/config"] {
            let output = [b":100644 100644 a b M\0", name, b"\0\0diff"].concat();
            let error =
                read(&output, false, &fixture.workspace, &|_| true, &LeftOut::default()).err().unwrap();
            assert_eq!(error.code, ErrorCode::PermissionDenied);
        }
    }
}
