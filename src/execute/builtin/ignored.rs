//! The rules of ignore files, as many as can be obeyed in bounded time and memory.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::code::CallError;
use crate::workspace::{Entry, OpenedDirectory, WorkspacePath};

use super::BuiltinContext;

/// Most bytes of all ignore files that are in force at one place.
const MAX_BYTES: usize = 256 << 10;
/// Most rules of all ignore files that are in force at one place.
const MAX_RULES: usize = 4_000;
/// Most bytes of one rule, as of a path.
const MAX_RULE_BYTES: usize = 4_096;
/// The bounds in words.
pub(super) const BOUNDS: &str = "over 4000 rules or 256 KiB of them, or one that is too complex";

/// Rules that are compiled at once: the deadline is looked at in between.
const COMPILED_AT_ONCE: usize = 1_000;
/// The ignore files, the stronger first: a rule in any `.ignore` beats one in any `.gitignore`.
const FILES: [&str; 2] = [".ignore", ".gitignore"];

/// The ignore rules of the directories from the root to where a walk is, outermost first.
#[derive(Default)]
pub(super) struct Rules {
    levels: Vec<Level>,
    used: Size,
    /// Files that were not obeyed.
    pub(super) not_obeyed: u64,
}

struct Level {
    path: WorkspacePath,
    files: [Option<IgnoreFile>; FILES.len()],
}

/// How much of the bounds something takes.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    bytes: usize,
    rules: usize,
}

/// The rules of one file, in its order, in parts.
struct IgnoreFile {
    parts: Vec<Gitignore>,
    size: Size,
}

impl Rules {
    /// The rules of the directories above `start`.
    ///
    /// # Errors
    /// When the call is cancelled or its deadline passes meanwhile.
    pub(super) fn above(context: &BuiltinContext<'_>, start: &WorkspacePath) -> Result<Self, CallError> {
        let mut rules = Self::default();
        let mut path = WorkspacePath::root();
        for part in start.parts() {
            if let Ok(directory) = context.workspace.open_directory(&path) {
                let opened = FILES.map(|name| context.workspace.open_file(&path.child(name)).ok());
                let files = opened.each_ref().map(|file| file.as_ref().map(|file| file.file()));
                rules.push(context, directory.path(), files)?;
            }
            path = path.child(part);
        }
        Ok(rules)
    }

    /// Adds the rules of a directory.
    ///
    /// # Errors
    /// When the call is cancelled or its deadline passes meanwhile.
    pub(super) fn enter(
        &mut self,
        context: &BuiltinContext<'_>,
        directory: &OpenedDirectory<'_>,
        entries: &[Entry],
    ) -> Result<(), CallError> {
        let opened = FILES.map(|name| {
            let at = entries.binary_search_by(|entry| entry.name().unwrap_or_default().cmp(name)).ok();
            // Names that are not UTF-8 sort apart from the ones compared with, so a miss is checked the slow way.
            let entry = at
                .and_then(|at| entries.get(at))
                .or_else(|| entries.iter().find(|entry| entry.name() == Some(name)))?;
            directory.file(entry).ok()
        });
        let files = opened.each_ref().map(|file| file.as_ref().map(|file| file.file()));
        self.push(context, directory.path(), files)
    }

    fn push(
        &mut self,
        context: &BuiltinContext<'_>,
        path: &WorkspacePath,
        files: [Option<&File>; FILES.len()],
    ) -> Result<(), CallError> {
        let mut level = Level { path: path.clone(), files: [const { None }; FILES.len()] };
        for (place, file) in level.files.iter_mut().zip(files) {
            let Some(file) = file else { continue };
            match self.read(context, file)? {
                Some(read) => {
                    self.used.bytes += read.size.bytes;
                    self.used.rules += read.size.rules;
                    *place = Some(read);
                }
                None => self.not_obeyed += 1,
            }
        }
        self.levels.push(level);
        Ok(())
    }

    /// Takes the rules of the innermost directory away.
    pub(super) fn leave(&mut self) {
        for file in self.levels.pop().into_iter().flat_map(|level| level.files).flatten() {
            self.used.bytes -= file.size.bytes;
            self.used.rules -= file.size.rules;
        }
    }

    /// Whether the rules ignore a path.
    pub(super) fn ignore(&self, path: &WorkspacePath, is_directory: bool) -> bool {
        for file in 0..FILES.len() {
            for level in self.levels.iter().rev() {
                let Some(Some(rules)) = level.files.get(file) else { continue };
                let below = path
                    .as_str()
                    .get(level.path.as_str().len()..)
                    .unwrap_or_default()
                    .trim_start_matches('/');
                if let Some(ignored) = rules.ignore(Path::new(below), is_directory) {
                    return ignored;
                }
            }
        }
        false
    }

    /// Reads an ignore file; a line that is no glob is passed over, as git does. `None` for one that goes beyond the
    /// bounds or cannot be read: none of its rules is obeyed then, since a rule may take back the ones before it.
    fn read(&self, context: &BuiltinContext<'_>, file: &File) -> Result<Option<IgnoreFile>, CallError> {
        let left = MAX_BYTES.saturating_sub(self.used.bytes);
        let mut bytes = Vec::new();
        if file.take(left as u64 + 1).read_to_end(&mut bytes).is_err() || bytes.len() > left {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text
            .trim_start_matches('\u{feff}')
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
            .collect();
        let size = Size { bytes: bytes.len(), rules: lines.len() };
        if size.rules > MAX_RULES.saturating_sub(self.used.rules)
            || lines.iter().any(|line| line.len() > MAX_RULE_BYTES)
        {
            return Ok(None);
        }
        let mut parts = Vec::new();
        for lines in lines.chunks(COMPILED_AT_ONCE) {
            context.cancel.check()?;
            let mut builder = GitignoreBuilder::new("");
            for line in lines {
                let _ = builder.add_line(None, line);
            }
            match builder.build() {
                Ok(part) => parts.push(part),
                Err(_) => return Ok(None),
            }
        }
        parts.retain(|part| !part.is_empty());
        Ok(Some(IgnoreFile { parts, size }))
    }
}

impl IgnoreFile {
    /// Whether the last rule that matches ignores a path; `None` where none matches.
    fn ignore(&self, path: &Path, is_directory: bool) -> Option<bool> {
        self.parts.iter().rev().find_map(|part| match part.matched(path, is_directory) {
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
            Match::None => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::{Value, json};

    use crate::catalog::BuiltinName;
    use crate::execute::builtin::dispatch::fixture::Fixture;

    fn found(fixture: &Fixture) -> (Value, Vec<String>) {
        let output = fixture.run(BuiltinName::FindFiles, json!({"pattern": "*.txt"})).unwrap();
        (output.value["files"].clone(), output.warnings)
    }

    fn rules(count: usize) -> String {
        let mut text = String::from("a.txt\n");
        for number in 1..count {
            writeln!(text, "rule{number}").unwrap();
        }
        text
    }

    #[test]
    fn rules_within_the_bounds_are_obeyed_in_their_order() {
        let fixture = Fixture::new();
        for name in ["a.txt", "b.txt", "in/a.txt"] {
            fixture.write(name, "");
        }
        fixture.write(".gitignore", format!("{}b.txt\n!b.txt\n# no rule\n\n", rules(3_998)));
        assert_eq!(found(&fixture), (json!(["b.txt"]), vec![]));
    }

    #[test]
    fn a_file_beyond_the_bounds_is_not_obeyed_at_all_and_that_is_said() {
        let long = format!("{}\n", "x".repeat(5_000));
        for text in [
            rules(4_001),
            rules(10) + &long,
            rules(10) + &format!("{}\n", "# comment ".repeat(30)).repeat(900),
        ] {
            let fixture = Fixture::new();
            fixture.write("a.txt", "");
            fixture.write(".gitignore", &text);
            let (files, warnings) = found(&fixture);
            assert_eq!(files, json!(["a.txt"]), "{:.100}", text);
            assert_eq!(
                warnings,
                [
                    "1 ignore file was not obeyed: over 4000 rules or 256 KiB of them, or one that is too complex"
                ]
            );
        }
    }

    #[test]
    fn the_bounds_are_for_all_files_in_force_at_a_place() {
        let fixture = Fixture::new();
        for folder in ["one", "one/two", "other"] {
            fixture.write(&format!("{folder}/a.txt"), "");
            fixture.write(&format!("{folder}/.gitignore"), rules(2_500));
        }
        let (files, warnings) = found(&fixture);
        // The rules of `one` hold below it too; those of `other` have room again.
        assert_eq!(files, json!([]));
        assert!(warnings[0].starts_with("1 ignore file was not obeyed"), "{warnings:?}");
    }
}
