//! `read_file`: a window of a text file's lines, numbered, in memory that does not grow with the file.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead as _, BufReader};

use serde_json::{Map, Value, json};

use crate::code::{CallError, Effect};
use crate::present::{BuiltinOutput, DisplayBody};
use crate::workspace::WorkspacePath;

use super::argument::{Arguments, violation};
use super::text::{self, Endings};
use super::{BuiltinContext, Cancel};

const DEFAULT_LINES: u64 = 200;
const MAX_LINES: u64 = 500;
/// Most bytes of one line that are shown.
const MAX_LINE_BYTES: usize = 32 << 10;
/// Most bytes read beyond the window only to count lines.
const COUNT_BYTES: u64 = 64 << 20;
const BUFFER_BYTES: usize = 64 << 10;

pub(super) fn run(
    arguments: Arguments<'_>,
    context: &BuiltinContext<'_>,
) -> Result<BuiltinOutput, CallError> {
    let asked = context.path("path", arguments.text("path")?)?;
    let first = arguments.count("offset", 1, u64::MAX)?;
    let limit = arguments.count("limit", DEFAULT_LINES, MAX_LINES)?;
    let opened = context.workspace.open_file(&asked)?;
    context.confirm("path", opened.path())?;

    let mut reader = Reader::new(opened.file(), opened.path(), opened.size(), context.cancel);
    text::refuse_binary(opened.path(), reader.buffered()?)?;
    let mut window = Window::default();
    if first == 1 {
        window.has_bom = reader.skip_prefix(text::BOM.as_bytes())?;
    }
    let skipped = reader.skip_lines(first - 1)?;
    let mut bytes = 0;
    let mut cut_by_size = false;
    while window.count() < limit {
        let Some(line) = reader.line()? else { break };
        bytes += line.bytes.len();
        window.push(first, line);
        if bytes >= context.max_value_bytes / 2 {
            cut_by_size = true;
            break;
        }
    }
    let shown = window.count();
    if shown == 0 && (skipped > 0 || first > 1) {
        let expected = match skipped {
            0 => format!("1, since `{asked}` is empty"),
            _ => {
                format!("at most {skipped}, since `{asked}` has {}", text::counted(skipped, "line", "lines"))
            }
        };
        return Err(violation("offset", &expected, &first.to_string()));
    }
    let more = reader.has_more()?;
    let rest = if more { reader.count_lines(COUNT_BYTES)? } else { Some(0) };
    let total = rest.map(|rest| first - 1 + shown + rest);

    let mut warnings = window.warnings();
    if cut_by_size && more {
        warnings.push("the window ends early because its lines are long".to_owned());
    }
    if total.is_none() {
        warnings.push(format!(
            "the file is large: lines beyond the next {} MiB were not counted",
            COUNT_BYTES >> 20
        ));
    }
    Ok(window.output(&asked, first, opened.size(), more, total, warnings))
}

/// The lines that are shown, and what is to be said about them.
#[derive(Default)]
struct Window {
    lines: Vec<String>,
    has_bom: bool,
    crlf: u64,
    lf: u64,
    not_utf8: Option<u64>,
    cut: Option<(u64, u64)>,
}

impl Window {
    fn count(&self) -> u64 {
        self.lines.len() as u64
    }

    fn push(&mut self, first: u64, line: Line) {
        let number = first + self.count();
        match line.end {
            End::Crlf => self.crlf += 1,
            End::Lf => self.lf += 1,
            End::File => {}
        }
        let mut text = match String::from_utf8(line.bytes) {
            Ok(text) => text,
            Err(error) => {
                let lossy = String::from_utf8_lossy(error.as_bytes()).into_owned();
                // A character that the cut went through is no fault of the file.
                if line.dropped == 0 || !is_cut_character(&error) {
                    self.not_utf8.get_or_insert(number);
                }
                lossy
            }
        };
        if line.dropped > 0 {
            text.truncate(text.trim_end_matches('\u{fffd}').len());
            text.push_str(&format!("… [{} more bytes]", line.dropped));
            self.cut.get_or_insert((number, line.dropped));
        }
        self.lines.push(text);
    }

    fn endings(&self) -> Endings {
        Endings::from_counts(self.crlf, self.lf)
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.has_bom {
            warnings.push("the file starts with a UTF-8 byte order mark, which is not shown".to_owned());
        }
        match self.endings() {
            Endings::Lf => {}
            Endings::Crlf => warnings.push("the lines end in CRLF, shown without the CR".to_owned()),
            Endings::Mixed => {
                warnings.push("some lines end in CRLF and some in LF, shown without the CR".to_owned())
            }
        }
        if let Some(line) = self.not_utf8 {
            warnings.push(format!(
                "not all of it is UTF-8 (first in line {line}): other bytes are shown as `\u{fffd}`"
            ));
        }
        if let Some((line, _)) = self.cut {
            warnings.push(format!("line {line} and others over {} KiB are cut", MAX_LINE_BYTES >> 10));
        }
        warnings
    }

    fn output(
        self,
        path: &WorkspacePath,
        first: u64,
        size: u64,
        more: bool,
        total: Option<u64>,
        warnings: Vec<String>,
    ) -> BuiltinOutput {
        let mut value = Map::new();
        value.insert("path".to_owned(), json!(path.as_argument()));
        value.insert("first".to_owned(), json!(first));
        value.insert("lines".to_owned(), json!(self.lines));
        if let Some(total) = total {
            value.insert("total_lines".to_owned(), json!(total));
        }
        value.insert("size".to_owned(), json!(size));
        match self.endings() {
            Endings::Lf => {}
            Endings::Crlf => drop(value.insert("line_ends".to_owned(), json!("crlf"))),
            Endings::Mixed => drop(value.insert("line_ends".to_owned(), json!("mixed"))),
        }
        let mut numbered = String::with_capacity(self.lines.iter().map(|line| line.len() + 8).sum());
        for (number, line) in (first..).zip(&self.lines) {
            let written = writeln!(numbered, "{number}\t{line}");
            debug_assert!(written.is_ok(), "a string takes every write");
        }
        BuiltinOutput {
            value: Value::Object(value),
            text: Some(numbered),
            total: Some(total.map_or_else(|| json!({"bytes": size}), |total| json!({"lines": total}))),
            next: more.then(|| json!({"offset": first + self.lines.len() as u64})),
            truncated: more,
            display: DisplayBody::FileWindow {
                path: path.as_argument().into_owned(),
                first,
                lines: self.lines,
            },
            effect: Effect::None,
            warnings,
        }
    }
}

/// Whether the only fault is a character without its end, at the end.
fn is_cut_character(error: &std::string::FromUtf8Error) -> bool {
    error.utf8_error().error_len().is_none()
}

/// One line, bounded.
struct Line {
    bytes: Vec<u8>,
    /// Bytes of the line that are left out.
    dropped: u64,
    end: End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Lf,
    Crlf,
    File,
}

/// Goes through a file once.
struct Reader<'f> {
    reader: BufReader<&'f File>,
    path: &'f WorkspacePath,
    cancel: &'f Cancel,
}

impl<'f> Reader<'f> {
    fn new(file: &'f File, path: &'f WorkspacePath, size: u64, cancel: &'f Cancel) -> Self {
        let capacity = usize::try_from(size).unwrap_or(BUFFER_BYTES).clamp(512, BUFFER_BYTES - 1) + 1;
        Self { reader: BufReader::with_capacity(capacity, file), path, cancel }
    }

    /// The bytes that come next, some of them; none at the end.
    fn buffered(&mut self) -> Result<&[u8], CallError> {
        self.reader.fill_buf().map_err(|error| text::unreadable(self.path, &error))
    }

    fn has_more(&mut self) -> Result<bool, CallError> {
        Ok(!self.buffered()?.is_empty())
    }

    fn skip_prefix(&mut self, prefix: &[u8]) -> Result<bool, CallError> {
        let found = self.buffered()?.starts_with(prefix);
        if found {
            self.reader.consume(prefix.len());
        }
        Ok(found)
    }

    /// Skips lines and returns how many there were to skip.
    fn skip_lines(&mut self, lines: u64) -> Result<u64, CallError> {
        let mut skipped = 0;
        let mut in_line = false;
        while skipped < lines {
            self.cancel.check()?;
            let chunk = self.buffered()?;
            if chunk.is_empty() {
                return Ok(skipped + u64::from(in_line));
            }
            let ends = count_line_ends(chunk);
            let used = if skipped + ends < lines {
                skipped += ends;
                in_line = chunk.last() != Some(&b'\n');
                chunk.len()
            } else {
                let wanted = usize::try_from(lines - skipped).unwrap_or(usize::MAX);
                skipped = lines;
                position_after_line_end(chunk, wanted)
            };
            self.reader.consume(used);
        }
        Ok(skipped)
    }

    fn line(&mut self) -> Result<Option<Line>, CallError> {
        let mut line = Line { bytes: Vec::new(), dropped: 0, end: End::File };
        let mut last = None;
        let mut began = false;
        loop {
            self.cancel.check()?;
            let chunk = self.buffered()?;
            if chunk.is_empty() {
                return Ok(began.then_some(line));
            }
            began = true;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or(chunk);
            let room = MAX_LINE_BYTES.saturating_sub(line.bytes.len());
            let kept = part.get(..room.min(part.len())).unwrap_or(part);
            line.bytes.extend_from_slice(kept);
            line.dropped += (part.len() - kept.len()) as u64;
            last = part.last().copied().or(last);
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                line.end = if last == Some(b'\r') { End::Crlf } else { End::Lf };
                if line.end == End::Crlf {
                    // The CR is the last byte of the line, kept or dropped.
                    if line.dropped > 0 {
                        line.dropped -= 1;
                    } else {
                        let _ = line.bytes.pop();
                    }
                }
                return Ok(Some(line));
            }
        }
    }

    /// The number of lines that follow; `None` where there are more than `budget` bytes of them.
    fn count_lines(&mut self, budget: u64) -> Result<Option<u64>, CallError> {
        let mut lines = 0;
        let mut read = 0;
        let mut in_line = false;
        loop {
            self.cancel.check()?;
            let chunk = self.buffered()?;
            if chunk.is_empty() {
                return Ok(Some(lines + u64::from(in_line)));
            }
            lines += count_line_ends(chunk);
            in_line = chunk.last() != Some(&b'\n');
            let used = chunk.len();
            read += used as u64;
            if read > budget {
                return Ok(None);
            }
            self.reader.consume(used);
        }
    }
}

fn count_line_ends(chunk: &[u8]) -> u64 {
    chunk.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}

/// The position after the line end number `wanted`, from 1.
fn position_after_line_end(chunk: &[u8], wanted: usize) -> usize {
    chunk
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .nth(wanted.saturating_sub(1))
        .map_or(chunk.len(), |(position, _)| position + 1)
}

#[cfg(test)]
mod tests;
