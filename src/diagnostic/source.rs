//! The text of loaded files, kept so that a problem can be shown where it stands.

use std::sync::Arc;

use super::{Location, SourceId, Span};

/// One loaded file.
#[derive(Debug, Clone)]
pub struct Source {
    /// The name shown to a person.
    pub name: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
    line_starts: Vec<usize>,
    /// Characters before every `STRIDE`th byte, so that a column on a huge line costs no walk over it.
    characters: Vec<usize>,
}

const STRIDE: usize = 1024;

/// Every file loaded in one go.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
}

impl SourceMap {
    /// Adds a file and returns its id.
    pub fn add(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> SourceId {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1))
            .collect();
        let id = SourceId(u32::try_from(self.sources.len()).unwrap_or(u32::MAX));
        let mut characters = Vec::with_capacity(text.len() / STRIDE + 1);
        let mut counted = 0;
        for chunk in text.as_bytes().chunks(STRIDE) {
            characters.push(counted);
            counted += count_characters(chunk);
        }
        self.sources.push(Source { name: name.into(), text, line_starts, characters });
        id
    }

    /// The file with this id, where it was added to this map.
    #[must_use]
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.sources.get(id.0 as usize)
    }

    /// Where `span` starts, as a person reads it.
    ///
    /// A span of a source that this map does not hold yields `<unknown>:1:1`.
    #[must_use]
    pub fn locate(&self, span: Span) -> Location {
        self.get(span.source).map_or_else(
            || Location { file: Arc::from("<unknown>"), line: 1, column: 1 },
            |source| source.locate(span.start as usize),
        )
    }
}

impl Source {
    /// The line and column of a byte offset; an offset past the end is the end.
    #[must_use]
    pub fn locate(&self, offset: usize) -> Location {
        let offset = offset.min(self.text.len());
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let column = self.characters_before(offset).saturating_sub(self.characters_before(start)) + 1;
        Location {
            file: Arc::clone(&self.name),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }

    fn characters_before(&self, offset: usize) -> usize {
        let stride = offset / STRIDE;
        let counted = self.characters.get(stride).copied().unwrap_or(0);
        counted + self.text.as_bytes().get(stride * STRIDE..offset).map_or(0, count_characters)
    }
}

/// How many characters start in `bytes`.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| !matches!(byte, 0x80..=0xbf)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_on_lines_of_any_length() {
        let text = format!("é\n{}z", "é".repeat(5_000));
        let mut sources = SourceMap::default();
        let id = sources.add("f", text.as_str());
        let location = sources.locate(Span::new(id, text.len() - 1..text.len()));
        assert_eq!((location.line, location.column), (2, 5_001));
        for multiple in 1..9 {
            let offset = 3 + multiple * STRIDE + 2;
            let counted = text[3..offset].chars().count();
            assert_eq!(sources.locate(Span::new(id, offset..offset)).column as usize, counted + 1);
        }
    }

    #[test]
    fn an_empty_file_and_an_end_of_text_have_places() {
        let mut sources = SourceMap::default();
        let (empty, full) = (sources.add("e", ""), sources.add("f", "a\nb\n"));
        assert_eq!(sources.locate(Span::new(empty, 9..9)).to_string(), "e:1:1");
        assert_eq!(sources.locate(Span::new(full, 4..4)).to_string(), "f:3:1");
        assert_eq!(sources.locate(Span::new(SourceId(9), 0..0)).to_string(), "<unknown>:1:1");
    }
}
