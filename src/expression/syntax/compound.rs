//! What begins with a name or holds others: calls, macros, lists, maps.

use std::ops::Range;

use crate::expression::CompileError;

use super::parse::Parser;
use super::token::TokenKind;
use super::tree::{Expr, Kind, Literal, Macro};

const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

impl Parser<'_> {
    pub(super) fn name(&mut self) -> Result<Expr, CompileError> {
        let token = self.advance()?;
        let range = token.range;
        let kind = match self.text(&range) {
            "true" => Kind::Literal(Literal::Bool(true)),
            "false" => Kind::Literal(Literal::Bool(false)),
            "null" => Kind::Literal(Literal::Null),
            "in" => return Err(CompileError::new(range, "`in` needs a value before it")),
            word if RESERVED.contains(&word) => {
                return Err(CompileError::new(range, format!("`{word}` is a reserved word")));
            }
            word if self.token.kind == TokenKind::LeftParenthesis => {
                return self.function(word.to_owned(), range);
            }
            "not" => {
                return Err(CompileError::new(range, "`not` is no operator").with_hint("the opposite is `!`"));
            }
            word => Kind::Identifier(word.to_owned()),
        };
        self.node(kind, range)
    }

    fn function(&mut self, name: String, name_range: Range<usize>) -> Result<Expr, CompileError> {
        let start = name_range.start;
        let (arguments, end) = self.arguments()?;
        let range = start..end;
        if name != "has" {
            return self.node(Kind::Call { target: None, name, name_range, arguments }, range);
        }
        let mut arguments = arguments.into_iter();
        match (arguments.next().map(|argument| argument.kind), arguments.next()) {
            (Some(Kind::Select { base, field, field_range, optional: false }), None) => {
                self.node(Kind::Has { base, field, field_range }, range)
            }
            (Some(Kind::Index { index, base, .. }), None) => {
                let (key, base) = (self.text(&index.range), self.text(&base.range));
                Err(CompileError::new(range, "`has` takes a field: `has(x.f)`")
                    .with_hint(format!("write `{key} in {base}`")))
            }
            _ => Err(CompileError::new(range, "`has` takes one field: `has(x.f)`")),
        }
    }

    pub(super) fn method(
        &mut self,
        target: Expr,
        name: String,
        name_range: Range<usize>,
        start: usize,
    ) -> Result<Expr, CompileError> {
        let (mut arguments, end) = self.arguments()?;
        let range = start..end;
        let Some((_, kind)) = Macro::NAMES.into_iter().find(|(text, _)| *text == name) else {
            return self
                .node(Kind::Call { target: Some(Box::new(target)), name, name_range, arguments }, range);
        };
        let wrong = || {
            CompileError::new(range.clone(), format!("`{name}` takes a name and a condition"))
                .with_hint(format!("for example `list.{name}(item, item != \"\")`"))
        };
        let filtered = kind == Macro::Map && arguments.len() == 3;
        if arguments.len() != 2 && !filtered {
            return Err(wrong());
        }
        let body = Box::new(arguments.pop().ok_or_else(wrong)?);
        let filter = if filtered { arguments.pop().map(Box::new) } else { None };
        let Some(Kind::Identifier(variable)) = arguments.pop().map(|argument| argument.kind) else {
            return Err(wrong());
        };
        self.node(Kind::Macro { kind, range: Box::new(target), variable, filter, body }, range)
    }

    fn arguments(&mut self) -> Result<(Vec<Expr>, usize), CompileError> {
        self.expect(TokenKind::LeftParenthesis, "`(`")?;
        let mut arguments = Vec::new();
        if self.token.kind != TokenKind::RightParenthesis {
            arguments.push(self.expression()?);
            while self.accept(TokenKind::Comma)?.is_some() {
                arguments.push(self.expression()?);
            }
        }
        let end = self.expect(TokenKind::RightParenthesis, "`,` or `)`")?.range.end;
        Ok((arguments, end))
    }

    pub(super) fn list(&mut self) -> Result<Expr, CompileError> {
        let start = self.advance()?.range.start;
        let mut items = Vec::new();
        while self.token.kind != TokenKind::RightBracket {
            items.push(self.expression()?);
            if self.accept(TokenKind::Comma)?.is_none() {
                break;
            }
        }
        let end = self.expect(TokenKind::RightBracket, "`,` or `]`")?.range.end;
        self.node(Kind::List(items), start..end)
    }

    pub(super) fn map(&mut self) -> Result<Expr, CompileError> {
        let start = self.advance()?.range.start;
        let mut entries = Vec::new();
        while self.token.kind != TokenKind::RightBrace {
            let key = self.expression()?;
            self.expect(TokenKind::Colon, "`:` and a value")?;
            entries.push((key, self.expression()?));
            if self.accept(TokenKind::Comma)?.is_none() {
                break;
            }
        }
        let end = self.expect(TokenKind::RightBrace, "`,` or `}`")?.range.end;
        self.node(Kind::Map(entries), start..end)
    }
}
