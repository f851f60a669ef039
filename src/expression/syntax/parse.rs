//! A recursive-descent parser for CEL.
//!
//! Grammar: <https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax>, with the optional
//! syntax (`.?`, `[?]`) and without messages, byte strings and names that begin with a dot.

use std::ops::Range;

use crate::expression::CompileError;

use super::literal;
use super::token::{Lexer, Token, TokenKind};
use super::tree::{BinaryOperator, Expr, Kind, Literal, Logical, UnaryOperator};

/// Longest text that is looked at, in bytes.
pub(super) const MAX_BYTES: usize = 16 << 10;
/// Deepest nesting, of brackets as well as of the tree.
pub(super) const MAX_DEPTH: usize = 64;

const YAML_ADVICE: &str =
    "in YAML, put an expression in single quotes and the text inside it in double quotes, or use a `|` block";

/// Parses a whole text.
///
/// # Errors
/// The first thing that is wrong with it; advice about quoting in YAML comes with every one.
pub(super) fn parse(source: &str) -> Result<Expr, CompileError> {
    if source.len() > MAX_BYTES {
        return Err(CompileError::new(0..source.len(), format!("an expression of {} bytes", source.len()))
            .with_hint(format!("at most {MAX_BYTES} bytes are read; split it into several rules")));
    }
    parse_all(source).map_err(|mut error| {
        error.hint = Some(match error.hint {
            Some(hint) => format!("{hint}; {YAML_ADVICE}"),
            None => YAML_ADVICE.to_owned(),
        });
        error
    })
}

fn parse_all(source: &str) -> Result<Expr, CompileError> {
    let mut lexer = Lexer::new(source, 0);
    let token = lexer.next()?;
    if token.kind == TokenKind::End {
        return Err(CompileError::new(0..source.len(), "an empty expression"));
    }
    let mut parser = Parser { source, lexer, token, previous_end: 0, depth: 0 };
    let expr = parser.expression()?;
    match parser.token.kind {
        TokenKind::End => Ok(expr),
        _ => Err(parser.unexpected("the end or an operator")),
    }
}

pub(super) struct Parser<'a> {
    source: &'a str,
    lexer: Lexer<'a>,
    pub(super) token: Token,
    previous_end: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn text(&self, range: &Range<usize>) -> &'a str {
        self.source.get(range.clone()).unwrap_or_default()
    }

    pub(super) fn advance(&mut self) -> Result<Token, CompileError> {
        let next = self.lexer.next()?;
        self.previous_end = self.token.range.end;
        Ok(std::mem::replace(&mut self.token, next))
    }

    pub(super) fn accept(&mut self, kind: TokenKind) -> Result<Option<Token>, CompileError> {
        if self.token.kind == kind { self.advance().map(Some) } else { Ok(None) }
    }

    pub(super) fn expect(&mut self, kind: TokenKind, wanted: &str) -> Result<Token, CompileError> {
        if self.token.kind == kind { self.advance() } else { Err(self.unexpected(wanted)) }
    }

    fn unexpected(&self, wanted: &str) -> CompileError {
        let range = self.token.range.clone();
        let found = match self.token.kind {
            TokenKind::End => "the end".to_owned(),
            _ => format!("`{}`", self.text(&range).escape_debug()),
        };
        let error = CompileError::new(range.clone(), format!("expected {wanted}, found {found}"));
        match self.text(&range) {
            "and" | "AND" => error.with_hint("both conditions is `&&`"),
            "or" | "OR" => error.with_hint("either condition is `||`"),
            "not" | "NOT" => error.with_hint("the opposite is `!`"),
            _ => error,
        }
    }

    pub(super) fn node(&self, kind: Kind, range: Range<usize>) -> Result<Expr, CompileError> {
        let mut expr = Expr { kind, range, depth: 0 };
        expr.depth = 1 + expr.children().iter().map(|child| child.depth).max().unwrap_or(0);
        if expr.depth > MAX_DEPTH { Err(too_deep(expr.range)) } else { Ok(expr) }
    }

    /// One level deeper; every way for the grammar to recurse passes here.
    fn nested<T>(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<T, CompileError>,
    ) -> Result<T, CompileError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(too_deep(self.token.range.clone()));
        }
        let result = part(self);
        self.depth -= 1;
        result
    }

    pub(super) fn expression(&mut self) -> Result<Expr, CompileError> {
        self.nested(Self::conditional)
    }

    fn conditional(&mut self) -> Result<Expr, CompileError> {
        let start = self.token.range.start;
        let condition = self.logical(Logical::Or)?;
        let Some(question) = self.accept(TokenKind::Question)? else { return Ok(condition) };
        if self.token.kind == TokenKind::Dot {
            let range = question.range.start..self.token.range.end;
            return Err(CompileError::new(range, "`?.` is no operator")
                .with_hint("the operator for a part that may be absent is `.?`: `x.?f.orValue(\"\")`"));
        }
        let yes = self.nested(|parser| parser.logical(Logical::Or))?;
        self.expect(TokenKind::Colon, "`:` and the other choice")?;
        let no = self.expression()?;
        self.node(Kind::Conditional(Box::new([condition, yes, no])), start..self.previous_end)
    }

    fn logical(&mut self, operator: Logical) -> Result<Expr, CompileError> {
        let token = match operator {
            Logical::Or => TokenKind::Or,
            Logical::And => TokenKind::And,
        };
        let term = |parser: &mut Self| match operator {
            Logical::Or => parser.logical(Logical::And),
            Logical::And => parser.binary(0),
        };
        let start = self.token.range.start;
        let first = term(self)?;
        if self.token.kind != token {
            return Ok(first);
        }
        let mut terms = Vec::new();
        absorb(&mut terms, first, operator);
        while self.accept(token)?.is_some() {
            absorb(&mut terms, term(self)?, operator);
        }
        self.node(Kind::Logical { operator, terms }, start..self.previous_end)
    }

    fn binary(&mut self, floor: u8) -> Result<Expr, CompileError> {
        let start = self.token.range.start;
        let mut left = self.unary()?;
        while let Some((operator, strength)) =
            self.binary_operator().filter(|(_, strength)| *strength >= floor)
        {
            let operator_range = self.advance()?.range;
            let right = self.binary(strength + 1)?;
            let range = start..self.previous_end;
            left = self
                .node(Kind::Binary { operator, operator_range, operands: Box::new([left, right]) }, range)?;
        }
        Ok(left)
    }

    fn binary_operator(&self) -> Option<(BinaryOperator, u8)> {
        Some(match self.token.kind {
            TokenKind::Equal => (BinaryOperator::Equal, 0),
            TokenKind::NotEqual => (BinaryOperator::NotEqual, 0),
            TokenKind::Less => (BinaryOperator::Less, 0),
            TokenKind::LessEqual => (BinaryOperator::LessEqual, 0),
            TokenKind::Greater => (BinaryOperator::Greater, 0),
            TokenKind::GreaterEqual => (BinaryOperator::GreaterEqual, 0),
            TokenKind::Identifier if self.text(&self.token.range) == "in" => (BinaryOperator::In, 0),
            TokenKind::Plus => (BinaryOperator::Add, 1),
            TokenKind::Minus => (BinaryOperator::Subtract, 1),
            TokenKind::Star => (BinaryOperator::Multiply, 2),
            TokenKind::Slash => (BinaryOperator::Divide, 2),
            TokenKind::Percent => (BinaryOperator::Remainder, 2),
            _ => return None,
        })
    }

    fn unary(&mut self) -> Result<Expr, CompileError> {
        let start = self.token.range.start;
        let operator = match self.token.kind {
            TokenKind::Not => UnaryOperator::Not,
            TokenKind::Minus => UnaryOperator::Negate,
            _ => return self.member(),
        };
        self.advance()?;
        if operator == UnaryOperator::Negate
            && let TokenKind::Integer | TokenKind::Decimal = self.token.kind
        {
            let token = self.advance()?;
            let (text, range) = (self.text(&token.range), start..token.range.end);
            let value = match token.kind {
                TokenKind::Integer => literal::integer(text, true, range.clone())?,
                _ => literal::decimal(text, true, range.clone())?,
            };
            let number = self.node(Kind::Literal(value), range)?;
            return self.postfix(number, start);
        }
        let operand = Box::new(self.nested(Self::unary)?);
        self.node(Kind::Unary { operator, operand }, start..self.previous_end)
    }

    fn member(&mut self) -> Result<Expr, CompileError> {
        let start = self.token.range.start;
        let primary = self.primary()?;
        self.postfix(primary, start)
    }

    fn postfix(&mut self, mut base: Expr, start: usize) -> Result<Expr, CompileError> {
        loop {
            if self.accept(TokenKind::Dot)?.is_some() {
                let optional = self.accept(TokenKind::Question)?.is_some();
                let (field, field_range) = self.field()?;
                if !optional && self.token.kind == TokenKind::LeftParenthesis {
                    base = self.method(base, field, field_range, start)?;
                } else {
                    let range = start..field_range.end;
                    let base_box = Box::new(base);
                    base = self.node(Kind::Select { base: base_box, field, field_range, optional }, range)?;
                }
            } else if self.accept(TokenKind::LeftBracket)?.is_some() {
                let optional = self.accept(TokenKind::Question)?.is_some();
                let index = Box::new(self.expression()?);
                let end = self.expect(TokenKind::RightBracket, "`]`")?.range.end;
                base = self.node(Kind::Index { base: Box::new(base), index, optional }, start..end)?;
            } else {
                return Ok(base);
            }
        }
    }

    fn field(&mut self) -> Result<(String, Range<usize>), CompileError> {
        let token = match self.token.kind {
            TokenKind::Identifier | TokenKind::QuotedIdentifier => self.advance()?,
            _ => return Err(self.unexpected("a field name")),
        };
        Ok((self.text(&token.range).trim_matches('`').to_owned(), token.range))
    }

    fn primary(&mut self) -> Result<Expr, CompileError> {
        let range = self.token.range.clone();
        let text = self.text(&range);
        match self.token.kind {
            TokenKind::LeftParenthesis => {
                self.advance()?;
                let inner = self.expression()?;
                self.expect(TokenKind::RightParenthesis, "`)`")?;
                return Ok(inner);
            }
            TokenKind::LeftBracket => return self.list(),
            TokenKind::LeftBrace => return self.map(),
            TokenKind::Identifier => return self.name(),
            _ => {}
        }
        let value = match self.token.kind {
            TokenKind::Integer | TokenKind::Unsigned => literal::integer(text, false, range.clone())?,
            TokenKind::Decimal => literal::decimal(text, false, range.clone())?,
            TokenKind::Text => Literal::Text(literal::text(text, &range)?),
            TokenKind::Bytes => {
                return Err(CompileError::new(range, "byte strings are not built in").with_hint("use a text"));
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.advance()?;
        self.node(Kind::Literal(value), range)
    }
}

/// Adds a term to a chain, or all terms of a bracketed chain of the same operator.
fn absorb(terms: &mut Vec<Expr>, term: Expr, operator: Logical) {
    match term.kind {
        Kind::Logical { operator: inner, terms: nested } if inner == operator => terms.extend(nested),
        kind => terms.push(Expr { kind, ..term }),
    }
}

fn too_deep(range: Range<usize>) -> CompileError {
    CompileError::new(range, format!("nested deeper than {MAX_DEPTH}"))
        .with_hint("split the condition into several rules")
}
