//! Templates: text with `{{ … }}` placeholders.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::check::Surroundings;
use super::node::Node;
use super::number::double_to_text;
use super::syntax::{Lexer, TokenKind};
use super::types::Kinds;
use super::value::Val;
use super::{Bindings, CompileError, Declarations, EvaluationError, Expression, Syntax, Type};

/// Longest template, in bytes.
const MAX_BYTES: usize = 256 << 10;
/// Longest text that a template may become, in bytes.
const MAX_RENDERED: usize = 16 << 20;

/// Where a rendered template goes, which decides what it may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// One text: an argument of a command, an environment value. Never more than one.
    Text,
    /// A JSON value: a template that is one placeholder keeps its type.
    Value,
}

/// A parsed and checked template. Cloning shares it.
///
/// A placeholder holds an expression, which may itself hold braces and texts with `}}`. A literal `{{` is written
/// `{{"{{"}}`, a literal `}}` likewise.
#[derive(Debug, Clone)]
pub struct Template {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    source: String,
    placement: Placement,
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Text(String),
    Placeholder(Expression),
}

/// What is wrong with a template, and where in its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TemplateError {
    /// Byte range in the template's text.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl From<CompileError> for TemplateError {
    fn from(error: CompileError) -> Self {
        Self { range: error.range, message: error.message, hint: error.hint }
    }
}

impl TemplateError {
    fn new(range: Range<usize>, message: impl Into<String>, hint: &str) -> Self {
        Self { range, message: message.into(), hint: Some(hint.to_owned()) }
    }
}

impl Template {
    /// Parses and type-checks a template.
    ///
    /// # Errors
    /// Every problem found, with its place in the text; a placeholder that does not end comes alone.
    pub fn compile(
        source: &str,
        declarations: &Declarations,
        placement: Placement,
    ) -> Result<Self, Vec<TemplateError>> {
        let pieces = split(source).map_err(|error| vec![error])?;
        let alone = placement == Placement::Value && matches!(pieces.as_slice(), [Piece::Placeholder(_)]);
        let mut errors = Vec::new();
        let mut parts = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(range) => {
                    let text = source.get(range.clone()).unwrap_or_default();
                    if placement == Placement::Text && text.contains('\0') {
                        errors.push(TemplateError::new(
                            range,
                            "a NUL character",
                            "no program can be given one",
                        ));
                    }
                    push_text(&mut parts, text);
                }
                Piece::Placeholder(range) => match placeholder(source, &range, declarations, alone) {
                    Ok(expression) => match expression.node() {
                        Node::Constant(Val::Text(text)) => push_text(&mut parts, text),
                        _ => parts.push(Part::Placeholder(expression)),
                    },
                    Err(problems) => errors.extend(problems),
                },
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Self { inner: Arc::new(Inner { source: source.to_owned(), placement, parts }) })
    }

    /// The text it was compiled from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.inner.source
    }

    /// Whether the whole template is one placeholder, so that all of its text is someone else's.
    #[must_use]
    pub fn is_one_placeholder(&self) -> bool {
        matches!(self.inner.parts.as_slice(), [Part::Placeholder(_)])
    }

    /// Its expressions, in order.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.inner.parts.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Placeholder(expression) => Some(expression),
        })
    }

    /// Whether one of its expressions reads the variable of this name.
    #[must_use]
    pub fn reads(&self, variable: &str) -> bool {
        self.expressions().any(|expression| expression.reads(variable))
    }

    /// Renders to text.
    ///
    /// # Errors
    /// [`EvaluationError`], also where a placeholder inside text yields something other than a string, number or
    /// boolean, where [`Placement::Text`] would get a NUL character, and where the text is longer than 16 MiB.
    pub fn render_text(&self, bindings: &dyn Bindings) -> Result<String, EvaluationError> {
        let mut rendered = String::new();
        for part in &self.inner.parts {
            match part {
                Part::Text(text) => rendered.push_str(text),
                Part::Placeholder(expression) => rendered.push_str(&text_of(expression, bindings)?),
            }
            if rendered.len() > MAX_RENDERED {
                return Err(EvaluationError::Value(format!("a text of more than {MAX_RENDERED} bytes")));
            }
        }
        if self.inner.placement == Placement::Text && rendered.contains('\0') {
            return Err(EvaluationError::Value("a NUL character, which no program can be given".to_owned()));
        }
        Ok(rendered)
    }

    /// Its texts between the placeholders, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.inner.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Placeholder(_) => None,
        })
    }

    /// The text before its first placeholder.
    #[must_use]
    pub fn leading_text(&self) -> &str {
        match self.inner.parts.first() {
            Some(Part::Text(text)) => text,
            Some(Part::Placeholder(_)) | None => "",
        }
    }

    /// Renders to text, with what each placeholder yields put through `encode`; its own texts stay as they are.
    ///
    /// # Errors
    /// As [`render_text`](Self::render_text).
    pub fn render_encoded(
        &self,
        bindings: &dyn Bindings,
        encode: &mut dyn FnMut(&str) -> String,
    ) -> Result<String, EvaluationError> {
        let mut rendered = String::new();
        for part in &self.inner.parts {
            match part {
                Part::Text(text) => rendered.push_str(text),
                Part::Placeholder(expression) => rendered.push_str(&encode(&text_of(expression, bindings)?)),
            }
            if rendered.len() > MAX_RENDERED {
                return Err(EvaluationError::Value(format!("a text of more than {MAX_RENDERED} bytes")));
            }
        }
        Ok(rendered)
    }

    /// Renders to JSON: one placeholder keeps its type, a bare path is spliced from the stored JSON.
    ///
    /// # Errors
    /// [`EvaluationError`], as for [`render_text`](Self::render_text) where it is text.
    pub fn render_value(&self, bindings: &dyn Bindings) -> Result<Value, EvaluationError> {
        match (self.inner.placement, self.inner.parts.as_slice()) {
            (Placement::Value, [Part::Placeholder(expression)]) => match expression.splice(bindings) {
                Some(stored) => Ok(stored?.into_owned()),
                None => expression.evaluate(bindings),
            },
            _ => self.render_text(bindings).map(Value::String),
        }
    }
}

/// A part of the source: text, or what stands between the braces of a placeholder.
enum Piece {
    Text(Range<usize>),
    Placeholder(Range<usize>),
}

fn split(source: &str) -> Result<Vec<Piece>, TemplateError> {
    if source.len() > MAX_BYTES {
        let message = format!("a template of {} bytes", source.len());
        return Err(TemplateError::new(0..source.len(), message, "at most 256 KiB are read"));
    }
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let length = rest.find("{{").unwrap_or(rest.len());
        let text = rest.get(..length).unwrap_or_default();
        if let Some(stray) = text.find("}}") {
            let range = at + stray..at + stray + 2;
            return Err(TemplateError::new(
                range,
                "`}}` without `{{`",
                "a literal `}}` is written `{{\"}}\"}}`",
            ));
        }
        if length > 0 {
            pieces.push(Piece::Text(at..at + length));
        }
        at += length;
        if length < rest.len() {
            let inside = at + 2..end_of_placeholder(source, at)?;
            at = inside.end + 2;
            pieces.push(Piece::Placeholder(inside));
        }
    }
    Ok(pieces)
}

/// The byte where the `}}` of the placeholder that starts at byte `start` begins. Braces and texts of the
/// expression are skipped as CEL reads them.
fn end_of_placeholder(source: &str, start: usize) -> Result<usize, TemplateError> {
    let unterminated = || {
        TemplateError::new(
            start..source.len(),
            "`{{` without `}}`",
            "end the placeholder with `}}`; a literal `{{` is written `{{\"{{\"}}`",
        )
    };
    let mut lexer = Lexer::new(source, start + 2);
    let mut depth = 0_usize;
    loop {
        let token = match lexer.next() {
            Ok(token) => token,
            Err(error) if source.get(start..).is_some_and(|rest| rest.contains("}}")) => {
                return Err(error.into());
            }
            Err(_) => return Err(unterminated()),
        };
        match token.kind {
            TokenKind::End => return Err(unterminated()),
            TokenKind::LeftBrace => depth += 1,
            TokenKind::RightBrace if depth > 0 => depth -= 1,
            TokenKind::RightBrace => {
                let closed = source.get(token.range.start..).is_some_and(|rest| rest.starts_with("}}"));
                return if closed { Ok(token.range.start) } else { Err(unterminated()) };
            }
            _ => {}
        }
    }
}

fn placeholder(
    source: &str,
    range: &Range<usize>,
    declarations: &Declarations,
    alone: bool,
) -> Result<Expression, Vec<TemplateError>> {
    let written = source.get(range.clone()).unwrap_or_default();
    let located = |errors: Vec<CompileError>| -> Vec<TemplateError> {
        errors.into_iter().map(|error| error.shifted(range.start).into()).collect()
    };
    let syntax = Syntax::parse(written).map_err(located)?;
    let expression = Expression::from_syntax(syntax, declarations, &Type::Dynamic, Surroundings::Template)
        .map_err(located)?;
    let printable = Kinds::TEXT.or(Kinds::NUMBER).or(Kinds::BOOL).or(Kinds::PATH).or(Kinds::URL);
    if !alone && !expression.value_type().kinds().overlaps(printable) {
        let written = written.trim();
        let message = format!("`{written}` is {} and cannot stand inside text", expression.value_type());
        let hint = format!("write it as JSON text: `json({written})`");
        return Err(vec![TemplateError::new(range.clone(), message, &hint)]);
    }
    Ok(expression)
}

fn push_text(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        Some(Part::Text(before)) => before.push_str(text),
        _ => parts.push(Part::Text(text.to_owned())),
    }
}

fn text_of(expression: &Expression, bindings: &dyn Bindings) -> Result<String, EvaluationError> {
    let (value, stored) = match expression.splice(bindings) {
        Some(value) => (value?.into_owned(), true),
        None => (expression.evaluate(bindings)?, false),
    };
    match value {
        Value::String(text) => Ok(text),
        Value::Bool(value) => Ok(value.to_string()),
        // A stored number keeps its form; one that was computed has none of its own.
        Value::Number(number) => Ok(match number.as_f64() {
            Some(double) if number.is_f64() && !stored => double_to_text(double),
            _ => number.to_string(),
        }),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            let written = expression.source().trim();
            let kind = match value {
                Value::Null => "null",
                Value::Array(_) => "a list",
                _ => "an object",
            };
            Err(EvaluationError::Type(format!(
                "`{written}` is {kind} and cannot stand inside text: write `json({written})`"
            )))
        }
    }
}
