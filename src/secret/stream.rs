//! Redaction of a stream.

use super::mark;
use super::redact::Redactor;
use super::shape::Edge;

/// Token shapes are recognised within a line; a longer line is treated as if it ended.
const MOST_LINE: usize = 16 << 10;
/// What was passed on already and is kept to see what the next bytes belong to.
const CONTEXT: usize = 256;

/// Redacts a stream that arrives in chunks, holding back what could be the beginning of a secret.
///
/// Held back are the line that has not ended, at most 16 KiB of it, and as many bytes as the longest spelling of a resolved
/// secret takes.
pub struct StreamRedactor<'a> {
    redactor: &'a Redactor,
    buffer: Vec<u8>,
    /// How much of the buffer was passed on.
    passed: usize,
}

impl<'a> StreamRedactor<'a> {
    /// Starts a stream.
    #[must_use]
    pub fn new(redactor: &'a Redactor) -> Self {
        Self { redactor, buffer: Vec::new(), passed: 0 }
    }

    /// Takes a chunk and returns what can be shown by now.
    #[must_use]
    pub fn push(&mut self, chunk: &[u8]) -> Vec<u8> {
        self.buffer.extend_from_slice(chunk);
        let length = self.buffer.len();
        let line = self.buffer.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let mut safe = line.max(length.saturating_sub(MOST_LINE));
        if !self.redactor.search().is_empty() {
            safe = safe.min(length.saturating_sub(self.redactor.search().reach()));
        }
        if safe <= self.passed {
            return Vec::new();
        }
        let marks = self.redactor.marks(&self.buffer, Edge::Whole);
        // What reaches the end may go on in the next chunk.
        for mark in marks.iter().rev() {
            if mark.range.start < safe && (mark.range.end > safe || mark.range.end == length) {
                safe = mark.range.start;
            }
        }
        let mut out = Vec::new();
        if safe > self.passed {
            mark::write(
                &self.buffer,
                self.passed..safe,
                &marks,
                |label, hidden| self.redactor.placeholder(label, hidden),
                &mut out,
            );
            let kept = safe.saturating_sub(CONTEXT);
            self.buffer.drain(..kept);
            self.passed = safe - kept;
        }
        out
    }

    /// Ends the stream and returns the rest.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        let marks = self.redactor.marks(&self.buffer, Edge::Whole);
        let mut out = Vec::new();
        mark::write(
            &self.buffer,
            self.passed..self.buffer.len(),
            &marks,
            |label, hidden| self.redactor.placeholder(label, hidden),
            &mut out,
        );
        out
    }
}
