//! `find_files`: files by glob.

use std::ops::ControlFlow;

use globset::{GlobBuilder, GlobMatcher};
use serde_json::json;

use crate::code::{CallError, Effect};
use crate::present::{BuiltinOutput, DisplayBody};
use crate::workspace::WorkspacePath;

use super::BuiltinContext;
use super::argument::{Arguments, violation};
use super::text::counted;
use super::walk::walk;

const DEFAULT_FILES: u64 = 200;
const MAX_FILES: u64 = 2_000;
const MAX_PATTERN_BYTES: usize = 1_000;

pub(super) fn run(
    arguments: Arguments<'_>,
    context: &BuiltinContext<'_>,
) -> Result<BuiltinOutput, CallError> {
    let pattern = arguments.text("pattern")?;
    let glob = PathGlob::parse("pattern", pattern)?;
    let asked = context.path("path", arguments.optional_text("path")?.unwrap_or("."))?;
    let limit = usize::try_from(arguments.count("limit", DEFAULT_FILES, MAX_FILES)?).unwrap_or(usize::MAX);
    let start = context.workspace.open_directory(&asked)?;
    context.confirm("path", start.path())?;

    let base = start.path().clone();
    let mut files: Vec<String> = Vec::new();
    let mut total: u64 = 0;
    let mut hidden: u64 = 0;
    let mut bytes = 0;
    let unseen = walk(context, start, &mut |visit| {
        if glob.matches(&base, &visit.path) {
            if !context.sees(&visit.path) {
                hidden += 1;
                return Ok(ControlFlow::Continue(()));
            }
            total += 1;
            if files.len() < limit && bytes < context.max_value_bytes {
                bytes += visit.path.as_str().len() + 4;
                files.push(visit.path.as_argument().into_owned());
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;

    let truncated = unseen.bounded || (files.len() as u64) < total;
    Ok(BuiltinOutput {
        value: json!({"path": asked.as_argument(), "files": files, "total": total}),
        text: Some(files.iter().map(|file| format!("{}\n", escaped(file))).collect()),
        total: Some(json!({"files": total})),
        next: None,
        truncated,
        display: DisplayBody::Table {
            columns: vec!["file".to_owned()],
            rows: files.iter().map(|file| vec![file.clone()]).collect(),
        },
        effect: Effect::None,
        warnings: unseen.warnings().into_iter().chain(left_out(hidden)).collect(),
    })
}

/// A glob over paths below a directory: `*` stays within one part, `**` does not; a pattern without `/` is for the
/// file's name, at any depth.
pub(super) struct PathGlob {
    matcher: GlobMatcher,
    is_for_name: bool,
}

impl PathGlob {
    pub(super) fn parse(argument: &str, pattern: &str) -> Result<Self, CallError> {
        if pattern.is_empty() || pattern.len() > MAX_PATTERN_BYTES {
            return Err(violation(
                argument,
                &format!("a glob of 1 to {MAX_PATTERN_BYTES} bytes"),
                "another length",
            ));
        }
        if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
            return Err(violation(
                argument,
                "a glob below the directory that is searched",
                "a leading `/` or a `..`",
            ));
        }
        let pattern = pattern.trim_start_matches("./");
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| violation(argument, "a glob", &error.kind().to_string()))?;
        Ok(Self { matcher: glob.compile_matcher(), is_for_name: !pattern.contains('/') })
    }

    /// Whether it matches `path`, which lies below `base`.
    pub(super) fn matches(&self, base: &WorkspacePath, path: &WorkspacePath) -> bool {
        let text = if self.is_for_name {
            path.file_name().unwrap_or_default()
        } else {
            path.as_str().get(base.as_str().len()..).unwrap_or_default().trim_start_matches('/')
        };
        self.matcher.is_match(text)
    }
}

/// The remark about what the policy does not let the call come across: how much, and no name.
pub(super) fn left_out(count: u64) -> Option<String> {
    (count > 0).then(|| format!("left out {}, which the policy denies", counted(count, "path", "paths")))
}

/// A path on a line of its own.
pub(super) fn escaped(path: &str) -> String {
    if path.chars().any(char::is_control) { path.escape_debug().to_string() } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use serde_json::Value;

    use super::super::dispatch::fixture::Fixture;
    use super::*;
    use crate::catalog::BuiltinName;
    use crate::code::ErrorCode;

    fn files(fixture: &Fixture, arguments: Value) -> Value {
        fixture.run(BuiltinName::FindFiles, arguments).unwrap().value["files"].clone()
    }

    #[test]
    fn globs_are_anchored_below_the_path_and_a_bare_name_matches_anywhere() {
        let fixture = Fixture::new();
        for path in ["src/a.rs", "src/b/c.rs", "vendor/src/d.rs", ".github/x.rs"] {
            fixture.write(path, "");
        }
        let cases = [
            (
                json!({"pattern": "*.rs"}),
                json!([".github/x.rs", "src/a.rs", "src/b/c.rs", "vendor/src/d.rs"]),
            ),
            (json!({"pattern": "src/**"}), json!(["src/a.rs", "src/b/c.rs"])),
            (json!({"pattern": "src/*.rs"}), json!(["src/a.rs"])),
            (json!({"pattern": "./**/c.{rs,py}", "path": "src"}), json!(["src/b/c.rs"])),
            (json!({"pattern": "b/*", "path": "src"}), json!(["src/b/c.rs"])),
            (json!({"pattern": "none"}), json!([])),
        ];
        for (arguments, expected) in cases {
            assert_eq!(files(&fixture, arguments.clone()), expected, "{arguments}");
        }
    }

    #[test]
    fn ignored_and_protected_files_are_left_out() {
        let fixture = Fixture::new();
        for path in ["target/x", "src/x", "src/keep.log", "src/drop.log", ".git/x", "sub/.git/x", "deep/a/x"]
        {
            fixture.write(path, "");
        }
        fixture.write(".gitignore", "/target\n*.log\n[bad\n");
        fixture.write("src/.gitignore", "!keep.log\n");
        fixture.write("deep/.ignore", "/a\n");
        assert_eq!(files(&fixture, json!({"pattern": "{x,*.log}"})), json!(["src/keep.log", "src/x"]));
        // Rules from above the start count too.
        assert_eq!(
            files(&fixture, json!({"pattern": "*", "path": "src"})),
            json!(["src/.gitignore", "src/keep.log", "src/x"])
        );
    }

    #[test]
    fn links_are_named_and_never_descended() {
        let fixture = Fixture::new();
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("x"), "").unwrap();
        symlink(outside.path(), fixture.root().join("out")).unwrap();
        symlink(".", fixture.root().join("round")).unwrap();
        assert_eq!(files(&fixture, json!({"pattern": "**/*"})), json!(["out", "round"]));
    }

    #[test]
    fn a_limit_cuts_and_the_total_stays_true() {
        let fixture = Fixture::new();
        for number in 0..5 {
            fixture.write(&format!("f{number}"), "");
        }
        let output = fixture.run(BuiltinName::FindFiles, json!({"pattern": "f*", "limit": 2})).unwrap();
        assert_eq!(output.value, json!({"path": ".", "files": ["f0", "f1"], "total": 5}));
        assert!(output.truncated);
    }

    #[test]
    fn a_bad_glob_is_refused() {
        let fixture = Fixture::new();
        for pattern in ["", "[", "../*", "/etc/*", "{a"] {
            let error = fixture.fail(BuiltinName::FindFiles, json!({"pattern": pattern}));
            assert_eq!(
                (error.code, error.violations[0].pointer.as_str()),
                (ErrorCode::InvalidArguments, "/pattern")
            );
        }
    }
}
