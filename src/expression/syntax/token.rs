//! Tokens of CEL, found on demand.

use std::ops::Range;

use crate::expression::CompileError;

/// What a token is. Its text is its range of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::expression) enum TokenKind {
    End,
    Identifier,
    QuotedIdentifier,
    Integer,
    Unsigned,
    Decimal,
    Text,
    Bytes,
    LeftParenthesis,
    RightParenthesis,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Dot,
    Comma,
    Colon,
    Question,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Not,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::expression) struct Token {
    pub(in crate::expression) kind: TokenKind,
    pub(in crate::expression) range: Range<usize>,
}

/// Reads tokens from a position of a text.
#[derive(Debug, Clone)]
pub(in crate::expression) struct Lexer<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Starts at the byte offset `at`, which must be a character boundary.
    pub(in crate::expression) fn new(source: &'a str, at: usize) -> Self {
        Self { source, at }
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + ahead).copied()
    }

    /// The next token; white space and `//` comments are skipped.
    ///
    /// # Errors
    /// A character that begins no token, or a literal that does not end.
    pub(in crate::expression) fn next(&mut self) -> Result<Token, CompileError> {
        self.skip_blank();
        let start = self.at;
        let Some(first) = self.byte(0) else {
            return Ok(Token { kind: TokenKind::End, range: start..start });
        };
        let kind = match first {
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(1).is_some_and(|b| b.is_ascii_digit()) => self.number(),
            b'"' | b'\'' => self.text(0, Form::default()),
            b'`' => self.quoted_identifier(),
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => self.word(),
            _ => self.punctuation(first),
        }?;
        Ok(Token { kind, range: start..self.at })
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest
                .bytes()
                .take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b'\x0b' | b'\x0c'))
                .count();
            self.at += blank;
            if !self.rest().starts_with("//") {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn digits(&mut self, accepts: fn(&u8) -> bool) -> usize {
        let count = self.rest().bytes().take_while(accepts).count();
        self.at += count;
        count
    }

    fn number(&mut self) -> Result<TokenKind, CompileError> {
        let start = self.at;
        let hexadecimal = self.byte(0) == Some(b'0') && matches!(self.byte(1), Some(b'x' | b'X'));
        let mut kind = TokenKind::Integer;
        if hexadecimal {
            self.at += 2;
            if self.digits(u8::is_ascii_hexdigit) == 0 {
                return Err(CompileError::new(start..self.at, "a hexadecimal number without digits"));
            }
        } else {
            self.digits(u8::is_ascii_digit);
            if self.byte(0) == Some(b'.') && self.byte(1).is_some_and(|b| b.is_ascii_digit()) {
                self.at += 1;
                self.digits(u8::is_ascii_digit);
                kind = TokenKind::Decimal;
            }
            if matches!(self.byte(0), Some(b'e' | b'E')) {
                self.at += 1;
                if matches!(self.byte(0), Some(b'+' | b'-')) {
                    self.at += 1;
                }
                if self.digits(u8::is_ascii_digit) == 0 {
                    return Err(CompileError::new(start..self.at, "an exponent without digits"));
                }
                kind = TokenKind::Decimal;
            }
        }
        if kind == TokenKind::Integer && matches!(self.byte(0), Some(b'u' | b'U')) {
            self.at += 1;
            kind = TokenKind::Unsigned;
        }
        if self.digits(|b| b.is_ascii_alphanumeric() || *b == b'_') > 0 {
            let written = self.source.get(start..self.at).unwrap_or_default();
            return Err(CompileError::new(start..self.at, format!("`{written}` is not a number"))
                .with_hint("write text in quotes and durations as a plain number of one unit"));
        }
        Ok(kind)
    }

    fn word(&mut self) -> Result<TokenKind, CompileError> {
        let prefix: Vec<u8> =
            self.rest().bytes().take(3).take_while(|b| matches!(b, b'r' | b'R' | b'b' | b'B')).collect();
        if matches!(prefix.len(), 1 | 2) && matches!(self.byte(prefix.len()), Some(b'"' | b'\'')) {
            let count = |letter: u8| prefix.iter().filter(|b| b.eq_ignore_ascii_case(&letter)).count();
            let (raw, bytes) = (count(b'r'), count(b'b'));
            if raw <= 1 && bytes <= 1 {
                return self.text(prefix.len(), Form { raw: raw == 1, bytes: bytes == 1 });
            }
        }
        self.digits(|b| b.is_ascii_alphanumeric() || *b == b'_');
        Ok(TokenKind::Identifier)
    }

    fn quoted_identifier(&mut self) -> Result<TokenKind, CompileError> {
        let start = self.at;
        match self.rest().get(1..).and_then(|rest| rest.find('`')) {
            Some(length) => {
                self.at += length + 2;
                Ok(TokenKind::QuotedIdentifier)
            }
            None => {
                self.at = self.source.len();
                Err(CompileError::new(start..self.at, "a name in backticks that does not end"))
            }
        }
    }

    fn text(&mut self, prefix: usize, form: Form) -> Result<TokenKind, CompileError> {
        let start = self.at;
        self.at += prefix;
        let quote = if self.byte(0) == Some(b'"') { '"' } else { '\'' };
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        let closing = if self.rest().starts_with(triple.as_str()) { triple } else { quote.to_string() };
        self.at += closing.len();
        let mut escaped = false;
        for (offset, byte) in self.rest().bytes().enumerate() {
            if escaped {
                escaped = false;
            } else if byte == b'\\' && !form.raw {
                escaped = true;
            } else if self.rest().as_bytes().get(offset..).is_some_and(|r| r.starts_with(closing.as_bytes()))
            {
                self.at += offset + closing.len();
                return Ok(if form.bytes { TokenKind::Bytes } else { TokenKind::Text });
            } else if matches!(byte, b'\n' | b'\r') && closing.len() == 1 {
                break;
            }
        }
        self.at = self.source.len();
        Err(CompileError::new(
            start..self.source.len(),
            format!("text that begins with {quote} and does not end"),
        ))
    }

    fn punctuation(&mut self, first: u8) -> Result<TokenKind, CompileError> {
        const PAIRS: [(&str, TokenKind); 6] = [
            ("==", TokenKind::Equal),
            ("!=", TokenKind::NotEqual),
            ("<=", TokenKind::LessEqual),
            (">=", TokenKind::GreaterEqual),
            ("&&", TokenKind::And),
            ("||", TokenKind::Or),
        ];
        let rest = self.rest();
        if let Some((text, kind)) = PAIRS.iter().find(|(text, _)| rest.starts_with(text)) {
            self.at += text.len();
            return Ok(*kind);
        }
        let kind = match first {
            b'(' => TokenKind::LeftParenthesis,
            b')' => TokenKind::RightParenthesis,
            b'[' => TokenKind::LeftBracket,
            b']' => TokenKind::RightBracket,
            b'{' => TokenKind::LeftBrace,
            b'}' => TokenKind::RightBrace,
            b'.' => TokenKind::Dot,
            b',' => TokenKind::Comma,
            b':' => TokenKind::Colon,
            b'?' => TokenKind::Question,
            b'+' => TokenKind::Plus,
            b'-' => TokenKind::Minus,
            b'*' => TokenKind::Star,
            b'/' => TokenKind::Slash,
            b'%' => TokenKind::Percent,
            b'!' => TokenKind::Not,
            b'<' => TokenKind::Less,
            b'>' => TokenKind::Greater,
            _ => return Err(self.stray()),
        };
        self.at += 1;
        Ok(kind)
    }

    fn stray(&mut self) -> CompileError {
        let start = self.at;
        let character = self.rest().chars().next().unwrap_or_default();
        self.at += character.len_utf8();
        let error =
            CompileError::new(start..self.at, format!("`{}` means nothing here", character.escape_debug()));
        match character {
            '=' => error.with_hint("equality is `==`"),
            '&' => error.with_hint("both conditions is `&&`"),
            '|' => error.with_hint("either condition is `||`"),
            '“' | '”' | '‘' | '’' | '„' => error.with_hint("use plain quotes: \" or '"),
            _ => error,
        }
    }
}

/// The prefixes of a text literal.
#[derive(Debug, Clone, Copy, Default)]
struct Form {
    raw: bool,
    bytes: bool,
}
