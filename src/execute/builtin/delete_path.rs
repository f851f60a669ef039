//! `delete_path`: a file, a link, or a directory with everything in it.

use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::catalog::Digest;
use crate::code::{CallError, Effect};
use crate::present::{BuiltinOutput, DisplayBody};
use crate::workspace::{FileKind, Passage, Removal, RemovalTarget, WorkspacePath};

use super::argument::{Arguments, violation};
use super::{BuiltinContext, Preview, text};

/// Most paths listed in a preview.
const MAX_LISTED: usize = 200;

pub(super) fn run(
    arguments: Arguments<'_>,
    context: &BuiltinContext<'_>,
) -> Result<BuiltinOutput, CallError> {
    let (target, survey) = find(arguments, context)?;
    let (path, kind) = (target.path().clone(), target.kind());
    context.confirm_basis(&path, survey.basis)?;
    let display = survey.body(&target);
    let permits =
        |entry: &WorkspacePath, _: Option<&WorkspacePath>| context.may_take(&path, &[("path", entry)]);
    let passage = Passage { permits: &permits, keep_going: &|| context.cancel.check() };
    let (removed, remark) = target.remove(passage)?;
    Ok(BuiltinOutput {
        value: json!({
            "path": path.as_str(),
            "kind": kind.as_str(),
            "files": removed.files,
            "directories": removed.directories,
        }),
        text: Some(match kind {
            FileKind::Directory => format!("deleted `{path}` with {}", counted(removed)),
            _ => format!("deleted `{path}`"),
        }),
        total: None,
        next: None,
        truncated: false,
        display,
        effect: Effect::Happened,
        warnings: remark.map(str::to_owned).into_iter().collect(),
    })
}

pub(super) fn preview(arguments: Arguments<'_>, context: &BuiltinContext<'_>) -> Result<Preview, CallError> {
    let (target, survey) = find(arguments, context)?;
    Ok(Preview { basis: survey.basis, body: survey.body(&target) })
}

/// What a deletion would take away.
struct Survey {
    removal: Removal,
    /// The first paths in a directory.
    listed: Vec<String>,
    /// Where a link points.
    link: Option<String>,
    /// The text of a file that is small enough to be shown.
    content: Option<String>,
    basis: Digest,
}

fn find<'a>(
    arguments: Arguments<'_>,
    context: &BuiltinContext<'a>,
) -> Result<(RemovalTarget<'a>, Survey), CallError> {
    let asked = context.path("path", arguments.text("path")?)?;
    let recursive = arguments.flag("recursive")?;
    let target = context.workspace.removal_target(&asked)?;
    context.confirm("path", target.path())?;
    let survey = survey(&target, context)?;
    if target.kind() == FileKind::Directory && !recursive && survey.removal.entries() > 1 {
        let found = format!("false, for a directory with {}", counted(survey.removal));
        return Err(violation("recursive", "true to delete a directory that is not empty", &found));
    }
    Ok((target, survey))
}

fn survey(target: &RemovalTarget<'_>, context: &BuiltinContext<'_>) -> Result<Survey, CallError> {
    let mut hasher = Sha256::new();
    let mut listed = Vec::new();
    let link = target.link_text();
    let mut see = |path: &str, kind: FileKind, size: u64, times: (i64, i64), link: Option<&str>| {
        let (seconds, nanoseconds) = times;
        hasher.update(path);
        hasher.update(b"\0");
        hasher.update(kind.as_str());
        // A directory's own size and time say nothing that its entries do not.
        if kind != FileKind::Directory {
            hasher.update(size.to_le_bytes());
            hasher.update(seconds.to_le_bytes());
            hasher.update(nanoseconds.to_le_bytes());
        }
        hasher.update(link.unwrap_or_default());
        hasher.update(b"\0");
    };
    see(target.path().as_str(), target.kind(), target.size(), target.modified(), link.as_deref());
    let mut content = None;
    let mut removal = Removal { files: 1, directories: 0 };
    match target.kind() {
        FileKind::Directory => {
            removal = target.survey(
                &mut |seen| {
                    see(seen.path.as_str(), seen.kind, seen.size, seen.modified, seen.target);
                    if listed.len() < MAX_LISTED {
                        let path = seen.path;
                        listed.push(
                            seen.target.map_or_else(|| path.to_string(), |link| format!("{path} -> {link}")),
                        );
                    }
                },
                Passage {
                    permits: &|entry, _| context.may_take(target.path(), &[("path", entry)]),
                    keep_going: &|| context.cancel.check(),
                },
            )?;
        }
        FileKind::File => {
            content = target.open().ok().and_then(|file| text::read_whole(&file).ok());
        }
        FileKind::Link | FileKind::Fifo | FileKind::Socket | FileKind::Device | FileKind::Unknown => {}
    }
    if let Some(content) = &content {
        hasher.update(content);
    }
    Ok(Survey { removal, listed, link, content, basis: Digest(hasher.finalize().into()) })
}

impl Survey {
    fn body(self, target: &RemovalTarget<'_>) -> DisplayBody {
        let path = target.path();
        if let Some(content) = self.content {
            return DisplayBody::Diff { path: path.as_str().to_owned(), before: Some(content), after: None };
        }
        let mut text = match target.kind() {
            FileKind::Directory => format!("{path}/ with {}\n", counted(self.removal)),
            FileKind::Link => {
                let link = self.link.unwrap_or_default();
                format!("`{path}` is a symbolic link that points to `{link}`; what it leads to stays\n")
            }
            kind => format!("{path} ({})\n", kind.as_str()),
        };
        for listed in &self.listed {
            text.push_str(listed);
            text.push('\n');
        }
        if self.removal.entries() > self.listed.len() as u64 + 1 {
            text.push_str("…\n");
        }
        DisplayBody::Text(text)
    }
}

fn counted(removal: Removal) -> String {
    let files = text::counted(removal.files, "file", "files");
    match removal.directories.saturating_sub(1) {
        0 => files,
        below => format!("{files} and {}", text::counted(below, "directory", "directories")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::fixture::Fixture;
    use super::*;
    use crate::catalog::BuiltinName;
    use crate::code::ErrorCode;
    use crate::execute::builtin::{BuiltinContext, run as run_builtin};

    #[test]
    fn a_directory_needs_recursive() {
        let fixture = Fixture::new();
        fixture.write("d/a/x", "");
        let error = fixture.fail(BuiltinName::DeletePath, json!({"path": "d"}));
        assert_eq!(error.code, ErrorCode::InvalidArguments);
        assert_eq!(error.violations[0].found, "false, for a directory with 1 file and 1 directory");
        let output = fixture.run(BuiltinName::DeletePath, json!({"path": "d", "recursive": true})).unwrap();
        assert_eq!(output.value, json!({"path": "d", "kind": "directory", "files": 1, "directories": 2}));
        assert!(!fixture.root().join("d").exists());
    }

    #[test]
    fn an_empty_directory_a_file_and_the_root() {
        let fixture = Fixture::new();
        fixture.write("d/x", "text");
        fixture.run(BuiltinName::DeletePath, json!({"path": "d/x"})).unwrap();
        fixture.run(BuiltinName::DeletePath, json!({"path": "d"})).unwrap();
        let error = fixture.fail(BuiltinName::DeletePath, json!({"path": ".", "recursive": true}));
        assert_eq!(error.message, "the workspace root cannot be deleted");
        assert_eq!(fixture.fail(BuiltinName::DeletePath, json!({"path": "d"})).code, ErrorCode::FileNotFound);
    }

    #[test]
    fn what_was_shown_is_what_is_deleted() {
        let fixture = Fixture::new();
        fixture.write("d/x", "1");
        let arguments = json!({"path": "d", "recursive": true});
        let preview = fixture.preview(BuiltinName::DeletePath, arguments.clone()).unwrap();
        fixture.write("d/y", "2");
        let context = BuiltinContext { expected_basis: Some(preview.basis), ..fixture.context() };
        let error = run_builtin(BuiltinName::DeletePath, &arguments, &context).err().unwrap();
        assert_eq!(error.code, ErrorCode::PreconditionFailed);
        assert_eq!(fixture.read("d/x"), "1");
    }

    #[test]
    fn a_preview_of_a_file_shows_its_text() {
        let fixture = Fixture::new();
        fixture.write("x", "text");
        let preview = fixture.preview(BuiltinName::DeletePath, json!({"path": "x"})).unwrap();
        let DisplayBody::Diff { path, before, after } = preview.body else { panic!("no difference") };
        assert_eq!((path.as_str(), before.as_deref(), after), ("x", Some("text"), None));
    }
}
