//! `search_text`: lines by regular expression, in linear time.

use std::io::{self, Read};
use std::ops::ControlFlow;

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkFinish, SinkMatch};
use serde_json::{Value, json};

use crate::code::{CallError, Effect};
use crate::present::{BuiltinOutput, DisplayBody};
use crate::workspace::{FileKind, OpenedFile, WorkspacePath};

use super::argument::{Arguments, violation};
use super::find_files::{PathGlob, escaped, left_out};
use super::text::counted;
use super::walk::{Unseen, walk};
use super::{BuiltinContext, Cancel};

const DEFAULT_MATCHES: u64 = 100;
const MAX_MATCHES: u64 = 1_000;
/// Where counting stops.
const MAX_COUNTED: u64 = 10_000;
const MAX_PATTERN_BYTES: usize = 2_000;
/// Most memory of a compiled pattern.
const MAX_PATTERN_MEMORY: usize = 4 << 20;
/// Most bytes of one line that are held while searching; a file with a longer one is passed over.
const MAX_LINE_BYTES: usize = 8 << 20;
/// Most bytes of a matching line that are shown.
const SHOWN_LINE_BYTES: usize = 400;
/// How much of a long line is shown before the match.
const SHOWN_BEFORE_BYTES: usize = 100;

pub(super) fn run(
    arguments: Arguments<'_>,
    context: &BuiltinContext<'_>,
) -> Result<BuiltinOutput, CallError> {
    let matcher = compile(arguments.text("pattern")?, arguments.flag("ignore_case")?)?;
    let glob = arguments.optional_text("glob")?.map(|glob| PathGlob::parse("glob", glob)).transpose()?;
    let asked = context.path("path", arguments.optional_text("path")?.unwrap_or("."))?;
    let limit =
        usize::try_from(arguments.count("limit", DEFAULT_MATCHES, MAX_MATCHES)?).unwrap_or(usize::MAX);
    let mut search = Search::new(matcher, limit, context);

    let unseen = match context.workspace.open_directory(&asked) {
        Ok(start) => {
            context.confirm("path", start.path())?;
            let base = start.path().clone();
            walk(context, start, &mut |visit| {
                let wanted = glob.as_ref().is_none_or(|glob| glob.matches(&base, &visit.path));
                if wanted && visit.entry.kind == FileKind::File && !context.sees(&visit.path) {
                    search.unseen += 1;
                } else if wanted && visit.entry.kind == FileKind::File {
                    match visit.directory.file(visit.entry) {
                        Ok(file) => search.file(&file)?,
                        Err(_) => search.unreadable += 1,
                    }
                }
                Ok(if search.counted >= MAX_COUNTED {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                })
            })?
        }
        Err(not_a_directory) => match context.workspace.open_file(&asked) {
            Ok(file) => {
                context.confirm("path", file.path())?;
                search.file(&file)?;
                Unseen::default()
            }
            Err(_) => return Err(not_a_directory),
        },
    };
    Ok(search.output(&asked, &unseen))
}

fn compile(pattern: &str, ignore_case: bool) -> Result<RegexMatcher, CallError> {
    if pattern.is_empty() || pattern.len() > MAX_PATTERN_BYTES {
        let expected = format!("a regular expression of 1 to {MAX_PATTERN_BYTES} bytes");
        return Err(violation("pattern", &expected, "another length"));
    }
    RegexMatcherBuilder::new()
        .case_insensitive(ignore_case)
        .multi_line(true)
        .crlf(true)
        .size_limit(MAX_PATTERN_MEMORY)
        .dfa_size_limit(MAX_PATTERN_MEMORY)
        .nest_limit(50)
        .build(pattern)
        .map_err(|error| {
            let text = error.to_string();
            // The parser draws the pattern with a caret; its last line says what is wrong.
            let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            violation("pattern", "a regular expression without look-around or back-references", &reason)
        })
}

struct Found {
    path: String,
    line: u64,
    text: String,
}

struct Search<'c> {
    matcher: RegexMatcher,
    searcher: Searcher,
    cancel: &'c Cancel,
    limit: usize,
    max_bytes: usize,
    found: Vec<Found>,
    bytes: usize,
    counted: u64,
    files_matched: u64,
    files_searched: u64,
    unreadable: u64,
    unseen: u64,
    binary: u64,
}

impl<'c> Search<'c> {
    fn new(matcher: RegexMatcher, limit: usize, context: &BuiltinContext<'c>) -> Self {
        let searcher = SearcherBuilder::new()
            // The matcher and the searcher must agree on it.
            .line_terminator(LineTerminator::crlf())
            .line_number(true)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MAX_LINE_BYTES))
            .build();
        Self {
            matcher,
            searcher,
            cancel: context.cancel,
            limit,
            max_bytes: context.max_value_bytes,
            found: Vec::new(),
            bytes: 0,
            counted: 0,
            files_matched: 0,
            files_searched: 0,
            unreadable: 0,
            unseen: 0,
            binary: 0,
        }
    }

    fn file(&mut self, file: &OpenedFile) -> Result<(), CallError> {
        let mut sink = FileSink {
            matcher: &self.matcher,
            path: file.path(),
            room: if self.bytes < self.max_bytes { self.limit - self.found.len() } else { 0 },
            room_counted: MAX_COUNTED - self.counted,
            found: Vec::new(),
            counted: 0,
            is_binary: false,
        };
        let reader = Cancellable { inner: file.file(), cancel: self.cancel };
        let searched = self.searcher.search_reader(&self.matcher, reader, &mut sink);
        let FileSink { found, counted, is_binary, .. } = sink;
        self.cancel.check()?;
        match searched {
            // What a binary file matched before its first NUL is no text.
            Ok(()) if is_binary => self.binary += 1,
            Ok(()) => {
                self.files_searched += 1;
                self.files_matched += u64::from(counted > 0);
                self.counted += counted;
                self.bytes +=
                    found.iter().map(|found| found.path.len() + found.text.len() + 48).sum::<usize>();
                self.found.extend(found);
            }
            Err(_) => self.unreadable += 1,
        }
        Ok(())
    }

    fn output(self, path: &WorkspacePath, unseen: &Unseen) -> BuiltinOutput {
        let stopped = self.counted >= MAX_COUNTED;
        let mut warnings = unseen.warnings();
        warnings.extend(left_out(self.unseen));
        if self.unreadable > 0 {
            warnings.push(format!("{} could not be searched", counted(self.unreadable, "file", "files")));
        }
        if self.binary > 0 {
            let files = counted(self.binary, "binary file", "binary files");
            warnings.push(format!("passed over {files}"));
        }
        if stopped {
            warnings.push(format!("counting stopped at {MAX_COUNTED} matching lines; narrow the search"));
        }
        let truncated = stopped || unseen.bounded || (self.found.len() as u64) < self.counted;
        let matches: Vec<Value> = self
            .found
            .iter()
            .map(|found| json!({"path": found.path, "line": found.line, "text": found.text}))
            .collect();
        BuiltinOutput {
            value: json!({
                "path": path.as_argument(),
                "matches": matches,
                "total": self.counted,
                "files_matched": self.files_matched,
                "files_searched": self.files_searched,
            }),
            text: Some(
                self.found
                    .iter()
                    .map(|found| format!("{}:{}:{}\n", escaped(&found.path), found.line, found.text))
                    .collect(),
            ),
            total: Some(json!({"matches": self.counted, "files": self.files_matched})),
            next: None,
            truncated,
            display: DisplayBody::Table {
                columns: ["file", "line", "text"].map(str::to_owned).to_vec(),
                rows: self
                    .found
                    .into_iter()
                    .map(|found| vec![found.path, found.line.to_string(), found.text])
                    .collect(),
            },
            effect: Effect::None,
            warnings,
        }
    }
}

/// Takes the matching lines of one file.
struct FileSink<'s> {
    matcher: &'s RegexMatcher,
    path: &'s WorkspacePath,
    room: usize,
    room_counted: u64,
    found: Vec<Found>,
    counted: u64,
    is_binary: bool,
}

impl Sink for FileSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, matched: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.counted += 1;
        if self.found.len() < self.room {
            self.found.push(Found {
                path: self.path.as_argument().into_owned(),
                line: matched.line_number().unwrap_or(0),
                text: shown_line(self.matcher, matched.bytes()),
            });
        }
        Ok(self.counted < self.room_counted)
    }

    fn finish(&mut self, _searcher: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.is_binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// The line without its end; of a long one, the part around the match.
fn shown_line(matcher: &RegexMatcher, line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= SHOWN_LINE_BYTES {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = matcher.find(line).ok().flatten().map_or(0, |found| found.start());
    let from = if start <= SHOWN_LINE_BYTES / 2 { 0 } else { start - SHOWN_BEFORE_BYTES };
    let to = (from + SHOWN_LINE_BYTES).min(line.len());
    let part = String::from_utf8_lossy(line.get(from..to).unwrap_or_default()).into_owned();
    // The cuts may go through characters.
    let part = part.trim_matches('\u{fffd}');
    let (before, after) = (if from > 0 { "…" } else { "" }, if to < line.len() { "…" } else { "" });
    format!("{before}{part}{after}")
}

/// A reader that fails once the call is cancelled.
struct Cancellable<'r, R> {
    inner: R,
    cancel: &'r Cancel,
}

impl<R: Read> Read for Cancellable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.cancel.check().map_err(|_| io::Error::other("cancelled"))?;
        self.inner.read(buffer)
    }
}

#[cfg(test)]
mod tests;
