//! From the parser's events to the tree, without recursion and within bounds.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, StrInput, StructureStyle};

use crate::diagnostic::{Diagnostic, Report, SourceId, Span};

use super::comment::swallows_expression;
use super::frame::{Anchored, Frame, Keys, Kind, Weight};
use super::scalar::resolve;
use super::syntax::{TEMPLATE, explain, is_tab};
use super::{Entry, Node, NodeValue, ReadLimits};

/// Most problems reported for one file: beyond, more of them help nobody.
const MOST_PROBLEMS: usize = 1_000;

/// Stops reading: what went wrong is in the report.
struct Stop;

pub(super) struct Builder<'a> {
    source: SourceId,
    text: &'a str,
    limits: ReadLimits,
    report: &'a mut Report,
    frames: Vec<Frame>,
    anchors: HashMap<usize, Anchored>,
    weight: Weight,
    /// Open collections that are passed over, because what they stand for was reported.
    skipping: usize,
    root: Option<Node>,
    documents: usize,
    /// Where an unquoted template was reported; what the parser says about the rest of that line is its echo.
    template: Option<usize>,
    problems: usize,
}

impl<'a> Builder<'a> {
    pub(super) fn new(source: SourceId, text: &'a str, limits: ReadLimits, report: &'a mut Report) -> Self {
        Self {
            source,
            text,
            limits,
            report,
            frames: Vec::new(),
            anchors: HashMap::new(),
            weight: Weight::default(),
            skipping: 0,
            root: None,
            documents: 0,
            template: None,
            problems: 0,
        }
    }

    pub(super) fn run(mut self) -> Option<Node> {
        let options = granit_parser::options! {
            disallow_directives: true,
            emit_comments: false,
            flow_nesting_limit: self.limits.depth,
            block_nesting_limit: self.limits.depth,
        };
        let mut parser = Parser::new_from_str_with_options(self.text, options);
        match self.events(&mut parser) {
            Ok(()) => {
                let nothing = Node { value: NodeValue::Null, span: self.span(0..0) };
                Some(self.root.unwrap_or(nothing))
            }
            Err(Stop) => None,
        }
    }

    fn events(&mut self, parser: &mut Parser<'a, StrInput<'a>>) -> Result<(), Stop> {
        while let Some(next) = parser.next_event() {
            let (event, place) = next.map_err(|error| self.syntax(&error))?;
            let range = place.byte_range().unwrap_or(0..0);
            if let Some(tag) = place.tag_span().and_then(|tag| tag.byte_range()) {
                self.problem(tag, "tags are not supported", Some("quote text that starts with `!`"))?;
            }
            match event {
                Event::Scalar(text, style, anchor, _) => self.scalar(&text, style, anchor, range)?,
                Event::SequenceStart(style, anchor, _) => {
                    self.open(Kind::Sequence(Vec::new()), style, anchor, range)?;
                }
                Event::MappingStart(style, anchor, _) => {
                    let kind = Kind::Mapping { entries: Vec::new(), keys: Keys::default(), pending: None };
                    self.open(kind, style, anchor, range)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(range)?,
                Event::Alias(id) => self.alias(id, range)?,
                Event::DocumentStart(..) => {
                    self.documents += 1;
                    if self.documents > 1 {
                        self.problem(
                            range,
                            "the file holds more than one document",
                            Some("keep one, without `---` after it"),
                        )?;
                        return Err(Stop);
                    }
                }
                // Comments, anchors and unresolved aliases are not asked for; the rest frames the stream.
                _ => {}
            }
        }
        Ok(())
    }

    fn syntax(&mut self, error: &granit_parser::ScanError) -> Stop {
        let at = error.marker().byte_offset().unwrap_or(0).min(self.text.len());
        let at = if is_tab(error.kind()) { self.tab_from(at) } else { at };
        let line = self.line_of(at);
        if self.template.is_some_and(|template| line.contains(&template)) {
            return Stop;
        }
        let (message, hint) = explain(error, self.text.get(line).unwrap_or_default());
        let next = self.text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let _ = self.problem(at..at + next, message, hint.as_deref());
        Stop
    }

    /// The tab that indents, at `at` or in the next lines: the parser may have stopped in the line before it.
    fn tab_from(&self, at: usize) -> usize {
        let from = self.line_of(at).start;
        let mut start = from;
        for line in self.text.get(from..).unwrap_or_default().split_inclusive('\n') {
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            match line.get(..indent).and_then(|indent| indent.find('\t')) {
                Some(tab) if start + indent >= at => return start + tab,
                _ => start += line.len(),
            }
        }
        at
    }

    fn line_of(&self, at: usize) -> Range<usize> {
        let at = self.text.floor_char_boundary(at);
        let start =
            self.text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
        let end = self
            .text
            .get(at..)
            .and_then(|rest| rest.find('\n'))
            .map_or(self.text.len(), |length| at + length);
        start..end
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        range: Range<usize>,
    ) -> Result<(), Stop> {
        if self.skipping > 0 {
            return Ok(());
        }
        self.charge(Weight { nodes: 1, bytes: text.len() }, &range)?;
        let plain = style == ScalarStyle::Plain;
        if self.key_expected() {
            return self.key(text, plain, anchor, range);
        }
        let value = if plain { self.plain(text, &range)? } else { NodeValue::String(text.to_owned()) };
        if plain
            && let Some(comment) = swallows_expression(text, self.text.get(range.end..).unwrap_or_default())
        {
            let span = self.span(range.end + comment..range.end + comment + 1);
            let warning = Diagnostic::warning(span, "` #` ends this expression: what follows is a comment");
            self.report.push(warning.with_hint("quote the expression, or write it as a `|` block"));
        }
        self.place(Node { value, span: self.span(range) }, anchor, Weight { nodes: 1, bytes: text.len() }, 0);
        Ok(())
    }

    fn plain(&mut self, text: &str, range: &Range<usize>) -> Result<NodeValue, Stop> {
        match resolve(text) {
            Ok(value) => Ok(value),
            Err(ambiguous) => {
                self.problem(range.clone(), ambiguous.message, Some(&ambiguous.hint))?;
                // Text stands in for it, so that the rest of the file can be looked at.
                Ok(NodeValue::String(text.to_owned()))
            }
        }
    }

    fn key(&mut self, text: &str, plain: bool, anchor: usize, range: Range<usize>) -> Result<(), Stop> {
        if anchor != 0 {
            self.problem(range.clone(), "a key cannot have an anchor", None)?;
        }
        if plain {
            if text == "<<" {
                self.problem(range.clone(), "merge keys are not supported", Some("write the keys out"))?;
            }
            match resolve(text) {
                Ok(NodeValue::Null) => {
                    self.problem(
                        range.clone(),
                        "a key is missing or null",
                        Some("write a key, in quotes if it is meant as text"),
                    )?;
                }
                Ok(NodeValue::Bool(_)) => {
                    let hint = format!("write \"{text}\"");
                    self.problem(
                        range.clone(),
                        format!("the key `{text}` is a truth value, not text"),
                        Some(&hint),
                    )?;
                }
                Ok(_) => {}
                Err(ambiguous) => {
                    let hint = format!("write the key as \"{text}\"");
                    self.problem(range.clone(), ambiguous.message, Some(&hint))?;
                }
            }
        }
        let span = self.span(range.clone());
        let mut earlier = None;
        if let Some(Frame { kind: Kind::Mapping { keys, pending, entries }, .. }) = self.frames.last_mut() {
            earlier = keys.insert(text, span, entries);
            *pending = Some((text.to_owned(), span));
        }
        if let Some(earlier) = earlier {
            let line =
                self.text.get(..earlier.range().start).map_or(0, |before| before.matches('\n').count()) + 1;
            let hint = format!("the first is on line {line}; keys are compared as text");
            self.problem(range, format!("the key `{text}` occurs twice"), Some(&hint))?;
        }
        Ok(())
    }

    fn open(
        &mut self,
        kind: Kind,
        style: StructureStyle,
        anchor: usize,
        range: Range<usize>,
    ) -> Result<(), Stop> {
        if self.skipping > 0 {
            self.skipping += 1;
            return Ok(());
        }
        let flow_mapping = style == StructureStyle::Flow && matches!(kind, Kind::Mapping { .. });
        if flow_mapping && self.text.get(range.start..).is_some_and(|rest| rest.starts_with("{{")) {
            self.template = Some(range.start);
            self.problem(
                range.start..range.start + 2,
                "an unquoted `{{` is a mapping in YAML, not a template",
                Some(TEMPLATE),
            )?;
            return self.skip(range);
        }
        if self.key_expected() {
            self.problem(
                range.clone(),
                "a key must be text",
                Some("quote text that starts with `{` or `[`"),
            )?;
            return self.skip(range);
        }
        self.charge(Weight { nodes: 1, bytes: 0 }, &range)?;
        if self.frames.len() >= self.limits.depth {
            return self.fatal(range, format!("the file is nested deeper than {} levels", self.limits.depth));
        }
        // The parser gives block collections an empty place before their first token.
        let end = if range.is_empty() { range.start + 1 } else { range.end };
        let before = Weight { nodes: self.weight.nodes - 1, bytes: self.weight.bytes };
        self.frames.push(Frame { kind, span: self.span(range.start..end), anchor, before, height: 0 });
        Ok(())
    }

    /// Passes over the collection that starts here; null stands in for it.
    fn skip(&mut self, range: Range<usize>) -> Result<(), Stop> {
        if self.key_expected() {
            let name = self.text.get(range.clone()).unwrap_or_default().to_owned();
            let span = self.span(range);
            if let Some(Frame { kind: Kind::Mapping { pending, .. }, .. }) = self.frames.last_mut() {
                *pending = Some((name, span));
            }
        } else {
            self.charge(Weight { nodes: 1, bytes: 0 }, &range)?;
            let span = self.span(range);
            self.place(Node { value: NodeValue::Null, span }, 0, Weight { nodes: 1, bytes: 0 }, 0);
        }
        self.skipping = 1;
        Ok(())
    }

    fn close(&mut self, range: Range<usize>) -> Result<(), Stop> {
        if self.skipping > 0 {
            self.skipping -= 1;
            return Ok(());
        }
        let Some(frame) = self.frames.pop() else {
            return self.fatal(range, "the file ends a collection that it never began".to_owned());
        };
        let (value, span) = match frame.kind {
            Kind::Sequence(items) => (NodeValue::Sequence(items), frame.span),
            Kind::Mapping { entries, .. } => {
                let flow = self.text.get(frame.span.range()) == Some("{");
                let span = entries.first().filter(|_| !flow).map_or(frame.span, |first| first.key_span);
                (NodeValue::Mapping(entries), span)
            }
        };
        let weight = Weight {
            nodes: self.weight.nodes - frame.before.nodes,
            bytes: self.weight.bytes - frame.before.bytes,
        };
        if frame.anchor != 0 {
            // The kept copy costs as much as the part itself.
            self.charge(weight, &span.range())?;
        }
        self.place(Node { value, span }, frame.anchor, weight, frame.height + 1);
        Ok(())
    }

    fn alias(&mut self, id: usize, range: Range<usize>) -> Result<(), Stop> {
        if self.skipping > 0 {
            return Ok(());
        }
        if self.key_expected() {
            self.problem(range.clone(), "a key cannot be an alias", Some("write the key out"))?;
            return self.key("*", false, 0, range);
        }
        let Some(anchored) = self.anchors.get(&id) else {
            return self.fatal(range, "this alias stands inside the anchor that it names".to_owned());
        };
        let (weight, height) = (anchored.weight, anchored.height);
        self.charge(weight, &range)?;
        if self.frames.len() + height > self.limits.depth {
            return self.fatal(range, format!("this alias nests deeper than {} levels", self.limits.depth));
        }
        let value = self.anchors.get(&id).map_or(NodeValue::Null, |anchored| anchored.node.value.clone());
        self.place(Node { value, span: self.span(range) }, 0, weight, height);
        Ok(())
    }

    /// Puts a finished node where it belongs.
    fn place(&mut self, node: Node, anchor: usize, weight: Weight, height: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, Anchored { node: node.clone(), weight, height });
        }
        let Some(frame) = self.frames.last_mut() else {
            self.root = Some(node);
            return;
        };
        frame.height = frame.height.max(height);
        match &mut frame.kind {
            Kind::Sequence(items) => items.push(node),
            Kind::Mapping { entries, pending, .. } => {
                if let Some((key, key_span)) = pending.take() {
                    entries.push(Entry { key, key_span, value: node });
                }
            }
        }
    }

    fn key_expected(&self) -> bool {
        matches!(self.frames.last(), Some(Frame { kind: Kind::Mapping { pending: None, .. }, .. }))
    }

    fn charge(&mut self, weight: Weight, range: &Range<usize>) -> Result<(), Stop> {
        self.weight.nodes = self.weight.nodes.saturating_add(weight.nodes);
        self.weight.bytes = self.weight.bytes.saturating_add(weight.bytes);
        if self.weight.nodes > self.limits.nodes || self.weight.bytes > self.limits.bytes {
            let message = format!(
                "the file is too large once its aliases are expanded: at most {} values and {} bytes are read",
                self.limits.nodes, self.limits.bytes
            );
            return self.fatal(range.clone(), message);
        }
        Ok(())
    }

    fn fatal(&mut self, range: Range<usize>, message: String) -> Result<(), Stop> {
        self.problem(range, message, None)?;
        Err(Stop)
    }

    fn problem(
        &mut self,
        range: Range<usize>,
        message: impl Into<String>,
        hint: Option<&str>,
    ) -> Result<(), Stop> {
        let diagnostic = Diagnostic::error(self.span(range), message);
        self.report.push(match hint {
            Some(hint) => diagnostic.with_hint(hint),
            None => diagnostic,
        });
        self.problems += 1;
        if self.problems >= MOST_PROBLEMS { Err(Stop) } else { Ok(()) }
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.source, range)
    }
}
