//! `list_directory`: the names in a directory, links not followed.

use serde_json::{Map, Value, json};

use crate::code::{CallError, Effect};
use crate::present::{BuiltinOutput, DisplayBody};
use crate::workspace::{Access, Entry, FileKind, OpenedDirectory};

use super::BuiltinContext;
use super::argument::Arguments;
use super::find_files::left_out;

const DEFAULT_ENTRIES: u64 = 500;
const MAX_ENTRIES: u64 = 5_000;
/// Most entries of a directory that are read at all.
const MAX_READ: usize = 200_000;

pub(super) fn run(
    arguments: Arguments<'_>,
    context: &BuiltinContext<'_>,
) -> Result<BuiltinOutput, CallError> {
    let asked = context.path("path", arguments.optional_text("path")?.unwrap_or("."))?;
    let limit =
        usize::try_from(arguments.count("limit", DEFAULT_ENTRIES, MAX_ENTRIES)?).unwrap_or(usize::MAX);
    let directory = context.workspace.open_directory(&asked)?;
    context.confirm("path", directory.path())?;
    let (entries, unread) = directory.entries(MAX_READ)?;

    let mut rows = Vec::new();
    let mut hidden: usize = 0;
    let mut bytes = 0;
    for entry in &entries {
        if rows.len() >= limit {
            break;
        }
        context.cancel.check()?;
        if !context.sees(&directory.path().child(entry.name().unwrap_or(&entry.shown()))) {
            hidden += 1;
            continue;
        }
        let row = Row::of(&directory, entry, context);
        bytes += row.name.len() + row.target.as_ref().map_or(0, String::len) + 64;
        if bytes > context.max_value_bytes {
            break;
        }
        rows.push(row);
    }

    let total = entries.len() - hidden;
    let mut warnings: Vec<String> = left_out(hidden as u64).into_iter().collect();
    if unread {
        warnings.push(format!("the directory has more than {MAX_READ} entries; the rest was not read"));
    }
    Ok(BuiltinOutput {
        value: json!({
            "path": asked.as_argument(),
            "entries": rows.iter().map(Row::value).collect::<Vec<_>>(),
            "total": total,
        }),
        text: Some(rows.iter().map(Row::line).collect()),
        total: Some(json!({ "entries": total })),
        next: None,
        truncated: unread || rows.len() < total,
        display: DisplayBody::Table {
            columns: ["name", "kind", "size"].map(str::to_owned).to_vec(),
            rows: rows.iter().map(Row::cells).collect(),
        },
        effect: Effect::None,
        warnings,
    })
}

struct Row {
    name: String,
    kind: FileKind,
    size: Option<u64>,
    target: Option<String>,
    is_protected: bool,
}

impl Row {
    fn of(directory: &OpenedDirectory<'_>, entry: &Entry, context: &BuiltinContext<'_>) -> Self {
        let is_protected = entry.name().is_some_and(|name| {
            context.workspace.protection(&directory.path().child(name), Access::Read).is_some()
        });
        Self {
            name: entry.shown(),
            kind: entry.kind,
            size: (entry.kind == FileKind::File && !is_protected).then(|| directory.size(entry)).flatten(),
            target: (entry.kind == FileKind::Link).then(|| directory.link_target(entry)).flatten(),
            is_protected,
        }
    }

    fn value(&self) -> Value {
        let mut value = Map::new();
        value.insert("name".to_owned(), json!(self.name));
        value.insert("kind".to_owned(), json!(self.kind.as_str()));
        if let Some(size) = self.size {
            value.insert("size".to_owned(), json!(size));
        }
        if let Some(target) = &self.target {
            value.insert("target".to_owned(), json!(target));
        }
        if self.is_protected {
            value.insert("protected".to_owned(), json!(true));
        }
        Value::Object(value)
    }

    fn line(&self) -> String {
        let note = if self.is_protected { " (protected)" } else { "" };
        match (self.kind, self.size, &self.target) {
            (FileKind::Directory, _, _) => format!("{}/{note}\n", self.name),
            (FileKind::Link, _, Some(target)) => format!("{} -> {target}{note}\n", self.name),
            (FileKind::File, Some(size), _) => format!("{}\t{size}{note}\n", self.name),
            (FileKind::File, None, _) => format!("{}{note}\n", self.name),
            (kind, _, _) => format!("{} ({}){note}\n", self.name, kind.as_str()),
        }
    }

    fn cells(&self) -> Vec<String> {
        let name = match &self.target {
            Some(target) => format!("{} -> {target}", self.name),
            None => self.name.clone(),
        };
        let kind = self.kind.as_str();
        let kind = if self.is_protected { format!("{kind}, protected") } else { kind.to_owned() };
        vec![name, kind, self.size.map(|size| size.to_string()).unwrap_or_default()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::fixture::Fixture;
    use super::*;
    use crate::catalog::BuiltinName;
    use crate::code::ErrorCode;

    #[test]
    fn entries_are_sorted_with_kind_size_and_target() {
        let fixture = Fixture::new();
        fixture.write("b.txt", "1234");
        fixture.write("a/x", "");
        fixture.write(".git/config", "secret");
        std::os::unix::fs::symlink("/etc/passwd", fixture.root().join("link")).unwrap();
        let output = fixture.run(BuiltinName::ListDirectory, json!({})).unwrap();
        assert_eq!(
            output.value,
            json!({"path": ".", "total": 4, "entries": [
                {"name": ".git", "kind": "directory", "protected": true},
                {"name": "a", "kind": "directory"},
                {"name": "b.txt", "kind": "file", "size": 4},
                {"name": "link", "kind": "symlink", "target": "/etc/passwd"},
            ]})
        );
        assert_eq!(output.text.unwrap(), ".git/ (protected)\na/\nb.txt\t4\nlink -> /etc/passwd\n");
        assert!(!output.truncated);
    }

    #[test]
    fn a_limit_cuts_and_the_total_stays_true() {
        let fixture = Fixture::new();
        for number in 0..5 {
            fixture.write(&format!("f{number}"), "");
        }
        let output = fixture.run(BuiltinName::ListDirectory, json!({"limit": 2})).unwrap();
        assert_eq!(output.value["entries"].as_array().unwrap().len(), 2);
        assert_eq!(output.total, Some(json!({"entries": 5})));
        assert!(output.truncated);
    }

    #[test]
    fn a_name_with_odd_bytes_is_shown_escaped() {
        use std::os::unix::ffi::OsStrExt as _;
        let fixture = Fixture::new();
        std::fs::write(fixture.root().join(std::ffi::OsStr::from_bytes(b"a\xff\n")), "").unwrap();
        let output = fixture.run(BuiltinName::ListDirectory, json!({"path": "."})).unwrap();
        assert_eq!(output.value["entries"][0]["name"], json!("a\\xff\\n"));
    }

    #[test]
    fn a_protected_directory_is_not_listed() {
        let fixture = Fixture::new();
        fixture.write(".git/config", "");
        let error = fixture.fail(BuiltinName::ListDirectory, json!({"path": ".git"}));
        assert_eq!(error.code, ErrorCode::PermissionDenied);
    }
}
