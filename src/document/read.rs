//! Reading YAML 1.2 strictly, in bounded time and memory.

use crate::diagnostic::{Diagnostic, Report, SourceId, Span};

use super::Node;
use super::build::Builder;

/// Bounds on what is read.
#[derive(Debug, Clone, Copy)]
pub struct ReadLimits {
    /// Bytes of the file, and of its text with aliases expanded.
    pub bytes: usize,
    /// Nodes of the tree, aliases expanded.
    pub nodes: usize,
    /// Nesting.
    pub depth: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { bytes: 8 << 20, nodes: 500_000, depth: 64 }
    }
}

/// Why a document could not be read: every problem found, each with its place.
#[derive(Debug)]
pub struct ReadError {
    /// The problems; never empty.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads one document. Warnings are dropped; [`read_reporting`] keeps them.
///
/// # Errors
/// A syntax error, a duplicate key, a tag, an alias bomb, a bound exceeded, more than one document, and every unquoted
/// scalar that readers of YAML disagree about.
pub fn read(source: SourceId, text: &str, limits: ReadLimits) -> Result<Node, ReadError> {
    let mut report = Report::default();
    let node = read_reporting(source, text, limits, &mut report);
    match node {
        Some(node) if !report.has_errors() => Ok(node),
        _ => Err(ReadError { diagnostics: report.diagnostics().to_vec() }),
    }
}

/// Reads one document and adds what is wrong with it to `report`.
///
/// The tree comes back also where it has errors that do not blur its structure, so that the problems of its content can
/// be reported in the same run. `None` means that there is no tree to look at.
pub fn read_reporting(source: SourceId, text: &str, limits: ReadLimits, report: &mut Report) -> Option<Node> {
    if text.len() > limits.bytes {
        let message = format!("the file has {} bytes, and at most {} are read", text.len(), limits.bytes);
        report.push(Diagnostic::error(Span::new(source, 0..0), message));
        return None;
    }
    if let Some((range, character)) = unreadable(text) {
        let message =
            format!("the file holds the character U+{:04X}, which text cannot hold", u32::from(character));
        report.push(
            Diagnostic::error(Span::new(source, range), message)
                .with_hint("remove it, or write an escape in double quotes"),
        );
        return None;
    }
    warn_of_reordering(source, text, report);
    Builder::new(source, text, limits, report).run()
}

/// The text of a file.
///
/// # Errors
/// The message names line and column of the first byte that is not UTF-8, both from 1.
pub fn decode(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let column =
            String::from_utf8_lossy(before.get(line_start..).unwrap_or_default()).chars().count() + 1;
        let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
        let advice = if wide { ": it looks like UTF-16, save it as UTF-8" } else { "" };
        format!("line {line}, column {column} is not UTF-8{advice}")
    })
}

/// The first character that YAML forbids, or that hides text from a reader: controls, a byte-order mark anywhere but at
/// the start, a carriage return that ends no line.
fn unreadable(text: &str) -> Option<(std::ops::Range<usize>, char)> {
    let bytes = text.as_bytes();
    // Only these bytes begin a character that is looked for; most files have none of them.
    let suspect = |byte: &u8| matches!(byte, 0..=8 | 11..=31 | 0x7f | 0xc2 | 0xef);
    if !bytes.iter().any(suspect) {
        return None;
    }
    text.char_indices()
        .find(|(at, character)| match character {
            '\t' | '\n' | '\u{85}' => false,
            '\r' => bytes.get(at + 1) != Some(&b'\n'),
            '\u{feff}' => *at != 0,
            '\u{fffe}' | '\u{ffff}' => true,
            other => other.is_control(),
        })
        .map(|(at, character)| (at..at + character.len_utf8(), character))
}

/// Warns where bidirectional controls make a line look other than it is read.
fn warn_of_reordering(source: SourceId, text: &str, report: &mut Report) {
    if text.is_ascii() {
        return;
    }
    let reorders = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if let Some((at, character)) = text.char_indices().find(|(_, c)| reorders(*c)) {
        let message = format!("U+{:04X} makes this line look other than it is read", u32::from(character));
        report.push(
            Diagnostic::warning(Span::new(source, at..at + character.len_utf8()), message)
                .with_hint("remove it"),
        );
    }
}

#[cfg(test)]
mod tests;
